package jobmirror_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// childVariable makes of the test's program one of those that a test starts and
// kills. Its value is a childOptions as JSON.
const childVariable = "JOBMIRROR_TEST_CHILD"

type childOptions struct {
	Database, BaseURL, JobDBURL, Channel, Feed string
	Limit                                      float64

	RefreshEvery, LookupEvery time.Duration // 0: much more often than in earnest

	Asks int64         // not 0: nothing is mirrored, this job is asked for as often as the limit lets it
	Skew time.Duration // then: by so much the process's clock is wrong

	Stops bool // with a change that has its number and is not committed it stops, as by SIGSTOP; it ends well if that is undone

	Measure bool // copies and reads all once, and tells how much memory that took
	Board   int  // not 0: it is no mirror, but a board with so many postings
	Serve   bool // serves the database, which it only reads, and tells its address, or why it cannot
}

func (o childOptions) options() jobmirror.Options {
	return jobmirror.Options{
		Config:       jobboard.Config{BaseURL: o.BaseURL, JobDBURL: o.JobDBURL, ClientID: "10"},
		Channels:     []jobmirror.Channel{{ID: jobboard.ChannelID(o.Channel), Languages: []string{"de", "en"}}},
		Feeds:        []jobmirror.Feed{{Name: "feed", Address: o.Feed}},
		Limit:        o.Limit,
		RefreshEvery: cmp.Or(o.RefreshEvery, 200*time.Millisecond),
		LookupEvery:  cmp.Or(o.LookupEvery, 300*time.Millisecond),
	}
}

// child runs a mirror until it is killed, or told to end.
func child() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // the tests have ended without killing this process
	}()
	var o childOptions
	err := json.Unmarshal([]byte(os.Getenv(childVariable)), &o)
	if err == nil && o.Measure {
		if err = measuredChild(o); err == nil {
			return 0
		}
	} else if err == nil && o.Board != 0 {
		err = boardChild(o.Board)
	} else if err == nil && o.Serve {
		err = serveChild(ctx, o.Database)
	} else if err == nil && o.Stops {
		if err = jobmirror.StopNumbered(ctx, o.Database); err != nil {
			fmt.Println("undone:", err)
			return 0
		}
		err = errors.New("it was committed")
	} else if err == nil && o.Asks != 0 {
		err = askForEver(context.Background(), o)
	} else if err == nil {
		var m *jobmirror.Mirror
		if m, err = jobmirror.Open(ctx, o.Database, o.options()); err == nil {
			fmt.Println("open")
			if err = m.Run(ctx); errors.Is(err, context.Canceled) && m.Close() == nil {
				return 0
			}
		}
	}
	fmt.Fprintln(os.Stderr, "child:", err)
	return 1
}

// serveChild serves a database that it only reads.
func serveChild(ctx context.Context, database string) error {
	m, err := jobmirror.Open(ctx, database, jobmirror.Options{ReadOnly: true})
	if err != nil {
		fmt.Println(err)
		return nil
	}
	srv := httptest.NewServer(m.Handler())
	defer srv.Close()
	fmt.Println(srv.URL)
	<-ctx.Done()
	return nil
}

func childCommand(ctx context.Context, t *testing.T, o childOptions) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(os.Environ(), childVariable+"="+string(text))
	command.Stderr = os.Stderr
	if _, err := command.StdinPipe(); err != nil { // ends when the tests do
		t.Fatal(err)
	}
	return command
}

// startChild starts a process that runs a mirror.
func startChild(t *testing.T, o childOptions) *exec.Cmd {
	t.Helper()
	command := childCommand(context.WithoutCancel(t.Context()), t, o)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command
}
