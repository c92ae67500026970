package jobmirror

import (
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// The history of a posting is when the copy saw it first, and how often it has come back after it had left. It
// stands in the row of the posting, and while the posting is gone in the table gone_postings. A source's first
// complete refresh shows postings of any age, so that it says neither: it leaves first_seen 0, and what it shows
// has not come back. A row that is held has not left.

// remember keeps the history of a posting that leaves the copy, by its row.
func (t postingTx) remember(row int64) error {
	return t.Do(`INSERT INTO gone_postings (posting, language, first_seen, shown_again, gone)
		SELECT posting, language, first_seen, shown_again, CAST(? AS BIGINT) FROM postings WHERE id = ?
		ON CONFLICT (posting, language) DO UPDATE SET first_seen = excluded.first_seen, shown_again = excluded.shown_again, gone = excluded.gone`,
		t.Now, row)
}

// recall gives rows that are added the history of their postings.
func (t channelTx) recall(added []*row) error {
	if len(added) == 0 {
		return nil
	}
	later := t.turn.LastComplete != 0
	known := map[int64]*row{}
	for _, r := range added {
		if later {
			r.firstSeen = t.Now
		}
		known[int64(r.rec.Posting)] = r
	}
	postings := store.IDsOf(added, func(r *row) int64 { return int64(r.rec.Posting) })
	found := false
	err := t.Rows("SELECT posting, first_seen, shown_again FROM gone_postings WHERE language = ? AND posting IN @ids",
		[]any{t.src.Language, postings}, func(scan func(...any) error) error {
			var posting, first, again int64
			err := scan(&posting, &first, &again)
			r := known[posting]
			if r.firstSeen, r.shownAgain = first, again; later {
				r.shownAgain++
			}
			found = true
			return err
		})
	if err != nil || !found {
		return err
	}
	return t.Do("DELETE FROM gone_postings WHERE language = ? AND posting IN @ids", t.src.Language, postings)
}

// forgetHistory removes what is remembered of postings that left the copy longer ago than keep; below 0: nothing.
func (t *tx) forgetHistory(keep time.Duration) error {
	if keep < 0 {
		return nil
	}
	return t.Do("DELETE FROM gone_postings WHERE gone < ?", t.Now-keep.Milliseconds())
}

// historySetBack has postings count as seen first, and as gone, from now on that were so at a time which is still
// to come, because the clock was set back.
func (t *tx) historySetBack() error {
	return t.DoAll([]any{t.Now, t.Now},
		"UPDATE postings SET first_seen = ? WHERE first_seen > ?",
		"UPDATE gone_postings SET first_seen = ? WHERE first_seen > ?",
		"UPDATE gone_postings SET gone = ? WHERE gone > ?")
}
