package jobmirror

import (
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/jobfeed/feedtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// A broken entry of a feed is counted, and the entries before and behind it are copied.
func TestBrokenEntriesLeaveTheOthers(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		src := m.sources[2]
		src.feed.Address = filepath.Join(t.TempDir(), "feed.xml")
		var b strings.Builder
		w := feedtest.NewWriter(&b, nil)
		for _, job := range []jobboard.JobID{101, 102, 103, 104, 105} {
			if err := w.Write(&jobfeed.Entry{JobID: job, Title: "Nurse"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		whole := b.String()
		for _, test := range []struct {
			broken []string
			reason string
			has    string
		}{
			{[]string{"101", "103", "105"}, "3 entries of the feed are broken", "102 104"},
			{[]string{"101"}, "1 entries of the feed are broken", "102 103 104 105"},
			{nil, "", "101 102 103 104 105"},
		} {
			text := whole
			for _, job := range test.broken {
				text = strings.Replace(text, job, "no number", 1)
			}
			if err := os.WriteFile(src.feed.Address, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			read, reason, err := (&refresher{m, src, beginTurn(t, m, src)}).copyFeed(t.Context())
			if err != nil || read != (test.reason == "") || reason != test.reason {
				t.Errorf("%q are broken: whole: %t, %q, %v", test.broken, read, reason, err)
			}
			var has string
			do(t, m, func(t *tx) error {
				jobs, err := t.Numbers("SELECT job FROM entries WHERE source = ? ORDER BY job", src.ID)
				has = strings.Trim(strings.ReplaceAll(store.IDs(jobs), ",", " "), "[]")
				return err
			})
			if has != test.has {
				t.Errorf("%q are broken: the copy has %s", test.broken, has)
			}
		}
	})
}

// feedAnswer is the transport of a feed that is answered with a status, and keeps the request.
type feedAnswer struct {
	status int
	asked  *http.Request
	closed bool
}

func (f *feedAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	f.asked = r
	return &http.Response{
		Status: http.StatusText(f.status), StatusCode: f.status, Header: http.Header{}, Request: r,
		Body: struct {
			io.Reader
			io.Closer
		}{strings.NewReader("<Jobs/>"), closer(func() error { f.closed = true; return nil })},
	}, nil
}

type closer func() error

func (c closer) Close() error { return c() }

// A feed is read from an answer with status 200 alone. Whoever is done with it leaves nothing
// behind: neither a request under way nor a timer.
func TestFeedsLeaveNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := guardedAt(t, filepath.Join(t.TempDir(), "jobs.db"))
		open := func(transport http.RoundTripper) (io.ReadCloser, error) {
			feed := Feed{Address: "https://feeds.example/jobs.xml", HTTPClient: &http.Client{Transport: transport}}
			return m.openFeed(t.Context(), feed, &freshness{})
		}
		for _, status := range []int{201, 202, 203, 204, 206, 304, 400, 401, 404, 410, 500, 503} {
			answer := &feedAnswer{status: status}
			body, err := open(answer)
			if err == nil || body != nil || !strings.Contains(err.Error(), http.StatusText(status)) {
				t.Errorf("status %d: %v", status, err)
			}
			if answer.asked.Context().Err() == nil || !answer.closed {
				t.Errorf("status %d: the request goes on: %v, %t", status, answer.asked.Context().Err(), answer.closed)
			}
		}
		for _, bytes := range []int64{0, 1, 100} { // which are read of it
			answer := &feedAnswer{status: http.StatusOK}
			body, err := open(answer)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.CopyN(io.Discard, body, bytes); err != nil && !errors.Is(err, io.EOF) {
				t.Error(err)
			}
			if answer.asked.Context().Err() != nil || answer.closed {
				t.Error("the request has ended before its answer was closed")
			}
			if err := body.Close(); err != nil {
				t.Error(err)
			}
			if answer.asked.Context().Err() == nil || !answer.closed {
				t.Error("the request goes on after its answer was closed")
			}
		}
	})
}

// leavingClient is a client that takes so many writes, and then no more.
type leavingClient struct {
	*httptest.ResponseRecorder
	takes  int
	writes int
}

func (c *leavingClient) Write(p []byte) (int, error) {
	if c.writes++; c.writes > c.takes {
		return 0, errors.New("the client has left")
	}
	return c.ResponseRecorder.Write(p)
}

// An answer of which the client takes a part is broken off, however much that is: half an
// answer does not look whole.
func TestAnswersThatAreNotTakenAreBrokenOff(t *testing.T) {
	t.Parallel()
	m := guarded(t)
	src := m.sources[0]
	turn := beginTurn(t, m, src)
	ask := func(takes int) (w *leavingClient, cause any) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/rest/v2/frontend/jobboards/whole/jobs", http.NoBody)
		r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
		w = &leavingClient{httptest.NewRecorder(), takes, 0}
		defer func() { cause = recover() }()
		m.Handler().ServeHTTP(w, r)
		return w, nil
	}
	for n, title := range []string{"Nurse", strings.Repeat("Nurse ", 30_000)} { // less than a buffer, and more
		save(t, m, src, turn, &jobboard.JobPosting{JobPostingID: jobboard.JobPostingID(n + 1), Title: title})
		if err := errors.Join((&refresher{m, src, turn}).finish(t.Context(), true, ""), m.index(t.Context())); err != nil {
			t.Fatal(err)
		}
		w, cause := ask(1000)
		if cause != nil || w.Code != http.StatusOK || !strings.HasSuffix(w.Body.String(), "}\n") {
			t.Fatalf("a client that takes all gets %d, %v", w.Code, cause)
		}
		for takes := range w.writes {
			if _, cause := ask(takes); cause != http.ErrAbortHandler {
				t.Errorf("a client that takes %d of %d writes: %v", takes, w.writes, cause)
			}
		}
	}
}

// An event that cannot be written is an error at once, so that a stream stops reading for a
// client that has left.
func TestEventsThatAreNotTaken(t *testing.T) {
	s := newEventStream(&leavingClient{ResponseRecorder: httptest.NewRecorder()})
	if err := s.event("row", "", "a short one"); err != nil {
		t.Errorf("an event that waits in the buffer: %v", err)
	}
	if err := s.event("row", "1", strings.Repeat("long", 10_000)); err == nil {
		t.Error("an event that is longer than the buffer is no error")
	}
	if err := s.event("row", "", "a short one"); err == nil {
		t.Error("the next event is no error")
	}
	if err := s.flush(); err == nil {
		t.Error("what was not taken is flushed")
	}
	if err := s.event("row", "", func() {}); err == nil {
		t.Error("an event that cannot be written is no error")
	}
	w := httptest.NewRecorder()
	s = newEventStream(w)
	err := errors.Join(s.event("row", "", 1), s.event("change", "7-x", map[string]int{"a": 1}), s.flush())
	if want := "event: row\ndata: 1\n\nid: 7-x\nevent: change\ndata: {\"a\":1}\n\n"; err != nil || w.Body.String() != want || !w.Flushed {
		t.Errorf("the stream is %q, %v", w.Body, err)
	}
}

// A loop over rows that ends with an error ends the snapshot with it; one that is left early is
// no error.
func TestSnapshotsThatAreLeft(t *testing.T) {
	t.Parallel()
	m := guarded(t)
	save(t, m, m.sources[0], beginTurn(t, m, m.sources[0]), &jobboard.JobPosting{JobPostingID: 1, Title: "Nurse"}, &jobboard.JobPosting{JobPostingID: 2, Title: "Cook"})
	for _, most := range []int{0, 1, 2} {
		n := 0
		err := m.Snapshot(t.Context(), func(_ Cursor, rows iter.Seq2[Row, error]) error {
			for _, err := range rows {
				if n++; err != nil || n > most {
					return err
				}
			}
			return nil
		})
		if want := min(most+1, 2); n != want || err != nil {
			t.Errorf("%d rows of %d were read, %v", n, most, err)
		}
	}
	stream := &leavingClient{ResponseRecorder: httptest.NewRecorder()}
	at, err := m.snapshotPlace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := newEventStream(stream).rows(t.Context(), m, at); err == nil {
		t.Error("a stream that is not taken has no error")
	}
}
