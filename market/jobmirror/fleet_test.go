package jobmirror_test

import (
	"bytes"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// feedOptions are options for a mirror of a feed in a file.
func feedOptions(srv *jobboardtest.Server, feed string) jobmirror.Options {
	return jobmirror.Options{
		Config: jobboard.Config{JobDBURL: srv.JobDBURL, HTTPClient: srv.Client()},
		Feeds:  []jobmirror.Feed{{Name: "feed", Address: feed}}, Limit: -1, Concurrency: 32,
	}
}

// until waits for a condition: for a time that is enough on an idle machine, and on a
// busy one three times as long.
func until(t *testing.T, wait time.Duration, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(3 * wait); !f(); {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", 3*wait, what)
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

// The first fill by one process on PostgreSQL, and by four, asks about each job once, or again after a 503, and takes no more
// of processors than it must.
func TestFleetFirstFill(t *testing.T) {
	if !testenv.Whole() {
		t.Parallel()
	}
	needPostgres(t)
	for _, processes := range []int{1, 4} {
		n := whole(800, size(3000, 100_000)) / processes
		srv, feed, _ := boardOf(t, n)
		answerSlowly(srv)
		address := postgres.create(t)
		var fleet []*jobmirror.Mirror
		for range processes {
			fleet = append(fleet, open(t, address, feedOptions(srv, feed)))
		}
		began, cpu := time.Now(), cpuTime(t)+serverTime()
		stop := run(t, fleet...)
		until(t, 5*time.Minute, "all jobs are known", func() bool { return countOpen(t, fleet[0]) >= n*999/1000 })
		took := time.Since(began)
		asked, each := srv.Count(jobboardtest.OpJobInformation), (cpuTime(t)+serverTime()-cpu)/time.Duration(n)
		t.Logf("figure: first fill of %d jobs by a fleet of %d, 2 %% of 503, answers after 5 ms: %.0f jobs/s, %d requests, %d connections; of a processor, server and stand-in included, %s a job",
			n, processes, float64(n)/took.Seconds(), asked, query[int](t, address,
				"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'jobmirror'"), each)
		if asked > n*110/100 {
			t.Errorf("%d jobs were asked about %d times by %d processes", n, asked, processes)
		}
		if long() && processes == 1 && each > 2*time.Millisecond {
			t.Errorf("a job takes %s of a processor", each)
		}
		for _, table := range []string{"jobs", "entries", "changes"} {
			t.Logf("figure: %s has %d bytes for a job", table, query[int](t, address, "SELECT pg_total_relation_size('"+table+"')")/n)
		}
		began = time.Now()
		stop()
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("stopping took %s", took)
		}
	}
}

// testFleet is processes that share a mirror, which a test kills and starts.
type testFleet struct {
	t        *testing.T
	options  []childOptions
	children []*exec.Cmd
}

func startFleet(t *testing.T, options ...childOptions) *testFleet {
	f := &testFleet{t: t, options: options}
	for _, o := range options {
		f.children = append(f.children, startChild(t, o))
	}
	t.Cleanup(func() {
		for i := range f.children {
			f.kill(i)
		}
	})
	return f
}

func (f *testFleet) kill(i int) {
	_ = f.children[i].Process.Kill()
	_ = f.children[i].Wait()
}

func (f *testFleet) restart(i int) {
	f.kill(i)
	f.children[i] = startChild(f.t, f.options[i])
}

func (f *testFleet) signal(i int, s syscall.Signal) {
	f.t.Helper()
	if err := f.children[i].Process.Signal(s); err != nil {
		f.t.Error(err)
	}
}

// at calls f once a time has passed since began.
func at(began time.Time, d time.Duration, f func()) {
	<-time.After(time.Until(began.Add(d)))
	f()
}

// Four processes are killed in turn, one is put to sleep for longer than its leases, the server
// crashes, its connections are cut and stall: the copy is the one of a calm run, and few jobs
// are asked for twice. JOBMIRROR_FAULTS says for how long faults follow each other, such as
// 30m; JOBMIRROR_FAULTS also puts PgBouncer between the processes and the server.
func TestFleetThroughFaults(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	lasting := lastingFrom(t, "JOBMIRROR_FAULTS", 0)
	t.Run("direct", func(t *testing.T) {
		t.Parallel()
		fleetThroughFaults(t, false, lasting)
	})
	if lasting > 0 {
		t.Run("pooled", func(t *testing.T) {
			t.Parallel()
			fleetThroughFaults(t, true, lasting)
		})
	}
}

func fleetThroughFaults(t *testing.T, pooled bool, lasting time.Duration) {
	server := ownServer(t)
	n := size(1500, 20_000)
	srv := jobboardtest.New(t)
	srv.AddChannel(jobboardtest.Channel{ID: "1"})
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	jobs := manyJobs(srv, n)
	for i := range 100 {
		job, _ := srv.Publish("1", jobboardtest.Job{Title: "Cook " + strconv.Itoa(i), Language: "de"})
		jobs = append(jobs, job.ID)
	}
	feed := filepath.Join(t.TempDir(), "feed.xml")
	feedOf(t, feed, jobs, 0)
	address := server.createMigrated(t)
	port, options := server.port, ""
	if pooled {
		port, options = pgbouncer(t, server), throughPooler
	}
	between := newProxy(t, port)
	fleet := startFleet(t, slices.Repeat([]childOptions{{
		Database: between.address(t, address) + options, BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, Channel: "1", Feed: feed,
		Limit: float64(size(50, 400)), RefreshEvery: 5 * time.Second, LookupEvery: 24 * time.Hour,
	}}, 4)...)
	m := open(t, address, jobmirror.Options{ReadOnly: true})

	r, began := rand.New(rand.NewPCG(11, 12)), time.Now()
	seconds := func(s int, f func()) { at(began, time.Duration(s)*time.Second, f) }
	killOne := func() { fleet.restart(r.IntN(3)) }
	crash := func() {
		if err := errors.Join(server.stop("immediate"), server.start()); err != nil {
			t.Fatal(err)
		}
	}
	changed := 0
	change := func() {
		changed += 20
		for _, job := range jobs[changed-20 : changed] {
			srv.UpdateJob(job, func(j *jobboardtest.Job) { j.Title = "Senior nurse" })
		}
		feedOf(t, feed, jobs, changed)
	}
	stall := func() {
		resume := between.stall()
		<-time.After(6 * time.Second)
		between.cut()
		resume()
	}
	seconds(2, killOne)
	seconds(3, func() { fleet.signal(3, syscall.SIGSTOP) })
	seconds(4, killOne)
	seconds(6, crash)
	seconds(9, killOne)
	seconds(11, change)
	seconds(12, between.cut)
	seconds(14, killOne)
	seconds(16, stall)
	for s := 24; s < max(size(28, 60), int(lasting.Seconds())); s += 2 {
		seconds(s, killOne)
		switch s % 120 { // of faults that last
		case 62:
			fleet.signal(3, syscall.SIGCONT)
		case 72:
			change()
		case 80:
			crash()
		case 90:
			between.cut()
		case 100:
			stall()
		case 110:
			fleet.signal(3, syscall.SIGSTOP)
		}
	}
	seconds(size(30, 62), func() { fleet.signal(3, syscall.SIGCONT) })
	last := time.Now()
	until(t, 90*time.Second, "all is known", func() bool {
		s, err := m.Status(t.Context())
		return err == nil && s.Jobs[jobmirror.StateOpen] == len(jobs) && s.Due == 0 && s.Unindexed == 0
	})
	<-time.After(2 * time.Second) // what the sleeper still writes
	asked := srv.Count(jobboardtest.OpJobInformation)
	t.Logf("figure: a fleet of 4 through faults: %d jobs, of which %d changed, asked for %d times, known %s after the last fault",
		len(jobs), changed, asked, time.Since(last).Round(time.Second))
	// A busy machine loses more of what was under way.
	if most := (len(jobs) + changed) * whole(125, 110) / 100; asked > most && lasting == 0 {
		t.Errorf("%d jobs were asked for %d times, which is more than %d", len(jobs), asked, most)
	}
	for i := range fleet.children {
		fleet.kill(i)
	}
	writer := open(t, address, jobmirror.Options{})
	checkReplay(t, writer)
	checkSame(t, srv, feed, writer)
}

// lastingFrom returns how long a test lasts: what a variable says, or else so long.
func lastingFrom(t *testing.T, variable string, otherwise time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// checkSame compares a copy with the one that a calm run makes.
func checkSame(t *testing.T, srv *jobboardtest.Server, feed string, m *jobmirror.Mirror) {
	t.Helper()
	o := childOptions{BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, Channel: "1", Feed: feed, Limit: -1, LookupEvery: time.Hour}
	calm := open(t, filepath.Join(t.TempDir(), "calm.db"), o.options())
	refresh(t, calm)
	want, _, err := snapshot(t.Context(), calm)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := snapshot(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	got.Compare(t, "after the faults", want)
}

// barrier holds requests until the clients of all mirrors have sent one.
type barrier struct {
	http.RoundTripper
	came func() // reports that this client has sent a request
	all  *sync.WaitGroup
}

func (b barrier) RoundTrip(r *http.Request) (*http.Response, error) {
	b.came()
	b.all.Wait()
	return b.RoundTripper.RoundTrip(r)
}

// Two that refresh at the same time ask nothing twice.
func TestTwoRefreshAtOnce(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	n := whole(800, size(1500, 10_000))
	srv, feed, _ := boardOf(t, n)
	address := postgres.create(t)
	var (
		mirrors [2]*jobmirror.Mirror
		lookUp  sync.WaitGroup
	)
	lookUp.Add(len(mirrors))
	for i := range mirrors {
		opts := feedOptions(srv, feed)
		opts.Config.HTTPClient = &http.Client{Transport: barrier{srv.Client().Transport, sync.OnceFunc(lookUp.Done), &lookUp}}
		mirrors[i] = open(t, address, opts)
	}
	first, second := mirrors[0], mirrors[1]
	letThemRead := holdSources(t, address, len(mirrors))
	errs := make(chan error, len(mirrors))
	for _, m := range mirrors {
		go func() {
			err := m.Refresh(t.Context())
			errs <- err
		}()
	}
	letThemRead()
	if err := errors.Join(<-errs, <-errs); err != nil {
		t.Fatal(err)
	}
	if asked := srv.Count(jobboardtest.OpJobInformation); asked != n {
		t.Errorf("%d jobs were asked for %d times", n, asked)
	}
	if read := first.Progress().Read + second.Progress().Read; read != int64(n) {
		t.Errorf("%d entries were read of a feed of %d", read, n)
	}
	if one, other := first.Progress().LookedUp, second.Progress().LookedUp; one == 0 || other == 0 {
		t.Errorf("one looked up %d jobs, the other %d", one, other)
	}
	if known := countOpen(t, first); known != n {
		t.Errorf("%d of %d jobs are known", known, n)
	}
}

// holdSources lets no refresh of a source begin until letGo is called, which waits
// until so many are about to.
func holdSources(t *testing.T, address string, waiting int) (letGo func()) {
	t.Helper()
	db := openSQL(t, address)
	tx, err := db.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = tx.ExecContext(t.Context(), "SELECT 1 FROM sources FOR UPDATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		until(t, time.Minute/2, "all are about to read the sources", func() bool { return waitingForLocks(t, address) == waiting })
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
}

// waitingForLocks returns how many sessions of a database wait for locks of others.
func waitingForLocks(t *testing.T, address string) int {
	t.Helper()
	return query[int](t, address,
		"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
}

// Fleets with different sources share a database: each source comes to a process that
// names it, also where most name others, and no job is looked up twice.
func TestTwoFleetsShareADatabase(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	feed := filepath.Join(t.TempDir(), "feed.xml")
	feedOf(t, feed, manyJobs(srv, 50), 0)
	address := postgres.create(t)
	channel := optionsOf(srv)
	channel.Feeds = nil
	few := open(t, address, channel)
	all := []*jobmirror.Mirror{few}
	for range 3 {
		all = append(all, open(t, address, feedOptions(srv, feed)))
	}
	began := time.Now()
	run(t, all...)
	until(t, 2*time.Minute, "every source is complete", func() bool {
		s, err := few.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range s.Sources {
			if source.Complete.IsZero() {
				return false
			}
		}
		return len(s.Sources) == 3 && s.Due == 0 && s.Jobs[jobmirror.StateUnknown] == 0
	})
	t.Logf("complete after %s", time.Since(began))
	s, err := few.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	jobs := 0
	for _, n := range s.Jobs {
		jobs += n
	}
	if asked := srv.Count(jobboardtest.OpJobInformation); asked > jobs+jobs/10 {
		t.Errorf("%d jobs were asked about %d times", jobs, asked)
	}
	checkReplay(t, few)
}

// A server that goes away is told of in few words and asked for in few attempts,
// and costs no memory, goroutines or connections while it is away. What changes at
// the board meanwhile is found once it is back, within the limit. JOBMIRROR_AWAY
// says how long it is away, such as 1h.
func TestServerGoesAway(t *testing.T) {
	alone := testenv.Whole() // else other tests use memory, goroutines and the processors meanwhile
	if !alone {
		t.Parallel()
	}
	server := ownServer(t)
	const limit = 100
	srv, feed, jobs := boardOf(t, 400)
	feedOf(t, feed, jobs[:200], 0)
	address := server.create(t)
	between := newProxy(t, server.port)
	var told lines
	opts := feedOptions(srv, feed)
	opts.Limit = limit
	opts.RefreshEvery, opts.Logger = time.Second, slog.New(slog.NewTextHandler(&told, nil))
	m := open(t, between.address(t, address), opts)
	run(t, m)
	until(t, time.Minute, "the first jobs are known", func() bool { return countOpen(t, m) == 200 })
	attempts, words, goroutines, heap := between.accepted.Load(), told.count(), runtime.NumGoroutine(), heapInUse()
	if err := server.stop("fast"); err != nil {
		t.Fatal(err)
	}
	away := lastingFrom(t, "JOBMIRROR_AWAY", time.Duration(size(4, 600))*time.Second)
	arrived := &arrivals{srv: srv, last: srv.Count()}
	for end := time.Now().Add(away); time.Now().Before(end); {
		<-time.After(min(10*time.Second, time.Until(end)))
		for _, job := range jobs[:20] {
			srv.UpdateJob(job, func(j *jobboardtest.Job) { j.Title = "Senior nurse" })
		}
		feedOf(t, feed, jobs, 20)
	}
	attempts, words = between.accepted.Load()-attempts, told.count()-words
	goroutines, heap = runtime.NumGoroutine()-goroutines, heapInUse()-heap
	t.Logf("figure: a server away for %s: %d attempts to connect, %d lines of log, %d more goroutines, %d kB more memory",
		away, attempts, words, goroutines, heap>>10)
	if most := 30 + 1.9*away.Seconds(); float64(attempts) > most || float64(words) > most || words == 0 {
		t.Errorf("in %s there were %d attempts and %d lines of log", away, attempts, words)
	}
	if between.open() > 0 || alone && (goroutines > 50 || heap > 16<<20) {
		t.Errorf("after %s there are %d more goroutines, %d bytes more memory, %d connections", away, goroutines, heap, between.open())
	}
	if err := server.start(); err != nil {
		t.Fatal(err)
	}
	back := time.Now()
	until(t, 90*time.Second, "all jobs are known", func() bool {
		return countOpen(t, m) == 400 && query[int](t, address, "SELECT count(*) FROM jobs WHERE record LIKE '%\"Senior nurse\"%'") == 20
	})
	arrived.collect()
	t.Logf("figure: all is caught up %s after the server is back, with at most %d requests in a second", time.Since(back).Round(time.Second), arrived.most())
	if most := arrived.most(); most > limit && alone {
		t.Errorf("%d requests came in a second, and the limit is %d", most, limit)
	}
	const why = "refused|EOF|reset by peer|shutting down"
	if !regexp.MustCompile(why).MatchString(told.String()) || strings.Contains(told.String(), "password") {
		t.Errorf("the log says\n%s", told.String())
	}
	checkReplay(t, m)
}

// heapInUse returns the bytes in use after a collection.
func heapInUse() int64 {
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapInuse)
}

// lines is a log that is written and read at the same time.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) count() int { return strings.Count(l.String(), "\n") }
