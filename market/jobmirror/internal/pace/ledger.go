package pace

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"sync"
	"time"
)

// State holds what the table limits keeps. Times are microseconds since the epoch, by the
// clock of whoever keeps it.
type State struct {
	Paused int64 // until when there are no slots
	Slowed int64 // the rate was halved so many times
	Calm   int64 // the end of the last pause, from which on the rate recovers

	next int64 // the next slot that nobody has
}

// without returns the state without what was noted before the clock was set back: a pause
// that ends later than any that may be noted now.
func (p State) without(now int64) State {
	if latest := now + maxPause.Microseconds(); p.Paused > latest || p.Calm > latest {
		p.Paused, p.Slowed, p.Calm = 0, 0, 0
	}
	return p
}

// At returns how many requests a second may be sent at a time, of a limit's, and until
// when none may; zero: some may.
func (p State) At(perSecond float64, at time.Time) (rate float64, until time.Time) {
	now := at.UnixMicro()
	if p = p.without(now); p.Paused > now {
		until = time.UnixMicro(p.Paused).UTC()
	}
	return perSecond / float64(int64(1)<<p.slowedAt(now)), until
}

// slowedAt returns how many times the rate is halved at a time.
func (p State) slowedAt(now int64) int64 {
	return max(p.Slowed-max(now-p.Calm, 0)/calmAfter.Microseconds(), 0)
}

// take takes up to n slots, of which the first is returned.
func (p *State) take(now, gap int64, n int) (first, count int64) {
	next := p.next
	if next > now+ahead.Microseconds()+gap {
		// Nobody took a slot that is so far ahead: the clock was set back.
		next = now + ahead.Microseconds()
	}
	first = max(next, p.Paused, now)
	if left := now + ahead.Microseconds() - first; left >= 0 {
		count = min(int64(n), left/gap+1)
		p.next = first + count*gap
	}
	return first, count
}

// pause adds a pause. Answers to requests that were under way when it began say
// the same thing again: they do not slow down further.
func (p *State) pause(now, d int64) {
	if now >= p.Calm {
		p.Slowed = min(p.slowedAt(now)+1, maxSlowed)
	}
	p.Paused, p.Calm = max(p.Paused, now+d), max(p.Calm, now+d)
}

// again returns how long to wait before asking for further slots, where next is the first that
// nobody has: until several slots are free, but no longer than the other processes wait.
func again(now, next int64) time.Duration {
	wait := time.Duration(next-now)*time.Microsecond - ahead
	return max(wait, 0) + ahead/4 + rand.N(ahead/2)
}

// alone is the ledger of a process that is alone, as on SQLite.
type alone struct {
	gap   int64
	clock func() time.Time
	began time.Time
	db    *sql.DB // keeps pauses for the process that comes after; nil: nowhere

	mu    sync.Mutex
	state State
}

// now returns the time, which does not jump when the clock is set.
func (l *alone) now() int64 { return l.began.Add(l.clock().Sub(l.began)).UnixMicro() }

func (l *alone) local(at int64) time.Time {
	return l.began.Add(time.Duration(at-l.began.UnixMicro()) * time.Microsecond)
}

func (l *alone) take(_ context.Context, n int) (block, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	gap := l.gap << l.state.slowedAt(now)
	free := l.state.next <= now
	first, count := l.state.take(now, gap, n)
	return block{
		count: int(count), first: l.local(first), gap: time.Duration(gap) * time.Microsecond, free: free,
		paused: l.local(l.state.Paused), again: l.local(now).Add(again(now, first+count*gap)),
	}, nil
}

func (l *alone) pause(ctx context.Context, d time.Duration) error {
	l.mu.Lock()
	l.state.pause(l.now(), d.Microseconds())
	kept := l.state
	l.mu.Unlock()
	if l.db == nil {
		return nil
	}
	_, err := l.db.ExecContext(ctx, "UPDATE limits SET paused = ?, slowed = ?, calm = ?",
		kept.Paused, kept.Slowed, kept.Calm)
	return err
}

func (l *alone) paused(context.Context) (time.Time, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.local(l.state.Paused), nil
}

// shared is the ledger of processes that share a database with a clock: a row of
// the table limits. Each statement is a transaction of its own, so that a
// process that stops in the middle of one holds up nobody.
//
// The database tells its time with each answer. From that and from when it was
// asked and answered the process knows by how much the two clocks differ; how its
// own is set does not matter.
type shared struct {
	db    *sql.DB
	gap   int64
	clock func() time.Time
	began time.Time

	mu     sync.Mutex
	offset offset
}

// heldRow locks the row, and only then reads the clock. State.without applies the same rules.
const heldRow = `WITH held AS MATERIALIZED (
		SELECT next_slot, paused, slowed, calm FROM limits FOR UPDATE
	), timed AS MATERIALIZED (
		SELECT *, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now FROM held
	), known AS MATERIALIZED (
		SELECT now, next_slot, paused * valid AS paused, slowed * valid AS slowed, calm * valid AS calm
		FROM (SELECT *, (greatest(paused, calm) <= now + 3600000000)::int AS valid FROM timed) v
	)`

// takeSlots does what pace.take does. The row stays unchanged if no slot is free.
const takeSlots = heldRow + `, state AS MATERIALIZED (
		SELECT now, next_slot, paused,
			$2::bigint << greatest(slowed - greatest(now - calm, 0) / 30000000, 0)::int AS gap FROM known
	), offer AS MATERIALIZED (
		SELECT *, greatest(paused, now,
			CASE WHEN next_slot > now + 250000 + gap THEN now + 250000 ELSE next_slot END) AS first
		FROM state
	), block AS MATERIALIZED (
		SELECT *, CASE WHEN first > now + 250000 THEN 0 ELSE least($1::bigint, (now + 250000 - first) / gap + 1) END AS count
		FROM offer
	), taken AS (
		UPDATE limits SET next_slot = first + count * gap FROM block WHERE count > 0
	)
	SELECT now, next_slot, paused, gap, first, count FROM block`

// pauseSlots does what pace.pause does.
const pauseSlots = heldRow + `
	UPDATE limits SET paused = greatest(known.paused, known.now + $1::bigint),
		calm = greatest(known.calm, known.now + $1::bigint),
		slowed = CASE WHEN known.now < known.calm THEN known.slowed
			ELSE least(greatest(known.slowed - (known.now - known.calm) / 30000000, 0) + 1, 4) END
	FROM known RETURNING known.now`

const readPause = `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, paused FROM limits`

// ask runs a statement that tells the database's time first, and learns from it.
func (l *shared) ask(ctx context.Context, text string, args []any, now *int64, dest ...any) error {
	asked := l.clock()
	if err := l.db.QueryRowContext(ctx, text, args...).Scan(append([]any{now}, dest...)...); err != nil {
		return err
	}
	came := l.clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offset.learn(asked.Sub(l.began).Microseconds(), came.Sub(l.began).Microseconds(), *now)
	return nil
}

// local returns the process's time at a time of the database's clock, or one soon after.
func (l *shared) local(at int64) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.began.Add(time.Duration(at+l.offset.best) * time.Microsecond)
}

// offset estimates what must be added to a database's time to get the process's, in
// microseconds. Each answer gives an estimate that is too large by at most the time that
// the answer took, so the smallest of the last seconds is used.
type offset struct {
	best, next int64
	turn       int64 // when best was last taken from next
}

// offsetTurn is the shortest time for which an estimate is used, in microseconds. Clocks
// do not run apart by a millisecond in that time.
const offsetTurn = int64(10 * time.Second / time.Microsecond)

// learn makes an estimate of an answer: asked and came are the times of request and answer by
// the process's clock, and shown is the time of the database's clock in between.
func (o *offset) learn(asked, came, shown int64) {
	seen := came - shown
	switch {
	case o.turn == 0, asked-shown > o.best: // the first, or the database's clock was set back
		o.best, o.next, o.turn = seen, seen, came
	case came-o.turn > offsetTurn:
		o.best, o.next, o.turn = min(o.next, seen), seen, came
	default:
		o.best, o.next = min(o.best, seen), min(o.next, seen)
	}
}

func (l *shared) take(ctx context.Context, n int) (block, error) {
	var now, next, paused, gap, first, count int64
	if err := l.ask(ctx, takeSlots, []any{n, l.gap}, &now, &next, &paused, &gap, &first, &count); err != nil {
		return block{}, err
	}
	return block{
		count: int(count), first: l.local(first), gap: time.Duration(gap) * time.Microsecond, free: next <= now,
		paused: l.local(paused), again: l.local(now).Add(again(now, first+count*gap)),
	}, nil
}

func (l *shared) pause(ctx context.Context, d time.Duration) error {
	var now int64
	return l.ask(ctx, pauseSlots, []any{d.Microseconds()}, &now)
}

func (l *shared) paused(ctx context.Context) (time.Time, error) {
	var now, paused int64
	err := l.ask(ctx, readPause, nil, &now, &paused)
	return l.local(State{Paused: paused}.without(now).Paused), err
}
