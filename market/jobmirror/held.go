package jobmirror

import (
	"context"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/pace"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// heldSource is a source with held rows, whose jobs are to be looked up.
type heldSource struct {
	source

	answer int64 // of its last complete refresh
	lease  int64 // of these lookups: sources.held_lease
	opens  int   // how many answers said "open" since the last that said otherwise
}

// lookUpHeld looks up the jobs of held rows, source by source, until no source needs further
// answers. Only one process asks at a time, with half of the limit; busy reports that jobs are
// left which another process is asking about. The column held_lease of the table sources says which
// sources need answers, and is the lease of the process that asks.
func (w *worker) lookUpHeld(ctx context.Context) (busy bool, err error) {
	if w.opts.noLookups {
		return false, nil
	}
	for ctx.Err() == nil {
		var (
			next lookups.Batch
			src  *heldSource
		)
		err = w.db.update(ctx, func(t *tx) (err error) {
			next, src, busy, err = t.takeHeld(w.process)
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
func (t *tx) takeHeld(process string) (b lookups.Batch, src *heldSource, busy bool, err error) {
	var waiting []*heldSource
	err = t.Rows("SELECT "+sourceColumns+", last_answer, held_lease, opens FROM sources WHERE held_lease > 0 ORDER BY id @lock", nil,
		func(scan func(...any) error) error {
			s := &heldSource{}
			waiting = append(waiting, s)
			return scan(append(s.columns(), &s.answer, &s.lease, &s.opens)...)
		})
	if err != nil {
		return b, nil, false, err
	}
	for _, s := range waiting {
		if t.db.IsLeased(s.lease, t.Now, lookups.Lease) {
			return b, nil, true, nil
		}
	}
	for _, s := range waiting {
		left := 0
		if s.opens < listings.MaxOpen {
			b, left, err = t.listing(&s.source).TakeHeld(t.lookups, s.answer, listings.MaxOpen-s.opens, process)
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
func (w *worker) lookUpHeldBatch(ctx context.Context, src *heldSource, b lookups.Batch) error {
	l := &lookingUp{m: w.Mirror, Batch: b, held: src, handedOut: func() {}, written: func(int) {}}
	err := l.run(context.WithValue(ctx, heldKey{}, true))
	if e := l.release(ctx); err == nil {
		err = e
	}
	if err != nil || ctx.Err() != nil {
		return err
	}
	sources, err := fromView(ctx, w.db, func(t *tx) ([]*source, error) {
		const held = " AND " + listings.IsHeldRow
		return t.sources(`id IN (SELECT l.source FROM listings l JOIN postings p ON p.id = l.posting WHERE p.job IN @ids`+held+`
			UNION SELECT l.source FROM entries l WHERE l.job IN @ids`+held+")", store.IDs(b.Jobs), store.IDs(b.Jobs))
	})
	for _, s := range sources {
		if err == nil {
			err = w.settle(ctx, s, false)
		}
	}
	return err
}

// endHeldLookups removes the rows that the answers prove to be gone, now that all of a source
// have come, and notes that the source needs no further ones, unless another complete
// refresh of it has ended meanwhile.
func (w *worker) endHeldLookups(ctx context.Context, src *heldSource) error {
	if err := w.settle(ctx, &src.source, src.opens < listings.MaxOpen); err != nil {
		return err
	}
	return w.db.update(ctx, func(t *tx) error { return t.listing(&src.source).EndLookups(src.answer) })
}

// countOpens brings the count of a source's answers that said "open" one after the other
// up to date, and notes which jobs were asked about, whether or not an answer came. It does
// nothing for lookups that were not about the held rows of a source.
func (t *answerTx) countOpens(src *heldSource, results []lookedUp) error {
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
	if err := t.listing(&src.source).CountOpens(opens, anew, src.answer); err != nil {
		return err
	}
	return t.lookups.Sent(store.IDsOf(results, func(r lookedUp) int64 { return r.job }), results[0].answer)
}

// heldKey marks the context of lookups for rows that are held.
type heldKey struct{}

// halfLimit holds lookups for held rows to half of the mirror's limit, and lets all other
// requests pass.
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
