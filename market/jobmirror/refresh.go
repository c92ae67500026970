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
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// turn holds what one refresh of a source needs.
type turn struct {
	generation int64 // see numbers.go
	answer     int64 // see numbers.go
	rowsBefore int   // rows of the source when it began
	shown      *shown
	notesRaws  bool // it also writes the hash of a posting's bytes where nothing but the bytes changed; see rawEvery
	says       word // the board's word on whether it has the source

	freshness *freshness // the ages of its answers
}

// refreshTx is a transaction of a refresh, which writes what a source shows.
type refreshTx struct {
	*tx
	src  *source
	turn turn
}

// refreshing returns a transaction of a refresh of a source. Where it only removes rows, turn may
// be the zero value.
func (t *tx) refreshing(src *source, turn turn) *refreshTx { return &refreshTx{t, src, turn} }

// cause returns the Change.Cause of what a refresh of the source changes.
func (s *source) cause() string {
	if s.language != "" {
		return s.kind + " " + s.String() + " " + s.language
	}
	return s.kind + " " + s.String()
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
				w.opts.Logger.WarnContext(ctx, "jobmirror: refresh", "source", src.cause(), "error", problem(err))
			}
		})
	}
	return nil
}

// beginDue begins to refresh the source that has been due the longest, of those that
// Options names and nobody else refreshes; nil: there is none.
func (w *worker) beginDue(ctx context.Context) (src *source, out turn, err error) {
	sources, found, expired := w.named(), 0, false
	err = w.db.update(ctx, func(t *tx) error {
		src = nil
		var id, began int64
		expired = false
		args := append([]any{sourceIDs(sources), t.Now, store.Latest(t.Now)}, t.Free(sourceLease)...)
		err := t.Row("SELECT id, began, leased_until > 0 FROM sources WHERE id IN @ids AND (next_due <= ? OR began > ?) AND "+store.IsFree+
			" ORDER BY next_due, id LIMIT 1 @skip", args, &id, &began, &expired)
		if errors.Is(err, sql.ErrNoRows) {
			found, err = store.Value[int](t, "SELECT count(*) FROM sources WHERE id IN @ids", sourceIDs(sources))
			return err
		}
		if err != nil {
			return err
		}
		if began > store.Latest(t.Now) {
			if err := t.clockSetBack(); err != nil {
				return err
			}
		}
		for _, s := range sources {
			if s.id == id {
				src = s
			}
		}
		out, err = t.begin(src, w.process)
		return err
	})
	if err == nil && src != nil {
		w.noteTaken(expired)
	}
	if err == nil && src == nil && found < len(sources) { // another process removed some: they are due the next time
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
		turn, begun, err := w.begin(ctx, src, func(r sourceRow) bool {
			done = r.generation > generation && r.complete >= r.began
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

// sourceRow holds what a source's row says of its refreshes.
type sourceRow struct{ generation, began, complete int64 }

// begin opens a generation of a source, and leases the source, unless another process has
// leased it or may refuses its row. Its error is sql.ErrNoRows where the source has no
// row.
func (w *worker) begin(ctx context.Context, src *source, may func(sourceRow) bool) (out turn, begun bool, err error) {
	expired := false
	err = w.db.update(ctx, func(t *tx) error {
		var (
			r     sourceRow
			until int64
		)
		begun, expired = false, false
		err := t.Row("SELECT generation, began, complete, leased_until FROM sources WHERE id = ? @lock", []any{src.id},
			&r.generation, &r.began, &r.complete, &until)
		if err != nil || t.db.IsLeased(until, t.Now, sourceLease) || !may(r) {
			return err
		}
		if r.began > store.Latest(t.Now) {
			if err := t.clockSetBack(); err != nil {
				return err
			}
		}
		begun, expired = true, until > 0
		out, err = t.begin(src, w.process)
		return err
	})
	if err == nil && begun {
		w.noteTaken(expired)
	}
	return out, begun, err
}

// noteTaken counts the lease of a source if the process that had it before neither renewed it
// nor gave it back: it was killed, stopped, or cut off from the database.
func (w *worker) noteTaken(expired bool) {
	if expired {
		w.db.taken.Add(1)
	}
}

// begin opens a generation of a source, and leases the source to a process; empty: it
// leases it to none. A refresh of the same source that is still at work elsewhere sees
// that its turn is over, and removes nothing.
func (t *tx) begin(src *source, process string) (out turn, err error) {
	if out.generation, err = t.Next(generations); err != nil {
		return out, err
	}
	if out.answer, err = t.Next(lookups.Answers); err != nil {
		return out, err
	}
	out.shown = &shown{}
	if out.rowsBefore, err = t.listing(src).Count(); err != nil {
		return out, err
	}
	until := int64(0)
	if process != "" {
		until = t.Until(sourceLease)
	}
	out.freshness = &freshness{requestTime: t.requestTime()}
	var complete int64
	err = t.Row("UPDATE sources SET generation = ?, began = ?, leased_until = ?, holder = ? WHERE id = ? RETURNING made, complete",
		[]any{out.generation, t.Now, until, process, src.id}, &out.freshness.stored, &complete)
	if errors.Is(err, sql.ErrNoRows) { // it was removed meanwhile
		err = nil
	}
	out.notesRaws = t.Now/rawEvery.Milliseconds() != complete/rawEvery.Milliseconds()
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
	err := r.db.KeepLease(ctx, sourceLease, func(ctx context.Context) (mine bool, err error) {
		return r.lease(ctx, sourceLease)
	})
	if err != nil {
		return fmt.Errorf("jobmirror: the lease of %s: %w", r.src.cause(), err)
	}
	return nil
}

// lease leases a source for a time from now on, or gives it back where that is 0,
// while the turn is its last.
func (r *refresher) lease(ctx context.Context, d time.Duration) (mine bool, err error) {
	return fromUpdate(ctx, r.db, func(t *tx) (bool, error) {
		rows, err := t.Exec("UPDATE sources SET leased_until = ? WHERE id = ? AND generation = ?", t.Until(d), r.src.id, r.turn.generation)
		return rows > 0, err
	})
}

// copySource copies a source, and takes note of what it shows no more.
func (r *refresher) copySource(ctx context.Context) error {
	read := r.copyChannel
	if r.src.kind == listings.Feed {
		read = r.copyFeed
	}
	var (
		whole  bool
		reason string
		err    error
	)
	if r.turn.shown, err = r.shown(ctx, r.src); err == nil {
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
		r.turn.says = saysYes
	case isRefusal(err):
		r.turn.says = saysNo
	}
	if failed := r.finish(ctx, whole && err == nil, reason); failed != nil || err == nil {
		return errors.Join(err, failed)
	}
	return sourceError{err}
}

// word is what a board says on whether it has a source.
type word int

const (
	saysNothing word = iota
	saysYes
	saysNo
)

// refusedFor is how long the board refuses a source before the copy does without it. A board
// that is being deployed may not know its channels for a moment.
const refusedFor = 4 * time.Minute

// refusal says whether a board refuses a source.
type refusal struct {
	since   int64 // when it refused the source first; 0: it does not
	leftOut bool  // the board has refused the source for refusedFor, and the copy does without it
}

// after returns the refusal of a source after a turn in which the board says a word on it.
func (r refusal) after(says word, t *tx) refusal {
	switch {
	case says == saysYes:
		return refusal{}
	case says == saysNothing || r.leftOut:
		return r
	case r.since == 0 || r.since > store.Latest(t.Now): // or the clock was set back
		return refusal{since: t.Now}
	}
	r.leftOut = t.Now-r.since >= refusedFor.Milliseconds()
	return r
}

// isRefusal reports whether the board has answered that it has no such channel, or not for
// this credential. A credential that it does not know says nothing about the channel.
func isRefusal(err error) bool {
	e, ok := errors.AsType[*jobboard.Error](err)
	return ok && slices.Contains([]int{
		http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusGone,
	}, e.StatusCode)
}

// stillTurn reports whether no other refresh of the source began meanwhile, and
// nobody retired it, and keeps that so until the transaction ends.
func (t *refreshTx) stillTurn() (bool, error) {
	last, err := t.Numbers("SELECT generation FROM sources WHERE id = ? @lock", t.src.id)
	return slices.Contains(last, t.turn.generation), err
}

// finish notes how a turn ended and gives its lease back. The source is due again after
// Options.RefreshEvery, or with back-off if it was not whole, for a reason that is shown.
func (r *refresher) finish(ctx context.Context, whole bool, reason string) error {
	every := jitter(r.opts.RefreshEvery)
	var before, now condition
	err := r.db.update(ctx, func(t *tx) (err error) {
		own := t.refreshing(r.src, r.turn)
		if err := own.noteOrigin(); err != nil {
			return err
		}
		if before, now, err = own.noteCondition(whole); err != nil {
			return err
		}
		if whole {
			if err := own.endLowerVersions(); err != nil {
				return err
			}
			_, err := t.Exec(`UPDATE sources SET complete = ?, next_due = ?, leased_until = 0, failures = 0, problem = ?, refused = 0, left_out = 0
				WHERE id = ? AND generation = ?`, t.Now, t.Now+every.Milliseconds(), reason, r.src.id, r.turn.generation)
			return err
		}
		var failures int
		var refused refusal
		err = t.Row("SELECT coalesce(max(failures), 0), coalesce(max(refused), 0), coalesce(max(left_out), 0) = 1 FROM sources WHERE id = ?",
			[]any{r.src.id}, &failures, &refused.since, &refused.leftOut)
		if err != nil {
			return err
		}
		wait := min(backOff(failures, 10*time.Second), r.opts.RefreshEvery)
		refused = refused.after(r.turn.says, t)
		_, err = t.Exec(`UPDATE sources SET next_due = ?, leased_until = 0, failures = failures + 1, problem = ?, refused = ?, left_out = ?
			WHERE id = ? AND generation = ?`, t.Now+jitter(wait).Milliseconds(), reason, refused.since, flag(refused.leftOut), r.src.id, r.turn.generation)
		return err
	})
	if err == nil {
		r.tellCondition(ctx, r.src, before, now, reason)
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

// problem says in one line what went wrong. It holds no address: a feed's address may contain a
// secret.
func problem(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	text := []rune(storable(err.Error()))
	return string(text[:min(len(text), 300)])
}
