package jobmirror

import (
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// postingTx is a transaction that writes postings.
type postingTx struct{ *tx }

// save finds out what the mirror adds to rows, which is their sources and their job. It
// writes the rows that changed, and removes those that no source has any more, each
// with a change in the log.
func (t postingTx) save(rows []*row, cause string) error {
	if len(rows) == 0 {
		return nil
	}
	if err := t.fillSources(rows); err != nil {
		return err
	}
	if err := t.fillJobs(rows); err != nil {
		return err
	}
	for _, r := range rows {
		var err error
		if len(r.rec.Sources) == 0 {
			err = t.remove(r, cause)
		} else {
			err = t.write(r, cause)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fillSources sets the sources that have each row, shown or held.
func (t postingTx) fillSources(rows []*row) error {
	names := map[int64][]string{}
	err := t.Rows(`SELECT l.posting, s.name FROM listings l JOIN sources s ON s.id = l.source WHERE l.posting IN @ids`,
		[]any{store.IDsOf(rows, func(r *row) int64 { return r.id })}, func(scan func(...any) error) error {
			var (
				id   int64
				name string
			)
			err := scan(&id, &name)
			names[id] = append(names[id], name)
			return err
		})
	for _, r := range rows {
		r.rec.Sources = names[r.id]
		slices.Sort(r.rec.Sources)
	}
	return err
}

// fillJobs finds the job of each row, by the strongest evidence that there is. It puts jobs that
// are new on the list of those to look up.
func (t postingTx) fillJobs(rows []*row) error {
	var postings, versions, named, jobs []int64
	for _, r := range rows {
		postings = append(postings, int64(r.rec.Posting))
		versions = append(versions, int64(r.rec.Version))
	}
	byPosting, err := t.readClaims("posting", postings)
	if err != nil {
		return err
	}
	byVersion, err := t.readClaims("version", versions)
	if err != nil {
		return err
	}
	for _, r := range rows {
		job, evidence := jobOf(r, byPosting, byVersion)
		r.rec.Job, r.rec.Evidence = jobboard.JobID(job), evidence
		if job != 0 && len(r.rec.Sources) > 0 {
			named = append(named, job)
		}
		jobs = append(jobs, job, int64(r.stored.Job)) // which postingLeft may write
	}
	if err := t.lookups.PutNew(named); err != nil {
		return err
	}
	// The jobs are locked, so that a lookup's answer is written either before, and whoever indexes these postings
	// reads it, or after, and it then has them indexed again.
	_, err = t.Numbers("SELECT job FROM jobs WHERE job IN @ids ORDER BY job @lock", store.IDs(jobs))
	return err
}

// jobOf returns the job of a row by the strongest evidence: first the job that a feed claims for the
// posting, then the job that a feed claims for its version, then the job in the posting's link. 0:
// there is none.
func jobOf(r *row, byPosting, byVersion map[int64]int64) (job int64, evidence Evidence) {
	if claimed, ok := byPosting[int64(r.rec.Posting)]; ok {
		return claimed, EvidenceFeed
	}
	if claimed, ok := byVersion[int64(r.rec.Version)]; ok {
		return claimed, EvidenceVersion
	}
	if r.linked != 0 {
		return r.linked, EvidenceLink
	}
	return 0, ""
}

// write stores a row and logs that it changed. If what a search finds it by may have changed,
// which is its text, its job or its sources, write puts it on the list of the postings to index.
func (t postingTx) write(r *row, cause string) error {
	after := encode(r.rec)
	if after == r.before && !r.fromAnswer {
		return nil
	}
	_, visibilityDue := r.rec.lasts(t.Now)
	// PostgreSQL keeps a long advertisement outside the row. It writes it again, even if it is
	// equal, unless the new row takes the value from the old one.
	err := t.Do(`INSERT INTO postings
		(id, posting, language, version, title, record, ads, hash, linked, job,
			answer, adless, giver, visibility_due, first_seen, shown_again)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULLIF(CAST(? AS BIGINT), 0), ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET version = excluded.version, title = excluded.title, record = excluded.record,
			ads = CASE WHEN postings.ads = excluded.ads THEN postings.ads ELSE excluded.ads END,
			hash = excluded.hash, linked = excluded.linked, job = excluded.job,
			answer = excluded.answer, adless = excluded.adless, giver = excluded.giver, visibility_due = excluded.visibility_due`,
		r.id, int64(r.rec.Posting), r.rec.Language, int64(r.rec.Version), storable(r.rec.Title), after, r.ads, r.hash,
		r.linked, int64(r.rec.Job), r.answer, flag(r.rec.AdTooLarge), r.giver, visibilityDue, r.firstSeen, r.shownAgain)
	if err == nil && (r.fromAnswer || r.rec.Job != r.stored.Job || !slices.Equal(r.rec.Sources, r.stored.Sources)) {
		err = t.unindexed.put([]int64{r.id})
	}
	if err == nil && r.rec.Job != r.stored.Job {
		err = t.postingLeft(r)
	}
	if err != nil || after == r.before {
		return err
	}
	r.log(t.log, r.rec.Job, after, cause)
	return nil
}

// postingLeft keeps with the job of a stored row, which the row leaves, what LastPosting has of it.
func (t postingTx) postingLeft(r *row) error {
	if r.stored.Job == 0 {
		return nil
	}
	return t.lookups.PostingLeft(int64(r.stored.Job), int64(r.rec.Posting), encode(r.stored.last()))
}

// remove removes a row that no source has any more, and logs that.
func (t postingTx) remove(r *row, cause string) error {
	if err := t.db.search.Remove(t.Tx, r.id); err != nil {
		return err
	}
	if err := listings.Forget(t.Tx, r.id); err != nil {
		return err
	}
	if r.before != "" {
		if err := t.remember(r.id); err != nil {
			return err
		}
	}
	err := t.DoAll([]any{r.id}, "DELETE FROM unindexed WHERE posting = ?", "DELETE FROM marks WHERE posting = ?", "DELETE FROM postings WHERE id = ?")
	if err != nil || r.before == "" {
		return err
	}
	if err := t.postingLeft(r); err != nil {
		return err
	}
	r.log(t.log, r.stored.Job, "", cause)
	return nil
}
