package jobmirror

import (
	"context"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// lookUpHeld looks up the jobs of held rows, source by source, until no source needs further
// answers. Only one process asks at a time; busy reports that jobs are
// left which another process is asking about. The column held_lease of the table sources says which
// sources need answers, and is the lease of the process that asks.
func (w *worker) lookUpHeld(ctx context.Context) (busy bool, err error) {
	if w.opts.noLookups {
		return false, nil
	}
	for ctx.Err() == nil {
		var (
			next lookups.Batch
			src  *sources.Held
		)
		err = w.db.update(ctx, func(t *tx) (err error) {
			next, src, busy, err = w.takeHeld(t)
			return err
		})
		switch {
		case err != nil || src == nil:
			return busy, err
		case len(next.Jobs) > 0:
			err = w.lookUpHeldBatch(ctx, src, next)
		default:
			err = w.endHeldLookups(ctx, src)
		}
		if err != nil {
			return busy, err
		}
	}
	return busy, nil
}

// lookUpAllHeld calls lookUpHeld until no other process asks any more.
func (w *worker) lookUpAllHeld(ctx context.Context) error {
	for {
		busy, err := w.lookUpHeld(ctx)
		if err != nil || !busy || ctx.Err() != nil {
			return err
		}
		rest(ctx, pollEvery)
	}
}

// takeHeld leases jobs of held rows of one source for a new batch. An empty batch says
// that src needs no further answers. src is nil if no source needs any, or, with busy, if
// other processes are looking up all that is left.
func (w *worker) takeHeld(t *tx) (b lookups.Batch, src *sources.Held, busy bool, err error) {
	waiting, err := sources.LockHeld(t.Tx)
	if err != nil {
		return b, nil, false, err
	}
	for _, s := range waiting {
		if t.db.IsLeased(s.Until, t.Now, lookups.Lease) {
			return b, nil, true, nil
		}
	}
	for _, s := range waiting {
		left := 0
		if s.Opens < listings.MaxOpen {
			b, left, err = t.listing(&s.Source).TakeHeld(t.lookups, s.Answer, listings.MaxOpen-s.Opens, w.process)
			if err != nil {
				return b, nil, false, err
			}
		}
		if len(b.Jobs) > 0 || left == 0 {
			return b, s, false, nil
		}
		busy = true // others look the rest up for reasons of their own
	}
	return b, nil, busy, nil
}

// lookUpHeldBatch looks up a batch of jobs of held rows, and removes the rows that the answers
// prove to be gone, in every source that has a held row of these jobs.
func (w *worker) lookUpHeldBatch(ctx context.Context, src *sources.Held, b lookups.Batch) error {
	l := &lookingUp{m: w.Mirror, Batch: b, held: src, handedOut: func() {}, written: func(int) {}}
	err := l.run(ctx)
	if e := l.release(ctx); err == nil {
		err = e
	}
	if err != nil || ctx.Err() != nil {
		return err
	}
	holding, err := fromView(ctx, w.db, func(t *tx) ([]*sources.Source, error) {
		ids, err := listings.Holding(t.Tx, store.IDs(b.Jobs))
		if err != nil {
			return nil, err
		}
		return sources.WithIDs(t.Tx, store.IDs(ids))
	})
	for _, s := range holding {
		if err == nil {
			err = w.settle(ctx, s, false)
		}
	}
	return err
}

// endHeldLookups removes the rows that the answers prove to be gone, now that all of a source
// have come, and notes that the source needs no further ones, unless another complete
// refresh of it has ended meanwhile.
func (w *worker) endHeldLookups(ctx context.Context, src *sources.Held) error {
	if err := w.settle(ctx, &src.Source, src.Opens < listings.MaxOpen); err != nil {
		return err
	}
	return w.db.update(ctx, func(t *tx) error { return sources.EndLookups(t.Tx, src.ID, src.Answer) })
}

// countOpens brings the count of a source's answers that said "open" one after the other
// up to date, and notes which jobs were asked about, whether or not an answer came. It does
// nothing for lookups that were not about the held rows of a source.
func (t *answerTx) countOpens(src *sources.Held, results []lookedUp) error {
	if src == nil {
		return nil
	}
	opens, anew := 0, false
	for _, r := range results {
		switch stateOf(r.info, r.err) {
		case StateOpen:
			opens++
		case StateClosed, StateInactive, StateUnavailable:
			opens, anew = 0, true
		}
	}
	if err := sources.CountOpens(t.Tx, src.ID, opens, anew, src.Answer); err != nil {
		return err
	}
	return t.lookups.Sent(store.IDsOf(results, func(r lookedUp) int64 { return r.job }), results[0].answer)
}
