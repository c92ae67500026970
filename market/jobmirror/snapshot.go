package jobmirror

import (
	"context"
	"iter"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
)

// Row holds a row of the copy: Posting or Job is set.
type Row struct {
	Posting *PostingRecord `json:"posting,omitempty"`
	Job     *JobRecord     `json:"job,omitempty"`
}

// Snapshot calls f with every row of the copy, and with the cursor after which Changes yields what
// changed since Snapshot began. The rows are read in parts while f ranges over them, without an open
// transaction, so a slow f holds up nobody. Snapshot returns the error of f.
//
// So changes made while the rows are read may be in them or missing, and follow as changes in
// both cases. A change is an upsert: After replaces the reader's row, or is new to the reader. A
// row that is removed, or a job that is forgotten, may be unknown to the reader. Before may
// differ from the reader's row. With the changes up to a moment after Snapshot the reader has the
// copy of that moment. A posting that was removed and came back meanwhile may come twice; the
// later row holds.
//
// An error is the last item of the rows: ErrCursorTooOld if reading them takes longer than
// Options.KeepChanges, so that the changes after the cursor are gone from the log; ErrCursorAhead
// if a backup was put back; the end of ctx; or the database's.
func (m *Mirror) Snapshot(ctx context.Context, f func(at Cursor, rows iter.Seq2[Row, error]) error) error {
	at, err := m.snapshotPlace(ctx)
	if err != nil {
		return err
	}
	return f(m.cursor(at), m.rowsSince(ctx, at))
}

// snapshotPlace returns the place in the log from which on those read the changes who first read
// all rows.
func (m *Mirror) snapshotPlace(ctx context.Context) (changelog.Place, error) {
	return fromView(ctx, m.db, func(t *tx) (changelog.Place, error) { return changelog.Last(t.Tx) })
}

// rowsSince yields all rows as they are at a place in the log, or as a later change left them.
func (m *Mirror) rowsSince(ctx context.Context, at changelog.Place) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		var (
			part rowsPart
			err  error
		)
		for !part.last {
			if part, err = m.rowsAfter(ctx, at, part); err != nil {
				break
			}
			for _, row := range part.rows {
				if err = ctx.Err(); err != nil {
					break
				}
				if !yield(row, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(Row{}, err)
		}
	}
}

// A part of the rows ends after partRows, or after those with which its records have partBytes.
const (
	partRows  = 200
	partBytes = 1 << 20
)

// rowsPart holds some of the rows that Snapshot gives: jobs in their order, then postings.
type rowsPart struct {
	rows     []Row
	postings bool  // the jobs were all read
	key      int64 // of the last row, of a job or a posting
	last     bool  // no further part follows
}

// rowsAfter reads the part after another one; the zero value stands before the first. It returns
// the errors of changelog.Check for the place in the log from which the reader of the rows will go on.
func (m *Mirror) rowsAfter(ctx context.Context, at changelog.Place, before rowsPart) (part rowsPart, err error) {
	err = m.db.view(ctx, func(t *tx) error {
		if err := changelog.Check(t.Tx, at); err != nil {
			return err
		}
		part = rowsPart{postings: before.postings, key: before.key}
		if !part.postings {
			more, err := readPart(t, &part, "SELECT job, record FROM jobs WHERE record <> '' AND job > ? ORDER BY job LIMIT ?",
				func(job JobRecord) Row { return Row{Job: &job} })
			if err != nil || more {
				return err
			}
			part.postings, part.key = true, 0
			if len(part.rows) > 0 {
				return nil
			}
		}
		more, err := readPart(t, &part, "SELECT id, record FROM postings WHERE id > ? ORDER BY id LIMIT ?",
			func(posting PostingRecord) Row { return Row{Posting: &posting} })
		part.last = !more
		return err
	})
	return part, err
}

// readPart adds to a part the rows of a query, which has their keys and records, from the part's
// key on. It reports whether the query may have more rows.
func readPart[T any](t *tx, part *rowsPart, query string, row func(T) Row) (more bool, err error) {
	read, size := 0, 0
	err = t.Rows(query, []any{part.key, partRows}, func(scan func(...any) error) error {
		read++
		if size >= partBytes {
			return nil // the next part has it
		}
		var text string
		if err := scan(&part.key, &text); err != nil {
			return err
		}
		record, err := decodeRecord[T](text)
		if err != nil {
			return err
		}
		size += len(text)
		part.rows = append(part.rows, row(record))
		return nil
	})
	return read == partRows || size >= partBytes, err
}
