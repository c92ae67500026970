package jobmirror

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// worker is a call of Run or Refresh, which shares the mirror's work with others.
type worker struct {
	*Mirror
	process string // identifies it in the table processes
}

// begin returns a context for a call of Run or Refresh that also ends when Close begins, with
// store.ErrClosed as its cause. Close waits for end.
func (m *Mirror) begin(ctx context.Context) (working context.Context, end func(), err error) {
	if err := m.writes(); err != nil {
		return nil, nil, err
	}
	m.holding.Lock()
	defer m.holding.Unlock()
	if m.life.Err() != nil {
		return nil, nil, store.ErrClosed
	}
	m.working.Add(1)
	working, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(m.life, func() { cancel(store.ErrClosed) })
	return working, func() {
		stop()
		cancel(nil)
		m.working.Done()
	}, nil
}

// ended returns why the context of a call of Run or Refresh has ended: the error of its
// caller's context, or store.ErrClosed.
func ended(working context.Context) error {
	if cause := context.Cause(working); errors.Is(cause, store.ErrClosed) {
		return cause
	}
	return working.Err()
}

// start keeps other processes from running the mirror, where it may have only one,
// and tells all who read it that this one does, until done is called.
func (m *Mirror) start(ctx context.Context, doing string) (w *worker, done func(), err error) {
	first, unlock, err := m.lock()
	if err != nil {
		return nil, nil, err
	}
	// A process that was killed left its leases. If the database is away now, they end by
	// themselves.
	if first {
		_ = m.db.update(ctx, (*tx).endLeases)
	}
	// A process without channels and feeds asks the board for nothing, so its limit does not count.
	if len(m.named()) > 0 {
		_ = m.db.update(ctx, func(t *tx) error { return tellRate(t, m.opts.Limit) })
	}
	w = &worker{m, rand.Text()}
	leave := w.present(ctx, doing)
	return w, func() {
		leave()
		unlock()
	}, nil
}

// Refresh brings the mirror up to date once: it reads every source, looks up every job that is due then, and
// returns. A job that becomes due meanwhile waits for the next refresh. Its error joins those of the sources;
// sources that do not fail are refreshed nevertheless. An incomplete source and pending removals
// are no error: Status has them.
//
// On PostgreSQL it works beside other processes and asks nothing twice: it waits for a source
// that another process is reading, and reads it again only if that reading began earlier than
// Refresh; it also waits for jobs that others are looking up.
func (m *Mirror) Refresh(ctx context.Context) error {
	ctx, end, err := m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	w, done, err := m.start(ctx, "refresh")
	if err != nil {
		return err
	}
	defer done()
	// Refreshes with a higher generation than since, and what has a higher number than began, came later
	// than this refresh began.
	var since, began int64
	err = m.db.update(ctx, func(t *tx) (err error) {
		if err = t.lookups.PutDoubted(m.opts.RefreshEvery); err != nil {
			return err
		}
		if began, err = t.Next(lookups.Answers); err != nil {
			return err
		}
		since, err = sources.LastGeneration(t.Tx)
		return err
	})
	if err != nil {
		return err
	}
	failed := w.refreshAll(ctx, since)
	if ctx.Err() != nil {
		return ended(ctx)
	}
	if len(m.named()) > 0 {
		failed = append(failed, w.lookUpRound(ctx, began), w.lookUpAllHeld(ctx))
	}
	return errors.Join(append(failed, m.index(ctx), m.db.search.Merge(ctx), m.prune(ctx))...)
}

// refreshAll refreshes each source of the options that was not since a generation, maxRefreshes of them at a time,
// and returns their errors.
func (w *worker) refreshAll(ctx context.Context, since int64) []error {
	named := w.named()
	failed := make([]error, len(named))
	var running errgroup.Group
	running.SetLimit(maxRefreshes)
	for i := range named {
		running.Go(func() error {
			if err := w.refreshSince(ctx, i, since); err != nil {
				failed[i] = fmt.Errorf("%s: %w", named[i].Cause(), err)
			}
			return nil
		})
	}
	_ = running.Wait() // the errors are in failed
	return failed
}

// lookUpRound looks up each job that is due now once, whatever becomes due meanwhile, and once more those
// that a posting came to meanwhile; began is a number of before the sources were read.
func (w *worker) lookUpRound(ctx context.Context, began int64) error {
	round, err := fromUpdate(ctx, w.db, func(t *tx) (lookups.Round, error) { return t.lookups.BeginRound(began) })
	if err != nil {
		return err
	}
	return w.lookUpDue(ctx, round, false)
}

// Run keeps the mirror up to date until ctx ends, and returns its error, or until Close. A failure
// of the board, a feed or the database is logged, shown by Status, and tried again later.
//
// On SQLite one process runs a mirror; another gets ErrLocked. On PostgreSQL any
// number of processes share the work. A process that is told to end finishes
// its lookups or gives them back, within two seconds.
func (m *Mirror) Run(ctx context.Context) error {
	ctx, end, err := m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	w, done, err := m.start(ctx, "run")
	if err != nil {
		return err
	}
	defer done()
	var running sync.WaitGroup
	keepAt := func(wake signal, every time.Duration, f func(context.Context) error) {
		running.Go(func() { m.keepAt(ctx, wake, every, f) })
	}
	keepAt(nil, pollEvery, w.poll)
	keepAt(m.db.unindexed, never, m.index)
	keepAt(nil, time.Hour, m.prune)
	keepAt(nil, mergeEvery, m.db.search.Merge)
	if len(m.named()) > 0 {
		keepAt(nil, 0, w.refreshDue)
		keepAt(nil, 0, func(ctx context.Context) error { return w.lookUpDue(ctx, lookups.Round{}, true) })
		keepAt(m.heldDue, never, func(ctx context.Context) error {
			_, err := w.lookUpHeld(ctx)
			return err
		})
	}
	running.Wait()
	<-ctx.Done()
	return ended(ctx)
}

// pollEvery is the time after which a process asks the database again whether there is work
// to do. Its own commits tell it at once.
const pollEvery = time.Second

// poll asks, in one statement that writes nothing, whether there is work to do, and
// wakes those who do it. It reads the first row of some indexes, and the rows of the sources.
func (w *worker) poll(ctx context.Context) error {
	var (
		named                         = w.named()
		now, entered, began, until    int64
		job, source, held, visibility *int64
		index                         bool
	)
	err := w.db.Ask(ctx, "SELECT "+w.db.Clock+`, s.entered, s.first, s.began, s.leased_until,
			(`+sources.FirstHeld+`), (`+lookups.FirstDue+`), (SELECT posting FROM unindexed ORDER BY posting LIMIT 1) IS NOT NULL, (`+firstVisibilityDue+`)
		FROM (`+sources.Waiting+`) s`,
		[]any{sourceIDs(named)}, &now, &entered, &source, &began, &until, &held, &job, &index, &visibility)
	if err != nil {
		return err
	}
	if w.db.OwnClock() {
		now = time.Now().UnixMilli()
	}
	setBack := began > store.Latest(now) || until > store.Latest(now)+w.db.Lasting(sources.Lease).Milliseconds()
	for _, work := range []struct {
		due bool
		signal
	}{
		{job != nil && *job <= now, w.db.jobsDue},
		{held != nil && !w.db.IsLeased(*held, now, lookups.Lease), w.heldDue},
		{source != nil && *source <= now || setBack || int(entered) < len(named), w.sourcesDue},
		{index || visibility != nil && *visibility <= now, w.db.unindexed},
	} {
		if work.due {
			work.raise()
		}
	}
	return nil
}

const (
	// maxWait is the longest wait after a failure of the database: work goes on
	// within this time of its return.
	maxWait = 30 * time.Second
	never   = time.Duration(1<<63 - 1)
)

// keepAt calls f until ctx ends: f is called again when wake is raised, or after the time every; and
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
