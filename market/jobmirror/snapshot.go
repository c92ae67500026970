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

// rowsSince yields all rows as they are at a place in the log, or as a later change left them: jobs in their order,
// then postings.
func (m *Mirror) rowsSince(ctx context.Context, at changelog.Place) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for _, table := range snapshotTables {
			for key, more := int64(0), true; more; {
				part, err := m.rowsAfter(ctx, at, table, key)
				for _, row := range part.rows {
					if err = ctx.Err(); err != nil {
						break
					}
					if !yield(row, nil) {
						return
					}
				}
				if err != nil {
					yield(Row{}, err)
					return
				}
				key, more = part.last, part.more
			}
		}
	}
}

// snapshotTable is a table whose rows Snapshot gives.
type snapshotTable struct {
	query  string // selects the keys and the records of so many rows above a key
	decode func(record string) (Row, error)
}

var snapshotTables = []snapshotTable{
	{"SELECT job, record FROM jobs WHERE record <> '' AND job > ? ORDER BY job LIMIT ?", func(record string) (Row, error) {
		job, err := decodeRecord[JobRecord](record)
		return Row{Job: &job}, err
	}},
	{"SELECT id, record FROM postings WHERE id > ? ORDER BY id LIMIT ?", func(record string) (Row, error) {
		posting, err := decodeRecord[PostingRecord](record)
		return Row{Posting: &posting}, err
	}},
}

// A part of the rows ends after partRows, or after those with which its records have partBytes.
const (
	partRows  = 200
	partBytes = 1 << 20
)

// rowsPart holds some rows of a table.
type rowsPart struct {
	rows []Row
	last int64 // the key of the last one
	more bool  // there may be more behind it
}

// rowsAfter reads the part of a table behind a key. It returns the errors of changelog.Check for the place in the
// log from which the reader of the rows will go on.
func (m *Mirror) rowsAfter(ctx context.Context, at changelog.Place, table snapshotTable, key int64) (rowsPart, error) {
	return fromView(ctx, m.db, func(t *tx) (part rowsPart, err error) {
		if err := changelog.Check(t.Tx, at); err != nil {
			return part, err
		}
		read, size := 0, 0
		err = t.Rows(table.query, []any{key, partRows}, func(scan func(...any) error) error {
			read++
			if size >= partBytes {
				return nil // the next part has it
			}
			var record string
			if err := scan(&part.last, &record); err != nil {
				return err
			}
			row, err := table.decode(record)
			size += len(record)
			part.rows = append(part.rows, row)
			return err
		})
		part.more = read == partRows || size >= partBytes
		return part, err
	})
}
