package jobmirror

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Each posting or job that a source shows has a row in the table listings or entries.
// The row's column missing has
//
//	0       while the source shows it
//	a time  while the row is held: since then complete refreshes have not shown it
//	-1      when the row goes, until it is removed
//
// The first complete refresh that misses a row sets missing, and sets missed to the
// number of its answer. A held row goes when a lookup proves that it is gone, when
// complete refreshes have missed it three times and for Options.HoldMissing, or when a
// person accepts that it goes. A refresh that shows it sets missing to 0.

// isHeld is the condition for a row that is held. Its first half lets SQLite use the
// index of the rows that are missing.
const isHeld = "missing <> 0 AND missing > 0"

// isHeldRow is the same for a row l.
const isHeldRow = "l.missing <> 0 AND l.missing > 0"

// The rows that a complete refresh misses go at once if they are few: together with the
// rows that are held already, and with those that went in this way during the last
// lostFor times Options.RefreshEvery, at most fewLost, or one in shareLost of the rows
// that the source had.
const (
	fewLost   = 3
	shareLost = 5
	lostFor   = 4
)

// maxUnavailable bounds the held rows of a source that go because lookups say "unavailable",
// while none of these lookups gives a job's information. More prove nothing: a board that
// is broken may show nothing and call every job unavailable.
const maxUnavailable = 10

// sweepBatch bounds the rows that are removed in one transaction.
const sweepBatch = 500

// listing describes the table whose rows say what a source shows.
type listing struct {
	table, key string
	raw        string // selects the hash of the bytes that showed the row; 0: the table does not say
	seen       string // sets until when the source showed a row that it misses now; empty: the table does not say
	jobs       string // joins the row l with its job j
	drop       func(t *tx, src *source, keys []int64, cause string) error
}

var listed = map[string]listing{
	kindChannel: {
		table: "listings", key: "posting", raw: "raw", drop: (*tx).dropPostings,
		seen: "seen = (SELECT CASE WHEN s.complete > listings.seen THEN s.complete ELSE listings.seen END FROM sources s WHERE s.id = listings.source), ",
		jobs: "JOIN postings p ON p.id = l.posting JOIN jobs j ON j.job = p.job",
	},
	kindFeed: {table: "entries", key: "hash", raw: "0", drop: (*tx).dropEntries, jobs: "JOIN jobs j ON j.job = l.job"},
}

// sweep marks the rows that a complete refresh did not show, and removes those that go.
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

// drop removes the rows of a source that go, unless another refresh of it has begun since.
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
	_, err = t.Exec("UPDATE sources SET third_last_answer = second_last_answer, second_last_answer = last_answer, last_answer = ? WHERE id = ?", turn.answer, src.id)
	if err != nil {
		return err
	}
	const goes = " SET missing = -1 WHERE source = ? AND " + isHeld
	table := listed[src.kind].table
	if m.opts.HoldMissing < 0 {
		if _, err := t.Exec("UPDATE "+table+goes, src.id); err != nil {
			return err
		}
		return t.askAbout(m, src)
	}
	if err := t.loseFew(m, src, turn); err != nil {
		return err
	}
	// This refresh is the last one by now: a row that the third last one missed was missed three times.
	_, err = t.Exec("UPDATE "+table+goes+" AND missing <= ? AND missed <= (SELECT third_last_answer FROM sources WHERE id = ?)",
		src.id, t.Now-m.opts.HoldMissing.Milliseconds(), src.id)
	if err != nil {
		return err
	}
	return t.askAbout(m, src)
}

// noteMissing sets missing and missed of the rows that a complete refresh is the first to
// miss. An entry of a feed that has changed is a new row, because it has another hash: the
// old row goes, if the feed has another entry of the job.
func (t *tx) noteMissing(src *source, turn turn) error {
	list := listed[src.kind]
	note := "UPDATE " + list.table + " SET " + list.seen + "missing = ?, missed = ?" +
		" WHERE source = ? AND " + list.key + " IN @ids AND missing = 0"
	for keys := range turn.shown.unseen() {
		err := t.Do(note, t.Now, turn.answer, src.id, store.IDs(keys))
		if err != nil {
			return err
		}
	}
	if src.kind != kindFeed {
		return nil
	}
	// This is not asked by EXISTS, because the planner may make a join of that: without statistics
	// such a join compares every row of the source with every other one.
	_, err := t.Exec(`UPDATE entries SET missing = -1 WHERE source = ? AND missing <> 0 AND
		(SELECT 1 FROM entries n WHERE n.job = entries.job AND n.source = entries.source AND n.missing = 0 LIMIT 1) IS NOT NULL`, src.id)
	return err
}

// loseFew lets the rows go that a complete refresh is the first to miss, if they are few
// and the source still shows something; see fewLost.
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

// askAbout notes that the jobs of the held rows of a source are to be looked up, which
// askHeld does, or that there are no such rows.
func (t *tx) askAbout(m *Mirror, src *source) error {
	if m.opts.Config.JobDBURL == "" {
		return nil
	}
	query := "SELECT EXISTS (SELECT 1 FROM " + listed[src.kind].table + " WHERE source = ? AND " + isHeld + ")"
	held, err := store.Value[bool](t, query, src.id)
	if err != nil {
		return err
	}
	statement := "UPDATE sources SET held_lease = 0, believed = 0 WHERE id = ? AND held_lease + believed > 0"
	if held { // a process that asks just now keeps its lease
		statement = "UPDATE sources SET held_lease = CASE WHEN held_lease = 0 THEN 1 ELSE held_lease END, opens = 0, informed = 0 WHERE id = ?"
	}
	_, err = t.Exec(statement, src.id)
	return err
}

// dropSome removes at most sweepBatch of the rows of a source that go.
func (t *tx) dropSome(src *source) (more bool, err error) {
	list := listed[src.kind]
	query := "SELECT " + list.key + " FROM " + list.table + " WHERE source = ? AND missing <> 0 AND missing = -1 LIMIT ?"
	gone, err := t.Numbers(query, src.id, sweepBatch)
	if err != nil || len(gone) == 0 {
		return false, err
	}
	return len(gone) == sweepBatch, list.drop(t, src, gone, src.cause())
}

// settle removes the held rows of a source that lookups prove to be gone. asked tells it
// that the jobs of all held rows were asked about since the last complete refresh.
func (m *Mirror) settle(ctx context.Context, src *source, asked bool) error {
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) { return t.settleSome(src, asked) })
}

// settleSome removes at most sweepBatch of these rows. A lookup that says "closed" or
// "inactive" proves that a row is gone if it was sent after the first refresh that missed the
// row. One that says "unavailable" does if it was sent after the last complete refresh and
// another such lookup, about another held row of the source, gave a job's information. If no
// lookup gave any, and asked is set, "unavailable" proves that rows are gone for maxUnavailable
// rows in all.
func (t *tx) settleSome(src *source, asked bool) (more bool, err error) {
	var (
		answer, believed int64
		before, informed bool
		list             = listed[src.kind]
	)
	err = t.Row("SELECT last_answer, believed, informed <> 0 FROM sources WHERE id = ? @lock", []any{src.id}, &answer, &believed, &before)
	if errors.Is(err, sql.ErrNoRows) { // another process has removed it
		return false, nil
	}
	if err != nil {
		return false, err
	}
	const unavailable = "j.state = 'unavailable' AND j.answer > ?"
	told := "FROM " + list.table + " l " + list.jobs + " WHERE l.source = ? AND " + isHeldRow +
		" AND j.answer > l.missed AND "
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
	return len(gone) == sweepBatch, list.drop(t, src, gone, lookups.CauseLookup)
}

// noteInformed notes in the source that a lookup about a held row gave a job's information,
// if fresh says so. Without the note that would be forgotten with the row, which may go now.
func (t *tx) noteInformed(src *source, fresh bool) error {
	if !fresh {
		return nil
	}
	_, err := t.Exec("UPDATE sources SET informed = 1 WHERE id = ?", src.id)
	return err
}

// AcceptRemovals removes the rows that are held now, without waiting for lookups or for
// Options.HoldMissing: the rows of the named sources in all languages, or of all sources if no
// name is given. Names are those of SourceStatus.Name; a name without a source is an error. Its
// other errors are ErrReadOnly and the database's.
//
// It also believes what lookups have said of the jobs of these sources, as far as that is
// doubted. If no source is named it ends a wave: what lookups say of jobs is believed until they
// end fewer again; see Status.Wave.
//
// Rows that a later refresh misses are held as before.
func (m *Mirror) AcceptRemovals(ctx context.Context, sources ...string) error {
	if err := m.writes(); err != nil {
		return err
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
	every := len(sources) == 0
	if !every {
		all = slices.DeleteFunc(all, func(s *source) bool { return !slices.Contains(sources, s.String()) })
	}
	for _, src := range all {
		err := m.db.updateAll(ctx, func(t *tx) (more bool, err error) {
			// A refresh that writes just now is waited for: what it saw again stays.
			if _, err := t.Numbers("SELECT id FROM sources WHERE id = ? @lock", src.id); err != nil {
				return false, err
			}
			_, err = t.Exec("UPDATE "+listed[src.kind].table+" SET missing = -1 WHERE source = ? AND "+isHeld, src.id)
			if err != nil {
				return false, err
			}
			return t.dropSome(src)
		})
		if err != nil {
			return err
		}
	}
	return m.acceptEnds(ctx, all, every)
}

// missingSince selects since when a row of the table postings is shown by no source any
// more; 0: a source shows it.
const missingSince = "(SELECT CASE WHEN min(missing) > 0 THEN max(missing) ELSE 0 END FROM listings WHERE posting = postings.id)"

// lastSeen selects when a source showed a row of the table postings last: for most that is
// when the last complete refresh of the source ended.
const lastSeen = `(SELECT coalesce(max(CASE WHEN l.missing > 0 OR s.complete < l.seen THEN l.seen ELSE s.complete END), 0)
	FROM listings l JOIN sources s ON s.id = l.source WHERE l.posting = postings.id)`
