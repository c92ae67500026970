package jobboard

import (
	"cmp"
	"context"
	"encoding/json"
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
	DecisionGone                           // the job or its posting does not exist
)

var decisionNames = [...]string{
	DecisionUnknown:        "unknown",
	DecisionMayApply:       "may apply",
	DecisionAlreadyApplied: "already applied",
	DecisionClosed:         "closed",
	DecisionNotVisible:     "not visible",
	DecisionGone:           "gone",
}

// String returns the decision in lower-case words, such as "may apply".
func (d Decision) String() string {
	if d < 0 || int(d) >= len(decisionNames) {
		return "Decision(" + strconv.Itoa(int(d)) + ")"
	}
	return decisionNames[d]
}

// PrecheckResult holds a decision and the answer of each source, which is a value or
// an error; each error is an *Error.
type PrecheckResult struct {
	Job      JobID
	Decision Decision

	Information    *JobInformation // result of the lookup (4.4); nil: it failed or was not needed
	InformationErr error

	Applied    bool // result of the applied check (4.2); false is valid only if AppliedErr is nil
	AppliedErr error

	// The result of the application lookup (4.3). Precheck asks for it only if the applied check
	// failed; otherwise both fields are zero.
	ApplicationID  ApplicationID
	ApplicationErr error // ErrApplicationNotFound is an answer, not a failure
}

// Precheck decides whether an applicant may start an application. It asks for the job information
// and the applied check at the same time. If the applied check fails, Precheck asks for the
// application's identifier instead, because an identifier also proves an application.
//
// The first row that holds among the answers in hand decides:
//
// DecisionAlreadyApplied the applied check says true, or the lookup of 4.3 found an identifier
//
//	DecisionNotVisible      a source says ErrNotVisible
//	DecisionGone            a source says ErrGone
//	DecisionClosed          a source says ErrClosed; or ApplyPossible is false
//	DecisionMayApply        ApplyPossible is true, and the applied check itself says false
//	DecisionUnknown         else
//
// An ErrPostingUnavailable of the lookup decides nothing, because it is a technical error of the
// service (7.3). Every decision but DecisionMayApply needs one answer: Precheck returns after the
// first answer that decides and cancels the other requests, whose error is then [context.Canceled].
// DecisionMayApply needs the lookup and the applied check, because only the applied check reports a
// job of another company (ErrProjectNotAccessible, 7.2).
//
// The error is nil if the decision is certain. With DecisionUnknown it joins the errors of the
// sources that failed: errors.Is and errors.As find each. When ctx ends, the answers that have
// arrived decide. A panic or runtime.Goexit of a function in the Config reaches the caller. When
// Precheck returns, its goroutines have ended.
func (a *Applicant) Precheck(ctx context.Context, job JobID) (PrecheckResult, error) {
	if ctx == nil {
		p := PrecheckResult{Job: job}
		_, p.InformationErr = cmp.Or(a.client, new(Client)).JobInformation(ctx, job)
		_, p.AppliedErr = a.HasApplied(ctx, job)
		return p, errors.Join(p.InformationErr, p.AppliedErr)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	asking := gate.Crew{Cancel: cancel}
	answers := make(chan func(*PrecheckResult), 2)
	asking.Start(func() {
		info, err := cmp.Or(a.client, new(Client)).JobInformation(ctx, job)
		answers <- func(p *PrecheckResult) { p.Information, p.InformationErr = info, err }
	})
	asking.Start(func() {
		var id ApplicationID
		var idErr error
		applied, err := a.HasApplied(ctx, job)
		if mayStillHaveApplied(ctx, err) {
			id, idErr = a.ApplicationID(ctx, job)
		}
		answers <- func(p *PrecheckResult) {
			p.Applied, p.AppliedErr, p.ApplicationID, p.ApplicationErr = applied, err, id, idErr
		}
	})
	asking.Then(func() { close(answers) })
	// A source that has not answered yet must not read as a "no".
	p := PrecheckResult{Job: job, InformationErr: errNoAnswer, AppliedErr: errNoAnswer}
	for answer := range answers {
		answer(&p)
		if p.Decision = p.Decide(); p.Decision != DecisionUnknown {
			cancel()
		}
	}
	asking.Wait()
	if p.Decision != DecisionUnknown {
		return p, nil
	}
	if errors.Is(p.ApplicationErr, ErrApplicationNotFound) {
		return p, errors.Join(p.InformationErr, p.AppliedErr)
	}
	return p, errors.Join(p.InformationErr, p.AppliedErr, p.ApplicationErr)
}

var errNoAnswer = errors.New("no answer yet")

// mayStillHaveApplied reports whether the application lookup may still find an
// application after the applied check ended with err.
func mayStillHaveApplied(ctx context.Context, err error) bool {
	if Settled(err) || ctx.Err() != nil {
		return false
	}
	// After these errors the application lookup would fail too.
	return !errors.Is(err, ErrInvalidInput) && !errors.Is(err, ErrUnauthorized) && !errors.Is(err, ErrToken)
}

// Decide returns the decision of the answers in p by the rows of [Applicant.Precheck], for callers that got
// the answers themselves, such as the job information from a copy. A source that was not asked needs an
// error; without one AppliedErr nil says that the applicant has not applied.
func (p *PrecheckResult) Decide() Decision {
	switch {
	case p.Applied || p.ApplicationID != "":
		return DecisionAlreadyApplied
	case p.any(ErrNotVisible):
		return DecisionNotVisible
	case p.any(ErrGone):
		return DecisionGone
	case p.any(ErrClosed) || p.Information != nil && !p.Information.ApplyPossible:
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

// MarshalJSON returns the decision in words, the job, and for each source that was needed its value
// or the text of its error. The JSON holds no credential and no body of an answer, but the texts name
// hosts of your network: see [Error]. PrecheckResult has no UnmarshalJSON to read it.
func (p PrecheckResult) MarshalJSON() ([]byte, error) {
	text := func(err error) string {
		if err == nil || p.Decision != DecisionUnknown && errors.Is(err, context.Canceled) {
			return ""
		}
		return err.Error()
	}
	v := struct {
		Job              JobID           `json:"job"`
		Decision         string          `json:"decision"`
		Information      *JobInformation `json:"information,omitempty"`
		InformationError string          `json:"informationError,omitempty"`
		Applied          *bool           `json:"applied,omitempty"`
		AppliedError     string          `json:"appliedError,omitempty"`
		ApplicationID    ApplicationID   `json:"applicationId,omitempty"`
		ApplicationError string          `json:"applicationError,omitempty"`
	}{
		Job: p.Job, Decision: p.Decision.String(),
		Information: p.Information, InformationError: text(p.InformationErr),
		AppliedError:  text(p.AppliedErr),
		ApplicationID: p.ApplicationID, ApplicationError: text(p.ApplicationErr),
	}
	if p.AppliedErr == nil {
		v.Applied = &p.Applied
	}
	return json.Marshal(v)
}
