package changelog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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

// Of reads the changes of a job and its postings since some time, in the order of the log, and those by
// which a posting became another job's; if there are more than most, it reads the newest. Changes without
// a number yet come last and have number 0.
func (l *Log) Of(t *store.Tx, job int64, since time.Time, most int) ([]Entry, error) {
	order, written := "number DESC", "0"
	if l.db.Shared {
		order, written = "number DESC NULLS FIRST, written DESC", "written"
	}
	type change struct {
		Entry
		written int64
	}
	var changes []change
	for _, column := range []string{"job", "earlier_job"} {
		query := "SELECT coalesce(number, 0), " + written + ", " + columns + " FROM changes WHERE " + column +
			" = ? AND at >= ? ORDER BY " + order + " LIMIT ?"
		err := t.Rows(query, []any{job, since.UnixMilli(), most}, func(scan func(...any) error) error {
			var c change
			err := c.scan(scan, &c.Number, &c.written)
			changes = append(changes, c)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		if waits := a.Number == 0; waits != (b.Number == 0) {
			return cmp.Compare(b.Number, a.Number) // 0 comes last
		}
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.written, b.written))
	})
	entries := make([]Entry, 0, min(len(changes), most))
	for _, c := range changes[max(0, len(changes)-most):] {
		entries = append(entries, c.Entry)
	}
	return entries, nil
}
