package jobmirror

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/store"
)

// What a source shows has a row in the table listings or entries. Its column missing is
// 0 while the source shows it. A complete refresh that does not show it sets missing to
// the time, and missed to the number of its answer: the row is held, until a lookup
// proves that it is gone, or complete refreshes missed it for Options.HoldMissing and
// three times, or a person accepts that it goes, or the source shows it again. A row
// that goes has -1 until it is removed.

// isHeld is the condition for a row that is held. Its first half lets SQLite use the
// index of the rows that are missing.
const isHeld = "missing <> 0 AND missing > 0"

// What a complete refresh misses goes at once where it is at most fewLost rows, or one
// in shareLost, together with what else the source lost without proof for some time:
// lostFor times Options.RefreshEvery.
const (
	fewLost   = 3
	shareLost = 5
	lostFor   = 4
)

// maxUnavailable is how many rows of a source go for the word "unavailable" alone. That a
// board which shows nothing calls every job unavailable proves nothing.
const maxUnavailable = 10

// sweepBatch is how many rows are removed in one transaction.
const sweepBatch = 500

// listing describes the table whose rows say what a source shows.
type listing struct {
	table, key string
	seen       string // notes until when a row was seen that is missing from now on
	jobs       string // joins the row l with its job j
	drop       func(t *tx, src *source, keys []int64, cause string) error
}

var listed = map[string]listing{
	kindChannel: {
		table: "listings", key: "posting", drop: (*tx).dropPostings,
		seen: "seen = (SELECT CASE WHEN s.complete > listings.seen THEN s.complete ELSE listings.seen END FROM sources s WHERE s.id = listings.source), ",
		jobs: "JOIN postings p ON p.id = l.posting JOIN jobs j ON j.job = p.job",
	},
	kindFeed: {table: "entries", key: "hash", drop: (*tx).dropEntries, jobs: "JOIN jobs j ON j.job = l.job"},
}

// sweep takes note of what a complete refresh did not show, and removes what may go.
func (m *Mirror) sweep(ctx context.Context, src *source, turn turn) error {
	if err := m.settle(ctx, src, false); err != nil {
		return err
	}
	if err := m.db.update(ctx, func(t *tx) error { return t.miss(m, src, turn) }); err != nil {
		return err
	}
	m.heldDue.raise()
	return m.drop(ctx, src, turn)
}

// drop removes the rows of a source that go, while a turn is its last.
func (m *Mirror) drop(ctx context.Context, src *source, turn turn) error {
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) {
		if current, err := t.stillTurn(src, turn); err != nil || !current {
			return false, err
		}
		return t.dropSome(src)
	})
}

// miss decides what becomes of the rows that a complete refresh did not show.
func (t *tx) miss(m *Mirror, src *source, turn turn) error {
	current, err := t.stillTurn(src, turn)
	if err != nil || !current {
		return err
	}
	if err := t.noteMissing(src, turn); err != nil {
		return err
	}
	_, err = t.Exec("UPDATE sources SET earlier = previous, previous = answer, answer = ? WHERE id = ?", turn.answer, src.id)
	if err != nil {
		return err
	}
	const goes = " SET missing = -1 WHERE source = ? AND " + isHeld
	table := listed[src.kind].table
	if m.opts.HoldMissing < 0 {
		_, err := t.Exec("UPDATE "+table+goes, src.id)
		return errors.Join(err, t.askAbout(m, src))
	}
	if err := t.loseFew(m, src, turn); err != nil {
		return err
	}
	// Three complete refreshes missed what this one missed, the previous one, and the one before that.
	_, err = t.Exec("UPDATE "+table+goes+" AND missing <= ? AND missed <= (SELECT earlier FROM sources WHERE id = ?)",
		src.id, t.Now-m.opts.HoldMissing.Milliseconds(), src.id)
	return errors.Join(err, t.askAbout(m, src))
}

// noteMissing sets missing and missed of the rows that a complete refresh did not show,
// and that were not missing before.
// An entry of a feed that took another's place has another hash: the old one goes, and
// is not missing.
func (t *tx) noteMissing(src *source, turn turn) error {
	list := listed[src.kind]
	for keys := range turn.shown.unseen() {
		err := t.Do("UPDATE "+list.table+" SET "+list.seen+"missing = ?, missed = ? WHERE source = ? AND "+list.key+" IN @ids AND missing = 0",
			t.Now, turn.answer, src.id, store.IDs(keys))
		if err != nil {
			return err
		}
	}
	if src.kind != kindFeed {
		return nil
	}
	_, err := t.Exec(`UPDATE entries SET missing = -1 WHERE source = ? AND missing <> 0 AND EXISTS
		(SELECT 1 FROM entries n WHERE n.job = entries.job AND n.source = entries.source AND n.missing = 0)`, src.id)
	return err
}

// loseFew lets the rows go that a complete refresh was the first to miss, where they are
// few and it shows others.
func (t *tx) loseFew(m *Mirror, src *source, turn turn) error {
	var (
		table         = listed[src.kind].table
		fresh, missed int
		shown         bool
	)
	err := t.Row("SELECT count(*), coalesce(sum(CASE WHEN missed = ? THEN 1 ELSE 0 END), 0) FROM "+table+" WHERE source = ? AND "+isHeld,
		[]any{turn.answer, src.id}, &missed, &fresh)
	if err != nil || fresh == 0 {
		return err
	}
	err = t.Row("SELECT EXISTS (SELECT 1 FROM "+table+" WHERE source = ? AND missing = 0)", []any{src.id}, &shown)
	if err != nil || !shown {
		return err
	}
	since := t.Now - lostFor*m.opts.RefreshEvery.Milliseconds()
	if _, err := t.Exec("DELETE FROM losses WHERE source = ? AND at <= ?", src.id, since); err != nil {
		return err
	}
	lost, err := store.Value[int](t, "SELECT CAST(coalesce(sum(lost), 0) AS BIGINT) FROM losses WHERE source = ?", src.id)
	if lost += missed; err != nil || lost > fewLost && lost*shareLost > turn.had {
		return err
	}
	_, err = t.Exec("UPDATE "+table+" SET missing = -1 WHERE source = ? AND missed = ? AND "+isHeld, src.id, turn.answer)
	if err != nil {
		return err
	}
	_, err = t.Exec("INSERT INTO losses (source, answer, at, lost) VALUES (?, ?, ?, ?)", src.id, turn.answer, t.Now, fresh)
	return err
}

// askAbout has the jobs of the held rows of a source looked up, see askHeld, or notes
// that there are none.
func (t *tx) askAbout(m *Mirror, src *source) error {
	if m.opts.Config.JobDBURL == "" {
		return nil
	}
	query := "SELECT EXISTS (SELECT 1 FROM " + listed[src.kind].table + " WHERE source = ? AND " + isHeld + ")"
	held, err := store.Value[bool](t, query, src.id)
	if err != nil {
		return err
	}
	statement := "UPDATE sources SET asking = 0, believed = 0 WHERE id = ? AND asking + believed > 0"
	if held { // who is asking just now goes on
		statement = "UPDATE sources SET asking = CASE WHEN asking = 0 THEN 1 ELSE asking END, opens = 0, informed = 0 WHERE id = ?"
	}
	_, err = t.Exec(statement, src.id)
	return err
}

// dropSome removes some of the rows of a source that go.
func (t *tx) dropSome(src *source) (more bool, err error) {
	list := listed[src.kind]
	query := "SELECT " + list.key + " FROM " + list.table + " WHERE source = ? AND missing <> 0 AND missing = -1 LIMIT ?"
	gone, err := t.Numbers(query, src.id, sweepBatch)
	if err != nil || len(gone) == 0 {
		return false, err
	}
	return len(gone) == sweepBatch, list.drop(t, src, gone, src.cause())
}

// settle removes the held rows of a source that lookups prove to be gone. asked reports
// that each job was asked about of which the last complete refresh missed a row.
func (m *Mirror) settle(ctx context.Context, src *source, asked bool) error {
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) { return t.settleSome(src, asked) })
}

// settleSome removes some of these rows. "Closed" and "inactive" prove that a row is gone
// where they were asked for after the refresh that missed it. "Unavailable" does where it
// was asked for after the last complete refresh, and so was the information of another
// job that came; without that only for few rows in all.
func (t *tx) settleSome(src *source, asked bool) (more bool, err error) {
	var (
		answer, believed int64
		before, informed bool
		list             = listed[src.kind]
	)
	err = t.Row("SELECT answer, believed, informed <> 0 FROM sources WHERE id = ? @lock", []any{src.id}, &answer, &believed, &before)
	if errors.Is(err, sql.ErrNoRows) { // another process has removed it
		return false, nil
	}
	if err != nil {
		return false, err
	}
	const unavailable = "j.state = 'unavailable' AND j.answer > ?"
	told := "FROM " + list.table + " l " + list.jobs + " WHERE l.source = ? AND l.missing <> 0 AND l.missing > 0 AND j.answer > l.missed AND "
	var called int64
	err = t.Row("SELECT count(*), coalesce(max(CASE WHEN j.state = 'unavailable' THEN 0 ELSE 1 END), 0) = 1 "+told+
		"j.answer > ? AND j.state IN ('open', 'closed', 'unavailable')", []any{src.id, answer}, &called, &informed)
	if err != nil {
		return false, err
	}
	if err := t.noteInformed(src, informed && !before); err != nil {
		return false, err
	}
	proof, args := "j.state IN ('closed', 'inactive')", []any{src.id}
	informed = informed || before
	if believe := asked && called > 0 && called+believed <= maxUnavailable; informed || believe {
		proof, args = "("+proof+" OR "+unavailable+")", append(args, answer)
		if !informed {
			if _, err := t.Exec("UPDATE sources SET believed = believed + ? WHERE id = ?", called, src.id); err != nil {
				return false, err
			}
		}
	}
	gone, err := t.Numbers("SELECT l."+list.key+" "+told+proof+" LIMIT ?", append(args, sweepBatch)...)
	if err != nil || len(gone) == 0 {
		return false, err
	}
	return len(gone) == sweepBatch, list.drop(t, src, gone, causeLookup)
}

// noteInformed notes that a lookup about a held row had a job's information, where that is new.
func (t *tx) noteInformed(src *source, fresh bool) error {
	if !fresh {
		return nil
	}
	_, err := t.Exec("UPDATE sources SET informed = 1 WHERE id = ?", src.id)
	return err
}

// AcceptRemovals removes the rows that are held: what sources do not show any more, and
// what would stay until lookups prove that it is gone, or until it was missing for
// Options.HoldMissing. Sources are named as by SourceStatus.Name, in all their languages;
// none stands for all. A name of none of them is an error.
//
// A later refresh that misses rows holds them again.
func (m *Mirror) AcceptRemovals(ctx context.Context, sources ...string) error {
	if m.opts.ReadOnly {
		return ErrReadOnly
	}
	all, err := fromView(ctx, m.db, func(t *tx) ([]*source, error) { return t.sources("1 = 1") })
	if err != nil {
		return err
	}
	for _, name := range sources {
		if !slices.ContainsFunc(all, func(s *source) bool { return s.String() == name }) {
			return fmt.Errorf("jobmirror: the mirror has no source %q", name)
		}
	}
	for _, src := range all {
		if len(sources) > 0 && !slices.Contains(sources, src.String()) {
			continue
		}
		err := m.db.update(ctx, func(t *tx) error {
			_, err := t.Exec("UPDATE "+listed[src.kind].table+" SET missing = -1 WHERE source = ? AND "+isHeld, src.id)
			return err
		})
		if err == nil {
			err = m.db.updateAll(ctx, func(t *tx) (more bool, err error) { return t.dropSome(src) })
		}
		if err != nil {
			return err
		}
	}
	m.jobsDue.raise()
	m.unindexed.raise()
	return nil
}

// missingSince selects since when no source shows a row of the table postings any more:
// it is held; 0: one shows it.
const missingSince = "(SELECT CASE WHEN min(missing) > 0 THEN max(missing) ELSE 0 END FROM listings WHERE posting = postings.id)"

// lastSeen selects when a source showed a row of the table postings last: for most that is
// when the last complete refresh of the source ended.
const lastSeen = `(SELECT coalesce(max(CASE WHEN l.missing > 0 OR s.complete < l.seen THEN l.seen ELSE s.complete END), 0)
	FROM listings l JOIN sources s ON s.id = l.source WHERE l.posting = postings.id)`
