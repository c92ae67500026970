package pace

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// passed holds the times at which a limit let somebody through.
type passed struct{ times []time.Time }

// between counts those of a time, from included.
func (a *passed) between(from, to time.Time) (n int) {
	for _, at := range a.times {
		if !at.Before(from) && at.Before(to) {
			n++
		}
	}
	return n
}

// most returns how many were let through in the second that had the most.
func (a *passed) most() (most int) {
	slices.SortFunc(a.times, time.Time.Compare)
	for i := range a.times {
		most = max(most, a.between(a.times[i], a.times[i].Add(time.Second)))
	}
	return most
}

// sentBy counts how often a limit lets 50 goroutines through until a time.
func sentBy(t *testing.T, l *Limit, until time.Time) *passed {
	t.Helper()
	ctx, cancel := context.WithDeadline(t.Context(), until)
	defer cancel()
	a := &passed{}
	var mu sync.Mutex
	var sending sync.WaitGroup
	for range 50 {
		sending.Go(func() {
			for l.Wait(ctx) == nil {
				mu.Lock()
				a.times = append(a.times, time.Now())
				mu.Unlock()
			}
		})
	}
	sending.Wait()
	return a
}

func TestLimitAndPausesInOneProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 100
		l := New(limit, time.Now)
		defer l.Close()
		l.Keep(State{}, nil)
		began := time.Now()
		go func() {
			time.Sleep(10 * time.Second)
			l.Observe(http.StatusTooManyRequests, "5")
			l.Observe(http.StatusTooManyRequests, "5")   // answers a request that was under way
			l.Observe(http.StatusServiceUnavailable, "") // asks for nothing
		}()
		a := sentBy(t, l, began.Add(time.Minute))
		if most := a.most(); most > limit {
			t.Errorf("%d requests in one second", most)
		}
		for _, c := range []struct {
			from, to    float64 // seconds
			least, most float64 // requests in each of them
		}{
			{2, 10, 85, 95},
			{10.01, 15, 0, 0}, // who was waiting waits, too
			{16, 44, 42, 48},
			{46, 60, 85, 95},
		} {
			second := func(s float64) time.Time { return began.Add(time.Duration(s * float64(time.Second))) }
			perSecond := float64(a.between(second(c.from), second(c.to))) / (c.to - c.from)
			if perSecond < c.least || perSecond > c.most {
				t.Errorf("%.0f requests a second from second %g to %g", perSecond, c.from, c.to)
			}
		}
	})
}

func TestNoSlotIsMadeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("the server is away")
		l := New(100, time.Now)
		defer l.Close()
		l.ledger = failing{away}
		began := time.Now()
		if err := l.Wait(t.Context()); !errors.Is(err, away) {
			t.Error(err)
		}
		if waited := time.Since(began); waited < 4*time.Second || waited > 6*time.Second {
			t.Errorf("given up after %s", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		synctest.Wait()
	})
}

// failing is a ledger that is away.
type failing struct{ err error }

func (f failing) take(context.Context, int) (block, error)         { return block{}, f.err }
func (f failing) pause(context.Context, time.Duration) error       { return f.err }
func (f failing) paused(context.Context) (at time.Time, err error) { return at, f.err }

// A pause that another process kept before the clock was set back holds nobody up.
func TestKeptPauseAfterTheClockWasSetBack(t *testing.T) {
	week := time.Now().Add(7 * 24 * time.Hour).UnixMicro()
	l := New(20, time.Now)
	defer l.Close()
	kept := State{Paused: week, Slowed: 1, Calm: week}
	l.Keep(kept, nil)
	b, err := l.ledger.take(t.Context(), 1)
	if err != nil || b.count != 1 || b.gap != gapOf(20) {
		t.Errorf("%d requests are sent, with %s between them, %v; a pause until %s", b.count, b.gap, err, b.paused)
	}
	if rate, until := kept.At(20, time.Now()); rate != 20 || !until.IsZero() {
		t.Errorf("told are %v a second, and a pause until %s", rate, until)
	}
	hour := time.Now().Add(maxPause / 2).UnixMicro()
	if rate, until := (State{Paused: hour, Slowed: 1, Calm: hour}).At(20, time.Now()); rate != 10 || until.IsZero() {
		t.Errorf("a pause of half an hour: %v a second, until %s", rate, until)
	}
}

// A feed's server may say when to come back as a number of seconds or as a date.
func TestRetryAfterOfAFeed(t *testing.T) {
	now := time.Now()
	for header, want := range map[string]time.Duration{
		"":    firstPause,
		"90":  90 * time.Second,
		"-5":  firstPause,
		"now": firstPause,
		now.Add(5 * time.Minute).UTC().Format(http.TimeFormat):  5 * time.Minute,
		now.Add(-5 * time.Minute).UTC().Format(http.TimeFormat): firstPause,
		"18446744074":          maxPause, // more nanoseconds than a Duration has
		"99999999999999999999": maxPause,
	} {
		l := New(1, func() time.Time { return now })
		l.cancel() // nothing is written
		l.Observe(http.StatusTooManyRequests, header)
		if got := l.paused.Sub(now); got > want || got < want-2*time.Second || got < firstPause {
			t.Errorf("Retry-After %q: a pause of %s, not %s", header, got, want)
		}
	}
}

// Busy is called once after a minute in which each slot was taken at once, and again when that comes back.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		l := New(100, time.Now)
		l.Busy = func() { calls++ }
		defer l.Close()
		l.Keep(State{}, nil)
		for _, phase := range []struct {
			lasts time.Duration
			busy  bool
			want  int
		}{{55 * time.Second, true, 0}, {10 * time.Second, true, 1}, {5 * time.Minute, true, 1}, {10 * time.Second, false, 1}, {55 * time.Second, true, 1}, {10 * time.Second, true, 2}} {
			until := time.Now().Add(phase.lasts)
			if phase.busy {
				sentBy(t, l, until)
			}
			for time.Now().Before(until) {
				if err := l.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
			}
			if calls != phase.want {
				t.Errorf("after %+v it was told %d times", phase, calls)
			}
		}
	})
}
