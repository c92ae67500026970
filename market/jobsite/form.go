package jobsite

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"github.com/jobboard-sdk/jobboard-go"
)

// FormPage holds what the page of a job's form shows.
type FormPage struct {
	Outcome // Status is the page's; Check.Information is the job where Show is set

	Show     bool                    // whether to show the form; false: only Text, which says why not
	Fields   []jobboard.FormField    // in the job's language; the nationality has the label of Texts
	Problems int                     // how many answers are wrong; each has its Problem in Fields
	Complete bool                    // everything is answered
	Checked  jobboard.CheckedAnswers // the answers without a problem, once they were sent
	// Session is for a hidden field of the form, named "session". If somebody else has signed
	// in in the same browser since the form was opened, its answers are shown to them and do
	// not count as theirs. A form without the field is not checked for that.
	Session string
}

// sessionField is the name of the hidden field of a form.
const sessionField = "session"

// maxForm bounds what a visitor sends with a form.
const maxForm = 64 << 10

// Form returns the form of a job for the visitor of a request, or the reason why there is
// none, as Precheck does. A POST is a form that was sent: Form checks its answers by rules.
// No answer goes to the board, because the interface has no call for that. Answers that
// cannot be checked, because the sign-in has ended or the board does not say whether the
// visitor may apply, are shown again. The status is that of Precheck, or with a form that
// was sent
//
//	403  the sign-in has ended: SignInToSend, or SignInRefused where another would end too
//	409  somebody else has signed in since the form was opened: SignedInAnew
//	422  some answers are wrong
//
// Form returns an error with status 400 for a body that is not
// application/x-www-form-urlencoded, and with 413 for one over 64 KiB. To show the answers of
// a visitor who is not signed in it looks the job up, and returns the error of that.
func (s *SignIn) Form(r *http.Request, job jobboard.JobID, texts Texts, rules jobboard.AnswerRules) (FormPage, error) {
	sent := r.Method == http.MethodPost
	if sent {
		if err := readForm(r); err != nil {
			return FormPage{}, &formError{err}
		}
	}
	p := FormPage{Outcome: s.precheck(r, job)}
	visitor, signedIn := s.Visitor(r)
	if signedIn {
		p.Session = visitor.Session
	}
	info := p.Check.Information // what the form asks
	var wrong error
	switch {
	case p.MayApply() && sent:
		wrong = p.check(r, rules)
	case p.MayApply():
	case sent && !signedIn:
		ctx, cancel := context.WithTimeout(r.Context(), precheckTime)
		defer cancel()
		var err error
		if info, err = s.cfg.Client.JobInformation(ctx, job); err != nil {
			return FormPage{}, err
		}
		p.Situation = unsent(p.Situation)
	case sent && (p.Situation == Busy || p.Situation == NotChecked): // with info, where the board gave it
		p.disown(r)
	default:
		info = nil
	}
	if p.Show = info != nil; p.Show {
		p.Check.Information = info
		p.Fields = info.Form(info.FormAnswers(r.PostForm), rules, wrong)
	}
	p.speak(texts)
	return p, nil
}

// unsent returns the situation of a visitor whose answers were sent while nobody was signed
// in. It asks to sign in again only where that may help.
func unsent(s Situation) Situation {
	if s == SignInRefused {
		return s
	}
	return SignInToSend
}

// readForm reads a form that was sent. A body of another type would pass for one without
// answers.
func readForm(r *http.Request) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return fmt.Errorf("jobsite: a form of type %.100q", kind)
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxForm)
	return r.ParseForm()
}

// ofAnother reports whether a form that was sent names another session than that of its
// visitor.
func (p *FormPage) ofAnother(r *http.Request) bool {
	return r.PostForm.Has(sessionField) && r.PostForm.Get(sessionField) != p.Session
}

// disown clears the page's session if the form was opened in another one, so that its
// answers do not count as this visitor's when they are sent once more.
func (p *FormPage) disown(r *http.Request) {
	if p.ofAnother(r) {
		p.Session = ""
	}
}

// speak sets the words of the page that are not the board's.
func (p *FormPage) speak(texts Texts) {
	p.Text = texts.Situation(p.Situation)
	for i, f := range p.Fields {
		if f.Nationality {
			p.Fields[i].Label = texts.Nationality
		}
	}
}

// check looks at the answers that a visitor has sent who may apply, and returns what
// CheckAnswers said.
func (p *FormPage) check(r *http.Request, rules jobboard.AnswerRules) error {
	if p.ofAnother(r) {
		p.Situation, p.Status = SignedInAnew, http.StatusConflict
		return nil
	}
	info := p.Check.Information
	checked, err := info.CheckAnswers(info.FormAnswers(r.PostForm), rules)
	p.Checked = checked
	if wrong, ok := errors.AsType[*jobboard.AnswersError](err); ok {
		p.Problems, p.Status = len(wrong.Problems), http.StatusUnprocessableEntity
	}
	p.Complete = err == nil
	return err
}

// A formError reports a request that is no form.
type formError struct{ error }

// HTTPStatus returns the status with which such a request is answered.
func (e *formError) HTTPStatus() int {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](e.error); tooLarge {
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}
