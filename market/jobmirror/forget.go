package jobmirror

import (
	"context"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Forget erases a job and its postings: their rows, their entries in the text index, words that only they have, what
// other jobs keep of these postings, and their texts in the log of changes. Its postings are those that
// belong to it by a feed or by their link, and those that the log once named as its own, also if they have left the copy or
// belong to another job now. The numbers in the log stay, and for each posting and the job one more change, "forgotten",
// tells readers to erase the same. No refresh copies the job and its postings again.
//
// It takes several transactions, of at most 500 postings or changes each. After an error some rows or changes may not be erased yet:
// call Forget again, or leave that to the next Refresh, or to Run, which looks each hour. If the
// error names a process of another version, which indexes with tokens that this one does not know, that process erases the rest.
//
// Files hold erased bytes for a while: SQLite's until its next checkpoint and vacuum, single words
// in the text index of SQLite until it merges its pages. So do backups.
func (m *Mirror) Forget(ctx context.Context, job jobboard.JobID) error {
	if err := m.writes(); err != nil {
		return err
	}
	return m.forgetJob(ctx, int64(job))
}

// ForgetPosting erases one posting, in all languages, as Forget does those of a job. The job stays.
func (m *Mirror) ForgetPosting(ctx context.Context, posting jobboard.JobPostingID) error {
	if err := m.writes(); err != nil {
		return err
	}
	hadLeft, err := fromUpdate(ctx, m.db, func(t *tx) (hadLeft bool, err error) {
		if err := sources.LockAll(t.Tx); err != nil {
			return false, err
		}
		return forgetTx{postingTx{t}}.erase([]int64{int64(posting)})
	})
	if err != nil {
		return err
	}
	return m.eraseTraces(ctx, hadLeft)
}

// forgetRest goes on with what Forget has begun and not ended: another process may be at work on it, or was killed.
func (m *Mirror) forgetRest(ctx context.Context) error {
	begun := func(kind ChangeKind) ([]int64, error) {
		return fromView(ctx, m.db, func(t *tx) ([]int64, error) {
			return t.Numbers("SELECT id FROM forgotten WHERE kind = ? AND erased = 0 ORDER BY id", string(kind))
		})
	}
	jobs, err := begun(ChangeJob)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		if err := m.forgetJob(ctx, job); err != nil {
			return err
		}
	}
	postings, err := begun(ChangePosting)
	if err != nil || len(postings) == 0 {
		return err
	}
	return m.eraseTraces(ctx, true)
}

// forgetPart bounds the postings that are erased in one transaction.
const forgetPart = 500

// forgetJob erases a job. The tombstones come first, each in the transaction that removes rows, and say that not all
// is erased; so whoever comes after a process that was killed finds what is left.
func (m *Mirror) forgetJob(ctx context.Context, job int64) error {
	hadLeft := false
	err := m.db.updateAll(ctx, func(t *tx) (more bool, err error) {
		out, err := forgetTx{postingTx{t}}.next(job)
		hadLeft = hadLeft || out.hadLeft
		return out.more, err
	})
	if err != nil {
		return err
	}
	if err := m.eraseTraces(ctx, hadLeft); err != nil {
		return err
	}
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) {
		return forgetTx{postingTx{t}}.eraseChanges(ChangeJob, []int64{job})
	})
}

// eraseTraces erases what the log says of forgotten postings, and where one of them had left the copy before, the words
// that nothing else tells of.
func (m *Mirror) eraseTraces(ctx context.Context, hadLeft bool) error {
	if hadLeft {
		if err := m.db.search.EraseGoneWords(ctx); err != nil {
			return err
		}
	}
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) {
		const next = "SELECT id FROM forgotten WHERE kind = ? AND erased = 0 ORDER BY id LIMIT ?"
		postings, err := t.Numbers(next, string(ChangePosting), forgetPart)
		if err != nil || len(postings) == 0 {
			return false, err
		}
		more, err = forgetTx{postingTx{t}}.eraseChanges(ChangePosting, postings)
		return more || len(postings) == forgetPart, err
	})
}

// forgetTx is a transaction that erases a job or postings.
type forgetTx struct{ postingTx }

// erasedPart tells of a transaction that erased postings of a job.
type erasedPart struct {
	more    bool // there may be more
	hadLeft bool // some postings had left the copy before, so that no row tells their words; also true where a killed process may have erased such rows
}

// next erases the next postings of a job, and with the last of them what is stored of the job.
func (t forgetTx) next(job int64) (out erasedPart, err error) {
	// Locking the sources waits for a refresh's transaction that is under way, so that its rows
	// are erased as well. Later transactions of the refresh find the tombstones.
	if err := sources.LockAll(t.Tx); err != nil {
		return out, err
	}
	begun, err := t.Numbers("SELECT id FROM forgotten WHERE kind = ? AND id = ? AND erased = 0", string(ChangeJob), job)
	if err != nil {
		return out, err
	}
	if err := t.tombstones(ChangeJob, []int64{job}); err != nil {
		return out, err
	}
	postings, err := t.postingsOf(job)
	if err != nil {
		return out, err
	}
	hadLeft, err := t.erase(postings)
	out = erasedPart{more: len(postings) == forgetPart, hadLeft: hadLeft || len(begun) > 0}
	if err != nil || out.more {
		return out, err
	}
	if err := t.Do("DELETE FROM claims WHERE job = ?", job); err != nil {
		return out, err
	}
	if err := t.lookups.Forget(job); err != nil {
		return out, err
	}
	t.logForgotten(ChangeJob, job)
	return out, nil
}

// postingsOf returns the first postings of a job that are to be erased: by their rows, by the log, and by what the
// job keeps of the last that left it.
func (t forgetTx) postingsOf(job int64) ([]int64, error) {
	const fresh = " AND NOT EXISTS (SELECT 1 FROM forgotten f WHERE f.kind = 'posting' AND f.id = "
	return t.Numbers(`SELECT posting FROM postings WHERE job = ? UNION SELECT posting FROM postings WHERE linked = ?
		UNION SELECT c.id FROM changes c WHERE c.job = ? AND c.kind = 'posting'`+fresh+`c.id)
		UNION SELECT c.id FROM changes c WHERE c.earlier_job = ? AND c.kind = 'posting'`+fresh+`c.id)
		UNION SELECT j.last_posting_id FROM jobs j WHERE j.job = ? AND j.last_posting_id <> 0`+fresh+`j.last_posting_id)
		ORDER BY 1 LIMIT ?`, job, job, job, job, job, forgetPart)
}

// erase erases postings, but for what the log says of them, and reports whether one of them is not in the copy.
func (t forgetTx) erase(postings []int64) (hadLeft bool, err error) {
	if len(postings) == 0 {
		return false, nil
	}
	if err := t.tombstones(ChangePosting, postings); err != nil {
		return false, err
	}
	rows, err := t.load("posting IN @ids", store.IDs(postings))
	if err != nil {
		return false, err
	}
	erased, err := indexTx{t.tx}.documents(rows)
	if err != nil {
		return false, err
	}
	stored := map[int64]bool{}
	for _, r := range rows {
		stored[int64(r.rec.Posting)] = true
		r.before = "" // neither the log nor a job must hold it once more
		if err := t.remove(r, ""); err != nil {
			return false, err
		}
	}
	if len(erased) > 0 {
		if err := t.db.search.EraseWords(t.Tx, erased); err != nil {
			return false, err
		}
	}
	for _, posting := range postings {
		t.logForgotten(ChangePosting, posting)
	}
	if err := t.Do("DELETE FROM gone_postings WHERE posting IN @ids", store.IDs(postings)); err != nil {
		return false, err
	}
	return len(stored) < len(postings), t.lookups.ForgetPostings(postings)
}

// eraseChanges erases what some changes of forgotten jobs or postings say, and reports whether more do. If not, it
// notes that nothing is left of them.
func (t forgetTx) eraseChanges(kind ChangeKind, list []int64) (more bool, err error) {
	more, err = changelog.Erase(t.Tx, string(kind), list)
	if err != nil || more {
		return more, err
	}
	_, err = t.Exec("UPDATE forgotten SET erased = 1 WHERE kind = ? AND id IN @ids", string(kind), store.IDs(list))
	return false, err
}

// logForgotten logs that a posting or a job was forgotten. Its kind stands where a posting has its
// language.
func (t forgetTx) logForgotten(kind ChangeKind, id int64) {
	t.log.Append(changelog.Change{
		Kind: string(ChangeForgotten), ID: id, Language: string(kind), Cause: causeForget,
	})
}

const causeForget = "forget"

// tombstones keeps jobs or postings from being copied again, and notes that they are not all erased.
func (t forgetTx) tombstones(kind ChangeKind, list []int64) error {
	_, err := t.Exec(`INSERT INTO forgotten (kind, id, at) SELECT CAST(? AS TEXT), v.value, CAST(? AS BIGINT) FROM @ids v
		WHERE true ORDER BY v.value ON CONFLICT (kind, id) DO UPDATE SET erased = 0`, string(kind), t.Now, store.IDs(list))
	return err
}

// forgotten finds which of some jobs or postings were forgotten.
func forgotten(t *store.Tx, kind ChangeKind, list []int64) (map[int64]bool, error) {
	return store.Pairs[int64, bool](t, "SELECT id, 1 = 1 FROM forgotten WHERE kind = ? AND id IN @ids", string(kind), store.IDs(list))
}
