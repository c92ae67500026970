package main

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/jobpublish"
	"github.com/jobboard-sdk/jobboard-go/jobsite"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// staleAfter is how old the copy may be before visitors are told that the
// board does not answer: some refreshes were missed.
const staleAfter = 30 * time.Minute

type listPage struct {
	page
	Text, Near, Warning, Age, Attribution string
	Next                                  template.URL // the query of the next page; empty: this is the last
	Radius                                int
	Radii                                 []int
	Total                                 int
	Places                                []facet
	Jobs                                  []listedJob
	Map                                   *chart
}

type facet struct {
	jobsite.Facet

	Link template.URL
}

type listedJob struct {
	Page, Title, Company, Place, Excerpt string // Page: empty where the posting's job is not known
	Remote                               bool
}

// list shows the jobs that a visitor searches for, from the copy.
func (s *site) list(w http.ResponseWriter, r *http.Request) error {
	list, wrong := jobsite.ParseList(r.URL.Query())
	p := listPage{
		page: s.page(r), Text: list.Text, Near: r.URL.Query().Get("near"),
		Radius: cmp.Or(list.Radius, jobsite.DefaultRadius), Radii: []int{10, 25, 50, 100, 200},
		Attribution: places.Attribution,
	}
	for _, problem := range wrong {
		if problem.Reason == jobsite.UnknownTown {
			p.Warning = p.W.unknownPlace(problem.Value)
		}
	}
	q := list.Query()
	q.Language = p.W.Lang
	found, err := s.mirror.Search(r.Context(), q)
	if errors.Is(err, jobmirror.ErrPageCursor) {
		q.After = "" // an old bookmark
		found, err = s.mirror.Search(r.Context(), q)
	}
	if err != nil {
		return err
	}
	p.Total = found.Facets.Total
	switch {
	case found.Age < 0:
		p.Warning = p.W.Down
	case found.Age > staleAfter:
		p.Warning = p.W.stale(found.Age)
	default:
		p.Age = p.W.age(found.Age)
	}
	p.Next = template.URL(list.Next(found)) //nolint:gosec // encoded as a query
	for _, f := range list.Places(found.Facets, 8) {
		p.Places = append(p.Places, facet{f, template.URL(f.Query)}) //nolint:gosec // likewise
	}
	p.Map = &chart{}
	for _, posting := range found.Postings {
		p.Jobs = append(p.Jobs, listed(&posting, q.Near))
		p.Map.add(posting.Locations, posting.Posting.Title)
	}
	p.Map.draw(q.Near)
	if r.URL.RawQuery != "" { // there is no end of searches; their jobs are found one by one
		w.Header().Set("X-Robots-Tag", "noindex, follow")
	}
	return s.render(w, http.StatusOK, "list", p)
}

// listed returns a line of the list. Of a job's locations it names the one
// nearest to where the visitor looks.
func listed(p *jobmirror.Posting, near jobboard.GeoLocation) listedJob {
	config := p.Posting.Config
	ad, _ := config.AdText() // a key that is missing is a line that is missing
	company, _ := config.CompanyName()
	where, _ := config.LocationNames()
	remote, _ := config.RemoteStatus()
	j := listedJob{
		Title: p.Posting.Title, Company: company, Excerpt: jobpublish.Excerpt(ad, 200),
		Remote: remote == jobboard.RemoteFully,
	}
	if len(where) > 0 {
		j.Place = where[0]
	}
	if len(p.Locations) > 0 && !near.IsZero() {
		j.Place = slices.MinFunc(p.Locations, func(a, b jobboard.Location) int {
			return cmp.Compare(a.DistanceKm(near), b.DistanceKm(near))
		}).GeoCity
	}
	if p.Job != 0 {
		j.Page = "/jobs/" + p.Job.String()
	}
	return j
}

type jobPage struct {
	page
	Job                                  jobboard.JobID
	Title, Company, Place, Lang, Privacy string
	Canonical                            string
	Age, Warning, Status                 string
	MayApply                             bool
	Advertisement, Schema                template.HTML
}

// job shows what is known of a job, and to an applicant who has signed in
// whether they may apply.
func (s *site) job(w http.ResponseWriter, r *http.Request) error {
	id, err := jobboard.ParseJobID(r.PathValue("job"))
	if err != nil {
		return statusError(http.StatusNotFound)
	}
	known, err := s.mirror.Job(r.Context(), id)
	stale := errors.Is(err, jobmirror.ErrStale)
	switch {
	case errors.Is(err, jobmirror.ErrUnknown):
		return s.unknown(r.Context())
	case err != nil && !stale:
		return err
	}
	if known.State == jobmirror.StateUnknown { // the board has it, and was never asked about it with success
		return statusError(http.StatusServiceUnavailable)
	}
	p := jobPage{page: s.page(r), Job: id, Canonical: s.jobAddress(id)}
	if known.Information == nil || known.State != jobmirror.StateOpen {
		status, situation := http.StatusNotFound, jobsite.Gone
		if known.State == jobmirror.StateClosed || known.State == jobmirror.StateInactive {
			status, situation = http.StatusGone, jobsite.Closed
		}
		return s.render(w, status, "message", message{p.page, p.W.texts.Situation(situation)})
	}
	info := known.Information
	p.Title, p.Company, p.Place, p.Lang = info.JobTitle, info.CompanyName, info.Location.GeoName, info.JobLanguage
	if stale {
		p.Warning = p.W.stale(known.Age)
	} else {
		p.Age = p.W.age(known.Age)
	}
	if link, err := (&jobboard.JobInformation{DataSecurityLink: info.DataSecurityLink}).DataSecurityURL(); err == nil {
		p.Privacy = link.String()
	}
	postings, err := s.mirror.Postings(r.Context(), id)
	if err != nil {
		return err
	}
	if posting := inLanguage(postings, p.W.Lang); posting != nil {
		ad, _ := posting.Posting.Config.AdText()
		cleaner := jobpublish.Cleaner{Base: posting.Posting.ApplyOnlineLink, Headings: 2} // below the page's own
		p.Advertisement = template.HTML(cleaner.Clean(ad))                                //nolint:gosec // cleaned
		p.Title = cmp.Or(posting.Posting.Title, p.Title)
		p.Lang = cmp.Or(posting.Language, p.Lang)
		p.Schema = s.schema(s.published(known, &posting.Posting))
	}
	outcome := s.precheck(r, id, p.W)
	p.Status, p.MayApply = outcome.Text, outcome.MayApply()
	_, p.SignedIn = s.visitor(r) // no longer, where the board refuses the token
	return s.render(w, http.StatusOK, "job", p)
}

// unknown returns the error for a job that is not in the copy.
func (s *site) unknown(ctx context.Context) error {
	page, err := s.mirror.Search(ctx, jobmirror.Query{Limit: 1})
	switch {
	case err != nil:
		return err
	case page.Age < 0:
		return errNoCopy
	}
	return statusError(http.StatusNotFound)
}

// inLanguage returns the posting in a language, or else any; nil: there is none.
func inLanguage(postings []jobmirror.Posting, lang string) *jobmirror.Posting {
	if i := slices.IndexFunc(postings, func(p jobmirror.Posting) bool { return p.Language == lang }); i >= 0 {
		return &postings[i]
	}
	if len(postings) == 0 {
		return nil
	}
	return &postings[0]
}
