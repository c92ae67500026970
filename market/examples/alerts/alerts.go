package main

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	mark      TEXT NOT NULL DEFAULT '',   -- of the copy: its owner was told of all changes before it
	UNIQUE (email, search)
);
CREATE TABLE IF NOT EXISTS told (
	search INTEGER NOT NULL REFERENCES searches (id) ON DELETE CASCADE,
	job    INTEGER NOT NULL,
	PRIMARY KEY (search, job)
);`

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

// owner is a row of searches.
type owner struct {
	id           int64
	email, token string
	mark         jobmirror.ChangeMark
	search       search
}

// owners returns the searches for which a condition holds.
func (a *alerts) owners(ctx context.Context, condition string) (all []owner, err error) {
	rows, err := a.db.QueryContext(ctx, "SELECT id, email, token, mark, search FROM searches WHERE "+condition+" ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var o owner
		var text []byte
		err := rows.Scan(&o.id, &o.email, &o.token, &o.mark, &text)
		if err = cmp.Or(err, json.Unmarshal(text, &o.search)); err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, rows.Err()
}

// work sends the mails that wait. Whatever failed is done by the next call.
func (a *alerts) work(ctx context.Context) error {
	err := a.sendConfirmations(ctx)
	all, failed := a.owners(ctx, "confirmed = 1")
	err = errors.Join(err, failed)
	behind := map[jobmirror.ChangeMark][]owner{} // all at one mark, but for those whose mail failed before
	for _, o := range all {
		behind[o.mark] = append(behind[o.mark], o)
	}
	for mark, owners := range behind {
		err = errors.Join(err, a.tell(ctx, mark, owners))
	}
	return err
}

// sendConfirmations mails the links by which searches are confirmed, and forgets searches that nobody has confirmed for
// two days.
func (a *alerts) sendConfirmations(ctx context.Context) error {
	_, err := a.db.ExecContext(ctx, "DELETE FROM searches WHERE confirmed = 0 AND asked < ?", time.Now().Add(-48*time.Hour).Unix())
	if err != nil {
		return err
	}
	waiting, err := a.owners(ctx, "confirmed = 0 AND mailed = 0")
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

// tell asks what changed after a mark, equal searches once, and tells their owners. From a copy that is old, or that the
// board refuses, it tells nothing. A search whose mail failed keeps its mark, so that the next call tells it.
func (a *alerts) tell(ctx context.Context, mark jobmirror.ChangeMark, owners []owner) error {
	var queries []jobmirror.Query
	at := map[search]int{}
	for _, o := range owners {
		if _, known := at[o.search]; !known {
			at[o.search] = len(queries)
			queries = append(queries, o.search.query())
		}
	}
	changed, err := a.mirror.SearchChanged(ctx, mark, queries)
	if errors.Is(err, jobmirror.ErrPageCursor) { // the copy is another one, such as a backup: told has what was told
		changed, err = a.mirror.SearchChanged(ctx, "", queries)
	}
	switch {
	case err != nil:
	case changed.Building:
		err = errors.New("the search index is being built")
	case changed.Age < 0:
		err = errors.New("the board was never copied whole")
	case changed.Age > a.maxAge:
		err = fmt.Errorf("the copy is %s old", changed.Age.Truncate(time.Minute))
	}
	if err != nil {
		return fmt.Errorf("nothing is told: %w", err)
	}
	if changed.Mark == mark {
		return nil
	}
	var failed []error
	var done []int64
	for _, o := range owners {
		err := a.sendJobs(ctx, o, changed.Postings[at[o.search]])
		if err == nil {
			done = append(done, o.id)
		} else if failed = append(failed, err); isDown(err) {
			break
		}
	}
	return errors.Join(append(failed, a.inTransaction(ctx, func(tx *sql.Tx) error {
		for _, id := range done {
			if _, err := tx.ExecContext(ctx, "UPDATE searches SET mark = ? WHERE id = ?", string(changed.Mark), id); err != nil {
				return err
			}
		}
		return nil
	}))...)
}

// maxJobs bounds the jobs that a mail describes.
const maxJobs = 20

// sendJobs sends the owner of a search a mail with those of the jobs found that they were not told of. If the program
// is killed between the mail server's answer and the note of it, the next call sends that one mail again.
func (a *alerts) sendJobs(ctx context.Context, o owner, found []jobmirror.Posting) error {
	var (
		told  []jobboard.JobID
		text  strings.Builder
		waits error
	)
	for _, p := range found {
		var known int
		err := a.db.QueryRowContext(ctx, "SELECT count(*) FROM told WHERE search = ? AND job = ?", o.id, int64(p.Job)).Scan(&known)
		if err != nil {
			return err
		}
		if known > 0 || p.Job == 0 || slices.Contains(told, p.Job) { // 0: it is found again once its job is known
			continue
		}
		info, err := a.mirror.JobInformation(ctx, p.Job)
		if errors.Is(err, jobmirror.ErrStale) {
			waits = fmt.Errorf("job %s waits for the board's answer", p.Job)
		}
		if err != nil || !info.ApplyPossible { // it is found again once it is open
			continue
		}
		if told = append(told, p.Job); len(told) <= maxJobs {
			text.WriteString(a.describe(&p))
		}
	}
	if len(told) == 0 {
		return waits
	}
	if more := len(told) - maxJobs; more > 0 {
		fmt.Fprintf(&text, "And %d more.\n\n", more)
	}
	subject := fmt.Sprintf("%s: %d new for %s", a.name, len(told), o.search)
	if err := a.mails.send(ctx, o.email, subject, text.String(), a.link("stop", o.token)); err != nil {
		return err
	}
	return errors.Join(waits, a.inTransaction(ctx, func(tx *sql.Tx) error { return note(ctx, tx, o.id, told) }))
}

// note notes that the owner of a search knows jobs.
func note(ctx context.Context, tx *sql.Tx, search int64, jobs []jobboard.JobID) error {
	for _, job := range jobs {
		if _, err := tx.ExecContext(ctx, "INSERT INTO told (search, job) VALUES (?, ?) ON CONFLICT DO NOTHING", search, int64(job)); err != nil {
			return err
		}
	}
	return nil
}

// describe returns the lines of a mail for a job: title, employer and place, and the address of its page.
func (a *alerts) describe(p *jobmirror.Posting) string {
	place := strings.Join(p.Posting.Config.LocationNames(), ", ")
	if len(p.Locations) > 0 {
		place = cmp.Or(place, p.Locations[0].GeoCity)
	}
	return fmt.Sprintf("%s\n%s, %s\n%s/job/%s\n\n", jobpublish.Line(p.Posting.Title, 200), cmp.Or(jobpublish.Line(p.Company, 100), "employer not named"),
		cmp.Or(jobpublish.Line(place, 100), "place not named"), a.origin, p.Job)
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
