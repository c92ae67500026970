package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"strings"
	"time"

	_ "modernc.org/sqlite" // in Go, without a C compiler

	"github.com/jobboard-sdk/jobboard-go"
)

// table is the jobs in the database, a row each.
type table struct {
	*sql.DB
	id string // of this database, so that no checkpoint of another one counts for it
}

const schema = `
CREATE TABLE IF NOT EXISTS jobs (
	job_id           INTEGER PRIMARY KEY,
	outcome          TEXT NOT NULL,    -- open, closed, gone, posting unavailable
	title            TEXT NOT NULL,    -- as it was when it was last seen
	language         TEXT NOT NULL,
	company          TEXT NOT NULL,
	city             TEXT NOT NULL,
	questions        INTEGER NOT NULL, -- how many an application has to answer
	privacy_link     TEXT NOT NULL,    -- not checked
	looked_up        TEXT NOT NULL,    -- UTC
	edition          TEXT NOT NULL,    -- of the feed that had it last
	in_feed          INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS identity (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL) STRICT`

// upsert keeps what is known of a job that is closed or gone now.
const upsert = `
INSERT INTO jobs (job_id, outcome, title, language, company, city, questions, privacy_link, looked_up, edition, in_feed)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
ON CONFLICT (job_id) DO UPDATE SET
	outcome = excluded.outcome, looked_up = excluded.looked_up, edition = excluded.edition, in_feed = 1,
	title = iif(excluded.title = '', title, excluded.title),
	language = iif(excluded.title = '', language, excluded.language),
	company = iif(excluded.title = '', company, excluded.company),
	city = iif(excluded.title = '', city, excluded.city),
	questions = iif(excluded.title = '', questions, excluded.questions),
	privacy_link = iif(excluded.title = '', privacy_link, excluded.privacy_link)`

func openTable(ctx context.Context, file string) (*table, error) {
	if strings.ContainsRune(file, '?') {
		return nil, fmt.Errorf("%s: the driver takes what is behind the question mark for settings", file)
	}
	// A transaction is on the disk when it is committed; readers are not held
	// up by it.
	db, err := sql.Open("sqlite", file+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	t := &table{DB: db}
	_, err = db.ExecContext(ctx, schema)
	if err == nil {
		_, err = db.ExecContext(ctx, `INSERT OR IGNORE INTO identity VALUES (1, ?)`, rand.Text())
	}
	if err == nil {
		err = db.QueryRowContext(ctx, `SELECT id FROM identity`).Scan(&t.id)
	}
	if err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// store keeps the answers of a batch, all of them or none. A lookup that failed
// says nothing of its job, whose row stays as it is.
func (t *table) store(ctx context.Context, edition string, batch []jobboard.BulkResult[*jobboard.JobInformation]) (err error) {
	tx, err := t.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback()
		}
	}()
	put, err := tx.PrepareContext(ctx, upsert)
	if err != nil {
		return err
	}
	defer put.Close()
	at := time.Now().UTC().Format(time.RFC3339)
	for _, r := range batch {
		o := outcomeOf(r)
		if o == failed {
			continue
		}
		info := r.Value
		if info == nil {
			info = new(jobboard.JobInformation)
		}
		_, err := put.ExecContext(ctx, int64(r.Job), string(o), info.JobTitle, info.JobLanguage, info.CompanyName, info.Location.GeoCity,
			len(info.Questions), info.DataSecurityLink, at, edition)
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

// leave marks the jobs that this edition of the feed does not have, and returns
// how many they are. Call it once the edition was read and stored whole.
func (t *table) leave(ctx context.Context, edition string) (int, error) {
	result, err := t.ExecContext(ctx, `UPDATE jobs SET in_feed = 0 WHERE in_feed = 1 AND edition <> ?`, edition)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}
