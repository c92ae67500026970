package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver of the site's own database

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
)

// tables are those of the site. The key of told is what makes "at least once" once.
const tables = `
CREATE TABLE IF NOT EXISTS searches (
	id        INTEGER PRIMARY KEY,
	email     TEXT NOT NULL,
	search    TEXT NOT NULL, -- a jobmirror.SavedSearch
	token     TEXT NOT NULL UNIQUE,
	confirmed INTEGER NOT NULL DEFAULT 0,
	UNIQUE (email, search)
);
CREATE TABLE IF NOT EXISTS told (
	search INTEGER NOT NULL REFERENCES searches (id) ON DELETE CASCADE,
	job    INTEGER NOT NULL,
	sent   INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (search, job)
);
CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY CHECK (one = 1), cursor TEXT NOT NULL);`

// alerts keeps saved searches, and tells their owners.
type alerts struct {
	db       *sql.DB
	mirror   *jobmirror.Mirror
	searches jobmirror.Searches // those that are confirmed
	origin   string             // of the site
	mails    postbox
}

func openAlerts(ctx context.Context, path, origin string, mirror *jobmirror.Mirror, mails postbox) (*alerts, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // one writer, and little to do
	a := &alerts{db: db, mirror: mirror, origin: origin, mails: mails}
	if _, err := db.ExecContext(ctx, tables); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return a, a.load(ctx)
}

// load reads the searches that are confirmed.
func (a *alerts) load(ctx context.Context) error {
	rows, err := a.db.QueryContext(ctx, "SELECT id, search FROM searches WHERE confirmed = 1")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var (
			id    int64
			text  string
			saved jobmirror.SavedSearch
		)
		if err := errors.Join(rows.Scan(&id, &text), json.Unmarshal([]byte(text), &saved)); err != nil {
			return err
		}
		if err := a.searches.Set(strconv.FormatInt(id, 10), saved); err != nil {
			return err
		}
	}
	return rows.Err()
}

// read notes what the searches find newly. Each match is noted together with the cursor behind it, so
// whatever happens, the next call goes on there.
func (a *alerts) read(ctx context.Context) error {
	var cursor jobmirror.Cursor
	err := a.db.QueryRowContext(ctx, "SELECT cursor FROM place").Scan(&cursor)
	if errors.Is(err, sql.ErrNoRows) {
		return a.begin(ctx)
	}
	if err != nil {
		return err
	}
	for match, err := range a.mirror.Matches(ctx, &a.searches, cursor) {
		if errors.Is(err, jobmirror.ErrCursorTooOld) || errors.Is(err, jobmirror.ErrCursorAhead) ||
			errors.Is(err, jobmirror.ErrCursor) {
			return errors.Join(err, a.begin(ctx))
		}
		if err == nil {
			err = a.note(ctx, match)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// begin has read begin with what changes from now on.
func (a *alerts) begin(ctx context.Context) error {
	return a.mirror.Snapshot(ctx, func(now jobmirror.Cursor, _ iter.Seq2[jobmirror.Row, error]) error {
		return a.note(ctx, jobmirror.Match{Cursor: now})
	})
}

func (a *alerts) note(ctx context.Context, match jobmirror.Match) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after the commit it does nothing
	for _, search := range match.Searches {
		// A search that was ended meanwhile has no row, and gets none here.
		_, err := tx.ExecContext(ctx, "INSERT INTO told (search, job) SELECT id, ? FROM searches WHERE id = ? ON CONFLICT DO NOTHING",
			int64(match.Posting.Job), search)
		if err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO place VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET cursor = excluded.cursor", string(match.Cursor))
	if err != nil {
		return err
	}
	return tx.Commit()
}

// maxJobs bounds the jobs of one mail.
const maxJobs = 20

// mail sends each owner what was noted and still is on the site; what is not waits until it is again.
func (a *alerts) mail(ctx context.Context) error {
	type owner struct {
		id           int64
		email, token string
	}
	waiting := map[owner][]jobboard.JobID{}
	rows, err := a.db.QueryContext(ctx, "SELECT s.id, s.email, s.token, t.job FROM told t JOIN searches s ON s.id = t.search WHERE t.sent = 0 ORDER BY t.job")
	if err != nil {
		return err
	}
	for rows.Next() {
		var (
			of  owner
			job jobboard.JobID
		)
		if err := rows.Scan(&of.id, &of.email, &of.token, &job); err != nil {
			return errors.Join(err, rows.Close())
		}
		waiting[of] = append(waiting[of], job)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	var failed []error
	for of, jobs := range waiting {
		text, sent := a.text(ctx, jobs)
		if len(sent) == 0 {
			continue
		}
		if err := a.mails.send(ctx, of.email, "New jobs for you", text, a.link("stop", of.token)); err != nil {
			failed = append(failed, err)
			continue
		}
		for _, job := range sent {
			_, err := a.db.ExecContext(ctx, "UPDATE told SET sent = 1 WHERE search = ? AND job = ?", of.id, int64(job))
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// text returns the text of a mail, and the jobs in it: those that are on the site.
func (a *alerts) text(ctx context.Context, jobs []jobboard.JobID) (text string, shown []jobboard.JobID) {
	var b strings.Builder
	for _, id := range jobs {
		if len(shown) == maxJobs {
			break
		}
		if title := a.shown(ctx, id); title != "" {
			fmt.Fprintf(&b, "%s\n%s\n\n", title, a.page(id))
			shown = append(shown, id)
		}
	}
	return b.String(), shown
}

// shown returns the title of a job that a visitor of the site may see and apply to at this moment, or "".
// Between a match and its mail the job may have been closed, hidden or removed.
func (a *alerts) shown(ctx context.Context, id jobboard.JobID) string {
	job := jobpublish.Job{URL: a.page(id)}
	now := time.Now()
	info, err := a.mirror.JobInformation(ctx, id)
	job.SetLookup(info, err, now)
	postings, err := a.mirror.Postings(ctx, id)
	if err != nil {
		return "" // the next minute tries again
	}
	for i := range postings {
		job.Posting = &postings[i].Posting
		if job.Check(now) == nil {
			return jobpublish.Line(job.Posting.Title, 200)
		}
	}
	return ""
}

// page returns the address of a job's page.
func (a *alerts) page(id jobboard.JobID) string { return a.origin + "/job/" + id.String() }
