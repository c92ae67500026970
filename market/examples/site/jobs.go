package main

import (
	"cmp"
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// staleAfter is the age of the copy above which pages warn that the board does
// not answer, because several refreshes have failed.
const staleAfter = 30 * time.Minute

type listPage struct {
	page
	*jobsite.Results

	Warning, Age string
	Next         template.URL // the link to the next page; empty: this is the last
	Radius       int
	Radii        []int
	Orders       []choice
	Groups       []jobsite.Group
	Kept         []choice // the filters, which a search with other words keeps
}

// choice is an option of a field.
type choice struct {
	Value, Name string
	Chosen      bool
}

// list shows the jobs of the copy that a visitor searches for.
func (s *site) list(w http.ResponseWriter, r *http.Request) error {
	found, err := s.Site.Search(r)
	if err != nil {
		return err
	}
	p := listPage{
		page: s.page(r), Results: found,
		Radius: cmp.Or(found.List.Radius, jobsite.DefaultRadius), Radii: []int{10, 25, 50, 100, 200},
		Next: found.List.Next(found.Page), Groups: found.Groups(8),
	}
	if !slices.Contains(p.Radii, p.Radius) {
		p.Radii = append(p.Radii, p.Radius)
		slices.Sort(p.Radii)
	}
	values := found.List.Values()
	for _, name := range []string{"since", "company", "remote", "category", "place"} {
		if value := values.Get(name); value != "" {
			p.Kept = append(p.Kept, choice{Value: value, Name: name})
		}
	}
	p.Orders = []choice{
		{"", p.W.Relevance, found.List.Order == jobmirror.Relevance}, {"newest", p.W.Newest, found.List.Order == jobmirror.Newest},
	}
	if found.List.Near != "" {
		p.Orders = append(p.Orders, choice{"nearest", p.W.Nearest, found.List.Order == jobmirror.Nearest})
	}
	for _, problem := range found.Problems {
		p.Warning = p.W.texts.ListProblem(problem)
	}
	if age := found.Page.Age; age > staleAfter {
		p.Warning = p.W.stale(age)
	} else {
		p.Age = p.W.age(age)
	}
	p.Listed = s.Site.Head(r) // search engines find the jobs by the sitemap, and searches have no end
	p.Listed.Description = p.W.Intro
	p.Listed.SetRobots(w.Header())
	return s.render(w, http.StatusOK, "list", p)
}

type overviewPage struct {
	page

	Groups []jobsite.Group
}

// overview shows what the jobs can be narrowed down by.
func (s *site) overview(w http.ResponseWriter, r *http.Request) error {
	found, err := s.Site.Search(r)
	if err != nil {
		return err
	}
	p := overviewPage{page: s.page(r), Groups: found.Groups(200)}
	p.Listed = s.Site.Head(r)
	p.Listed.SetRobots(w.Header())
	return s.render(w, http.StatusOK, "overview", p)
}

type textPage struct {
	page

	Heading    string
	Paragraphs []string
}

// text returns the page of a text of the site itself.
func (s *site) text(of func(words) (heading string, paragraphs []string)) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		p := textPage{page: s.page(r)}
		p.Heading, p.Paragraphs = of(p.W)
		p.Listed = s.Site.Head(r)
		p.Listed.SetRobots(w.Header())
		return s.render(w, http.StatusOK, "text", p)
	}
}

// suggest answers the search field's script with suggestions for the typed text.
func (s *site) suggest(w http.ResponseWriter, r *http.Request) error {
	texts, err := s.Site.Suggest(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(append([]string{}, texts...))
}

type jobPage struct {
	page
	*jobsite.JobPage

	Silent string
	Known  []string // what the copy knows of the job beside its posting
	Status string   // what the board says of whether the visitor may apply; empty: nobody has signed in
	Button bool     // the visitor is led to the board's page to apply
}

// job shows a job's page, and tells a signed-in applicant whether they may apply. The interface has no call that
// sends an application, so the page ends with a button to the board's own page.
func (s *site) job(w http.ResponseWriter, r *http.Request) error {
	job, err := s.Site.Job(r)
	if err != nil {
		return err
	}
	p := jobPage{page: s.page(r), JobPage: job, Button: job.ApplyURL != ""}
	p.Known, p.Silent = p.W.known(job), p.W.texts.Unanswered(job.NoAnswer)
	if p.SignedIn {
		check, stillIn := s.signIn.check(r, job.Job)
		p.Status, p.SignedIn = p.W.Ended, stillIn
		if stillIn {
			p.Status = p.W.Decisions[check.Decision]
			possible := check.Decision == jobboard.DecisionMayApply || check.Decision == jobboard.DecisionUnknown
			p.Button = p.Button && possible
		}
	}
	p.Listed = job.Head
	p.Listed.SetRobots(w.Header())
	return s.render(w, http.StatusOK, "job", p)
}
