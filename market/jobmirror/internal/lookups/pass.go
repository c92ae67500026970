package lookups

import (
	"math"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/evidence"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Once a day a pass looks at every job, a part in each transaction. A job is named while it has a
// posting or a feed has an entry of it; claims belong to entries. The pass notes in the column
// unnamed since when a job is not named, and removes those that were not for Rules.Keep. At
// its end it removes the catalogues that no job has: the column used of a catalogue has the time
// at which the pass last saw a job with it.
//
// How far the pass has come stands in the table passes, whose row each part locks. So processes
// share a pass, and whoever comes after one that was killed goes on where that was.

// passEvery is the time from the beginning of a pass to the next: shorter than a day, so that a
// daily timer skips none.
const passEvery = 20 * time.Hour

// jobsPart bounds the jobs that the pass looks at in one transaction.
const jobsPart = 500

// Pass looks at the next jobs of the pass, if one is due, and returns how many it has removed.
func (w *Writer) Pass(rules evidence.Rules) (removed int, more bool, err error) {
	var began, last int64
	var done bool
	err = w.Row("SELECT began, job, done = 1 FROM passes WHERE name = 'jobs' @lock", nil, &began, &last, &done)
	if err != nil {
		return 0, false, err
	}
	if done {
		if began <= w.Now && began > w.Now-passEvery.Milliseconds() {
			return 0, false, nil
		}
		began, last = w.Now, math.MinInt64
	}
	var (
		named, unnamed []int64
		catalogues     = map[string]bool{}
		n              int
	)
	const next = "SELECT job, unnamed, catalogue, " + isNamed + " FROM jobs WHERE job > ? ORDER BY job LIMIT ?"
	err = w.Rows(next, []any{last, jobsPart},
		func(scan func(...any) error) error {
			var (
				job, since int64
				catalogue  string
				isNamed    bool
			)
			err := scan(&job, &since, &catalogue, &isNamed)
			switch n, last = n+1, job; {
			case isNamed && since != 0:
				named = append(named, job)
			case !isNamed:
				unnamed = append(unnamed, job)
			}
			if catalogue != "" {
				catalogues[catalogue] = true
			}
			return err
		})
	if err != nil {
		return 0, false, err
	}
	if removed, err = w.keepNamed(named, unnamed, rules); err != nil {
		return 0, false, err
	}
	more = n == jobsPart
	if err := w.keepCatalogues(catalogues, began, more); err != nil {
		return 0, false, err
	}
	ended := 0
	if !more {
		ended = 1
	}
	return removed, more, w.Do("UPDATE passes SET began = ?, job = ?, done = ? WHERE name = 'jobs'", began, last, ended)
}

// keepCatalogues notes that jobs of a pass, which began at a time, have catalogues. At the end of the
// pass it removes those that no job has had since the pass before.
func (w *Writer) keepCatalogues(used map[string]bool, began int64, more bool) error {
	for hash := range used {
		if err := w.Do("UPDATE catalogues SET used = ? WHERE hash = ? AND used < ?", w.Now, hash, began); err != nil {
			return err
		}
	}
	if more {
		return nil
	}
	return w.Do("DELETE FROM catalogues WHERE used < ?", began-passEvery.Milliseconds())
}

// isNamed selects whether something names a row of the table jobs. One row of each table is
// looked for, because many postings may be of one job.
const isNamed = `(SELECT 1 FROM postings WHERE job = jobs.job LIMIT 1) IS NOT NULL
	OR (SELECT 1 FROM entries WHERE job = jobs.job LIMIT 1) IS NOT NULL`

// keepNamed notes which jobs are named and which are unnamed, and removes jobs that have been
// unnamed for Rules.Keep.
func (w *Writer) keepNamed(named, unnamed []int64, rules evidence.Rules) (removed int, err error) {
	if err := w.noteNamed(named); err != nil || len(unnamed) == 0 {
		return 0, err
	}
	const note = "UPDATE jobs SET unnamed = ? WHERE job IN @ids AND (unnamed = 0 OR unnamed > ?)"
	if _, err = w.Exec(note, w.Now, store.IDs(unnamed), w.Now); err != nil {
		return 0, err
	}
	complete, err := store.Value[int64](w, "SELECT coalesce(min(complete), 0) FROM sources")
	if err != nil {
		return 0, err
	}
	since, some := rules.Unnamed(complete, w.Now)
	if !some {
		return 0, nil
	}
	return w.removeUnnamed(unnamed, since)
}

// noteNamed clears the column unnamed of jobs: something refers to them again.
func (w *Writer) noteNamed(jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	return w.Do("UPDATE jobs SET unnamed = 0 WHERE job IN @ids AND unnamed <> 0", store.IDs(jobs))
}

// removeUnnamed removes the given jobs that no source has named since a time, and logs a change
// for each. A job that is being looked up stays until the next pass.
func (w *Writer) removeUnnamed(jobs []int64, since int64) (removed int, err error) {
	type unnamedJob struct {
		job    int64
		record string
	}
	var list []unnamedJob
	args := append([]any{store.IDs(jobs), since}, w.Free(Lease)...)
	const due = "SELECT job, record FROM jobs WHERE job IN @ids AND unnamed > 0 AND unnamed <= ? AND " + store.IsFree +
		" ORDER BY job @lock"
	err = w.Rows(due, args,
		func(scan func(...any) error) error {
			var one unnamedJob
			err := scan(&one.job, &one.record)
			list = append(list, one)
			return err
		})
	if err != nil {
		return 0, err
	}
	// Something may have come to name them before they were locked. Who names them now waits for the
	// lock, by noteNamed, and puts them on the list anew.
	ids := store.IDsOf(list, func(one unnamedJob) int64 { return one.job })
	again, err := w.Numbers("SELECT job FROM jobs WHERE job IN @ids AND ("+isNamed+")", ids)
	if err != nil {
		return 0, err
	}
	for _, one := range list {
		if slices.Contains(again, one.job) {
			continue
		}
		err := w.Do("DELETE FROM jobs WHERE job = ?", one.job)
		if err != nil {
			return 0, err
		}
		if one.record != "" {
			w.append(one.job, one.record, "", CauseUnnamed)
		}
		removed++
	}
	return removed, nil
}

// append logs that the record of a job becomes another one; empty: none.
func (w *Writer) append(job int64, before, after, cause string) {
	w.log.Append(changelog.Change{Kind: ChangeKind, ID: job, Job: job, Before: before, After: after, Cause: cause})
}
