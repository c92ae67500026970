package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Refresh brings the mirror up to date once: it reads every source, looks up
// every job that is due, and returns. Its error joins those of the sources; the
// others are refreshed all the same.
//
// On PostgreSQL it works beside other processes and asks nothing twice: it waits
// for a source that another one is reading, and does not read it again where that
// one began later than Refresh; and for the jobs that others are looking up.
func (m *Mirror) Refresh(ctx context.Context) error {
	done, err := m.start(ctx, "refresh")
	if err != nil {
		return err
	}
	defer done()
	// Refreshes with a higher generation than since began later than this one.
	since, err := fromView(ctx, m.db, func(t *tx) (int64, error) {
		return value[int64](t, "SELECT coalesce(max(generation), 0) FROM sources")
	})
	if err != nil {
		return err
	}
	var failed []error
	for i, s := range m.named() {
		if err := m.refreshSince(ctx, i, since); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.cause(), err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if len(m.named()) > 0 {
		failed = append(failed, m.lookUpDue(ctx, false))
	}
	failed = append(failed, m.index(ctx), m.prune(ctx))
	return errors.Join(failed...)
}

// Run keeps the mirror up to date until ctx ends, and returns its error. What
// fails on the way - the board, a feed, the database - is logged, shown by
// Status, and tried again later.
//
// On SQLite one process runs a mirror; another gets ErrLocked. On PostgreSQL any
// number of processes share the work. A process that is told to end finishes
// its lookups or gives them back, within seconds.
func (m *Mirror) Run(ctx context.Context) error {
	done, err := m.start(ctx, "run")
	if err != nil {
		return err
	}
	defer done()
	var running sync.WaitGroup
	keepAt := func(wake signal, every time.Duration, f func(context.Context) error) {
		running.Go(func() { m.keepAt(ctx, wake, every, f) })
	}
	keepAt(m.unindexed, time.Second, m.index)
	keepAt(nil, time.Hour, m.prune)
	if m.db.shared {
		// Those who open the database only to read cannot number changes.
		keepAt(nil, followEvery, m.number)
	}
	switch {
	case len(m.named()) == 0:
	case m.db.shared:
		keepAt(nil, 0, m.joinFleet)
	default:
		keepAt(nil, time.Second, m.refreshDue)
		keepAt(nil, 0, func(ctx context.Context) error { return m.lookUpDue(ctx, true) })
	}
	running.Wait()
	<-ctx.Done()
	return ctx.Err()
}

// maxWait is the longest wait after a failure of the database: work goes on
// within this time of its return.
const maxWait = 30 * time.Second

// keepAt calls f until ctx ends: again when wake is raised, or after a time; and
// while it fails, after longer and longer waits.
func (m *Mirror) keepAt(ctx context.Context, wake signal, every time.Duration, f func(context.Context) error) {
	for failures := 0; ctx.Err() == nil; {
		began := time.Now()
		err := f(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			failures = 0
			wake.wait(ctx, nil, every)
			continue
		case time.Since(began) > time.Minute:
			failures = 0
		}
		m.opts.Logger.ErrorContext(ctx, "jobmirror", "error", problem(err))
		rest(ctx, min(backOff(failures, time.Second), maxWait))
		failures++
	}
}

// refreshDue refreshes the sources that are due, one after the other.
func (m *Mirror) refreshDue(ctx context.Context) error {
	due, err := m.dueSources(ctx)
	for _, s := range due {
		if err == nil {
			err = m.refreshAfter(ctx, s)
		}
	}
	return err
}

// lookUpDue looks up the jobs that are due: until none is, or, with forever,
// until ctx ends. The next batch is begun once the last one is under way, so
// that a few lookups that do not answer hold up nobody.
func (m *Mirror) lookUpDue(ctx context.Context, forever bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		running  sync.WaitGroup
		underWay atomic.Int64 // jobs
		landed   = newSignal()
		size     = max(maxBatch, 8*m.opts.Concurrency)
	)
	defer running.Wait()
	for ctx.Err() == nil {
		var (
			next batch
			busy = true
		)
		if underWay.Load() < int64(2*size) {
			err := m.db.update(ctx, func(t *tx) (err error) {
				if next, err = t.reserve(size); err == nil && len(next.Jobs) == 0 {
					busy, err = t.lookingUp()
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		if !busy && !forever {
			break
		}
		if len(next.Jobs) == 0 {
			m.jobsDue.wait(ctx, landed, time.Second)
			continue
		}
		underWay.Add(int64(len(next.Jobs)))
		handedOut, drained := context.WithCancel(ctx)
		l := &lookups{
			batch: next, concurrency: m.opts.Concurrency, until: ctx, handedOut: drained,
			written: func(n int) {
				underWay.Add(-int64(n))
				landed.raise()
			},
		}
		running.Go(func() {
			err := m.lookUp(ctx, l)
			if err = errors.Join(err, m.release(ctx, next)); err != nil {
				cancel(err)
			}
			l.written(l.left)
		})
		<-handedOut.Done()
	}
	return context.Cause(ctx)
}
