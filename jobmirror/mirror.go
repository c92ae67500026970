package jobmirror

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/jobboard-sdk/jobboard-go"
)

// Mirror keeps a copy of a board in a database. Several goroutines may call its
// methods at the same time.
type Mirror struct {
	db      *database
	opts    Options
	client  *jobboard.Client
	limit   *limit
	sources []*source
	epoch   string
	file    *flock.Flock // SQLite: beside the database; nil where several processes may write
	address string       // of the database

	jobsDue   signal // there may be jobs to look up
	unindexed signal // there may be postings to index

	closing sync.Once
	closed  error

	snapshots  chan struct{} // streams that read all rows just now
	metrics    metrics
	catalogues catalogues
	copied     atomic.Int64 // postings and entries read since Open
	lookups    atomic.Int64 // lookups written since Open
}

// Errors of a mirror's methods.
var (
	// ErrReadOnly reports that the mirror was opened with Options.ReadOnly.
	ErrReadOnly = errors.New("jobmirror: opened to read only")
	// ErrLocked reports that another process runs or refreshes the mirror.
	ErrLocked = errors.New("jobmirror: another process runs this mirror")
	// ErrUnknown reports that the mirror does not hold the job.
	ErrUnknown = errors.New("jobmirror: no such job in the mirror")
	// ErrIncomplete reports that not every channel was copied whole yet.
	ErrIncomplete = errors.New("jobmirror: not every channel was copied whole yet")
	// ErrStale reports that what the mirror knows is older than Options.MaxAge.
	ErrStale = errors.New("jobmirror: the answer is too old to be given")
)

// Open opens the mirror at an address: the path of a file of SQLite, which it
// makes, or postgres://. It sets up the tables where they are missing. It sends
// nothing.
//
// Errors are ErrNotMirror, ErrNewer and ErrNoSchema, those of
// jobboard.NewClient, and those of the database. Nothing is written when there
// is one. The password of an address stands in no error.
func Open(ctx context.Context, address string, opts Options) (*Mirror, error) {
	opts.setDefaults()
	m := &Mirror{
		address: address, opts: opts, limit: newLimit(opts.Limit), jobsDue: newSignal(), unindexed: newSignal(),
		snapshots: make(chan struct{}, maxSnapshots),
	}
	var err error
	if m.sources, err = opts.sources(); err != nil {
		return nil, err
	}
	if len(m.sources) > 0 && !opts.ReadOnly {
		config := opts.Config
		config.Observer = m.limit.observer(config.Observer)
		config.Limiter = m.limit
		if opts.Config.Limiter != nil {
			config.Limiter = limiters{opts.Config.Limiter, m.limit}
		}
		if m.client, err = jobboard.NewClient(config); err != nil {
			return nil, err
		}
	}
	if m.db, err = open(ctx, address, opts.ReadOnly); err != nil {
		return nil, err
	}
	m.limit.ledger = m.db.ledger(opts.Limit)
	if m.db.name == "sqlite" && !opts.ReadOnly {
		m.file = flock.New(address + ".lock")
	}
	err = m.setUp(ctx)
	if err == nil {
		err = m.measure()
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func open(ctx context.Context, address string, readOnly bool) (*database, error) {
	switch {
	case isPostgres(address):
		return openPostgres(ctx, address, readOnly)
	case address == "":
		return nil, errors.New("jobmirror: no address of a database")
	case strings.Contains(address, "://"):
		scheme, _, _ := strings.Cut(address, "://")
		return nil, fmt.Errorf("jobmirror: no database is known for addresses that begin with %s://; there are paths and postgres://", scheme)
	}
	return openSQLite(ctx, address, readOnly)
}

// setUp checks the tables, makes them where they are missing, and notes the
// sources.
func (m *Mirror) setUp(ctx context.Context) error {
	p := m.db.readers
	if m.db.writers != nil {
		p = m.db.writers
	}
	version, err := inspect(ctx, p.db, m.db.dialect)
	if err != nil {
		return err
	}
	if version < schema {
		if m.opts.ReadOnly {
			return ErrNoSchema
		}
		if err := m.migrate(ctx, p.db); err != nil {
			return err
		}
	}
	if m.db.numbered && !m.opts.ReadOnly {
		if err := m.setUpRiver(ctx); err != nil {
			return err
		}
	}
	err = m.db.view(ctx, func(t *tx) error {
		if err := t.loadPace(m.limit.ledger); err != nil {
			return err
		}
		return t.row("SELECT value FROM mirror WHERE name = 'epoch'", nil, &m.epoch)
	})
	if err != nil || m.opts.ReadOnly || len(m.sources) == 0 {
		return err
	}
	return m.db.update(ctx, func(t *tx) error {
		if _, err := t.exec("UPDATE limits SET rate = ?", max(m.opts.Limit, 0)); err != nil {
			return err
		}
		return t.enter(m.sources)
	})
}

func (m *Mirror) migrate(ctx context.Context, db *sql.DB) error {
	if m.file != nil { // on PostgreSQL the migration takes a lock of its own
		unlock, err := m.lock()
		if err != nil {
			return err
		}
		defer unlock()
	}
	return migrate(ctx, db, m.db.dialect)
}

// Close closes the database. What Run or Refresh were doing must have ended.
func (m *Mirror) Close() error {
	m.closing.Do(func() {
		if m.db == nil {
			return
		}
		if m.metrics.reading != nil {
			_ = m.metrics.reading.Unregister() // it never fails
		}
		m.limit.close()
		for _, p := range []*pool{m.db.readers, m.db.writers, m.db.permits} {
			if p != nil {
				p.drain()
			}
		}
		m.closed = m.db.close()
	})
	return m.closed
}

// lock keeps other processes from running the mirror; unlock lets them again.
func (m *Mirror) lock() (unlock func(), err error) {
	if m.opts.ReadOnly {
		return nil, ErrReadOnly
	}
	if m.file == nil { // any number of processes may run a mirror on PostgreSQL
		return func() {}, nil
	}
	ok, err := m.file.TryLock()
	if err != nil {
		return nil, fmt.Errorf("jobmirror: the lock beside the database: %w", err)
	}
	if !ok {
		return nil, ErrLocked
	}
	return func() { _ = m.file.Unlock() }, nil
}

// Refresh brings the mirror up to date once: it reads every source, looks up
// every job that is due, and returns. Its error joins those of the sources; the
// others are refreshed all the same.
//
// On PostgreSQL it works beside other processes and asks nothing twice: it waits
// for a source that another one is reading, and does not read it again; and for
// the jobs that others are looking up.
func (m *Mirror) Refresh(ctx context.Context) error {
	unlock, err := m.lock()
	if err != nil {
		return err
	}
	defer unlock()
	defer m.present(ctx, "refresh")()
	refresh := m.refresh
	if m.db.numbered {
		began, err := m.clock(ctx)
		if err != nil {
			return err
		}
		refresh = func(ctx context.Context, s *source) error { return m.refreshSince(ctx, s, began) }
	}
	var failed []error
	for _, s := range m.sources {
		if err := refresh(ctx, s); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.cause(), err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if len(m.sources) > 0 {
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
	unlock, err := m.lock()
	if err != nil {
		return err
	}
	defer unlock()
	defer m.present(ctx, "run")()
	work := []func(context.Context) error{m.indexDue, m.pruneDue}
	if m.db.numbered {
		work = append(work, m.numberDue)
	}
	switch {
	case m.db.numbered && len(m.sources) > 0:
		work = append(work, func(ctx context.Context) error { return joinFleet(ctx, m) })
	case len(m.sources) > 0:
		work = append(work, m.refreshDue, func(ctx context.Context) error { return m.lookUpDue(ctx, true) })
	}
	var running sync.WaitGroup
	for _, f := range work {
		running.Go(func() { m.keepAt(ctx, f) })
	}
	running.Wait()
	<-ctx.Done()
	return ctx.Err()
}

// keepAt calls f again and again until ctx ends, with longer and longer waits
// while it fails.
func (m *Mirror) keepAt(ctx context.Context, f func(context.Context) error) {
	for failures := 0; ctx.Err() == nil; failures++ {
		began := time.Now()
		err := f(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}
		m.opts.Logger.ErrorContext(ctx, "jobmirror", "error", problem(err))
		if time.Since(began) > time.Minute {
			failures = 0
		}
		newSignal().wait(ctx, nil, min(backOff(failures, time.Second), maxWait))
	}
}

// maxWait is the longest wait after a failure of the database: work goes on
// within this time of its return.
const maxWait = 30 * time.Second

// refreshDue refreshes the sources that are due, one after the other.
func (m *Mirror) refreshDue(ctx context.Context) error {
	for ctx.Err() == nil {
		var (
			due  *source
			wait int64 = 1000
		)
		err := m.db.view(ctx, func(t *tx) error {
			for _, s := range m.sources {
				var next int64
				if err := t.row("SELECT next_due FROM sources WHERE id = ?", []any{s.id}, &next); err != nil {
					return err
				}
				if next <= t.now && due == nil {
					due = s
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if due == nil {
			newSignal().wait(ctx, nil, time.Duration(wait)*time.Millisecond)
			continue
		}
		if err := m.refresh(ctx, due); err != nil && ctx.Err() == nil {
			m.opts.Logger.WarnContext(ctx, "jobmirror: refresh", "source", due.cause(), "error", problem(err))
		}
	}
	return nil
}

func (m *Mirror) indexDue(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := m.index(ctx); err != nil {
			return err
		}
		m.unindexed.wait(ctx, nil, time.Second)
	}
	return nil
}

func (m *Mirror) pruneDue(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := m.prune(ctx); err != nil {
			return err
		}
		newSignal().wait(ctx, nil, time.Hour)
	}
	return nil
}

// Accept lets the next complete refresh of each source remove whatever is
// missing, however much that is.
func (m *Mirror) Accept(ctx context.Context) error {
	if m.opts.ReadOnly {
		return ErrReadOnly
	}
	return m.db.update(ctx, func(t *tx) error {
		for _, s := range m.sources {
			if _, err := t.exec("UPDATE sources SET accepted = 1 WHERE id = ?", s.id); err != nil {
				return err
			}
		}
		return nil
	})
}

func (m *Mirror) progress(_ *source, n int) { m.copied.Add(int64(n)) }

// Progress counts what a Mirror has done since it was opened.
type Progress struct {
	Read     int64 // postings and entries of feeds
	LookedUp int64 // lookups whose results are written
}

// Progress returns how much was done so far; it costs nothing.
func (m *Mirror) Progress() Progress { return Progress{m.copied.Load(), m.lookups.Load()} }
