package jobmirror_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// askForEver asks for a job, 16 times at once, within a mirror's limit.
func askForEver(ctx context.Context, o childOptions) error {
	config := jobboard.Config{JobDBURL: o.JobDBURL}
	config, stop, err := jobmirror.Limited(ctx, o.Database, o.Limit, o.Skew, config)
	if err != nil {
		return err
	}
	client, err := jobboard.NewClient(config)
	if err != nil {
		return err
	}
	var asking sync.WaitGroup
	for range 16 {
		asking.Go(func() {
			for ctx.Err() == nil {
				_, _ = client.JobInformation(ctx, jobboard.JobID(o.Asks))
			}
		})
	}
	asking.Wait()
	return stop()
}

// arrivals collects when requests came in.
type arrivals struct {
	srv   *jobboardtest.Server
	last  int
	times []time.Time
}

func (a *arrivals) collect() {
	for _, r := range a.srv.Requests() {
		if r.Number <= a.last {
			continue
		}
		a.last = r.Number
		a.times = append(a.times, r.Time)
	}
}

// between counts the requests of a time, from included.
func (a *arrivals) between(from, to time.Time) (n int) {
	for _, at := range a.times {
		if !at.Before(from) && at.Before(to) {
			n++
		}
	}
	return n
}

// most returns the number of requests in the busiest second.
func (a *arrivals) most() (most int) {
	slices.SortFunc(a.times, time.Time.Compare)
	first := 0
	for i, at := range a.times {
		for at.Sub(a.times[first]) >= time.Second {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// during collects arrivals for a time, and returns when it began and ended.
func (a *arrivals) during(d time.Duration) (from, to time.Time) {
	from = time.Now()
	to = from.Add(d)
	for time.Now().Before(to) {
		<-time.After(min(100*time.Millisecond, time.Until(to)))
		a.collect()
	}
	return from, to
}

// Eight processes share a limit. Half of them are killed, the others stopped for
// a while, all clocks are wrong, the board asks for a pause: it never gets more
// requests in a second than the limit says.
func TestProcessesShareOneLimit(t *testing.T) {
	needPostgres(t)
	const limit = 200
	address := postgres.create(t)
	if err := open(t, address, jobmirror.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	srv := jobboardtest.New(t)
	job := srv.AddJob(jobboardtest.Job{Title: "Nurse", Language: "de"})
	r := rand.New(rand.NewPCG(7, 8))
	options := make([]childOptions, 8)
	for i := range options {
		options[i] = childOptions{
			Database: address, JobDBURL: srv.JobDBURL, Limit: limit, Asks: job.ID, Skew: time.Duration(i-4) * time.Hour / 3,
		}
	}
	fleet := startFleet(t, options...)
	a := &arrivals{srv: srv}
	for len(a.times) == 0 {
		a.during(10 * time.Millisecond)
	}
	a.during(time.Duration(whole(1, 2)) * time.Second)

	part := time.Duration(whole(500, size(1000, 10_000))) * time.Millisecond
	from, _ := a.during(part)
	for i := 4; i < 8; i++ {
		a.during(time.Duration(r.Int64N(int64(part))))
		fleet.kill(i)
	}
	_, to := a.during(part)
	used := float64(a.between(from, to)) / to.Sub(from).Seconds()
	t.Logf("%.0f requests a second while half of the processes were killed, at most %d in one", used, a.most())
	// What else the machine does slows the processes down, and lets a request arrive later
	// than its permit says, together with the next ones.
	least, mostInOne := 0.25*limit, limit+limit/5
	if long() {
		least, mostInOne = 0.85*limit, limit
	}
	if used < least {
		t.Errorf("%.0f requests a second were sent, of %d", used, limit)
	}
	signal := func(s syscall.Signal) {
		for i := range 4 {
			fleet.signal(i, s)
		}
	}
	for range whole(1, size(2, 20)) {
		signal(syscall.SIGSTOP)
		a.during(700 * time.Millisecond)
		signal(syscall.SIGCONT)
		a.during(time.Second)
	}
	silence := whole(2, 3)
	srv.Fail(jobboardtest.Fault{
		Status: http.StatusTooManyRequests, Times: 1, Header: http.Header{"Retry-After": {strconv.Itoa(silence)}}, Name: "pause",
	})
	most := time.Duration(silence)*time.Second - 200*time.Millisecond
	asked, _ := a.during(most)
	if n := a.between(asked.Add(time.Second), asked.Add(most)); n > 0 {
		t.Errorf("%d requests were sent between 1 s and %s after the answer that asked for %d s of silence", n, most, silence)
	}
	a.during(700 * time.Millisecond)
	from, to = a.during(2 * time.Second)
	if n := a.between(from, to); n > limit || n < limit/4 {
		t.Errorf("%d requests in the 2 s after the pause: they are to be half as many as before", n)
	}
	if most := a.most(); most > mostInOne {
		t.Errorf("%d requests came in one second", most)
	}
}

// limited is a client within the limit of a mirror, and what ends it.
func limited(t *testing.T, address string, limit float64, config jobboard.Config) (jobboard.Config, *jobboard.Client) {
	t.Helper()
	config, stop, err := jobmirror.Limited(t.Context(), address, limit, 0, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	client, err := jobboard.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	return config, client
}

// waits reports whether a limit lets nothing through for a tenth of a second.
func waits(t *testing.T, l jobboard.Limiter) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	return errors.Is(l.Wait(ctx), context.DeadlineExceeded)
}

// refreshUntilPaused lets a board that answers everything with 429 ask for ten minutes, and
// ends the refresh once its mirror has stored the pause.
func refreshUntilPaused(t *testing.T, m *jobmirror.Mirror, srv *jobboardtest.Server) {
	t.Helper()
	srv.Fail(jobboardtest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"600"}}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		err := m.Refresh(ctx)
		ended <- err
	}()
	until(t, 20*time.Second, "a pause", func() bool {
		s, err := m.Status(t.Context())
		return err == nil && !s.PausedUntil.IsZero()
	})
	cancel()
	if err := <-ended; err == nil {
		t.Error("a refresh without an answer")
	}
}

func TestPauseOutlivesItsProcess(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		opts := optionsOf(srv)
		opts.Limit, opts.Config.Retry.MaxAttempts = 50, 1
		m := open(t, address, opts)
		refreshUntilPaused(t, m, srv)
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		reader := open(t, address, jobmirror.Options{ReadOnly: true})
		s, err := reader.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if left := time.Until(s.PausedUntil); left < 9*time.Minute || left > 601*time.Second || s.Limit != 25 {
			t.Errorf("paused for another %s, then %g a second", left, s.Limit)
		}
		config, _ := limited(t, address, 50, jobboard.Config{JobDBURL: srv.JobDBURL})
		if !waits(t, config.Limiter) {
			t.Error("the next process does not keep the pause")
		}
	})
}

// A process without a limit keeps a pause that the board asked another one for.
func TestPauseHoldsWithoutALimit(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	address := postgres.create(t)
	open(t, address, jobmirror.Options{})
	srv := jobboardtest.New(t)
	unlimited, _ := limited(t, address, -1, jobboard.Config{JobDBURL: srv.JobDBURL})
	if err := unlimited.Limiter.Wait(t.Context()); err != nil {
		t.Fatalf("nothing is sent, and there is no pause: %v", err)
	}
	_, client := limited(t, address, 100, jobboard.Config{JobDBURL: srv.JobDBURL, Retry: jobboard.RetryPolicy{MaxAttempts: 1}})
	srv.Fail(jobboardtest.Fault{Status: http.StatusTooManyRequests, Times: 1, Header: http.Header{"Retry-After": {"60"}}})
	if _, err := client.JobInformation(t.Context(), 1); !errors.Is(err, jobboard.ErrRateLimited) {
		t.Fatal(err)
	}
	until(t, 10*time.Second, "a process without a limit keeps the pause", func() bool {
		return waits(t, unlimited.Limiter)
	})
}

// A database's clock that is set back holds nobody up for longer than a moment.
func TestClockOfTheDatabaseSetBack(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	address := postgres.create(t)
	open(t, address, jobmirror.Options{})
	config, _ := limited(t, address, 100, jobboard.Config{JobDBURL: "http://127.0.0.1:1"})
	if err := config.Limiter.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, address, fmt.Sprintf("UPDATE limits SET next_slot = next_slot + %d, paused = next_slot + 2 * %[1]d, calm = next_slot + 2 * %[1]d, slowed = 4",
		time.Hour.Microseconds()))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for range 10 {
		if err := config.Limiter.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
}
