package changelog

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Log is the log of changes of a database. Several goroutines may call its methods at the same time.
type Log struct {
	// Epoch tells the database from others: cursors begin with it. It is set before the first
	// cursor is written or read.
	Epoch string
	// Written counts the changes that were committed, in this process.
	Written atomic.Int64

	db   *store.DB
	tail tail
}

// New returns the log of a database.
func New(db *store.DB) *Log { return &Log{db: db} }

// Change is what is written of a change.
type Change struct {
	Kind          string
	ID            int64
	Language      string
	Job           int64  // of which the change is, or of whose posting; 0: none is known
	EarlierJob    int64  // whose posting it was before, if that is another job; 0: none. Reading leaves it at 0.
	Before, After string // texts of the row; empty: there is no row
	Cause         string
}

// Writer writes the changes of one transaction.
type Writer struct {
	log  *Log
	tx   *store.Tx
	n    int64 // changes so far
	last int64 // on SQLite, the number of the last change before this transaction
}

// Writer returns a writer of the changes of a transaction.
func (l *Log) Writer(t *store.Tx) *Writer { return &Writer{log: l, tx: t} }

// Append writes a change.
func (w *Writer) Append(c Change) error {
	var number any // on PostgreSQL it comes after the commit
	if !w.log.db.Shared {
		if w.n == 0 {
			last, err := counter(w.tx, lastChange)
			if err != nil {
				return err
			}
			w.last = last
		}
		number = w.last + w.n + 1
	}
	w.n++
	return w.tx.Do(`INSERT INTO changes (number, stamp, at, kind, id, language, job, earlier_job, before, after, cause)
		VALUES (?, ?, ?, ?, ?, ?, NULLIF(CAST(? AS BIGINT), 0), NULLIF(CAST(? AS BIGINT), 0), NULLIF(?, ''), NULLIF(?, ''), ?)`,
		number, int64(rand.Uint64()), w.tx.Now, c.Kind, c.ID, c.Language, c.Job, c.EarlierJob, c.Before, c.After, c.Cause)
}

// End moves the counter of changes past those of the transaction. It is called once, before the
// commit.
func (w *Writer) End() error {
	if w.n == 0 || w.log.db.Shared {
		return nil
	}
	_, err := w.tx.Exec("UPDATE counters SET value = ? WHERE name = ?", w.last+w.n, lastChange)
	return err
}

// Committed counts the changes of the writer's transaction, once it is committed, and reports
// whether there are any.
func (w *Writer) Committed() bool {
	w.log.Written.Add(w.n)
	return w.n > 0
}

// Waiting selects whether changes wait for their numbers, which they do on PostgreSQL alone.
const Waiting = "(SELECT written FROM changes WHERE number IS NULL ORDER BY written LIMIT 1) IS NOT NULL"

// numberLock is the advisory lock of whoever numbers changes.
const numberLock = 0x6a6f626d // "jobm"

// Number gives the changes that are committed their numbers, where several processes write and
// this one may.
func (l *Log) Number(ctx context.Context) error {
	if !l.db.Shared || !l.db.Writes() {
		return nil
	}
	waiting := false
	if err := l.db.Ask(ctx, "SELECT "+Waiting, nil, &waiting); err != nil || !waiting {
		return err
	}
	return l.db.Update(ctx, func(t *store.Tx) error {
		if _, err := t.Exec("SELECT pg_advisory_xact_lock(?)", numberLock); err != nil {
			return err
		}
		// A statement of its own: it must see what was committed before the
		// lock was given.
		_, err := t.Exec(`WITH unnumbered AS (
				SELECT written, row_number() OVER (ORDER BY written) AS place FROM changes WHERE number IS NULL
			), numbered AS (
				UPDATE changes SET number = (SELECT value FROM counters WHERE name = 'change') + unnumbered.place
				FROM unnumbered WHERE changes.written = unnumbered.written RETURNING 1
			)
			UPDATE counters SET value = value + (SELECT count(*) FROM numbered) WHERE name = 'change'`)
		return err
	})
}

// Prune removes the first changes of the log that are older than keep, at most Batch, and reports
// whether there may be more. Their numbers are not used again.
func Prune(t *store.Tx, keep time.Duration) (more bool, err error) {
	var last Place
	err = t.Rows("SELECT number, stamp, at FROM changes WHERE number IS NOT NULL ORDER BY number LIMIT ?", []any{Batch},
		func(scan func(...any) error) error {
			var (
				place Place
				at    int64
			)
			err := scan(&place.Number, &place.Stamp, &at)
			if more = at < t.Now-keep.Milliseconds(); more {
				last = place
			}
			return err
		})
	if err != nil || last.Number == 0 {
		return false, err
	}
	if _, err := t.Exec("DELETE FROM changes WHERE number <= ?", last.Number); err != nil {
		return false, err
	}
	// Two processes may prune at the same time: the stamp stays with its number.
	n, err := t.Exec("UPDATE counters SET value = ? WHERE name = ? AND value < ?", last.Number, lastErased, last.Number)
	if err == nil && n > 0 {
		_, err = t.Exec("UPDATE counters SET value = ? WHERE name = ?", last.Stamp, erasedStamp)
	}
	return more, err
}

// Erase removes texts and jobs from the changes of some rows of a kind. The changes stay in the log,
// with their numbers.
func Erase(t *store.Tx, kind string, ids []int64) error {
	_, err := t.Exec("UPDATE changes SET job = NULL, earlier_job = NULL, before = NULL, after = NULL WHERE kind = ? AND id IN @ids", kind, store.IDs(ids))
	return err
}
