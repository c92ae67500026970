package control

import (
	"bytes"
	"cmp"
	_ "embed"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

//go:embed page.css
var styles []byte

//go:embed page.js
var script []byte

//go:embed page.html
var pageSource string

var pages = template.Must(template.New("page").Funcs(template.FuncMap{
	"short": func(s string) string {
		if r := []rune(s); len(r) > 10 {
			return string(r[:8]) + "…"
		}
		return s
	},
	"clock": func(t time.Time) string { return t.UTC().Format("15:04:05.000") },
	"day":   func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
	"ms":    func(d time.Duration) string { return d.Round(100 * time.Microsecond).String() },
	"kind":  statusKind,
}).Parse(pageSource))

// policy lets the page load what this handler serves and nothing else: no
// script stands in the page itself, and nobody may frame it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// maxShown bounds how many jobs and applicants the page lists at once.
const maxShown = 60

// maxPlaces bounds the list beside the map.
const maxPlaces = 9

// maxRows bounds the rows of the journal on the page.
const maxRows = 200

type pageView struct {
	Info       information
	Board      boardView
	Rows       []rowView
	Last       int
	Faults     []planted
	Presets    []preset
	Operations []jobboardtest.Operation
	Switches   []variantSwitch
	Clock      clockState
	Revision   int64
	Instance   string
}

type boardView struct {
	Query      string
	Counts     struct{ Channels, Jobs, Postings, Applicants, Applications int }
	Jobs       []jobView
	MoreJobs   int
	Loose      []postingView // without a job
	MoreLoose  int
	Applicants []applicantView
	MorePeople int
	Chart      chart
	Places     []knownPlace // those with the most jobs
	MorePlaces int
	Known      []knownPlace // all of them, by name
	Channels   []jobboardtest.Channel
	Companies  []jobboardtest.Company
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
	JobTitle  string
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

type rowView struct {
	jobboardtest.Request
	Question string // path with its query
}

// detailView is an opened row.
type detailView struct {
	rowView
	Answer string // its body, for people
	Cut    bool   // there is more of it
	Curl   string
}

// knownPlace is a place that a new job may have.
type knownPlace struct {
	Name  string
	Count int
	JSON  string // the location
}

func row(r jobboardtest.Request) rowView {
	v := rowView{Request: r, Question: r.Path}
	if len(r.Query) > 0 {
		// Spelled for people; the journal itself is at requests.
		v.Question += "?" + strings.ReplaceAll(r.Query.Encode(), "%3A%3A", "::")
	}
	return v
}

func statusKind(status int) string {
	switch {
	case status == 0:
		return "none"
	case status < 300:
		return "good"
	case status < 500:
		return "warn"
	}
	return "bad"
}

func (c *Control) page(w http.ResponseWriter, _ *http.Request) {
	revision := c.revision.Load() // before the state is read
	v := pageView{
		Info: c.information(), Board: c.boardView(""), Presets: presets(), Operations: jobboardtest.Operations(),
		Switches: switches(c.srv.Variants()), Clock: c.time(), Faults: c.planted(),
		Revision: revision, Instance: c.instance,
	}
	rs := c.srv.Requests()
	if len(rs) > 0 {
		v.Last = rs[len(rs)-1].Number
	}
	for _, r := range slices.Backward(rs[max(0, len(rs)-maxRows):]) {
		v.Rows = append(v.Rows, row(r))
	}
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("X-Frame-Options", "DENY")
	render(w, "page", v)
}

// board answers with the part of the page that shows the state.
func (c *Control) board(w http.ResponseWriter, r *http.Request) {
	if err := checkQuery(r, "q"); err != nil {
		writeFailure(w, err)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	render(w, "board", c.boardView(r.URL.Query().Get("q")))
}

func render(w http.ResponseWriter, name string, v any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, fragment(name, v))
}

func fragment(name string, v any) string {
	var buf bytes.Buffer
	_ = pages.ExecuteTemplate(&buf, name, v) // it fails for other types only
	return buf.String()
}

// boardView gathers what the page shows of the state: all that fits the filter,
// as far as it can be read.
func (c *Control) boardView(filter string) boardView {
	st := c.srv.Snapshot()
	v := boardView{Query: filter}
	v.Counts.Channels, v.Counts.Jobs, v.Counts.Postings = len(st.Channels), len(st.Jobs), len(st.Postings)
	v.Counts.Applicants, v.Counts.Applications = len(st.Applicants), len(st.Applications)

	companies := map[string]string{}
	for _, co := range st.Companies {
		companies[co.ID] = cmp.Or(co.Name, co.ID)
	}
	titles := map[int64]string{}
	for _, j := range st.Jobs {
		titles[j.ID] = j.Title
	}
	postings := postingViews(st, titles)
	applications := map[int64]int{}
	of := map[int64][]applicationView{}
	for _, a := range st.Applications {
		applications[a.JobID]++
		of[a.ApplicantID] = append(of[a.ApplicantID], applicationView{a, titles[a.JobID]})
	}

	v.Channels, v.Companies = st.Channels, st.Companies
	spell := spelling(st.Jobs)
	v.Known = knownPlaces(st.Jobs, spell)
	m := matcher(filter)
	var places []place
	for _, j := range st.Jobs {
		jv := jobView{
			Job: j, Company: companies[j.CompanyID], Postings: postings[j.ID], Applications: applications[j.ID],
			Place: spell.name(j.Location), State: jobState(j, len(postings[j.ID]) > 0),
		}
		if !m.job(jv) {
			continue
		}
		places = append(places, jv.places(spell)...)
		if len(v.Jobs) < maxShown {
			v.Jobs = append(v.Jobs, jv)
		} else {
			v.MoreJobs++
		}
	}
	for _, p := range slices.Concat(postings[0], strays(postings, titles)) {
		if !m.holds(p.Title) && !slices.ContainsFunc(p.Channels, m.holds) {
			continue
		}
		places = append(places, spell.placesOf(true, p.Locations...)...)
		if len(v.Loose) < maxShown {
			v.Loose = append(v.Loose, p)
		} else {
			v.MoreLoose++
		}
	}
	for _, a := range st.Applicants {
		if len(v.Applicants) < maxShown {
			v.Applicants = append(v.Applicants, applicantView{a, companies[a.CompanyID], of[a.ID]})
		} else {
			v.MorePeople++
		}
	}
	v.Chart = draw(places)
	v.Places = count(places)
	if more := len(v.Places) - maxPlaces; more > 0 {
		v.Places, v.MorePlaces = v.Places[:maxPlaces], more
	}
	return v
}

// postingViews returns the postings by their jobs.
func postingViews(st jobboardtest.State, titles map[int64]string) map[int64][]postingView {
	out := map[int64][]postingView{}
	for _, p := range st.Postings {
		langs := []string{}
		if p.Language != "" {
			langs = append(langs, p.Language)
		}
		for l := range p.Translations {
			langs = append(langs, l)
		}
		slices.Sort(langs)
		pv := postingView{Posting: p, Languages: strings.Join(langs, ", "), JobTitle: titles[p.JobID]}
		out[p.JobID] = append(out[p.JobID], pv)
	}
	return out
}

// places returns the places of a job's postings. The job's own count for a posting
// without any, and for a job without a posting.
func (j jobView) places(spell spellings) []place {
	open := j.State == "open" || j.State == "closed"
	own := spell.placesOf(open, append([]jobboardtest.Location{j.Location}, j.AdditionalLocations...)...)
	if len(j.Postings) == 0 {
		return own
	}
	var out []place
	for _, p := range j.Postings {
		if len(p.Locations) > 0 {
			out = append(out, spell.placesOf(open, p.Locations...)...)
		} else {
			out = append(out, own...)
		}
	}
	return out
}

// strays are postings of jobs that are not there.
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

// matcher is a filter in lower case; the empty one lets everything through.
type matcher string

func (m matcher) holds(s string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(string(m)))
}

func (m matcher) job(j jobView) bool {
	if m == "" || m.holds(j.Title) || m.holds(j.Company) || m.holds(j.Place) || m.holds(j.State) || m.holds(itoa(j.ID)) {
		return true
	}
	return slices.ContainsFunc(j.Postings, func(p postingView) bool {
		return m.holds(p.Title) || m.holds(itoa(p.ID)) || slices.ContainsFunc(p.Channels, m.holds)
	})
}
