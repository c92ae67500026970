package pace

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// Slots are taken a gap apart, in the next quarter of a second alone, after a pause, and
// from there on after the clock was set back.
func TestSlotsThatAreTaken(t *testing.T) {
	const now, gap = 1_000_000_000, 10_000 // microseconds
	for _, test := range []struct {
		name               string
		state              State
		n                  int
		first, count, next int64
	}{
		{"one", State{}, 1, now, 1, now + gap},
		{"all", State{}, 26, now, 26, now + 260_000},
		{"more than there are", State{}, 100, now, 26, now + 260_000},
		{"behind others", State{next: now + 100_000}, 100, now + 100_000, 16, now + 260_000},
		{"the last one", State{next: now + 250_000}, 5, now + 250_000, 1, now + 260_000},
		{"none", State{next: now + 250_001}, 5, now + 250_001, 0, now + 250_001},
		{"none, behind the last one", State{next: now + 260_000}, 5, now + 260_000, 0, now + 260_000},
		{"after the clock was set back", State{next: now + 260_001}, 5, now + 250_000, 1, now + 260_000},
		{"long ago", State{next: now - 1}, 1, now, 1, now + gap},
		{"in a pause", State{Paused: now + 50_000}, 1, now + 50_000, 1, now + 60_000},
		{"in a long pause", State{Paused: now + 300_000}, 1, now + 300_000, 0, 0},
		{"behind a pause", State{Paused: now - 1}, 1, now, 1, now + gap},
	} {
		state := test.state
		if first, count := state.take(now, gap, test.n); first != test.first || count != test.count || state.next != test.next {
			t.Errorf("%s: %d from %d on, and then %d", test.name, count, first-now, state.next-now)
		}
	}
}

// A pause halves the rate, up to a sixteenth, which doubles with each half minute after it.
// Answers to what was under way when it began halve nothing.
func TestRateAfterPauses(t *testing.T) {
	const second = 1_000_000
	now := int64(1_000 * second)
	var state State
	rate := func(after time.Duration, want float64) {
		t.Helper()
		if got, _ := state.At(160, time.UnixMicro(now).Add(after)); got != want {
			t.Errorf("%s after the pause: %v a second, want %v", after, got, want)
		}
	}
	for i, want := range []float64{80, 40, 20, 10, 10} {
		state.pause(now, 5*second)
		state.pause(now+1, 3*second)
		state.pause(now+5*second-1, 1)
		if state.Paused != now+5*second || state.Calm != now+5*second {
			t.Errorf("pause %d ends after %d", i, state.Paused-now)
		}
		if _, until := state.At(160, time.UnixMicro(now)); until.UnixMicro() != now+5*second {
			t.Errorf("pause %d is told to end at %v", i, until)
		}
		now += 5 * second
		rate(0, want)
		if _, until := state.At(160, time.UnixMicro(now)); !until.IsZero() {
			t.Errorf("pause %d is told to end at %v when it is over", i, until)
		}
	}
	rate(30*time.Second-time.Microsecond, 10)
	rate(30*time.Second, 20)
	rate(60*time.Second-time.Microsecond, 20)
	rate(60*time.Second, 40)
	rate(120*time.Second-time.Microsecond, 80)
	rate(120*time.Second, 160)
	rate(time.Hour, 160)
	rate(-5*time.Second, 10)
}

// What ends in an hour may have been noted now, and nothing that ends later.
func TestPauseOfAnotherClock(t *testing.T) {
	const now, hour = 1_000_000_000, 3_600_000_000
	for _, test := range []struct {
		kept  State
		holds bool
	}{
		{State{Paused: now + hour, Slowed: 1, Calm: now + hour}, true},
		{State{Paused: now + hour + 1, Slowed: 1, Calm: now}, false},
		{State{Paused: now, Slowed: 1, Calm: now + hour + 1}, false},
	} {
		got := test.kept.without(now)
		if test.holds && got != test.kept || !test.holds && got != (State{}) {
			t.Errorf("of %+v is left %+v", test.kept, got)
		}
	}
}

// A limit spreads the requests of a second over a bit more than that.
func TestGaps(t *testing.T) {
	for perSecond, want := range map[float64]time.Duration{
		20: 55 * time.Millisecond, 1: 1100 * time.Millisecond, 3: 366_667 * time.Microsecond, 1e9: time.Microsecond, 1.1e6: time.Microsecond,
		0.5: 2200 * time.Millisecond, 1e-5: 24 * time.Hour, 0: 24 * time.Hour, 1.1 / 86_400: 24 * time.Hour, 1.1 / 43_200: 12 * time.Hour,
	} {
		if got := gapOf(perSecond); got != want {
			t.Errorf("%v a second: a slot each %s, want %s", perSecond, got, want)
		}
	}
}

// Without a free slot a process asks again when some may be free, and no later than the others.
func TestWhenToAskAgain(t *testing.T) {
	for next, first := range map[int64]time.Duration{-1000: 0, 0: 0, 250_000: 0, 350_000: 100 * time.Millisecond} {
		least, most := time.Hour, time.Duration(0)
		for range 5000 {
			wait := again(7, 7+next) - first
			least, most = min(least, wait), max(most, wait)
		}
		if least < 62500*time.Microsecond || least > 63500*time.Microsecond || most < 186500*time.Microsecond || most >= 187500*time.Microsecond {
			t.Errorf("%d µs before the next slot: %s to %s", next, least+first, most+first)
		}
	}
}

// Without a limit only pauses hold: those that answers ask for, each counted once, and those
// of other processes, for which the ledger is asked twice a second.
func TestPausesWithoutALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(-1, time.Now)
		defer l.Close()
		other := &pausing{}
		l.ledger = other
		waits := func(want time.Duration) {
			t.Helper()
			began := time.Now()
			if err := l.Wait(t.Context()); err != nil || time.Since(began) != want {
				t.Errorf("a wait of %s, %v, want %s", time.Since(began), err, want)
			}
		}
		waits(0)
		for _, answer := range []struct {
			status     int
			retryAfter string
			want       time.Duration
			pauses     int64
		}{
			{200, "5", 0, 0}, {500, "5", 0, 0}, {503, "", 0, 0}, {503, "5", 5 * time.Second, 1}, {429, "", time.Second, 2}, {429, "7", 7 * time.Second, 3},
		} {
			l.Observe(answer.status, answer.retryAfter)
			l.Observe(answer.status, answer.retryAfter)
			if waits(answer.want); l.Pauses() != answer.pauses {
				t.Errorf("%d pauses after an answer %d, want %d", l.Pauses(), answer.status, answer.pauses)
			}
		}
		synctest.Wait()
		time.Sleep(time.Minute)
		for other.asked = 0; other.asked < 4; time.Sleep(100 * time.Millisecond) {
			waits(0)
			synctest.Wait()
		}
		if got := other.last.Sub(other.first); got != 1500*time.Millisecond {
			t.Errorf("the ledger is asked four times in %s", got)
		}
		other.until = time.Now().Add(3 * time.Second)
		time.Sleep(500 * time.Millisecond)
		waits(0) // the process asks, without waiting for the answer
		synctest.Wait()
		waits(2500 * time.Millisecond)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := l.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// pausing is a ledger with the pause of another process.
type pausing struct {
	asked       int
	first, last time.Time
	until       time.Time
}

func (p *pausing) take(context.Context, int) (block, error)   { return block{}, errors.New("no slots") }
func (p *pausing) pause(context.Context, time.Duration) error { return nil }

func (p *pausing) paused(context.Context) (time.Time, error) {
	if p.asked++; p.asked == 1 {
		p.first = time.Now()
	}
	p.last = time.Now()
	return p.until, nil
}

// Who waits while the ledger does not answer is told why after five seconds, and at once when
// the limit is closed.
func TestWaitsThatEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("the server is away")
		l := New(100, time.Now)
		l.ledger = failing{away}
		began := time.Now()
		if err := l.Wait(t.Context()); !errors.Is(err, away) || time.Since(began) != 5*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		time.AfterFunc(time.Second, l.Close)
		if err := l.Wait(t.Context()); !errors.Is(err, context.Canceled) || time.Since(began) != 6*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		if err := l.Wait(t.Context()); !errors.Is(err, context.Canceled) {
			t.Errorf("when it is closed: %v", err)
		}
		synctest.Wait()
	})
}

// What the client's own observer is told, it is still told, and pauses are what attempts and
// calls ask for.
func TestObserverOfAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			attempt jobboard.AttemptEnd
			call    jobboard.CallEnd
			want    time.Duration
		}{
			{want: 0},
			{attempt: jobboard.AttemptEnd{StatusCode: 503, Wait: time.Minute}, want: 0},
			{attempt: jobboard.AttemptEnd{StatusCode: http.StatusTooManyRequests}, want: time.Second},
			{attempt: jobboard.AttemptEnd{StatusCode: http.StatusTooManyRequests, Wait: 3 * time.Second}, want: 3 * time.Second},
			{call: jobboard.CallEnd{Err: &jobboard.Error{}}, want: 0},
			{call: jobboard.CallEnd{Err: &jobboard.Error{RetryAfter: 2 * time.Second}}, want: 2 * time.Second},
			{call: jobboard.CallEnd{Err: &jobboard.Error{RetryAfter: 1}}, want: 1},
			{call: jobboard.CallEnd{Err: &jobboard.Error{RetryAfter: 2 * time.Hour}}, want: time.Hour},
		} {
			l := New(-1, time.Now)
			l.ledger = &pausing{}
			ends := 0
			own := &jobboard.Observer{
				Call: func(ctx context.Context, _ jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
					return ctx, func(jobboard.CallEnd) { ends++ }
				},
				Attempt: func(ctx context.Context, _ jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
					return ctx, nil
				},
			}
			for _, observer := range []*jobboard.Observer{l.Observer(own), l.Observer(nil)} {
				_, attempt := observer.Attempt(t.Context(), jobboard.AttemptStart{})
				attempt(test.attempt)
				_, call := observer.Call(t.Context(), jobboard.CallStart{})
				call(test.call)
			}
			if got := time.Until(l.paused); max(got, 0) != test.want || ends != 1 {
				t.Errorf("%+v, %+v: a pause of %s, %d ends are told", test.attempt, test.call, got, ends)
			}
			l.Close()
			synctest.Wait()
		}
	})
}

// Each status of an answer counts under one outcome.
func TestOutcomes(t *testing.T) {
	for status, want := range map[int]string{
		0: "lost", 200: "answered", 304: "answered", 400: "answered", 401: "refused", 402: "answered", 403: "refused", 404: "answered",
		410: "answered", 428: "answered", 429: "rate_limited", 430: "answered", 499: "answered", 500: "server_error", 503: "server_error", 520: "server_error",
	} {
		if got := outcomes[outcomeOf(status)]; got != want {
			t.Errorf("%d is %s, not %s", status, got, want)
		}
	}
}
