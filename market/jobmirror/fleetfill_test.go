package jobmirror_test

import (
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// Four processes fill a mirror no slower than one does, up to the noise of a machine whose processors they
// share.
func TestFirstFillByFour(t *testing.T) {
	if !testenv.Whole() {
		t.Parallel()
	}
	needPostgres(t)
	n := whole(200, size(3000, 20_000))
	for _, processes := range []int{1, 4} {
		srv, feed, _ := boardOf(t, n)
		answerSlowly(srv)
		address := postgres.create(t)
		var running sync.WaitGroup
		began := time.Now()
		for range processes {
			m := open(t, address, feedOptions(srv, feed))
			running.Go(func() {
				if err := m.Refresh(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		took := time.Since(began)
		connections := query[int](t, address, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'jobmirror'")
		t.Logf("figure: first fill of %d jobs by %d on PostgreSQL: %.0f jobs/s, %d requests, %d connections", n, processes,
			float64(n)/took.Seconds(), srv.Count(jobboardtest.OpJobInformation), connections)
	}
}
