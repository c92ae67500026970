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

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Change is an entry of the log of changes. A follower of the log puts After in the place of the
// old row, or adds it, and removes the row if the change has no After.
type Change struct {
	Cursor   Cursor          `json:"cursor"` // where to go on after this change
	At       time.Time       `json:"at"`
	Kind     ChangeKind      `json:"kind"`
	ID       int64           `json:"id"`                 // the posting's, or the job's
	Language string          `json:"language,omitempty"` // of a posting's row; of what was forgotten "posting" or "job"
	Before   json.RawMessage `json:"before,omitempty"`   // a PostingRecord or JobRecord; none: it is new
	After    json.RawMessage `json:"after,omitempty"`    // likewise; none: it is gone
	// Confirming reports that nothing but PostingRecord.Confirmed differs: a lookup has told the title of
	// the posting's job. The posting itself has not changed.
	Confirming bool `json:"confirming,omitempty"`
	// Cause is "date" if Before and After are equal: the date has come from which visitors may see the
	// posting.
	Cause string `json:"cause"` // such as "lookup", "channel 27828_extern de", "feed jobs.xml" or "forget"
}

// entry is a change as stored in the log.
type entry struct {
	Change
	number int64
	job    int64 // the change's job, or the job of its posting; 0: none
}

// ChangeKind says what a change is of.
type ChangeKind string

// The kinds of changes.
const (
	ChangePosting   ChangeKind = "posting"   // a posting in one language is new, changed or gone
	ChangeJob       ChangeKind = "job"       // what is known of a job changed
	ChangeForgotten ChangeKind = "forgotten" // a job or a posting was erased, by Forget
)

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
	// ErrCursorAhead reports that the log does not hold the change that the cursor marks: the log
	// ends before that change, or has another change under its number, as after a backup was put
	// back; begin anew with Snapshot.
	ErrCursorAhead = errors.New("jobmirror: the log of changes does not hold the change of the cursor")
)

// logPlace is a place in the log: the number of a change, 0 for the beginning, and the
// change's stamp. A stamp is 64 random bits, written with the change. After a backup was
// put back the log goes on with other changes under the same numbers, and the stamps
// tell. A change whose stamp is right proves all before it.
type logPlace struct{ number, stamp int64 }

func (m *Mirror) cursor(at logPlace) Cursor {
	return Cursor(fmt.Sprintf("%s-%d-%x", m.epoch, at.number, uint64(at.stamp)))
}

func (m *Mirror) parseCursor(c Cursor) (logPlace, error) {
	if c == "" {
		return logPlace{}, nil
	}
	parts := strings.Split(string(c), "-")
	if len(parts) == 3 && parts[0] == m.epoch {
		number, noNumber := strconv.ParseInt(parts[1], 10, 64)
		stamp, noStamp := strconv.ParseUint(parts[2], 16, 64)
		if noNumber == nil && noStamp == nil && number >= 0 {
			return logPlace{number, int64(stamp)}, nil
		}
	}
	return logPlace{}, fmt.Errorf("%w: %.40q", ErrCursor, string(c))
}

// placeOf returns the place of a change that the log holds, or of the last that was
// erased from it.
func (t *tx) placeOf(number int64) (logPlace, error) {
	stamp, err := store.Value[*int64](t.Tx, `SELECT CASE WHEN ? = (SELECT value FROM counters WHERE name = 'erased')
		THEN (SELECT value FROM counters WHERE name = 'erased_stamp')
		ELSE (SELECT stamp FROM changes WHERE number = ?) END`, number, number)
	if err == nil && stamp == nil {
		err = fmt.Errorf("jobmirror: the log of changes lacks %d", number)
	}
	if err != nil {
		return logPlace{}, err
	}
	return logPlace{number, *stamp}, nil
}

// lastPlace returns the place of the last change.
func (t *tx) lastPlace() (logPlace, error) {
	last, err := t.counter(lastChange)
	if err != nil {
		return logPlace{}, err
	}
	return t.placeOf(last)
}

// changesBatch bounds the changes that are read at a time.
const changesBatch = 500

// Changes yields the changes after a cursor, in order and without gaps, to the
// end of the log. An error is the last item: ErrCursor, ErrCursorTooOld and
// ErrCursorAhead refuse the cursor.
func (m *Mirror) Changes(ctx context.Context, since Cursor) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for e, err := range m.entries(ctx, since) {
			if !yield(e.Change, err) {
				return
			}
		}
	}
}

// entries yields what Changes yields as the log has it.
func (m *Mirror) entries(ctx context.Context, since Cursor) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		at, err := m.parseCursor(since)
		for err == nil {
			var batch []entry
			if batch, at, err = m.changesAfter(ctx, at); err != nil {
				break
			}
			for _, e := range batch {
				m.db.read.Add(1)
				if !yield(e, nil) {
					return
				}
			}
			if len(batch) < changesBatch {
				return
			}
		}
		yield(entry{}, err)
	}
}

// changesOf returns what readers get of entries.
func changesOf(entries []entry) []Change {
	changes := make([]Change, len(entries))
	for i, e := range entries {
		changes[i] = e.Change
	}
	return changes
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
			at, _ := m.parseCursor(since) // which Changes took
			m.await(ctx, at.number, time.Hour)
		}
		yield(Change{}, ctx.Err())
	}
}

// changesAfter reads the next changes and returns the place of the last of them. Its
// errors are those of check.
func (m *Mirror) changesAfter(ctx context.Context, at logPlace) (batch []entry, last logPlace, err error) {
	if err := m.number(ctx); err != nil {
		return nil, at, err
	}
	err = m.db.view(ctx, func(t *tx) error {
		batch, last = nil, at
		if err := t.check(at); err != nil {
			return err
		}
		return t.Rows(`SELECT number, stamp, at, kind, id, language, coalesce(job, 0), before, after, cause FROM changes
			WHERE number > ? ORDER BY number LIMIT ?`, []any{at.number, changesBatch}, func(scan func(...any) error) error {
			var (
				place logPlace
				c     entry
			)
			err := scan(&place.number, &place.stamp, instantColumn{&c.At}, &c.Kind, &c.ID, &c.Language, &c.job,
				(*[]byte)(&c.Before), (*[]byte)(&c.After), &c.Cause)
			if err != nil {
				return err
			}
			if place.number != last.number+1 {
				return fmt.Errorf("jobmirror: the log of changes has %d where %d belongs", place.number, last.number+1)
			}
			last = place
			c.number, c.Cursor, c.Confirming = place.number, m.cursor(place), isConfirming(c.Before, c.After)
			batch = append(batch, c)
			return nil
		})
	})
	return batch, last, err
}

// check returns ErrCursorTooOld or ErrCursorAhead if the log does not go on from a place.
func (t *tx) check(at logPlace) error {
	last, err := t.counter(lastChange)
	if err != nil {
		return err
	}
	erased, err := t.counter(lastErased)
	if err != nil {
		return err
	}
	switch {
	case at.number > last:
		return ErrCursorAhead
	case at.number < erased:
		return ErrCursorTooOld
	case at == logPlace{}:
		return nil // the beginning
	}
	held, err := t.placeOf(at.number)
	if err == nil && held != at {
		err = ErrCursorAhead
	}
	return err
}
