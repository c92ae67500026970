package changelog

import (
	"context"
	"fmt"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Batch bounds the changes that are read or pruned at a time.
const Batch = 500

// Entry is a change of the log.
type Entry struct {
	Change
	Place
	At time.Time
}

const columns = "at, kind, id, language, coalesce(job, 0), coalesce(before, ''), coalesce(after, ''), cause"

// scan reads the columns of an entry, after others.
func (e *Entry) scan(scan func(...any) error, others ...any) error {
	var at int64
	err := scan(append(others, &at, &e.Kind, &e.ID, &e.Language, &e.Job, &e.Before, &e.After, &e.Cause)...)
	e.At = time.UnixMilli(at).UTC()
	return err
}

// After reads the changes after a place, in order, at most Batch, and returns the place of the
// last of them. Its errors are those of Check.
func (l *Log) After(ctx context.Context, at Place) (batch []Entry, last Place, err error) {
	if err := l.Number(ctx); err != nil {
		return nil, at, err
	}
	err = l.db.View(ctx, func(t *store.Tx) error {
		batch, last = nil, at
		if err := Check(t, at); err != nil {
			return err
		}
		const query = "SELECT number, stamp, " + columns + " FROM changes WHERE number > ? ORDER BY number LIMIT ?"
		return t.Rows(query, []any{at.Number, Batch}, func(scan func(...any) error) error {
			var e Entry
			if err := e.scan(scan, &e.Number, &e.Stamp); err != nil {
				return err
			}
			if e.Number != last.Number+1 {
				return fmt.Errorf("jobmirror: the log of changes has %d where %d belongs", e.Number, last.Number+1)
			}
			last = e.Place
			batch = append(batch, e)
			return nil
		})
	})
	return batch, last, err
}

// Of reads the changes of a job and its postings since some time, in the order of the log, and the changes by
// which a posting became another job's. Of more changes than most it reads the newest. Changes without
// a number yet come last and have number 0.
func (l *Log) Of(t *store.Tx, job int64, since time.Time, most int) (entries []Entry, err error) {
	// Those of each of the two columns are read from the end of its index.
	newest, order := "number DESC", "number"
	if l.db.Shared {
		newest, order = "number DESC NULLS FIRST, written DESC", "number NULLS LAST, written"
	}
	of := func(column string) string {
		return "SELECT * FROM (SELECT * FROM changes WHERE " + column + " = ? AND at >= ? ORDER BY " + newest +
			" LIMIT ?) by_" + column
	}
	query := "SELECT coalesce(number, 0), " + columns + " FROM (" + of("job") + " UNION ALL " + of("earlier_job") +
		") c ORDER BY " + order
	args := []any{job, since.UnixMilli(), most}
	err = t.Rows(query, append(args, args...), func(scan func(...any) error) error {
		var e Entry
		err := e.scan(scan, &e.Number)
		entries = append(entries, e)
		return err
	})
	return entries[max(0, len(entries)-most):], err
}
