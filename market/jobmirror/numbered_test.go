package jobmirror_test

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A process that stops when its changes have their numbers and are not committed, which all others
// then wait for, holds them up for no longer than the server waits for it: also behind a pooler, which
// does not know what is set for a session. What it wrote is undone, its number with it.
func TestStoppedWithTheLastNumber(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	direct := postgres.createMigrated(t)
	port := strconv.Itoa(pgbouncer(t, postgres))
	for name, address := range map[string]string{
		"direct":           direct,
		"through a pooler": strings.Replace(postgres.createMigrated(t), ":"+strconv.Itoa(postgres.port), ":"+port, 1) + throughPooler,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := open(t, address, jobmirror.Options{})
			child := startChild(t, childOptions{Database: address, Stops: true})
			defer func() { _ = child.Process.Kill() }()
			until(t, 20*time.Second, "the process stops", func() bool {
				var status syscall.WaitStatus
				pid, err := syscall.Wait4(child.Process.Pid, &status, syscall.WNOHANG|syscall.WUNTRACED, nil)
				return err == nil && pid == child.Process.Pid && status.Stopped()
			})
			began := time.Now()
			if err := m.Forget(t.Context(), 7); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 6*time.Second || took < time.Second {
				t.Errorf("another process goes on after %s, want some five seconds", took)
			}
			if err := child.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if err := child.Wait(); err != nil {
				t.Errorf("what the stopped process wrote was not undone: %v", err)
			}
			var ids []int64
			for change, err := range m.Changes(t.Context(), "") { // which fails at a gap
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, change.ID)
			}
			if len(ids) != 1 || ids[0] != 7 {
				t.Errorf("the log has changes of %d", ids)
			}
		})
	}
}

// Changes that Refresh writes have their numbers, so that those that are old are removed, on each database.
func TestRefreshNumbersAndPrunes(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		count := func(where string) (n int) {
			t.Helper()
			if err := jobmirror.Ask(t.Context(), m, "SELECT count(*) FROM changes WHERE "+where, &n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		all := count("true")
		if numbered := count("number > 0"); all == 0 || numbered != all {
			t.Errorf("of %d changes %d have a number", all, numbered)
		}
		if err := jobmirror.Exec(t.Context(), m, "UPDATE changes SET at = 1"); err != nil {
			t.Fatal(err)
		}
		refresh(t, m)
		if old := count("at = 1"); old != 0 {
			t.Errorf("%d of %d old changes are left", old, all)
		}
	})
}
