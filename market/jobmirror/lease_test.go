package jobmirror_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// commits counts the transactions that pass a proxy, and takes the server away from
// one of them.
type commits struct {
	*proxy
	count atomic.Int64
	last  atomic.Int64 // the statement at which the connections are cut
	after bool         // cut after the commit, before anybody learns of it; else before
	dead  chan struct{}
	die   sync.Once
}

var commit = []byte("COMMIT\x00")

func countCommits(t *testing.T, after bool) *commits {
	c := &commits{proxy: newProxy(t, postgres.port), after: after, dead: make(chan struct{})}
	c.sees = func(toServer bool) func([]byte) {
		if toServer == c.after { // the statement shows on the way there, its commit on the way back
			return nil
		}
		return func(sent []byte) {
			if bytes.Contains(bytes.ToUpper(sent), commit) && c.count.Add(1) == c.last.Load() {
				c.refuse()
				c.die.Do(func() { close(c.dead) })
			}
		}
	}
	return c
}

// takenOver checks that what a process leaves which dies before or after any commit is
// done by another one: in a copy that prepare makes, until done says that all is, which a
// calm process does in some commits, at least so many.
func takenOver(t *testing.T, opts jobmirror.Options, least int64, prepare func(t *testing.T) (address string),
	done func(t *testing.T, address string) bool, check func(t *testing.T, m *jobmirror.Mirror),
) {
	known := func(t *testing.T, address string, m *jobmirror.Mirror) {
		t.Helper()
		until(t, time.Minute, "all is done", func() bool { return done(t, address) })
		check(t, m)
		checkReplay(t, m)
	}
	// begin runs a process whose server is taken away at a commit; 0: never.
	begin := func(t *testing.T, last int64, after bool) (address string, c *commits, stop func()) {
		address = prepare(t)
		c = countCommits(t, after)
		m := open(t, c.address(t, address), opts)
		c.count.Store(0)
		c.last.Store(last)
		return address, c, run(t, m)
	}
	address, c, stop := begin(t, 0, false)
	known(t, address, open(t, address, opts))
	n := c.count.Load()
	stop()
	if n < least {
		t.Fatalf("all is done in %d commits", n)
	}
	points := make(chan int64)
	var (
		running sync.WaitGroup
		died    atomic.Int64
		step    = int64(whole(23, 1)) // not even: before and after
	)
	for range 8 {
		running.Go(func() {
			for point := range points {
				last, after := point/2+1, point%2 == 1
				t.Run(fmt.Sprintf("commit %d, %t", last, after), func(t *testing.T) {
					address, c, stop := begin(t, last, after)
					until(t, time.Minute, "the server is taken away, or all was done in fewer commits", func() bool {
						select {
						case <-c.dead:
							died.Add(1)
							return true
						default:
							return done(t, address)
						}
					})
					stop()
					for table, most := range map[string]int{"sources": 18_000, "jobs": 28_000} {
						// Two seconds later others have taken them over.
						if last := count(t, address, "SELECT coalesce(max(leased_until) - floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, 0) FROM "+
							table+" WHERE leased_until > 0"); last > most {
							t.Errorf("the leases of %s end in %d ms", table, last)
						}
					}
					leasesEnd(t, address)
					next := open(t, address, opts)
					run(t, next)
					known(t, address, next)
				})
			}
		})
	}
	for point := int64(testenv.Seed(t) % uint64(step)); point < 2*n; point += step {
		points <- point
	}
	close(points)
	running.Wait()
	if want := 2 * n / step * 3 / 4; died.Load() < want {
		t.Errorf("of %d processes %d died", 2*n/step, died.Load())
	}
}

// If a process dies before or after any commit of its refreshes and lookups, others take over
// its work: sources within 20 s, lookups within 30 s.
func TestTakenOverWhereverAProcessDied(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	feed := filepath.Join(t.TempDir(), "feed.xml")
	feedOf(t, feed, manyJobs(srv, 5), 0)
	opts := optionsOf(srv)
	opts.Feeds = []jobmirror.Feed{{Name: "feed", Address: feed}}
	opts.RefreshEvery = time.Hour
	calm := open(t, filepath.Join(t.TempDir(), "calm.db"), opts)
	refresh(t, calm)
	want, _, err := snapshot(t.Context(), calm)
	if err != nil {
		t.Fatal(err)
	}
	copied := func(t *testing.T, address string) bool {
		return query[bool](t, address, `SELECT NOT EXISTS (SELECT 1 FROM sources WHERE complete = 0)
			AND NOT EXISTS (SELECT 1 FROM jobs WHERE looked_up = 0) AND NOT EXISTS (SELECT 1 FROM unindexed)`)
	}
	takenOver(t, opts, 15, postgres.createMigrated, copied, func(t *testing.T, m *jobmirror.Mirror) {
		got, _, err := snapshot(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		got.Compare(t, "in the copy", want)
	})
}

// So is what it leaves which holds rows, asks about their jobs and removes some: of 60 jobs
// that the board ceases to show it calls 20 inactive, and 40 open.
func TestHeldRowsTakenOverWhereverAProcessDied(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	board := newShelf(60)
	opts := board.options()
	opts.RefreshEvery = time.Hour
	template := postgres.createMigrated(t)
	m := open(t, template, opts)
	refresh(t, m)
	if err := jobmirror.Exec(t.Context(), m, "UPDATE sources SET next_due = 1"); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil { // a database that is copied has no sessions
		t.Fatal(err)
	}
	states := map[int]string{}
	for i := 3; i <= 60; i += 3 {
		states[i] = inactive
	}
	board.tell(nil, "open", states)
	name := template[strings.LastIndex(template, "/")+1 : strings.Index(template, "?")]
	asked := func(t *testing.T, address string) bool {
		// Who died between its last commit and giving the source back leaves a lease that has ended,
		// which nobody takes away before the source is due again.
		return query[bool](t, address, `SELECT held_lease = 0 AND leased_until < extract(epoch FROM clock_timestamp()) * 1000 FROM sources`) &&
			query[bool](t, address, "SELECT count(*) = 40 AND min(state) = 'held' AND max(state) = 'held' FROM listings") &&
			query[bool](t, address, "SELECT count(*) = 0 FROM jobs WHERE leased_until > 0")
	}
	prepare := func(t *testing.T) string { return postgres.createFrom(t, name) }
	takenOver(t, opts, 10, prepare, asked, func(t *testing.T, m *jobmirror.Mirror) { copied(t, m, "in the end", 40, 40) })
}

// Who is told to end in the middle of its work has given all of it back within two
// seconds: what was answered until then is written.
func TestGivenBackWithinTwoSeconds(t *testing.T) {
	onEachInVirtualTime(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
		feed := filepath.Join(t.TempDir(), "feed.xml")
		feedOf(t, feed, manyJobs(srv, 300), 0)
		opts := optionsOf(srv)
		opts.Concurrency = 4
		opts.Channels = []jobmirror.Channel{{ID: jobboard.ChannelID(srv.Demo.Channel)}}
		opts.Feeds = []jobmirror.Feed{{Name: "feed", Address: feed}}
		srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Delay: time.Minute})
		srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Delay: 300 * time.Millisecond})
		m := open(t, address, opts)
		stop := run(t, m)
		var leases []jobmirror.Lease
		until(t, 30*time.Second, "a source is refreshed, and jobs are looked up", func() bool {
			s, err := m.Status(t.Context())
			if err != nil || len(s.Processes) == 0 {
				return false
			}
			leases = s.Processes[0].Leases
			return len(leases) == 2 && m.Progress().LookedUp > 0
		})
		if leases[0].Source != "channel "+srv.Demo.Channel || leases[1].Source != "" || leases[1].Jobs < 200 ||
			leases[1].Since.Before(leases[0].Since) {
			t.Errorf("the process holds %+v", leases)
		}
		began, asked := time.Now(), srv.Count(jobboardtest.OpJobInformation)
		stop()
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("it took %s", took)
		}
		if held := count(t, address, "SELECT (SELECT count(*) FROM sources WHERE leased_until > 0) + (SELECT count(*) FROM jobs WHERE leased_until > 0) + (SELECT count(*) FROM batches)"); held != 0 {
			t.Errorf("%d are still held", held)
		}
		if known, asked := m.Progress().LookedUp, int64(asked); known < asked {
			t.Errorf("%d lookups were sent, and %d results are written", asked, known)
		}
	})
}

// count reads a number from a database of either kind.
func count(t *testing.T, address, statement string) (n int) {
	t.Helper()
	if err := openSQL(t, address).QueryRowContext(t.Context(), statement).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A source that takes long holds up no other one of the process.
func TestLargeSourceHoldsNobodyUp(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		opts := optionsOf(srv)
		feed := filepath.Join(t.TempDir(), "feed.xml")
		feedOf(t, feed, manyJobs(srv, 3), 0)
		opts.Feeds = append(opts.Feeds, jobmirror.Feed{Name: "small", Address: feed})
		opts.RefreshEvery = time.Second
		srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Delay: time.Hour})
		m := open(t, address, opts)
		run(t, m)
		complete := map[time.Time]bool{}
		until(t, 30*time.Second, "the small one is copied again and again", func() bool {
			s, err := m.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, source := range s.Sources {
				if source.Name == "small" && !source.Complete.IsZero() {
					complete[source.Complete] = true
				}
			}
			return len(complete) > 2
		})
	})
}

// A job that a channel names in two languages, and a feed after its lookup, is asked
// about once.
func TestFirstFillAsksOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t)
		srv.AddChannel(jobboardtest.Channel{ID: "1"})
		srv.AddClient(jobboardtest.ClientApp{ID: "10"})
		var jobs []int64
		for i := range 300 {
			job, _ := srv.Publish("1", jobboardtest.Job{Title: fmt.Sprint("Cook ", i), Language: "de"})
			jobs = append(jobs, job.ID)
		}
		feed := filepath.Join(t.TempDir(), "feed.xml")
		feedOf(t, feed, nil, 0)
		o := childOptions{BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, Channel: "1", Feed: feed, Limit: -1, LookupEvery: time.Hour}
		m := open(t, address, o.options())
		run(t, m)
		status := func(what string, holds func(s *jobmirror.Status) bool) {
			until(t, time.Minute, what, func() bool {
				s, err := m.Status(t.Context())
				return err == nil && s.Due == 0 && s.Jobs[jobmirror.StateOpen] == len(jobs) && holds(s)
			})
		}
		status("the channel is copied", func(s *jobmirror.Status) bool {
			return !s.Sources[0].Complete.IsZero() && !s.Sources[1].Complete.IsZero()
		})
		feedOf(t, feed, jobs, 0) // names them later
		status("the feed is copied", func(s *jobmirror.Status) bool { return s.Sources[2].Rows == len(jobs) })
		asked := srv.Count(jobboardtest.OpJobInformation)
		t.Logf("figure: %.2f lookups a job at the first fill by Run", float64(asked)/float64(len(jobs)))
		if asked != len(jobs) {
			t.Errorf("%d jobs were asked about %d times", len(jobs), asked)
		}
	})
}
