package changelog

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Log is the log of changes of a database. Several goroutines may call its methods at the same time.
type Log struct {
	// Epoch tells the database from others: cursors begin with it. It is set before the first
	// cursor is written or read.
	Epoch string

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

// Writer keeps the changes of one transaction, and writes them at its end.
type Writer struct {
	log     *Log
	tx      *store.Tx
	changes []Change
}

// Writer returns a writer of the changes of a transaction.
func (l *Log) Writer(t *store.Tx) *Writer { return &Writer{log: l, tx: t} }

// Append adds a change to those of the transaction.
func (w *Writer) Append(c Change) { w.changes = append(w.changes, c) }

// End numbers the changes of the transaction and writes them. It is called once, as the last thing
// before the commit: from then on all others who have changes wait for the commit.
func (w *Writer) End() error {
	for part := range slices.Chunk(w.changes, Batch) {
		write := w.writeOne
		if w.log.db.Shared {
			write = w.writeAll
		}
		if err := write(part); err != nil {
			return err
		}
	}
	return nil
}

// raise raises the number of the last change by as many as are written.
const raise = "UPDATE counters SET value = value + ? WHERE name = 'change' RETURNING value"

// changeColumns has the columns of a change, in the order in which they are written.
const changeColumns = "number, stamp, at, kind, id, language, job, earlier_job, before, after, cause"

// writeOne writes changes one by one, which costs SQLite least.
func (w *Writer) writeOne(changes []Change) error {
	n := int64(len(changes))
	last, err := store.Value[int64](w.tx, raise, n)
	if err != nil {
		return err
	}
	for i, c := range changes {
		err := w.tx.Do("INSERT INTO changes ("+changeColumns+`)
			VALUES (?, ?, ?, ?, ?, ?, NULLIF(?, 0), NULLIF(?, 0), NULLIF(?, ''), NULLIF(?, ''), ?)`,
			last-n+int64(i)+1, newStamp(), w.tx.Now, c.Kind, c.ID, c.Language, c.Job, c.EarlierJob, c.Before, c.After, c.Cause)
		if err != nil {
			return err
		}
	}
	return nil
}

// writeAll writes changes in one statement, which also numbers them. It goes to the server together with the
// statements that are kept before it, so that the lock of the counter lasts for the way to the server and back that
// the commit takes.
func (w *Writer) writeAll(changes []Change) error {
	var (
		stamps, ids, jobs, earlier                []int64
		kinds, languages, befores, afters, causes []string
	)
	for _, c := range changes {
		stamps, ids, jobs, earlier = append(stamps, newStamp()), append(ids, c.ID), append(jobs, c.Job), append(earlier, c.EarlierJob)
		kinds, languages, causes = append(kinds, c.Kind), append(languages, c.Language), append(causes, c.Cause)
		befores, afters = append(befores, c.Before), append(afters, c.After)
	}
	n := int64(len(changes))
	return w.tx.Do("WITH last AS ("+raise+`)
		INSERT INTO changes (`+changeColumns+`)
		SELECT last.value - CAST(? AS BIGINT) + c.place, c.stamp, CAST(? AS BIGINT), c.kind, c.id, c.language, NULLIF(c.job, 0), NULLIF(c.earlier_job, 0),
			NULLIF(c.before, ''), NULLIF(c.after, ''), c.cause
		FROM last, unnest(?::bigint[], ?::text[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[])
			WITH ORDINALITY AS c (stamp, kind, id, language, job, earlier_job, before, after, cause, place)`,
		n, n, w.tx.Now, stamps, kinds, ids, languages, jobs, earlier, befores, afters, causes)
}

// newStamp returns the stamp of a change.
func newStamp() int64 { return int64(rand.Uint64()) }

// Prune removes the first changes of the log that are older than keep, at most Batch, and reports
// whether there may be more. Their numbers are not used again.
func Prune(t *store.Tx, keep time.Duration) (more bool, err error) {
	var last Place
	err = t.Rows("SELECT number, stamp, at FROM changes ORDER BY number LIMIT ?", []any{Batch},
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

// Erase removes texts and jobs from changes of some rows of a kind, at most Batch, and reports whether there may
// be more. The changes stay in the log, with their numbers.
func Erase(t *store.Tx, kind string, ids []int64) (more bool, err error) {
	// Two statements, so that each goes by an index whatever the database knows of the table.
	numbers, err := t.Numbers(`SELECT number FROM changes WHERE kind = ? AND id IN @ids
		AND (job IS NOT NULL OR earlier_job IS NOT NULL OR before IS NOT NULL OR after IS NOT NULL) LIMIT ?`, kind, store.IDs(ids), Batch)
	if err != nil || len(numbers) == 0 {
		return false, err
	}
	_, err = t.Exec("UPDATE changes SET job = NULL, earlier_job = NULL, before = NULL, after = NULL WHERE number IN @ids", store.IDs(numbers))
	return len(numbers) == Batch, err
}
