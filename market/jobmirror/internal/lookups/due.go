package lookups

import (
	"slices"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// PutNew puts jobs on the list that are not in the table jobs yet, and were not forgotten.
func (w *Writer) PutNew(jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	w.Due = true
	if err := w.noteNamed(jobs); err != nil {
		return err
	}
	return w.Do(`INSERT INTO jobs (job, state, next_due) SELECT v.value, 'unknown', CAST(? AS BIGINT) FROM @ids v
		WHERE v.value NOT IN (SELECT id FROM forgotten WHERE kind = 'job') ORDER BY v.value ON CONFLICT (job) DO NOTHING`,
		w.Now, store.IDs(jobs))
}

// Put puts jobs on the list that are to be looked up at once, known or not, but for those that
// were forgotten. A lookup under way may have been answered by the board before the event that
// makes Put necessary. So Put takes a number, into the column wanted, and the job stays due
// until a lookup with a higher one answers.
func (w *Writer) Put(jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	w.Due = true
	number, err := w.Next(Answers)
	if err != nil {
		return err
	}
	slices.Sort(jobs) // one order for all writers: no deadlock
	if err := w.noteNamed(jobs); err != nil {
		return err
	}
	for _, job := range slices.Compact(jobs) {
		err := w.Do(`INSERT INTO jobs (job, state, next_due, wanted) SELECT CAST(? AS BIGINT), 'unknown', CAST(? AS BIGINT), CAST(? AS BIGINT)
			WHERE NOT EXISTS (SELECT 1 FROM forgotten WHERE kind = 'job' AND id = ?)
			ON CONFLICT (job) DO UPDATE SET
				next_due = CASE WHEN jobs.next_due < excluded.next_due THEN jobs.next_due ELSE excluded.next_due END,
				wanted = CASE WHEN jobs.wanted > excluded.wanted THEN jobs.wanted ELSE excluded.wanted END`, job, w.Now, number, job)
		if err != nil {
			return err
		}
	}
	return nil
}

// PutClosed calls Put for those jobs that were closed or gone at their last lookup,
// because a source names them anew. An open or unknown job is not looked up for that reason.
func (w *Writer) PutClosed(jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	closed, err := w.Numbers("SELECT job FROM jobs WHERE job IN @ids AND state NOT IN ('open', 'unknown')", store.IDs(jobs))
	if err != nil {
		return err
	}
	return w.Put(closed)
}

// PutUnnamed puts those jobs on the list that no entry of a feed names any more: only a
// lookup says whether such a job is gone.
func (w *Writer) PutUnnamed(jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	w.Due = true
	_, err := w.Exec(`UPDATE jobs SET next_due = ? WHERE job IN @ids AND next_due > ? AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.job = jobs.job)`,
		w.Now, store.IDs(jobs), w.Now)
	return err
}

// FirstDue selects when the next job is due. Go code compares that time with the clock: PostgreSQL
// would plan a statement that compares them for any time, and scan the table.
const FirstDue = "SELECT next_due FROM jobs ORDER BY next_due LIMIT 1"

// Batch names jobs that are looked up together. Jobs that another batch has leased since then
// belong to that batch.
type Batch struct {
	Number int64
	Jobs   []int64
}

// Round bounds which jobs Take leases, so that whoever takes them until none is left comes to an end
// however soon they become due again. The zero value bounds nothing.
type Round struct {
	due         int64 // jobs that became due later are left out; 0: none is
	after, upTo int64 // but for those that Put put on the list with a number between these
}

// BeginRound begins a round of the jobs that are due now. Jobs that become due later belong to it only if Put has
// put them on the list with a number above after, and neither an answer with a higher number came since then
// nor the last lookup failed: who looked such a job up before knows less than the list asks for.
func (w *Writer) BeginRound(after int64) (r Round, err error) {
	r.due, r.after = w.Now, after
	r.upTo, err = w.Next(Answers)
	return r, err
}

// jobs returns the condition that selects the jobs that are due and belong to the round.
func (r Round) jobs(now int64) (condition string, args []any) {
	if r.due == 0 {
		return "next_due <= ?", []any{now}
	}
	return "next_due <= ? AND (next_due <= ? OR failures = 0 AND wanted > ? AND wanted < ? AND wanted > answer AND wanted > last_lookup)",
		[]any{now, r.due, r.after, r.upTo}
}

// Take leases those jobs of a round that have been due the longest, at most n, as a batch of a
// process. due reports that there are such jobs, also where
// none is in the batch because all of them are being looked up just now.
func (w *Writer) Take(r Round, n int, process string) (b Batch, due bool, err error) {
	first, err := store.Value[*int64](w, "SELECT ("+FirstDue+")")
	if err != nil || first == nil || *first > w.Now {
		return b, false, err
	}
	condition, args := r.jobs(w.Now)
	if r.due > 0 && *first > r.due {
		left, err := store.Value[int](w, "SELECT count(*) FROM (SELECT job FROM jobs WHERE "+condition+" LIMIT 1) one", args...)
		if err != nil || left == 0 {
			return b, false, err
		}
	}
	if b.Number, err = w.Next(batches); err != nil {
		return b, true, err
	}
	args = append([]any{w.Until(Lease), b.Number}, args...)
	b.Jobs, err = w.Numbers(`UPDATE jobs SET leased_until = ?, batch = ? WHERE job IN
		(SELECT job FROM jobs WHERE `+condition+` AND `+store.IsFree+` ORDER BY next_due LIMIT `+strconv.Itoa(n)+` @skip) RETURNING job`,
		append(args, w.Free(Lease)...)...)
	if err != nil || len(b.Jobs) == 0 {
		return b, true, err
	}
	return b, true, w.begin(b, process)
}

// TakeOf leases jobs that a condition on the table jobs selects, at most n, as a batch of a process,
// those first whose last answer is the oldest. They become due. left is how many the condition
// selects, leased or not.
func (w *Writer) TakeOf(condition string, args []any, n int, process string) (b Batch, left int, err error) {
	left, err = store.Value[int](w, "SELECT count(*) FROM jobs WHERE "+condition, args...)
	if err != nil || left == 0 {
		return b, left, err
	}
	if b.Number, err = w.Next(batches); err != nil {
		return b, left, err
	}
	lease := append([]any{w.Until(Lease), b.Number, w.Now, w.Now}, args...)
	lease = append(lease, w.Free(Lease)...)
	b.Jobs, err = w.Numbers(`UPDATE jobs SET leased_until = ?, batch = ?, next_due = CASE WHEN next_due > ? THEN ? ELSE next_due END
		WHERE job IN (SELECT job FROM jobs WHERE `+condition+` AND `+store.IsFree+` ORDER BY answer, job LIMIT ? @skip)
		RETURNING job`, append(lease, n)...)
	if err != nil || len(b.Jobs) == 0 {
		return b, left, err
	}
	return b, left, w.begin(b, process)
}

// begin notes which process looks up a batch.
func (w *Writer) begin(b Batch, process string) error {
	_, err := w.Exec("INSERT INTO batches (number, process, since) VALUES (?, ?, ?)", b.Number, process, w.Now)
	return err
}

// Renew extends the lease of those jobs of a batch that still wait for a result. Jobs that another
// batch has taken over belong to that one.
func (w *Writer) Renew(b Batch) error { return w.lease(b, w.Until(Lease)) }

// GiveBack ends the lease of the jobs of a batch that are still waiting for a result.
func (w *Writer) GiveBack(b Batch) error {
	if err := w.lease(b, 0); err != nil {
		return err
	}
	_, err := w.Exec("DELETE FROM batches WHERE number = ?", b.Number)
	return err
}

func (w *Writer) lease(b Batch, until int64) error {
	_, err := w.Exec("UPDATE jobs SET leased_until = ? WHERE job IN @ids AND batch = ? AND leased_until > 0",
		until, store.IDs(b.Jobs), b.Number)
	return err
}

// EndLeases ends the leases of all batches. Only a process that runs the mirror alone may call it.
func (w *Writer) EndLeases() error {
	return w.DoAll(nil, "UPDATE jobs SET leased_until = 0 WHERE leased_until > 0", "DELETE FROM batches")
}

// RemoveBatches removes the batches that were begun before a time by processes that are no more.
func (w *Writer) RemoveBatches(before int64) error {
	_, err := w.Exec("DELETE FROM batches WHERE since < ? AND process NOT IN (SELECT id FROM processes)", before)
	return err
}

// UnderWay is what a process looks up.
type UnderWay struct {
	Process string // processes.id
	Jobs    int    // that wait for a result
	Since   int64
}

// AllUnderWay returns what processes look up, the oldest first.
func AllUnderWay(t *store.Tx) (all []UnderWay, err error) {
	err = t.Rows(`SELECT b.process, b.since, l.jobs FROM batches b JOIN (
			SELECT batch, count(*) AS jobs FROM jobs WHERE next_due <= ? AND leased_until > ? GROUP BY batch
		) l ON l.batch = b.number ORDER BY b.since, b.number`, []any{t.Now, t.Now}, func(scan func(...any) error) error {
		var one UnderWay
		err := scan(&one.Process, &one.Since, &one.Jobs)
		all = append(all, one)
		return err
	})
	return all, err
}

// ClockSetBack makes those jobs due that were looked up, or became doubtful, at a time that is still
// to come, because the clock was set back. A job without an answered lookup, or whose last lookup
// failed, is due too: nothing says since when it waits.
func (w *Writer) ClockSetBack() error {
	const statement = `UPDATE jobs SET next_due = @now WHERE next_due > @now
		AND (looked_up > @now OR looked_up = 0 OR failures > 0 OR wanted > answer OR doubted > @now)`
	_, err := w.Exec(strings.ReplaceAll(statement, "@now", strconv.FormatInt(w.Now, 10)))
	return err
}
