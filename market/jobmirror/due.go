package jobmirror

import (
	"slices"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// The table jobs is also the list of the jobs to look up: a job is due from the time in its
// next_due on. The functions whose names begin with put put jobs on the list, for whoever
// saves what a source shows or shows no more; the commit raises the signal jobsDue, which wakes
// lookUpDue. That leases those that are due, by takeDue, and has lookUp look them up. Saving the
// answer, or that there was none, sets the next time, which is now if putDue has asked for a
// newer answer.

// putNewDue puts jobs on the list that are not in the table jobs yet, and were not forgotten.
func (t *tx) putNewDue(jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	t.jobsDue = true
	if err := t.noteNamed(jobs); err != nil {
		return err
	}
	return t.Do(`INSERT INTO jobs (job, state, next_due) SELECT v.value, 'unknown', CAST(? AS BIGINT) FROM @ids v
		WHERE v.value NOT IN (SELECT id FROM forgotten WHERE kind = 'job') ORDER BY v.value ON CONFLICT (job) DO NOTHING`,
		t.Now, store.IDs(jobs))
}

// putDue puts jobs on the list that are to be looked up at once, known or not, but for those that
// were forgotten. A lookup under way may have been answered by the board before the event that
// makes putDue necessary. So putDue takes a number, into the column wanted, and the job stays due
// until a lookup with a higher one answers.
func (t *tx) putDue(jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	t.jobsDue = true
	number, err := t.Next(answers)
	if err != nil {
		return err
	}
	slices.Sort(jobs) // one order for all writers: no deadlock
	if err := t.noteNamed(jobs); err != nil {
		return err
	}
	for _, job := range slices.Compact(jobs) {
		err := t.Do(`INSERT INTO jobs (job, state, next_due, wanted) SELECT CAST(? AS BIGINT), 'unknown', CAST(? AS BIGINT), CAST(? AS BIGINT)
			WHERE NOT EXISTS (SELECT 1 FROM forgotten WHERE kind = 'job' AND id = ?)
			ON CONFLICT (job) DO UPDATE SET
				next_due = CASE WHEN jobs.next_due < excluded.next_due THEN jobs.next_due ELSE excluded.next_due END,
				wanted = CASE WHEN jobs.wanted > excluded.wanted THEN jobs.wanted ELSE excluded.wanted END`, job, t.Now, number, job)
		if err != nil {
			return err
		}
	}
	return nil
}

// putClosedDue calls putDue for those jobs that were closed or gone at their last lookup,
// because a source names them anew. An open or unknown job is not looked up for that reason.
func (t *tx) putClosedDue(jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	closed, err := t.Numbers("SELECT job FROM jobs WHERE job IN @ids AND state NOT IN ('open', 'unknown')", store.IDs(jobs))
	if err != nil {
		return err
	}
	return t.putDue(closed)
}

// firstDue selects when the next job is due. Go code compares that with the time: a
// statement that did would be planned for any time, and scan the table.
const firstDue = "SELECT next_due FROM jobs ORDER BY next_due LIMIT 1"

// putUnnamedDue puts those jobs on the list that no entry of a feed names any more: only a
// lookup says whether such a job is gone.
func (t *tx) putUnnamedDue(jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	t.jobsDue = true
	_, err := t.Exec(`UPDATE jobs SET next_due = ? WHERE job IN @ids AND next_due > ? AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.job = jobs.job)`,
		t.Now, store.IDs(jobs), t.Now)
	return err
}

// batch names jobs that are looked up together. Jobs that another batch has leased since then
// belong to that batch.
type batch struct {
	number int64
	jobs   []int64
}

// takeDue leases those jobs that have been due the longest, at most n, as a batch of a
// process: the column leased_until says until when. due reports that there are such jobs, also where
// none is in the batch because all of them are being looked up just now.
func (t *tx) takeDue(n int, process string) (b batch, due bool, err error) {
	first, err := store.Value[*int64](t, "SELECT ("+firstDue+")")
	if err != nil || first == nil || *first > t.Now {
		return b, false, err
	}
	if b.number, err = t.Next(batches); err != nil {
		return b, true, err
	}
	b.jobs, err = t.Numbers(`UPDATE jobs SET leased_until = ?, batch = ? WHERE job IN
		(SELECT job FROM jobs WHERE next_due <= ? AND `+store.IsFree+` ORDER BY next_due LIMIT `+strconv.Itoa(n)+` @skip) RETURNING job`,
		append([]any{t.Until(jobLease), b.number, t.Now}, t.Free(jobLease)...)...)
	if err != nil || len(b.jobs) == 0 {
		return b, true, err
	}
	_, err = t.Exec("INSERT INTO batches (number, process, since) VALUES (?, ?, ?)", b.number, process, t.Now)
	return b, true, err
}
