// Command table keeps tables of a partner's own PostgreSQL database equal to a mirror, for
// programs that ask in SQL and know nothing of the mirror:
//
//	go -C market/examples/table run . -mirror jobs.db -database postgres://partner@localhost/partner
//
// It first fills the tables with all rows, and then applies each change in a transaction that
// moves the cursor as well. So it may be killed at any moment, and goes on where it was.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log"
	"os"
	"os/signal"
	"syscall"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

func main() {
	mirror := flag.String("mirror", "jobs.db", "`address` of the mirror, which another process keeps up to date")
	database := flag.String("database", "", "postgres `address` of the partner's database")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *mirror, *database)
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		log.Fatal(err)
	}
}

func run(ctx context.Context, mirror, database string) error {
	m, err := jobmirror.Open(ctx, mirror, jobmirror.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer m.Close()
	db, err := sql.Open("pgx", database)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, tables); err != nil {
		return err
	}
	return keep(ctx, m, db)
}

// tables are the partner's. A partner adds columns that he searches by; the whole record of the
// mirror is in the column record.
const tables = `
	CREATE TABLE IF NOT EXISTS board_postings (
		posting BIGINT, language TEXT, job BIGINT, title TEXT NOT NULL, record JSONB NOT NULL,
		PRIMARY KEY (posting, language));
	CREATE TABLE IF NOT EXISTS board_jobs (job BIGINT PRIMARY KEY, state TEXT NOT NULL, record JSONB NOT NULL);
	CREATE TABLE IF NOT EXISTS board_cursor (one BOOLEAN PRIMARY KEY DEFAULT true CHECK (one), cursor TEXT NOT NULL);
	INSERT INTO board_cursor (cursor) VALUES ('') ON CONFLICT DO NOTHING`

// keep keeps the tables equal to the mirror until ctx ends, whose error it returns.
func keep(ctx context.Context, m *jobmirror.Mirror, db *sql.DB) error {
	for {
		var cursor jobmirror.Cursor
		if err := db.QueryRowContext(ctx, "SELECT cursor FROM board_cursor").Scan(&cursor); err != nil {
			return err
		}
		var err error
		if cursor != "" {
			err = follow(ctx, m, db, cursor)
		}
		if cursor == "" || errors.Is(err, jobmirror.ErrCursor) ||
			errors.Is(err, jobmirror.ErrCursorTooOld) || errors.Is(err, jobmirror.ErrCursorAhead) {
			err = fill(ctx, m, db, cursor)
		}
		if err != nil && !errors.Is(err, errMoved) {
			return err
		}
	}
}

// follow applies the changes after a cursor, each in a transaction of its own.
func follow(ctx context.Context, m *jobmirror.Mirror, db *sql.DB, cursor jobmirror.Cursor) error {
	for change, err := range m.Follow(ctx, cursor) {
		if err != nil {
			return err
		}
		err = inTransaction(ctx, db, func(tx *sql.Tx) error {
			if err := move(ctx, tx, cursor, change.Cursor); err != nil {
				return err
			}
			return apply(ctx, tx, change)
		})
		if err != nil {
			return err
		}
		cursor = change.Cursor
	}
	return ctx.Err()
}

// fill replaces all rows. Readers see the old rows until the transaction ends.
func fill(ctx context.Context, m *jobmirror.Mirror, db *sql.DB, before jobmirror.Cursor) error {
	return m.Snapshot(ctx, func(at jobmirror.Cursor, rows iter.Seq2[jobmirror.Row, error]) error {
		return inTransaction(ctx, db, func(tx *sql.Tx) error {
			if err := move(ctx, tx, before, at); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "DELETE FROM board_postings; DELETE FROM board_jobs"); err != nil {
				return err
			}
			for row, err := range rows {
				if err == nil && row.Posting != nil {
					err = putPosting(ctx, tx, row.Posting)
				}
				if err == nil && row.Job != nil {
					err = putJob(ctx, tx, row.Job)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// errMoved reports that another process has moved the cursor: it is read again.
var errMoved = errors.New("another process has applied the change")

// move moves the cursor, if it is where this process left it.
func move(ctx context.Context, tx *sql.Tx, from, to jobmirror.Cursor) error {
	result, err := tx.ExecContext(ctx, "UPDATE board_cursor SET cursor = $1 WHERE cursor = $2", string(to), string(from))
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errMoved, err)
	}
	return nil
}

// apply puts or removes the row of a change. It may be one that the table never had.
func apply(ctx context.Context, tx *sql.Tx, change jobmirror.Change) (err error) {
	switch {
	case change.Kind == jobmirror.ChangeForgotten && change.Language == "posting":
		_, err = tx.ExecContext(ctx, "DELETE FROM board_postings WHERE posting = $1", change.ID)
	case change.Kind == jobmirror.ChangeForgotten, change.Kind == jobmirror.ChangeJob && change.After == nil:
		_, err = tx.ExecContext(ctx, "DELETE FROM board_jobs WHERE job = $1", change.ID)
	case change.Kind == jobmirror.ChangePosting && change.After == nil:
		_, err = tx.ExecContext(ctx, "DELETE FROM board_postings WHERE posting = $1 AND language = $2", change.ID, change.Language)
	case change.Kind == jobmirror.ChangePosting:
		var record jobmirror.PostingRecord
		if err = json.Unmarshal(change.After, &record); err == nil {
			err = putPosting(ctx, tx, &record)
		}
	case change.Kind == jobmirror.ChangeJob:
		var record jobmirror.JobRecord
		if err = json.Unmarshal(change.After, &record); err == nil {
			err = putJob(ctx, tx, &record)
		}
	}
	return err
}

func putPosting(ctx context.Context, tx *sql.Tx, r *jobmirror.PostingRecord) error {
	record, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO board_postings (posting, language, job, title, record) VALUES ($1, $2, NULLIF($3::bigint, 0), $4, $5)
		ON CONFLICT (posting, language) DO UPDATE SET job = excluded.job, title = excluded.title, record = excluded.record`,
		int64(r.Posting), r.Language, int64(r.Job), r.Title, string(record))
	return err
}

func putJob(ctx context.Context, tx *sql.Tx, r *jobmirror.JobRecord) error {
	record, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO board_jobs (job, state, record) VALUES ($1, $2, $3)
		ON CONFLICT (job) DO UPDATE SET state = excluded.state, record = excluded.record`, int64(r.Job), string(r.State), string(record))
	return err
}

// inTransaction commits what f does, or none of it.
func inTransaction(ctx context.Context, db *sql.DB, f func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("the transaction may have been committed, which its cursor tells: %w", err)
	}
	return nil
}
