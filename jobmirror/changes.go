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

	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/store"
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

// counter returns the number of the last change that was written to the log, by the
// name "change", or that was erased from it, by the name "erased".
func (t *tx) counter(name string) (int64, error) {
	return store.Value[int64](t, "SELECT value FROM counters WHERE name = ?", name)
}

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
		last, err := t.counter("change")
		if err != nil {
			return err
		}
		erased, err := t.counter("erased")
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
		last, err := t.counter("change")
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

// log writes a change in the transaction that makes it. An empty text for
// before or after stands for no row.
//
// On SQLite, which has one writer, a change has its number at once. On
// PostgreSQL it gets one after it was committed; see number.
func (t *tx) log(kind string, id int64, language, before, after, cause string) error {
	var number any
	if !t.db.Shared {
		if t.logged == 0 {
			last, err := t.counter("change")
			if err != nil {
				return err
			}
			t.changed = last
		}
		number = t.changed + int64(t.logged) + 1
	}
	t.logged++
	_, err := t.Exec(`INSERT INTO changes (number, at, kind, id, language, before, after, cause)
		VALUES (?, ?, ?, ?, ?, NULLIF(?, ''), NULLIF(?, ''), ?)`, number, t.Now, kind, id, language, before, after, cause)
	return err
}

// count moves the counter of changes past those of this transaction.
func (t *tx) count() error {
	if t.logged == 0 || t.db.Shared {
		return nil
	}
	_, err := t.Exec("UPDATE counters SET value = ? WHERE name = 'change'", t.changed+int64(t.logged))
	return err
}

// numberLock is the advisory lock of whoever numbers changes.
const numberLock = 0x6a6f626d // "jobm"

// unnumbered is the condition that changes wait for their numbers, on a database with
// many writers.
const unnumbered = "(SELECT written FROM changes WHERE number IS NULL ORDER BY written LIMIT 1) IS NOT NULL"

// number gives the changes that are committed their numbers, on a database with
// many writers. A sequence would skip those that commit late, and a counter that
// is locked until the commit would let one sleeping writer stall all others.
func (m *Mirror) number(ctx context.Context) error {
	if !m.db.Shared || !m.db.Writes() {
		return nil
	}
	waiting := false
	if err := m.db.Ask(ctx, "SELECT "+unnumbered, nil, &waiting); err != nil || !waiting {
		return err
	}
	return m.db.update(ctx, func(t *tx) error {
		if _, err := t.Exec("SELECT pg_advisory_xact_lock(?)", numberLock); err != nil {
			return err
		}
		// A statement of its own: it must see what was committed before the
		// lock was given.
		_, err := t.Exec(`WITH fresh AS (
				SELECT written, row_number() OVER (ORDER BY written) AS place FROM changes WHERE number IS NULL
			), numbered AS (
				UPDATE changes SET number = (SELECT value FROM counters WHERE name = 'change') + fresh.place
				FROM fresh WHERE changes.written = fresh.written RETURNING 1
			)
			UPDATE counters SET value = value + (SELECT count(*) FROM numbered) WHERE name = 'change'`)
		return err
	})
}

// numberSoon numbers changes, and then lets some more come together.
func (m *Mirror) numberSoon(ctx context.Context) error {
	err := m.number(ctx)
	rest(ctx, followEvery)
	return err
}

// prune removes what has had its time: sources that no process names any more,
// and changes that are older than Options.KeepChanges. Numbers of changes are
// not used again.
func (m *Mirror) prune(ctx context.Context) error {
	if err := m.retire(ctx, false); err != nil {
		return err
	}
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) { return t.pruneSome(m.opts.KeepChanges) })
}

// pruneSome removes the first changes of the log that are older than keep.
func (t *tx) pruneSome(keep time.Duration) (more bool, err error) {
	last := int64(0)
	err = t.Rows("SELECT number, at FROM changes WHERE number IS NOT NULL ORDER BY number LIMIT ?", []any{changesBatch},
		func(scan func(...any) error) error {
			var number, at int64
			err := scan(&number, &at)
			if more = at < t.Now-keep.Milliseconds(); more {
				last = number
			}
			return err
		})
	if err != nil || last == 0 {
		return false, err
	}
	if _, err := t.Exec("DELETE FROM changes WHERE number <= ?", last); err != nil {
		return false, err
	}
	_, err = t.Exec("UPDATE counters SET value = ? WHERE name = 'erased' AND value < ?", last, last)
	return more, err
}
