package jobboard

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go/internal/gate"
)

// Decision names the result of a Precheck, for a switch to act on.
type Decision int

// The decisions; [Applicant.Precheck] has the rules. The zero value is
// DecisionUnknown.
const (
	DecisionUnknown        Decision = iota // too few sources answered; Precheck's error names the failures
	DecisionMayApply                       // the job takes applications, and this applicant has not applied
	DecisionAlreadyApplied                 // the applicant has applied, maybe withdrawn, and cannot apply again (8)
	DecisionClosed                         // the job exists but takes no applications
	DecisionNotVisible                     // this applicant may not see the job: internal, or another company's
	DecisionNotFound                       // the job or its posting does not exist
)

var decisionNames = [...]string{
	DecisionUnknown:        "unknown",
	DecisionMayApply:       "may apply",
	DecisionAlreadyApplied: "already applied",
	DecisionClosed:         "closed",
	DecisionNotVisible:     "not visible",
	DecisionNotFound:       "not found",
}

// String returns the decision in lower-case words, such as "may apply".
func (d Decision) String() string {
	if d < 0 || int(d) >= len(decisionNames) {
		return "Decision(" + strconv.Itoa(int(d)) + ")"
	}
	return decisionNames[d]
}

// MarshalText returns the words of String, so that JSON and logs have them in place of a number.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// PrecheckResult holds a decision and the answer of each source, which is a value or
// an error; each error is an *Error. encoding/json writes the members job, decision (its words),
// information, applied and applicationId, and no errors: read "applied": false together with the
// decision, because it is also written if the applied check failed.
type PrecheckResult struct {
	Job      JobID    `json:"job"`
	Decision Decision `json:"decision"`

	Information    *JobInformation `json:"information,omitempty"` // result of the lookup (4.4); nil: it failed
	InformationErr error           `json:"-"`

	Applied    bool  `json:"applied"` // result of the applied check (4.2); false is valid only if AppliedErr is nil
	AppliedErr error `json:"-"`

	// The result of the application lookup (4.3). Precheck asks for it only if the applied check
	// failed; otherwise both fields are zero.
	ApplicationID  ApplicationID `json:"applicationId,omitempty"`
	ApplicationErr error         `json:"-"` // ErrApplicationNotFound is an answer, not a failure
}

// Precheck decides whether an applicant may start an application. It asks for the job information
// and the applied check at the same time, and waits for both. If the applied check fails, Precheck
// asks for the application's identifier instead, because an identifier also proves an application.
//
// The first row that holds decides:
//
//	DecisionAlreadyApplied  the applied check says true, or the lookup of 4.3 found an identifier
//	DecisionNotVisible      a source says ErrNotVisible
//	DecisionNotFound        a source says ErrNotFound
//	DecisionClosed          a source says ErrInactive; or ApplyPossible is false
//	DecisionMayApply        ApplyPossible is true, and the applied check itself says false
//	DecisionUnknown         else
//
// An ErrPostingUnavailable of the lookup decides nothing, because it is a technical error of the
// service (7.3). DecisionMayApply needs the lookup and the applied check, because only the applied
// check reports a job of another company (ErrProjectNotAccessible, 7.2); every other decision needs
// one answer. Information is there if the lookup gave it, whatever the decision: with
// DecisionNotVisible show nothing of it, because the lookup tells of internal jobs, too.
//
// The error is nil if the decision is certain, even if a source failed: the error of that source is
// in its field. With DecisionUnknown the error joins the errors of the sources that failed:
// errors.Is and errors.As find each. When ctx ends, the answers that have arrived decide, so ctx
// should have a deadline. A panic or runtime.Goexit of a function in the Config reaches the caller.
// When Precheck returns, its goroutines have ended.
func (a *Applicant) Precheck(ctx context.Context, job JobID) (PrecheckResult, error) {
	if ctx == nil {
		p := PrecheckResult{Job: job}
		_, p.InformationErr = cmp.Or(a.client, new(Client)).JobInformation(ctx, job)
		_, p.AppliedErr = a.HasApplied(ctx, job)
		return p, errors.Join(p.InformationErr, p.AppliedErr)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := PrecheckResult{Job: job}
	asking := gate.Crew{Cancel: cancel}
	asking.Start(func() {
		p.Information, p.InformationErr = cmp.Or(a.client, new(Client)).JobInformation(ctx, job)
	})
	asking.Start(func() {
		p.Applied, p.AppliedErr = a.HasApplied(ctx, job)
		if mayStillHaveApplied(ctx, p.AppliedErr) {
			p.ApplicationID, p.ApplicationErr = a.ApplicationID(ctx, job)
		}
	})
	asking.Wait()
	p.Decision = p.decide()
	if p.Decision != DecisionUnknown {
		return p, nil
	}
	if errors.Is(p.ApplicationErr, ErrApplicationNotFound) {
		return p, errors.Join(p.InformationErr, p.AppliedErr)
	}
	return p, errors.Join(p.InformationErr, p.AppliedErr, p.ApplicationErr)
}

// mayStillHaveApplied reports whether the application lookup may still find an
// application after the applied check ended with err.
func mayStillHaveApplied(ctx context.Context, err error) bool {
	if Settled(err) || ctx.Err() != nil {
		return false
	}
	// After these errors the application lookup would fail too.
	return !errors.Is(err, ErrInvalidInput) && !errors.Is(err, ErrUnauthorized) && !errors.Is(err, ErrToken)
}

// decide returns the decision of the answers in p by the rows of [Applicant.Precheck].
func (p *PrecheckResult) decide() Decision {
	switch {
	case p.Applied || p.ApplicationID != "":
		return DecisionAlreadyApplied
	case p.any(ErrNotVisible):
		return DecisionNotVisible
	case p.any(ErrNotFound):
		return DecisionNotFound
	case p.any(ErrInactive) || p.Information != nil && !p.Information.ApplyPossible:
		return DecisionClosed
	case p.Information != nil && p.AppliedErr == nil:
		return DecisionMayApply
	}
	return DecisionUnknown
}

// any reports whether a source answered with a condition of the class.
func (p *PrecheckResult) any(class error) bool {
	return errors.Is(p.InformationErr, class) || errors.Is(p.AppliedErr, class) || errors.Is(p.ApplicationErr, class)
}
