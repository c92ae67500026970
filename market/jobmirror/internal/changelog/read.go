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
