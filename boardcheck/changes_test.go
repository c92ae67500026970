package boardcheck_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/boardcheck"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// steady returns a board that is the same each night: thirty jobs with all they can have, in places far apart, of which
// the applicant has applied to some, and a deactivated one.
func steady(t *testing.T, opts ...jobboardtest.Option) *jobboardtest.Server {
	t.Helper()
	srv := jobboardtest.New(t, append([]jobboardtest.Option{jobboardtest.WithoutSockets(), jobboardtest.WithStrict(false), fewCountries()}, opts...)...)
	srv.SetClock(func() time.Time { return time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC) })
	srv.AddChannel(jobboardtest.Channel{ID: "27828_extern"})
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	who := srv.AddApplicant(jobboardtest.Applicant{Name: "Jana"})
	srv.Demo.ApplicantToken = srv.UserToken(who.ID)
	company := srv.AddCompany(jobboardtest.Company{Name: "ACME", PrivacyURL: "https://p.example/a"}).ID
	for i := range 30 {
		j := srv.AddJob(aJob(i, company))
		srv.AddPosting(jobboardtest.Posting{
			JobID: j.ID, Channels: []string{"27828_extern"}, Language: "en", Title: j.Title, JobStart: srv.Now(),
			VersionStart: srv.Now(), VersionEnd: srv.Now().AddDate(0, 1, 0),
			Config: map[string][]string{
				"location": {"12"}, "platformvisibility": {"visible"}, "sg_remote_status": {"FULLY_REMOTE"}, "listingStartDate": {"1767225600000"},
				"salaryband": {"E13"},
			},
			Translations: map[string]jobboardtest.Translation{"de": {Title: "Übersetzt " + j.Title}},
		})
		if i%3 == 0 {
			if _, err := srv.Apply(who.ID, j.ID); err != nil {
				t.Fatal(err)
			}
		}
		if i == 7 {
			srv.DeactivateJob(j.ID)
		}
	}
	return srv
}

// fewCountries makes the catalogues of nationalities small: most of a lookup else.
func fewCountries() jobboardtest.Option {
	few := []jobboardtest.Choice{{ID: "2800137", Label: "a"}, {ID: "2800138", Label: "b"}}
	return jobboardtest.WithState(jobboardtest.State{Nationalities: map[string][]jobboardtest.Choice{"en": few, "de": few}})
}

func aJob(i int, company string) jobboardtest.Job {
	place := jobboardtest.Location{
		Lat: fmt.Sprintf("%.4f", 47.5+float64(i%10)*0.7), Long: "9.9000", Country: "Germany", State: "BW", City: "Ulm", Zip: "89073",
		Street: "Markt 1", Name: "Markt 1, Ulm",
	}
	return jobboardtest.Job{
		Title: []string{"Nurse", "Cook", "Gardener"}[i%3] + " in the " + []string{"north", "south", "west", "east", "centre"}[i%5], CompanyID: company,
		Language: "en", Location: place, AdditionalLocations: []jobboardtest.Location{place},
		Questions: []jobboardtest.Question{
			{ID: "1", Type: jobboardtest.YesNo, Label: "Licence?", Answers: []jobboardtest.Choice{{ID: "1", Label: "Yes"}, {ID: "2", Label: "No"}}},
			{ID: "2", Type: jobboardtest.Text, Label: "Why?"},
		},
	}
}

// calm returns the profile of a steady board after two nights.
func calm(t *testing.T) *boardcheck.Profile {
	t.Helper()
	file := filepath.Join(t.TempDir(), "board.json")
	calmNights.Do(func() {
		known := &boardcheck.Profile{}
		b := boardOf(steady(t))
		for range 2 {
			r := check(t, b)
			if r.Since(known); len(r.Changes)+len(r.Notes)+len(r.Unjudged) > 0 {
				t.Errorf("a calm night: %s%s%s", lines(r.Changes), lines(r.Notes), lines(r.Unjudged))
			}
		}
		calmNights.profile = written(t, known)
	})
	if err := os.WriteFile(file, []byte(calmNights.profile), 0o600); err != nil {
		t.Fatal(err)
	}
	known, err := boardcheck.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

var calmNights struct {
	sync.Once
	profile string
}

// told returns what a check finds after a calm one: the board after a change of its answers, of itself, or of both.
func told(t *testing.T, e edit, change func(srv *jobboardtest.Server, b *boardcheck.Board)) (r *boardcheck.Report, known *boardcheck.Profile) {
	t.Helper()
	srv := steady(t)
	known = calm(t)
	b := boardOf(srv)
	if change != nil {
		change(srv, &b)
	}
	b = edited(b, e)
	r = check(t, b)
	r.Since(known)
	once := check(t, b)
	if once.Since(known); len(once.Changes) > 0 {
		t.Errorf("told again: %s", lines(once.Changes))
	}
	return r, known
}

// few changes the first n objects of a list, in an answer that has it.
func few(list string, n int, f func(o object)) func(string, int, any) any {
	return each(list, func(i int, o object) {
		if i < n {
			f(o)
		}
	})
}

// infos changes the answers of the first n lookups of jobs.
func infos(n int, f func(o object)) func(string, int, any) any {
	seen := map[string]bool{}
	return info(func(o object) {
		id := fmt.Sprint(o["jobId"])
		if len(seen) < n {
			seen[id] = true
		}
		if seen[id] {
			f(o)
		}
	})
}

func configOf(o object) object { return o["config"].(object) }

func status(from, to int) func(string, *http.Response, []byte) []byte {
	return func(_ string, resp *http.Response, body []byte) []byte {
		if resp.StatusCode == from {
			resp.StatusCode = to
		}
		return body
	}
}

func header(suffix, name, value string) func(string, *http.Response, []byte) []byte {
	return func(path string, resp *http.Response, body []byte) []byte {
		if strings.HasSuffix(path, suffix) {
			resp.Header.Set(name, value)
		}
		return body
	}
}

const (
	jobsPath = "/jobs"
	infoPath = "/external"
)

// Each rule of docs/check.md has changes that are told, by their beginnings, and neighbours that are not.
func TestChangesAreTold(t *testing.T) {
	all := 1000
	for name, c := range map[string]struct {
		edit edit
		want []string // beginnings of all that is told; none: no change
	}{
		// (a) reading
		"a member that a lookup must have":       {edit{json: infos(all, func(o object) { delete(o, "applyPossible") })}, []string{"job information: ErrDecode of applyPossible, in 29 of 30 calls"}},
		"a member that a lookup must have, once": {edit{json: infos(1, func(o object) { delete(o, "applyPossible") })}, []string{"job information: ErrDecode of applyPossible, in 1 of 30 calls"}},
		"a member that a lookup need not have":   {edit{json: infos(1, func(o object) { delete(o, "companyName") })}, nil},
		"the total is a word":                    {edit{json: top(func(o object) { o["totalNumberOfJobs"] = "many" })}, []string{"search: ErrDecode of totalNumberOfJobs", "search of an unknown channel: ErrDecode of total"}},
		"the total is quoted":                    {edit{json: top(func(o object) { o["totalNumberOfJobs"] = fmt.Sprint(o["totalNumberOfJobs"]) })}, []string{"search totalNumberOfJobs: it is number in quotes"}},
		"an entry that is no posting":            {edit{json: few("results", 1, func(o object) { delete(o, "jobPostingId") })}, []string{"search: unreadable entries", "search in a circle: unreadable", "search with a word: unreadable"}},
		"a posting without a version":            {edit{json: few("results", 1, func(o object) { delete(o, "postingVersionId") })}, nil},
		"a web page":                             {edit{raw: page("/applied")}, []string{"applied check: ErrDecode"}},
		"a redirect elsewhere":                   {edit{raw: redirect("/applied", "https://login.example/sign_in/4711?x=y")}, []string{"applied check: ErrRedirect", "applied check of an unknown job: ErrRedirect"}},
		"an error without a condition":           {edit{raw: status(410, 409)}, []string{"applied check: error without a condition, status 409, under 1 KiB", "application identifier: error without"}},
		"a feed that is none":                    {edit{raw: otherFeed}, []string{"feed: ErrNotFeed"}},
		"a feed with a broken entry":             {edit{raw: oneReplaced("<IdValue>", "<IdValue>x")}, []string{"feed: unreadable entries"}},
		"a code that nobody knows":               {edit{raw: replaced("ERROR_JOB_UNAVAILABLE", "ERROR_JOB_ARCHIVED")}, []string{"job information of an unknown job: error without a condition"}},
		"a code has another name":                {edit{raw: replaced("get_project_error", "project_error")}, []string{"applied check of an unknown job: error without a condition, status 404"}},
		"an applied check in words":              {edit{raw: replaced("false", `"no"`)}, []string{"applied check: ErrDecode, in 19 of 30 calls"}},
		"an unknown job is inactive":             {edit{raw: replaced("ERROR_JOB_UNAVAILABLE", "ERROR_JOB_INACTIVE")}, []string{"job information of an unknown job: ErrJobInactive"}},
		"an unknown job is another's":            {edit{raw: replaced("not available", "not accessible")}, []string{"applied check of an unknown job: ErrProjectNotAccessible"}},
		"a job is unavailable":                   {edit{raw: replaced("ERROR_JOB_INACTIVE", "ERROR_JOB_UNAVAILABLE")}, nil},
		"an unknown channel is 404":              {edit{raw: unknownChannel(404)}, []string{"search of an unknown channel: error without a condition, status 404"}},
		"an unknown channel is 500":              {edit{raw: unknownChannel(500)}, []string{"search of an unknown channel: ErrServer"}},

		// (b) shape of an outcome
		"a media type":   {edit{raw: header(infoPath, "Content-Type", "application/problem+json")}, []string{"job information: ErrJobInactive came with 404 application/problem+json", "job information: ok came with", "job information of an unknown job: ErrJobUnavailable came with"}},
		"a charset":      {edit{raw: header("/applied", "Content-Type", "application/json; charset=ISO-8859-1")}, []string{"applied check of an unknown job: ErrProjectNotAvailable came with", "applied check: ErrPostingInactive came with", "applied check: false came with 200 application/json; charset=iso-8859-1, in 19", "applied check: true came"}},
		"another header": {edit{raw: header(jobsPath, "X-Version", "7")}, nil},
		"a status of a code": {edit{raw: func(p string, resp *http.Response, b []byte) []byte {
			if strings.HasSuffix(p, infoPath) {
				resp.StatusCode = 200
			}
			return b
		}}, []string{"job information: ErrJobInactive came with 200", "job information of an unknown job: ErrJobUnavailable came with 200"}},

		// (c) a member that the interface names
		"a member is gone":          {edit{json: each("results", func(_ int, o object) { delete(o, "title") })}, []string{"search results[].title: it is missing or null in 29 of 29", "search: none of"}},
		"a member is gone from two": {edit{json: infos(2, func(o object) { delete(o, "companyId") })}, []string{"job information companyId: it is missing or null in 2 of 29"}},
		"a member is null in two":   {edit{json: infos(2, func(o object) { o["companyId"] = nil })}, []string{"job information companyId: it is missing or null in 2 of 29"}},
		"a member is null in one":   {edit{json: infos(1, func(o object) { o["companyId"] = nil })}, nil},
		"a counter is gone":         {edit{json: top(func(o object) { delete(o, "itemsPerPage") })}, []string{"search itemsPerPage: it is missing"}},
		"answers of YESNO are gone": {edit{json: each("questions", func(_ int, o object) { delete(o, "answers") })}, []string{"job information questions[] (YESNO).answers: it is missing"}},
		"answers of TEXT are null": {edit{json: each("questions", func(_ int, o object) {
			if o["type"] == "TEXT" {
				o["answers"] = nil
			}
		})}, nil},
		"null for some lists that never were empty": {edit{json: infos(5, func(o object) { o["additionalLocations"] = nil })}, nil},
		"a key is gone from two":                    {edit{json: few("results", 2, func(o object) { delete(configOf(o), "location") })}, []string{"search results[].config.location: it is missing"}},
		"dates are ISO":                             {edit{json: each("results", func(_ int, o object) { o["jobStartDate"] = "2026-01-31T08:30:00.000Z" })}, []string{"search results[].jobStartDate: it is time with milliseconds and Z in 29 of 29, and was milliseconds"}},
		"three dates are seconds":                   {edit{json: few("results", 3, func(o object) { o["jobStartDate"] = 1767225600 })}, []string{"search results[].jobStartDate: it is seconds"}},
		"two dates are seconds":                     {edit{json: few("results", 2, func(o object) { o["jobStartDate"] = 1767225600 })}, []string{}},
		"dates are 0":                               {edit{json: each("results", func(_ int, o object) { o["jobStartDate"] = 0 })}, nil},
		"an identifier is quoted":                   {edit{json: each("results", func(_ int, o object) { o["jobPostingId"] = fmt.Sprint(o["jobPostingId"]) })}, []string{"search results[].jobPostingId: it is number in quotes"}},
		"a zone":                                    {edit{json: infos(all, func(o object) { o["timestamp"] = "2026-03-01T10:00:00+02:00" })}, []string{"job information timestamp: it is time with +02:00"}},
		"titles with markup":                        {edit{json: few("results", 3, func(o object) { o["title"] = "<b>Nurse</b>" })}, []string{"search results[].title: it is markup"}},
		"links are relative":                        {edit{json: each("results", func(_ int, o object) { o["applyOnlineLink"] = "../job/4711/" })}, []string{"search results[].applyOnlineLink: it is relative link"}},
		"numbers for coordinates":                   {edit{json: infos(all, func(o object) { o["location"].(object)["geoLat"] = 52.5 })}, []string{"job information location.geoLat: it is number with a fraction"}},
		"a key of 2.3 is a text":                    {edit{json: each("results", func(_ int, o object) { configOf(o)["location"] = "Ulm" })}, []string{"search results[].config.location: it is text in 29 of 29, and was list"}},
		"another key is a text":                     {edit{json: each("results", func(_ int, o object) { configOf(o)["salaryband"] = "12" })}, nil},
		"a list is an object":                       {edit{json: infos(all, func(o object) { o["additionalLocations"] = object{"a": object{}} })}, []string{"job information additionalLocations: it is object"}},
		"identifiers of nationalities are numbers":  {edit{json: each("nationalities", func(_ int, o object) { o["id"] = 2800137 })}, []string{"job information nationalities[].id: it is number in 58 of 58, and was text"}},
		"an identifier of an application is in an object": {edit{raw: func(path string, resp *http.Response, body []byte) []byte {
			if strings.HasSuffix(path, "/application") && resp.StatusCode == 200 {
				return []byte(`{"id":"` + string(body) + `"}`)
			}
			return body
		}}, []string{"application identifier: ErrDecode"}},
		"an identifier of an application is quoted": {edit{raw: quoted("/application")}, []string{"application identifier (answer): it is text in 10 of 10, and was bare text"}},

		// (d) a member or key that is in none
		"a key is in none": {edit{json: each("results", func(_ int, o object) { delete(configOf(o), "salaryband") })}, []string{"search results[].config.salaryband: it is in none of 29, and was in 29 of 29"}},
		"a key is in some": {edit{json: each("results", func(i int, o object) {
			if i%2 == 0 {
				delete(configOf(o), "salaryband")
			}
		})}, nil},
		"a key is renamed": {edit{json: each("results", func(_ int, o object) {
			configOf(o)["payband"] = configOf(o)["salaryband"]
			delete(configOf(o), "salaryband")
		})}, []string{"search results[].config.salaryband: it is in none"}},
		"a feed without titles": {edit{raw: func(p string, resp *http.Response, b []byte) []byte {
			return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("PositionTitle"), []byte("Heading")), []byte("Title>"), []byte("Heading>"))
		}}, []string{"feed entries[].title: it is in none"}},

		// (f)
		"Deprecation": {edit{raw: header(jobsPath, "Deprecation", "@1767225600")}, []string{"search in a circle: the answers have the header Deprecation", "search of an unknown channel: the", "search with a word: the", "search: the answers have"}},
		"Sunset":      {edit{raw: header(infoPath, "Sunset", "Sat, 31 Jan 2026 08:30:00 GMT")}, []string{"job information of an unknown job: the answers have the header Sunset", "job information: the answers"}},
		"a type of question": {edit{json: each("questions", func(_ int, o object) {
			if o["type"] == "TEXT" {
				o["type"] = "RATING"
			}
		})}, []string{"job information questions[].type: the type of question RATING"}},
		"a remote status": {edit{json: each("results", func(_ int, o object) { configOf(o)["sg_remote_status"] = []any{"HYBRID"} })}, nil},
		"a new member":    {edit{json: each("results", func(_ int, o object) { o["salary"] = object{"from": 1} })}, nil},
		"nothing":         {edit{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, _ := told(t, c.edit, nil)
				wantLines(t, r.Changes, c.want)
				if len(r.Unjudged) > 0 {
					t.Errorf("no judgement: %s", lines(r.Unjudged))
				}
			})
		})
	}
}

// wantLines fails unless each beginning is that of a finding, and each finding has one of the beginnings.
func wantLines(t *testing.T, got []boardcheck.Finding, want []string) {
	t.Helper()
	text := "\n" + lines(got)
	for _, w := range want {
		if !strings.Contains(text, "\n"+w) {
			t.Errorf("not told: %s\ntold:%s", w, text)
		}
	}
next:
	for _, x := range got {
		for _, w := range want {
			if strings.HasPrefix(x.String(), w) {
				continue next
			}
		}
		t.Errorf("told: %s", x)
	}
}

// top changes the page of a search.
func top(f func(o object)) func(string, int, any) any {
	return func(path string, _ int, v any) any {
		if o, ok := v.(object); ok && strings.HasSuffix(path, jobsPath) {
			f(o)
		}
		return v
	}
}

func page(suffix string) func(string, *http.Response, []byte) []byte {
	return func(path string, resp *http.Response, body []byte) []byte {
		if !strings.HasSuffix(path, suffix) || resp.StatusCode != 200 {
			return body
		}
		resp.Header.Set("Content-Type", "text/html")
		return []byte("<!DOCTYPE html><html><title>Sorry</title>")
	}
}

func redirect(suffix, to string) func(string, *http.Response, []byte) []byte {
	return func(path string, resp *http.Response, body []byte) []byte {
		if strings.HasSuffix(path, suffix) {
			resp.StatusCode = http.StatusFound
			resp.Header.Set("Location", to)
		}
		return body
	}
}

func otherFeed(_ string, resp *http.Response, body []byte) []byte {
	if strings.Contains(resp.Header.Get("Content-Type"), "xml") {
		return []byte(`<rss version="2.0"><channel><item><title>Nurse</title></item></channel></rss>`)
	}
	return body
}

func quoted(suffix string) func(string, *http.Response, []byte) []byte {
	return func(path string, resp *http.Response, body []byte) []byte {
		if strings.HasSuffix(path, suffix) && resp.StatusCode == 200 {
			return []byte(`"` + string(body) + `"`)
		}
		return body
	}
}

func oneReplaced(from, to string) func(string, *http.Response, []byte) []byte {
	return func(_ string, _ *http.Response, body []byte) []byte {
		return bytes.Replace(body, []byte(from), []byte(to), 1)
	}
}

func unknownChannel(to int) func(string, *http.Response, []byte) []byte {
	return func(path string, resp *http.Response, body []byte) []byte {
		if strings.Contains(path, "999999983_") {
			resp.StatusCode = to
			return nil
		}
		return body
	}
}

// A board of five: what all five had is told where two lack it, but for keys of config, which come and go. Where all titles are
// alike no word is searched for.
func TestSmallBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithStrict(false), fewCountries())
		srv.AddClient(jobboardtest.ClientApp{ID: "10"})
		srv.AddChannel(jobboardtest.Channel{ID: "27828_extern"})
		for range 5 {
			j := srv.AddJob(jobboardtest.Job{Title: "Nurse"})
			srv.AddPosting(jobboardtest.Posting{
				JobID: j.ID, Channels: []string{"27828_extern"}, Title: "Nurse", Config: map[string][]string{"location": {"12"}, "audience": {"1"}},
			})
		}
		b := boardOf(srv)
		b.Applicant = nil
		known := &boardcheck.Profile{}
		check(t, b).Since(known)
		r := check(t, edited(b, edit{json: few("results", 2, func(o object) {
			delete(configOf(o), "audience")
			delete(o, "applyOnlineLink")
		})}))
		r.Since(known)
		wantLines(t, r.Changes, []string{"search results[].applyOnlineLink: it is missing or null in 2 of 5, and was in all of 5"})
		for _, q := range srv.Requests(jobboardtest.OpSearch) {
			if q.Query.Get("search") != "" {
				t.Errorf("it searches for %s", q.Query.Get("search"))
			}
		}
	})
}

// (e) What a parameter does is told once it does nothing; a feed or a channel, once it yields less than a tenth.
func TestMeaningIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		change func(srv *jobboardtest.Server, b *boardcheck.Board)
		want   []string
	}{
		"the word is not looked at":      {parameterLost("search"), []string{"search with a word: the word does not change the result"}},
		"the circle is not looked at":    {parameterLost("geoLocation"), []string{"search in a circle: the circle does not change the result"}},
		"the language is not looked at":  {languageLost, []string{"search: none of 29 postings differs by language, and 58 of 58 did"}},
		"the channel is empty":           {unpublished(30), []string{"channel 1: it has 0 entries, and had 29", "feed: it has 0 entries"}},
		"the channel has a tenth":        {unpublished(28), []string{"channel 1: it has 2 entries, and had 29", "feed: it has 2"}},
		"the channel has less than half": {unpublished(20), nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, _ := told(t, edit{}, c.change)
				wantLines(t, r.Changes, c.want)
				if name == "the channel has less than half" && !strings.Contains(lines(r.Notes), "channel 1: it has 10 entries, and had 29") {
					t.Errorf("notes: %s", lines(r.Notes))
				}
			})
		})
	}
}

func parameterLost(name string) func(*jobboardtest.Server, *boardcheck.Board) {
	return func(_ *jobboardtest.Server, b *boardcheck.Board) {
		next := b.Config.HTTPClient.Transport
		*b = through(*b, transport(func(r *http.Request) (*http.Response, error) {
			there := r.Clone(r.Context())
			q := there.URL.Query()
			q.Del(name)
			there.URL.RawQuery = q.Encode()
			return next.RoundTrip(there)
		}))
	}
}

func languageLost(_ *jobboardtest.Server, b *boardcheck.Board) {
	next := b.Config.HTTPClient.Transport
	*b = through(*b, transport(func(r *http.Request) (*http.Response, error) {
		there := r.Clone(r.Context())
		there.Header.Del("Accept-Language")
		return next.RoundTrip(there)
	}))
}

func unpublished(n int) func(*jobboardtest.Server, *boardcheck.Board) {
	return func(srv *jobboardtest.Server, _ *boardcheck.Board) {
		for i, p := range srv.Snapshot().Postings {
			if i < n {
				srv.RemovePosting(p.ID)
			}
		}
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// What is new and harmless is noted.
func TestNotes(t *testing.T) {
	for name, c := range map[string]struct {
		change func(srv *jobboardtest.Server, b *boardcheck.Board)
		edit   edit
		want   string
	}{
		"the first unavailable job": {func(srv *jobboardtest.Server, _ *boardcheck.Board) {
			srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Status: 404, Body: `{"errorCode":"ERROR_POSTING_UNAVAILABLE"}`, Times: 1})
		}, edit{}, "job information: ErrPostingUnavailable, in 1 of 30 calls, was never seen"},
		"a member": {nil, edit{json: each("results", func(_ int, o object) { o["salary"] = object{"from": 1} })}, "search results[].salary: the member was never seen, and is in 29 of 29"},
		"a key":    {nil, edit{json: each("results", func(_ int, o object) { configOf(o)["shift"] = []any{"x"} })}, "search results[].config.shift: the member was never seen"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, _ := told(t, c.edit, c.change)
				if len(r.Changes) > 0 || len(r.Unjudged) > 0 {
					t.Errorf("told: %s%s", lines(r.Changes), lines(r.Unjudged))
				}
				if got := lines(r.Notes); !strings.Contains(got, c.want) {
					t.Errorf("notes: %s, want %s", got, c.want)
				}
			})
		})
	}
}
