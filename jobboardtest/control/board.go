package control

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// maxShown bounds how many jobs and applicants the page lists at once.
const maxShown = 60

// maxPlaces bounds the list of places.
const maxPlaces = 9

type boardView struct {
	State      jobboardtest.State // the whole state
	Query      string
	Jobs       []jobView
	MoreJobs   int
	Loose      []postingView // postings whose job does not exist
	MoreLoose  int
	Applicants []applicantView
	MorePeople int
	Places     []knownPlace // the places with the most jobs
	MorePlaces int
}

type jobView struct {
	jobboardtest.Job
	Company      string
	Postings     []postingView
	Applications int
	State        string // "open", "closed", "inactive", "deleted", "no posting"
	Place        string
}

type postingView struct {
	jobboardtest.Posting
	Languages string
	Link      string
}

type applicantView struct {
	jobboardtest.Applicant
	Company      string
	Applications []applicationView
}

type applicationView struct {
	jobboardtest.Application
	Title string
}

// knownPlace is a place with the number of its postings.
type knownPlace struct {
	Name  string
	Count int
}

// boardView collects the jobs, postings, applicants and places that fit the
// filter, up to the number that the page lists.
func (c *Control) boardView(filter string) boardView {
	st := c.srv.Snapshot()
	v := boardView{State: st, Query: filter}
	companies := map[string]string{}
	for _, co := range st.Companies {
		companies[co.ID] = cmp.Or(co.Name, co.ID)
	}
	titles := map[int64]string{}
	for _, j := range st.Jobs {
		titles[j.ID] = j.Title
	}
	postings := c.postingViews(st.Postings)
	applications := map[int64]int{}
	of := map[int64][]applicationView{}
	for _, a := range st.Applications {
		applications[a.JobID]++
		of[a.ApplicantID] = append(of[a.ApplicantID], applicationView{a, titles[a.JobID]})
	}

	spell := spelling(st.Jobs)
	m := matcher(strings.ToLower(filter))
	var places []string
	for _, j := range st.Jobs {
		jv := jobView{
			Job: j, Company: companies[j.CompanyID], Postings: postings[j.ID], Applications: applications[j.ID],
			Place: spell.name(j.Location), State: jobState(j, len(postings[j.ID]) > 0),
		}
		if m.job(jv) {
			v.Jobs = append(v.Jobs, jv)
			places = append(places, jv.places(spell)...)
		}
	}
	for _, p := range slices.Concat(postings[0], strays(postings, titles)) {
		if m.holds(p.Title) || slices.ContainsFunc(p.Channels, m.holds) {
			v.Loose = append(v.Loose, p)
			places = append(places, spell.names(p.Locations...)...)
		}
	}
	for _, a := range st.Applicants {
		v.Applicants = append(v.Applicants, applicantView{a, companies[a.CompanyID], of[a.ID]})
	}
	v.Jobs, v.MoreJobs = cut(v.Jobs, maxShown)
	v.Loose, v.MoreLoose = cut(v.Loose, maxShown)
	v.Applicants, v.MorePeople = cut(v.Applicants, maxShown)
	v.Places, v.MorePlaces = cut(count(places), maxPlaces)
	return v
}

// editView holds what the form of a job shows.
type editView struct {
	Job       jobView
	Companies []jobboardtest.Company
	Questions string // JSON
}

// Edit returns the form of a job for the page.
func (v boardView) Edit(j jobView) editView {
	e := editView{Job: j, Companies: v.State.Companies}
	if len(j.Questions) > 0 {
		var text strings.Builder
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false) // the template escapes it
		enc.SetIndent("", "  ")
		_ = enc.Encode(j.Questions) // texts, into memory: cannot fail
		e.Questions = strings.TrimSpace(text.String())
	}
	return e
}

// cut returns the first entries of a list, and how many more there are.
func cut[T any](all []T, most int) ([]T, int) {
	n := min(len(all), most)
	return all[:n], len(all) - n
}

// postingViews groups postings by the identifiers of their jobs.
func (c *Control) postingViews(all []jobboardtest.Posting) map[int64][]postingView {
	out := map[int64][]postingView{}
	for _, p := range all {
		langs := slices.Collect(maps.Keys(p.Translations))
		if p.Language != "" {
			langs = append(langs, p.Language)
		}
		slices.Sort(langs)
		link := p.ApplyURL
		if strings.HasPrefix(link, "/") { // a page of the mock server
			link = c.srv.BaseURL + link
		}
		out[p.JobID] = append(out[p.JobID], postingView{p, strings.Join(langs, ", "), link})
	}
	return out
}

// places returns the names of the places of a job's postings. Postings without a place,
// and jobs without a posting, take the job's own places.
func (j jobView) places(spell spellings) []string {
	own := spell.names(append([]jobboardtest.Location{j.Location}, j.AdditionalLocations...)...)
	if len(j.Postings) == 0 {
		return own
	}
	var out []string
	for _, p := range j.Postings {
		if len(p.Locations) > 0 {
			out = append(out, spell.names(p.Locations...)...)
		} else {
			out = append(out, own...)
		}
	}
	return out
}

// strays returns the postings whose job does not exist.
func strays(postings map[int64][]postingView, jobs map[int64]string) []postingView {
	var out []postingView
	for id, ps := range postings {
		if _, ok := jobs[id]; !ok && id != 0 {
			out = append(out, ps...)
		}
	}
	slices.SortFunc(out, func(a, b postingView) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func jobState(j jobboardtest.Job, published bool) string {
	switch {
	case j.Status != jobboardtest.Active:
		return string(j.Status)
	case !published:
		return "no posting"
	case j.ApplyClosed:
		return "closed"
	}
	return "open"
}

// matcher is a filter in lower case; an empty filter matches everything.
type matcher string

func (m matcher) holds(s string) bool {
	return strings.Contains(strings.ToLower(s), string(m))
}

func (m matcher) job(j jobView) bool {
	if m.holds(j.Title) || m.holds(j.Company) || m.holds(j.Place) || m.holds(j.State) || m.holds(itoa(j.ID)) {
		return true
	}
	return slices.ContainsFunc(j.Postings, func(p postingView) bool {
		return m.holds(p.Title) || m.holds(itoa(p.ID)) || slices.ContainsFunc(p.Channels, m.holds)
	})
}
