package jobmirror_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// A statement that fails makes fail whatever needs it: no error gets lost on its way to
// the caller. On SQLite the other statements of a transaction would go on.
func TestNoErrorOfAStatementIsLost(t *testing.T) {
	t.Parallel()
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	opts := optionsOf(srv)
	full := filepath.Join(t.TempDir(), "full.db")
	m := open(t, full, opts)
	refresh(t, m)
	// What the next refresh finds.
	_, published := srv.Publish(srv.Demo.Channel, jobboardtest.Job{
		Title: "Cook", Language: "de", Location: jobboardtest.Location{City: "Berlin", Lat: "52.52", Long: "13.37"},
	})
	published.Config = map[string][]string{"jobcategory": {"7"}}
	srv.AddPosting(published)
	srv.DeactivateJob(srv.Demo.AppliedJob)
	job := find(t, m, jobmirror.Query{Text: "e"})[0].Job
	calls := map[string]func(ctx context.Context, m *jobmirror.Mirror) error{
		"AcceptRemovals": func(ctx context.Context, m *jobmirror.Mirror) error { return m.AcceptRemovals(ctx) },
		"Changes": func(ctx context.Context, m *jobmirror.Mirror) error {
			for _, err := range m.Changes(ctx, "") {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"Forget":   func(ctx context.Context, m *jobmirror.Mirror) error { return m.Forget(ctx, job) },
		"Job":      func(ctx context.Context, m *jobmirror.Mirror) error { _, err := m.Job(ctx, job); return err },
		"Postings": func(ctx context.Context, m *jobmirror.Mirror) error { _, err := m.Postings(ctx, job); return err },
		"Ready":    func(ctx context.Context, m *jobmirror.Mirror) error { return m.Ready(ctx) },
		"Refresh":  func(ctx context.Context, m *jobmirror.Mirror) error { _, err := m.Refresh(ctx); return err },
		"Search": func(ctx context.Context, m *jobmirror.Mirror) error {
			_, err := m.Search(ctx, jobmirror.Query{Text: "e", Near: jobboard.Near(50, 10, 1000), Facets: true, Snippets: true})
			return err
		},
		"Status": func(ctx context.Context, m *jobmirror.Mirror) error { _, err := m.Status(ctx); return err },
	}
	refuse := func(verb, table string) string {
		return "CREATE TRIGGER broken BEFORE " + verb + " ON " + table + " BEGIN SELECT RAISE(ABORT, 'broken'); END"
	}
	for _, c := range []struct{ name, broken, fails string }{
		{"no batch begins", refuse("INSERT", "batches"), "Refresh"},
		{"no catalogue is kept", refuse("INSERT", "catalogues"), "Refresh"},
		{"catalogues are gone", "DROP TABLE catalogues", "Job"},
		{"nothing is logged", refuse("INSERT", "changes"), "Forget Refresh"},
		{"nothing is erased in the log", refuse("UPDATE", "changes"), "Forget"},
		{"the log is gone", "DROP TABLE changes", "Changes Status"},
		{"no claim of an entry is kept", refuse("INSERT", "claims"), "Refresh"},
		{"no claim of an entry goes", refuse("DELETE", "claims"), "Forget Refresh"},
		{"nothing is numbered", refuse("UPDATE", "counters"), "Forget Refresh"},
		{"the numbers are gone", "DROP TABLE counters", "Changes Status"},
		{"no entry comes", refuse("INSERT", "entries"), "Refresh"},
		{"no entry is seen again", refuse("UPDATE", "entries"), "Refresh"},
		{"no entry goes", refuse("DELETE", "entries"), "Refresh"},
		{"entries are gone", "DROP TABLE entries", "Status"},
		{"no category is indexed", refuse("INSERT", "facets"), "Refresh"},
		{"no category goes", refuse("DELETE", "facets"), "Forget"},
		{"categories are gone", "DROP TABLE facets", "Search"},
		{"no job is kept as forgotten", refuse("INSERT", "forgotten"), "Forget"},
		{"who was forgotten is not known", "DROP TABLE forgotten", "Forget Refresh"},
		{"no job comes", refuse("INSERT", "jobs"), "Refresh"},
		{"no answer is written", refuse("UPDATE", "jobs"), "Refresh"},
		{"no job goes", refuse("DELETE", "jobs"), "Forget"},
		{"no answer can be read", "UPDATE jobs SET record = '{' WHERE record <> ''", "Job Postings Refresh Search"},
		{"no stemmer is noted", refuse("INSERT", "stemmers"), "Refresh"},
		{"stemmers are gone", "DROP TABLE stemmers", "Search"},
		{"no listing comes", refuse("INSERT", "listings"), "Refresh"},
		{"no posting is seen again", refuse("UPDATE", "listings"), "Refresh"},
		{"no listing goes", refuse("DELETE", "listings"), "Forget Refresh"},
		{"listings are gone", "DROP TABLE listings", "Status"},
		{"no place is indexed", refuse("INSERT", "places"), "Refresh"},
		{"no place goes", refuse("DELETE", "places"), "Forget"},
		{"places are gone", "DROP TABLE places", "Search Status"},
		{"no posting comes", refuse("INSERT", "postings"), "Refresh"},
		{"no posting changes", refuse("UPDATE", "postings"), "Refresh"},
		{"no posting goes", refuse("DELETE", "postings"), "Forget Refresh"},
		{"no posting can be read", "UPDATE postings SET record = '{'", "Forget Job Postings Refresh Search"},
		{"limits are gone", "DROP TABLE limits", "Status"},
		{"processes are gone", "DROP TABLE processes", "Status"},
		{"the text index is gone", "DROP TABLE search", "Forget Refresh Search"},
		{"no refresh is noted", refuse("UPDATE", "sources"), "Refresh"},
		{"sources are gone", "DROP TABLE sources", "AcceptRemovals Ready Search Status"},
	} {
		path := filepath.Join(t.TempDir(), "jobs.db")
		if err := m.Backup(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		broken := open(t, path, opts)
		for _, statement := range []string{"UPDATE jobs SET next_due = 1", c.broken} {
			if err := jobmirror.Exec(t.Context(), broken, statement); err != nil {
				t.Fatal(err)
			}
		}
		for name := range strings.FieldsSeq(c.fails) {
			if err := calls[name](t.Context(), broken); err == nil {
				t.Errorf("%s: %s reports no error", c.name, name)
			}
		}
		if err := broken.Close(); err != nil {
			t.Error(err)
		}
	}
}

// holdingAnswers holds lookups back until answer is closed, and calls first before the first.
type holdingAnswers struct {
	http.RoundTripper
	first  func()
	answer chan struct{}
}

func (h holdingAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	h.first()
	<-h.answer
	return h.RoundTripper.RoundTrip(r)
}

// What fails for a batch of lookups ends the others. Refresh tells what failed, and not
// that the others were ended: that would mean that its caller has interrupted it.
func TestFailedBatchTellsItsCause(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	address := postgres.createMigrated(t)
	execute(t, address, `CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
		CREATE TRIGGER broken BEFORE UPDATE OF looked_up ON jobs FOR EACH ROW EXECUTE FUNCTION broken()`)
	srv, feed, _ := boardOf(t, 40)
	batches, err := openSQL(t, address).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = batches.Rollback() }()
	answer := make(chan struct{})
	opts := feedOptions(srv, feed)
	opts.Limit = 10 // batches of 20
	opts.Config.HTTPClient = &http.Client{Transport: holdingAnswers{srv.Client().Transport, sync.OnceFunc(func() {
		// The next batch cannot begin, and waits in the database.
		if _, err := batches.ExecContext(t.Context(), "ALTER SEQUENCE mirror_batch CACHE 1"); err != nil {
			t.Error(err)
		}
	}), answer}}
	m := open(t, address, opts)
	failed := make(chan error, 1)
	go func() {
		_, err := m.Refresh(t.Context())
		failed <- err
	}()
	until(t, time.Minute/2, "the next batch is about to begin", func() bool { return waitingForLocks(t, address) == 1 })
	close(answer)
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "broken") || errors.Is(err, context.Canceled) {
		t.Errorf("the refresh ended with %v", err)
	}
}
