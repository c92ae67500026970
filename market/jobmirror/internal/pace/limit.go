// Package pace spaces out requests: at most a number a second, by one process or by several
// that share a table, and none during a pause that an answer asked for.
package pace

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// Limit spaces out requests. It is a client's
// Config.Limiter, which is asked before every request that is sent.
//
// A request is sent in a slot: a moment that a ledger gives to one process
// only. Who waits is served in the order of coming. A slot lapses soon after
// its moment, so that a process that was stopped, or that is slow, does not send
// its requests together with those of others.
type Limit struct {
	perSecond float64
	ledger    ledger
	none      bool // no slots are needed, but pauses hold
	now       func() time.Time

	ctx    context.Context // ends with close
	cancel context.CancelFunc
	tell   sync.WaitGroup // the pause that is being written

	mu      sync.Mutex
	queue   []*waiter // callers without a slot, in the order of their calls
	held    []slot    // taken, and not given to anybody yet
	given   int       // slots given since the last taking
	free    bool      // the last taking found slots that nobody had taken in time
	taking  bool      // a goroutine takes slots for the queue
	paused  time.Time // until when nothing may be sent
	telling time.Time // a pause not yet written to the ledger; zero: none
	writing bool      // a goroutine tells the ledger of it
	looked  time.Time // without slots: when the ledger was last asked for pauses
	looking bool

	// Busy, if it is not nil, is called once slots have been scarce for busyAfter: each slot was taken at
	// once. After a time with free slots it may be called again. It is set before the first Wait, and
	// must return at once.
	Busy      func()
	busySince time.Time // since when no slot was left over; zero: one was
	toldBusy  bool

	pauses atomic.Int64 // that answers to this process asked for
	sent   [len(outcomes)]atomic.Int64
}

// outcomes are the ways in which a request to the board ends: it is answered, refused for its
// credential (401, 403), told to come later (429), answered by an error of the server's, or
// lost without an answer.
var outcomes = [...]string{
	answered: "answered", refused: "refused", limited: "rate_limited", failed: "server_error", lost: "lost",
}

const (
	answered = iota
	refused
	limited
	failed
	lost
)

// outcomeOf returns the outcome of a request with a status; 0: there was no answer.
func outcomeOf(status int) int {
	switch {
	case status == 0:
		return lost
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return refused
	case status == http.StatusTooManyRequests:
		return limited
	case status >= http.StatusInternalServerError:
		return failed
	}
	return answered
}

// slot is a time at which one request may be sent.
type slot struct{ at, lapses time.Time }

// waiter waits for a slot.
type waiter struct {
	since time.Time
	slot  chan slot
	err   chan error
}

// ledger counts the slots of a limit. Processes that share it never get the same
// slot. Times are those of the caller's clock.
type ledger interface {
	// take takes up to n slots that begin within the next quarter of a second.
	take(ctx context.Context, n int) (block, error)
	// pause keeps slots from being taken for a time, and halves their rate after it.
	pause(ctx context.Context, d time.Duration) error
	// paused returns until when no slots are given.
	paused(ctx context.Context) (time.Time, error)
}

// block is slots at equal distances.
type block struct {
	count  int
	first  time.Time
	gap    time.Duration // between two of them
	paused time.Time     // nothing may be sent before
	free   bool          // an earlier slot was free, too: nobody waits for slots
	again  time.Time     // when there will be further ones
}

const (
	// ahead bounds how far in the future a slot may be taken. A killed process takes its slots
	// with it, and a process with unused slots learns of a pause only when it takes further slots:
	// no later than this.
	ahead = 250 * time.Millisecond
	// lapse bounds how long after its time a slot may be used.
	lapse = 50 * time.Millisecond
	// stretch is the time over which the slots of a second are spread: requests arrive up
	// to a lapse late, and as much is left for the way. With it a second at the board never
	// has more requests than the limit.
	stretch = time.Second + 2*lapse

	maxSlowed  = 4                // a sixteenth of the rate
	calmAfter  = 30 * time.Second // without a 429 the rate doubles
	firstPause = time.Second      // after a 429 without Retry-After
	maxPause   = time.Hour

	takeTimeout = 5 * time.Second        // one taking, and the patience of who waits while takings fail
	takeRetry   = 200 * time.Millisecond // after one that failed
	takeDelay   = 25 * time.Millisecond  // so many wait before a taking, where there is time
	lookEvery   = 500 * time.Millisecond // without a limit, for pauses of other processes
	busyAfter   = time.Minute            // before Busy is called
)

// gapOf returns the time between two slots of a limit.
func gapOf(perSecond float64) time.Duration {
	gap := time.Duration(float64(stretch) / max(perSecond, 1e-5))
	return min(max(gap.Round(time.Microsecond), time.Microsecond), 24*time.Hour)
}

// New returns a limit; perSecond below 0 is none, but pauses hold. It needs Share or
// Keep before it is asked. now is time.Now, or a test's clock.
func New(perSecond float64, now func() time.Time) *Limit {
	out := &Limit{perSecond: perSecond, none: perSecond < 0, now: now}
	out.ctx, out.cancel = context.WithCancel(context.Background())
	return out
}

// Share takes the slots from the table limits of a PostgreSQL database, which other
// processes share.
func (l *Limit) Share(db *sql.DB) {
	l.ledger = &shared{db: db, gap: gapOf(l.perSecond).Microseconds(), clock: l.now, began: l.now()}
}

// Keep counts the slots in memory, for a process that is alone. Pauses are kept in the
// table limits of a SQLite database for the process that comes after; writes is nil
// where it is only read.
func (l *Limit) Keep(before State, writes *sql.DB) {
	own := &alone{gap: gapOf(l.perSecond).Microseconds(), clock: l.now, began: l.now(), db: writes}
	own.state = before.without(own.now())
	l.ledger = own
}

// Close ends what the limit has under way, once the ledger knows the last pause
// or too much time was spent on it.
func (l *Limit) Close() {
	enough := time.AfterFunc(2*time.Second, l.cancel)
	defer enough.Stop()
	l.tell.Wait()
	l.cancel()
}

// Pauses counts those that answers to this process asked for.
func (l *Limit) Pauses() int64 { return l.pauses.Load() }

// Sent yields how many requests of this process ended, by each outcome.
func (l *Limit) Sent() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for i, name := range outcomes {
			if !yield(name, l.sent[i].Load()) {
				return
			}
		}
	}
}

// Wait returns when a request may be sent.
func (l *Limit) Wait(ctx context.Context) error {
	if l.none {
		return l.waitOutPause(ctx)
	}
	for {
		s, err := l.slot(ctx)
		if err != nil {
			return err
		}
		if err := l.sleep(ctx, s.at); err != nil {
			return err
		}
		// A caller whose slot lies in a pause takes another slot after the pause, because otherwise
		// all such callers would send at once when the pause ends.
		l.mu.Lock()
		ok := l.usable(s)
		l.mu.Unlock()
		if ok {
			return nil
		}
	}
}

// sleep returns at a time, or with the error of a context that ends before.
func (l *Limit) sleep(ctx context.Context, until time.Time) error {
	wait := until.Sub(l.now())
	if wait <= 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Limit) usable(s slot) bool { return !s.at.Before(l.paused) && !l.now().After(s.lapses) }

// slot waits for a slot, which may be still to come.
func (l *Limit) slot(ctx context.Context) (slot, error) {
	l.mu.Lock()
	for len(l.queue) == 0 && len(l.held) > 0 {
		s := l.held[0]
		l.held = l.held[1:]
		if l.usable(s) {
			l.given++
			l.mu.Unlock()
			return s, nil
		}
	}
	w := &waiter{since: l.now(), slot: make(chan slot, 1), err: make(chan error, 1)}
	l.queue = append(l.queue, w)
	if !l.taking {
		l.taking = true
		go l.serve()
	}
	l.mu.Unlock()
	select {
	case s := <-w.slot:
		return s, nil
	case err := <-w.err:
		return slot{}, err
	case <-ctx.Done():
	case <-l.ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.queue, w); i >= 0 {
		l.queue = slices.Delete(l.queue, i, i+1)
	}
	if err := ctx.Err(); err != nil {
		return slot{}, err
	}
	return slot{}, fmt.Errorf("jobmirror: the mirror was closed: %w", context.Canceled)
}

// serve takes slots until nobody waits for one.
func (l *Limit) serve() {
	for {
		n := l.wanted()
		if n == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(l.ctx, takeTimeout)
		b, err := l.ledger.take(ctx, n)
		cancel()
		again := l.now().Add(takeRetry)
		if err == nil {
			again = l.give(b)
		} else {
			l.refuse(err)
		}
		_ = l.sleep(l.ctx, again)
	}
}

// wanted returns how many slots to take, 0 where serve is to end. While slots
// are left over it takes as many ahead as were given since the last taking, so
// that not every request costs a taking. While they are scarce it takes what is
// waited for alone: another process could use the rest.
func (l *Limit) wanted() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.queue)
	if n == 0 || l.ctx.Err() != nil {
		l.taking = false
		return 0
	}
	if l.free {
		n += l.given
	}
	l.given = 0
	return n
}

// give hands a block's slots to those who wait, and returns when to take
// further ones.
func (l *Limit) give(b block) (again time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.paused.After(l.paused) {
		l.paused = b.paused
	}
	l.held, l.free = l.held[:0], b.free
	l.noteBusy(b.free)
	for i := range b.count {
		at := b.first.Add(time.Duration(i) * b.gap)
		s := slot{at, at.Add(lapse)}
		if len(l.queue) == 0 {
			l.held = append(l.held, s)
			continue
		}
		l.queue[0].slot <- s
		l.queue = l.queue[1:]
		l.given++
	}
	if len(l.queue) > 0 {
		return b.again
	}
	// Callers that have been served are still waiting for their slots, so the next taking may be
	// late: more who come meanwhile are served by one taking.
	now := l.now()
	return now.Add(min(takeDelay, b.first.Sub(now)/2))
}

// noteBusy notes whether slots were left over, and calls Busy where none was for long.
func (l *Limit) noteBusy(free bool) {
	switch now := l.now(); {
	case free:
		l.busySince, l.toldBusy = time.Time{}, false
	case l.busySince.IsZero():
		l.busySince = now
	case !l.toldBusy && now.Sub(l.busySince) >= busyAfter && l.Busy != nil:
		l.toldBusy = true
		l.Busy()
	}
}

// refuse gives the error of a taking to those who have waited for takeTimeout or longer.
func (l *Limit) refuse(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for len(l.queue) > 0 && now.Sub(l.queue[0].since) >= takeTimeout {
		l.queue[0].err <- fmt.Errorf("jobmirror: the database does not say when a request may be sent: %w", err)
		l.queue = l.queue[1:]
	}
}

// waitOutPause returns when no pause holds. Pauses of other processes are asked
// for beside the requests, and never hold one up.
func (l *Limit) waitOutPause(ctx context.Context) error {
	for {
		l.mu.Lock()
		now, paused := l.now(), l.paused
		if !l.looking && now.Sub(l.looked) >= lookEvery {
			l.looking, l.looked = true, now
			go l.look()
		}
		l.mu.Unlock()
		if !paused.After(now) {
			return ctx.Err()
		}
		if err := l.sleep(ctx, paused); err != nil {
			return err
		}
	}
}

func (l *Limit) look() {
	ctx, cancel := context.WithTimeout(l.ctx, takeTimeout)
	defer cancel()
	paused, err := l.ledger.paused(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.looking = false; err == nil && paused.After(l.paused) {
		l.paused = paused
	}
}

// pause stops all requests for a time, and halves their rate after it. It
// returns at once; the ledger is told beside it.
func (l *Limit) pause(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	until := now.Add(min(d, maxPause))
	if !l.paused.After(now) {
		l.pauses.Add(1)
	}
	if until.After(l.paused) {
		l.paused = until
	}
	if until.After(l.telling) {
		l.telling = until
	}
	if !l.writing && l.ctx.Err() == nil {
		l.writing = true
		l.tell.Go(l.tellLedger)
	}
}

// tellLedger tells the ledger of pauses, until it knows all of them or they are
// over.
func (l *Limit) tellLedger() {
	for {
		l.mu.Lock()
		until := l.telling
		left := until.Sub(l.now())
		if left <= 0 || l.ctx.Err() != nil {
			l.writing = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		ctx, cancel := context.WithTimeout(l.ctx, takeTimeout)
		err := l.ledger.pause(ctx, left)
		cancel()
		l.mu.Lock()
		if err == nil && l.telling.Equal(until) {
			l.telling = time.Time{}
		}
		l.mu.Unlock()
		if err != nil {
			_ = l.sleep(l.ctx, l.now().Add(takeRetry))
		}
	}
}

// Observe counts a request by the status of its answer, 0 for none, and slows down when the
// answer asks for it.
func (l *Limit) Observe(status int, retryAfter string) {
	l.sent[outcomeOf(status)].Add(1)
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && retryAfter != "" {
		l.pause(max(l.waitOf(retryAfter), firstPause))
	}
}

// waitOf returns how long a Retry-After asks to wait, in seconds or by a date; 0
// where it says neither, and maxPause where it is longer.
func (l *Limit) waitOf(retryAfter string) time.Duration {
	if at, err := http.ParseTime(retryAfter); err == nil {
		return min(at.Sub(l.now()), maxPause)
	}
	seconds, err := strconv.Atoi(retryAfter)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return time.Duration(min(seconds, int(maxPause/time.Second))) * time.Second
}

// Observer counts a client's attempts, and watches them for answers that ask to slow down.
func (l *Limit) Observer(other *jobboard.Observer) *jobboard.Observer {
	o := jobboard.Observer{}
	if other != nil {
		o = *other
	}
	o.Attempt = atEnd(o.Attempt, func(e jobboard.AttemptEnd) {
		if e.StatusCode != 0 || !errors.Is(e.Err, context.Canceled) { // who canceled it says nothing of the board
			l.sent[outcomeOf(e.StatusCode)].Add(1)
		}
		if e.StatusCode == http.StatusTooManyRequests {
			l.pause(max(e.Wait, firstPause))
		}
	})
	o.Call = atEnd(o.Call, func(e jobboard.CallEnd) {
		if e.Err != nil && e.Err.RetryAfter > 0 {
			l.pause(e.Err.RetryAfter)
		}
	})
	return &o
}

// hook is a function of an Observer: it is called when an operation starts, and the function
// that it returns when the operation ends.
type hook[S, E any] = func(context.Context, S) (context.Context, func(E))

// atEnd returns a hook that sees the end first, and then calls another one; nil: there
// is none.
func atEnd[S, E any](other hook[S, E], see func(E)) hook[S, E] {
	return func(ctx context.Context, start S) (context.Context, func(E)) {
		var end func(E)
		if other != nil {
			ctx, end = other(ctx, start)
		}
		return ctx, func(e E) {
			see(e)
			if end != nil {
				end(e)
			}
		}
	}
}
