package jobmirror

import (
	"context"
	"time"
)

// Those who share the work of a mirror - goroutines of one process, or processes -
// hold what they do by leases in the tables, by the database's clock. A source or
// a job whose lease has ended is anybody's. A lease saves work and decides
// nothing: which answer holds is decided by its number, taken before it was asked
// for.
const (
	batchLease  = 30 * time.Second
	sourceLease = 15 * time.Second
)

// isFree is the condition for a row without a lease. One that ends later than any
// lease can was taken before the clock was set back.
const isFree = "(claimed <= ? OR claimed > ?)"

// free returns the arguments of isFree for rows that are claimed for so long.
func (t *tx) free(lease time.Duration) []any { return []any{t.now, t.latest() + lease.Milliseconds()} }

// latest returns the latest time that another transaction may have written. It asked
// for the time after this one did where this one then waited for its rows.
func (t *tx) latest() int64 { return t.now + updateTimeout.Milliseconds() }

// clockSetBack makes due whatever waits for a time that the clock had before it was
// set back: when a refresh began is yet to come then.
func (t *tx) clockSetBack() error {
	_, err := t.exec("UPDATE sources SET began = ?, next_due = ? WHERE began > ?", t.now, t.now, t.now)
	if err != nil {
		return err
	}
	_, err = t.exec("UPDATE jobs SET next_due = ? WHERE looked_up > ? AND next_due > ?", t.now, t.now, t.now)
	return err
}

// dueSource names a source that is due, and its last generation: whoever refreshes it
// begins only while it still has that one.
type dueSource struct {
	Source int64 `json:"source"`
	After  int64 `json:"after"`
}

// maxDue is how many sources are handed out at a time: with thousands that are due,
// the others come when some of these are done.
const maxDue = 100

// dueSources returns the sources that are due and that nobody refreshes, those first
// that have been due the longest.
func (m *Mirror) dueSources(ctx context.Context) (due []dueSource, err error) {
	sources, found := m.named(), 0
	err = m.db.view(ctx, func(t *tx) error {
		args := append([]any{t.now, t.latest()}, append(t.free(sourceLease), sourceIDs(sources))...)
		query := "SELECT id, generation, (next_due <= ? OR began > ?) AND " + isFree +
			" FROM sources WHERE id IN @ids ORDER BY next_due, id"
		return t.rows(query, args, func(scan func(...any) error) error {
			var (
				s   dueSource
				now bool
			)
			err := scan(&s.Source, &s.After, &now)
			if found++; now && len(due) < maxDue {
				due = append(due, s)
			}
			return err
		})
	})
	if err == nil && found < len(sources) { // another process retired some: they are due the next time
		err = m.enter(ctx)
	}
	return due, err
}

// batch names jobs that are looked up together: those of Jobs that are still claimed
// for it.
type batch struct {
	Batch int64   `json:"batch"`
	Jobs  []int64 `json:"jobs"`
}

// reserve claims jobs for a new batch: those that have been due the longest.
func (t *tx) reserve(n int) (b batch, err error) {
	free := append([]any{t.now}, t.free(batchLease)...)
	due, err := value[bool](t, "SELECT EXISTS (SELECT 1 FROM jobs WHERE next_due <= ? AND "+isFree+")", free...)
	if err != nil || !due {
		return b, err
	}
	if b.Batch, err = t.next("batch"); err != nil {
		return b, err
	}
	b.Jobs, err = t.numbers(`UPDATE jobs SET claimed = ?, batch = ? WHERE job IN
		(SELECT job FROM jobs WHERE next_due <= ? AND `+isFree+` ORDER BY next_due, job LIMIT ? @skip) RETURNING job`,
		append(append([]any{t.now + batchLease.Milliseconds(), b.Batch}, free...), n)...)
	return b, err
}

// renew claims a batch's jobs for further time, and returns them: they have no
// result yet, and were not given to another batch.
func (m *Mirror) renew(ctx context.Context, b batch) (jobs []int64, err error) {
	return fromUpdate(ctx, m.db, func(t *tx) ([]int64, error) {
		return t.numbers("UPDATE jobs SET claimed = ? WHERE job IN @ids AND batch = ? AND claimed > 0 RETURNING job",
			t.now+batchLease.Milliseconds(), ids(b.Jobs), b.Batch)
	})
}

// release gives the jobs of a batch back that have no result.
func (m *Mirror) release(ctx context.Context, b batch) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return m.db.update(ctx, func(t *tx) error {
		_, err := t.exec("UPDATE jobs SET claimed = 0 WHERE job IN @ids AND batch = ? AND claimed > 0", ids(b.Jobs), b.Batch)
		return err
	})
}

// lookingUp reports whether jobs that are due are being looked up.
func (t *tx) lookingUp() (bool, error) {
	return value[bool](t, "SELECT EXISTS (SELECT 1 FROM jobs WHERE next_due <= ? AND claimed > ?)", t.now, t.now)
}

// endLeases ends those of a process that was killed. Only who runs the mirror
// alone may do so.
func (t *tx) endLeases() error {
	if _, err := t.exec("UPDATE sources SET claimed = 0 WHERE claimed > 0"); err != nil {
		return err
	}
	_, err := t.exec("UPDATE jobs SET claimed = 0 WHERE next_due <= ? AND claimed > 0", t.now)
	return err
}
