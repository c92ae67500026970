package jobmirror

import (
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
)

// The calls of Run and Refresh that share the work of a mirror, in one process or in
// several, lease what they do: others leave a leased row alone until the time in its column
// leased_until. Times are those of the
// database's clock. Leases save work and decide nothing: which answer holds is decided by its
// number, which is taken before the request is sent.
const (
	sourceLease = 15 * time.Second // renewed each third of it, as lookups.Lease is
)

// clockSetBack makes due whatever waits for a time that the clock had before it was set back. A
// refresh that began in the future shows that it was. What was copied, held, lost, named, seen
// or checked in the future counts from now on.
func (t *tx) clockSetBack() error {
	for _, statement := range []string{
		"UPDATE sources SET next_due = @now WHERE next_due > @now AND (began = 0 OR began > @now)",
		"UPDATE sources SET began = @now WHERE began > @now",
		"UPDATE sources SET complete = @now - 1 WHERE complete >= @now", // earlier than a refresh that begins now
		"UPDATE sources SET named = @now WHERE named > @now",
		"UPDATE processes SET seen = @now WHERE seen > @now",
		"UPDATE vocabulary SET checked = @now WHERE checked > @now",
	} {
		if _, err := t.Exec(strings.ReplaceAll(statement, "@now", strconv.FormatInt(t.Now, 10))); err != nil {
			return err
		}
	}
	if err := listings.ClockSetBack(t.Tx); err != nil {
		return err
	}
	return t.lookups.ClockSetBack()
}

// endLeases ends the leases that a process left which was killed. Only a process that
// runs the mirror alone may call it.
func (t *tx) endLeases() error {
	err := t.DoAll(nil,
		"UPDATE sources SET leased_until = 0 WHERE leased_until > 0",
		"UPDATE sources SET held_lease = 1 WHERE held_lease > 0")
	if err != nil {
		return err
	}
	return t.lookups.EndLeases()
}

// Lease describes work that a process has begun and that other processes leave to it.
type Lease struct {
	Source string    `json:"source,omitempty"` // it refreshes, as Kind, Name and Language of its SourceStatus; empty: it looks up jobs
	Jobs   int       `json:"jobs,omitempty"`   // jobs whose results are not written yet
	Since  time.Time `json:"since"`
}

// leases returns what processes hold, by their identifiers, the oldest first.
func (t *tx) leases() (map[string][]Lease, error) {
	out := map[string][]Lease{}
	err := t.Rows("SELECT holder, began, "+sourceColumns+" FROM sources WHERE leased_until > ? ORDER BY began, id",
		[]any{t.Now}, func(scan func(...any) error) error {
			var (
				process string
				s       source
				held    Lease
			)
			err := scan(append([]any{&process, instantColumn{&held.Since}}, s.columns()...)...)
			held.Source = s.cause()
			out[process] = append(out[process], held)
			return err
		})
	if err != nil {
		return nil, err
	}
	all, err := lookups.AllUnderWay(t.Tx)
	for _, one := range all {
		out[one.Process] = append(out[one.Process], Lease{Jobs: one.Jobs, Since: instant(one.Since)})
	}
	return out, err
}
