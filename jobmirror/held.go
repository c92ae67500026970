package jobmirror

import (
	"context"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/pace"
	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/store"
)

// maxOpen is how many jobs of held rows may be open in a row, until nobody asks about
// further ones before the next complete refresh of their source: what it shows is wrong.
const maxOpen = 50

// heldSource is a source with rows that are held, about whose jobs somebody may ask.
type heldSource struct {
	source

	answer int64 // of its last complete refresh
	asking int64 // 1: somebody is to ask; above: somebody does so until then
	opens  int   // the last answers in a row that said "open"
}

// askHeld looks up the jobs of held rows, source by source, until no source wants further
// answers. It reports whether another process still asks: one alone does at a time, with
// half of the limit. The column asking of a source says whether somebody is to ask; a
// process that asks has leased it.
func (w *worker) askHeld(ctx context.Context) (busy bool, err error) {
	for ctx.Err() == nil {
		var (
			next batch
			src  *heldSource
		)
		err = w.db.update(ctx, func(t *tx) (err error) {
			next, src, busy, err = t.reserveHeld(w.process)
			return err
		})
		switch {
		case err != nil || src == nil:
			return busy, err
		case len(next.jobs) > 0:
			err = w.askAll(ctx, src, next)
		default:
			err = w.endAsking(ctx, src)
		}
		if err != nil {
			return busy, err
		}
	}
	return busy, nil
}

// askAllHeld does, and waits while another process asks.
func (w *worker) askAllHeld(ctx context.Context) error {
	for {
		busy, err := w.askHeld(ctx)
		if err != nil || !busy || ctx.Err() != nil {
			return err
		}
		rest(ctx, pollEvery)
	}
}

// reserveHeld claims jobs of held rows of one source for a new batch; none: the source
// wants no further answers. src is nil where no source does, or another process is
// asking.
func (t *tx) reserveHeld(process string) (b batch, src *heldSource, busy bool, err error) {
	var waiting []*heldSource
	err = t.Rows("SELECT "+sourceColumns+", answer, asking, opens FROM sources WHERE asking > 0 ORDER BY id @lock", nil,
		func(scan func(...any) error) error {
			s := &heldSource{}
			waiting = append(waiting, s)
			return scan(append(s.columns(), &s.answer, &s.asking, &s.opens)...)
		})
	if err != nil {
		return b, nil, false, err
	}
	for _, s := range waiting {
		if s.asking > t.Now && s.asking <= latest(t.Now)+jobLease.Milliseconds() { // see isFree
			return b, nil, true, nil
		}
	}
	for _, s := range waiting {
		left := 0
		if s.opens < maxOpen {
			if b, left, err = t.reserveOf(s, process); err != nil {
				return b, nil, false, err
			}
		}
		if len(b.jobs) > 0 || left == 0 {
			return b, s, false, nil
		}
		busy = true // others look the rest up for reasons of their own
	}
	return b, nil, busy, nil
}

// reserveOf claims jobs of held rows of a source, those first whose last answer is the
// oldest. left is how many are not asked about yet.
func (t *tx) reserveOf(s *heldSource, process string) (b batch, left int, err error) {
	list := listed[s.kind]
	unasked := "job IN (SELECT j.job FROM " + list.table + " l " + list.jobs +
		" WHERE l.source = ? AND l.missing <> 0 AND l.missing > 0 AND j.answer < ? AND j.asked < ?)"
	args := []any{s.id, s.answer, s.answer}
	left, err = store.Value[int](t, "SELECT count(*) FROM jobs WHERE "+unasked, args...)
	if err != nil || left == 0 {
		return b, left, err
	}
	if b.number, err = t.Next(batches); err != nil {
		return b, left, err
	}
	b.jobs, err = t.Numbers(`UPDATE jobs SET claimed = ?, batch = ?, next_due = CASE WHEN next_due > ? THEN ? ELSE next_due END WHERE job IN
		(SELECT job FROM jobs WHERE `+unasked+` AND `+isFree+` ORDER BY answer, job LIMIT ? @skip) RETURNING job`,
		append(append(append([]any{t.Now + jobLease.Milliseconds(), b.number, t.Now, t.Now}, args...), t.free(jobLease)...), maxOpen-s.opens)...)
	if err != nil || len(b.jobs) == 0 {
		return b, left, err
	}
	if err := t.keepAsking(s, jobLease); err != nil {
		return b, left, err
	}
	_, err = t.Exec("INSERT INTO batches (number, process, since) VALUES (?, ?, ?)", b.number, process, t.Now)
	return b, left, err
}

// keepAsking leases the right to ask about the held rows of a source, or gives it back
// where d is 0.
func (t *tx) keepAsking(s *heldSource, d time.Duration) error {
	until := int64(1)
	if d > 0 {
		until = t.Now + d.Milliseconds()
	}
	_, err := t.Exec("UPDATE sources SET asking = ? WHERE id = ? AND asking > 0", until, s.id)
	return err
}

// askAll looks up a batch of jobs of held rows, and removes the rows that the answers
// prove to be gone: of all sources that miss a posting of these jobs.
func (w *worker) askAll(ctx context.Context, src *heldSource, b batch) error {
	l := &lookups{
		batch: b, held: src, concurrency: w.opts.Concurrency,
		handedOut: func() {}, written: func(int) {},
	}
	err := w.lookUp(context.WithValue(ctx, heldKey{}, true), l)
	if e := w.release(ctx, b); err == nil {
		err = e
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTime)
	defer cancel()
	if e := w.db.update(last, func(t *tx) error { return t.keepAsking(src, 0) }); err == nil {
		err = e
	}
	if err != nil || ctx.Err() != nil {
		return err
	}
	sources, err := fromView(ctx, w.db, func(t *tx) ([]*source, error) {
		const held = " AND l.missing <> 0 AND l.missing > 0"
		return t.sources(`id IN (SELECT l.source FROM listings l JOIN postings p ON p.id = l.posting WHERE p.job IN @ids`+held+`
			UNION SELECT l.source FROM entries l WHERE l.job IN @ids`+held+")", store.IDs(b.jobs), store.IDs(b.jobs))
	})
	for _, s := range sources {
		if err == nil {
			err = w.settle(ctx, s, false)
		}
	}
	w.unindexed.raise()
	return err
}

// endAsking settles what the answers prove, once all are there, and notes that nobody is
// to ask about the source any more, unless a complete refresh came to its end meanwhile.
func (w *worker) endAsking(ctx context.Context, src *heldSource) error {
	if err := w.settle(ctx, &src.source, src.opens < maxOpen); err != nil {
		return err
	}
	w.unindexed.raise()
	return w.db.update(ctx, func(t *tx) error {
		_, err := t.Exec("UPDATE sources SET asking = 0 WHERE id = ? AND answer = ?", src.id, src.answer)
		return err
	})
}

// countOpens counts how many of the last answers about a source's held rows said "open",
// and notes which jobs were asked about, with or without an answer.
func (t *tx) countOpens(src *heldSource, results []lookedUp) error {
	opens, counted := 0, "opens + ?"
	for _, r := range results {
		switch stateOf(r.info, r.err) {
		case StateOpen:
			opens++
		case StateClosed, StateInactive, StateUnavailable:
			opens, counted = 0, "?"
		}
	}
	_, err := t.Exec("UPDATE sources SET opens = "+counted+" WHERE id = ? AND answer = ?", opens, src.id, src.answer)
	if err != nil {
		return err
	}
	_, err = t.Exec("UPDATE jobs SET asked = ? WHERE job IN @ids AND asked < ?",
		results[0].answer, store.IDsOf(results, func(r lookedUp) int64 { return r.job }), results[0].answer)
	return err
}

// heldKey marks the context of lookups for rows that are held.
type heldKey struct{}

// halfLimit lets requests of such lookups pass at half of the mirror's limit, and others
// as they come.
type halfLimit struct{ limit *pace.Limit }

func newHalfLimit(perSecond float64) halfLimit {
	limit := pace.New(perSecond/2, time.Now)
	limit.Keep(pace.State{}, nil)
	return halfLimit{limit}
}

func (h halfLimit) Wait(ctx context.Context) error {
	if ctx.Value(heldKey{}) == nil {
		return nil
	}
	return h.limit.Wait(ctx)
}

var _ jobboard.Limiter = halfLimit{}
