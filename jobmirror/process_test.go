package jobmirror_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// processes waits until a mirror's status tells of so many.
func processes(t *testing.T, m *jobmirror.Mirror, n int) []jobmirror.ProcessStatus {
	t.Helper()
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		s, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Processes) == n {
			return s.Processes
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%d processes, not %d: %v", len(s.Processes), n, s.Processes)
		}
	}
}

func TestStatusTellsOfEachProcess(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		reader := open(t, address, jobmirror.Options{ReadOnly: true})
		processes(t, reader, 0)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- m.Run(ctx) }()
		p := processes(t, reader, 1)[0]
		if p.Doing != "run" || time.Since(p.Started) > time.Minute || p.Seen.Before(p.Started) || p.Name == "" {
			t.Errorf("%+v", p)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		processes(t, reader, 0) // it says that it ends

		o := childOptions{Database: address, BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, Channel: srv.Demo.Channel, Feed: srv.FeedURL(), Limit: -1}
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
