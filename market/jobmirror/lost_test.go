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

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// What is stored and cannot be read makes fail whatever needs it.
func TestUnreadableRecordsAreTold(t *testing.T) {
	t.Parallel()
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	for _, c := range []struct{ broken, fails string }{
		{"UPDATE jobs SET record = '{' WHERE record <> ''", "Job Postings Refresh Search"},
		{"UPDATE postings SET record = '{'", "Job Postings Refresh Search Forget"},
		{"UPDATE postings SET ads = '{'", "Postings Search Refresh Forget"},
	} {
		m := open(t, filepath.Join(t.TempDir(), "jobs.db"), optionsOf(srv))
		refresh(t, m)
		job := find(t, m, jobmirror.Query{Text: "e"})[0].Job
		calls := map[string]func() error{
			"Forget":   func() error { return m.Forget(t.Context(), job) },
			"Job":      func() error { _, err := m.Job(t.Context(), job); return err },
			"Postings": func() error { _, err := m.Postings(t.Context(), job); return err },
			"Refresh":  func() error { return m.Refresh(t.Context()) },
			"Search":   func() error { _, err := m.Search(t.Context(), jobmirror.Query{Text: "e"}); return err },
		}
		for _, statement := range []string{
			"UPDATE jobs SET next_due = 1", "INSERT INTO unindexed (posting) SELECT id FROM postings", c.broken,
		} {
			if err := jobmirror.Exec(t.Context(), m, statement); err != nil {
				t.Fatal(err)
			}
		}
		for name := range strings.FieldsSeq(c.fails) {
			if err := calls[name](); err == nil {
				t.Errorf("after %s %s reports no error", c.broken, name)
			}
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

// What fails for a batch of lookups ends the others. Refresh tells what failed, and not that
// the others were ended: interruption would look like the caller's own.
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
		err := m.Refresh(t.Context())
		failed <- err
	}()
	until(t, time.Minute/2, "the next batch is about to begin", func() bool { return waitingForLocks(t, address) == 1 })
	close(answer)
	if err := batches.Rollback(); err != nil { // it has the process's one writer
		t.Error(err)
	}
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "broken") || errors.Is(err, context.Canceled) {
		t.Errorf("the refresh ended with %v", err)
	}
}
