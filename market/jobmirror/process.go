package jobmirror

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// The calls of Run and Refresh that share the work of a mirror, in one process or in several, lease what they do:
// others leave a leased row alone until the time in its column leased_until, by the database's clock. Leases save
// work and decide nothing: which answer holds is decided by its number, which is taken before the request is sent.
// A lease is renewed each third of its time, sources.Lease or lookups.Lease.

const (
	seenEvery = 10 * time.Second
	// forgetProcess bounds the time for which a process is shown that ended without saying so.
	forgetProcess = time.Hour
)

// present tells all who read the database that this process works, until leave
// is called or ctx ends. It has done so once when it returns, unless the database is away.
func (w *worker) present(ctx context.Context, doing string) (leave func()) {
	host, _ := os.Hostname()
	name := host + ":" + strconv.Itoa(os.Getpid())
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	// The functions that work with the database log that it is away.
	tell := func() { _ = w.db.update(ctx, func(t *tx) error { return w.seen(t, name, doing) }) }
	// Before anything is indexed: a process of an older version that does not see this one
	// would mark all postings again, to index them in its own form.
	tell()
	go func() {
		defer close(done)
		for rest(ctx, seenEvery); ctx.Err() == nil; rest(ctx, seenEvery) {
			tell()
		}
	}()
	return func() {
		cancel()
		<-done
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = w.db.update(last, func(t *tx) error {
			_, err := t.Exec("DELETE FROM processes WHERE id = ?", w.process)
			return err
		})
	}
}

// seen notes that this process works, and forgets those that have not said so for long.
func (w *worker) seen(t *tx, name, doing string) error {
	_, err := t.Exec(`INSERT INTO processes (id, name, version, doing, started, seen, lookups, tokens) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, lookups = excluded.lookups`,
		w.process, name, programVersion(), doing, t.Now, t.Now, w.lookups.Load(), search.Form)
	if err != nil {
		return err
	}
	forget := t.Now - forgetProcess.Milliseconds()
	if _, err = t.Exec("DELETE FROM processes WHERE seen < ?", forget); err != nil {
		return err
	}
	return t.lookups.RemoveBatches(forget)
}

// programVersion returns the version from which the program was built.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" {
		return ""
	}
	return info.Main.Version
}

// working counts the processes that said lately that they work.
func (t statusTx) working() (int64, error) {
	return store.Value[int64](t, "SELECT count(*) FROM processes WHERE seen >= ?", t.Now-3*seenEvery.Milliseconds())
}

// processes returns the processes that run or refresh the mirror, with what they lease.
func (t statusTx) processes() (out []ProcessStatus, err error) {
	leases, err := t.leases()
	if err != nil {
		return nil, err
	}
	err = t.Rows("SELECT id, name, version, doing, started, seen, lookups FROM processes ORDER BY started, id", nil,
		func(scan func(...any) error) error {
			var (
				p  ProcessStatus
				id string
			)
			err := scan(&id, &p.Name, &p.Version, &p.Doing, instantColumn{&p.Started}, instantColumn{&p.Seen}, &p.LookedUp)
			p.Leases = leases[id]
			out = append(out, p)
			return err
		})
	return out, err
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

// clockSetBack makes due whatever waits for a time that the clock had before it was set back. A refresh that began
// in the future shows that it was. What was done or seen in the future counts from now on.
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
