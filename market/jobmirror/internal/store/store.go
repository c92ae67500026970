// Package store holds the connections to a database, SQLite or PostgreSQL, its
// transactions and its migrations. It knows how the two databases differ, and nothing
// of what is kept in them: statements are written once for both.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
)

// dialect holds what differs between the two databases. Statements are written
// once, with ? for each parameter, @ids for a parameter that is a list of numbers, as
// IDs writes it, after IN, NOT IN or FROM, @lock after a SELECT to keep its rows from
// changing until the transaction ends, @share to do so together with others, and @skip to leave
// out those that others have locked as well.
type dialect struct {
	// Name is "sqlite" or "postgres".
	Name string
	// Shared reports that several processes may write at the same time.
	Shared bool
	// Clock is an expression for the database's time in milliseconds; "0": only the process's own
	// clock is used.
	Clock string

	ids       string // replaces @ids after FROM, and contains a ?
	in        string // replaces IN @ids, and contains a ?
	notIn     string // replaces NOT IN @ids, and contains a ?
	lock      string // what @lock stands for
	share     string // what @share stands for
	skip      string // what @skip stands for
	key       string // what @key stands for in the tables
	clustered string // what @clustered stands for there
	next      string // raises the counter ? by one and selects its new value
}

// OwnClock reports whether the process's clock is the only one.
func (d dialect) OwnClock() bool { return d.Clock == "0" }

// DB holds the connections to a database: one to write, and some to read, which a writer
// never holds up.
type DB struct {
	dialect
	// Permits are connections for single statements that must wait for no other work;
	// nil on SQLite and where the database is only read.
	Permits *sql.DB
	// Fail is asked before each statement of a transaction whether it fails. It is nil outside of
	// tests, and set before the first transaction.
	Fail func(query string) error
	// Pooled reports that a pooler lends server sessions out for a transaction: what a
	// session keeps is lost after it.
	Pooled bool

	schema           Schema
	path             string        // of the file on SQLite
	writers, readers *sql.DB       // writers: nil where the database is only read
	turn             chan struct{} // is filled while somebody of this process writes
	texts            sync.Map
	unwritable       atomic.Pointer[unwritable]

	mu     sync.Mutex
	closed bool
	active sync.WaitGroup // transactions
}

// Open opens the database at an address: postgres://, or else the path of a file of
// SQLite, which it makes unless readOnly. Its errors are ErrNotMirror, ErrNewer and the
// database's; no password of an address stands in them.
func Open(ctx context.Context, address string, schema Schema, readOnly bool) (*DB, error) {
	if IsPostgres(address) {
		return openPostgres(ctx, address, schema, readOnly)
	}
	return openSQLite(ctx, address, schema, readOnly)
}

// Close closes the connections, once the transactions under way have ended.
func (db *DB) Close() (err error) {
	db.mu.Lock()
	db.closed = true
	db.mu.Unlock()
	db.active.Wait()
	for _, pool := range []*sql.DB{db.readers, db.writers, db.Permits} {
		if pool != nil {
			err = errors.Join(err, pool.Close())
		}
	}
	return err
}

// Writes reports whether the database was opened to be written.
func (db *DB) Writes() bool { return db.writers != nil }

// Alone returns the connections to write on SQLite, for single statements.
func (db *DB) Alone() *sql.DB { return db.writers }

func (db *DB) text(query string) string {
	if text, ok := db.texts.Load(query); ok {
		return text.(string)
	}
	text := strings.NewReplacer("NOT IN @ids", db.notIn, "IN @ids", db.in, "@ids", db.ids,
		"@lock", db.lock, "@share", db.share, "@skip", db.skip).Replace(query)
	if db.Shared {
		var b strings.Builder
		n := 0
		for part := range strings.SplitSeq(text, "?") {
			if n > 0 {
				b.WriteString("$" + strconv.Itoa(n))
			}
			b.WriteString(part)
			n++
		}
		text = b.String()
	}
	db.texts.Store(query, text)
	return text
}

const (
	// UpdateTimeout bounds a transaction that writes on a server: one
	// that takes longer waits for a server or a proxy that does not answer.
	UpdateTimeout = time.Minute
	// endTimeout bounds the end of a transaction, however soon the caller
	// leaves: it must not be left open.
	endTimeout = 10 * time.Second
)

var (
	toWrite = &sql.TxOptions{Isolation: sql.LevelReadCommitted}
	toRead  = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
)

// Update runs f in a transaction that writes. Those of a process who write take turns, in
// the order in which they came; who waits leaves when ctx ends. It is repeated when the database
// chose it as the victim of a deadlock, so f must not change anything else.
func (db *DB) Update(ctx context.Context, f func(*Tx) error) error {
	leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	end, err := db.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer end()
	if db.Shared {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, UpdateTimeout)
		defer cancel()
	}
	for attempt := 0; ; attempt++ {
		err := db.transact(ctx, db.writers, toWrite, f)
		db.noteWritten(err)
		if err == nil || attempt == 4 || !isDeadlock(err) {
			return err
		}
	}
}

// unwritable says why a transaction could not write, and when.
type unwritable struct {
	why string
	at  time.Time
}

// unwritableFor is how long a database counts as one that cannot be written after a transaction could not: on a full
// disk a small one finds room now and then.
const unwritableFor = time.Minute

// noteWritten notes how a transaction ended that was to write.
func (db *DB) noteWritten(err error) {
	if why := whyUnwritable(err); why != "" {
		db.unwritable.Store(&unwritable{why, time.Now()})
	} else if last := db.unwritable.Load(); err == nil && last != nil && time.Since(last.at) >= unwritableFor {
		db.unwritable.Store(nil)
	}
}

// Unwritable returns why a transaction of this process that was to write the database could not, in words without a path
// or an address, until one can that ends a minute later; empty: all could, or failed for another reason.
func (db *DB) Unwritable() string {
	if last := db.unwritable.Load(); last != nil {
		return last.why
	}
	return ""
}

// whyUnwritable returns why a database cannot be written, by the error of a transaction; empty: the error says
// nothing of that.
func whyUnwritable(err error) string {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return map[int]string{ // see mayNotWrite
			8: "its file may not be written", 10: "its disk fails", 13: "its disk is full", 14: "its file may not be written",
		}[e.Code()&0xff]
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return map[string]string{
			"53100": "its server's disk is full", readOnly: "its server lets nobody write", denied: "its role lacks a right",
		}[e.Code]
	}
	return ""
}

// View runs f in a transaction that reads one state of the database.
func (db *DB) View(ctx context.Context, f func(*Tx) error) error {
	leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	return db.transact(ctx, db.readers, toRead, f)
}

// Ask reads the one row of a query, which is a transaction of its own.
func (db *DB) Ask(ctx context.Context, query string, args []any, dest ...any) error {
	end, err := db.enter()
	if err != nil {
		return err
	}
	defer end()
	err = db.onLive(ctx, func() error { return db.readers.QueryRowContext(ctx, db.text(query), args...).Scan(dest...) })
	if err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	return nil
}

// ErrClosed is the error of what is called after Close. A web handler answers 503.
var ErrClosed error = closedError{}

type closedError struct{}

func (closedError) Error() string   { return "jobmirror: the mirror is closed" }
func (closedError) HTTPStatus() int { return http.StatusServiceUnavailable }

// enter keeps the connections open until end is called.
func (db *DB) enter() (end func(), err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, ErrClosed
	}
	db.active.Add(1)
	return db.active.Done, nil
}

// onLive calls f, which begins something on a connection of a pool, again while the one that it
// got has lost its server since it was used last: every connection of a pool may have lost its
// server.
func (db *DB) onLive(ctx context.Context, f func() error) (err error) {
	for range postgresReaders + 1 {
		if err = f(); err == nil || ctx.Err() != nil || !isStale(err) {
			break
		}
	}
	return err
}

// begin begins a transaction on a connection of its own, which the caller gives back.
func (db *DB) begin(ctx context.Context, pool *sql.DB, opts *sql.TxOptions) (conn *sql.Conn, in *sql.Tx, err error) {
	err = db.onLive(ctx, func() (err error) {
		if conn, err = pool.Conn(ctx); err != nil {
			return err
		}
		if in, err = conn.BeginTx(ctx, opts); err != nil {
			_ = conn.Close()
		}
		return err
	})
	return conn, in, err
}

// takeTurn waits until nobody else of this process writes, and returns the function that lets the
// next writer in. Writers come in the order of their calls; the pool alone would choose any of
// the waiting writers.
func (db *DB) takeTurn(ctx context.Context) (end func(), err error) {
	select {
	case db.turn <- struct{}{}:
		return func() { <-db.turn }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("jobmirror: %w", ctx.Err())
	}
}

func (db *DB) transact(ctx context.Context, pool *sql.DB, opts *sql.TxOptions, f func(*Tx) error) error {
	// The transaction outlives ctx, so that it is ended in an orderly way.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, cancel)
	conn, in, err := db.begin(own, pool, opts)
	if err == nil {
		defer func() {
			cancel() // Close waits for a transaction that was left open
			_ = conn.Close()
		}()
	}
	stop()
	// The rollback and the error both go by one value of ctx.Err. If each asked for itself,
	// ctx could end in between, and the transaction would stay open.
	if ended := ctx.Err(); ended != nil {
		if err == nil {
			_ = in.Rollback()
		}
		err = ended
	}
	if err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	t := &Tx{ctx: ctx, db: db, conn: conn, in: in, Now: time.Now().UnixMilli()}
	err = t.run(f, pool == db.writers)
	defer time.AfterFunc(endTimeout, cancel).Stop()
	if err != nil {
		_ = in.Rollback() // SQLite itself ends a transaction that finds the disk full
	} else if err = in.Commit(); err != nil {
		err = fmt.Errorf("jobmirror: %w", err)
	}
	if err == nil {
		for _, f := range t.committed {
			f()
		}
	}
	return withHint(err)
}

// run runs f in a transaction that has just begun, with the database's time and limits,
// and sends what f left to be sent.
func (t *Tx) run(f func(*Tx) error, writes bool) error {
	if t.db.Pooled && writes {
		if _, err := t.Exec("SET LOCAL idle_in_transaction_session_timeout = " + idleTimeout); err != nil {
			return err
		}
	}
	if !t.db.OwnClock() {
		if err := t.Row("SELECT "+t.db.Clock, nil, &t.Now); err != nil {
			return err
		}
	}
	if err := f(t); err != nil {
		return err
	}
	for _, end := range t.ends {
		if err := end(); err != nil {
			return err
		}
	}
	return t.flush()
}
