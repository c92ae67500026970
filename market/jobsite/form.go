package jobsite

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

// FormPage holds the data of the page with a job's form.
type FormPage struct {
	Outcome // Status is the page's status; Check.Information is the job if Show is true

	Show     bool              // whether to show the form; false: show only Text, which gives the reason
	Fields   []prescreen.Field // in the job's language; the nationality has the label of Texts
	Problems int               // number of wrong answers; each has a Problem in Fields
	Complete bool              // all questions are answered
	Checked  prescreen.Checked // the right answers of a sent form
	// Session is for a hidden field of the form, named "session". If somebody else has signed
	// in in the same browser since the form was opened, Form shows the answers again and does
	// not accept them. Without this field Form cannot detect the change.
	Session string
}

// FormAnswer is an answer in words, as a visitor gave it.
type FormAnswer struct{ Question, Answer string }

// Answers returns the given answers in the words of the form, for a page from which the visitor
// copies them into the board's own form.
func (p FormPage) Answers() (list []FormAnswer) {
	for _, f := range p.Fields {
		answer := f.Value
		for _, choice := range f.Choices {
			if choice.ID == f.Value {
				answer = choice.Label
			}
		}
		if answer != "" {
			list = append(list, FormAnswer{f.Label, answer})
		}
	}
	return list
}

// sessionField is the name of the hidden field of a form.
const sessionField = "session"

// maxForm is the largest body of a sent form, in bytes.
const maxForm = 64 << 10

// Form returns the form of a job for the visitor of a request, or the reason why the visitor may not
// apply. It asks the board itself, as the interface wants before an application starts (4.4), and waits
// at most five seconds for it. If the board does not give the job's questions, Form takes those of
// SignInConfig.Copy. For a POST, Form checks the sent answers by rules. It sends no answers to the board,
// because the interface has no call for them. The page shows the form, with the answers that were sent,
// also if the sign-in has ended or the board does not say whether the visitor may apply. The status is 200,
// 410 for a closed job, 404 for one that is gone or not visible, 403 to sign in, 502 to 504 without the
// board's answer, or for a sent form
//
//	403  the sign-in has ended: SignInToSend, or SignInRefused where another would end too
//	409  somebody else has signed in since the form was opened: SignedInAnew
//	422  some answers are wrong
//
// Form returns an error with status 400 for a body that is not
// application/x-www-form-urlencoded, and with 413 for one over 64 KiB. To show the answers of
// a visitor who is not signed in, Form looks up the job, and returns the lookup's error if the copy does
// not have the job either. Of a nil SignIn it returns SignInNotOffered without a form.
func (s *SignIn) Form(r *http.Request, job jobboard.JobID, texts Texts, rules prescreen.Rules) (FormPage, error) {
	if s == nil {
		return FormPage{Outcome: s.Precheck(r, job, texts)}, nil
	}
	sent := r.Method == http.MethodPost
	if err := readForm(r, sent); err != nil {
		return FormPage{}, &formError{err}
	}
	p := FormPage{Outcome: s.live(r, job)}
	visitor, signedIn := s.Visitor(r)
	if signedIn {
		p.Session = visitor.Session
	}
	info := p.Check.Information // the job with the form's questions
	var wrong error
	switch {
	case p.MayApply() && sent:
		wrong = p.check(r, rules)
	case p.MayApply():
	case sent && !signedIn:
		var err error
		if info, err = s.lookUp(r, job); err != nil {
			return FormPage{}, err
		}
		p.Situation = unsent(p.Situation)
	case p.Situation == Busy || p.Situation == NotChecked: // with info, where the board or the copy gave it
		if sent {
			p.disown(r)
		}
	default:
		info = nil
	}
	if p.Show = info != nil; p.Show {
		p.Check.Information = info
		p.Fields = prescreen.Fields(info, prescreen.FromForm(info, r.PostForm), rules, wrong)
	}
	p.speak(texts)
	return p, nil
}

// lookUp returns the job's information of the board, or else of the copy. A board that says that the job is
// closed or gone is believed.
func (s *SignIn) lookUp(r *http.Request, job jobboard.JobID) (*jobboard.JobInformation, error) {
	ctx, cancel := context.WithTimeout(r.Context(), formTime)
	defer cancel()
	info, err := s.cfg.Client.JobInformation(ctx, job)
	if err != nil && !jobboard.Settled(err) {
		if copied := s.copied(r, job); copied != nil {
			return copied, nil
		}
	}
	return info, err
}

// unsent returns the situation of a visitor who sent answers without being signed in. It
// asks to sign in again only if a new sign-in may help.
func unsent(s Situation) Situation {
	if s == SignInRefused {
		return s
	}
	return SignInToSend
}

// readForm reads a form, if it was sent. It refuses other media types, because their bodies would
// look like forms without answers.
func readForm(r *http.Request, sent bool) error {
	if !sent {
		return nil
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return fmt.Errorf("jobsite: a form of type %.100q", kind)
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxForm)
	return r.ParseForm()
}

// ofAnother reports whether a sent form names another session than its sender's.
func (p *FormPage) ofAnother(r *http.Request) bool {
	return r.PostForm.Has(sessionField) && r.PostForm.Get(sessionField) != p.Session
}

// disown clears the page's session if the form was opened in another session, so that
// its answers do not count as this visitor's when the form is sent again.
func (p *FormPage) disown(r *http.Request) {
	if p.ofAnother(r) {
		p.Session = ""
	}
}

// speak sets the page's words that come from the site's Texts.
func (p *FormPage) speak(texts Texts) {
	p.Text = texts.Situation(p.Situation)
	for i, f := range p.Fields {
		if f.Nationality {
			p.Fields[i].Label = texts.Nationality
		}
	}
}

// check checks the answers of a visitor who may apply, and returns the error of
// prescreen.Check.
func (p *FormPage) check(r *http.Request, rules prescreen.Rules) error {
	if p.ofAnother(r) {
		p.Situation, p.Status = SignedInAnew, http.StatusConflict
		return nil
	}
	info := p.Check.Information
	checked, err := prescreen.Check(info, prescreen.FromForm(info, r.PostForm), rules)
	p.Checked = checked
	if wrong, ok := errors.AsType[*prescreen.Error](err); ok {
		p.Problems, p.Status = len(wrong.Problems), http.StatusUnprocessableEntity
	}
	p.Complete = err == nil
	return err
}

// A formError reports a request without a valid form.
type formError struct{ error }

// HTTPStatus returns 413 for a body that is too large, and otherwise 400.
func (e *formError) HTTPStatus() int {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](e.error); tooLarge {
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}
