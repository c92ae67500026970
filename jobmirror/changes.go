package jobmirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"
)

// Change is an entry of the log of changes.
type Change struct {
	Cursor   Cursor          `json:"cursor"` // where to go on after this change
	At       time.Time       `json:"at"`
	Kind     string          `json:"kind"`               // "posting", "job" or "forgotten"
	ID       int64           `json:"id"`                 // the posting's, or the job's
	Language string          `json:"language,omitempty"` // of a posting's row
	Before   json.RawMessage `json:"before,omitempty"`   // a PostingRecord or JobRecord; none: it is new
	After    json.RawMessage `json:"after,omitempty"`    // likewise; none: it is gone
	Cause    string          `json:"cause"`              // such as "lookup", "channel 27828_extern de", "feed jobs.xml" or "forget"
}

// Cursor marks a place in the log of changes of one database. The empty cursor
// marks the beginning of the log.
type Cursor string

// Errors of a cursor.
var (
	// ErrCursor reports that the cursor belongs to another database.
	ErrCursor = errors.New("jobmirror: the cursor is not of this database")
	// ErrCursorTooOld reports that the log does not reach back that far; begin anew with
	// Snapshot.
	ErrCursorTooOld = errors.New("jobmirror: the log of changes does not reach back to the cursor")
	// ErrCursorAhead reports that the log has not come that far, as after a backup was
	// put back; begin anew with Snapshot.
	ErrCursorAhead = errors.New("jobmirror: the cursor is ahead of the log of changes")
)

func (m *Mirror) cursor(number int64) Cursor {
	return Cursor(m.epoch + "-" + strconv.FormatInt(number, 10))
}

func (m *Mirror) parseCursor(c Cursor) (int64, error) {
	if c == "" {
		return 0, nil
	}
	epoch, text, _ := strings.Cut(string(c), "-")
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || epoch != m.epoch || number < 0 {
		return 0, fmt.Errorf("%w: %.40q", ErrCursor, string(c))
	}
	return number, nil
}

// changesBatch is how many changes are read at a time.
const changesBatch = 500

// Changes yields the changes after a cursor, in order and without gaps, to the
// end of the log. An error is the last item: ErrCursor, ErrCursorTooOld and
// ErrCursorAhead refuse the cursor.
func (m *Mirror) Changes(ctx context.Context, since Cursor) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		number, err := m.parseCursor(since)
		for err == nil {
			var batch []Change
			if batch, err = m.changesAfter(ctx, number); err != nil {
				break
			}
			for _, change := range batch {
				if !yield(change, nil) {
					return
				}
			}
			if len(batch) < changesBatch {
				return
			}
			number += int64(len(batch))
		}
		yield(Change{}, err)
	}
}

// Follow yields the changes after a cursor as Changes does, and then waits for
// new ones until ctx ends, whose error is the last item.
func (m *Mirror) Follow(ctx context.Context, since Cursor) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for ctx.Err() == nil {
			for change, err := range m.Changes(ctx, since) {
				if err == nil {
					since = change.Cursor
				}
				if !yield(change, err) || err != nil {
					return
				}
			}
			number, _ := m.parseCursor(since) // which Changes took
			m.await(ctx, number, time.Hour)
		}
		yield(Change{}, ctx.Err())
	}
}

// changesAfter reads the next changes, and finds that the log does not hold
// them.
func (m *Mirror) changesAfter(ctx context.Context, number int64) (batch []Change, err error) {
	if err := m.number(ctx); err != nil {
		return nil, err
	}
	err = m.db.view(ctx, func(t *tx) error {
		last, err := t.counter(lastChange)
		if err != nil {
			return err
		}
		erased, err := t.counter(lastErased)
		if err != nil {
			return err
		}
		switch {
		case number > last:
			return ErrCursorAhead
		case number < erased:
			return ErrCursorTooOld
		}
		return t.Rows(`SELECT number, at, kind, id, language, before, after, cause FROM changes
			WHERE number > ? ORDER BY number LIMIT ?`, []any{number, changesBatch}, func(scan func(...any) error) error {
			var (
				n int64
				c Change
			)
			err := scan(&n, instantColumn{&c.At}, &c.Kind, &c.ID, &c.Language,
				(*[]byte)(&c.Before), (*[]byte)(&c.After), &c.Cause)
			if err != nil {
				return err
			}
			if number++; n != number {
				return fmt.Errorf("jobmirror: the log of changes has %d where %d belongs", n, number)
			}
			c.Cursor = m.cursor(n)
			batch = append(batch, c)
			return nil
		})
	})
	return batch, err
}

// Row holds a row of the copy: Posting or Job is set.
type Row struct {
	Posting *PostingRecord `json:"posting,omitempty"`
	Job     *JobRecord     `json:"job,omitempty"`
}

// Snapshot calls f with every row of the copy, all of one moment, and with the
// cursor from which on Changes tells what happened after it. The rows are read
// as they are ranged over, once; an error is their last item. Snapshot returns
// the error of f.
func (m *Mirror) Snapshot(ctx context.Context, f func(at Cursor, rows iter.Seq2[Row, error]) error) error {
	if err := m.number(ctx); err != nil {
		return err
	}
	return m.db.view(ctx, func(t *tx) error {
		last, err := t.counter(lastChange)
		if err != nil {
			return err
		}
		return f(m.cursor(last), func(yield func(Row, error) bool) {
			if err := t.snapshot(yield); err != nil && !errors.Is(err, errLeft) {
				yield(Row{}, err)
			}
		})
	})
}

// errLeft says that a loop over rows was left early.
var errLeft = errors.New("left")

func (t *tx) snapshot(yield func(Row, error) bool) error {
	give := func(row Row) error {
		if !yield(row, nil) {
			return errLeft
		}
		return nil
	}
	err := records(t, "SELECT record FROM jobs WHERE record <> '' ORDER BY job", nil, func(job JobRecord) error {
		return give(Row{Job: &job})
	})
	if err != nil {
		return err
	}
	return records(t, "SELECT record FROM postings ORDER BY id", nil, func(posting PostingRecord) error {
		return give(Row{Posting: &posting})
	})
}
