package jobmirror

import (
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

// The calls of Run and Refresh that share the work of a mirror, in one process or in
// several, lease what they do: others leave a leased row alone until the time in its column
// leased_until. Times are those of the
// database's clock. Leases save work and decide nothing: which answer holds is decided by its
// number, which is taken before the request is sent. A lease is renewed each third of its time: a source's
// is sources.Lease, that of a batch of lookups is lookups.Lease.

// clockSetBack makes due whatever waits for a time that the clock had before it was set back. A
// refresh that began in the future shows that it was. What was copied, held, lost, named, seen
// or checked in the future counts from now on.
func (t *tx) clockSetBack() error {
	if err := sources.ClockSetBack(t.Tx); err != nil {
		return err
	}
	if err := t.Do("UPDATE processes SET seen = ? WHERE seen > ?", t.Now, t.Now); err != nil {
		return err
	}
	if err := t.historySetBack(); err != nil {
		return err
	}
	if err := listings.ClockSetBack(t.Tx); err != nil {
		return err
	}
	return t.lookups.ClockSetBack()
}

// endLeases ends the leases that a process left which was killed. Only a process that
// runs the mirror alone may call it.
func (t *tx) endLeases() error {
	if err := sources.EndLeases(t.Tx); err != nil {
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
func (t statusTx) leases() (map[string][]Lease, error) {
	out := map[string][]Lease{}
	refreshes, err := sources.AllUnderWay(t.Tx)
	if err != nil {
		return nil, err
	}
	for _, one := range refreshes {
		out[one.Process] = append(out[one.Process], Lease{Source: one.Cause(), Since: instant(one.Since)})
	}
	all, err := lookups.AllUnderWay(t.Tx)
	for _, one := range all {
		out[one.Process] = append(out[one.Process], Lease{Jobs: one.Jobs, Since: instant(one.Since)})
	}
	return out, err
}
