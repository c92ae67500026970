package jobmirror

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// pace is what the table limits has: how fast requests may be sent, and since
// when. Times are microseconds since the epoch, by the clock of whoever keeps it.
type pace struct {
	next   int64 // the next slot that nobody has
	paused int64 // until when there are none
	slowed int64 // the rate was halved so many times
	calm   int64 // the end of the last pause, from which on the rate recovers
}

// slowedAt returns how many times the rate is halved at a time.
func (p pace) slowedAt(now int64) int64 {
	return max(p.slowed-max(now-p.calm, 0)/calmAfter.Microseconds(), 0)
}

// take takes up to n slots, of which the first is returned.
func (p *pace) take(now, gap int64, n int) (first, count int64) {
	next := p.next
	if next > now+ahead.Microseconds()+gap {
		// Nobody took a slot that is so far ahead: the clock was set back.
		next = now + ahead.Microseconds()
	}
	first = max(next, min(p.paused, now+maxPause.Microseconds()), now)
	if left := now + ahead.Microseconds() - first; left >= 0 {
		count = min(int64(n), left/gap+1)
		p.next = first + count*gap
	}
	return first, count
}

// pause adds a pause. Answers to requests that were under way when it began say
// the same thing again: they do not slow down further.
func (p *pace) pause(now, d int64) {
	if now >= p.calm {
		p.slowed = min(p.slowedAt(now)+1, maxSlowed)
	}
	p.paused, p.calm = max(p.paused, now+d), max(p.calm, now+d)
}

// again returns how long to wait before asking for further slots, where next is
// the first that nobody has: until there are several, and not as long as all
// others wait.
func again(now, next int64) time.Duration {
	wait := time.Duration(next-now)*time.Microsecond - ahead
	return max(wait, 0) + ahead/4 + rand.N(ahead/2)
}

// memory is the ledger of a process that is alone, as on SQLite.
type memory struct {
	gap   int64
	clock func() time.Time
	began time.Time
	save  func(context.Context, pace) error // keeps a pause for the process that comes after; nil: nowhere

	mu   sync.Mutex
	pace pace
}

// now returns the time, which does not jump when the clock is set.
func (l *memory) now() int64 { return l.began.Add(l.clock().Sub(l.began)).UnixMicro() }

func (l *memory) local(at int64) time.Time {
	return l.began.Add(time.Duration(at-l.began.UnixMicro()) * time.Microsecond)
}

func (l *memory) take(_ context.Context, n int) (block, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	gap := l.gap << l.pace.slowedAt(now)
	free := l.pace.next <= now
	first, count := l.pace.take(now, gap, n)
	return block{
		count: int(count), first: l.local(first), gap: time.Duration(gap) * time.Microsecond, free: free,
		paused: l.local(l.pace.paused), again: l.local(now).Add(again(now, first+count*gap)),
	}, nil
}

func (l *memory) pause(ctx context.Context, d time.Duration) error {
	l.mu.Lock()
	l.pace.pause(l.now(), d.Microseconds())
	pace := l.pace
	l.mu.Unlock()
	if l.save == nil {
		return nil
	}
	return l.save(ctx, pace)
}

func (l *memory) paused(context.Context) (time.Time, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.local(l.pace.paused), nil
}

// ledger returns the ledger of a database.
func (db *database) ledger(perSecond float64) ledger {
	gap := gapOf(perSecond)
	if db.permits != nil {
		return &fleet{pool: db.permits, gap: gap.Microseconds(), clock: time.Now, began: time.Now()}
	}
	return &memory{gap: gap.Microseconds(), clock: time.Now, began: time.Now(), save: db.savePace}
}

// savePace keeps a pause for the process that comes after this one.
func (db *database) savePace(ctx context.Context, p pace) error {
	return db.update(ctx, func(t *tx) error {
		_, err := t.exec("UPDATE limits SET paused = ?, slowed = ?, calm = ?", p.paused, p.slowed, p.calm)
		return err
	})
}

// loadPace gives a ledger in memory the pause that another process kept.
func (t *tx) loadPace(l ledger) error {
	alone, ok := l.(*memory)
	if !ok {
		return nil
	}
	alone.mu.Lock()
	defer alone.mu.Unlock()
	p := &alone.pace
	err := t.row("SELECT paused, slowed, calm FROM limits", nil, &p.paused, &p.slowed, &p.calm)
	// One that ends later was kept before the clock was set back.
	latest := alone.now() + maxPause.Microseconds()
	p.paused, p.calm = min(p.paused, latest), min(p.calm, latest)
	return err
}

// fleet is the ledger of processes that share a database with a clock: a row of
// the table limits. Each statement is a transaction of its own, so that a
// process that stops in the middle of one holds up nobody.
//
// The database tells its time with each answer. From that and from when it was
// asked and answered the process knows by how much the two clocks differ; how its
// own is set does not matter.
type fleet struct {
	pool  *pool
	gap   int64
	clock func() time.Time
	began time.Time

	mu     sync.Mutex
	offset offset
}

// heldRow locks the row, and only then reads the clock.
const heldRow = `WITH held AS MATERIALIZED (
		SELECT next_slot, paused, slowed, calm FROM limits FOR UPDATE
	), known AS MATERIALIZED (
		SELECT *, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now FROM held
	)`

// takeSlots does what pace.take does. The row stays as it is where there is no
// slot.
const takeSlots = heldRow + `, state AS MATERIALIZED (
		SELECT now, next_slot, least(paused, now + 3600000000) AS paused,
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
func (l *fleet) ask(ctx context.Context, text string, args []any, now *int64, dest ...any) error {
	s, err := l.pool.get(ctx)
	if err != nil {
		return err
	}
	broken := true
	defer func() { giveBack(s, broken) }()
	asked := l.clock()
	if err := s.Value().row(ctx, text, args, append([]any{now}, dest...)...); err != nil {
		return err
	}
	broken = false
	came := l.clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offset.learn(asked.Sub(l.began).Microseconds(), came.Sub(l.began).Microseconds(), *now)
	return nil
}

// local returns when it is a time of the database here, or soon after.
func (l *fleet) local(at int64) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.began.Add(time.Duration(at+l.offset.best) * time.Microsecond)
}

// offset is what must be added to a database's time to get a process's, in
// microseconds. An answer shows one that is too large by at most the time that
// it took; the best of some seconds is the smallest that was seen.
type offset struct {
	best, next int64
	turn       int64 // when best was taken from next
}

// offsetTurn is for how long an offset is kept, at least: clocks do not run apart
// by a millisecond in that time.
const offsetTurn = int64(10 * time.Second / time.Microsecond)

// learn takes an answer in: when it was asked for and when it came, by the
// process's clock, and what the database's showed in between.
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

func (l *fleet) take(ctx context.Context, n int) (block, error) {
	var now, next, paused, gap, first, count int64
	if err := l.ask(ctx, takeSlots, []any{n, l.gap}, &now, &next, &paused, &gap, &first, &count); err != nil {
		return block{}, err
	}
	return block{
		count: int(count), first: l.local(first), gap: time.Duration(gap) * time.Microsecond, free: next <= now,
		paused: l.local(paused), again: l.local(now).Add(again(now, first+count*gap)),
	}, nil
}

func (l *fleet) pause(ctx context.Context, d time.Duration) error {
	var now int64
	return l.ask(ctx, pauseSlots, []any{d.Microseconds()}, &now)
}

func (l *fleet) paused(ctx context.Context) (time.Time, error) {
	var now, paused int64
	err := l.ask(ctx, readPause, nil, &now, &paused)
	return l.local(min(paused, now+maxPause.Microseconds())), err
}
