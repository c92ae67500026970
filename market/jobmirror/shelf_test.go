package jobmirror_test

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// shelf is a board that says what it is told to. It shows the same postings in each channel and language and in its
// feed, as what a job is called by its lookup, posting 7 of job 7; or else the pages that it was given.
type shelf struct {
	mu     sync.Mutex
	shows  []int
	part   bool            // the answer counts one posting more than it shows
	odd    []string        // entries that are no usable postings: the answer shows and counts them, behind the first posting
	pages  map[string]page // in place of these, by channel and language, or "feed"
	states map[int]string  // of jobs, beside state
	state  string          // of the others: "open", "closed", or the code of a refusal
	says   func(job int) (state string, age time.Duration)
	asked  map[int]int // lookups, by job
	times  []time.Time // of lookups

	title, link string // of postings: the first word of the title, and with the identifier; empty: as their jobs are called

	read     func() // is called once an answer of postings or a feed was read, before its end
	searches int
	script   func(search int) []int // the page, by the number of the search; nil: shows
}

func newShelf(n int) *shelf {
	return &shelf{shows: upTo(n), state: "open", states: map[int]string{}, asked: map[int]int{}}
}

// upTo returns the numbers from 1 to n.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// lookedUp returns the jobs that were looked up since the last tell.
func (s *shelf) lookedUp() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.asked))
}

// item is a posting that a channel shows, or an entry of a feed.
type item struct{ id, version, job int }

// page is how the board answers for a source.
type page struct {
	items   []item
	title   string   // of the postings; empty: it tells version and job
	link    string   // of the postings, with the job; empty: that of a board
	odd     []string // entries that are no usable postings
	more    int      // counts so many more than it shows
	several bool     // says that there are more pages
	cut     bool     // ends early
	age     time.Duration
	status  int    // 0: 200
	garbage string // instead of all this
}

func (i item) json(title, link string) string {
	if title == "" {
		title = fmt.Sprintf("Nurse %d of %d", i.version, i.job)
	} else {
		title = fmt.Sprintf("%s %d", title, i.id)
	}
	return fmt.Sprintf(`{"jobPostingId":%d,"postingVersionId":%d,"title":%q,"applyOnlineLink":%q}`, i.id, i.version, title,
		fmt.Sprintf(cmp.Or(link, "https://jobs.example/job/%d/x"), i.job))
}

func (i item) xml() string {
	return fmt.Sprintf("<PositionOpening><PositionRecordInfo><Id><IdValue>%d</IdValue></Id></PositionRecordInfo><!--%d %d--></PositionOpening>",
		i.job, i.id, i.version)
}

func (p page) body(feed bool) string {
	list, begin, between, end := []string{}, fmt.Sprintf(`{"totalNumberOfJobs":%d,"numPages":%d,"results":[`,
		len(p.items)+len(p.odd)+p.more, map[bool]int{false: 1, true: 2}[p.several]), ",", "]}"
	if feed {
		begin, between, end = "<PositionOpenings>", "", "</PositionOpenings>"
	}
	for _, i := range p.items {
		if feed {
			list = append(list, i.xml())
		} else {
			list = append(list, i.json(p.title, p.link))
		}
	}
	if !feed {
		list = slices.Insert(list, min(len(list), 1), p.odd...)
	}
	if p.cut {
		end = ""
	}
	return cmp.Or(p.garbage, begin+strings.Join(list, between)+end)
}

// page returns how the board answers for a source.
func (s *shelf) page(source string) page {
	if p, ok := s.pages[source]; ok {
		return p
	}
	if source != "feed" {
		if s.searches++; s.script != nil {
			s.shows = s.script(s.searches)
		}
	}
	p := page{title: cmp.Or(s.title, "Nurse"), link: s.link, odd: s.odd}
	if s.part {
		p.more = 1
	}
	for _, id := range s.shows {
		p.items = append(p.items, item{id, id, id})
	}
	return p
}

func (s *shelf) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var (
		p    page
		body string
		end  io.Reader = strings.NewReader("")
	)
	if job, _ := strconv.Atoi(r.URL.Query().Get("jobid")); job == 0 {
		parts, feed := strings.Split(r.URL.Path, "/"), strings.HasSuffix(r.URL.Path, ".xml")
		source := "feed"
		if !feed {
			source = strings.TrimSpace(parts[len(parts)-2] + " " + r.Header.Get("Accept-Language"))
		}
		p = s.page(source)
		body = p.body(feed)
		if read := s.read; read != nil {
			end = readerFunc(func([]byte) (int, error) { read(); return 0, io.EOF })
		}
	} else {
		s.asked[job]++
		s.times = append(s.times, time.Now())
		state := cmp.Or(s.states[job], s.state)
		if s.says != nil {
			state, p.age = s.says(job)
		}
		switch state {
		case "open", "closed":
			body = fmt.Sprintf(`{"jobId":%d,"jobTitle":"Nurse %d","applyPossible":%t}`, job, job, state == "open")
		default:
			p.status, body = http.StatusNotFound, state
		}
	}
	header := http.Header{}
	if p.age > 0 {
		header.Set("Age", strconv.Itoa(int(p.age/time.Second)))
	}
	p.status = cmp.Or(p.status, http.StatusOK)
	return &http.Response{
		StatusCode: p.status, Status: strconv.Itoa(p.status), ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: header, Body: io.NopCloser(io.MultiReader(strings.NewReader(body), end)),
	}, nil
}

// readerFunc is a reader of its function.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// tell changes the board, and forgets what it was asked.
func (s *shelf) tell(shows []int, state string, states map[int]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shows, s.state, s.states, s.asked, s.times = shows, state, states, map[int]int{}, nil
}

// lookups returns how often the board was asked about jobs, and how often about one at
// most.
func (s *shelf) lookups() (all, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.asked {
		all, most = all+n, max(most, n)
	}
	return all, most
}

// options returns the options for a mirror of one channel of the board.
func (s *shelf) options() jobmirror.Options {
	return jobmirror.Options{
		Config: jobboard.Config{
			BaseURL: "https://board.example", JobDBURL: "https://board.example", ClientID: "10", HTTPClient: &http.Client{Transport: s},
			Retry: jobboard.RetryPolicy{MaxAttempts: 1},
		},
		Channels: []jobmirror.Channel{{ID: "a"}}, Limit: -1,
	}
}

// The codes by which a lookup refuses.
const (
	inactive           = "ERROR_JOB_INACTIVE"
	unavailable        = "ERROR_JOB_UNAVAILABLE"
	postingUnavailable = "ERROR_POSTING_UNAVAILABLE"
)

// asFeed makes options of a channel those of a feed.
func asFeed(opts jobmirror.Options) jobmirror.Options {
	opts.Channels = nil
	opts.Feeds = []jobmirror.Feed{{Name: "feed", Address: "https://board.example/feed.xml", HTTPClient: opts.Config.HTTPClient}}
	return opts
}

// onEachSource runs a test with options for a channel, and for a feed.
func onEachSource(t *testing.T, n int, f func(t *testing.T, board *shelf, m *jobmirror.Mirror)) {
	t.Helper()
	t.Parallel()
	asChannel := func(opts jobmirror.Options) jobmirror.Options { return opts }
	for source, optionsFor := range map[string]func(jobmirror.Options) jobmirror.Options{"channel": asChannel, "feed": asFeed} {
		t.Run(source, func(t *testing.T) {
			onEach(t, func(t *testing.T, address string) {
				board := newShelf(n)
				m := open(t, address, optionsFor(board.options()))
				refresh(t, m)
				f(t, board, m)
				checkReplay(t, m)
			})
		})
	}
}

// copied checks how many rows a source has, and how many of them are held.
func copied(t *testing.T, m *jobmirror.Mirror, what string, rows, held int) {
	t.Helper()
	status, err := m.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range status.Sources {
		if s.Rows != rows || s.Held != held {
			t.Errorf("%s: %s %s %s has %d rows, of which %d are held; not %d and %d", what, s.Kind, s.Name, s.Language, s.Rows, s.Held, rows, held)
		}
	}
}

// settled refreshes a mirror, and checks what it says and has then.
func settled(t *testing.T, m *jobmirror.Mirror, what string, rows, held int) {
	t.Helper()
	done, err := jobmirror.RefreshedStatus(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	if done.Held != held*len(done.Sources) || len(done.Partial) > 0 {
		t.Errorf("%s: %+v, of which %d are held in each source", what, done, held)
	}
	copied(t, m, what, rows, held)
}

// asks makes all jobs of a mirror due, refreshes it, and returns its status.
func asks(t *testing.T, m *jobmirror.Mirror) jobmirror.Refreshed {
	t.Helper()
	if err := jobmirror.Exec(t.Context(), m, "UPDATE jobs SET next_due = 1"); err != nil {
		t.Fatal(err)
	}
	out, err := jobmirror.RefreshedStatus(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
