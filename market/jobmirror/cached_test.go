package jobmirror

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// told writes what a lookup of job 7 found, in an answer that was made at a moment, by an
// information with a timestamp; 0: none.
func told(t *testing.T, m *Mirror, made int64, timestamp int64, open bool, err error) {
	t.Helper()
	r := lookedUp{job: 7, answer: nextAnswer(t, m), err: err, origin: origin{made, made}}
	if err == nil {
		r.info = &jobboard.JobInformation{JobID: 7, JobTitle: "Nurse", ApplyPossible: open}
		if timestamp != 0 {
			r.info.Timestamp = jobboard.Timestamp{Time: time.UnixMilli(timestamp)}
		}
	}
	do(t, m, func(t *tx) error {
		return t.answering(m).saveAnswers([]lookedUp{r})
	})
}

// stateOf7 returns the state of job 7, and in how many milliseconds it is asked about.
func stateOf7(t *testing.T, m *Mirror) (state State, due int64) {
	t.Helper()
	do(t, m, func(t *tx) error {
		err := t.Row("SELECT state, next_due FROM jobs WHERE job = 7", nil, &state, &due)
		due -= t.Now
		return err
	})
	return state, due
}

func clock(t *testing.T, m *Mirror) (now int64) {
	t.Helper()
	do(t, m, func(t *tx) error { now = t.Now; return nil })
	return now
}

// A job that was closed is open again by an older information once that was told twice,
// and by a newer one at once.
func TestReopenedByAnOlderInformation(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		const hour = int64(time.Hour / time.Millisecond)
		want(t, m, 7)
		now := clock(t, m)
		for _, closed := range []error{nil, jobboard.ErrJobInactive} {
			is := func(what string, want State) {
				t.Helper()
				if state, _ := stateOf7(t, m); state != want {
					t.Errorf("after it was closed by %v: %s: %s, not %s", closed, what, state, want)
				}
			}
			now += hour // a time later than everything stored so far
			told(t, m, now, now, true, nil)
			is("open", StateOpen)
			told(t, m, now, now-1, false, closed)
			shut := StateClosed
			if closed != nil {
				shut = StateInactive
			}
			is("closed, by whatever information", shut)
			told(t, m, now, now-hour, true, nil)
			is("open by an older information", shut)
			every := m.opts.RefreshEvery.Milliseconds()
			if _, due := stateOf7(t, m); due < every-10_000 || due > every {
				t.Errorf("it is asked again in %d ms", due)
			}
			told(t, m, 1, now-hour, true, nil) // made before: out of the cache once more
			is("the same answer again", shut)
			// Made after the first was received.
			received := clock(t, m)
			told(t, m, max(received, now)+1, now-hour, true, nil)
			is("a second answer", StateOpen)
			// The doubt is over.
			told(t, m, now+2, now+2, false, nil)
			is("closed again", StateClosed)
			now += 2 * hour
			told(t, m, now, now-hour, true, nil)
			is("open by a newer information", StateOpen)
		}
		CheckReplay(t, m)
	})
}

// An answer that was made before the stored one was asked for changes nothing of a job.
func TestLookupOutOfACache(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		want(t, m, 7)
		now := clock(t, m)
		told(t, m, now, 0, false, nil)
		told(t, m, now-1000, 0, true, nil)
		if state, _ := stateOf7(t, m); state != StateClosed {
			t.Errorf("opened by yesterday's answer: %s", state)
		}
		if j, _ := m.Job(t.Context(), 7); j.Failures != 1 || j.Problem != outOfCache {
			t.Errorf("%d failures, %q", j.Failures, j.Problem)
		}
		told(t, m, now, 0, true, nil)
		if state, _ := stateOf7(t, m); state != StateOpen {
			t.Errorf("after an answer of now: %s", state)
		}
		// What was noted before the clock was set back holds up nothing.
		do(t, m, func(t *tx) error { _, err := t.Exec("UPDATE jobs SET made = ?", t.Now+1_000_000); return err })
		told(t, m, now+1, 0, false, nil)
		if state, _ := stateOf7(t, m); state != StateClosed {
			t.Errorf("after the clock was set back: %s", state)
		}
	})
}

func TestAgeOfAnswers(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "90": 90 * time.Second, "-90": 0, "1.5": 0, "soon": 0, "90, 80": 0, " 90": 0,
		"604800": mostAge, "604801": mostAge, "4294967296": mostAge, "18446744073709551615": mostAge, "99999999999999999999999": mostAge,
	} {
		if got := ageOf(http.Header{"Age": {text}}); got != want {
			t.Errorf("Age %q is %v, not %v", text, got, want)
		}
	}
}

// An answer is older than the stored one if it was certainly made before that was asked for,
// unless the clock was set back meanwhile.
func TestOriginsOfAnswers(t *testing.T) {
	const now = 1_000_000
	for _, c := range []struct {
		name   string
		origin origin
		stored int64
		before bool
		kept   int64
	}{
		{"the first", origin{now, now - 10}, 0, false, now - 10},
		{"a later one", origin{now, now - 10}, now - 1000, false, now - 10},
		{"of the same moment", origin{5000, 4000}, 5000, false, 5000},
		{"a moment before", origin{4999, 3999}, 5000, true, 5000},
		{"of an unknown moment", origin{0, 0}, 5000, false, 5000},
		{"stored now", origin{4999, 3999}, now, true, now},
		{"stored in the future", origin{4999, 3999}, now + 1, false, 3999},
	} {
		if got := c.origin.before(c.stored, now); got != c.before {
			t.Errorf("%s: it is older: %t", c.name, got)
		}
		if got := c.origin.kept(c.stored, now); got != c.kept {
			t.Errorf("%s: %d is kept, want %d", c.name, got, c.kept)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		asked := requestTime{at: 50_000, local: time.Now()}
		time.Sleep(500 * time.Millisecond)
		for age, want := range map[time.Duration]origin{0: {50_500, 49_500}, 10 * time.Second: {40_500, 39_500}} {
			if got := asked.received(age); got != want {
				t.Errorf("of age %s: %+v, want %+v", age, got, want)
			}
		}
		h := &freshness{requestTime: asked, stored: 45_000}
		for age, old := range map[string]bool{"": false, "5": false, "6": true} {
			h.readHeader(http.Header{"Age": {age}})
			if h.old() != old || h.read == old {
				t.Errorf("Age %q: old: %t, read: %t", age, h.old(), h.read)
			}
		}
		time.Sleep(5 * time.Second)
		if got, want := asked.received(0), (origin{55_500, 50_000}); got != want {
			t.Errorf("an answer that took long: %+v, want %+v", got, want)
		}
	})
}

// roundTripFunc is a transport.
type roundTripFunc func(r *http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// withAges returns a transport whose answers have the status and the header Age that a function says.
func withAges(says func(r *http.Request) (status int, age string)) http.RoundTripper {
	return roundTripFunc(func(r *http.Request) (*http.Response, error) {
		status, age := says(r)
		return agedAnswer(r, status, age), nil
	})
}

func agedAnswer(r *http.Request, status int, age string) *http.Response {
	body := `{"totalNumberOfJobs":0,"numPages":1,"results":[]}`
	if job := r.URL.Query().Get("jobid"); job != "" {
		body = `{"jobId":` + job + `,"jobTitle":"Nurse","applyPossible":true}`
	}
	header := http.Header{"Age": {age}}
	if status == http.StatusFound {
		header.Set("Location", r.URL.String()+"&moved=1")
	}
	return &http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: header, Body: io.NopCloser(strings.NewReader(body))}
}

// Each lookup of a bulk call is given the age of its own last answer, once: not that of a failed
// attempt before, nor of a redirect. A middleware of the caller's stays in its place.
func TestAgesOfLookups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a ages
		passed, attempts := 0, map[string]int{}
		client, err := jobboard.NewClient(jobboard.Config{
			JobDBURL: "https://jobs.example",
			HTTPClient: &http.Client{Transport: withAges(func(r *http.Request) (int, string) {
				job := r.URL.Query().Get("jobid")
				attempts[job]++
				switch {
				case job == "4" && attempts[job] == 1:
					return http.StatusServiceUnavailable, "40"
				case job == "5" && attempts[job] == 1:
					return http.StatusFound, "50"
				case job == "7":
					return http.StatusOK, "20"
				case job == "8":
					return http.StatusNotFound, "30"
				}
				return http.StatusOK, "0"
			})},
			Middleware: a.under(func(next http.RoundTripper) http.RoundTripper {
				return roundTripFunc(func(r *http.Request) (*http.Response, error) { passed++; return next.RoundTrip(r) })
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		answered := 0
		for r := range client.BulkJobInformation(t.Context(), jobboard.Jobs(4, 5, 6, 7, 8), jobboard.BulkOptions{Concurrency: 1}) {
			if r.Err == nil {
				answered++
			}
		}
		if answered != 4 || passed != 7 {
			t.Fatalf("%d jobs are open, after %d requests", answered, passed)
		}
		sent := requestTime{at: 50_000, local: time.Now()}
		for _, c := range []struct {
			job  jobboard.JobID
			made int64
		}{{4, 50_000}, {5, 50_000}, {6, 50_000}, {7, 30_000}, {7, 50_000}, {8, 20_000}} {
			if got := a.origin(c.job, sent); got.made != c.made {
				t.Errorf("the answer of job %d is %+v, want it made at %d", c.job, got, c.made)
			}
		}
	})
}

// Of refreshes that are under way at the same time each is given the age of its own answer, before the
// first posting, whatever stands in the channel's name and language.
func TestAgesOfSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a ages
		age := ""
		client, err := jobboard.NewClient(jobboard.Config{
			BaseURL: "https://jobs.example/jobboards/7/jobs", ClientID: "10", Language: "de",
			HTTPClient: &http.Client{Transport: withAges(func(*http.Request) (int, string) { return http.StatusOK, age })},
			Middleware: a.under(nil),
		})
		if err != nil {
			t.Fatal(err)
		}
		queries := []jobboard.Query{{}, {Language: "en"}, {Language: "*"}}
		sent := requestTime{at: 50_000, local: time.Now()}
		var streams []*jobboard.PostingStream
		var heard []*freshness
		for _, channel := range []jobboard.ChannelID{"27828_extern", "a/b %2F?"} {
			for _, q := range queries {
				stream, h := client.PostingStream(t.Context(), channel, q), &freshness{requestTime: sent}
				a.searches.Store(searched{string(channel), stream.Query().Language}, h)
				streams, heard = append(streams, stream), append(heard, h)
			}
		}
		for i, stream := range streams {
			age = []string{"10", "20", "30"}[i%3]
			for _, err := range stream.All() {
				t.Fatal(err)
			}
			read := slices.IndexFunc(heard, func(h *freshness) bool { return h.last != origin{} })
			if want := int64(40_000 - i%3*10_000); read != i || heard[i].last.made != want {
				t.Errorf("search %d: refresh %d is given %+v, want one made at %d", i, read, heard[max(read, 0)].last, want)
			}
			*heard[i] = freshness{requestTime: sent}
		}
	})
}
