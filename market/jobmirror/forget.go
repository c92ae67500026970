package jobmirror

import (
	"context"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Forget erases a job and its postings: their rows, their entries in the text index, words that
// only they have, and their texts in the log of changes. The numbers in the log stay, and one
// more change, "forgotten", tells readers to do the same. No refresh copies the job and its
// postings again. While a process of a later version indexes in a way that this one does not
// know, that process erases the words, within hours.
//
// Files hold erased bytes for a while: SQLite's until its next checkpoint and
// vacuum, and so do backups.
func (m *Mirror) Forget(ctx context.Context, job jobboard.JobID) error {
	if err := m.writes(); err != nil {
		return err
	}
	return m.db.update(ctx, func(t *tx) error { return forgetTx{postingTx{t}}.forget(int64(job)) })
}

// forgetTx is a transaction that erases a job.
type forgetTx struct{ postingTx }

func (t forgetTx) forget(job int64) error {
	// Locking the sources waits for a refresh's transaction that is under way, so that its rows
	// are erased as well. Later transactions of the refresh find the tombstones.
	if err := sources.LockAll(t.Tx); err != nil {
		return err
	}
	if err := t.tombstone(ChangeJob, job); err != nil {
		return err
	}
	rows, err := t.load("posting IN (SELECT posting FROM postings WHERE job = ? OR linked = ?)", job, job)
	if err != nil {
		return err
	}
	var (
		postings []int64
		erased   []search.Document
	)
	for _, r := range rows {
		d, err := r.document()
		if err != nil {
			return err
		}
		erased = append(erased, d)
		postings = append(postings, int64(r.rec.Posting))
		if err := t.tombstone(ChangePosting, int64(r.rec.Posting)); err != nil {
			return err
		}
		r.before = "" // the log must not hold it once more
		if err := t.remove(r, ""); err != nil {
			return err
		}
	}
	if err := t.db.search.EraseWords(t.Tx, erased); err != nil {
		return err
	}
	if err := t.Do("DELETE FROM claims WHERE job = ?", job); err != nil {
		return err
	}
	if err := t.lookups.Forget(job); err != nil {
		return err
	}
	if err := changelog.Erase(t.Tx, string(ChangeJob), []int64{job}); err != nil {
		return err
	}
	if err := changelog.Erase(t.Tx, string(ChangePosting), postings); err != nil {
		return err
	}
	for _, posting := range postings {
		if err := t.logForgotten(ChangePosting, posting); err != nil {
			return err
		}
	}
	return t.logForgotten(ChangeJob, job)
}

// logForgotten logs that a posting or a job was forgotten. Its kind stands where a posting has its
// language.
func (t forgetTx) logForgotten(kind ChangeKind, id int64) error {
	t.log.Append(changelog.Change{
		Kind: string(ChangeForgotten), ID: id, Language: string(kind), Cause: causeForget,
	})
	return nil
}

const causeForget = "forget"

func (t forgetTx) tombstone(kind ChangeKind, id int64) error {
	_, err := t.Exec("INSERT INTO forgotten (kind, id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", string(kind), id, t.Now)
	return err
}

// forgotten finds which of some jobs or postings were forgotten.
func forgotten(t *store.Tx, kind ChangeKind, list []int64) (map[int64]bool, error) {
	return store.Pairs[int64, bool](t, "SELECT id, 1 = 1 FROM forgotten WHERE kind = ? AND id IN @ids", string(kind), store.IDs(list))
}
