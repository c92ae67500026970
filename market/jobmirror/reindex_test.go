package jobmirror

import (
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// A posting whose job moves while the posting is indexed is indexed once more: the indexing
// process has read the job's former place.
func TestMovedWhileIndexed(t *testing.T) {
	t.Parallel()
	address := Databases["postgres"]
	if address == nil {
		t.Skip("PostgreSQL alone has two writers")
	}
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	m := OpenFor(t, address(t), Options{
		Config: jobboard.Config{
			BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, ClientID: srv.Demo.ClientID, HTTPClient: srv.Client(),
		},
		Channels: []Channel{{ID: jobboard.ChannelID(srv.Demo.Channel), Languages: []string{"de"}}}, Limit: -1,
	})
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	var id, job int64
	ask := func(query string, dest ...any) {
		t.Helper()
		if err := m.db.Ask(t.Context(), query, nil, dest...); err != nil {
			t.Fatal(err)
		}
	}
	ask("SELECT id, job FROM postings WHERE job IS NOT NULL ORDER BY id LIMIT 1", &id, &job)
	mark := func(t *tx) error { return t.Do("INSERT INTO unindexed (posting) VALUES (?)", id) }
	if err := m.db.update(t.Context(), mark); err != nil {
		t.Fatal(err)
	}
	other := OpenFor(t, m.db.address, Options{}) // another process: those of one write one after the other
	moved := make(chan error, 1)
	err := m.db.update(t.Context(), func(in *tx) error {
		if _, err := in.load("id = ?", id); err != nil {
			return err
		}
		go func() {
			moved <- other.db.update(t.Context(), func(t *tx) error { return t.unindexed.putOf([]int64{job}) })
		}()
		for waiting := 0; waiting == 0 && len(moved) == 0; {
			ask("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'", &waiting)
		}
		_, err := in.Exec("DELETE FROM unindexed WHERE posting = ?", id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-moved; err != nil {
		t.Fatal(err)
	}
	waits, err := fromView(t.Context(), m.db, func(t *tx) (int, error) {
		return store.Value[int](t, "SELECT count(*) FROM unindexed WHERE posting = ?", id)
	})
	if err != nil || waits != 1 {
		t.Errorf("the posting waits to be indexed: %d, %v", waits, err)
	}
}
