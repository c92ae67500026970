package jobsync_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobsync"
)

type result = jobboard.BulkResult[*jobboard.JobInformation]

// lookup answers the job information lookup from memory, counts, and fails as
// told. Every seventh job is gone.
type lookup struct {
	delay time.Duration
	share float64 // of 503
	asked atomic.Int64
	fail  func(job string) bool
}

func (l *lookup) RoundTrip(r *http.Request) (*http.Response, error) {
	l.asked.Add(1)
	job := r.URL.Query().Get("jobid")
	if l.delay > 0 {
		timer := time.NewTimer(l.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	status, body := 200, fmt.Sprintf(`{"jobId":%s,"jobTitle":"Nurse","applyPossible":true}`, job)
	var n int
	_, _ = fmt.Sscan(job, &n)
	switch {
	case l.share > 0 && rand.Float64() < l.share || l.fail != nil && l.fail(job):
		status, body = 503, ""
	case n%7 == 0:
		status, body = 404, "ERROR_JOB_UNAVAILABLE"
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func client(tb testing.TB, l *lookup) *jobboard.Client {
	tb.Helper()
	c, err := jobboard.NewClient(jobboard.Config{JobDBURL: "https://jobs.example.com", HTTPClient: &http.Client{Transport: l}})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

var errCrash = errors.New("crash")

// A run that dies after any batch, before or after it was stored, is started
// again and again: no job is lost, and none is stored twice beyond the batch
// that was in flight.
func TestStoreThroughCrashes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const jobs, size = 1000, 37
		path := filepath.Join(t.TempDir(), "done")
		l := &lookup{delay: 5 * time.Millisecond, share: 0.02}
		c := client(t, l)
		stored := map[jobboard.JobID]int{}
		crashes, again := 0, 0
		input := append(upTo(jobs), upTo(jobs)...) // everything twice
		run := func() error {
			done, err := jobsync.Open(path, "run")
			if err != nil {
				t.Fatal(err)
			}
			defer done.Close()
			results := c.BulkJobInformation(t.Context(), done.Pending(jobboard.Jobs(input...)), jobboard.BulkOptions{Concurrency: 8})
			batches := 0
			return jobsync.Store(done, results, size, func(batch []result) error {
				if batches++; batches == 3 && crashes%2 == 0 {
					return errCrash // before anything was stored
				}
				for _, r := range batch {
					if jobboard.Settled(r.Err) {
						stored[r.Job]++
					}
				}
				if batches == 3 {
					again += len(batch)
					return errCrash // stored, and not recorded
				}
				return nil
			})
		}
		for ; ; crashes++ {
			if err := run(); err == nil {
				break
			} else if !errors.Is(err, errCrash) {
				t.Fatal(err)
			}
			if crashes > jobs/size {
				t.Fatal("no end")
			}
		}
		if len(stored) != jobs {
			t.Errorf("%d of %d jobs", len(stored), jobs)
		}
		twice := 0
		for _, n := range stored {
			twice += n - 1
		}
		if crashes < 5 || twice > again {
			t.Errorf("%d stored again after %d crashes, which had %d in flight", twice, crashes, again)
		}
		// Looked up again: the calls under way and two batches a crash. And the
		// repeats after 503.
		if most := int64(float64(jobs)*1.1) + int64(crashes*(8+8+2*size)); l.asked.Load() > most {
			t.Errorf("%d requests, at most %d expected", l.asked.Load(), most)
		}
		if l.asked.Load() < jobs {
			t.Errorf("%d requests", l.asked.Load())
		}
	})
}

// What failed is stored with its error, not recorded, and comes again.
func TestStoreRecordsWhatIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "done")
		l := &lookup{fail: func(job string) bool { return job == "3" }}
		c := client(t, l)
		bad := errors.New("broken entry")
		input := func(yield func(jobboard.JobID, error) bool) {
			_ = yield(1, nil) && yield(0, bad) && yield(3, nil) && yield(7, nil)
		}
		var errs []error
		run := func(done *jobsync.Checkpoint) (jobs []jobboard.JobID) {
			results := c.BulkJobInformation(t.Context(), done.Pending(input), jobboard.BulkOptions{})
			err := jobsync.Store(done, results, 0, func(batch []result) error {
				for _, r := range batch {
					jobs = append(jobs, r.Job)
					errs = append(errs, r.Err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(jobs)
			return jobs
		}
		done := mustOpen(t, path, "run")
		if jobs := run(done); !slices.Equal(jobs, []jobboard.JobID{0, 1, 3, 7}) {
			t.Errorf("%v", jobs)
		}
		all := errors.Join(errs...)
		if !errors.Is(all, bad) || !errors.Is(all, jobboard.ErrServer) || !errors.Is(all, jobboard.ErrJobUnavailable) {
			t.Errorf("%v", all)
		}
		if p := done.Progress(); p.Done != 2 || p.Recorded != 2 {
			t.Errorf("%+v", p)
		}
		l.fail = nil
		if jobs := run(done); !slices.Equal(jobs, []jobboard.JobID{0, 3}) {
			t.Errorf("%v", jobs)
		}
		if jobs := run(mustOpen(t, path, "run")); !slices.Equal(jobs, []jobboard.JobID{0}) {
			t.Errorf("%v", jobs)
		}
	})
}

// The end of the context ends a run, what came before it is recorded, and no
// goroutine stays.
func TestStoreCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "done")
		c := client(t, &lookup{delay: time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		done := mustOpen(t, path, "run")
		results := c.BulkJobInformation(ctx, done.Pending(jobboard.Jobs(upTo(100)...)), jobboard.BulkOptions{Concurrency: 4})
		if err := jobsync.Store(done, results, 10, func([]result) error { return nil }); err != nil {
			t.Error(err)
		}
		if p := done.Progress(); p.Done != 12 {
			t.Errorf("%+v", p)
		}
	})
}

// Results come on while a batch is stored.
func TestStoreOverlaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(t, &lookup{delay: 10 * time.Millisecond})
		done := mustOpen(t, filepath.Join(t.TempDir(), "done"), "run")
		start := time.Now()
		results := c.BulkJobInformation(t.Context(), done.Pending(jobboard.Jobs(upTo(1000)...)), jobboard.BulkOptions{Concurrency: 10})
		err := jobsync.Store(done, results, 100, func([]result) error { time.Sleep(90 * time.Millisecond); return nil })
		// 1 s of lookups, and the last batch's 90 ms.
		if took := time.Since(start); err != nil || took > 1100*time.Millisecond {
			t.Errorf("%v, %v", took, err)
		}
	})
}

func TestStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := mustOpen(t, filepath.Join(t.TempDir(), "done"), "run")
		full := errors.New("disk full")
		taken, ended := 0, false
		var endless iter.Seq[result] = func(yield func(result) bool) {
			defer func() { ended = true }()
			for job := jobboard.JobID(1); ; job++ {
				taken++
				if !yield(result{Job: job}) {
					return
				}
			}
		}
		if err := jobsync.Store(done, endless, 10, func([]result) error { return full }); !errors.Is(err, full) {
			t.Error(err)
		}
		if p := done.Progress(); p.Done != 0 || taken > 21 || !ended {
			t.Errorf("%+v, %d taken, ended %v", p, taken, ended)
		}
		done.Close()
		if err := jobsync.Store(done, endless, 10, func([]result) error { return nil }); err == nil {
			t.Error("a closed checkpoint records")
		}
	})
}

// The same lookups of 5 ms, alone and through a checkpoint.
func BenchmarkStore(b *testing.B) {
	const jobs, atOnce = 5000, 64
	ids := upTo(jobs)
	opts := jobboard.BulkOptions{Concurrency: atOnce}
	c := client(b, &lookup{delay: 5 * time.Millisecond})
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			for range c.BulkJobInformation(b.Context(), jobboard.Jobs(ids...), opts) {
			}
		}
		b.ReportMetric(float64(jobs*b.N)/b.Elapsed().Seconds(), "jobs/s")
	})
	b.Run("stored", func(b *testing.B) {
		run := 0
		path := filepath.Join(b.TempDir(), "done")
		for b.Loop() {
			run++
			done := mustOpen(b, path, fmt.Sprint(run))
			results := c.BulkJobInformation(b.Context(), done.Pending(jobboard.Jobs(ids...)), opts)
			if err := jobsync.Store(done, results, 500, func([]result) error { return nil }); err != nil {
				b.Fatal(err)
			}
			if p := done.Progress(); p.Done != jobs {
				b.Fatalf("%+v", p)
			}
			done.Close()
		}
		b.ReportMetric(float64(jobs*b.N)/b.Elapsed().Seconds(), "jobs/s")
	})
}
