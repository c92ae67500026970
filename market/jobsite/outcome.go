package jobsite

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// Situation names where a visitor stands with a job.
type Situation string

// The situations. The first five are the decisions of a precheck.
const (
	MayApply       Situation = "may apply"
	AlreadyApplied Situation = "already applied" // maybe withdrawn; there can be no second one (8)
	Closed         Situation = "closed"
	NotVisible     Situation = "not visible"
	Gone           Situation = "gone"
	SignInFirst    Situation = "sign in first"   // nobody has signed in
	SignInAgain    Situation = "sign in again"   // the board refused the token, and the session has ended
	SignInRefused  Situation = "sign-in refused" // the board refused a new token: signing in again would lead here again
	Busy           Situation = "busy"            // the board asks to come back later
	NotChecked     Situation = "not checked"     // the board did not answer, or not for this site
	SignInToSend   Situation = "sign in to send" // Form: answers were sent, and nobody is signed in any more
	SignedInAnew   Situation = "signed in anew"  // Form: somebody has signed in since the form was opened
)

// Outcome tells a page whether its visitor may apply for a job, in a sentence to show.
type Outcome struct {
	Situation Situation
	Text      string // for the visitor, from Texts
	// Status is the status of a page that shows nothing else, such as one in place of a form
	// that may not be filled in. 403 asks to sign in.
	Status int
	// Check holds the board's answers; its Information, where it has one, makes the form.
	Check jobboard.PrecheckResult
	Err   error // why the situation is not certain; nil: it is
}

// MayApply reports whether to offer the form.
func (o Outcome) MayApply() bool { return o.Situation == MayApply }

// SetRetryAfter sets Retry-After in the header of a page whose Status is 500 or more, to
// what Err asks for.
func (o Outcome) SetRetryAfter(header http.Header) {
	if o.Status >= http.StatusInternalServerError {
		jobboard.SetRetryAfter(header, o.Err)
	}
}

// WriteHeader begins a page with Status and, where that asks to come back later, Retry-After.
func (o Outcome) WriteHeader(w http.ResponseWriter) {
	o.SetRetryAfter(w.Header())
	w.WriteHeader(o.Status)
}

// precheckTime bounds the wait of a page for the board.
const precheckTime = 5 * time.Second

// justSignedIn bounds the age of a sign-in that counts as new.
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

// siteStatus returns the status for a failure that no visitor can help, such as a
// credential of the site's that the board refuses.
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
