package jobmirror_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// stir changes something of a board.
func stir(srv *jobboardtest.Server, r *rand.Rand, jobs []int64, i int) []int64 {
	job := jobs[r.IntN(len(jobs))]
	switch r.IntN(4) {
	case 0:
		added, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "New " + strconv.Itoa(i), Language: "de"})
		jobs = append(jobs, added.ID)
	case 1:
		srv.UpdateJob(job, func(j *jobboardtest.Job) { j.Title = "Changed " + strconv.Itoa(i) })
	case 2:
		srv.DeactivateJob(job)
	case 3:
		srv.ActivateJob(job)
	}
	return jobs
}

// checkJobs compares the copy with the board.
func checkJobs(t *testing.T, m *jobmirror.Mirror, srv *jobboardtest.Server, jobs []int64) {
	t.Helper()
	for _, id := range jobs {
		want, ok := srv.Job(id)
		got, err := m.Job(t.Context(), jobboard.JobID(id))
		if err != nil || !ok {
			t.Errorf("job %d: %v", id, err)
			continue
		}
		state := jobmirror.StateOpen
		if want.Status == jobboardtest.Inactive {
			state = jobmirror.StateInactive
		}
		if got.State != state {
			t.Errorf("job %d is %s in the copy, not %s", id, got.State, state)
		}
		if state == jobmirror.StateOpen && got.Information.JobTitle != want.Title {
			t.Errorf("job %d is %q in the copy, not %q", id, got.Information.JobTitle, want.Title)
		}
	}
}

// A process that is killed at any moment leaves a log that makes the tables, and its successor goes on. Readers of the log
// that go away at any moment as well, and begin again where they were, see each change once, in order, and have the
// tables in the end.
func TestKilledAtRandomMoments(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		r := rand.New(rand.NewPCG(5, 6))
		var jobs []int64
		for i := range 60 {
			job, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Nurse " + strconv.Itoa(i), Language: "de"})
			jobs = append(jobs, job.ID)
		}
		o := childOptions{Database: address, BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, Channel: srv.Demo.Channel, Feed: srv.FeedURL, Limit: -1}
		if err := open(t, address, jobmirror.Options{}).Close(); err != nil {
			t.Fatal(err)
		}
		following := open(t, address, jobmirror.Options{ReadOnly: true})
		readers := make([]reader, size(6, 50))
		var running sync.WaitGroup
		reading, stop := context.WithCancel(t.Context())
		defer stop()
		for i := range readers {
			readers[i] = reader{rows: rows{}, r: rand.New(rand.NewPCG(7, uint64(i)))}
			running.Go(func() { readers[i].read(reading, following) })
		}
		for i := range size(4, 300) {
			for range 5 {
				jobs = stir(srv, r, jobs, i)
			}
			command := startChild(t, o)
			<-time.After(time.Duration(200+r.IntN(600)) * time.Millisecond)
			if err := command.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = command.Wait()
			if strings.HasPrefix(address, "postgres") || i%3 == 0 {
				m := open(t, address, jobmirror.Options{})
				checkReplay(t, m)
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			}
		}
		opts := o.options()
		opts.RefreshEvery, opts.LookupEvery = time.Hour, time.Hour
		m := open(t, address, opts)
		leasesEnd(t, address)
		// What was answered before the last changes is asked again.
		if err := jobmirror.Exec(t.Context(), m, "UPDATE jobs SET next_due = 1"); err != nil {
			t.Fatal(err)
		}
		refresh(t, m)
		checkReplay(t, m)
		checkJobs(t, m, srv, jobs)
		want, at, err := snapshot(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		until(t, 20*time.Second, "all have read the log to its end", func() bool {
			for i := range readers {
				if readers[i].at() != at {
					return false
				}
			}
			return true
		})
		stop()
		running.Wait()
		crashes := 0
		for i := range readers {
			if crashes += readers[i].crashes; readers[i].err != nil {
				t.Errorf("reader %d: %v", i, readers[i].err)
			}
			readers[i].rows.Compare(t, "with reader "+strconv.Itoa(i), want)
		}
		t.Logf("figure: %d readers, %d crashes, the log came to %s", len(readers), crashes, at)
		if crashes == 0 {
			t.Error("no reader went away")
		}
	})
}

// leasesEnd changes those of processes that were killed, as if so much time had passed
// that others have them within two seconds.
func leasesEnd(t *testing.T, address string) {
	t.Helper()
	if strings.HasPrefix(address, "postgres") {
		execute(t, address, "UPDATE sources SET leased_until = leased_until - 18000 WHERE leased_until > 0")
		execute(t, address, "UPDATE sources SET held_lease = held_lease - 28000 WHERE held_lease > 1")
		execute(t, address, "UPDATE jobs SET leased_until = leased_until - 28000 WHERE leased_until > 0")
	}
}

// reader follows a mirror's changes, and goes away at random.
type reader struct {
	r       *rand.Rand
	rows    rows
	crashes int
	err     error

	mu    sync.Mutex
	since jobmirror.Cursor
}

func (f *reader) at() jobmirror.Cursor {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.since
}

func (f *reader) read(ctx context.Context, m *jobmirror.Mirror) {
	for ctx.Err() == nil && f.err == nil {
		for change, err := range m.Follow(ctx, f.at()) {
			if err != nil {
				if ctx.Err() == nil {
					f.err = err
				}
				break
			}
			if f.r.IntN(20) == 0 {
				f.crashes++ // before the change was kept
				break
			}
			if f.err = f.rows.Apply(change); f.err != nil {
				break
			}
			f.mu.Lock()
			f.since = change.Cursor
			f.mu.Unlock()
		}
	}
}
