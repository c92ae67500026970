package jobmirror

import (
	"context"
	"crypto/rand"
	"os"
	"runtime/debug"
	"strconv"
	"time"
)

const (
	seenEvery = 10 * time.Second
	// forgetProcess is how long a process that ended without saying so is shown.
	forgetProcess = time.Hour
)

// present tells all who read the database that this process works, until gone
// is called or ctx ends.
func (m *Mirror) present(ctx context.Context, doing string) (gone func()) {
	host, _ := os.Hostname()
	name := host + ":" + strconv.Itoa(os.Getpid())
	id := rand.Text()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			// A database that is away is told of by what works with it.
			_ = m.db.update(ctx, func(t *tx) error {
				_, err := t.exec(`INSERT INTO processes (id, name, version, doing, started, seen, lookups) VALUES (?, ?, ?, ?, ?, ?, ?)
					ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, lookups = excluded.lookups`,
					id, name, programVersion(), doing, t.now, t.now, m.lookups.Load())
				if err != nil {
					return err
				}
				_, err = t.exec("DELETE FROM processes WHERE seen < ?", t.now-forgetProcess.Milliseconds())
				return err
			})
			rest(ctx, seenEvery)
		}
	}()
	return func() {
		cancel()
		<-done
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = m.db.update(last, func(t *tx) error {
			_, err := t.exec("DELETE FROM processes WHERE id = ?", id)
			return err
		})
	}
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
func (t *tx) working() (int64, error) {
	return value[int64](t, "SELECT count(*) FROM processes WHERE seen >= ?", t.now-3*seenEvery.Milliseconds())
}

func (t *tx) processes() (out []ProcessStatus, err error) {
	err = t.rows("SELECT name, version, doing, started, seen, lookups FROM processes ORDER BY started, id", nil,
		func(scan func(...any) error) error {
			var p ProcessStatus
			err := scan(&p.Name, &p.Version, &p.Doing, instantColumn{&p.Started}, instantColumn{&p.Seen}, &p.LookedUp)
			out = append(out, p)
			return err
		})
	return out, err
}
