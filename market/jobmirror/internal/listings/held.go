package listings

import (
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

// MaxOpen bounds the lookups for held rows of a source that say "open" one after the
// other. After that the source is shown to be wrong, and no process looks up further rows
// of it until its next complete refresh.
const MaxOpen = 50

// WantLookups notes whether the jobs of held rows are to be looked up.
func (w *Writer) WantLookups() error {
	holds, _, err := w.State()
	if err != nil {
		return err
	}
	return sources.WantLookups(w.Tx, w.source, holds)
}

// TakeHeld leases jobs of held rows for a new batch of a process, at most n, those first whose last
// answer is the oldest. left is how many were not looked up since the source's last complete
// refresh, whose answer has the number answer, these among them.
func (w *Writer) TakeHeld(list *lookups.Writer, answer int64, n int, process string) (b lookups.Batch, left int, err error) {
	waiting := "job IN (SELECT j.job FROM " + w.name + " l " + w.jobs +
		" WHERE l.source = ? AND " + IsHeldRow + " AND j.answer < ? AND j.last_lookup < ?)"
	b, left, err = list.TakeOf(waiting, []any{w.source, answer, answer}, n, process)
	if len(b.Jobs) > 0 && err == nil {
		err = sources.LeaseLookups(w.Tx, w.source, lookups.Lease)
	}
	return b, left, err
}
