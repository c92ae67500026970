package jobmirror

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"github.com/jobboard-sdk/jobboard-go"
)

// dialect is what differs between the two databases. Statements are written
// once, with ? for each parameter and @ids for a parameter that is a list of
// numbers.
type dialect struct {
	name      string
	shared    bool   // several processes may write at the same time, and the parameters of statements are $1, $2 and so on
	ids       string // what @ids stands for, with a ? in it
	lock      string // what @lock stands for: keeps rows that are read from changing until the transaction ends
	skip      string // what @skip stands for: locks rows, and leaves out those that others have locked
	key       string // what @key stands for in the tables
	clustered string // what @clustered stands for there
	next      string // raises the counter ? by one and selects its new value
	begin     string // begins a transaction that writes
	beginRead string // begins one that reads and sees one state throughout
	clock     string // the database's time in milliseconds; "0": the process's clock is the only one
	waiting   string // whether changes wait for their numbers
	matcher   matcher
}

// database holds the connections to a mirror's database: writers, of which
// SQLite has one, and readers, which a writer never holds up.
type database struct {
	dialect
	pooled           bool // a pooler lends server sessions out for a transaction: what a session keeps is lost after it
	writers, readers *pool
	permits          *pool        // for the limit, which waits for no work; nil on SQLite
	unnumbered       signal       // changes may wait for their numbers
	texts            sync.Map     // statements as the dialect writes them
	changes          atomic.Int64 // written to the log
}

// close closes the connections, once what they are lent out for has ended.
func (db *database) close() (err error) {
	for _, p := range []*pool{db.readers, db.writers, db.permits} {
		if p != nil {
			p.Close()
			err = errors.Join(err, p.db.Close())
		}
	}
	return err
}

func (db *database) text(query string) string {
	if text, ok := db.texts.Load(query); ok {
		return text.(string)
	}
	text := strings.NewReplacer("@ids", db.ids, "@lock", db.lock, "@skip", db.skip).Replace(query)
	if db.shared {
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

// pool lends out at most so many sessions at a time and keeps them open. A session that
// is destroyed takes its connection along, which may hold locks or be in the middle of a
// transaction.
type pool struct {
	db *sql.DB
	*puddle.Pool[*session]
}

// errClosed is what a mirror's methods return after Close.
var errClosed = errors.New("the mirror is closed")

// newPool returns a pool whose sessions prepare each statement once; or, for a driver
// that does so itself, none.
func newPool(db *sql.DB, size int32, prepares bool) *pool {
	sessions, err := puddle.NewPool(&puddle.Config[*session]{
		Constructor: func(ctx context.Context) (*session, error) {
			conn, err := db.Conn(ctx)
			s := &session{conn: conn}
			if prepares {
				s.stmts = map[string]*sql.Stmt{}
			}
			return s, err
		},
		Destructor: (*session).close,
		MaxSize:    size,
	})
	if err != nil {
		panic(err) // a pool of no sessions
	}
	db.SetMaxOpenConns(int(size))
	return &pool{db, sessions}
}

func (p *pool) get(ctx context.Context) (*lent, error) {
	s, err := p.Acquire(ctx)
	if errors.Is(err, puddle.ErrClosedPool) {
		err = errClosed
	}
	return s, err
}

// begin gets a session and begins a transaction. A session that was kept may
// have lost its server meanwhile; then the next one is taken.
func (p *pool) begin(ctx context.Context, statement string) (*lent, error) {
	for {
		s, err := p.get(ctx)
		if err != nil {
			return nil, err
		}
		if _, err = s.Value().conn.ExecContext(ctx, statement); err == nil {
			s.Value().used = true
			return s, nil
		}
		s.Destroy()
		if !s.Value().used || ctx.Err() != nil {
			return nil, err
		}
	}
}

// lent is a session that is to be released or destroyed.
type lent = puddle.Resource[*session]

// giveBack ends the lending of a session, and the session where it is broken.
func giveBack(s *lent, broken bool) {
	if broken {
		s.Destroy()
	} else {
		s.Release()
	}
}

// session is one connection with the statements that were prepared on it.
type session struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt // nil: the driver prepares statements where that is of use
	used  bool
}

func (s *session) close() {
	for _, stmt := range s.stmts {
		_ = stmt.Close()
	}
	// This closes the driver's connection, which Close would keep for others.
	_ = s.conn.Raw(func(any) error { return driver.ErrBadConn })
}

func (s *session) stmt(ctx context.Context, text string) (*sql.Stmt, error) {
	if stmt, ok := s.stmts[text]; ok {
		return stmt, nil
	}
	stmt, err := s.conn.PrepareContext(ctx, text)
	if err == nil {
		s.stmts[text] = stmt
	}
	return stmt, err
}

// exec runs a statement and returns how many rows it changed.
func (s *session) exec(ctx context.Context, text string, args []any) (n int64, err error) {
	var result sql.Result
	if s.stmts == nil {
		result, err = s.conn.ExecContext(ctx, text, args...)
	} else if stmt, failed := s.stmt(ctx, text); failed != nil {
		err = failed
	} else {
		result, err = stmt.ExecContext(ctx, args...)
	}
	if err != nil {
		return 0, fmt.Errorf("jobmirror: %w", err)
	}
	return result.RowsAffected()
}

// query calls each for the rows of a query until it returns an error.
func (s *session) query(ctx context.Context, text string, args []any, each func(scan func(...any) error) error) error {
	var (
		rows *sql.Rows
		err  error
	)
	if s.stmts == nil {
		rows, err = s.conn.QueryContext(ctx, text, args...)
	} else if stmt, failed := s.stmt(ctx, text); failed != nil {
		err = failed
	} else {
		rows, err = stmt.QueryContext(ctx, args...)
	}
	if err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	return nil
}

// row reads the one row of a query; without a row the error is sql.ErrNoRows.
func (s *session) row(ctx context.Context, text string, args []any, dest ...any) error {
	found := false
	err := s.query(ctx, text, args, func(scan func(...any) error) error {
		found = true
		return scan(dest...)
	})
	if err == nil && !found {
		err = fmt.Errorf("jobmirror: %w", sql.ErrNoRows)
	}
	return err
}

// tx is a transaction in progress.
type tx struct {
	ctx context.Context
	db  *database
	s   *session
	now int64 // milliseconds since the epoch, by the database's clock where it has one

	logged  int   // changes written so far
	changed int64 // the number of the change before them, on SQLite
}

// updateTimeout is how long a transaction that writes may take on a server: one
// that takes longer waits for a server or a proxy that does not answer.
const updateTimeout = time.Minute

// update runs f in a transaction that writes. It is repeated when the database
// chose it as the victim of a deadlock, so f must not change anything else.
func (db *database) update(ctx context.Context, f func(*tx) error) error {
	if db.shared {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, updateTimeout)
		defer cancel()
	}
	for attempt := 0; ; attempt++ {
		err := db.transact(ctx, db.writers, db.begin, f)
		if err == nil || attempt == 4 || !isDeadlock(err) {
			return err
		}
	}
}

// updateAll runs f in one such transaction after the other, until there is no more to do.
func (db *database) updateAll(ctx context.Context, f func(*tx) (more bool, err error)) error {
	for {
		more, err := fromUpdate(ctx, db, f)
		if err != nil || !more {
			return err
		}
	}
}

// view runs f in a transaction that reads one state of the database.
func (db *database) view(ctx context.Context, f func(*tx) error) error {
	return db.transact(ctx, db.readers, db.beginRead, f)
}

// fromUpdate returns what f returns in a transaction that writes, as update runs it.
func fromUpdate[T any](ctx context.Context, db *database, f func(*tx) (T, error)) (T, error) {
	return result(ctx, db.update, f)
}

// fromView returns what f returns in a transaction that reads, as view runs it.
func fromView[T any](ctx context.Context, db *database, f func(*tx) (T, error)) (T, error) {
	return result(ctx, db.view, f)
}

// result returns what f returns in a transaction, and the zero value where that fails.
func result[T any](
	ctx context.Context, transact func(context.Context, func(*tx) error) error, f func(*tx) (T, error),
) (out T, err error) {
	err = transact(ctx, func(t *tx) (err error) {
		out, err = f(t)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return out, nil
}

// ownClock reports whether the process's clock is the only one.
func (db *database) ownClock() bool { return db.clock == "0" }

// ask reads the one row of a query, which is a transaction of its own.
func (db *database) ask(ctx context.Context, query string, args []any, dest ...any) error {
	for {
		lent, err := db.readers.get(ctx)
		if err != nil {
			return fmt.Errorf("jobmirror: %w", err)
		}
		s := lent.Value()
		err = s.row(ctx, db.text(query), args, dest...)
		giveBack(lent, err != nil)
		if err == nil || !s.used || ctx.Err() != nil {
			return err
		}
	}
}

func (db *database) transact(ctx context.Context, p *pool, begin string, f func(*tx) error) (err error) {
	lent, err := p.begin(ctx, begin)
	if err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	broken := true
	defer func() { giveBack(lent, broken) }()
	s := lent.Value()
	t := &tx{ctx: ctx, db: db, s: s, now: time.Now().UnixMilli()}
	if !db.ownClock() {
		err = t.row("SELECT "+db.clock, nil, &t.now)
	}
	if err == nil {
		err = f(t)
	}
	if err == nil {
		err = t.count()
	}
	end := "COMMIT"
	if err != nil {
		end = "ROLLBACK"
	}
	// A caller who leaves must not leave the transaction open.
	endCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_, endErr := s.conn.ExecContext(endCtx, end)
	if endErr != nil && end == "COMMIT" {
		_, rollback := s.conn.ExecContext(endCtx, "ROLLBACK")
		broken = rollback != nil
		return fmt.Errorf("jobmirror: %w", endErr)
	}
	if end == "COMMIT" {
		db.changes.Add(int64(t.logged))
		if t.logged > 0 && db.shared {
			db.unnumbered.raise()
		}
	}
	// SQLite itself ends a transaction that finds the disk full.
	broken = endErr != nil && !strings.Contains(endErr.Error(), "no transaction is active")
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && poolerHint(e) != "" {
		return fmt.Errorf("%w%s", err, poolerHint(e))
	}
	return err
}

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	return t.s.exec(t.ctx, t.db.text(query), args)
}

// row reads the one row of a query; without a row the error is sql.ErrNoRows.
func (t *tx) row(query string, args []any, dest ...any) error {
	return t.s.row(t.ctx, t.db.text(query), args, dest...)
}

// rows calls each for the rows of a query until it returns an error.
func (t *tx) rows(query string, args []any, each func(scan func(dest ...any) error) error) error {
	return t.s.query(t.ctx, t.db.text(query), args, each)
}

// value reads the one value of a query; without a row the error is sql.ErrNoRows.
func value[T any](t *tx, query string, args ...any) (out T, err error) {
	err = t.row(query, args, &out)
	return out, err
}

// numbers reads the one column of a query.
func (t *tx) numbers(query string, args ...any) (out []int64, err error) {
	err = t.rows(query, args, func(scan func(...any) error) error {
		var n int64
		err := scan(&n)
		out = append(out, n)
		return err
	})
	return out, err
}

// pairs reads the two columns of a query: the second by the first.
func pairs[K comparable, V any](t *tx, query string, args ...any) (map[K]V, error) {
	out := map[K]V{}
	err := t.rows(query, args, func(scan func(...any) error) error {
		var (
			k K
			v V
		)
		err := scan(&k, &v)
		out[k] = v
		return err
	})
	return out, err
}

// records reads the one column of a query, which holds records, until each returns
// an error.
func records[T any](t *tx, query string, args []any, each func(T) error) error {
	return t.rows(query, args, func(scan func(...any) error) error {
		var text string
		if err := scan(&text); err != nil {
			return err
		}
		record, err := decodeRecord[T](text)
		if err != nil {
			return err
		}
		return each(record)
	})
}

// since returns how long ago a time of a column is; 0 where the clock was set back
// meanwhile.
func (t *tx) since(ms int64) time.Duration { return max(time.Duration(t.now-ms)*time.Millisecond, 0) }

// next raises a counter by one and returns its new value.
func (t *tx) next(counter string) (int64, error) { return value[int64](t, t.db.next, counter) }

// ids returns the argument for @ids.
func ids[T ~int64](list []T) string {
	if len(list) == 0 {
		return "[]"
	}
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // numbers
	}
	return string(b)
}

// idsOf returns the argument for @ids that has a number of each item.
func idsOf[T any](items []T, number func(T) int64) string {
	list := make([]int64, len(items))
	for i, item := range items {
		list[i] = number(item)
	}
	return ids(list)
}

// instant returns the time of a column; 0 is the zero time.
func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// instantColumn reads a time from its column.
type instantColumn struct{ *time.Time }

func (c instantColumn) Scan(ms any) error {
	n, ok := ms.(int64)
	if !ok {
		return fmt.Errorf("jobmirror: a time of type %T", ms)
	}
	*c.Time = instant(n)
	return nil
}

// circleColumn reads what narrows a source down from its column.
type circleColumn struct{ *jobboard.GeoLocation }

func (c circleColumn) Scan(geo any) error {
	text, ok := geo.(string)
	if !ok {
		return fmt.Errorf("jobmirror: a circle of type %T", geo)
	}
	return c.UnmarshalText([]byte(text))
}
