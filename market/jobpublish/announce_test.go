package jobpublish_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
)

// engine is the search engine's side: it keeps what it was sent, and answers as it is told.
type engine struct {
	answers []int // of the first announcements; then 200
	header  http.Header
	took    [][]string
	at      []time.Time // of each announcement, taken or not
	bodies  []string
}

func (e *engine) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	e.at, e.bodies = append(e.at, time.Now()), append(e.bodies, r.Method+" "+r.URL.String()+" "+r.Header.Get("Content-Type")+" "+string(body))
	status := http.StatusOK
	if len(e.answers) > 0 {
		status, e.answers = e.answers[0], e.answers[1:]
	}
	if status == 0 {
		return nil, errors.New("no connection")
	}
	if status < 300 {
		var sent struct {
			URLList []string `json:"urlList"`
		}
		if err := json.Unmarshal(body, &sent); err != nil {
			return nil, err
		}
		e.took = append(e.took, sent.URLList)
	}
	header := e.header
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

func announcer(t *testing.T, e *engine, edit func(*jobpublish.AnnouncerConfig)) *jobpublish.Announcer {
	t.Helper()
	cfg := jobpublish.AnnouncerConfig{
		URL: "https://jobs.example/", Key: "0123abcd-key", HTTPClient: &http.Client{Transport: e},
	}
	if edit != nil {
		edit(&cfg)
	}
	a, err := jobpublish.NewAnnouncer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// pages yields addresses of pages from first to before last.
func pages(first, last int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for i := first; i < last; i++ {
			if !yield(fmt.Sprintf("https://jobs.example/job/%d/", i), nil) {
				return
			}
		}
	}
}

func these(addresses ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, address := range addresses {
			if !yield(address, nil) {
				return
			}
		}
	}
}

func TestAnnouncementOnTheWire(t *testing.T) {
	e := &engine{}
	a := announcer(t, e, nil)
	if err := a.Announce(t.Context(), these("https://jobs.example/job/1/a", "https://JOBS.example/job/2/b", "https://jobs.example/job/1/a",
		"https://other.example/job/3/", "http://jobs.example/job/4/", "https://u@jobs.example/5", "https://jobs.example/6#x", "")); err != nil {
		t.Fatal(err)
	}
	want := `POST https://api.indexnow.org/indexnow application/json; charset=utf-8 {"host":"jobs.example","key":"0123abcd-key",` +
		`"keyLocation":"https://jobs.example/0123abcd-key.txt","urlList":["https://jobs.example/job/1/a","https://JOBS.example/job/2/b"]}`
	if len(e.bodies) != 1 || e.bodies[0] != want {
		t.Errorf("%q\nnot %q", e.bodies, want)
	}
	w := httptest.NewRecorder()
	a.KeyFile().ServeHTTP(w, httptest.NewRequest(http.MethodGet, a.KeyPath(), http.NoBody))
	if a.KeyPath() != "/0123abcd-key.txt" || w.Body.String() != "0123abcd-key" || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%s: %q, %v", a.KeyPath(), w.Body, w.Header())
	}
	if err := a.Announce(t.Context(), these()); err != nil || len(e.bodies) != 1 {
		t.Errorf("of no address %d announcements were sent, %v", len(e.bodies)-1, err)
	}
}

// 25 000 pages are told in announcements of 10 000, and as many a day as may be. A store that is kept
// goes on counting in the next process.
func TestAnnouncementsHaveBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, store := &engine{}, &told{}
		began := time.Now()
		bound := func(cfg *jobpublish.AnnouncerConfig) { cfg.Store, cfg.PerDay = store, 12_000 }
		if err := announcer(t, e, bound).Announce(t.Context(), pages(0, 11_000)); err != nil {
			t.Fatal(err)
		}
		if err := announcer(t, e, bound).Announce(t.Context(), pages(11_000, 25_000)); err != nil { // started anew
			t.Fatal(err)
		}
		var sizes []int
		seen := map[string]int{}
		for _, batch := range e.took {
			sizes = append(sizes, len(batch))
			for _, address := range batch {
				seen[address]++
			}
		}
		if !slices.Equal(sizes, []int{10_000, 1_000, 1_000, 9_000, 3_000, 1_000}) || len(seen) != 25_000 {
			t.Errorf("announcements of %v, of %d pages", sizes, len(seen))
		}
		for i, at := range e.at {
			sum := 0
			for k := i; k >= 0 && at.Sub(e.at[k]) < 24*time.Hour; k-- {
				sum += len(e.took[k])
			}
			if sum > 12_000 {
				t.Errorf("%d pages were told within the day before %s", sum, at.Sub(began))
			}
		}
		if took := time.Since(began); took < 48*time.Hour || took > 49*time.Hour {
			t.Errorf("it took %s", took)
		}
	})
}

// A page that changes again and again is told once in ten minutes, and its last change is told.
func TestAnnouncedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{}
		a := announcer(t, e, nil)
		for range 3 {
			if err := a.Announce(t.Context(), these("https://jobs.example/job/1/", "https://jobs.example/job/2/")); err != nil {
				t.Fatal(err)
			}
		}
		if len(e.at) != 3 || e.at[1].Sub(e.at[0]) < 10*time.Minute || e.at[2].Sub(e.at[1]) < 10*time.Minute || e.at[2].Sub(e.at[0]) > 21*time.Minute {
			t.Errorf("told at %v", e.at)
		}
	})
}

func TestAnnouncementIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{answers: []int{0, 500, 429, 202}}
		if err := announcer(t, e, nil).Announce(t.Context(), pages(0, 3)); err != nil {
			t.Fatal(err)
		}
		var gaps []time.Duration
		for i := 1; i < len(e.at); i++ {
			gaps = append(gaps, e.at[i].Sub(e.at[i-1]))
		}
		if !slices.Equal(gaps, []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute}) || len(e.took) != 1 {
			t.Errorf("repeated after %v", gaps)
		}

		e = &engine{answers: []int{503, 503}, header: http.Header{"Retry-After": {"7200"}}}
		began := time.Now()
		if err := announcer(t, e, nil).Announce(t.Context(), pages(0, 3)); err != nil || time.Since(began) != 4*time.Hour {
			t.Errorf("after %s: %v", time.Since(began), err)
		}

		// The wait ends with the context.
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		e = &engine{answers: slices.Repeat([]int{500}, 100)}
		if err := announcer(t, e, nil).Announce(ctx, pages(0, 3)); !errors.Is(err, context.DeadlineExceeded) || len(e.at) != 2 {
			t.Errorf("%d announcements, %v", len(e.at), err)
		}
	})
}

// An outage of a day is tried once an hour at last.
func TestAnnouncementsWaitAnHourAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{answers: slices.Repeat([]int{503}, 20)}
		if err := announcer(t, e, nil).Announce(t.Context(), pages(0, 3)); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(e.at); i++ {
			if gap := e.at[i].Sub(e.at[i-1]); i > 6 && gap != time.Hour || gap > time.Hour {
				t.Errorf("try %d comes after %s", i, gap)
			}
		}
	})
}

// The bound of a day counts a page each time that it is told, and what was told before the bound was lowered.
func TestBoundOfADayCountsAnnouncements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, store := &engine{}, &told{}
		bound := func(n int) func(*jobpublish.AnnouncerConfig) {
			return func(cfg *jobpublish.AnnouncerConfig) { cfg.Store, cfg.PerDay, cfg.Again = store, n, time.Minute }
		}
		began := time.Now()
		for range 4 { // at once, and after each minute
			if err := announcer(t, e, bound(4)).Announce(t.Context(), pages(0, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took > 4*time.Minute {
			t.Errorf("four announcements of a page took %s", took)
		}
		if err := announcer(t, e, bound(4)).Announce(t.Context(), pages(0, 1)); err != nil || time.Since(began) < 24*time.Hour {
			t.Errorf("the fifth comes after %s, %v", time.Since(began), err)
		}

		e, store = &engine{}, &told{}
		began = time.Now()
		for i := range 3 {
			if err := announcer(t, e, bound(9)).Announce(t.Context(), pages(3*i, 3*i+3)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
		asked := store.asked
		if err := announcer(t, e, bound(3)).Announce(t.Context(), pages(9, 10)); err != nil || time.Since(began) < 26*time.Hour {
			t.Errorf("with a lower bound, after %s, %v", time.Since(began), err)
		}
		if n := store.asked - asked; n > 3 {
			t.Errorf("the store is asked %d times meanwhile", n)
		}
	})
}

// An address that comes again after a whole announcement is told again, because its page has changed again.
func TestAnnouncedAgainAfterAnAnnouncement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{}
		both := func(yield func(string, error) bool) {
			for address, err := range pages(0, 10_000) {
				if !yield(address, err) {
					return
				}
			}
			yield("https://jobs.example/job/7/", nil)
		}
		err := announcer(t, e, func(cfg *jobpublish.AnnouncerConfig) { cfg.PerDay = 20_000 }).Announce(t.Context(), both)
		if err != nil || len(e.took) != 2 || !slices.Equal(e.took[1], []string{"https://jobs.example/job/7/"}) {
			t.Errorf("%d announcements, %v", len(e.took), err)
		}
	})
}

func TestAnnouncementIsRefused(t *testing.T) {
	for _, status := range []int{301, 400, 403, 404, 422} {
		e := &engine{answers: []int{status}, header: http.Header{"Location": {"https://elsewhere.example/"}}}
		store := &told{}
		err := announcer(t, e, func(cfg *jobpublish.AnnouncerConfig) { cfg.Store = store }).Announce(t.Context(), pages(0, 3))
		refused, ok := errors.AsType[*jobpublish.AnnounceError](err)
		if !ok || refused.StatusCode != status || len(e.bodies) != 1 || len(store.at) != 0 {
			t.Errorf("%d: %v, after %d requests", status, err, len(e.bodies))
		}
	}
	broken := errors.New("broken")
	e := &engine{}
	failing := func(yield func(string, error) bool) { _ = yield("https://jobs.example/1", nil) && yield("", broken) }
	if err := announcer(t, e, nil).Announce(t.Context(), failing); !errors.Is(err, broken) || len(e.bodies) != 0 {
		t.Errorf("%d announcements, %v", len(e.bodies), err)
	}
	if err := announcer(t, e, func(cfg *jobpublish.AnnouncerConfig) { cfg.Store = &told{err: broken} }).
		Announce(t.Context(), pages(0, 1)); !errors.Is(err, broken) || len(e.bodies) != 0 {
		t.Errorf("%d announcements with a broken store, %v", len(e.bodies), err)
	}
}

func TestAnnouncerIsMistyped(t *testing.T) {
	_, err := jobpublish.NewAnnouncer(jobpublish.AnnouncerConfig{
		URL: "jobs.example", Key: "a/../b.txt", Endpoint: "indexnow", PerDay: -1, Again: -1,
	})
	for _, field := range []string{"URL", "Key", "Endpoint", "PerDay", "Again"} {
		if err == nil || !strings.Contains(err.Error(), "Config."+field+" ") {
			t.Errorf("nothing is said of %s: %v", field, err)
		}
	}
}

// told is a store.
type told struct {
	err       error
	asked     int // how often Told was called
	addresses []string
	at        []time.Time
}

func (s *told) Told(_ context.Context, since time.Time) (map[string][]time.Time, error) {
	s.asked++
	out := map[string][]time.Time{}
	for i, at := range s.at {
		if !at.Before(since) {
			out[s.addresses[i]] = append(out[s.addresses[i]], at)
		}
	}
	return out, s.err
}

func (s *told) SetTold(_ context.Context, addresses []string, at time.Time) error {
	s.addresses = append(s.addresses, addresses...)
	s.at = append(s.at, slices.Repeat([]time.Time{at}, len(addresses))...)
	return nil
}
