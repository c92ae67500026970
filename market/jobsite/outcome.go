package jobsite

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// Situation tells whether a visitor may apply for a job, and if not, why.
type Situation string

// The situations. The first five are the decisions of a precheck.
const (
	MayApply       Situation = "may apply"
	AlreadyApplied Situation = "already applied" // perhaps withdrawn; a second application is impossible (8)
	Closed         Situation = "closed"
	NotVisible     Situation = "not visible"
	Gone           Situation = "gone"
	SignInFirst    Situation = "sign in first"   // nobody has signed in
	SignInAgain    Situation = "sign in again"   // the board refused the token, and the session has ended
	SignInRefused  Situation = "sign-in refused" // the board refused even a new token: another sign-in would not help
	Busy           Situation = "busy"            // the board asks to try again later
	NotChecked     Situation = "not checked"     // the board gave no answer, or refused the site itself
	AppliedUnknown Situation = "applied unknown" // Precheck: the board did not say in time whether the visitor has applied
	SignInToSend   Situation = "sign in to send" // Form: answers were sent after the sign-in had ended
	SignedInAnew   Situation = "signed in anew"  // Form: somebody has signed in since the form was opened

	SignInNotOffered Situation = "sign-in not offered" // a nil SignIn: visitors apply on the board's page
)

// Outcome tells a page whether its visitor may apply for a job, in a sentence to show.
type Outcome struct {
	Situation Situation
	Text      string // for the visitor, from Texts
	// Status is the status of a page that shows only this outcome, for example in place of a
	// form. 403 asks to sign in.
	Status int
	// Check holds the board's answers; its Information, if any, has the form's questions.
	Check jobboard.PrecheckResult
	Err   error // why the situation is uncertain, for the log: its text names hosts of your network; nil: certain
}

// MayApply reports whether to offer the form. It also does where the situation is AppliedUnknown, because
// the form asks again.
func (o Outcome) MayApply() bool { return o.Situation == MayApply || o.Situation == AppliedUnknown }

// SetRetryAfter sets the header Retry-After to the wait that Err asks for, if Status is
// 500 or more.
func (o Outcome) SetRetryAfter(header http.Header) {
	if o.Status >= http.StatusInternalServerError {
		jobboard.SetRetryAfter(header, o.Err)
	}
}

// WriteHeader begins a page with Status and the header of SetRetryAfter.
func (o Outcome) WriteHeader(w http.ResponseWriter) {
	o.SetRetryAfter(w.Header())
	w.WriteHeader(o.Status)
}

// formTime bounds the wait of a form for the board, and copyTime that for the copy after it.
const (
	formTime = 5 * time.Second
	copyTime = time.Second
)

// justSignedIn is the greatest age of a sign-in that counts as new.
const justSignedIn = time.Minute

// Precheck tells a job's page whether its visitor may apply for the job. The job's information is that of
// SignInConfig.Copy, and the board is asked only whether the visitor has applied. If it does not say so
// within SignInConfig.AppliedWait, the situation is AppliedUnknown, with status 200. Precheck ends the
// session only if the board refuses the visitor's token in that time. Of a nil SignIn the situation is
// SignInNotOffered.
func (s *SignIn) Precheck(r *http.Request, job jobboard.JobID, texts Texts) Outcome {
	if s == nil {
		return Outcome{
			Situation: SignInNotOffered, Text: texts.Situation(SignInNotOffered), Status: http.StatusNotImplemented,
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.cfg.AppliedWait)
	defer cancel()
	o := s.outcome(r, func(a *jobboard.Applicant) (jobboard.PrecheckResult, error) {
		if s.cfg.Copy == nil {
			return a.Precheck(ctx, job)
		}
		p := jobboard.PrecheckResult{Job: job}
		p.Information, p.InformationErr = s.cfg.Copy.JobInformation(ctx, job)
		p.Applied, p.AppliedErr = a.HasApplied(ctx, job)
		p.Decision = decide(p)
		if p.Decision != jobboard.DecisionUnknown {
			return p, nil
		}
		return p, errors.Join(p.InformationErr, p.AppliedErr)
	})
	if o.Situation == Busy || o.Situation == NotChecked {
		o.Situation, o.Status = AppliedUnknown, http.StatusOK
	}
	o.Text = texts.Situation(o.Situation)
	return o
}

// live asks the board itself whether the visitor of a request may apply for a job, and takes the job's
// questions from the copy if the board does not give them.
func (s *SignIn) live(r *http.Request, job jobboard.JobID) Outcome {
	ctx, cancel := context.WithTimeout(r.Context(), formTime)
	defer cancel()
	return s.outcome(r, func(a *jobboard.Applicant) (jobboard.PrecheckResult, error) {
		p, err := a.Precheck(ctx, job)
		if p.Decision != jobboard.DecisionUnknown || p.Information != nil {
			return p, err
		}
		if p.Information = s.copied(r, job); p.Information != nil {
			if p.Decision = decide(p); p.Decision != jobboard.DecisionUnknown {
				err = nil
			}
		}
		return p, err
	})
}

// decide returns the decision of the answers in p by the rows of [jobboard.Applicant.Precheck]. Of the
// information and the applied check each has its value or its error.
func decide(p jobboard.PrecheckResult) jobboard.Decision {
	says := func(class error) bool {
		return errors.Is(p.InformationErr, class) || errors.Is(p.AppliedErr, class) || errors.Is(p.ApplicationErr, class)
	}
	switch {
	case p.Applied || p.ApplicationID != "":
		return jobboard.DecisionAlreadyApplied
	case says(jobboard.ErrNotVisible):
		return jobboard.DecisionNotVisible
	case says(jobboard.ErrNotFound):
		return jobboard.DecisionNotFound
	case says(jobboard.ErrInactive) || p.Information != nil && !p.Information.ApplyPossible:
		return jobboard.DecisionClosed
	case p.Information != nil && p.AppliedErr == nil:
		return jobboard.DecisionMayApply
	}
	return jobboard.DecisionUnknown
}

// copied returns the job's information as the copy has it, or nil.
func (s *SignIn) copied(r *http.Request, job jobboard.JobID) *jobboard.JobInformation {
	if s.cfg.Copy == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), copyTime)
	defer cancel()
	info, err := s.cfg.Copy.JobInformation(ctx, job)
	if err != nil {
		return nil
	}
	return info
}

// outcome returns what check says of the visitor of a request, and ends the session if the board refused
// the visitor's token.
func (s *SignIn) outcome(r *http.Request, check func(*jobboard.Applicant) (jobboard.PrecheckResult, error)) Outcome {
	visitor, ok := s.Visitor(r)
	if !ok {
		return Outcome{Situation: SignInFirst, Status: http.StatusForbidden}
	}
	checked, err := check(visitor.Applicant)
	refused := s.EndIfRefused(r, errors.Join(checked.AppliedErr, checked.ApplicationErr))
	o := Outcome{Check: checked, Err: err}
	switch decided, ok := decisions[checked.Decision]; {
	case ok:
		o.Situation, o.Status = decided.situation, decided.status
	case refused && time.Since(visitor.SignedIn) < justSignedIn:
		o.Situation, o.Status = SignInRefused, http.StatusForbidden
	case refused:
		o.Situation, o.Status = SignInAgain, http.StatusForbidden
	case errors.Is(err, jobboard.ErrRateLimited):
		o.Situation, o.Status = Busy, http.StatusServiceUnavailable
	default:
		o.Situation, o.Status = NotChecked, siteStatus(err)
	}
	return o
}

// siteStatus returns the status for an error that the visitor cannot mend, such
// as a refusal of the site's credential.
func siteStatus(err error) int {
	if status := jobboard.HTTPStatus(err); status >= 500 {
		return status
	}
	return http.StatusBadGateway
}

var decisions = map[jobboard.Decision]struct {
	situation Situation
	status    int
}{
	jobboard.DecisionMayApply:       {MayApply, http.StatusOK},
	jobboard.DecisionAlreadyApplied: {AlreadyApplied, http.StatusOK},
	jobboard.DecisionClosed:         {Closed, http.StatusGone},
	jobboard.DecisionNotVisible:     {NotVisible, http.StatusNotFound},
	jobboard.DecisionNotFound:       {Gone, http.StatusNotFound},
}
