package main

import (
	"net/http"
	"net/url"
	"slices"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

// rules are this form's limits; the interface names none.
var rules = prescreen.Rules{MaxText: 200, MaxTextArea: 2000, RequireNationality: true}

// applyPage holds the data of the form's template.
type applyPage struct {
	page
	jobsite.FormPage

	Job      *jobboard.JobInformation
	JobPath  string // path of the job's page
	Title    string // of the job's page, as are Language and Company
	Language string
	Company  string
	Privacy  string
	Asked    []field
	Notice   string // sentence above the form
	SignIn   bool   // the sign-in ended while the visitor filled in the form
	ApplyAt  string // the board's page to apply, once all questions are answered
}

type field struct {
	prescreen.Field

	Text  string // sentence about a wrong value
	Focus bool   // the first field with a problem
}

// apply shows the form of a job, and checks it when it is sent. The interface has no
// call that sends an application, so the page ends with a link to the board's own
// form.
func (s *site) apply(w http.ResponseWriter, r *http.Request) error {
	id, err := jobboard.ParseJobID(r.PathValue("job"))
	if err != nil {
		return statusError(http.StatusNotFound)
	}
	if s.SignIn == nil {
		return statusError(http.StatusNotImplemented) // as for /signin
	}
	form, err := s.SignIn.Form(r, id, s.words(r).texts, rules)
	if err != nil {
		return err
	}
	switch {
	case form.Situation == jobsite.SignInFirst, form.Situation == jobsite.SignInAgain:
		back := url.Values{"next": {r.URL.Path}, "back": {s.Site.Path(id, "")}}
		http.Redirect(w, r, "/signin?"+back.Encode(), http.StatusSeeOther)
		return nil
	case !form.Show:
		form.SetRetryAfter(w.Header())
		return s.render(w, form.Status, "message", message{s.page(r), jobsite.Instead{Text: form.Text}})
	}
	p := s.applyPage(r, form)
	if job, err := s.Site.Job(r); err == nil { // the copy has the job's texts in the visitor's language
		p.Title, p.Language, p.Company = job.Title, job.Language, job.Company
		if p.Complete {
			p.ApplyAt = job.ApplyURL
		}
	}
	form.SetRetryAfter(w.Header())
	return s.render(w, form.Status, "apply", p)
}

// fit returns a copy of a job with its texts cut to one line of a page.
func fit(job *jobboard.JobInformation) *jobboard.JobInformation {
	fits := *job
	for _, text := range []*string{&fits.JobTitle, &fits.CompanyName, &fits.Location.GeoName} {
		*text = jobpublish.Line(*text, 200)
	}
	return &fits
}

// applyPage returns the page of a form: its questions are in the job's language, and the words
// around them in the visitor's.
func (s *site) applyPage(r *http.Request, form jobsite.FormPage) applyPage {
	job := fit(form.Check.Information)
	p := applyPage{
		page: s.page(r), FormPage: form, Job: job, JobPath: s.Site.Path(job.JobID, job.JobTitle),
		Title: job.JobTitle, Language: job.JobLanguage, Company: job.CompanyName,
	}
	if !form.MayApply() {
		p.Notice, p.SignIn = p.W.texts.Situation(form.Situation), form.Situation == jobsite.SignInToSend
	}
	if link, err := job.DataSecurityURL(); err == nil {
		p.Privacy = link.String()
	}
	focused := false
	for _, f := range form.Fields {
		own := field{Field: f}
		if f.Nationality {
			own.Label, own.Choices = p.W.texts.Nationality, inOrder(f.Choices, job.JobLanguage)
		}
		if f.Problem != nil {
			own.Text = p.W.texts.Problem(*f.Problem)
			own.Focus, focused = !focused, true
		}
		p.Asked = append(p.Asked, own)
	}
	return p
}

// inOrder sorts a catalogue by the rules of a language: in German Ä comes
// beside A.
func inOrder(catalogue []jobboard.IDLabel, lang string) []jobboard.IDLabel {
	sorted := slices.Clone(catalogue) // the client shares one catalogue among its answers
	order := collate.New(language.Make(lang))
	slices.SortStableFunc(sorted, func(a, b jobboard.IDLabel) int { return order.CompareString(a.Label, b.Label) })
	return sorted
}
