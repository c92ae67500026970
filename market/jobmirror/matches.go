package jobmirror

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
)

// Match tells that a change of a posting or of its job makes saved searches find the posting.
type Match struct {
	// Cursor continues behind this match. If a change has several matches, only the last match has
	// the cursor behind the change, so that none is lost.
	Cursor Cursor
	At     time.Time // of the change
	// Searches has the keys of the saved searches, in order. A match without any, whose Posting is
	// zero, only tells how far the log was read.
	Searches []string
	// Posting is the posting as the change left it; Posting.Job is its job. Both may have changed
	// since, or be gone: who sends a mail asks Mirror.Job and Mirror.Postings first.
	Posting PostingRecord
}

// matchWindow is the time during which a job that a search found is not told again of that search.
const matchWindow = 30 * 24 * time.Hour

// Matches yields a match for each change in the log, after a cursor, that makes saved searches find a
// job: by one of its postings, as [Mirror.Search] would find it for a visitor after that change. It
// ends with the log. The cursor of the last match is to be stored, and given to the next call, also
// by another process.
//
// A match is told at least once: who is killed before the cursor is stored is told again what came after
// it. So the owner of the searches keeps a unique key of search and job.
//
// A job is told once it is known: a posting that comes before its job was looked up waits for that.
// A search that found the job, by any of its postings, at some moment of the 30 days before a change
// is not told of it again, as far as the log reaches back: not of each change of a job, not of one
// that was gone and is back, and not of what the search finds already when it is saved. The log does
// not have the advertisements of postings that have changed since, or were gone: what a search finds
// by their words alone, or for the lack of a word that it leaves out, may be told again. Rows that are
// held are not gone, and change nothing.
// What Search does for visitors who mistype is not done: no word is corrected or left out.
//
// An error is the last item, as in Mirror.Changes. After ErrCursorTooOld and ErrCursorAhead begin
// anew with the cursor of Mirror.Snapshot; what changed before that is not told.
func (m *Mirror) Matches(ctx context.Context, searches *Searches, since Cursor) iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		behind, silent := since, 0 // the last change that was read, and how many had no match that tells so
		for change, err := range m.entries(ctx, since) {
			var found []Match
			if err == nil {
				found, err = m.matchesOf(ctx, searches, change)
			}
			if err != nil {
				yield(Match{}, err)
				return
			}
			before := behind
			behind, silent = change.Cursor, silent+1
			if len(found) == 0 && silent == changelog.Batch {
				found = []Match{{}}
			}
			for i, match := range found {
				match.Cursor, silent = before, 0
				if i == len(found)-1 {
					match.Cursor = behind
				}
				if !yield(match, nil) {
					return
				}
			}
		}
		if silent > 0 {
			yield(Match{Cursor: behind}, nil)
		}
	}
}

// matchesOf returns the matches that a change makes.
func (m *Mirror) matchesOf(ctx context.Context, searches *Searches, change entry) ([]Match, error) {
	if change.job == 0 || change.After == nil || change.Confirming || searches.Len() == 0 {
		return nil, nil
	}
	since := change.At.Add(-matchWindow)
	h, err := fromView(ctx, m.db, func(t *tx) (*history, error) { return m.history(t, change.job, since) })
	if err != nil {
		return nil, err
	}
	return h.matchesOf(&searches.set, change)
}

// maxHistory bounds the changes of a job that are read.
const maxHistory = 1000

// history holds what the log tells of a job and its postings since some time, the earliest first, and
// replays it.
type history struct {
	index   *search.Index
	job     int64
	since   time.Time
	changes []entry
	rows    map[rowKey]*row // the job's postings at present
	lookup  *JobRecord      // what is known of the job now; nil: nothing

	replay
}

// rowKey identifies a row of the table postings.
type rowKey struct {
	posting  int64
	language string
}

func (c *entry) row() rowKey { return rowKey{c.ID, c.Language} }

// history reads the history of a job since some time.
func (m *Mirror) history(t *tx, job int64, since time.Time) (*history, error) {
	h := &history{index: t.db.search, job: job, since: since, rows: map[rowKey]*row{}}
	changes, err := t.db.log.Of(t.Tx, job, since, maxHistory)
	if err != nil {
		return nil, err
	}
	for _, e := range changes {
		h.changes = append(h.changes, m.entryOf(e))
	}
	err = t.Rows("SELECT record, ads FROM postings WHERE job = ?", []any{job}, func(scan func(...any) error) error {
		r := &row{}
		err := scan(&r.before, &r.ads)
		if err == nil {
			r.rec, err = decodeRecord[PostingRecord](r.before)
		}
		h.rows[rowKey{int64(r.rec.Posting), r.rec.Language}] = r
		return err
	})
	if err != nil {
		return nil, err
	}
	return h, records(t.Tx, "SELECT record FROM jobs WHERE job = ? AND record <> ''", []any{job}, func(j JobRecord) error {
		h.lookup = &j
		return nil
	})
}

// matchesOf returns the matches that a change makes, but those of searches that found the job before.
func (h *history) matchesOf(set *search.Set, change entry) (found []Match, err error) {
	at := slices.IndexFunc(h.changes, func(c entry) bool { return c.number == change.number })
	if at < 0 {
		return nil, nil // erased by Forget, or one of very many changes since
	}
	found, err = h.after(set, at)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	told := map[string]bool{} // beside those that found it before: the job is told once
	if err := h.begin(); err != nil {
		return nil, err
	}
	for i := -1; i < at; i++ {
		keys, when := h.all(), h.since
		if i >= 0 {
			if keys, err = h.apply(i); err != nil {
				return nil, err
			}
			when = h.changes[i].At
		}
		earlier, err := h.matching(set, keys, i, when)
		if err != nil {
			return nil, err
		}
		for _, m := range earlier {
			for _, key := range m.Searches {
				told[key] = true
			}
		}
	}
	for i := range found {
		found[i].At = change.At
		found[i].Searches = slices.DeleteFunc(found[i].Searches, func(key string) bool {
			again := told[key]
			told[key] = true
			return again
		})
	}
	return slices.DeleteFunc(found, func(m Match) bool { return len(m.Searches) == 0 }), nil
}

// after returns the matches of what a change left.
func (h *history) after(set *search.Set, at int) (found []Match, err error) {
	if err := h.begin(); err != nil {
		return nil, err
	}
	var keys []rowKey
	for i := range at + 1 {
		if keys, err = h.apply(i); err != nil {
			return nil, err
		}
	}
	return h.matching(set, keys, at, h.changes[at].At)
}
