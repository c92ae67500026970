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
	Err   error // why the situation is uncertain; nil: certain
}

// MayApply reports whether to offer the form.
func (o Outcome) MayApply() bool { return o.Situation == MayApply }

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

// precheckTime bounds a page's wait for the board.
const precheckTime = 5 * time.Second

// justSignedIn is the greatest age of a sign-in that counts as new.
const justSignedIn = time.Minute

// Precheck asks the board whether the visitor of a request may apply for a job, and
// waits at most five seconds for it. It ends the session only if the board refuses the
// visitor's token.
func (s *SignIn) Precheck(r *http.Request, job jobboard.JobID, texts Texts) Outcome {
	o := s.precheck(r, job)
	o.Text = texts.Situation(o.Situation)
	return o
}

func (s *SignIn) precheck(r *http.Request, job jobboard.JobID) Outcome {
	if s == nil {
		return Outcome{Situation: SignInNotOffered, Status: http.StatusNotImplemented}
	}
	visitor, ok := s.Visitor(r)
	if !ok {
		return Outcome{Situation: SignInFirst, Status: http.StatusForbidden}
	}
	ctx, cancel := context.WithTimeout(r.Context(), precheckTime)
	defer cancel()
	check, err := visitor.Applicant.Precheck(ctx, job)
	refused := s.EndIfRefused(r, errors.Join(check.AppliedErr, check.ApplicationErr))
	o := Outcome{Check: check, Err: err}
	switch decided, ok := decisions[check.Decision]; {
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
	jobboard.DecisionGone:           {Gone, http.StatusNotFound},
}
