package jobmirror

import (
	"context"
	"fmt"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

// The package listings keeps which rows a source shows, and decides which missing rows go. This file
// removes those, dropBatch in a transaction: dropRows removes listings and entries, and posting.go
// the postings that no source shows any more.

// dropBatch bounds the rows that are removed in one transaction.
const dropBatch = listings.Part

// sweep decides what becomes of the rows that a complete refresh did not show. First it removes the
// held rows that lookups have proved gone meanwhile: they are not to count once more as missing. Then it
// holds the others or lets them go, and removes those that go.
func (r *refresher) sweep(ctx context.Context) error {
	if err := r.settle(ctx, &r.src.Source, false); err != nil {
		return err
	}
	err := r.db.update(ctx, func(t *tx) error { return t.refreshing(&r.src.Source, r.turn).miss(r.Mirror) })
	if err != nil {
		return err
	}
	r.heldDue.raise()
	return r.drop(ctx, &r.src.Source, r.turn)
}

// drop removes the rows of a source that go, unless another refresh of it has begun since.
func (m *Mirror) drop(ctx context.Context, src *sources.Source, turn turn) error {
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) {
		if isLast, err := turn.IsLast(t.Tx); err != nil || !isLast {
			return false, err
		}
		return t.refreshing(src, turn).dropSome()
	})
}

// miss decides what becomes of the rows that a complete refresh did not show, and has the jobs of
// those that are held looked up by lookUpHeld.
func (t *refreshTx) miss(m *Mirror) error {
	isLast, err := t.turn.IsLast(t.Tx)
	if err != nil || !isLast {
		return err
	}
	rows := t.listing(t.src)
	missed := listings.Refresh{Answer: t.turn.answer, Before: t.turn.rowsBefore, Unseen: t.turn.shown.unseen(), Unreadable: t.turn.unreadable.n > 0}
	err = rows.Miss(missed, listings.Rules{Refresh: m.opts.RefreshEvery, Hold: m.opts.HoldMissing})
	if err != nil || m.opts.Config.JobDBURL == "" {
		return err
	}
	return rows.WantLookups()
}

// dropSome removes at most dropBatch of the rows of a source that go.
func (t *refreshTx) dropSome() (more bool, err error) {
	keys, err := t.listing(t.src).Going()
	if err != nil || len(keys) == 0 {
		return false, err
	}
	return len(keys) == dropBatch, t.dropRows(keys, t.src.Cause())
}

// dropRows removes rows from what a source shows, by their keys.
func (t *refreshTx) dropRows(keys []int64, cause string) error {
	if t.src.Kind == sources.Feed {
		return feedTx{t}.dropEntries(keys, cause)
	}
	return channelTx{t}.dropPostings(keys, cause)
}

// settle removes the held rows of a source that lookups prove to be gone. all tells it
// that the jobs of all held rows were looked up since the last complete refresh.
func (m *Mirror) settle(ctx context.Context, src *sources.Source, all bool) error {
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) {
		keys, err := t.listing(src).Settle(all)
		if err != nil || len(keys) == 0 {
			return false, err
		}
		return len(keys) == dropBatch, t.refreshing(src, turn{}).dropRows(keys, lookups.CauseLookup)
	})
}

// AcceptRemovals removes the rows whose removal is pending now, without waiting for lookups or for
// Options.HoldMissing: the rows of the named sources in all languages, or of all sources if no
// name is given. Names are those of SourceStatus.Name; a name without a source is an error. Its
// other errors are ErrReadOnly and the database's.
//
// It also confirms the unconfirmed ends of the jobs of these sources; see Status.Unconfirmed. The
// mass-outage guard of this process starts anew, the guards of others go on.
//
// Removals and ends that come later are pending and unconfirmed as before.
func (m *Mirror) AcceptRemovals(ctx context.Context, names ...string) error {
	if err := m.writes(); err != nil {
		return err
	}
	all, err := fromView(ctx, m.db, func(t *tx) ([]*sources.Source, error) { return sources.All(t.Tx) })
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s *sources.Source) bool { return s.Name == name }) {
			return fmt.Errorf("jobmirror: the mirror has no source %q", name)
		}
	}
	every := len(names) == 0
	if !every {
		all = slices.DeleteFunc(all, func(s *sources.Source) bool { return !slices.Contains(names, s.Name) })
	}
	for _, src := range all {
		err := m.db.updateAll(ctx, func(t *tx) (more bool, err error) {
			// A refresh that writes just now is waited for: what it saw again stays.
			if err := sources.Lock(t.Tx, src.ID); err != nil {
				return false, err
			}
			if err := t.listing(src).Accept(); err != nil {
				return false, err
			}
			return t.refreshing(src, turn{}).dropSome()
		})
		if err != nil {
			return err
		}
	}
	return m.acceptEnds(ctx, all, every)
}
