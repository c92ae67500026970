package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// Tx is a transaction in progress.
type Tx struct {
	// Now is the time of its beginning, in milliseconds since the epoch, by the database's clock
	// where that has one.
	Now int64

	ctx  context.Context
	db   *DB
	conn *sql.Conn
	in   *sql.Tx

	later     []statement
	ends      map[any]func() error
	committed []func()
}

// AfterCommit has f called once the transaction is committed, before another transaction of this process
// begins that writes. f must not use the database.
func (t *Tx) AfterCommit(f func()) { t.committed = append(t.committed, f) }

// AtEnd has f called at the end of the transaction, as the last thing before its commit, once for each key.
func (t *Tx) AtEnd(key any, f func() error) {
	if t.ends == nil {
		t.ends = map[any]func() error{}
	}
	t.ends[key] = f
}

// statement holds a statement that Do keeps, and its arguments.
type statement struct {
	text string
	args []any
}

// maxLater bounds the statements that are sent at once.
const maxLater = 500

// Do runs a statement that returns nothing, before those that come after it. For a server
// it is kept and sent together with others, so its error may come from a later call, or
// from Update.
func (t *Tx) Do(query string, args ...any) error {
	if !t.db.Shared {
		_, err := t.Exec(query, args...)
		return err
	}
	t.later = append(t.later, statement{t.db.text(query), args})
	if len(t.later) < maxLater {
		return nil
	}
	return t.flush()
}

// DoAll runs statements that have the same arguments as Do does, in their order.
func (t *Tx) DoAll(args []any, statements ...string) error {
	for _, statement := range statements {
		if err := t.Do(statement, args...); err != nil {
			return err
		}
	}
	return nil
}

// flush sends a server the statements that Do has kept.
func (t *Tx) flush() error {
	if len(t.later) == 0 {
		return nil
	}
	err := t.conn.Raw(func(conn any) error { return sendAll(t.ctx, conn, t.later) })
	t.later = t.later[:0]
	if err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	return nil
}

// ready sends what is kept, before a statement that is run at once.
func (t *Tx) ready(query string) error {
	if t.db.Fail != nil {
		if err := t.db.Fail(query); err != nil {
			return fmt.Errorf("jobmirror: %w", err)
		}
	}
	return t.flush()
}

// Exec runs a statement and returns how many rows it changed.
func (t *Tx) Exec(query string, args ...any) (int64, error) {
	if err := t.ready(query); err != nil {
		return 0, err
	}
	result, err := t.in.ExecContext(t.ctx, t.db.text(query), args...)
	if err != nil {
		return 0, fmt.Errorf("jobmirror: %w", err)
	}
	return result.RowsAffected()
}

// Rows calls each for the rows of a query until it returns an error.
func (t *Tx) Rows(query string, args []any, each func(scan func(dest ...any) error) error) error {
	if err := t.ready(query); err != nil {
		return err
	}
	rows, err := t.in.QueryContext(t.ctx, t.db.text(query), args...)
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

// Row reads the one row of a query; without a row the error is sql.ErrNoRows.
func (t *Tx) Row(query string, args []any, dest ...any) error {
	found := false
	err := t.Rows(query, args, func(scan func(...any) error) error {
		found = true
		return scan(dest...)
	})
	if err == nil && !found {
		err = fmt.Errorf("jobmirror: %w", sql.ErrNoRows)
	}
	return err
}

// rower is a Tx, or what embeds one.
type rower interface {
	Row(query string, args []any, dest ...any) error
	Rows(query string, args []any, each func(scan func(dest ...any) error) error) error
}

// Value reads the one value of a query; without a row the error is sql.ErrNoRows.
func Value[T any](t rower, query string, args ...any) (out T, err error) {
	err = t.Row(query, args, &out)
	return out, err
}

// Numbers reads the one column of a query.
func (t *Tx) Numbers(query string, args ...any) (out []int64, err error) {
	err = t.Rows(query, args, func(scan func(...any) error) error {
		var n int64
		err := scan(&n)
		out = append(out, n)
		return err
	})
	return out, err
}

// Pairs reads the two columns of a query: the second by the first.
func Pairs[K comparable, V any](t rower, query string, args ...any) (map[K]V, error) {
	out := map[K]V{}
	err := t.Rows(query, args, func(scan func(...any) error) error {
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

// IsStandby reports whether the database is a server that lets nobody write: it follows another one, or
// is set so.
func (t *Tx) IsStandby() (standby bool, err error) {
	if t.db.Shared {
		err = t.Row("SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'", nil, &standby)
	}
	return standby, err
}

// Since returns how long ago a time of a column is; 0 where the clock was set back
// meanwhile.
func (t *Tx) Since(ms int64) time.Duration { return max(time.Duration(t.Now-ms)*time.Millisecond, 0) }

// Next raises a counter by one and returns its new value.
func (t *Tx) Next(counter string) (int64, error) { return Value[int64](t, t.db.next, counter) }

// NextOf raises a counter n times and returns its values.
func (t *Tx) NextOf(counter string, n int) (values []int64, err error) {
	if n > 0 && t.db.Shared {
		return t.Numbers(t.db.next+" FROM generate_series(1, ?)", counter, n)
	}
	for range n {
		value, err := t.Next(counter)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

// IDs returns the argument for @ids.
func IDs[T ~int64](list []T) string {
	if len(list) == 0 {
		return "[]"
	}
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // numbers
	}
	return string(b)
}

// IDsOf returns the argument for @ids that has a number of each item.
func IDsOf[T any](items []T, number func(T) int64) string {
	list := make([]int64, len(items))
	for i, item := range items {
		list[i] = number(item)
	}
	return IDs(list)
}
