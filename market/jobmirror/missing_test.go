package jobmirror_test

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// shelf is a board that shows the postings it is told to, in each channel and language, as
// what a job is called by its lookup. Posting 7 is of job 7.
type shelf struct {
	mu     sync.Mutex
	shows  []int
	part   bool           // the answer counts one posting more than it shows
	odd    []string       // entries that are no usable postings: the answer shows and counts them, behind the first posting
	states map[int]string // of jobs, beside state
	state  string         // of the others: "open", "closed", or the code of a refusal
	asked  map[int]int    // lookups, by job
	times  []time.Time    // of lookups

	title, link string // of postings: the first word of the title, and with the identifier; empty: as their jobs are called

	read     func() // is called once an answer of postings or a feed was read, before its end
	searches int
	script   func(search int) []int // the page, by the number of the search; nil: shows
}

func newShelf(n int) *shelf {
	return &shelf{shows: upTo(n), state: "open", states: map[int]string{}, asked: map[int]int{}}
}

// lookedUp returns the jobs that were looked up since the last tell.
func (s *shelf) lookedUp() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.asked))
}

// upTo returns the numbers from 1 to n.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

func (s *shelf) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status, body := http.StatusOK, ""
	switch job, _ := strconv.Atoi(r.URL.Query().Get("jobid")); {
	case strings.HasSuffix(r.URL.Path, ".xml"):
		body = "<PositionOpenings>"
		for _, id := range s.shows {
			body += fmt.Sprintf("<PositionOpening><PositionRecordInfo><Id><IdValue>%d</IdValue></Id></PositionRecordInfo></PositionOpening>", id)
		}
		body += "</PositionOpenings>"
	case job == 0:
		if s.searches++; s.script != nil {
			s.shows = s.script(s.searches)
		}
		results := make([]string, len(s.shows))
		for i, id := range s.shows {
			results[i] = fmt.Sprintf(`{"jobPostingId":%d,"postingVersionId":%d,"title":"%s %d","applyOnlineLink":"`+cmp.Or(s.link, "https://jobs.example/job/%d/x")+`"}`,
				id, id, cmp.Or(s.title, "Nurse"), id, id)
		}
		results = slices.Insert(results, min(len(results), 1), s.odd...)
		counted := len(results)
		if s.part {
			counted++
		}
		body = fmt.Sprintf(`{"totalNumberOfJobs":%d,"numPages":1,"results":[%s]}`, counted, strings.Join(results, ","))
	default:
		s.asked[job]++
		s.times = append(s.times, time.Now())
		state := s.states[job]
		if state == "" {
			state = s.state
		}
		switch state {
		case "open", "closed":
			body = fmt.Sprintf(`{"jobId":%d,"jobTitle":"Nurse %d","applyPossible":%t}`, job, job, state == "open")
		default:
			status, body = http.StatusNotFound, state
		}
	}
	var end io.Reader = strings.NewReader("")
	if read := s.read; read != nil && !r.URL.Query().Has("jobid") {
		end = readerFunc(func([]byte) (int, error) { read(); return 0, io.EOF })
	}
	return &http.Response{
		StatusCode: status, Status: strconv.Itoa(status), ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{}, Body: io.NopCloser(io.MultiReader(strings.NewReader(body), end)),
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

// ago lets time pass for what is missing in a mirror: the database of PostgreSQL has a
// clock of its own.
func ago(t *testing.T, m *jobmirror.Mirror, d time.Duration) {
	t.Helper()
	for _, statement := range []string{
		"UPDATE listings SET since = since - %d WHERE since > 0",
		"UPDATE entries SET since = since - %d WHERE since > 0",
		"UPDATE losses SET at = at - %d",
	} {
		if err := jobmirror.Exec(t.Context(), m, fmt.Sprintf(statement, d.Milliseconds())); err != nil {
			t.Fatal(err)
		}
	}
}

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

// A board that shows nothing takes nothing away: nobody who reads sees a change. Once 50
// jobs in a row are open no more are asked about until the next complete refresh, which
// asks about others.
func TestEmptyAnswer(t *testing.T) {
	onEachSource(t, 120, func(t *testing.T, board *shelf, m *jobmirror.Mirror) {
		_, at, err := snapshot(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		board.tell(nil, "open", nil)
		seen := map[int]bool{}
		for i := range 3 {
			settled(t, m, "empty", 120, 120)
			all, most := board.lookups()
			for job := range board.asked {
				seen[job] = true
			}
			if want := min(50*(i+1), 120); all != 50 || most != 1 || len(seen) != want {
				t.Errorf("refresh %d: %d lookups, %d at most of one job, and %d jobs so far, not %d", i, all, most, len(seen), want)
			}
			for _, p := range find(t, m, jobmirror.Query{Limit: 1000}) {
				if since := time.Since(p.MissingSince); since < 0 || since > time.Hour {
					t.Fatalf("a posting is missing since %s", p.MissingSince)
				}
			}
			board.tell(nil, "open", nil)
		}
		if done, err := jobmirror.RefreshedStatus(t.Context(), m); err != nil || done.Held != 120 {
			t.Errorf("%+v, %v", done, err)
		}
		board.tell(upTo(120), "open", nil)
		settled(t, m, "back", 120, 0)
		for _, p := range find(t, m, jobmirror.Query{Limit: 1000}) {
			if !p.MissingSince.IsZero() {
				t.Fatalf("a posting that is shown is missing since %s", p.MissingSince)
			}
		}
		for change, err := range m.Changes(t.Context(), at) {
			t.Fatalf("a change: %+v, %v", change, err)
		}
	})
}

func merged(into, from map[int]string) map[int]string {
	for k, v := range from {
		into[k] = v
	}
	return into
}

// Only answers that say "open" one after the other end the asking: one that says
// something else begins the count anew.
func TestOpenInARow(t *testing.T) {
	onEachSource(t, 120, func(t *testing.T, board *shelf, m *jobmirror.Mirror) {
		states := map[int]string{}
		for i := 10; i <= 120; i += 10 {
			states[i] = unavailable
		}
		board.tell(nil, "open", states)
		settled(t, m, "each tenth is unavailable", 108, 108)
		if all, most := board.lookups(); all != 120 || most != 1 {
			t.Errorf("%d lookups, up to %d of one job, for 120 jobs", all, most)
		}
	})
}

func TestIncompleteRefreshesDoNotCount(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(40)
		m := open(t, address, board.options())
		refresh(t, m)
		board.tell([]int{1}, "open", nil)
		settled(t, m, "missed once", 40, 39)
		ago(t, m, 25*time.Hour)
		board.part = true
		for range 4 {
			done, err := jobmirror.RefreshedStatus(t.Context(), m)
			if err != nil || done.Held != 39 || len(done.Partial) != 1 || done.Partial[0].Name != "a" || done.Partial[0].Problem == "" {
				t.Errorf("an answer that counts more than it shows: %+v, %v", done, err)
			}
		}
		board.part = false
		settled(t, m, "missed twice", 40, 39)
		settled(t, m, "missed three times", 1, 0)
	})
}

// What a source shows again stays, though it is removed while the refresh reads that.
func TestBackWhileItIsRemoved(t *testing.T) {
	onEachSource(t, 40, func(t *testing.T, board *shelf, m *jobmirror.Mirror) {
		board.tell(nil, "open", nil)
		settled(t, m, "empty", 40, 40)
		removed := false
		board.tell(upTo(40), "open", nil)
		board.read = func() {
			removed = true
			if err := m.AcceptRemovals(t.Context()); err != nil {
				t.Error(err)
			}
			copied(t, m, "while the answer is read", 0, 0)
		}
		settled(t, m, "back", 40, 0)
		if !removed {
			t.Error("nothing was removed meanwhile")
		}
		board.read = nil
		settled(t, m, "and once more", 40, 0)
	})
}

// A job whose entry went from a feed is looked up at once.
func TestJobOfAnEntryThatWent(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(40)
		m := open(t, address, asFeed(board.options()))
		refresh(t, m)
		board.tell(upTo(39), "closed", nil)
		settled(t, m, "one went", 39, 0)
		if all, _ := board.lookups(); all != 1 || board.asked[40] != 1 {
			t.Errorf("%d lookups, of which %d are of its job", all, board.asked[40])
		}
	})
}

// What was answered before a refresh missed a row proves nothing of the row.
func TestAnswersFromBeforeProveNothing(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(40)
		board.state = inactive
		m := open(t, address, board.options())
		refresh(t, m)
		board.tell(nil, "ERROR_OTHER", nil)
		refresh(t, m) // which ends, though no lookup is answered
		copied(t, m, "empty", 40, 40)
		if all, most := board.lookups(); all != 40 || most != 1 {
			t.Errorf("%d lookups, up to %d of one job, for 40 jobs", all, most)
		}
	})
}

// Without a hold what a complete refresh misses goes at once.
func TestNothingIsHeld(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(40)
		opts := board.options()
		opts.HoldMissing = -1
		m := open(t, address, opts)
		refresh(t, m)
		board.tell(nil, "open", nil)
		settled(t, m, "empty", 0, 0)
		checkReplay(t, m)
	})
}

// A person lets held rows go, of all sources or of some.
func TestAcceptRemovals(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		board := newShelf(40)
		opts := board.options()
		opts.Channels = append(opts.Channels, jobmirror.Channel{ID: "b"})
		opts.Feeds = asFeed(opts).Feeds
		m := open(t, address, opts)
		refresh(t, m)
		board.tell(nil, "open", nil)
		settled(t, m, "empty", 40, 40)
		if err := m.AcceptRemovals(t.Context(), "c"); err == nil || !strings.Contains(err.Error(), `"c"`) {
			t.Errorf("a source that there is not: %v", err)
		}
		copied(t, m, "before", 40, 40)
		rows := func() (out []int) {
			status, err := m.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range status.Sources {
				out = append(out, s.Rows)
			}
			return out
		}
		for _, step := range []struct {
			names []string
			want  []int
		}{{[]string{"b"}, []int{40, 0, 40}}, {nil, []int{0, 0, 0}}} {
			if n := len(find(t, m, jobmirror.Query{Limit: 1000})); n != 40 {
				t.Errorf("%d postings, while a source has them", n)
			}
			if err := m.AcceptRemovals(t.Context(), step.names...); err != nil || !slices.Equal(rows(), step.want) {
				t.Errorf("%q: %d, not %d; %v", step.names, rows(), step.want, err)
			}
		}
		if n := len(find(t, m, jobmirror.Query{Limit: 1000})); n != 0 {
			t.Errorf("%d postings, which no source has", n)
		}
		checkReplay(t, m)
	})
}

// One lookup tells of a job to all channels, languages and feeds that miss it.
func TestOneLookupAJobThatIsMissing(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(40)
		opts := board.options()
		opts.Channels = []jobmirror.Channel{{ID: "a", Languages: []string{"de", "en"}}, {ID: "b", Languages: []string{"de", "en"}}}
		opts.Feeds = asFeed(opts).Feeds
		m := open(t, address, opts)
		refresh(t, m)
		board.tell(nil, "closed", nil)
		settled(t, m, "empty", 0, 0)
		if all, most := board.lookups(); all != 40 || most != 1 {
			t.Errorf("%d lookups, up to %d of one job, for 40 jobs", all, most)
		}
		checkReplay(t, m)
	})
}

// Lookups for held rows leave half of the limit to others.
func TestHeldRowsLeaveHalfOfTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		board := newShelf(480)
		opts := board.options()
		opts.Limit = 20
		m := open(t, filepath.Join(t.TempDir(), "jobs.db"), opts)
		refresh(t, m)
		stop := run(t, m)
		defer stop()
		board.tell(from(401, 480), "closed", nil)
		for len(board.lookedUp()) == 0 {
			time.Sleep(time.Second)
		}
		if err := jobmirror.Exec(t.Context(), m, "UPDATE jobs SET next_due = 1 WHERE job > 400"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		held, others := 0, 0
		for _, job := range board.lookedUp() {
			if job > 400 {
				others++
			} else {
				held++
			}
		}
		if held < 70 || others < 70 {
			t.Errorf("%d lookups for held rows, and %d others, in ten seconds at a limit of 20", held, others)
		}
	})
}

// Boards that mislead for hours, or for ever: postings that they cease to show stay, and the
// mirror asks them little.
func TestBoardsThatMisleadForLong(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		state  string
		script func(search int) []int
		rows   int // after 5 hours
		most   int // lookups in an hour
	}{
		"empty":                             {"open", func(int) []int { return nil }, 100, 5 * 50},
		"empty, and codes that say nothing": {postingUnavailable, func(int) []int { return nil }, 100, 5 * 100},
		"empty, and all unavailable":        {unavailable, func(int) []int { return nil }, 100, 5 * 100},
		"empty each second time":            {"open", func(search int) []int { return upTo(100 * (search % 2)) }, 100, 3 * 50},
		"loses a part for ever":             {"open", func(search int) []int { return upTo(int(100 * math.Pow(0.85, float64(search)))) }, 85, 5 * 50},
		"loses one each time":               {"open", func(search int) []int { return upTo(max(100-search, 85)) }, 85, 5 * 50},
		"shows others":                      {"open", func(int) []int { return upTo(200)[100:] }, 200, 5 * 50},
	}
	for _, name := range testenv.Some(t, 2, slices.Sorted(maps.Keys(tests))) {
		test := tests[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				board := newShelf(100)
				m := open(t, filepath.Join(t.TempDir(), "jobs.db"), board.options())
				refresh(t, m)
				board.tell(board.shows, test.state, nil)
				board.searches, board.script = 0, test.script
				stop := run(t, m)
				time.Sleep(5 * time.Hour)
				synctest.Wait()
				stop()
				status, err := m.Status(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if rows := status.Sources[0].Rows; rows != test.rows {
					t.Errorf("%d rows are left, not %d", rows, test.rows)
				}
				if n := len(board.times); n > 5*test.most {
					t.Errorf("%d lookups", n)
				}
				board.script = nil
				board.tell(upTo(100), "open", nil)
				if done, err := jobmirror.RefreshedStatus(t.Context(), m); err != nil || done.Held > 0 && name != "shows others" {
					t.Errorf("all is back: %+v, %v", done, err)
				}
				checkReplay(t, m)
			})
		})
	}
}

// What is asked for held rows while the mirror runs removes them within minutes, once
// the next refresh missed them.
func TestRunAsksAboutHeldRows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		board := newShelf(100)
		m := open(t, filepath.Join(t.TempDir(), "jobs.db"), board.options())
		run(t, m)
		time.Sleep(time.Minute)
		board.tell(nil, inactive, nil)
		time.Sleep(18 * time.Minute)
		synctest.Wait()
		copied(t, m, "all inactive", 0, 0)
		if all, most := board.lookups(); all != 100 || most != 1 {
			t.Errorf("%d lookups, up to %d of one job", all, most)
		}
	})
}

// Who runs the mirror asks about held rows within seconds when another process has noted
// that somebody is to.
func TestPollTellsOfHeldRows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		board := newShelf(40)
		m := open(t, filepath.Join(t.TempDir(), "jobs.db"), board.options())
		refresh(t, m)
		board.tell(nil, postingUnavailable, nil)
		settled(t, m, "empty", 40, 40)
		run(t, m)
		time.Sleep(5 * time.Second)
		board.tell(nil, inactive, nil)
		for _, statement := range []string{"UPDATE jobs SET last_lookup = 0, answer = 0", "UPDATE sources SET held_lease = 1"} {
			if err := jobmirror.Exec(t.Context(), m, statement); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		copied(t, m, "asked about", 0, 0)
	})
}

// Who was killed while it asked about held rows leaves that to others, once its lease is
// over; and several processes ask about each job once.
func TestHeldRowsInAFleet(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		board := newShelf(120)
		m := open(t, address, board.options())
		refresh(t, m)
		board.tell(nil, postingUnavailable, nil)
		settled(t, m, "empty", 120, 120)
		board.tell(nil, inactive, nil)
		for _, statement := range []string{ // as the killed process leaves them
			"UPDATE sources SET held_lease = 1000, next_due = next_due + 1000000",
			"UPDATE jobs SET last_lookup = 0, answer = 0, leased_until = 1000, batch = 7 WHERE job > 20",
		} {
			if err := jobmirror.Exec(t.Context(), m, statement); err != nil {
				t.Fatal(err)
			}
		}
		others := []*jobmirror.Mirror{m}
		if strings.HasPrefix(address, "postgres") {
			others = append(others, open(t, address, board.options()))
		}
		errs := make(chan error, len(others))
		for _, m := range others {
			go func() { errs <- m.AskHeld(t.Context()) }()
		}
		for range others {
			if err := <-errs; err != nil {
				t.Fatal(err)
			}
		}
		copied(t, m, "asked by others", 20, 20)
		if all, most := board.lookups(); all != 100 || most != 1 {
			t.Errorf("%d lookups, up to %d of one job", all, most)
		}
		checkReplay(t, m)
	})
}

// An answer with postings that cannot be read removes nothing by itself, however few are missing, however
// often and for how long, and whatever HoldMissing says. A posting goes when the lookup of its job says so.
// The status and the log name the channel.
func TestUnreadablePostingsRemoveNothing(t *testing.T) {
	for name, hold := range map[string]time.Duration{"held": 0, "nothing is held": -1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := &logged{}
				board := newShelf(20)
				opts := board.options()
				opts.Logger, opts.HoldMissing = slogTo(told), hold
				m := open(t, filepath.Join(t.TempDir(), "jobs.db"), opts)
				refresh := func() (out jobmirror.Refreshed) {
					t.Helper()
					time.Sleep(time.Hour)
					out, err := jobmirror.RefreshedStatus(t.Context(), m)
					if err != nil {
						t.Fatal(err)
					}
					return out
				}
				source := func() jobmirror.SourceStatus {
					t.Helper()
					status, err := m.Status(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					return status.Sources[0]
				}
				has := func(what string, want int) {
					t.Helper()
					if s := source(); s.Rows != want || s.Failures != 0 || s.Problem != "" {
						t.Fatalf("%s: %+v; want %d rows", what, s, want)
					}
				}
				refresh()
				has("at first", 20)
				told.since()

				// One is missing, which would go at once, and one cannot be read.
				odd := []string{`{"jobPostingId":"x","title":"s3cret"}`, `{"jobPostingId":7,"title":"s3cret","title":"a"}`}
				board.tell(append(upTo(6), from(9, 20)...), "open", nil)
				board.odd = odd
				for range 60 { // more than two days
					if out := refresh(); out.Unreadable != 2 || out.Held != 2 || len(out.Partial) > 0 {
						t.Fatalf("%+v", out)
					}
				}
				has("two are missing and two cannot be read", 20)
				if s := source(); s.Unreadable != 2 || s.Held != 2 {
					t.Errorf("%+v", s)
				}
				if board.asked[7] < 10 || board.asked[8] < 10 {
					t.Errorf("asked about their jobs %d and %d times", board.asked[7], board.asked[8])
				}
				text := told.text.String()
				want := []string{"WARN removals of a source are pending", "WARN postings of a source cannot be read"}
				if got := told.since(); !slices.Equal(got, want) {
					t.Errorf("logged %q", got)
				}
				if !strings.Contains(text, `source="channel a" postings=2`) || !strings.Contains(text, "jobPostingId not an integer") || strings.Contains(text, "s3cret") {
					t.Errorf("logged %s", text)
				}

				// The lookup of one says that it is closed.
				board.tell(board.shows, "open", map[int]string{8: "closed"})
				refresh()
				has("one is closed", 19)

				// Everything is missing, for long.
				board.tell(upTo(1), "open", nil)
				for range 60 {
					refresh()
				}
				has("all but one are missing", 19)

				// Once all can be read, the rules are those of any answer: three of these must miss a row.
				board.tell(append(upTo(7), from(9, 19)...), "open", nil)
				board.odd = nil
				for i := range 3 {
					refresh()
					if i < 2 && hold >= 0 {
						has("all can be read, one is missing", 19)
					}
				}
				has("it is missing from three answers", 18)
				if s := source(); s.Unreadable != 0 || s.Held != 0 {
					t.Errorf("%+v", s)
				}
				got := told.since()
				slices.Sort(got)
				if want := []string{
					"INFO all postings of a source can be read again", "INFO no removals of a source are pending any more",
				}; !slices.Equal(got, want) {
					t.Errorf("logged %q", got)
				}
			})
		})
	}
}

// from returns the numbers from first to last.
func from(first, last int) []int { return upTo(last)[first-1:] }

// An answer of which no posting can be read fails as a call, and one that counts more than it shows is a
// part: neither removes anything, nor does an unreadable posting stand for one that is not shown.
func TestUnreadablePostingsAndParts(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(20)
		m := open(t, address, board.options())
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		for what, step := range map[string]struct {
			shows   []int
			part    bool
			problem string
		}{
			"no posting can be read": {nil, false, "results[0] not an object"},
			"a part":                 {upTo(10), true, "the answer holds 11 of 12 postings"},
		} {
			board.mu.Lock()
			board.shows, board.part, board.odd = step.shows, step.part, []string{"7"}
			board.mu.Unlock()
			err := m.Refresh(t.Context())
			status, failed := m.Status(t.Context())
			if failed != nil {
				t.Fatal(failed)
			}
			if s := status.Sources[0]; (err != nil) != (step.shows == nil) || s.Rows != 20 || s.Held != 0 || s.Failures == 0 || !strings.Contains(s.Problem, step.problem) {
				t.Errorf("%s: %v, %+v", what, err, s)
			}
		}
	})
}
