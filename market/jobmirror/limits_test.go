package jobmirror

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
)

// What the options leave out has the value that their comments tell, and what they ask for
// beyond a bound has the bound.
func TestDefaultsOfOptions(t *testing.T) {
	const day = 24 * time.Hour
	type kept struct {
		limit                                                   float64
		concurrency                                             int
		refresh, lookup, maxAge, changes, holdMissing, sourcing time.Duration
	}
	for _, test := range []struct {
		name string
		opts Options
		want kept
	}{
		{"nothing", Options{}, kept{20, 16, 15 * time.Minute, day, 2 * day, 30 * day, day, 7 * day}},
		{
			"below nothing",
			Options{Limit: -1, Concurrency: -1, RefreshEvery: -1, LookupEvery: -1, MaxAge: -1, KeepChanges: -1, HoldMissing: -1, KeepSources: -1},
			kept{-1, 16, 15 * time.Minute, day, 2 * day, 30 * day, -1, -1},
		},
		{
			"the least",
			Options{Limit: 0.5, Concurrency: 1, RefreshEvery: 1, LookupEvery: 1, MaxAge: 1, KeepChanges: 1, HoldMissing: 1, KeepSources: 1},
			kept{0.5, 1, 1, 1, 1, 1, 1, 1},
		},
		{
			"the most",
			Options{Concurrency: 1024, RefreshEvery: 1825 * day, LookupEvery: 1825 * day},
			kept{20, 1024, 1825 * day, 1825 * day, 3650 * day, 30 * day, day, 7 * day},
		},
		{
			"more than that",
			Options{Concurrency: 1025, RefreshEvery: 1825*day + 1, LookupEvery: 1825*day + 1},
			kept{20, 1024, 1825 * day, 1825 * day, 3650 * day, 30 * day, day, 7 * day},
		},
		{"lookups each 24 hours and a bit", Options{LookupEvery: day + 1}, kept{20, 16, 15 * time.Minute, day + 1, 2*day + 2, 30 * day, day, 7 * day}},
		{"lookups each 23 hours", Options{LookupEvery: 23 * time.Hour}, kept{20, 16, 15 * time.Minute, 23 * time.Hour, 2 * day, 30 * day, day, 7 * day}},
	} {
		o := test.opts
		o.setDefaults()
		got := kept{o.Limit, o.Concurrency, o.RefreshEvery, o.LookupEvery, o.MaxAge, o.KeepChanges, o.HoldMissing, o.KeepSources}
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// A batch has what the limit lets through in two seconds, at least 20 jobs and at most 500,
// or as many more as are looked up at once eight times.
func TestSizeOfABatch(t *testing.T) {
	for _, test := range []struct {
		limit       float64
		concurrency int
		want        int
	}{
		{-1, 16, 500},
		{-1, 62, 500},
		{-1, 63, 504},
		{-1, 1024, 8192},
		{1, 16, 20},
		{10, 16, 20},
		{10.5, 16, 21},
		{20, 16, 40},
		{250, 16, 500},
		{251, 16, 500},
		{251, 63, 502},
		{1000, 63, 504},
	} {
		m := &Mirror{opts: &Options{Limit: test.limit, Concurrency: test.concurrency}}
		if got := m.batchSize(); got != test.want {
			t.Errorf("%v a second, %d at once: %d jobs, want %d", test.limit, test.concurrency, got, test.want)
		}
	}
}

// Waits double with each failure up to a day, and are spread by a tenth, downwards.
func TestWaitsAfterFailures(t *testing.T) {
	for failures, want := range map[int]time.Duration{
		0: time.Second, 1: 2 * time.Second, 2: 4 * time.Second, 13: 8192 * time.Second, 14: 16_384 * time.Second, 15: 16_384 * time.Second, 1000: 16_384 * time.Second,
	} {
		if got := backOff(failures, time.Second); got != want {
			t.Errorf("after %d failures: %s, want %s", failures, got, want)
		}
	}
	for failures, want := range map[int]time.Duration{11: 2048 * 30 * time.Second, 12: 24 * time.Hour, 1000: 24 * time.Hour} {
		if got := backOff(failures, 30*time.Second); got != want {
			t.Errorf("after %d failures: %s, want %s", failures, got, want)
		}
	}
	least, most := 2.0, 0.0
	for range 2000 {
		share := float64(jitter(time.Hour)) / float64(time.Hour)
		least, most = min(least, share), max(most, share)
	}
	if least < 0.9 || least > 0.91 || most > 1 || most < 0.99 {
		t.Errorf("waits are spread from %.3f to %.3f", least, most)
	}
}

// What went wrong is told in 300 characters and without an address.
func TestProblemsAreShort(t *testing.T) {
	for text, want := range map[string]string{
		"short": "short", strings.Repeat("ä", 300): strings.Repeat("ä", 300), strings.Repeat("ä", 301): strings.Repeat("ä", 300),
	} {
		if got := problem(&url.Error{Op: "Get", URL: "https://a:secret@feeds.example/", Err: errors.New(text)}); got != want {
			t.Errorf("%d bytes are told as %q", len(text), got)
		}
	}
}

// A feed's name has no part of its address that may be secret. Each is copied once, however often it is listed.
func TestNamesOfSources(t *testing.T) {
	opts := Options{
		Channels: []Channel{{ID: "a", Languages: []string{"de", "en", "de"}}, {ID: "a", Languages: []string{"en"}}, {ID: "b"}},
		Feeds: []Feed{
			{Address: "https://user:secret@feeds.example/jobs.xml?key=secret#part"},
			{Address: "jobs.xml"},
			{Name: "own", Address: "HTTP://feeds.example/?a"},
		},
	}
	sources, err := opts.sources()
	if err != nil {
		t.Fatal(err)
	}
	var causes []string
	for _, s := range sources {
		causes = append(causes, s.Cause())
	}
	want := "channel a de, channel a en, channel b, feed https://feeds.example/jobs.xml, " +
		"feed jobs.xml, feed own"
	if got := strings.Join(causes, ", "); got != want {
		t.Errorf("the sources are %s, want %s", got, want)
	}
	for _, wrong := range []Options{{Channels: []Channel{{}}}, {Feeds: []Feed{{Name: "a"}}}} {
		if _, err := wrong.sources(); err == nil {
			t.Errorf("%+v is no error", wrong)
		}
	}
}

// slowReader is a client that reads nothing, not even the status, until the gate is open.
type slowReader struct {
	*httptest.ResponseRecorder
	gate <-chan struct{}
}

func (r slowReader) WriteHeader(status int) {
	<-r.gate
	r.ResponseRecorder.WriteHeader(status)
}

func (r slowReader) Write(p []byte) (int, error) {
	<-r.gate
	return r.ResponseRecorder.Write(p)
}

// So many are answered at the same time, and who comes then is told when to come back.
func TestPlacesOfTheHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := guardedAt(t, filepath.Join(t.TempDir(), "jobs.db"))
		status, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		h := m.Handler()
		for _, test := range []struct {
			target string
			places int
			after  string        // Retry-After
			wait   time.Duration // of who finds no place
		}{
			{"/api/rest/v2/frontend/jobboards/whole/jobs", 64, "1", 0},
			{"/mirror/changes?since=" + string(status.Newest), 512, "1", 0},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			ask := func(w http.ResponseWriter) {
				r := httptest.NewRequestWithContext(ctx, http.MethodGet, test.target, http.NoBody)
				r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
				h.ServeHTTP(w, r)
			}
			gate := make(chan struct{})
			readers := make([]slowReader, test.places)
			var all sync.WaitGroup
			for i := range readers {
				readers[i] = slowReader{httptest.NewRecorder(), gate}
				all.Go(func() { ask(readers[i]) })
			}
			synctest.Wait()
			refused, began := httptest.NewRecorder(), time.Now()
			all.Go(func() { ask(refused) })
			time.Sleep(test.wait)
			synctest.Wait()
			if refused.Code != http.StatusServiceUnavailable || refused.Header().Get("Retry-After") != test.after || time.Since(began) != test.wait {
				t.Errorf("%s: who finds no place gets %d, Retry-After %q", test.target, refused.Code, refused.Header().Get("Retry-After"))
			}
			cancel()
			close(gate)
			all.Wait()
			for _, r := range readers {
				if got := r.Header().Get("Retry-After"); got == test.after {
					t.Errorf("%s: one of the first %d is told to come back", test.target, test.places)
					break
				}
			}
		}
		time.Sleep(changelog.LookEvery) // until nobody asks for the end of the log any more
	})
}

// A stream tells proxies to leave it alone, and says each fifteen seconds that it is there.
func TestHeartbeatOfAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := guardedAt(t, filepath.Join(t.TempDir(), "jobs.db"))
		status, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/mirror/changes", http.NoBody)
		r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
		r.Header.Set("Last-Event-ID", string(status.Newest))
		w := httptest.NewRecorder()
		var stream sync.WaitGroup
		stream.Go(func() { m.Handler().ServeHTTP(w, r) })
		for at, want := range []string{"", ":\n\n", ":\n\n:\n\n"} {
			synctest.Wait()
			if got := w.Body.String(); got != want {
				t.Errorf("after %d s it has said %q", at*15, got)
			}
			time.Sleep(15*time.Second - 1)
			synctest.Wait()
			if got := w.Body.String(); got != want {
				t.Errorf("just before %d s it has said %q", at*15+15, got)
			}
			time.Sleep(time.Nanosecond)
		}
		cancel()
		stream.Wait()
		time.Sleep(changelog.LookEvery) // until nobody asks for the end of the log any more
		for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %q", name, got)
			}
		}
	})
}

// A page has 20 postings unless it is asked for another number, and 1000 at most; a text to
// search for has 1000 bytes at most, and texts are suggested behind eight words at most.
func TestLimitsOfASearch(t *testing.T) {
	t.Parallel()
	m := guarded(t)
	src := m.sources[0]
	turn := beginTurn(t, m, src)
	const title = "one two three four five six seven eight nine nurse"
	var all []*jobboard.JobPosting
	for i := range 1001 {
		all = append(all, &jobboard.JobPosting{JobPostingID: jobboard.JobPostingID(i + 1), Title: title})
	}
	save(t, m, src, turn, all...)
	if err := errors.Join((&refresher{m, src, turn}).finish(t.Context(), true, ""), m.index(t.Context())); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int]int{-1: 20, 0: 20, 1: 1, 2: 2, 20: 20, 21: 21, 999: 999, 1000: 1000, 1001: 1000, math.MaxInt: 1000} {
		page, err := m.Search(t.Context(), Query{Text: "nurse", Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Postings) != want || page.Next == "" {
			t.Errorf("a page of %d has %d postings, and then %q", limit, len(page.Postings), page.Next)
		}
	}
	longest := "nurse" + strings.Repeat(" ", 995)
	if page, err := m.Search(t.Context(), Query{Text: longest}); err != nil || len(page.Postings) != 20 {
		t.Errorf("the longest text: %v", err)
	}
	if list, err := m.Suggest(t.Context(), Query{Text: longest[:996] + "nurs"}); err != nil || len(list) != 2 || list[0] != longest[:996]+"nurse" {
		t.Errorf("behind the longest text %q are suggested, %v", list, err)
	}
	_, search := m.Search(t.Context(), Query{Text: longest + "x"})
	_, suggest := m.Suggest(t.Context(), Query{Text: longest + "x"})
	if !errors.Is(search, jobboard.ErrInvalidInput) || !errors.Is(suggest, jobboard.ErrInvalidInput) {
		t.Errorf("a text of 1001 bytes: %v, %v", search, suggest)
	}
	words := strings.Fields(title)
	for n, want := range map[int]int{0: 2, 1: 2, 8: 2, 9: 0} { // the word and the title
		text := strings.Join(words[:n], " ") + " nur"
		if list, err := m.Suggest(t.Context(), Query{Text: text}); err != nil || len(list) != want {
			t.Errorf("%q: %q are suggested, %v", text, list, err)
		}
	}
}

// stallingFeed is the transport of a feed that sends its beginning, and the rest when it is
// given up.
type stallingFeed string

func (f stallingFeed) RoundTrip(r *http.Request) (*http.Response, error) {
	if f == "" {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	rest, _ := io.Pipe()
	context.AfterFunc(r.Context(), func() { rest.CloseWithError(r.Context().Err()) })
	body := struct {
		io.Reader
		io.Closer
	}{io.MultiReader(strings.NewReader(string(f)), rest), rest}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, Request: r}, nil
}

// A feed that sends nothing is given up after half a minute, at its beginning or later.
func TestFeedThatStalls(t *testing.T) {
	for name, feed := range map[string]stallingFeed{"no answer": "", "half an answer": "<Envelope>"} {
		synctest.Test(t, func(t *testing.T) {
			m := OpenFor(t, filepath.Join(t.TempDir(), "jobs.db"), Options{
				Config: jobboard.Config{JobDBURL: "http://127.0.0.1:1"}, Limit: -1,
				Feeds: []Feed{{Name: "feed", Address: "https://feeds.example/jobs.xml", HTTPClient: &http.Client{Transport: feed}}},
			})
			src := m.sources[0]
			turn := beginTurn(t, m, src)
			began := time.Now()
			_, _, err := (&refresher{m, src, turn}).copyFeed(t.Context())
			if took := time.Since(began); took != 30*time.Second || err == nil || !strings.Contains(err.Error(), "it sent nothing for 30s") {
				t.Errorf("%s: after %s %v", name, took, err)
			}
		})
	}
}
