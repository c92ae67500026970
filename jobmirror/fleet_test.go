package jobmirror_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// feedOptions are options for a mirror of a feed in a file.
func feedOptions(srv *jobboardtest.Server, feed string) jobmirror.Options {
	return jobmirror.Options{
		Config: jobboard.Config{JobDBURL: srv.JobDBURL, HTTPClient: srv.Client()},
		Feeds:  []jobmirror.Feed{{Name: "feed", Address: feed}}, Limit: -1, Concurrency: 32,
	}
}

// runIn runs mirrors until stop is called, which waits for them.
func runIn(t *testing.T, mirrors ...*jobmirror.Mirror) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, len(mirrors))
	for _, m := range mirrors {
		go func() { ran <- m.Run(ctx) }()
	}
	return func() {
		cancel()
		for range mirrors {
			if err := <-ran; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	}
}

// until waits for a condition.
func until(t *testing.T, wait time.Duration, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(wait); !f(); {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", wait, what)
		}
		<-time.After(50 * time.Millisecond)
	}
}

func countOpen(t *testing.T, m *jobmirror.Mirror) int {
	t.Helper()
	status, err := m.Status(t.Context())
	if err != nil {
		return -1
	}
	return status.Jobs[jobmirror.StateOpen]
}

// The first fill by one process through River is as fast as it must be.
func TestFleetFirstFill(t *testing.T) {
	needPostgres(t)
	n := size(3000, 100_000)
	srv := jobboardtest.New(t)
	feed := filepath.Join(t.TempDir(), "feed.xml")
	feedOf(t, feed, manyJobs(srv, n), 0)
	delay := 5 * time.Millisecond
	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Status: http.StatusServiceUnavailable, Share: 0.02, Seed: 1, Delay: delay})
	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Delay: delay})
	address := postgres.create(t)
	m := open(t, address, feedOptions(srv, feed))
	began := time.Now()
	stop := runIn(t, m)
	until(t, 5*time.Minute, "all jobs are known", func() bool { return m.Progress().LookedUp >= int64(n) && countOpen(t, m) >= n*999/1000 })
	took := time.Since(began)
	asked := srv.Count(jobboardtest.OpJobInformation)
	t.Logf("figure: first fill of %d jobs by a fleet of one, 2 %% of 503, answers after 5 ms: %.0f jobs/s, %d requests", n, float64(n)/took.Seconds(), asked)
	began = time.Now()
	stop()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("stopping took %s", took)
	}
}
