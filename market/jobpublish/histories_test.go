package jobpublish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// side is the number of jobs that live side by side in one world.
const side = 20

// No job is published that the service was last known to have closed, deleted or
// hidden, of which nothing was heard for 48 hours, or whose time is over; and
// every other one is. What the site knows comes from a service with faults; what
// should be published is computed from that service's own state.
func TestHistories(t *testing.T) {
	histories := 1000
	if s := os.Getenv("JOBBOARD_HISTORIES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		histories = n
	}
	var seen tally
	for seed := range uint64(histories / side) {
		synctest.Test(t, func(t *testing.T) { newWorld(t, seed).run(&seen) })
		if t.Failed() {
			t.Fatalf("in the world with seed %d", seed)
		}
	}
	t.Logf("figure: %d histories, %+v", histories, seen)
	if seen.published == 0 || seen.refused[ReasonGone] == 0 || seen.refused[ReasonClosed] == 0 || seen.refused[ReasonStale] == 0 ||
		seen.refused[ReasonExpired] == 0 || seen.refused[ReasonUnknown] == 0 || seen.refused[ReasonNotVisible] == 0 || seen.refused[ReasonNotYet] == 0 {
		t.Errorf("not every case occurred: %+v", seen)
	}
}

type tally struct {
	published int
	refused   map[Reason]int
}

type world struct {
	*rand.Rand
	t      *testing.T
	fake   *jobboardtest.Server
	client *jobboard.Client
	feeds  map[string]http.Handler
	lives  []*life
}

// A life is a job: what the site knows of the job, and the truth.
type life struct {
	known    Job
	posting  jobboardtest.Posting
	open     bool      // said the service in its last answer
	answered time.Time // and when
	// As of the last search: the service's own.
	end, listed time.Time
	visible     bool
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, fake: jobboardtest.New(t, jobboardtest.WithoutSockets())}
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: w.fake.BaseURL, JobDBURL: w.fake.JobDBURL, ClientID: w.fake.AddClient(jobboardtest.ClientApp{ID: "10"}).ID,
		HTTPClient: w.fake.Client(), Retry: jobboard.RetryPolicy{MaxAttempts: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.client = client
	w.fake.AddChannel(jobboardtest.Channel{ID: "board"})
	company := w.fake.AddCompany(jobboardtest.Company{Name: "Lindenhof"})
	for range side {
		job := w.fake.AddJob(jobboardtest.Job{
			Title: "Nurse", CompanyID: company.ID, Location: jobboardtest.Location{Country: "Germany", City: "Hamburg"},
		})
		l := &life{posting: w.fake.AddPosting(jobboardtest.Posting{JobID: job.ID, Channels: []string{"board"}, Title: "Nurse"})}
		l.known.URL = fmt.Sprintf("https://jobs.example/job/%d", job.ID)
		w.lives = append(w.lives, l)
		w.edit(l)
	}
	feeds := newFeeds(t, func(context.Context) iter.Seq2[Job, error] {
		return func(yield func(Job, error) bool) {
			for _, l := range w.lives {
				if !yield(l.known, nil) {
					return
				}
			}
		}
	})
	feeds.cfg.MaxAge = 1 // a look at the feeds is a look at the jobs
	w.feeds = map[string]http.Handler{"sitemap": feeds.Sitemap("/x"), "RSS": feeds.RSS("/x"), "Atom": feeds.Atom("/x")}
	return w
}

func (w *world) run(seen *tally) {
	if seen.refused == nil {
		seen.refused = map[Reason]int{}
	}
	w.search()
	for range 12 * side {
		w.step(w.lives[w.IntN(side)])
		if w.IntN(6) == 0 {
			w.look(seen)
		}
		if w.t.Failed() {
			return
		}
	}
	w.look(seen)
}

// step lets something happen at the service, at the site, or only time pass.
func (w *world) step(l *life) {
	id := l.posting.JobID
	switch w.IntN(16) {
	case 0:
		w.fake.DeactivateJob(id)
	case 1, 2:
		w.fake.ActivateJob(id)
	case 3:
		if w.IntN(4) == 0 {
			w.fake.DeleteJob(id)
		}
	case 4:
		w.fake.UpdateJob(id, func(j *jobboardtest.Job) { j.ApplyClosed = w.IntN(2) == 0 })
	case 5:
		if w.IntN(6) == 0 {
			w.fake.RemovePosting(l.posting.ID)
			l.posting.Channels = nil
		}
	case 6:
		if l.posting.Channels != nil {
			w.edit(l)
		}
	case 7:
		w.search()
	case 8:
		time.Sleep(time.Duration(w.Int64N(int64(30 * time.Hour))))
	case 9:
		time.Sleep(time.Duration(w.Int64N(int64(time.Minute))))
	default:
		w.lookUp(l)
	}
}

// edit gives the posting another version.
func (w *world) edit(l *life) {
	p := &l.posting
	p.VersionStart = time.Now().Add(-time.Duration(w.Int64N(int64(90 * day))))
	p.VersionEnd = time.Time{}
	if w.IntN(3) > 0 {
		p.VersionEnd = time.Now().Add(time.Duration(w.Int64N(int64(20*day))) - day).Truncate(time.Millisecond)
	}
	listed := time.Now().Add(time.Duration(w.Int64N(int64(40*day))) - 39*day).Truncate(time.Millisecond)
	p.Config = map[string][]string{
		"listingStartDate": {strconv.FormatInt(listed.UnixMilli(), 10)}, "platform_internalAdText": {"<p>Care</p>"},
		"platformvisibility":       {[]string{"visible", "visible", "visible", "visible", "hidden"}[w.IntN(5)]},
		"ProjectCompanyNameGerman": {"Lindenhof"},
	}
	w.fake.AddPosting(*p)
}

// search brings the site's copy of the postings up to date. A posting no longer found stays
// unchanged: the lookup tells.
func (w *world) search() {
	result, err := w.client.Search(w.t.Context(), "board", jobboard.Query{})
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range result.Results {
		for _, l := range w.lives {
			if int64(result.Results[i].JobPostingID) == l.posting.ID {
				l.known.Posting = &result.Results[i]
				l.end = l.posting.VersionEnd
				l.visible = l.posting.Config["platformvisibility"][0] == "visible"
				ms, _ := strconv.ParseInt(l.posting.Config["listingStartDate"][0], 10, 64)
				l.listed = time.UnixMilli(ms)
			}
		}
	}
}

// lookUp asks the service about a job, which may fail.
func (w *world) lookUp(l *life) {
	answers := true
	if w.IntN(4) == 0 {
		answers = false
		faults := []jobboardtest.Fault{
			{Status: 500},
			{Status: 503},
			{Status: 429},
			{Status: 404, Body: "404 page not found"},
			{Status: 200, Body: "<html>"},
			{Break: jobboardtest.CutBody},
		}
		fault := faults[w.IntN(len(faults))]
		fault.Times = 1
		w.fake.Fail(fault)
	}
	info, err := w.client.JobInformation(w.t.Context(), jobboard.JobID(l.posting.JobID))
	l.known.SetLookup(info, err, time.Now())
	job, ok := w.fake.Job(l.posting.JobID)
	if ok && job.Status == jobboardtest.Active && l.posting.Channels == nil {
		answers = false // ERROR_POSTING_UNAVAILABLE is a technical error: it says nothing of the job
	}
	if !answers {
		return
	}
	l.open = ok && job.Status == jobboardtest.Active && !job.ApplyClosed && !job.Internal
	l.answered = time.Now()
}

// look holds what is published now against what should be.
func (w *world) look(seen *tally) {
	shown := map[string]string{}
	for name, h := range w.feeds {
		time.Sleep(time.Nanosecond) // the last file's life is over
		shown[name] = get(h, "/x").Body.String()
	}
	for _, l := range w.lives {
		now := time.Now()
		want := l.known.Posting != nil && l.open && now.Sub(l.answered) <= 48*time.Hour && l.visible && !l.listed.After(now) &&
			(l.end.IsZero() || now.Before(l.end))
		for name, text := range shown {
			if got := strings.Contains(text, l.known.URL+"<") || strings.Contains(text, l.known.URL+`"`); got != want {
				w.t.Errorf("%s at %v: published: %v, should be: %v; %+v", name, now, got, want, *l)
			}
		}
		d, err := l.known.StructuredData(now)
		if (err == nil) != want {
			w.t.Errorf("structured data at %v: %v, should be: %v; %+v", now, err, want, *l)
		}
		refused, ok := errors.AsType[*RefusedError](err)
		if ok {
			seen.refused[refused.Reason]++
			continue
		}
		seen.published++
		b, err := json.Marshal(d)
		if err != nil || strings.Contains(string(b), "validThrough") == l.end.IsZero() || !strings.Contains(string(b), l.listed.UTC().Format(time.RFC3339)) {
			w.t.Errorf("the dates of %s, %v", b, err)
		}
	}
}
