package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/jobboard-sdk/jobboard-go"
)

// rules are this form's limits; the interface names none.
var rules = jobboard.AnswerRules{MaxText: 200, MaxTextArea: 2000, RequireNationality: true}

// applyPage is what the form's template shows.
type applyPage struct {
	page
	Job      *jobboard.JobInformation
	Privacy  string
	Fields   []field
	Problems int
	Complete bool
	SignIn   bool   // their sign-in ended while they filled the form in
	Anew     bool   // somebody has signed in since they opened the form
	For      string // the session that the form is of
}

type field struct {
	Name, Label, Kind string // Kind: "text", "textarea", "select"
	Value             string
	Options           []jobboard.IDLabel
	MaxLength         int
	Problem           string
	Focus             bool // the first with a problem
}

// apply shows the form of a job, and checks it when it is sent. The interface
// has no call that sends an application, so the way ends with what one would
// send.
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
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	visitor, ok := s.session(r)
	if !ok {
		return s.signInToApply(ctx, w, r, id)
	}
	check, err := s.client.Applicant(visitor.user).Precheck(ctx, id)
	switch {
	case errors.Is(err, jobboard.ErrUnauthorized):
		s.endSession(r)
		if r.Method != http.MethodPost && !visitor.used { // signing in again would lead here again
			return statusError(http.StatusForbidden)
		}
		return s.signInToApply(ctx, w, r, id)
	case err != nil:
		return err
	case check.Decision != jobboard.DecisionMayApply:
		p := s.page(r)
		return s.render(w, decisionStatus[check.Decision], "message", message{p, p.W.decision(check.Decision)})
	}

	p := s.applyPage(r, check.Information)
	p.For = visitor.form
	status := http.StatusOK
	var problems jobboard.AnswersError
	switch {
	case r.Method != http.MethodPost:
	case r.PostForm.Get("for") != visitor.form: // it may be another's: this browser has a new session since
		p.Anew, status = true, http.StatusConflict
	default:
		_, err := p.Job.CheckAnswers(answersOf(r, p.Job), rules)
		if wrong, ok := errors.AsType[*jobboard.AnswersError](err); ok {
			problems, status = *wrong, http.StatusUnprocessableEntity
		} else if err != nil {
			return err
		}
		p.Complete, p.Problems = err == nil, len(problems.Problems)
	}
	p.fill(r, problems)
	return s.render(w, status, "apply", p)
}

// signInToApply sends a visitor without a session to the sign-in. Answers that they
// have sent are shown again instead, to be sent once more: they would not survive
// the way to the board and back.
func (s *site) signInToApply(ctx context.Context, w http.ResponseWriter, r *http.Request, id jobboard.JobID) error {
	if r.Method != http.MethodPost {
		http.Redirect(w, r, "/signin?next="+r.URL.Path, http.StatusSeeOther)
		return nil
	}
	job, err := s.client.JobInformation(ctx, id)
	if err != nil {
		return err
	}
	p := s.applyPage(r, job)
	p.SignIn = true
	p.fill(r, jobboard.AnswersError{})
	return s.render(w, http.StatusForbidden, "apply", p)
}

func (s *site) applyPage(r *http.Request, job *jobboard.JobInformation) applyPage {
	p := applyPage{page: s.page(r), Job: job}
	p.W = wordsFor(job.JobLanguage, p.W) // the form speaks the job's language
	if link, err := job.DataSecurityURL(); err == nil {
		p.Privacy = link.String()
	}
	return p
}

func answersOf(r *http.Request, job *jobboard.JobInformation) jobboard.Answers {
	given := jobboard.Answers{Questions: map[string]jobboard.Answer{}, Nationality: r.PostForm.Get("nationality")}
	for _, q := range job.Questions {
		given.Questions[q.ID] = q.FormAnswer(r.PostForm.Get("q" + q.ID))
	}
	return given
}

// fill makes a field of each question, and one of the nationality.
func (p *applyPage) fill(r *http.Request, problems jobboard.AnswersError) {
	for _, q := range p.Job.Questions {
		f := field{Name: "q" + q.ID, Label: q.Label, Kind: "text", Options: q.Answers, MaxLength: rules.MaxText}
		switch q.Type {
		case jobboard.QuestionYesNo, jobboard.QuestionCatalog:
			f.Kind = "select"
		case jobboard.QuestionTextArea:
			f.Kind, f.MaxLength = "textarea", rules.MaxTextArea
		}
		if problem, ok := problems.Question(q.ID); ok {
			f.Problem = p.W.problem(problem)
		}
		p.Fields = append(p.Fields, f)
	}
	if len(p.Job.Nationalities) > 0 {
		options := inOrder(p.Job.Nationalities, p.Job.JobLanguage)
		f := field{Name: "nationality", Label: p.W.Nationality, Kind: "select", Options: options}
		if problem, ok := problems.Nationality(); ok {
			f.Problem = p.W.problem(problem)
		}
		p.Fields = append(p.Fields, f)
	}
	focused := false
	for i := range p.Fields {
		f := &p.Fields[i]
		f.Value = r.PostForm.Get(f.Name)
		f.Focus = f.Problem != "" && !focused
		focused = focused || f.Focus
	}
}

// inOrder sorts a catalogue as its readers look names up: Ä beside A in German.
func inOrder(catalogue []jobboard.IDLabel, lang string) []jobboard.IDLabel {
	sorted := slices.Clone(catalogue) // the client shares one catalogue among its answers
	order := collate.New(language.Make(lang))
	slices.SortStableFunc(sorted, func(a, b jobboard.IDLabel) int { return order.CompareString(a.Label, b.Label) })
	return sorted
}
