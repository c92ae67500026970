package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// The settings of River. A worker that dies is replaced within a minute: its
// lease lapses, or River rescues its job.
const (
	batchTimeout = 15 * time.Second // a batch of lookups has this long; what is left of it then is begun anew
	rescueAfter  = 20 * time.Second // a job that runs for longer belongs to a worker that died; River looks every 30 s
	retryAfter   = time.Second      // after an error; from the sixth on, twice as long each time
	maxRetry     = time.Minute
	refreshLimit = time.Hour // a refresh has this long; its lease, not this, tells whether it is alive
	keepDone     = 10 * time.Minute
	pollEvery    = 500 * time.Millisecond
	stalledAfter = 45 * time.Second // a connection that says nothing for so long is given up

	batchWorkers   = 4 // batches of lookups that a process works on at once
	refreshWorkers = 2
	riverConns     = 6
)

// Queues of River. They are the mirror's own, so that another program may have
// jobs in the same tables.
const (
	queueLookups = "jobmirror_lookups"
	queueRefresh = "jobmirror_refresh"
	queuePlan    = "jobmirror_plan"
)

// riverPool opens the connections that River uses.
func riverPool(ctx context.Context, address string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("jobmirror: the address %s cannot be read", redact(address))
	}
	config.MaxConns = riverConns
	setSession(config.ConnConfig)
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return impatient{conn}, nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("jobmirror: %s: %w", redact(address), withoutAddress(err))
	}
	return pool, nil
}

// impatient is a connection that fails when a server or a proxy leaves an
// answer open: River waits for some of them without end.
type impatient struct{ net.Conn }

func (c impatient) Write(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(stalledAfter)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// riverVersion is the newest migration that this version's River knows.
func riverVersion() (int, error) {
	migrator, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		return 0, err
	}
	all := migrator.AllVersions()
	return all[len(all)-1].Version, nil
}

// riverReady reports whether River's tables are there. Newer ones are: they
// serve older versions, too.
func (m *Mirror) riverReady(ctx context.Context) (bool, error) {
	want, err := riverVersion()
	if err != nil {
		return false, fmt.Errorf("jobmirror: %w", err)
	}
	ready, err := fromView(ctx, m.db, func(t *tx) (bool, error) {
		exists, err := value[bool](t, "SELECT to_regclass('river_migration') IS NOT NULL AND to_regclass('river_job') IS NOT NULL")
		if err != nil || !exists {
			return false, err
		}
		return value[bool](t, "SELECT coalesce(max(version), 0) >= ? FROM river_migration WHERE line = 'main'", want)
	})
	// A set-up that was killed has no column "line" yet.
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "42703" {
		return false, nil
	}
	return ready, err
}

// setUpRiver makes River's tables where they are missing.
func (m *Mirror) setUpRiver(ctx context.Context) error {
	ready, err := m.riverReady(ctx)
	if err != nil || ready {
		return err
	}
	if m.db.pooled {
		return errPooled
	}
	return migrateRiver(ctx, m.address)
}

// migrateRiver brings River's tables up to this version's, each step in a
// transaction of its own. Processes do so one after the other.
func migrateRiver(ctx context.Context, address string) (err error) {
	pool, err := riverPool(ctx, address)
	if err != nil {
		return err
	}
	defer pool.Close()
	defer func() {
		if err != nil {
			err = missingRight(fmt.Errorf("jobmirror: setting up River's tables: %w", err))
		}
	}()
	one, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer func() {
		// Closed, the connection holds no lock.
		err = errors.Join(err, one.Hijack().Close(context.WithoutCancel(ctx)))
	}()
	if _, err := one.Exec(ctx, "SELECT pg_advisory_lock($1)", migrateLock); err != nil {
		return err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// migrateLock is the advisory lock of whoever sets up River's tables.
const migrateLock = numberLock + 1

// pgxTx lends the transaction to River.
func (t *tx) pgxTx(f func(pgx.Tx) error) error {
	return t.s.conn.Raw(func(driver any) error {
		conn, ok := driver.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("jobmirror: a connection of type %T", driver)
		}
		return f(openTx{pgxConn{conn.Conn()}})
	})
}

// openTx is a transaction in progress, which others end.
type openTx struct{ pgxConn }

// pgxConn keeps its field out of the way of the method Conn.
type pgxConn struct{ *pgx.Conn }

var errOpenTx = errors.New("jobmirror: the transaction is not River's to begin or end")

func (openTx) Begin(context.Context) (pgx.Tx, error) { return nil, errOpenTx }
func (openTx) Commit(context.Context) error          { return errOpenTx }
func (openTx) Rollback(context.Context) error        { return errOpenTx }
func (openTx) LargeObjects() pgx.LargeObjects        { return pgx.LargeObjects{} }
func (t openTx) Conn() *pgx.Conn                     { return t.pgxConn.Conn }

func (batch) Kind() string     { return "jobmirror_lookup" }
func (dueSource) Kind() string { return "jobmirror_refresh" }

// planArgs lets a process insert what is due.
type planArgs struct{}

func (planArgs) Kind() string { return "jobmirror_plan" }

// unfinished are the states in which a job keeps an equal one out. River's
// default has "completed" among them, which would keep the next one out.
var unfinished = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
	rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// retries says when River runs a job again that failed.
type retries struct{}

func (retries) NextRetry(job *rivertype.JobRow) time.Time {
	return time.Now().Add(min(backOff(max(job.Attempt-5, 0), retryAfter), maxRetry))
}

// errNotMine ends the run of a job that has another run by now. River looks at
// the job's state alone when it notes how a run ended, and would end the other
// one; an error that names no jobs ends none.
type errNotMine struct{}

func (errNotMine) Error() string               { return "jobmirror: the job runs elsewhere" }
func (errNotMine) Jobs() []*rivertype.JobRow   { return nil }
func (errNotMine) ErrorsByID() map[int64]error { return nil }

// isMine locks a job's row in River's table, and reports whether this run is
// still the one that the job has.
func (t *tx) isMine(job *rivertype.JobRow) (bool, error) {
	var (
		state   string
		attempt int
	)
	err := t.row("SELECT state, attempt FROM river_job WHERE id = ? FOR UPDATE", []any{job.ID}, &state, &attempt)
	return state == string(rivertype.JobStateRunning) && attempt == job.Attempt, err
}

// complete ends a job in the transaction of its last results, unless the job
// has another run by now.
func complete[T river.JobArgs](t *tx, job *river.Job[T]) (done bool, err error) {
	if mine, err := t.isMine(job.JobRow); err != nil || !mine {
		return false, err
	}
	err = t.pgxTx(func(tx pgx.Tx) error {
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](t.ctx, tx, job)
		return err
	})
	return err == nil, err
}
