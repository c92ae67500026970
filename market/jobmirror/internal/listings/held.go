package listings

import (
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
)

// MaxOpen bounds the lookups for held rows of a source that say "open" one after the
// other. After that the source is shown to be wrong, and no process looks up further rows
// of it until its next complete refresh.
const MaxOpen = 50

// WantLookups notes that the jobs of the held rows are to be looked up, or that there are no held
// rows.
func (w *Writer) WantLookups() error {
	held, _, err := w.State()
	if err != nil {
		return err
	}
	statement := "UPDATE sources SET held_lease = 0, believed = 0 WHERE id = ? AND held_lease + believed > 0"
	if held { // a process that looks them up just now keeps its lease
		statement = "UPDATE sources SET held_lease = CASE WHEN held_lease = 0 THEN 1 ELSE held_lease END, opens = 0, informed = 0 WHERE id = ?"
	}
	_, err = w.Exec(statement, w.source)
	return err
}

// TakeHeld leases jobs of held rows for a new batch of a process, at most n, those first whose last
// answer is the oldest. left is how many were not looked up since the source's last complete
// refresh, whose answer has the number answer, these among them.
func (w *Writer) TakeHeld(list *lookups.Writer, answer int64, n int, process string) (b lookups.Batch, left int, err error) {
	waiting := "job IN (SELECT j.job FROM " + w.name + " l " + w.jobs +
		" WHERE l.source = ? AND " + IsHeldRow + " AND j.answer < ? AND j.last_lookup < ?)"
	b, left, err = list.TakeOf(waiting, []any{w.source, answer, answer}, n, process)
	if len(b.Jobs) > 0 && err == nil {
		err = w.LeaseHeld(lookups.Lease)
	}
	return b, left, err
}

// LeaseHeld leases the right to look up the jobs of the held rows for d, or gives it back if d is 0.
func (w *Writer) LeaseHeld(d time.Duration) error {
	_, err := w.Exec("UPDATE sources SET held_lease = ? WHERE id = ? AND held_lease > 0", max(w.Until(d), 1), w.source)
	return err
}

// EndLookups notes that no further lookups for held rows are needed, unless another complete refresh
// has ended since the one whose answer has the number answer.
func (w *Writer) EndLookups(answer int64) error {
	_, err := w.Exec("UPDATE sources SET held_lease = 0 WHERE id = ? AND last_answer = ?", w.source, answer)
	return err
}

// CountOpens brings the count up to date of the lookups for held rows that said "open" one after the
// other: opens more have, or, with anew, opens have since one that said otherwise.
func (w *Writer) CountOpens(opens int, anew bool, answer int64) error {
	counted := "opens + ?"
	if anew {
		counted = "?"
	}
	_, err := w.Exec("UPDATE sources SET opens = "+counted+" WHERE id = ? AND last_answer = ?", opens, w.source, answer)
	return err
}
