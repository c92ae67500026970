package jobmirror

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
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
	Cause    string          `json:"cause"`              // such as "lookup", "channel 27828_extern de", "feed jobs.xml" or "forget"
}

// ChangeKind names what a change is of.
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
	ErrCursor = changelog.ErrCursor
	// ErrCursorTooOld reports that the log does not reach back that far; begin anew with
	// Snapshot.
	ErrCursorTooOld = changelog.ErrTooOld
	// ErrCursorAhead reports that the log lacks the change that the cursor marks: the log
	// ends before that change, or has another change under its number, as after a backup was put
	// back; begin anew with Snapshot.
	ErrCursorAhead = changelog.ErrAhead
)

func (m *Mirror) cursor(at changelog.Place) Cursor { return Cursor(m.db.log.Cursor(at)) }

func (m *Mirror) parseCursor(c Cursor) (changelog.Place, error) {
	if m.db == nil {
		return changelog.Place{}, errNotOpened
	}
	return m.db.log.Parse(string(c))
}

// changeOf returns an entry of the log as readers get it.
func (m *Mirror) changeOf(e changelog.Entry) Change {
	c := Change{
		At: e.At, Kind: ChangeKind(e.Kind), ID: e.ID, Language: e.Language, Cause: e.Cause,
		Cursor: m.cursor(e.Place),
	}
	if e.Before != "" {
		c.Before = json.RawMessage(e.Before)
	}
	if e.After != "" {
		c.After = json.RawMessage(e.After)
	}
	return c
}

// changesAfter reads the next changes and returns the place of the last of them. Its
// errors are those of changelog.Check.
func (m *Mirror) changesAfter(ctx context.Context, at changelog.Place) (batch []Change, last changelog.Place, err error) {
	read, last, err := m.db.log.After(ctx, at)
	for _, e := range read {
		batch = append(batch, m.changeOf(e))
	}
	return batch, last, err
}

// Changes yields the changes after a cursor, in order and without gaps, to the
// end of the log. An error is the last item: ErrCursor, ErrCursorTooOld and
// ErrCursorAhead refuse the cursor.
func (m *Mirror) Changes(ctx context.Context, since Cursor) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		at, err := m.parseCursor(since)
		for err == nil {
			var batch []Change
			if batch, at, err = m.changesAfter(ctx, at); err != nil {
				break
			}
			for _, c := range batch {
				if !yield(c, nil) {
					return
				}
			}
			if len(batch) < changelog.Batch {
				return
			}
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
			at, _ := m.parseCursor(since) // which Changes took
			m.db.log.Wait(ctx, at.Number, time.Hour)
		}
		yield(Change{}, ctx.Err())
	}
}
