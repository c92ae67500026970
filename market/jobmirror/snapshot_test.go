package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
)

// manyRows fills a mirror with more jobs and postings than are read in one part: n of each.
func manyRows(t *testing.T, m *Mirror, n int64) {
	t.Helper()
	turn := beginTurn(t, m, m.sources[0])
	var (
		postings []*jobboard.JobPosting
		jobs     []int64
		results  []lookedUp
	)
	for id := int64(1); id <= n; id++ {
		postings = append(postings, &jobboard.JobPosting{
			JobPostingID: jobboard.JobPostingID(id), Title: fmt.Sprintf("Nurse %d", id), ApplyOnlineLink: fmt.Sprintf("https://jobs.example/job/%d/x", id),
		})
		jobs = append(jobs, id)
	}
	save(t, m, m.sources[0], turn, postings...)
	want(t, m, jobs...)
	number := nextAnswer(t, m)
	for _, id := range jobs {
		info := &jobboard.JobInformation{JobID: jobboard.JobID(id), JobTitle: fmt.Sprintf("Nurse %d", id), ApplyPossible: true}
		results = append(results, lookedUp{job: id, answer: number, info: info})
	}
	do(t, m, func(t *tx) error { return t.answering(m).saveAnswers(results) })
}

// upsert applies a change as the documentation says, without a look at Before.
func (r Rows) upsert(c Change) {
	k := key(string(c.Kind), c.ID, c.Language)
	switch {
	case c.Kind == ChangeForgotten:
		if err := r.Apply(c); err != nil {
			panic(err) // a forgotten one has no record
		}
	case c.After == nil:
		delete(r, k)
	default:
		r[k] = string(c.After)
	}
}

// endIdle ends, as a server does with one that is idle for long, each transaction in which
// nothing happens, and reports how many there were. On SQLite it empties the journal beside the
// database, which nobody can while a transaction reads.
func endIdle(t *testing.T, m *Mirror) (n int64) {
	t.Helper()
	query := "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'"
	if !m.db.Shared {
		if err := m.db.Alone().QueryRowContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&n, new(int64), new(int64)); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := m.db.Ask(t.Context(), query, nil, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A reader of all rows may take its time: no transaction is open meanwhile. Rows that are added,
// changed, removed and forgotten between two parts are right once the changes were applied.
func TestSnapshotUnderASlowReader(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		const n = partRows + partRows/2
		manyRows(t, m, n)
		got, seen := Rows{}, 0
		var at Cursor
		change := func() {
			src := m.sources[0]
			turn := beginTurn(t, m, src)
			for _, id := range []jobboard.JobPostingID{2, n - 2, n + 7} { // the last is new
				save(t, m, src, turn, &jobboard.JobPosting{
					JobPostingID: id, PostingVersionID: 9, Title: "Changed", ApplyOnlineLink: fmt.Sprintf("https://jobs.example/job/%d/x", id),
				})
			}
			for _, job := range []jobboard.JobID{3, n - 3} { // of which one was read
				if err := m.Forget(t.Context(), job); err != nil {
					t.Fatal(err)
				}
			}
			do(t, m, func(t *tx) error {
				rows, err := t.load("posting IN (4, ?)", n-4)
				for _, r := range rows {
					err = errors.Join(err, postingTx{t}.remove(r, "test"))
				}
				return err
			})
		}
		err := m.Snapshot(t.Context(), func(cursor Cursor, rows iter.Seq2[Row, error]) error {
			at = cursor
			for row, err := range rows {
				if err != nil {
					return err
				}
				if seen++; seen == partRows/2 || seen == n+partRows/2 { // in the jobs, in the postings
					if open := endIdle(t, m); open != 0 {
						t.Errorf("%d transactions are open while the reader does something else", open)
					}
				}
				if seen == n+partRows/2 {
					change()
				}
				if row.Job != nil {
					got[key("job", int64(row.Job.Job), "")] = encode(row.Job)
				} else {
					got[key("posting", int64(row.Posting.Posting), row.Posting.Language)] = encode(row.Posting)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got[key("posting", 3, "")] == "" || got[key("posting", n-3, "")] != "" {
			t.Error("of what was forgotten not the one posting was read before and the other after")
		}
		for change, err := range m.Changes(t.Context(), at) {
			if err != nil {
				t.Fatal(err)
			}
			got.upsert(change)
		}
		want, _, err := TakeSnapshot(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if want[key("posting", n+7, "")] == "" || want[key("job", 3, "")] != "" || len(want) < 2*n-10 {
			t.Errorf("the mirror has %d rows", len(want))
		}
		got.Compare(t, "with the changes", want)
	})
}

// A reader slower than KeepChanges is told so, and a reader of the stream is also told to wait
// before it begins anew. One that leaves, or is cancelled, ends at once.
func TestSnapshotThatTakesTooLong(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		manyRows(t, m, partRows+1)
		trim := func() {
			savePosting(t, m, m.sources[0], beginTurn(t, m, m.sources[0]), 100_000+jobboard.JobPostingID(nextAnswer(t, m)), "New")
			do(t, m, func(t *tx) error {
				_, err := t.Exec("UPDATE changes SET at = 0")
				return err
			})
			if err := m.prune(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		read := func(ctx context.Context, during func()) (rows int, last error) {
			err := m.Snapshot(ctx, func(_ Cursor, all iter.Seq2[Row, error]) error {
				for _, err := range all {
					if last = err; err == nil {
						rows++
					}
					if rows == 10 && err == nil {
						during()
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			return rows, last
		}
		if rows, err := read(t.Context(), trim); !errors.Is(err, ErrCursorTooOld) || rows != partRows {
			t.Errorf("without the changes since it began a reader gets %d rows, and %v", rows, err)
		}
		if rows, err := read(t.Context(), func() {}); err != nil || rows <= 2*partRows {
			t.Errorf("the next one gets %d rows, and %v", rows, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if rows, err := read(ctx, cancel); !errors.Is(err, context.Canceled) || rows != 10 {
			t.Errorf("one that is cancelled gets %d rows, and %v", rows, err)
		}
		at, err := m.snapshotPlace(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		trim()
		w := httptest.NewRecorder()
		s := newEventStream(w)
		if err = s.rows(t.Context(), m, at); !errors.Is(err, ErrCursorTooOld) {
			t.Error(err)
		}
		s.fail(t.Context(), m, err)
		if told := w.Body.String(); !strings.Contains(told, "retry: 60000\nevent: failed\n") || !strings.Contains(told, "does not reach back") {
			t.Errorf("the stream ends with %q", told)
		}
	})
}

// Close ends Run, which returns an error, and so does Run after it. The stream of a closed mirror
// is answered with 503.
func TestRunOfAClosedMirror(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		ctx := t.Context()
		ended := make(chan error, 2)
		started := make(chan struct{})
		go func() {
			_, done, err := m.begin(ctx) // a Refresh that takes a while
			close(started)
			<-m.life.Done()
			done()
			ended <- err
		}()
		<-started
		go func() { ended <- m.Run(ctx) }()
		for working := int64(0); working == 0; { // until it says that it runs
			select {
			case err := <-ended:
				t.Fatalf("Run ended: %v", err)
			default:
			}
			do(t, m, func(t *tx) (err error) {
				working, err = statusTx{t}.working()
				return err
			})
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		errs := []error{<-ended, <-ended}
		closed := func(err error) bool {
			return err != nil && strings.Contains(err.Error(), "the mirror is closed") && jobboard.HTTPStatus(err) == http.StatusServiceUnavailable
		}
		if !slices.ContainsFunc(errs, closed) || !slices.Contains(errs, nil) {
			t.Errorf("under Close: %v", errs)
		}
		if !m.db.Shared { // the closed mirror may touch nothing beside its file
			if err := os.RemoveAll(filepath.Dir(m.db.address)); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Run(ctx); !closed(err) {
			t.Errorf("Run after Close: %v", err)
		}
		limited, cancel := context.WithTimeout(ctx, time.Minute) // in vain only where one waits for ever
		defer cancel()
		refreshed := m.Refresh(limited)
		_, searched := m.Search(limited, Query{})
		_, status := m.Status(limited)
		for what, err := range map[string]error{"Refresh": refreshed, "Search": searched, "Status": status, "Ready": m.Ready(limited)} {
			if !closed(err) || limited.Err() != nil {
				t.Errorf("%s after Close: %v, %v", what, err, limited.Err())
			}
		}
		for _, cursor := range []string{"", "?since=" + string(m.cursor(changelog.Place{}))} {
			r := httptest.NewRequest(http.MethodGet, "/mirror/changes"+cursor, nil)
			r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
			w := httptest.NewRecorder()
			m.Handler().ServeHTTP(w, r)
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
				t.Errorf("changes%s: %d %s", cursor, w.Code, w.Body)
			}
		}
	})
}

// A Mirror that Open did not make says so, by whatever it is asked.
func TestMirrorThatWasNotOpened(t *testing.T) {
	t.Parallel()
	var m Mirror
	ctx := t.Context()
	refreshed := m.Refresh(ctx)
	_, searched := m.Search(ctx, Query{})
	_, suggested := m.Suggest(ctx, Query{Text: "nu"})
	_, job := m.Job(ctx, 7)
	_, status := m.Status(ctx)
	_, _, snapshot := TakeSnapshot(ctx, &m)
	errs := []error{m.Run(ctx), refreshed, searched, suggested, job, status, snapshot, m.Forget(ctx, 7), m.Ready(ctx), m.Backup(ctx, "x"), m.RemoveSources(ctx)}
	for _, err := range m.Changes(ctx, "") {
		errs = append(errs, err)
	}
	for _, err := range m.Jobs(ctx) {
		errs = append(errs, err)
	}
	_, languages := m.StoredLanguages(ctx)
	errs = append(errs, languages)
	for i, err := range errs {
		if !errors.Is(err, jobboard.ErrInvalidInput) || !strings.Contains(err.Error(), "jobmirror.Open") {
			t.Errorf("%d: %v", i, err)
		}
	}
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/mirror/status", nil))
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "jobmirror.Open") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
