package jobmirror

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

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
