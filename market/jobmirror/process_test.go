package jobmirror_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// processes waits until a mirror's status tells of so many.
func processes(t *testing.T, m *jobmirror.Mirror, n int) (found []jobmirror.ProcessStatus) {
	t.Helper()
	until(t, 20*time.Second, strconv.Itoa(n)+" processes", func() bool {
		s, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found = s.Processes
		return len(found) == n
	})
	return found
}

func TestStatusTellsOfEachProcess(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		reader := open(t, address, jobmirror.Options{ReadOnly: true})
		processes(t, reader, 0)
		stop := run(t, m)
		p := processes(t, reader, 1)[0]
		if p.Doing != "run" || time.Since(p.Started) > time.Minute || p.Seen.Before(p.Started) || p.Name == "" {
			t.Errorf("%+v", p)
		}
		stop()
		processes(t, reader, 0) // it says that it ends

		o := childOptions{Database: address, BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, Channel: srv.Demo.Channel, Feed: srv.FeedURL, Limit: -1}
		child := startChild(t, o)
		p = processes(t, reader, 1)[0]
		if !strings.HasSuffix(p.Name, ":"+strconv.Itoa(child.Process.Pid)) {
			t.Errorf("%q is not process %d", p.Name, child.Process.Pid)
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
		processes(t, reader, 1) // it could not say so
	})
}
