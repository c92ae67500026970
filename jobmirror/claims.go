package jobmirror

import (
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/store"
)

// The table claims has what feeds say of postings: an entry claims that a posting, or a
// version of one, is its job's. putClaims writes what an entry claims, and fillJobs reads it
// for each posting that is saved: stored ones are saved by saveClaimed, at once, and others when a
// channel shows them.

// putClaims notes which postings an entry says are its job's.
func (t *tx) putClaims(src *source, item feedItem) error {
	for kind, values := range map[string][]int64{"posting": item.postings, "version": item.versions} {
		for _, value := range values {
			err := t.Do(`INSERT INTO claims (kind, value, job, source, entry) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (kind, value, job, source, entry) DO NOTHING`, kind, value, item.job, src.id, item.hash)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// saveClaimed saves the stored ones of some postings and versions, after what feeds claim of
// them changed, so that fillJobs finds their jobs anew.
func (t *tx) saveClaimed(postings, versions []int64, cause string) error {
	if len(postings)+len(versions) == 0 {
		return nil
	}
	rows, err := t.load("id IN (SELECT id FROM postings WHERE posting IN @ids UNION SELECT id FROM postings WHERE version IN @ids)",
		store.IDs(postings), store.IDs(versions))
	if err != nil {
		return err
	}
	if err := t.save(rows, cause); err != nil {
		return err
	}
	return t.putUnknownDue(rows)
}

// putUnknownDue calls putDue for the jobs of rows that are not in the table jobs: a posting's
// own link names them, and until now a feed named another job for the posting.
func (t *tx) putUnknownDue(rows []*row) error {
	var jobs []int64
	for _, r := range rows {
		if r.rec.Job != 0 && len(r.rec.Sources) > 0 {
			jobs = append(jobs, int64(r.rec.Job))
		}
	}
	known, err := t.Numbers("SELECT job FROM jobs WHERE job IN @ids", store.IDs(jobs))
	if err != nil {
		return err
	}
	return t.putDue(slices.DeleteFunc(jobs, func(job int64) bool { return slices.Contains(known, job) }))
}

// fillJobs finds the job of each row, by the strongest evidence that there is,
// and whether the job's title confirms it.
func (t *tx) fillJobs(rows []*row) error {
	var postings, versions, jobs []int64
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
	var named []int64 // by rows that say something new
	for _, r := range rows {
		job, evidence := r.linked, EvidenceLink
		if claimed, ok := byVersion[int64(r.rec.Version)]; ok {
			job, evidence = claimed, EvidenceVersion
		}
		if claimed, ok := byPosting[int64(r.rec.Posting)]; ok {
			job, evidence = claimed, EvidenceFeed
		}
		if job == 0 {
			evidence = ""
		}
		r.rec.Job, r.rec.Evidence, r.rec.Confirmed = jobboard.JobID(job), evidence, false
		if job != 0 {
			jobs = append(jobs, job)
			if r.newer {
				named = append(named, job)
			}
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	if err := t.putNewDue(named); err != nil {
		return err
	}
	// The jobs are locked, so that a lookup's answer is written either before, and its title is
	// read here, or after, and it then confirms these rows.
	titles, err := store.Pairs[int64, string](t, "SELECT job, title FROM jobs WHERE job IN @ids ORDER BY job @lock", store.IDs(jobs))
	for _, r := range rows {
		title, ok := titles[int64(r.rec.Job)]
		r.rec.Confirmed = ok && title != "" && strings.TrimSpace(title) == strings.TrimSpace(storable(r.rec.Title))
	}
	return err
}

// readClaims finds which jobs feeds say that postings, or versions of them, belong
// to. Of several jobs the one with the highest number is taken.
func (t *tx) readClaims(kind string, values []int64) (map[int64]int64, error) {
	return store.Pairs[int64, int64](t, "SELECT value, max(job) FROM claims WHERE kind = ? AND value IN @ids GROUP BY value", kind, store.IDs(values))
}

// dropClaims removes what entries of a feed, by their hashes, claim, and returns the
// postings and the versions of which they claimed something.
func (t *tx) dropClaims(src *source, gone []int64) (postings, versions []int64, err error) {
	const claimed = "SELECT value FROM claims WHERE source = ? AND entry IN @ids AND kind = ?"
	if postings, err = t.Numbers(claimed, src.id, store.IDs(gone), "posting"); err != nil {
		return nil, nil, err
	}
	if versions, err = t.Numbers(claimed, src.id, store.IDs(gone), "version"); err != nil {
		return nil, nil, err
	}
	return postings, versions, t.Do("DELETE FROM claims WHERE source = ? AND entry IN @ids", src.id, store.IDs(gone))
}
