package listings

import (
	"database/sql"
	"errors"
	"iter"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// The rows that a complete refresh misses go at once if they are few: together with the
// rows that are held already, and with those that went in this way during the last
// lostFor times Rules.Refresh, at most fewLost, or one in shareLost of the rows
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

// Refresh is a complete refresh of the source.
type Refresh struct {
	Answer int64             // the number of its answer
	Before int               // the source's rows before the refresh
	Unseen iter.Seq[[]int64] // yields the keys of the rows that the refresh did not show, in parts

	// Unreadable tells that the answer had postings which could not be read. A row that the refresh did not
	// show may be one of them.
	Unreadable bool
}

// Miss decides what becomes of the rows that a complete refresh did not show: they are held, or go. After one
// with unreadable postings all are held, whatever the rules say: only a lookup proves them gone, and the
// refresh does not count among the three that must have missed a row.
func (w *Writer) Miss(r Refresh, rules Rules) error {
	if err := w.noteMissing(r); err != nil {
		return err
	}
	if r.Unreadable {
		return sources.NoteUnreadable(w.Tx, w.source, r.Answer)
	}
	third, err := sources.NoteAnswer(w.Tx, w.source, r.Answer)
	if err != nil {
		return err
	}
	if rules.Hold < 0 {
		return w.Accept()
	}
	if err := w.loseFew(r, rules); err != nil {
		return err
	}
	// This refresh is the last one by now. So a row whose first miss was the third last refresh, or an earlier
	// one, was missed three times.
	since := w.Now - rules.Hold.Milliseconds()
	_, err = w.Exec("UPDATE "+w.name+goes+" AND since <= ? AND missed <= ?", w.source, since, third)
	return err
}

// goes is the part of a statement that has held rows of a source go.
const goes = " SET state = 'going' WHERE source = ? AND " + IsHeld

// Accept has all rows go that are held.
func (w *Writer) Accept() error {
	_, err := w.Exec("UPDATE "+w.name+goes, w.source)
	return err
}

// GoAll has all rows go, because the source is to be removed.
func (w *Writer) GoAll() error {
	_, err := w.Exec("UPDATE "+w.name+" SET state = 'going' WHERE source = ?", w.source)
	return err
}

// noteMissing makes the rows held that a complete refresh is the first to miss. An entry of a feed that has changed is a new row, because it has another hash: the
// old row goes, if the feed has another entry of the job.
func (w *Writer) noteMissing(r Refresh) error {
	note := "UPDATE " + w.name + " SET " + w.seen + "state = 'held', since = ?, missed = ?" +
		" WHERE source = ? AND " + w.key + " IN @ids AND " + isShown
	for keys := range r.Unseen {
		if err := w.Do(note, w.Now, r.Answer, w.source, store.IDs(keys)); err != nil {
			return err
		}
	}
	if w.kind != sources.Feed {
		return nil
	}
	// This is not asked by EXISTS, because the planner may make a join of that: without statistics
	// such a join compares every row of the source with every other one.
	_, err := w.Exec(`UPDATE entries SET state = 'going' WHERE source = ? AND state <> 'shown' AND
		(SELECT 1 FROM entries n WHERE n.job = entries.job AND n.source = entries.source AND n.state = 'shown' LIMIT 1) IS NOT NULL`, w.source)
	return err
}

// loseFew lets the rows go that a complete refresh is the first to miss, if they are few
// and the source still shows something; see fewLost.
func (w *Writer) loseFew(r Refresh, rules Rules) error {
	var missed, first int // held rows, and those that this refresh is the first to miss
	err := w.Row("SELECT count(*), coalesce(sum(CASE WHEN missed = ? THEN 1 ELSE 0 END), 0) FROM "+w.name+" WHERE source = ? AND "+IsHeld,
		[]any{r.Answer, w.source}, &missed, &first)
	if err != nil || first == 0 {
		return err
	}
	_, shows, err := w.State()
	if err != nil || !shows {
		return err
	}
	since := w.Now - lostFor*rules.Refresh.Milliseconds()
	if _, err := w.Exec("DELETE FROM losses WHERE source = ? AND at <= ?", w.source, since); err != nil {
		return err
	}
	lost, err := store.Value[int](w, "SELECT CAST(coalesce(sum(lost), 0) AS BIGINT) FROM losses WHERE source = ?", w.source)
	if lost += missed; err != nil || lost > fewLost && lost*shareLost > r.Before {
		return err
	}
	_, err = w.Exec("UPDATE "+w.name+" SET state = 'going' WHERE source = ? AND missed = ? AND "+IsHeld, w.source, r.Answer)
	if err != nil {
		return err
	}
	_, err = w.Exec("INSERT INTO losses (source, answer, at, lost) VALUES (?, ?, ?, ?)", w.source, r.Answer, w.Now, first)
	return err
}

// Going returns the keys of rows that go, at most Part.
func (w *Writer) Going() ([]int64, error) {
	query := "SELECT " + w.key + " FROM " + w.name + " WHERE source = ? AND state <> 'shown' AND state = 'going' LIMIT ?"
	return w.Numbers(query, w.source, Part)
}

// Settle returns the keys of held rows, at most Part, that lookups prove to be gone. all tells it
// that the jobs of all held rows were looked up since the last complete refresh.
//
// A lookup that says "closed" or "inactive" proves that a row is gone if it was sent after the first
// refresh that missed the row. One that says "unavailable" does if it was sent after the last complete
// refresh and another such lookup, about another held row of the source, gave a job's information. If
// no lookup gave any, and all is set, "unavailable" proves that rows are gone for maxUnavailable rows
// in all.
func (w *Writer) Settle(all bool) ([]int64, error) {
	noted, err := sources.LockProof(w.Tx, w.source)
	if errors.Is(err, sql.ErrNoRows) { // another process has removed it
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	const unavailable = "j.state = 'unavailable' AND j.answer > ?"
	told := "FROM " + w.name + " l " + w.jobs + " WHERE l.source = ? AND " + IsHeldRow + " AND j.answer > l.missed AND "
	var (
		called   int64
		informed bool
	)
	err = w.Row("SELECT count(*), coalesce(max(CASE WHEN j.state = 'unavailable' THEN 0 ELSE 1 END), 0) = 1 "+told+
		"j.answer > ? AND j.state IN ('open', 'closed', 'unavailable')", []any{w.source, noted.Answer}, &called, &informed)
	if err != nil {
		return nil, err
	}
	if informed && !noted.Informed {
		if err := sources.SetInformed(w.Tx, w.source); err != nil {
			return nil, err
		}
	}
	proof, args := "j.state IN ('closed', 'inactive')", []any{w.source}
	informed = informed || noted.Informed
	if believe := all && called > 0 && called+noted.Believed <= maxUnavailable; informed || believe {
		proof, args = "("+proof+" OR "+unavailable+")", append(args, noted.Answer)
		if !informed {
			if err := sources.AddBelieved(w.Tx, w.source, called); err != nil {
				return nil, err
			}
		}
	}
	return w.Numbers("SELECT l."+w.key+" "+told+proof+" LIMIT ?", append(args, Part)...)
}
