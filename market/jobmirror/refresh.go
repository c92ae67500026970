package jobmirror

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// turn holds what one refresh of a source needs.
type turn struct {
	sources.Turn
	answer     int64 // the number of its answer; see numbers.go
	rowsBefore int   // rows of the source when it began
	shown      *shown
	notesRaws  bool         // it also writes the hash of bytes where nothing but the bytes changed; see rawEvery
	says       sources.Word // the board's word on whether it has the source

	freshness  *freshness // the ages of its answers
	unreadable unreadable // postings of its answer that could not be read
}

// unreadable holds what is known of the postings of an answer that could not be read.
type unreadable struct {
	n   int
	why string // what is wrong with the first, without a value of it; empty: there is none
}

// refreshTx is a transaction of a refresh of a source. channelTx and feedTx write what a source shows.
type refreshTx struct {
	postingTx
	src  *sources.Source
	turn turn
}

// refreshing returns a transaction of a refresh of a source. Where it only removes rows, turn may
// be the zero value.
func (t *tx) refreshing(src *sources.Source, turn turn) *refreshTx {
	return &refreshTx{postingTx{t}, src, turn}
}

// maxRefreshes bounds the sources that a process refreshes at a time, so that a large one holds
// no small one up. Each refresh keeps a batch of at most 500 postings in memory, and a bit or a
// number for each row.
const maxRefreshes = 8

// refreshDue refreshes the sources that are due, side by side, until ctx ends or the
// database does not answer.
func (w *worker) refreshDue(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	places := make(chan struct{}, maxRefreshes)
	for ctx.Err() == nil {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		src, turn, err := w.beginDue(ctx)
		if err != nil {
			return err
		}
		if src == nil {
			<-places
			w.sourcesDue.wait(ctx, nil, never)
			continue
		}
		running.Go(func() {
			defer func() { <-places }()
			err := (&refresher{w.Mirror, src, turn}).run(ctx)
			if _, told := errors.AsType[sourceError](err); err != nil && !told && ctx.Err() == nil {
				w.opts.Logger.WarnContext(ctx, "jobmirror: refresh", "source", src.Cause(), "error", problem(err))
			}
		})
	}
	return nil
}

// beginDue begins to refresh the source that has been due the longest, of those that
// Options names and nobody else refreshes; nil: there is none.
func (w *worker) beginDue(ctx context.Context) (src *source, out turn, err error) {
	named, found := w.named(), 0
	err = w.db.update(ctx, func(t *tx) error {
		src = nil
		due, err := sources.Due(t.Tx, sourceIDs(named))
		if errors.Is(err, sql.ErrNoRows) {
			found, err = sources.Count(t.Tx, sourceIDs(named))
			return err
		}
		if err != nil {
			return err
		}
		for _, s := range named {
			if s.ID == due.Source {
				src = s
			}
		}
		out, err = t.beginAfter(due, &src.Source, w.process)
		return err
	})
	if err == nil && src == nil && found < len(named) { // another process removed some: they are due the next time
		if err = w.enter(ctx); err == nil {
			w.sourcesDue.raise()
		}
	}
	return src, out, err
}

// waitEvery is the time after which refreshSince looks again whether another process has refreshed
// a source.
const waitEvery = 250 * time.Millisecond

// refreshSince refreshes one of the sources, unless another process has done so since a
// generation. If another process is refreshing the source, refreshSince waits.
func (w *worker) refreshSince(ctx context.Context, number int, generation int64) error {
	for ctx.Err() == nil {
		src, done := w.named()[number], false
		turn, begun, err := w.begin(ctx, src, func(last sources.Last) bool {
			done = last.Generation > generation && last.Complete >= last.Began
			return !done
		})
		switch {
		case errors.Is(err, sql.ErrNoRows): // another process has retired it
			if err := w.enter(ctx); err != nil {
				return err
			}
			continue
		case err != nil || done:
			return err
		case begun:
			return (&refresher{w.Mirror, src, turn}).run(ctx)
		}
		rest(ctx, waitEvery)
	}
	return ctx.Err()
}

// begin begins to refresh a source, and leases it, unless another process has leased it or may refuses
// what its row says. Its error is sql.ErrNoRows where the source has no row.
func (w *worker) begin(ctx context.Context, src *source, may func(sources.Last) bool) (out turn, begun bool, err error) {
	err = w.db.update(ctx, func(t *tx) error {
		begun = false
		last, err := sources.LockLast(t.Tx, src.ID)
		if err != nil || t.db.IsLeased(last.LeasedUntil, t.Now, sources.Lease) || !may(last) {
			return err
		}
		begun = true
		out, err = t.beginAfter(last, &src.Source, w.process)
		return err
	})
	return out, begun, err
}

// beginAfter does what begin does, after a last refresh, by whose time it sees that the clock was set back.
func (t *tx) beginAfter(last sources.Last, src *sources.Source, process string) (turn, error) {
	if last.Began > store.Latest(t.Now) {
		if err := t.clockSetBack(); err != nil {
			return turn{}, err
		}
	}
	return t.begin(src, process)
}

// begin begins a refresh of a source, and leases the source to a process; empty: to none.
func (t *tx) begin(src *sources.Source, process string) (out turn, err error) {
	if out.Turn, err = sources.Begin(t.Tx, src.ID, process); err != nil {
		return out, err
	}
	if out.answer, err = t.Next(lookups.Answers); err != nil {
		return out, err
	}
	out.shown, out.freshness = &shown{}, &freshness{requestTime: sentNow(t.Now), stored: out.LastMade}
	out.notesRaws = t.Now/rawEvery.Milliseconds() != out.LastComplete/rawEvery.Milliseconds()
	out.rowsBefore, err = t.listing(src).Count()
	return out, err
}

// refresher is a refresh of a source.
type refresher struct {
	*Mirror
	src  *source
	turn turn
}

// run copies the source, and keeps its lease meanwhile.
func (r *refresher) run(ctx context.Context) error {
	held, letGo := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		letGo(r.keepLease(held))
	}()
	err := r.copySource(held)
	cause := context.Cause(held)
	letGo(nil)
	<-ended
	if err == nil {
		return nil
	}
	if ctx.Err() != nil { // given back: the next process may begin at once
		last, cancel := outlast(ctx, giveBackTime)
		defer cancel()
		_, giveBack := r.lease(last, 0)
		return errors.Join(err, giveBack)
	}
	if cause != nil {
		return cause
	}
	return err
}

// keepLease renews a source's lease until ctx ends, the turn is another's, or
// a server was away for longer than the lease.
func (r *refresher) keepLease(ctx context.Context) error {
	err := r.db.KeepLease(ctx, sources.Lease, func(ctx context.Context) (mine bool, err error) {
		return r.lease(ctx, sources.Lease)
	})
	if err != nil {
		return fmt.Errorf("jobmirror: the lease of %s: %w", r.src.Cause(), err)
	}
	return nil
}

// lease leases a source for a time from now on, or gives it back where that is 0,
// while the turn is its last.
func (r *refresher) lease(ctx context.Context, d time.Duration) (mine bool, err error) {
	return fromUpdate(ctx, r.db, func(t *tx) (bool, error) { return r.turn.Lease(t.Tx, d) })
}

// copySource copies a source, and takes note of what it shows no more.
func (r *refresher) copySource(ctx context.Context) error {
	read := r.copyChannel
	if r.src.Kind == sources.Feed {
		read = r.copyFeed
	}
	var (
		whole  bool
		reason string
		err    error
	)
	if r.turn.shown, err = r.shown(ctx, &r.src.Source); err == nil {
		whole, reason, err = read(ctx)
	}
	if err == nil && whole {
		err = r.sweep(ctx)
	}
	if ctx.Err() != nil {
		return ctx.Err() // nothing is wrong with the source
	}
	if err != nil {
		reason = problem(err)
	}
	// A board in trouble says nothing of whether it has the source: what it said last holds.
	switch {
	case err == nil:
		r.turn.says = sources.Yes
	case isRefusal(err):
		r.turn.says = sources.No
	}
	if failed := r.finish(ctx, whole && err == nil, reason); failed != nil || err == nil {
		return errors.Join(err, failed)
	}
	return sourceError{err}
}

// isRefusal reports whether the board has answered that it has no such channel, or not for
// this credential. A credential that it does not know says nothing about the channel.
func isRefusal(err error) bool {
	e, ok := errors.AsType[*jobboard.Error](err)
	return ok && slices.Contains([]int{
		http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusGone,
	}, e.StatusCode)
}

// finish notes how a turn ended and gives its lease back. The source is due again after
// Options.RefreshEvery, or with back-off if it was not whole, for a reason that is shown.
func (r *refresher) finish(ctx context.Context, whole bool, reason string) error {
	every := jitter(r.opts.RefreshEvery)
	var before, now condition
	err := r.db.update(ctx, func(t *tx) (err error) {
		own := t.refreshing(&r.src.Source, r.turn)
		if err := own.noteOrigin(); err != nil {
			return err
		}
		if before, now, err = own.noteCondition(whole); err != nil {
			return err
		}
		if !whole {
			return r.turn.Fail(t.Tx, reason, r.turn.says, func(failures int) time.Duration {
				return jitter(min(backOff(failures, 10*time.Second), r.opts.RefreshEvery))
			})
		}
		if err := t.listing(own.src).EndLower(r.turn.Generation); err != nil {
			return err
		}
		return r.turn.Complete(t.Tx, t.Now+every.Milliseconds(), r.turn.unreadable.n)
	})
	if err == nil {
		r.tellCondition(ctx, before, now, reason)
	}
	return err
}

// backOff doubles a wait with each failure, up to a day.
func backOff(failures int, first time.Duration) time.Duration {
	return min(first<<min(failures, 14), 24*time.Hour)
}

// jitter spreads waits that began together: 90 % to 100 % of d. They are never longer, because a
// timer that comes each d would find half of them not due yet.
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.9 + 0.1*rand.Float64()))
}

// fromNow returns the milliseconds until a job is looked up again after a wait, with jitter: one at least, so
// that the job is not due again at the very time of the lookup.
func fromNow(wait time.Duration) int64 { return max(jitter(wait).Milliseconds(), 1) }

// problem says in one line what went wrong. It holds no address: a feed's address may contain a
// secret.
func problem(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	text := []rune(storable(err.Error()))
	return string(text[:min(len(text), 300)])
}
