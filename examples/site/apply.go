package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobsite"
)

// rules are this form's limits; the interface names none.
var rules = jobboard.AnswerRules{MaxText: 200, MaxTextArea: 2000, RequireNationality: true}

// applyPage holds the data of the form's template.
type applyPage struct {
	page
	Job      *jobboard.JobInformation
	JobPath  string // of its page
	Privacy  string
	Fields   []field
	Problems int
	Complete bool
	ApplyAt  string // where one applies at the board, once everything is answered
	SignIn   bool   // their sign-in ended while they filled the form in
	Anew     bool   // somebody has signed in since they opened the form
	For      string // the session that the form is of
}

type field struct {
	jobboard.FormField

	Text  string // what is wrong with the value
	Focus bool   // the first with a problem
}

// apply shows the form of a job, and checks it when it is sent. The interface has no
// call that sends an application, so the way ends with the link to the board's own
// form.
func (s *site) apply(w http.ResponseWriter, r *http.Request) error {
	id, err := jobboard.ParseJobID(r.PathValue("job"))
	if err != nil {
		return statusError(http.StatusNotFound)
	}
	if r.Method == http.MethodPost {
		r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
		if err := r.ParseForm(); err != nil {
			return statusError(http.StatusBadRequest)
		}
	}
	outcome := s.precheck(r, id, s.words(r))
	switch outcome.Situation {
	case jobsite.MayApply:
	case jobsite.SignInFirst, jobsite.SignInAgain:
		return s.signInToApply(w, r, id)
	default:
		if outcome.Situation == jobsite.SignInRefused && r.Method == http.MethodPost {
			return s.signInToApply(w, r, id)
		}
		jobboard.SetRetryAfter(w.Header(), outcome.Err)
		return s.render(w, outcome.Status, "message", message{s.page(r), outcome.Text})
	}
	p := s.applyPage(r, outcome.Check.Information)
	if visitor, ok := s.visitor(r); ok {
		p.For = visitor.Session
	}
	status, checked := http.StatusOK, error(nil)
	if r.Method == http.MethodPost {
		if status, checked = p.check(r); checked != nil && p.Problems == 0 {
			return checked
		}
	}
	if p.Complete {
		if job, err := s.jobs.Job(r); err == nil {
			p.ApplyAt = job.ApplyURL
		}
	}
	p.fill(r, checked)
	return s.render(w, status, "apply", p)
}

// check looks at the answers that were sent, and returns the page's status and what
// CheckAnswers said.
func (p *applyPage) check(r *http.Request) (int, error) {
	if p.For == "" || r.PostForm.Get("for") != p.For { // another's: this browser has a new session since
		p.Anew = true
		return http.StatusConflict, nil
	}
	_, err := p.Job.CheckAnswers(p.Job.FormAnswers(r.PostForm), rules)
	if wrong, ok := errors.AsType[*jobboard.AnswersError](err); ok {
		p.Problems = len(wrong.Problems)
	}
	p.Complete = err == nil
	if err != nil {
		return http.StatusUnprocessableEntity, err
	}
	return http.StatusOK, nil
}

// signInToApply sends a visitor without a session to the sign-in. Answers that they
// have sent are shown again instead, to be sent once more: they would not survive
// the way to the board and back.
func (s *site) signInToApply(w http.ResponseWriter, r *http.Request, id jobboard.JobID) error {
	if r.Method != http.MethodPost {
		back := url.Values{"next": {r.URL.Path}, "back": {s.jobs.Path(id, "")}}
		http.Redirect(w, r, "/signin?"+back.Encode(), http.StatusSeeOther)
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	job, err := s.client.JobInformation(ctx, id)
	if err != nil {
		return err
	}
	p := s.applyPage(r, job)
	p.SignIn = true
	p.fill(r, nil)
	return s.render(w, http.StatusForbidden, "apply", p)
}

func (s *site) applyPage(r *http.Request, job *jobboard.JobInformation) applyPage {
	p := applyPage{page: s.page(r), Job: job, JobPath: s.jobs.Path(job.JobID, job.JobTitle)}
	p.W = wordsFor(job.JobLanguage, p.W) // the form speaks the job's language
	if link, err := job.DataSecurityURL(); err == nil {
		p.Privacy = link.String()
	}
	return p
}

// fill makes the fields, with what was sent and what is wrong with it.
func (p *applyPage) fill(r *http.Request, checked error) {
	focused := false
	for _, f := range p.Job.Form(p.Job.FormAnswers(r.PostForm), rules, checked) {
		own := field{FormField: f}
		if f.Nationality {
			own.Label, own.Choices = p.W.texts.Nationality, inOrder(f.Choices, p.Job.JobLanguage)
		}
		if f.Problem != nil {
			own.Text = p.W.texts.Problem(*f.Problem)
			own.Focus, focused = !focused, true
		}
		p.Fields = append(p.Fields, own)
	}
}

// inOrder sorts a catalogue as its readers look names up: Ä beside A in German.
func inOrder(catalogue []jobboard.IDLabel, lang string) []jobboard.IDLabel {
	sorted := slices.Clone(catalogue) // the client shares one catalogue among its answers
	order := collate.New(language.Make(lang))
	slices.SortStableFunc(sorted, func(a, b jobboard.IDLabel) int { return order.CompareString(a.Label, b.Label) })
	return sorted
}
