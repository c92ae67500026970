package jobmirror_test

import (
	"context"
	"errors"
	"iter"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// calling is a method of a mirror that is called with each of its statements failing once.
type calling struct {
	from   string // the database that the mirror copies
	opts   jobmirror.Options
	writes bool // each call has a fresh copy
	call   func(ctx context.Context, m *jobmirror.Mirror) error
}

// A statement that fails makes fail whatever needs it: no error gets lost on its way to
// the caller. On SQLite the other statements of a transaction would go on. What failed works
// when it is tried again, and leaves what an undisturbed call leaves.
func TestNoErrorOfAStatementIsLost(t *testing.T) {
	t.Parallel()
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	dir := t.TempDir()
	feed := filepath.Join(dir, "feed.xml")
	publish := func(title, city string) int64 {
		_, p := srv.Publish("1_all", jobboardtest.Job{Title: title, Language: "de", Location: jobboardtest.Location{City: city, Lat: "52.52", Long: "13.37"}})
		p.Config = map[string][]string{"jobcategory": {"7"}, "locationname": {city}, "_internalAdText": {"<p>We need one more.</p>"}}
		srv.AddPosting(p)
		return p.JobID
	}
	jobs := []int64{publish("Nurse", "Berlin"), publish("Software developer", "Köln"), publish("Cook", "Bern")}
	feedOf(t, feed, jobs, 0)
	opts := feedOptions(srv, feed)
	opts.Config.BaseURL, opts.Config.ClientID = srv.BaseURL, "10"
	opts.Channels = []jobmirror.Channel{{ID: "1_all", Languages: []string{"de", "en"}}}
	empty, full := filepath.Join(dir, "empty.db"), filepath.Join(dir, "full.db")
	m := open(t, filepath.Join(dir, "jobs.db"), opts)
	backUp(t, m, empty)
	refresh(t, m)
	// What the next refresh finds.
	feedOf(t, feed, append(jobs[:2:2], publish("Baker", "Wien")), 1)
	srv.DeactivateJob(jobs[1])
	for _, statement := range []string{
		"UPDATE jobs SET next_due = 1", "INSERT INTO unindexed (posting) SELECT id FROM postings",
	} {
		if err := jobmirror.Exec(t.Context(), m, statement); err != nil {
			t.Fatal(err)
		}
	}
	backUp(t, m, full)
	// The board's bytes are noted anew for what is as it was stored.
	unlearned := filepath.Join(dir, "unlearned.db")
	if err := jobmirror.Exec(t.Context(), m, "UPDATE listings SET raw = 0"); err != nil {
		t.Fatal(err)
	}
	backUp(t, m, unlearned)

	reads := func(call func(ctx context.Context, m *jobmirror.Mirror) error) calling {
		return calling{full, opts, false, call}
	}
	writes := func(call func(ctx context.Context, m *jobmirror.Mirror) error) calling {
		return calling{full, opts, true, call}
	}
	search := func(q jobmirror.Query) calling {
		return reads(func(ctx context.Context, m *jobmirror.Mirror) error { _, err := m.Search(ctx, q); return err })
	}
	page, err := m.Search(t.Context(), jobmirror.Query{Text: "need", Limit: 1})
	if err != nil || page.Next == "" {
		t.Fatal(page, err)
	}
	job := find(t, m, jobmirror.Query{Text: "need"})[0].Job
	calls := map[string]calling{
		"Changes":       reads(func(ctx context.Context, m *jobmirror.Mirror) error { return firstError(m.Changes(ctx, "")) }),
		"first Refresh": {empty, opts, true, refreshed},
		"Forget":        writes(func(ctx context.Context, m *jobmirror.Mirror) error { return m.Forget(ctx, job) }),
		"index":         writes(func(ctx context.Context, m *jobmirror.Mirror) error { return jobmirror.IndexNow(ctx, m) }),
		"Job":           reads(func(ctx context.Context, m *jobmirror.Mirror) error { _, err := m.Job(ctx, job); return err }),
		"JobInformation": reads(func(ctx context.Context, m *jobmirror.Mirror) error {
			_, err := m.JobInformation(ctx, job)
			return err
		}),
		"Jobs":                                 reads(func(ctx context.Context, m *jobmirror.Mirror) error { return firstError(m.Jobs(ctx)) }),
		"merge":                                writes(func(ctx context.Context, m *jobmirror.Mirror) error { _, _, err := jobmirror.Merge(ctx, m); return err }),
		"Postings":                             reads(func(ctx context.Context, m *jobmirror.Mirror) error { _, err := m.Postings(ctx, job); return err }),
		"Ready":                                reads(func(ctx context.Context, m *jobmirror.Mirror) error { return m.Ready(ctx) }),
		"Refresh":                              writes(refreshed),
		"Refresh that learns":                  {unlearned, opts, true, refreshed},
		"Search":                               search(jobmirror.Query{Text: "need", Facets: true, Snippets: true}),
		"Search in a circle":                   search(jobmirror.Query{Text: "need", Near: jobboard.Near(50, 10, 1000), Facets: true}),
		"Search with a mistake":                search(jobmirror.Query{Text: "softwere", Facets: true}),
		"Search, next page":                    search(jobmirror.Query{Text: "need", Limit: 1, After: page.Next}),
		"Search with a mistake on a full page": search(jobmirror.Query{Text: "need OR softwere", Limit: 1, Facets: true}),
		"Search with quotes":                   search(jobmirror.Query{Text: `"need"`, Facets: true}),
		"Snapshot": reads(func(ctx context.Context, m *jobmirror.Mirror) error {
			return m.Snapshot(ctx, func(_ jobmirror.Cursor, rows iter.Seq2[jobmirror.Row, error]) error { return firstError(rows) })
		}),
		"Status": reads(func(ctx context.Context, m *jobmirror.Mirror) error { _, err := m.Status(ctx); return err }),
		"Suggest": reads(func(ctx context.Context, m *jobmirror.Mirror) error {
			_, err := m.Suggest(ctx, jobmirror.Query{Text: "a sof"})
			return err
		}),
		"the handler's search": reads(func(ctx context.Context, m *jobmirror.Mirror) error {
			_, err := clientOf(t, m).Search(ctx, "1_all", jobboard.Query{Text: "need", Language: "de"})
			return err
		}),
		"the handler's lookup": reads(func(ctx context.Context, m *jobmirror.Mirror) error {
			_, err := clientOf(t, m).JobInformation(ctx, job)
			return err
		}),
	}

	// A source that shows too few of its postings: the others are held.
	board := newShelf(30)
	holding := filepath.Join(dir, "holding.db")
	held := open(t, filepath.Join(dir, "shelf.db"), board.options())
	refresh(t, held)
	board.tell(upTo(5), inactive, nil)
	if err := errors.Join(refreshed(t.Context(), held), jobmirror.Exec(t.Context(), held, "UPDATE sources SET held_lease = 1")); err != nil {
		t.Fatal(err)
	}
	backUp(t, held, holding)
	calls["AcceptRemovals"] = calling{holding, board.options(), true, func(ctx context.Context, m *jobmirror.Mirror) error {
		return m.AcceptRemovals(ctx)
	}}
	calls["Refresh with held rows"] = calling{holding, board.options(), true, refreshed}
	calls["ask about held rows"] = calling{holding, board.options(), true, func(ctx context.Context, m *jobmirror.Mirror) error { return m.AskHeld(ctx) }}
	others := board.options()
	others.Channels = []jobmirror.Channel{{ID: "b"}}
	calls["RemoveSources"] = calling{holding, others, true, func(ctx context.Context, m *jobmirror.Mirror) error { return m.RemoveSources(ctx) }}

	// Jobs of which the board says that they have ended, as of too many; then the daily pass has orphans to remove.
	doubted, orphans := filepath.Join(dir, "doubted.db"), filepath.Join(dir, "orphans.db")
	doubts := open(t, filepath.Join(dir, "ends.db"), board.options())
	board.tell(upTo(30), "open", nil)
	refresh(t, doubts)
	board.tell(upTo(30), unavailable, nil)
	if n := asks(t, doubts).Unconfirmed; n != 30 {
		t.Fatalf("%d ends are unconfirmed", n)
	}
	backUp(t, doubts, doubted)
	calls["AcceptRemovals of ends"] = calling{doubted, board.options(), true, func(ctx context.Context, m *jobmirror.Mirror) error {
		return m.AcceptRemovals(ctx)
	}}
	few := newShelf(5)
	named := open(t, filepath.Join(dir, "named.db"), few.options())
	refresh(t, named)
	few.tell(upTo(2), inactive, nil)
	refresh(t, named)
	passes(t, named, 24*time.Hour)
	refresh(t, named)
	passes(t, named, 100*24*time.Hour)
	backUp(t, named, orphans)
	calls["Refresh with the daily pass"] = calling{orphans, few.options(), true, refreshed}

	for name, c := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.failing(t)
		})
	}
}

// goesOn reports whether a call goes on without a statement: one that tells other processes of
// this one, or that tidies up behind processes which ended without saying so.
func goesOn(statement string) bool {
	for _, part := range []string{"processes", "UPDATE limits SET rate", "SET leased_until = 0 WHERE leased_until > 0", "SET held_lease = 1", "DELETE FROM batches"} {
		if strings.Contains(statement, part) {
			return true
		}
	}
	return false
}

var errBroken = errors.New("the statement is broken")

// failing calls the method with each of its statements failing once, a third of them without
// JOBBOARD_TESTS=whole: the first statement with a text, and then the second, of methods that write only
// in the whole tests.
func (c calling) failing(t *testing.T) {
	t.Helper()
	var (
		mu    sync.Mutex
		run   map[string]int // how many times each statement was run
		fails string
		nth   int // of the statement that fails; 0: none does
	)
	openCopy := func() *jobmirror.Mirror {
		path := filepath.Join(t.TempDir(), "jobs.db")
		b, err := os.ReadFile(c.from)
		if err == nil {
			err = os.WriteFile(path, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		m := open(t, path, c.opts)
		jobmirror.FailStatements(m, func(statement string) error {
			mu.Lock()
			defer mu.Unlock()
			if run[statement]++; statement == fails && run[statement] == nth {
				return errBroken
			}
			return nil
		})
		return m
	}
	m := openCopy()
	call := func(statement string, n int) error {
		mu.Lock()
		run, fails, nth = map[string]int{}, statement, n
		mu.Unlock()
		return c.call(t.Context(), m)
	}
	if err := call("", 0); err != nil {
		t.Fatal(err)
	}
	if len(run) == 0 {
		t.Fatal("it asks the database nothing")
	}
	most := 2
	if c.writes {
		most = whole(1, 2)
	}
	times, undisturbed := maps.Clone(run), jobmirror.Rows{}
	if c.writes {
		var err error
		if undisturbed, _, err = snapshot(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	statements := slices.Sorted(maps.Keys(times))
	for _, statement := range testenv.Some(t, (len(statements)+2)/3, statements) {
		for n := 1; n <= min(times[statement], most); n++ {
			if c.writes {
				m = openCopy()
			}
			err := call(statement, n)
			if err == nil && run[statement] >= n && !goesOn(statement) {
				t.Errorf("it ends well though this failed the time number %d: %s", n, statement)
			}
			if err := call("", 0); err != nil {
				t.Errorf("tried again after %s it ends with %v", statement, err)
			}
			if c.writes {
				checkReplay(t, m)
				left, _, err := snapshot(t.Context(), m)
				if err != nil {
					t.Fatal(err)
				}
				left.Compare(t, "tried again after "+statement, undisturbed)
			}
		}
	}
}

func refreshed(ctx context.Context, m *jobmirror.Mirror) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err := m.Refresh(ctx)
	return err
}

// clientOf returns a client of a mirror's handler that asks once.
func clientOf(t *testing.T, m *jobmirror.Mirror) *jobboard.Client {
	t.Helper()
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: "https://mirror.example", JobDBURL: "https://mirror.example", ClientID: "10",
		HTTPClient: &http.Client{Transport: m.Transport()}, Retry: jobboard.RetryPolicy{MaxAttempts: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// firstError returns the first error that comes with values.
func firstError[T any](all iter.Seq2[T, error]) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// backUp writes the database of a mirror to a file.
func backUp(t *testing.T, m *jobmirror.Mirror, path string) {
	t.Helper()
	if err := m.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
}
