package main

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver of the site's own database

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// tables are the site's own. By the key of told a job is told once for each search.
const tables = `
CREATE TABLE IF NOT EXISTS searches (
	id        INTEGER PRIMARY KEY,
	email     TEXT NOT NULL,
	search    TEXT NOT NULL,              -- a search as JSON
	token     TEXT NOT NULL UNIQUE,       -- by which its owner confirms and ends it
	asked     INTEGER NOT NULL,           -- when it was asked for last, in seconds
	asks      INTEGER NOT NULL DEFAULT 1, -- how often on that day
	mailed    INTEGER NOT NULL DEFAULT 0, -- 1: the mail with the link to confirm it was sent
	confirmed INTEGER NOT NULL DEFAULT 0,
	UNIQUE (email, search)
);
CREATE TABLE IF NOT EXISTS told (
	search INTEGER NOT NULL REFERENCES searches (id) ON DELETE CASCADE,
	job    INTEGER NOT NULL,
	sent   INTEGER NOT NULL, -- 0: it waits for a mail
	PRIMARY KEY (search, job)
);
CREATE INDEX IF NOT EXISTS told_waiting ON told (search) WHERE sent = 0;
CREATE TABLE IF NOT EXISTS mark (one INTEGER PRIMARY KEY CHECK (one = 1), mark TEXT NOT NULL);`

// search is what somebody wants to be told of.
type search struct{ Text, Town string }

// maxFound bounds the jobs that one search finds at a time.
const maxFound = 1000

// query returns the search as the mirror takes it: in a town and 25 km around it.
func (s search) query() jobmirror.Query {
	q := jobmirror.Query{Text: s.Text, Order: jobmirror.Newest, Limit: maxFound}
	if town, ok := places.Find(s.Town); ok {
		q.Near = jobboard.Near(town.Latitude, town.Longitude, 25)
	}
	return q
}

func (s search) String() string {
	about := "all jobs"
	if s.Text != "" {
		about = "“" + jobpublish.Line(s.Text, 60) + "”"
	}
	if s.Town != "" {
		about += " near " + jobpublish.Line(s.Town, 60)
	}
	return about
}

// alerts keeps saved searches, and tells their owners.
type alerts struct {
	db     *sql.DB
	mirror *jobmirror.Mirror
	mails  postbox
	name   string        // of the site
	origin string        // of its addresses
	maxAge time.Duration // of a copy that is told from
	wake   chan struct{} // has an element while somebody waits for a mail
}

func openAlerts(ctx context.Context, path string, a alerts) (*alerts, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=foreign_keys(1)&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // one writer, and little to do
	a.db, a.wake = db, make(chan struct{}, 1)
	if _, err := db.ExecContext(ctx, tables); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &a, nil
}

// tell asks what changed since the last call, and sends the mails that wait. From a copy that is old, or that the board
// refuses, it tells nothing. Whatever failed is done by the next call.
func (a *alerts) tell(ctx context.Context) error {
	err := a.sendConfirmations(ctx)
	page, stale := a.mirror.Search(ctx, jobmirror.Query{Limit: 1})
	switch {
	case stale != nil:
	case page.Building:
		stale = errors.New("the search index is being built")
	case page.Age < 0:
		stale = errors.New("the board was never copied whole")
	case page.Age > a.maxAge:
		stale = fmt.Errorf("the copy is %s old", page.Age.Truncate(time.Minute))
	}
	if stale != nil {
		return errors.Join(err, fmt.Errorf("nothing is told: %w", stale))
	}
	return errors.Join(err, a.match(ctx), a.sendJobs(ctx))
}

// match notes which jobs are to be told, in one transaction with the mark behind which the next call asks. While it
// lasts nobody confirms a search, so that no job falls between the two.
func (a *alerts) match(ctx context.Context) error {
	return a.inTransaction(ctx, func(tx *sql.Tx) error {
		var mark jobmirror.ChangeMark
		if err := tx.QueryRowContext(ctx, "SELECT mark FROM mark").Scan(&mark); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		queries, owners, err := confirmed(ctx, tx)
		if err != nil {
			return err
		}
		changed, err := a.mirror.SearchChanged(ctx, mark, queries)
		if errors.Is(err, jobmirror.ErrPageCursor) { // the copy is another one, such as a backup: told has what was told
			changed, err = a.mirror.SearchChanged(ctx, "", queries)
		}
		if err != nil || changed.Mark == mark {
			return err
		}
		for i, postings := range changed.Postings {
			for _, owner := range owners[i] {
				if err := note(ctx, tx, owner, postings, 0); err != nil {
					return err
				}
			}
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO mark VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET mark = excluded.mark", string(changed.Mark))
		return err
	})
}

// confirmed returns the searches that are confirmed, equal ones once, with the rows of each.
func confirmed(ctx context.Context, tx *sql.Tx) (queries []jobmirror.Query, owners [][]int64, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, search FROM searches WHERE confirmed = 1")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	at := map[search]int{}
	for rows.Next() {
		var (
			id   int64
			text string
			s    search
		)
		if err := errors.Join(rows.Scan(&id, &text), json.Unmarshal([]byte(text), &s)); err != nil {
			return nil, nil, err
		}
		i, known := at[s]
		if !known {
			i, at[s] = len(queries), len(queries)
			queries, owners = append(queries, s.query()), append(owners, nil)
		}
		owners[i] = append(owners[i], id)
	}
	return queries, owners, rows.Err()
}

// note notes jobs of postings for a search that it was not told of. sent says that its owner knows them.
func note(ctx context.Context, tx *sql.Tx, search int64, postings []jobmirror.Posting, sent int) error {
	for _, p := range postings {
		if p.Job == 0 { // it has no page; it is found again once its job is known
			continue
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO told (search, job, sent) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", search, int64(p.Job), sent)
		if err != nil {
			return err
		}
	}
	return nil
}

// owner is a row of searches, with the jobs that wait for a mail.
type owner struct {
	id           int64
	email, token string
	search       search
	jobs         []jobboard.JobID
}

// owners reads rows of a query with a row for each job, 0 for none.
func (a *alerts) owners(ctx context.Context, query string) (all []*owner, err error) {
	rows, err := a.db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var (
			o    owner
			text string
			job  jobboard.JobID
		)
		if err := errors.Join(rows.Scan(&o.id, &o.email, &o.token, &text, &job), json.Unmarshal([]byte(text), &o.search)); err != nil {
			return nil, err
		}
		if len(all) == 0 || all[len(all)-1].id != o.id {
			all = append(all, &o)
		}
		last := all[len(all)-1]
		last.jobs = append(last.jobs, job)
	}
	return all, rows.Err()
}

// sendConfirmations mails the links by which searches are confirmed, and forgets searches that nobody has confirmed for
// two days.
func (a *alerts) sendConfirmations(ctx context.Context) error {
	_, err := a.db.ExecContext(ctx, "DELETE FROM searches WHERE confirmed = 0 AND asked < ?", time.Now().Add(-48*time.Hour).Unix())
	if err != nil {
		return err
	}
	waiting, err := a.owners(ctx, "SELECT id, email, token, search, 0 FROM searches WHERE confirmed = 0 AND mailed = 0 ORDER BY id")
	failed := []error{err}
	for _, o := range waiting {
		text := fmt.Sprintf("Somebody, probably you, wants to be told of new jobs at %s: %s.\n\nIf it was you, confirm it here:\n%s\n\nIf not, do nothing.\n",
			a.name, o.search, a.link("confirm", o.token))
		if err = a.mails.send(ctx, o.email, a.name+": please confirm "+o.search.String(), text, ""); err == nil {
			_, err = a.db.ExecContext(ctx, "UPDATE searches SET mailed = 1 WHERE id = ?", o.id)
		}
		if failed = append(failed, err); isDown(err) {
			break
		}
	}
	return errors.Join(failed...)
}

// sendJobs sends each owner a mail with the jobs that wait. If the program is killed between the mail server's
// answer and the note that they were sent, the next call sends that one mail again.
func (a *alerts) sendJobs(ctx context.Context) error {
	waiting, err := a.owners(ctx, `SELECT s.id, s.email, s.token, s.search, t.job FROM told t JOIN searches s ON s.id = t.search
		WHERE t.sent = 0 ORDER BY s.id, t.job DESC`)
	failed := []error{err}
	for _, o := range waiting {
		err := a.sendJobsTo(ctx, o)
		if failed = append(failed, err); isDown(err) {
			break
		}
	}
	return errors.Join(failed...)
}

// maxJobs bounds the jobs that a mail describes.
const maxJobs = 20

func (a *alerts) sendJobsTo(ctx context.Context, o *owner) error {
	var text strings.Builder
	var sent []jobboard.JobID
	for _, id := range o.jobs {
		lines, gone, err := a.describe(ctx, id)
		switch {
		case err != nil:
			return err
		case gone: // it is found again if it comes back
			if _, err := a.db.ExecContext(ctx, "DELETE FROM told WHERE search = ? AND job = ?", o.id, int64(id)); err != nil {
				return err
			}
		case lines != "":
			if sent = append(sent, id); len(sent) <= maxJobs {
				text.WriteString(lines)
			}
		}
	}
	if len(sent) == 0 {
		return nil
	}
	if more := len(sent) - maxJobs; more > 0 {
		fmt.Fprintf(&text, "And %d more.\n\n", more)
	}
	subject := fmt.Sprintf("%s: %d new for %s", a.name, len(sent), o.search)
	if err := a.mails.send(ctx, o.email, subject, text.String(), a.link("stop", o.token)); err != nil {
		return err
	}
	return a.inTransaction(ctx, func(tx *sql.Tx) error {
		for _, id := range sent {
			if _, err := tx.ExecContext(ctx, "UPDATE told SET sent = 1 WHERE search = ? AND job = ?", o.id, int64(id)); err != nil {
				return err
			}
		}
		return nil
	})
}

// describe returns the lines of a mail for a job: title, employer and place, and the address of its page. They are empty
// where a visitor of the site may not see the job or apply to it at this moment: a mail may have waited, and
// the job have been closed, hidden or removed meanwhile. gone says that the copy has no posting of it any more.
func (a *alerts) describe(ctx context.Context, id jobboard.JobID) (lines string, gone bool, err error) {
	postings, err := a.mirror.Postings(ctx, id)
	if err != nil || len(postings) == 0 {
		return "", true, err
	}
	job, now := jobpublish.Job{URL: a.origin + "/job/" + id.String()}, time.Now()
	info, err := a.mirror.JobInformation(ctx, id)
	job.SetLookup(info, err, now)
	for i := range postings {
		p := &postings[i]
		if job.Posting = &p.Posting; job.Check(now) != nil {
			continue
		}
		place := strings.Join(p.Posting.Config.LocationNames(), ", ")
		if len(p.Locations) > 0 {
			place = cmp.Or(place, p.Locations[0].GeoCity)
		}
		return fmt.Sprintf("%s\n%s, %s\n%s\n\n", jobpublish.Line(p.Posting.Title, 200), cmp.Or(jobpublish.Line(p.Company, 100), "employer not named"),
			cmp.Or(jobpublish.Line(place, 100), "place not named"), job.URL), false, nil
	}
	return "", false, nil
}

// inTransaction commits what f does, or none of it.
func (a *alerts) inTransaction(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after the commit it does nothing
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
