package jobsite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// copied is a site over an empty mirror of a mock server.
type copied struct {
	t      *testing.T
	fake   *jobboardtest.Server
	mirror *jobmirror.Mirror
	file   string
	site   *jobsite.Site
	mux    *http.ServeMux
	page   *jobsite.JobPage // the last that was shown
}

func newCopied(t *testing.T, changes ...func(*jobmirror.Options)) *copied {
	t.Helper()
	c := &copied{t: t, fake: jobboardtest.New(t, jobboardtest.WithDemo()), file: filepath.Join(t.TempDir(), "jobs.db"), mux: http.NewServeMux()}
	options := jobmirror.Options{
		Config: jobboard.Config{
			BaseURL: c.fake.BaseURL, JobDBURL: c.fake.JobDBURL, ClientID: c.fake.Demo.ClientID,
			Retry: jobboard.RetryPolicy{MaxAttempts: 1},
		},
		Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(c.fake.Demo.Channel), Languages: []string{"de", "en"}}},
		Feeds:    []jobmirror.Feed{{Address: c.fake.FeedURL}}, Limit: -1,
	}
	for _, change := range changes {
		change(&options)
	}
	var err error
	if c.mirror, err = jobmirror.Open(t.Context(), c.file, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.mirror.Close() })
	c.site, err = jobsite.New(c.mirror, jobsite.Config{URL: "https://jobs.example", Languages: []string{"de", "en"}})
	if err != nil {
		t.Fatal(err)
	}
	c.mux.HandleFunc("GET /job/{job}/{words...}", c.site.Handle(func(w http.ResponseWriter, r *http.Request) (err error) {
		if c.page, err = c.site.Job(r); err == nil {
			fmt.Fprintln(w, c.page.Title)
		}
		return err
	}))
	return c
}

// copy fills the mirror as far as the mock server lets it.
func (c *copied) copy() { _ = c.mirror.Refresh(c.t.Context()) }

func (c *copied) get(path string, header ...string) *httptest.ResponseRecorder {
	c.page = nil
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	c.mux.ServeHTTP(w, r)
	return w
}

// The status of a job's page, in each state of the job, the board and the copy.
func TestJobStatuses(t *testing.T) {
	demo := func(of func(jobboardtest.DemoInfo) int64) func(*copied) int64 {
		return func(c *copied) int64 { c.copy(); return of(c.fake.Demo) }
	}
	open := func(d jobboardtest.DemoInfo) int64 { return d.OpenJob }
	// then copies the demo before something happens.
	then := func(happens func(*copied)) func(*copied) int64 {
		return func(c *copied) int64 { c.copy(); happens(c); return c.fake.Demo.OpenJob }
	}
	posted := func(days int, job jobboardtest.Job) func(*copied) int64 {
		return func(c *copied) int64 {
			j, p := c.fake.Publish(c.fake.Demo.Channel, job)
			c.fake.RemovePosting(p.ID)
			p.VersionStart, p.VersionEnd = c.fake.Now().AddDate(0, 0, -30), c.fake.Now().AddDate(0, 0, days)
			c.fake.AddPosting(p)
			c.copy()
			return j.ID
		}
	}
	alone := func(job jobboardtest.Job) func(*copied) int64 { // without a posting in the channel
		return func(c *copied) int64 {
			j, p := c.fake.Publish(c.fake.Demo.Channel, job)
			c.fake.RemovePosting(p.ID)
			p.Channels = []string{c.fake.AddChannel(jobboardtest.Channel{ID: "other"}).ID}
			c.fake.AddPosting(p)
			c.copy()
			return j.ID
		}
	}
	fault := func(f jobboardtest.Fault) func(*copied) {
		f.Optional = true // the page asks the copy
		return func(c *copied) { c.fake.Fail(f) }
	}
	down, slow := jobboardtest.Fault{Status: 503}, jobboardtest.Fault{Delay: time.Hour}
	unfound := jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Status: 404, Body: `{"errorCode":"ERROR_POSTING_UNAVAILABLE"}`}
	for name, test := range map[string]struct {
		job    func(*copied) int64
		status int
	}{
		"open":                         {demo(open), 200},
		"closed to applications":       {demo(func(d jobboardtest.DemoInfo) int64 { return d.ClosedJob }), 410},
		"inactive":                     {demo(func(d jobboardtest.DemoInfo) int64 { return d.InactiveJob }), 410},
		"not found, without a posting": {demo(func(d jobboardtest.DemoInfo) int64 { return d.UnpublishedJob }), 404},
		"deleted":                      {demo(func(d jobboardtest.DemoInfo) int64 { return d.DeletedJob }), 404},
		"unknown":                      {demo(func(d jobboardtest.DemoInfo) int64 { return d.UnknownJob }), 404},
		"internal":                     {demo(func(d jobboardtest.DemoInfo) int64 { return d.InternalJob }), 404},
		"no number":                    {demo(func(jobboardtest.DemoInfo) int64 { return -1 }), 404},
		"its last day to come":         {posted(30, jobboardtest.Job{Title: "A"}), 200},
		"its last day over":            {posted(-1, jobboardtest.Job{Title: "A"}), 410},
		"open, without a posting":      {alone(jobboardtest.Job{Title: "A"}), 404},
		"closed, without a posting":    {alone(jobboardtest.Job{Title: "A", ApplyClosed: true}), 410},
		"inactive, without a posting":  {alone(jobboardtest.Job{Title: "A", Status: jobboardtest.Inactive}), 410},
		"board down":                   {then(fault(down)), 200},
		"board slow":                   {then(fault(slow)), 200},
		"board busy":                   {then(fault(jobboardtest.Fault{Status: 429})), 200},
		"nothing copied":               {func(c *copied) int64 { return c.fake.Demo.OpenJob }, 503},
		"nothing copied, board down":   {func(c *copied) int64 { c.fake.Fail(down); c.copy(); return c.fake.Demo.OpenJob }, 503},
		"nothing copied, closed job":   {func(c *copied) int64 { return c.fake.Demo.ClosedJob }, 503},
		"nothing copied, unknown job":  {func(c *copied) int64 { return c.fake.Demo.UnknownJob }, 503},
		"never looked up": {func(c *copied) int64 {
			lookups := down
			lookups.Operation = jobboardtest.OpJobInformation
			c.fake.Fail(lookups)
			c.copy()
			return c.fake.Demo.OpenJob
		}, 503},
		"its posting not found, which a channel shows": {func(c *copied) int64 {
			c.fake.Fail(unfound)
			c.copy()
			return c.fake.Demo.OpenJob
		}, 503},
		"its posting not found, which was known": {then(func(c *copied) {
			c.fake.Fail(unfound)
			c.exec("UPDATE jobs SET next_due = 1")
			c.copy()
		}), 200},
		"its posting not found, and no channel shows it any more": {func(c *copied) int64 {
			c.fake.Fail(unfound)
			c.copy()
			c.fake.UnpublishJob(c.fake.Demo.OpenJob)
			c.copy()
			return c.fake.Demo.OpenJob
		}, 404},
		"forgotten": {func(c *copied) int64 {
			c.copy()
			c.exec("INSERT INTO forgotten (kind, id, at) VALUES ('job', ?, 1)", c.fake.Demo.UnknownJob)
			return c.fake.Demo.UnknownJob
		}, 404},
		"forgotten, and a channel is to be copied": {func(c *copied) int64 {
			c.copy()
			c.exec("INSERT INTO forgotten (kind, id, at) VALUES ('job', ?, 1)", c.fake.Demo.UnknownJob)
			c.exec("UPDATE sources SET complete = 0 WHERE language = 'en'")
			return c.fake.Demo.UnknownJob
		}, 503},
		"looked up too long ago":              {then((*copied).age), 503},
		"looked up too long ago, unknown job": {func(c *copied) int64 { c.copy(); c.age(); return c.fake.Demo.UnknownJob }, 404},
		"closed, and looked up too long ago":  {func(c *copied) int64 { c.copy(); c.age(); return c.fake.Demo.ClosedJob }, 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCopied(t)
			job := test.job(c)
			asked := c.fake.Count()
			w := c.get(fmt.Sprintf("/job/%d/words", job))
			if w.Code != test.status {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if waits := w.Header().Get("Retry-After") == "60"; waits != (test.status == 503) {
				t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
			}
			if (c.page != nil) != (test.status == 200) {
				t.Errorf("the page is %+v", c.page)
			}
			if n := c.fake.Count(); n != asked {
				t.Errorf("%d requests to the board", n-asked)
			}
		})
	}
}

// A mirror may give answers for longer than other sites may publish them. The page of an
// old job has the same status as the page of a new one, and only lacks the structured
// data.
func TestOldAnswers(t *testing.T) {
	c := newCopied(t, func(o *jobmirror.Options) { o.MaxAge = 7 * 24 * time.Hour })
	publish := func(change func(*jobboardtest.Posting)) int64 {
		job, posting := c.fake.Publish(c.fake.Demo.Channel, jobboardtest.Job{Title: "A"})
		c.fake.RemovePosting(posting.ID)
		posting.VersionStart = c.fake.Now().AddDate(0, 0, -30)
		change(&posting)
		c.fake.AddPosting(posting)
		return job.ID
	}
	other := c.fake.AddChannel(jobboardtest.Channel{ID: "other"}).ID
	jobs := map[int64]int{
		publish(func(*jobboardtest.Posting) {}):                                                   200,
		publish(func(p *jobboardtest.Posting) { p.Channels = []string{other} }):                   404, // no posting of it is copied
		publish(func(p *jobboardtest.Posting) { p.VersionEnd = c.fake.Now().AddDate(0, 0, -1) }):  410,
		publish(func(p *jobboardtest.Posting) { p.VersionStart = c.fake.Now().AddDate(0, 0, 3) }): 404,
		publish(func(p *jobboardtest.Posting) {
			p.Config = map[string][]string{jobboard.KeyVisibility: {"hidden"}}
		}): 404,
		c.fake.Demo.ClosedJob:   410,
		c.fake.Demo.InternalJob: 404,
	}
	c.copy()
	c.answered(time.Now().Add(-3 * 24 * time.Hour))
	for job, status := range jobs {
		if w := c.get(fmt.Sprintf("/job/%d/words", job)); w.Code != status || status == 200 && c.page.Data != nil {
			t.Errorf("%d: %d %s, not %d; %+v", job, w.Code, w.Body, status, c.page)
		}
	}
}

// Whatever the mirror cannot read is an error of the page, of the search and of the feed,
// and nobody gets what is made of the rest.
func TestFailuresOfTheMirror(t *testing.T) {
	for name, test := range map[string]struct {
		happens            func(*copied)
		page, search, feed bool // what fails
	}{
		"nothing":       {func(*copied) {}, false, false, false},
		"nationalities": {func(c *copied) { c.exec("UPDATE catalogues SET entries = '['") }, true, false, false},
		"postings":      {func(c *copied) { c.exec("UPDATE postings SET ads = 'x'") }, true, true, true},
		"all":           {func(c *copied) { _ = c.mirror.Close() }, true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCopied(t)
			c.copy()
			test.happens(c)
			w := c.get(fmt.Sprintf("/job/%d/words", c.fake.Demo.OpenJob))
			if failed := w.Code >= 500 && c.page == nil; failed != test.page || !failed && w.Code != 200 {
				t.Errorf("the page: %d %s", w.Code, w.Body)
			}
			found, err := c.site.Search(httptest.NewRequest("GET", "/", nil))
			if (err != nil) != test.search || (found == nil) != test.search {
				t.Errorf("the search: %+v, %v", found, err)
			}
			err = nil
			for _, err = range c.site.Jobs(t.Context()) {
				if err != nil {
					break
				}
			}
			if (err != nil) != test.feed {
				t.Errorf("the feed: %v", err)
			}
		})
	}
}

// A job's page has what the board asks whoever applies, each question once and as text alone.
func TestAsked(t *testing.T) {
	c := newCopied(t)
	demo, _ := c.fake.Job(c.fake.Demo.OpenJob)
	job, _ := c.fake.Publish(c.fake.Demo.Channel, jobboardtest.Job{
		Title: "Nurse", Language: "en", CompanyID: demo.CompanyID,
		Questions: []jobboardtest.Question{
			{ID: "1", Type: "TEXT", Label: "Why\u202e\n <b>you</b>?"},
			{ID: "2", Type: "NEW", Label: "When?"},
			{ID: "3", Type: "TEXT", Label: "When?"},
			{ID: "4", Type: "TEXT", Label: " \x1b "},
		},
	})
	c.copy()
	if w := c.get(fmt.Sprintf("/job/%d/x", job.ID)); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if got := strings.Join(c.page.Asked, "|"); got != "Why <b>you</b>?|When?" {
		t.Errorf("asked is %q", got)
	}
}

// The page says when the board was last asked in vain, where neither the last refresh nor the last lookup was
// answered; one answer is enough for silence about it.
func TestBoardDoesNotAnswer(t *testing.T) {
	c := newCopied(t)
	c.copy()
	page := fmt.Sprintf("/job/%d/x", c.fake.Demo.OpenJob)
	silent := func(what string, want bool) {
		t.Helper()
		if w := c.get(page); w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", what, w.Code, w.Body)
		}
		if at := c.page.NoAnswer; at.IsZero() == want || want && time.Since(at).Abs() > time.Minute {
			t.Errorf("%s: asked in vain at %v", what, at)
		}
	}
	silent("all answered", false)
	due := func() { c.exec("UPDATE jobs SET next_due = 1"); c.exec("UPDATE sources SET next_due = 1") }
	lookups := c.fake.Fail(jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Status: 503})
	due()
	c.copy()
	silent("lookups alone fail", false)
	lookups.Lift()
	due()
	c.copy()
	searches := c.fake.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Status: 503})
	due()
	c.copy()
	silent("refreshes alone fail", false)
	searches.Lift()
	c.fake.Fail(jobboardtest.Fault{Status: 503})
	due()
	c.copy()
	silent("nothing is answered", true)
	c.fake.LiftFaults()
	due()
	c.copy()
	silent("the board is back", false)
}

// The sentence names the minute, and there is none where the board answers.
func TestUnanswered(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 5, 0, 0, time.Local)
	for _, texts := range []jobsite.Texts{jobsite.English(), jobsite.German()} {
		if got := texts.Unanswered(at); !strings.Contains(got, " 09:05") || strings.Contains(got, "{") || texts.Unanswered(time.Time{}) != "" {
			t.Errorf("%q, and %q for no time", got, texts.Unanswered(time.Time{}))
		}
	}
}

// age makes every answer of the lookup one of long ago.
func (c *copied) age() { c.answered(time.UnixMilli(1)) }

// answered makes every answer of the lookup one of a time.
func (c *copied) answered(at time.Time) { c.exec("UPDATE jobs SET looked_up = ?", at.UnixMilli()) }

// exec changes the database of the mirror.
func (c *copied) exec(statement string, args ...any) {
	c.t.Helper()
	db, err := sql.Open("sqlite", c.file)
	if err == nil {
		_, err = db.ExecContext(c.t.Context(), statement, args...)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func TestJobPage(t *testing.T) {
	c := newCopied(t)
	demo, _ := c.fake.Job(c.fake.Demo.OpenJob)
	job, posting := c.fake.Publish(c.fake.Demo.Channel, jobboardtest.Job{
		Title: "Ärztin (m/w/d) für Köln – 100 %", Language: "de", CompanyID: demo.CompanyID, PrivacyURL: "https://firma.example/privacy",
		Location: jobboardtest.Location{City: "Köln", Country: "Deutschland"},
	})
	c.fake.RemovePosting(posting.ID)
	posting.VersionStart = c.fake.Now().AddDate(0, 0, -1)
	posting.Config = map[string][]string{jobboard.KeyAdText: {"<h1>We</h1><script>x</script>"}}
	c.fake.AddPosting(posting)
	c.copy()
	if w := c.get(fmt.Sprintf("/job/%d", job.ID)); w.Code/100 != 3 || w.Header().Get("Location") != fmt.Sprintf("/job/%d/", job.ID) {
		t.Errorf("without words: %d to %q", w.Code, w.Header().Get("Location"))
	}
	c.get(fmt.Sprintf("/job/%d/other-words", job.ID))
	p := c.page
	want := fmt.Sprintf("https://jobs.example/job/%d/aerztin-m-w-d-fuer-koeln-100", job.ID)
	if p == nil || p.URL != want || p.Title != job.Title || p.Language != "de" || p.Advertisement != "<h2>We</h2>" ||
		p.Information == nil || p.Posting == nil || p.PrivacyURL != job.PrivacyURL || p.ApplyURL != c.fake.BaseURL+posting.ApplyURL || p.Data["url"] != want {
		t.Errorf("%+v", p)
	}
	// The site's language decides about the address, the reader's about the rest.
	var seen, both int
	for all, err := range c.mirror.Jobs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		titles := map[string]string{}
		for _, posting := range all.Postings {
			titles[posting.Language] = posting.Posting.Title
		}
		path := fmt.Sprintf("/job/%d/x", all.Job.JobRecord.Job)
		if c.get(path, "Accept-Language", "en-GB,de;q=0.5"); c.page == nil || titles["en"] == "" {
			continue
		}
		seen++
		if c.page.Title != titles["en"] || titles["de"] != titles["en"] && c.page.Language != "en" || titles["de"] == titles["en"] && c.page.Language != c.page.Information.JobLanguage {
			t.Errorf("%s is %q in %s, not %q", path, c.page.Title, c.page.Language, titles["en"])
		}
		if own := "https://jobs.example" + c.site.Path(all.Job.JobRecord.Job, titles["de"]); titles["de"] != "" && c.page.URL != own {
			t.Errorf("%s is at %s, not %s", path, c.page.URL, own)
		}
		if titles["de"] != titles["en"] {
			both++
		}
	}
	if seen < 20 || both == 0 {
		t.Errorf("%d jobs, %d of them with another title in English", seen, both)
	}
}

// A job's page says when the copy saw the job first, unless its first refresh brought it, and that it is new.
func TestFirstSightOfAJob(t *testing.T) {
	c := newCopied(t)
	c.copy()
	if c.get(fmt.Sprintf("/job/%d/x", c.fake.Demo.OpenJob)); c.page == nil || !c.page.FirstSeen.IsZero() || c.page.New {
		t.Fatalf("a job of the first refresh: %+v", c.page)
	}
	job, _ := c.fake.Publish(c.fake.Demo.Channel, jobboardtest.Job{Title: "Gardener", Language: "de"})
	before := time.Now().Add(-time.Second)
	c.copy()
	c.get(fmt.Sprintf("/job/%d/x", job.ID))
	if p := c.page; p == nil || p.FirstSeen.Before(before) || p.Age > time.Minute || p.ShownAgain != 0 || !p.New {
		t.Errorf("a job of the second refresh: %+v", p)
	}
}

// A job's page and its place in the feeds are of the posting that the list shows, beside one that a
// visitor should not see.
func TestPageOfTheVisiblePosting(t *testing.T) {
	c := newCopied(t)
	job, hidden := c.fake.Publish(c.fake.Demo.Channel, jobboardtest.Job{Title: "Gardener", Language: "de"})
	for _, visibility := range []string{"internal", "visible", "internal"} {
		c.fake.AddPosting(jobboardtest.Posting{
			JobID: job.ID, Title: visibility + " gardener", Language: "de", Channels: []string{c.fake.Demo.Channel},
			Config: map[string][]string{jobboard.KeyVisibility: {visibility}, jobboard.KeyAdText: {"<p>Roses"}},
		})
	}
	c.fake.RemovePosting(hidden.ID)
	c.copy()
	found, err := c.site.Search(httptest.NewRequest("GET", "/?text=gardener", nil))
	if err != nil || len(found.Cards) != 1 || found.Page.Facets.Total != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if w := c.get(found.Cards[0].Path); w.Code != 200 || c.page.Title != found.Cards[0].Title || c.page.Title != "visible gardener" {
		t.Errorf("the page is %d, %+v", w.Code, c.page)
	}
	for published, err := range c.site.Jobs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if published.ID() == jobboard.JobID(job.ID) && published.Posting.Title != "visible gardener" {
			t.Errorf("%q is published", published.Posting.Title)
		}
	}
}

func TestJobsOfSite(t *testing.T) {
	c := newCopied(t)
	if card := c.site.Card(&jobmirror.Posting{}); card.Path != "" {
		t.Errorf("a posting whose job is not known leads to %s", card.Path)
	}
	for _, err := range c.site.Jobs(t.Context()) {
		if !errors.Is(err, jobmirror.ErrIncomplete) {
			t.Errorf("before the first copy: %v", err)
		}
	}
	publish := func() (status int, body string) {
		t.Helper()
		published, err := jobpublish.NewFeeds(jobpublish.Config{URL: "https://jobs.example/", Title: "Jobs", Jobs: c.site.Jobs})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		published.RSS("/jobs.rss").ServeHTTP(w, httptest.NewRequest("GET", "/jobs.rss", nil))
		return w.Code, w.Body.String()
	}
	if status, _ := publish(); status != 503 {
		t.Errorf("before the first copy: %d", status)
	}
	c.copy()
	status, body := publish()
	amended, err := jobsite.New(c.mirror, jobsite.Config{
		URL: "https://jobs.example", Languages: []string{"de"}, EditJob: func(j *jobpublish.Job) { j.DirectApply = true },
	})
	if err != nil {
		t.Fatal(err)
	}
	languages := map[string]bool{}
	for job, err := range amended.Jobs(t.Context()) {
		if err != nil || !job.DirectApply {
			t.Errorf("what the site knows of job %d is not added: %v", job.ID(), err)
		}
		languages[job.Language] = true
	}
	if !languages["de"] || !languages["en"] {
		t.Errorf("the languages of the jobs: %v", languages)
	}
	if status != 200 || !strings.Contains(body, fmt.Sprintf("https://jobs.example/job/%d/", c.fake.Demo.OpenJob)) {
		t.Errorf("%d %.300s", status, body)
	}
	for _, job := range []int64{c.fake.Demo.ClosedJob, c.fake.Demo.InactiveJob, c.fake.Demo.InternalJob, c.fake.Demo.UnpublishedJob} {
		if strings.Contains(body, fmt.Sprintf("/job/%d/", job)) {
			t.Errorf("job %d is published", job)
		}
	}
	// Each address in it has a page with the same data.
	n := 0
	for job, err := range c.site.Jobs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if job.Check(time.Now()) != nil {
			continue
		}
		n++
		w := c.get(strings.TrimPrefix(job.URL, "https://jobs.example"))
		if w.Code != 200 || c.page.URL != job.URL {
			t.Errorf("%s: %d", job.URL, w.Code)
		}
	}
	if items := strings.Count(body, "<item>"); n < 20 || items != n {
		t.Errorf("%d jobs, and %d in the feed", n, items)
	}
}

func TestAddressWords(t *testing.T) {
	c := newCopied(t)
	for title, want := range map[string]string{
		"Pflegefachkraft (m/w/d)":               "/job/7/pflegefachkraft-m-w-d",
		"Ärztin, Straße & Übergröße":            "/job/7/aerztin-strasse-uebergroesse",
		"A\u0308rztin à São Paulo":              "/job/7/aerztin-a-sao-paulo",
		"  -- ":                                 "/job/7/job",
		"":                                      "/job/7/job",
		"../../x?a=b#c%2F":                      "/job/7/x-a-b-c-2f",
		"看護師":                                   "/job/7/%E7%9C%8B%E8%AD%B7%E5%B8%AB",
		"한국어":                                   "/job/7/%ED%95%9C%EA%B5%AD%EC%96%B4",
		"नर्स":                                  "/job/7/%E0%A4%A8%E0%A4%B0%E0%A5%8D%E0%A4%B8",
		"\xff\x00a\u202eb":                      "/job/7/a-b",
		strings.Repeat("word ", 40):             "/job/7/" + strings.TrimSuffix(strings.Repeat("word-", 12), "-") + "-word",
		strings.Repeat("x", 4000):               "/job/7/" + strings.Repeat("x", 121),
		strings.Repeat("x", 59) + " word again": "/job/7/" + strings.Repeat("x", 59) + "-word",
		strings.Repeat("x", 60) + " word":       "/job/7/" + strings.Repeat("x", 60),
	} {
		if got := c.site.Path(7, title); got != want {
			t.Errorf("%q is at %s, not %s", title, got, want)
		}
	}
}

// Which language a reader gets, and that it is kept.
func TestLanguage(t *testing.T) {
	c := newCopied(t)
	for _, test := range []struct{ query, cookie, accept, want string }{
		{"", "", "", "de"},
		{"", "", "en-US,en;q=0.9", "en"},
		{"", "", "fr, en;q=0.3", "en"},
		{"", "", "fr", "de"},
		{"", "", ";;;\xff", "de"},
		{"", "en", "de", "en"},
		{"de", "en", "en", "de"},
		{"fr", "en", "de", "en"},
		{"x\xff", "", "en", "en"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		q := r.URL.Query()
		q.Set("lang", test.query)
		r.URL.RawQuery = q.Encode()
		r.Header.Set("Accept-Language", test.accept)
		r.AddCookie(&http.Cookie{Name: "lang", Value: test.cookie})
		if got := c.site.Language(r); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
		if texts := c.site.Texts(r); texts.Language != test.want {
			t.Errorf("%+v: texts in %s", test, texts.Language)
		}
	}
	w := c.get("/job/1/x?lang=en")
	if got := w.Header().Get("Set-Cookie"); !strings.HasPrefix(got, "lang=en; Path=/;") || !strings.Contains(got, "; Max-Age=31536000; HttpOnly; Secure; SameSite=Lax") {
		t.Errorf("the cookie is %q", got)
	}
	if !strings.Contains(w.Body.String(), jobsite.English().Status(503)) {
		t.Errorf("the page says %q", w.Body)
	}
	if w := c.get("/job/1/x"); w.Header().Get("Set-Cookie") != "" || !strings.Contains(w.Body.String(), jobsite.German().Status(503)) {
		t.Errorf("%q, %s", w.Header().Get("Set-Cookie"), w.Body)
	}
}

// Only failures that are not the visitor's fault are logged.
func TestFailuresAreLogged(t *testing.T) {
	c := newCopied(t)
	for err, level := range map[error]string{
		jobmirror.ErrIncomplete: "WARN", jobmirror.ErrStale: "WARN", &jobpublish.RefusedError{Reason: jobpublish.ReasonUnknown}: "WARN",
		jobboard.ErrTimeout: "ERROR", errors.New("any other"): "ERROR",
		jobboard.ErrNotFound: "", &jobpublish.RefusedError{Reason: jobpublish.ReasonClosed}: "", nil: "",
	} {
		var log bytes.Buffer
		site, newErr := jobsite.New(c.mirror, jobsite.Config{
			URL: "https://jobs.example", Languages: []string{"de"}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if newErr != nil {
			t.Fatal(newErr)
		}
		page := site.Handle(func(http.ResponseWriter, *http.Request) error { return err })
		page(httptest.NewRecorder(), httptest.NewRequest("GET", "/a/page", nil))
		logged := level != ""
		if got := log.String(); strings.Contains(got, "level="+level) != logged || strings.Contains(got, "/a/page") != logged ||
			strings.Contains(got, fmt.Sprint(err)) != logged {
			t.Errorf("%v: the log says %q", err, got)
		}
	}
}

// Every text that a visitor may get is there.
func TestStatusTexts(t *testing.T) {
	for _, texts := range []jobsite.Texts{jobsite.English(), jobsite.German()} {
		for status, want := range map[int]string{
			400: texts.Other, 403: texts.Other, 404: texts.Statuses[404], 410: texts.Statuses[410],
			429: texts.Statuses[429], 500: texts.Statuses[500], 502: texts.Statuses[500], 503: texts.Statuses[503],
		} {
			if got := texts.Status(status); got != want || want == "" {
				t.Errorf("%s %d: %q", texts.Language, status, got)
			}
		}
	}
	for _, reason := range []jobsite.ListReason{jobsite.UnknownTown, jobsite.NoRadius, jobsite.NoOrder, jobsite.TextTooLong} {
		for _, texts := range []jobsite.Texts{jobsite.English(), jobsite.German()} {
			got := texts.ListProblem(jobsite.ListProblem{Reason: reason, Value: "Atlantis"})
			if got == texts.Other || strings.Contains(got, "{") || strings.Contains(got, "Atlantis") != (reason != jobsite.TextTooLong) {
				t.Errorf("%s %s: %q", texts.Language, reason, got)
			}
		}
	}
	if got := (jobsite.Texts{Other: "x"}).Status(502); got != "x" {
		t.Errorf("a text of a site's own: %q", got)
	}
}

func TestSearchOfSite(t *testing.T) {
	c := newCopied(t)
	search := func(query string, header ...string) (*jobsite.Results, error) {
		r := httptest.NewRequest("GET", "/?"+query, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return c.site.Search(r)
	}
	if _, err := search(""); !errors.Is(err, jobmirror.ErrIncomplete) {
		t.Errorf("before the first copy: %v", err)
	}
	c.copy()
	found, err := search("near=Berlin&radius=50")
	if err != nil || len(found.Cards) == 0 || len(found.Cards) != len(found.Page.Postings) {
		t.Fatalf("%+v, %v", found, err)
	}
	for i, card := range found.Cards {
		p := found.Page.Postings[i]
		nearest, _ := p.Nearest()
		if card.Place != nearest.GeoCity || !strings.HasSuffix(card.Distance, " km") || card.Excerpt == "" || card.Path != c.site.Path(p.Job, card.Title) {
			t.Errorf("%+v", card)
		}
	}
	if all, _ := search(""); all.Cards[0].Distance != "" || all.Cards[0].Place == "" {
		t.Errorf("%+v", all.Cards[0])
	}
	english, _ := search("", "Accept-Language", "en")
	languages := map[string]int{}
	for i, card := range english.Cards {
		if p := english.Page.Postings[i]; p.Language != "en" || card.Language != p.TextLanguage {
			t.Errorf("%+v in %s", card, p.TextLanguage)
		}
		languages[card.Language]++
	}
	if languages["de"] == 0 || languages["en"] == 0 { // some have no English text
		t.Errorf("the languages of the cards: %v", languages)
	}
	old, err := search("after=bookmark&near=Atlantis")
	if err != nil || len(old.Cards) == 0 || old.List.After != "" || len(old.Problems) != 1 {
		t.Errorf("%+v, %v", old, err)
	}
	// An address is read as a browser reads it, and no part of it is lost.
	for query, want := range map[string]jobsite.List{
		"text=a;b&lang=de": {Text: "a;b", Language: "de"}, "lang=de;text=a": {Language: "de;text=a"},
		"text=100%&near=K%C3%B6ln+": {Text: "100%", Near: "Köln"}, "text=a%zz%20b": {Text: "a%zz b"}, "&text=%3B&": {Text: ";"},
		"text=caf%C3%A9+100%": {Text: "café 100%"}, "text=1%+2%2": {Text: "1% 2%2"}, "text=%25%+%2b": {Text: "%% +"},
	} {
		if read, err := search(query); err != nil || !reflect.DeepEqual(read.List, want) {
			t.Errorf("%s is read as %+v, %v", query, read, err)
		}
	}
	words, _ := search("text=Patienten")
	if len(words.Cards) == 0 {
		t.Fatal("no card")
	}
	var text, marked strings.Builder
	for _, piece := range words.Cards[0].Pieces() {
		text.WriteString(piece.Text)
		if piece.Found {
			marked.WriteString(piece.Text + " ")
		}
	}
	if text.String() != words.Cards[0].Excerpt || !strings.HasPrefix(strings.ToLower(marked.String()), "patient") {
		t.Errorf("%q is marked in %q, whose pieces make %q", marked.String(), words.Cards[0].Excerpt, text.String())
	}
}

// An excerpt that a page has shortened keeps the marks that are whole in it.
func TestPiecesOfShortenedExcerpt(t *testing.T) {
	const excerpt = "a nurse and a cook"
	card := jobsite.Card{Marks: []jobmirror.Mark{{Begin: 2, End: 7}, {Begin: 14, End: 18}}}
	for length, want := range map[int]string{18: "a [nurse] and a [cook]", 16: "a [nurse] and a co", 7: "a [nurse]", 5: "a nur", 0: ""} {
		card.Excerpt = excerpt[:length]
		got := ""
		for _, piece := range card.Pieces() {
			if piece.Found {
				piece.Text = "[" + piece.Text + "]"
			}
			got += piece.Text
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Marks at the beginning and side by side are all shown, and none from the first on that
// lies within another.
func TestPiecesSideBySide(t *testing.T) {
	mark := func(begin, end int) jobmirror.Mark { return jobmirror.Mark{Begin: begin, End: end} }
	for _, test := range []struct {
		marks []jobmirror.Mark
		want  string
	}{
		{[]jobmirror.Mark{mark(0, 3), mark(3, 5), mark(5, 6)}, "|[nig]|[ht]|[s]"},
		{[]jobmirror.Mark{mark(1, 3), mark(2, 4), mark(4, 5)}, "n[ig]hts"},
		{[]jobmirror.Mark{mark(1, 3), mark(5, 4), mark(4, 5)}, "n[ig]hts"},
		{[]jobmirror.Mark{mark(5, 7), mark(0, 1)}, "nights"},
	} {
		var got []string
		for _, piece := range (jobsite.Card{Excerpt: "nights", Marks: test.marks}).Pieces() {
			if piece.Found {
				piece.Text = "[" + piece.Text + "]"
			}
			got = append(got, piece.Text)
		}
		if text := strings.Join(got, ""); text != strings.ReplaceAll(test.want, "|", "") {
			t.Errorf("%v: %q, want %q", test.marks, got, test.want)
		}
	}
}

// What a card says of a posting that has everything.
func TestCard(t *testing.T) {
	c := newCopied(t)
	ad := strings.Repeat("word ", 40) + "x" // the 40 words and an ellipsis have 200 characters, the whole has 201
	for status, remote := range map[string]bool{"FULLY_REMOTE": true, "HYBRID": false, "": false} {
		card := c.site.Card(&jobmirror.Posting{Posting: jobboard.JobPosting{Title: "Nurse", Config: jobboard.NewPostingConfig(map[string][]string{
			jobboard.KeyAdText: {ad}, jobboard.KeyCompanyName: {"Lindenhof"}, jobboard.KeyRemoteStatus: {status},
		})}})
		if card.Title != "Nurse" || card.Company != "Lindenhof" || card.Remote != remote || card.Excerpt != jobpublish.Excerpt(ad, 200) {
			t.Errorf("%q: %+v", status, card)
		}
	}
	for _, limit := range []int{199, 201} {
		if jobpublish.Excerpt(ad, limit) == jobpublish.Excerpt(ad, 200) {
			t.Errorf("the advertisement does not tell 200 from %d", limit)
		}
	}
}

// Characters that could turn or hide the words around them, and texts too long for a page, are
// not shown: on the page of a job, on its card and among the places.
func TestShowsNoForeignControls(t *testing.T) {
	c := newCopied(t)
	company := c.fake.AddCompany(jobboardtest.Company{Name: "Linden\u202ehof\x1b[2J\x07"})
	job, posting := c.fake.Publish(c.fake.Demo.Channel, jobboardtest.Job{
		Title: "Nurse", Language: "de", CompanyID: company.ID,
		Location: jobboardtest.Location{City: "Ber\u202elin", Name: "Ber\u2067lin\x00,\nMitte", Country: "Deutschland", Lat: "52.52", Long: "13.4"},
	})
	c.fake.RemovePosting(posting.ID)
	posting.VersionStart = c.fake.Now().AddDate(0, 0, -1)
	posting.Title = "Nurse\u202e \x1b]0;x\x07" + strings.Repeat(" night", 100_000/6)
	posting.Config = map[string][]string{
		jobboard.KeyAdText: {"We \u202epay\x1b[2J \u2067well"}, jobboard.KeyCompanyName: {"Linden\u202ehof\x1b"}, jobboard.KeyLocationName: {"Ber\u202elin\x1b"},
	}
	c.fake.AddPosting(posting)
	c.copy()
	const title = "Nurse ]0;x night night"
	tooLong := func(s string) bool { n := len([]rune(s)); return n < 150 || n > 200 }
	if w := c.get(fmt.Sprintf("/job/%d/x", job.ID)); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if p := c.page; !strings.HasPrefix(p.Title, title) || tooLong(p.Title) || p.Company != "Lindenhof" || p.PrivacyCompany != "Lindenhof[2J" || p.Place != "Berlin, Mitte" {
		t.Errorf("%.300q at %q in %q", p.Title, p.Company, p.Place)
	}
	found, err := c.site.Search(httptest.NewRequest(http.MethodGet, "/?text=we&near=Berlin", nil))
	if err != nil || len(found.Cards) != 1 {
		t.Fatalf("%v: %+v", err, found)
	}
	if card := found.Cards[0]; !strings.HasPrefix(card.Title, title) || tooLong(card.Title) || card.Company != "Lindenhof" || card.Place != "Berlin" ||
		card.Excerpt != "We pay [2J well" || len(card.Marks) == 0 {
		t.Errorf("%.300q at %q in %q: %q, %v", card.Title, card.Company, card.Place, card.Excerpt, card.Marks)
	}
	found.Page.Facets = &jobmirror.Facets{Places: map[string]int{"Ber\u202elin": 1}}
	for _, f := range (&jobsite.Results{List: found.List, Page: found.Page}).Places(9) {
		if f.Name != "Berlin" || !strings.Contains(string(f.Link), "Ber%E2%80%AElin") {
			t.Errorf("%q leads to %s", f.Name, f.Link)
		}
	}
}

// A site that no constructor made says so, in place of a nil pointer.
func TestNamesTheMissingConstructor(t *testing.T) {
	var site jobsite.Site
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	_, jobErr := site.Job(r)
	_, searchErr := site.Search(r)
	var jobsErr error
	for _, err := range site.Jobs(t.Context()) {
		jobsErr = err
	}
	for name, err := range map[string]error{"Job": jobErr, "Search": searchErr, "Jobs": jobsErr} {
		if err == nil || err.Error() != "jobsite: use New: the zero Site has no mirror" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for want, use := range map[string]func(){
		"jobsite: use New: the zero Site has no mirror":        func() { site.Handle(nil) },
		"jobpublish: use NewFeeds: the zero Feeds has no jobs": func() { new(jobpublish.Feeds).Sitemap("/sitemap.xml") },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("%v, want %s", got, want)
				}
			}()
			use()
		}()
	}
}

// Whoever wants no more jobs gets none.
func TestSomeJobsOfSite(t *testing.T) {
	c := newCopied(t)
	c.copy()
	n := 0
	for _, err := range c.site.Jobs(t.Context()) {
		if n++; err != nil || n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d jobs", n)
	}
}

// A client of the site asks the copy, also while the board is down.
func TestClientOfSite(t *testing.T) {
	c := newCopied(t)
	c.copy()
	c.fake.Fail(jobboardtest.Fault{Status: 503, Optional: true})
	asked := c.fake.Count()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err := c.site.Client().Search(ctx, jobboard.ChannelID(c.fake.Demo.Channel), jobboard.Query{Language: "de"})
	if err != nil || len(result.Results) == 0 {
		t.Errorf("%v, %v", result, err)
	}
	for _, p := range result.Results {
		if job, ok := p.LinkedJob(); ok && (job == jobboard.JobID(c.fake.Demo.ClosedJob) || job == jobboard.JobID(c.fake.Demo.InternalJob)) {
			t.Errorf("%d is found, which a visitor should not see", job)
		}
	}
	info, err := c.site.Client().JobInformation(ctx, jobboard.JobID(c.fake.Demo.OpenJob))
	if err != nil || !info.ApplyPossible {
		t.Errorf("%v, %v", info, err)
	}
	if n := c.fake.Count(); n != asked {
		t.Errorf("%d requests to the board", n-asked)
	}
}

func TestConfig(t *testing.T) {
	c := newCopied(t)
	good := jobsite.Config{URL: "https://jobs.example", Languages: []string{"de"}}
	for field, change := range map[string]func(*jobsite.Config){
		"Page": func(c *jobsite.Config) { c.Page = "/job/{id}" }, "Languages": func(c *jobsite.Config) { c.Languages = nil },
	} {
		bad := good
		change(&bad)
		_, err := jobsite.New(c.mirror, bad)
		if wrong, ok := errors.AsType[*jobsite.ConfigError](err); !ok || wrong.Field != "Config."+field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for url, ok := range map[string]bool{
		"https://jobs.example": true, "http://localhost:8080": true, "HTTPS://jobs.example/": true,
		"jobs.example": false, "ftp://jobs.example": false, "https://": false, "https:jobs.example": false, "http://[": false, "https://jobs.example/jobs": false, "": false,
	} {
		one := good
		one.URL = url
		_, err := jobsite.New(c.mirror, one)
		if wrong, _ := errors.AsType[*jobsite.ConfigError](err); (err == nil) != ok || !ok && wrong.Field != "Config.URL" {
			t.Errorf("%q: %v", url, err)
		}
	}
	relative := good
	relative.Page = "job/{job}"
	if _, err := jobsite.New(c.mirror, relative); err == nil {
		t.Error("it takes a page without a slash before it")
	}
	if _, err := jobsite.New(c.mirror, jobsite.Config{URL: "https://jobs.example", Languages: []string{"de", "no language"}}); err == nil {
		t.Error("it takes what is no language")
	}
	if _, err := jobsite.New(nil, good); err == nil {
		t.Error("it takes no mirror")
	}
}

// A site whose languages the copy lacks is told so at the start, and its lists have the postings that there are.
func TestLanguagesOfTheCopy(t *testing.T) {
	for name, test := range map[string]struct {
		site, copied []string
		failed       bool
		warnings     int
		readers      map[string]string // the language in which a list is for readers of a language
	}{
		"the same":             {[]string{"de", "en"}, []string{"de", "en"}, false, 0, map[string]string{"de": "de", "en": "en", "fr": "de"}},
		"one is missing":       {[]string{"en", "de", "fr"}, []string{"de", "en"}, false, 1, map[string]string{"fr": "en", "de": "de"}},
		"none is copied":       {[]string{"fr", "it"}, []string{"de", "en"}, true, 2, nil},
		"of another country":   {[]string{"de"}, []string{"de-AT"}, false, 1, map[string]string{"de": "de-AT"}},
		"the board chooses":    {[]string{"de"}, nil, false, 1, map[string]string{"de": ""}},
		"more than the site's": {[]string{"en"}, []string{"de", "en"}, false, 0, map[string]string{"de": "en"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCopied(t, func(o *jobmirror.Options) { o.Channels[0].Languages, o.Feeds = []string{"en", "de"}, nil })
			options := jobmirror.Options{
				Config:   jobboard.Config{BaseURL: c.fake.BaseURL, JobDBURL: c.fake.JobDBURL, ClientID: c.fake.Demo.ClientID},
				Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(c.fake.Demo.Channel), Languages: test.copied}}, Limit: -1,
			}
			address := filepath.Join(t.TempDir(), "jobs.db")
			mirror, err := jobmirror.Open(t.Context(), address, options)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = mirror.Close() })
			var log strings.Builder
			cfg := jobsite.Config{
				URL: "https://jobs.example", Languages: test.site, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			}
			site, err := jobsite.New(mirror, cfg)
			wrong, _ := errors.AsType[*jobsite.ConfigError](err)
			if test.failed != (wrong != nil) || wrong != nil && wrong.Field != "Config.Languages" {
				t.Fatal(err)
			}
			if n := strings.Count(log.String(), "no channel is copied"); n != test.warnings {
				t.Errorf("%d warnings: %s", n, log.String())
			}
			if site == nil {
				return
			}
			if err := mirror.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			reader, err := jobmirror.Open(t.Context(), address, jobmirror.Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = reader.Close() })
			other, err := jobsite.New(reader, cfg)
			if err != nil {
				t.Fatal(err)
			}
			for _, site := range []*jobsite.Site{site, other} {
				for lang, want := range test.readers {
					found, err := site.Search(httptest.NewRequest("GET", "/?lang="+lang, nil))
					if err != nil || len(found.Cards) == 0 || found.Page.Facets.Total > 42 {
						t.Fatalf("%s: %+v, %v", lang, found, err)
					}
					for _, p := range found.Page.Postings {
						if p.Language != want {
							t.Errorf("for readers of %q a posting in %q, not %q", lang, p.Language, want)
						}
					}
					for typed, of := range map[string]string{"pfle": "de", "nurs": "en"} {
						texts, err := site.Suggest(httptest.NewRequest("GET", "/suggest?text="+typed+"&lang="+lang, nil))
						if err != nil || want == of && len(texts) == 0 {
							t.Errorf("for readers of %q, whose list is in %q, %s may mean %q, %v", lang, want, typed, texts, err)
						}
					}
					next, err := site.Search(httptest.NewRequest("GET", "/"+string(found.List.Next(found.Page))+"&lang="+lang, nil))
					if err != nil || len(next.Cards) == 0 || next.Cards[0].Path == found.Cards[0].Path {
						t.Errorf("%s: no second page, %v", lang, err)
					}
				}
			}
		})
	}
}

// A card names one place and says how many others there are.
func TestCardOfSeveralPlaces(t *testing.T) {
	c := newCopied(t)
	in := func(cities ...string) (list []jobboard.Location) {
		for _, city := range cities {
			list = append(list, jobboard.Location{GeoCity: city, GeoName: "Street, " + city})
		}
		return list
	}
	for name, test := range map[string]struct {
		posting jobmirror.Posting
		want    int
	}{
		"nothing is known": {jobmirror.Posting{}, 0},
		"one":              {jobmirror.Posting{Locations: in("Berlin")}, 0},
		"two streets":      {jobmirror.Posting{Locations: in("Berlin", "Berlin")}, 0},
		"three towns":      {jobmirror.Posting{Locations: in("Berlin", "Wien", "München", "Wien")}, 2},
		"without a lookup": {jobmirror.Posting{Posting: jobboard.JobPosting{Config: jobboard.NewPostingConfig(map[string][]string{jobboard.KeyLocationName: {"Berlin", "Wien"}})}}, 1},
	} {
		if card := c.site.Card(&test.posting); card.More != test.want {
			t.Errorf("%s: %d more places, want %d", name, card.More, test.want)
		}
	}
}
