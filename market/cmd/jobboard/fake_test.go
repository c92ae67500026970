package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

func TestFakeRunsUntilInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	p := newProcess()
	p.stdout = writer
	done := make(chan result)
	go func() { done <- p.runContext(ctx, t, "fake", "--json") }()
	var first struct {
		BaseURL  string `json:"base_url"`
		Channel  string `json:"channel"`
		ClientID string `json:"client_id"`
	}
	if err := json.NewDecoder(reader).Decode(&first); err != nil {
		t.Fatal(err)
	}
	newProcess().set("BASE_URL", first.BaseURL).set("CHANNEL", first.Channel).set("CLIENT_ID", first.ClientID).
		run(t, "search").want(t, setup.ExitOK, "42 of 42")
	cancel()
	if r := <-done; r.code != setup.ExitOK {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
	newProcess().set("BASE_URL", first.BaseURL).set("CHANNEL", first.Channel).set("CLIENT_ID", first.ClientID).
		run(t, "search", "--attempts", "1").want(t, setup.ExitNetwork)

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	newProcess().runContext(ctx, t, "fake").want(t, setup.ExitOK, "export JOBBOARD_BASE_URL=http://127.0.0.1:", "export JOBBOARD_CHANNEL=27828_extern")
	newProcess().run(t, "fake", "--addr", "256.0.0.1:1").want(t, setup.ExitUsage)
}

// What the mock server prints sets a shell up for every command, and as JSON it is the same.
func TestWhatTheFakePrints(t *testing.T) {
	srv := demo(t)
	srv.BaseURL, srv.JobDBURL = "http://base.example", "http://jobdb.example"
	printed := func(asJSON bool) string {
		var out bytes.Buffer
		printFake(&term.Output{W: &out}, srv, "http://page.example", asJSON)
		return out.String()
	}
	d := srv.Demo
	want := fmt.Sprintf(`export JOBBOARD_BASE_URL=http://base.example
export JOBBOARD_JOBDB_URL=http://jobdb.example
export JOBBOARD_CLIENT_ID=%s
export JOBBOARD_USER_TOKEN=%s
export JOBBOARD_CHANNEL=%s
export JOBBOARD_JOB=%d
# other jobs: %d applied, %d withdrawn, %d inactive, %d unknown, %d internal, %d closed
# see it, and break it, at http://page.example
# the mock server runs until it is interrupted
`, d.ClientID, d.ApplicantToken, d.Channel, d.OpenJob, d.AppliedJob, d.WithdrawnJob, d.InactiveJob, d.UnknownJob, d.InternalJob, d.ClosedJob)
	if got := printed(false); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	members := decode[map[string]any](t, printed(true))
	for name, want := range map[string]any{
		"base_url": "http://base.example", "jobdb_url": "http://jobdb.example", "control_url": "http://page.example", "client_id": d.ClientID,
	} {
		if members[name] != want {
			t.Errorf("%s is %v, want %v", name, members[name], want)
		}
	}
}

// A mock server that cannot start, or whose addresses nobody can read, leaves no address taken.
func TestFakeThatDoesNotRunGivesItsAddressBack(t *testing.T) {
	for _, test := range []struct {
		jobDB  string
		stdout io.Writer
		code   int
	}{{"256.0.0.1:1", nil, setup.ExitUsage}, {"127.0.0.1:0", &fullDisk{}, setup.ExitUnexpected}} {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := free.Addr().String()
		free.Close()
		p := newProcess()
		p.stdout = test.stdout
		p.run(t, "fake", "--addr", addr, "--jobdb-addr", test.jobDB).want(t, test.code)
		again, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		again.Close()
	}
}
