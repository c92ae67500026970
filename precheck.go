package jobboard

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
)

// Decision is what is known about applying to a job, for a switch to act on.
type Decision int

// The decisions; how one is made stands at [Applicant.Precheck]. The zero value
// is DecisionUnknown.
const (
	DecisionUnknown        Decision = iota // too little answered; Precheck.Err says what failed
	DecisionMayApply                       // the job takes applications and has none of this applicant
	DecisionAlreadyApplied                 // there is an application, maybe a withdrawn one, and there can be no second (8)
	DecisionClosed                         // the job is there and takes no applications
	DecisionNotVisible                     // the job is not for this applicant: internal, or of another company
	DecisionGone                           // there is no such job, or no posting of it
)

var decisionNames = [...]string{
	DecisionUnknown:        "unknown",
	DecisionMayApply:       "may apply",
	DecisionAlreadyApplied: "already applied",
	DecisionClosed:         "closed",
	DecisionNotVisible:     "not visible",
	DecisionGone:           "gone",
}

// String is the decision in lower-case words, such as "may apply".
func (d Decision) String() string {
	if d < 0 || int(d) >= len(decisionNames) {
		return "Decision(" + strconv.Itoa(int(d)) + ")"
	}
	return decisionNames[d]
}

// Precheck is a decision with what each of its three sources said. A source
// has a value or an error; each error is an *Error.
type Precheck struct {
	Job      JobID
	Decision Decision

	Information    *JobInformation // of the lookup (4.4); nil where it failed
	InformationErr error

	Applied    bool // of the applied check (4.2)
	AppliedErr error

	ApplicationID  ApplicationID // of the application lookup (4.3), also of a withdrawn application; empty where there is none or it failed
	ApplicationErr error         // ErrApplicationNotFound is an answer, not a failure
}

// Precheck asks what must be known before an applicant starts an application -
// the job information, the applied check and the application's identifier, all
// at once - and makes one decision of the answers. A call that fails is part of
// the result, and the decision is made of the others where they suffice.
//
// The first row that holds decides:
//
//	DecisionAlreadyApplied  the applied check says true, or there is an application identifier
//	DecisionNotVisible      any: ErrPostingNotAccessible, ErrProjectNotAccessible
//	DecisionGone            any: ErrJobUnavailable, ErrProjectNotAvailable, ErrPostingNotFound, ErrPostingUnavailable
//	DecisionClosed          any: ErrJobInactive, ErrPostingInactive; or ApplyPossible is false
//	DecisionMayApply        ApplyPossible is true, and the applied check says false or
//	                        the application lookup says ErrApplicationNotFound
//	DecisionUnknown         else; Err says what failed
//
// Only the applied check tells of a job that another company has
// (ErrProjectNotAccessible, 7.2). So DecisionMayApply with an AppliedErr may
// become DecisionNotVisible once that check answers.
//
// It waits for all three answers, each repeated as every call is. When ctx
// ends, what has answered until then decides: a deadline makes of a slow
// service a result with an error in it. Nothing runs on after the return.
func (a *Applicant) Precheck(ctx context.Context, job JobID) Precheck {
	p := Precheck{Job: job}
	var calls sync.WaitGroup
	calls.Go(func() { p.Applied, p.AppliedErr = a.HasApplied(ctx, job) })
	calls.Go(func() { p.ApplicationID, p.ApplicationErr = a.ApplicationID(ctx, job) })
	p.Information, p.InformationErr = a.client.JobInformation(ctx, job)
	calls.Wait()
	p.Decision = p.decide()
	return p
}

func (p *Precheck) decide() Decision {
	open := p.InformationErr == nil && p.Information.ApplyPossible
	closed := p.InformationErr == nil && !p.Information.ApplyPossible
	switch {
	case p.Applied || p.ApplicationID != "":
		return DecisionAlreadyApplied
	case p.any(ErrPostingNotAccessible, ErrProjectNotAccessible):
		return DecisionNotVisible
	case p.any(ErrJobUnavailable, ErrProjectNotAvailable, ErrPostingNotFound, ErrPostingUnavailable):
		return DecisionGone
	case closed || p.any(ErrJobInactive, ErrPostingInactive):
		return DecisionClosed
	case open && (p.AppliedErr == nil || errors.Is(p.ApplicationErr, ErrApplicationNotFound)):
		return DecisionMayApply
	}
	return DecisionUnknown
}

// any says whether a source answered with one of the conditions.
func (p *Precheck) any(conditions ...error) bool {
	for _, err := range [...]error{p.InformationErr, p.AppliedErr, p.ApplicationErr} {
		for _, condition := range conditions {
			if errors.Is(err, condition) {
				return true
			}
		}
	}
	return false
}

// Err is nil where there is a decision. Where it is unknown, Err is the errors
// of the sources that failed, joined: errors.Is and errors.As find each. That
// there is no application is not among them.
func (p Precheck) Err() error {
	if p.Decision != DecisionUnknown {
		return nil
	}
	application := p.ApplicationErr
	if errors.Is(application, ErrApplicationNotFound) {
		application = nil
	}
	return errors.Join(p.InformationErr, p.AppliedErr, application)
}

// MarshalJSON is the decision in words, the job, and of each source its value
// or the text of its error. It holds no credential and no body of an answer,
// and is not meant to be decoded.
func (p Precheck) MarshalJSON() ([]byte, error) {
	text := func(err error) string {
		if err == nil {
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
