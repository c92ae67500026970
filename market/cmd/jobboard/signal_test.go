package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// asProgram in the environment makes the test's binary the program itself.
const asProgram = "TEST_AS_JOBBOARD"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// asCommand returns a process of the program, which is set up by what is given alone.
func asCommand(ctx context.Context, t *testing.T, environment []string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "HOME=", "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=")
	cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "JOBBOARD_") })
	cmd.Env = append(cmd.Env, environment...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	return cmd, &stderr
}

// A signal ends the requests of a command, which says so and has the code that a
// shell would give the signal.
func TestSignalEndsRequests(t *testing.T) {
	for signal, want := range map[syscall.Signal]struct {
		code int
		says string
	}{
		syscall.SIGTERM: {143, "jobboard: terminated\n"},
		syscall.SIGINT:  {130, "jobboard: interrupted\n"},
	} {
		srv := demo(t)
		srv.Fail(jobboardtest.Fault{Break: jobboardtest.StallBefore})
		cmd, stderr := asCommand(t.Context(), t, []string{
			"JOBBOARD_BASE_URL=" + srv.BaseURL, "JOBBOARD_CLIENT_ID=" + srv.Demo.ClientID, "JOBBOARD_CHANNEL=x",
		}, "search")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := srv.Wait(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Process.Signal(signal)
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != want.code || stderr.String() != want.says {
			t.Errorf("%v: exit code %d: %q", signal, code, stderr)
		}
	}
}

// A command ends also when what it reads says nothing, or nobody takes what it writes.
func TestSignalEndsWaiting(t *testing.T) {
	for name, args := range map[string][]string{
		"reading": {"feed", "-", "--jobdb-url", "http://127.0.0.1:9"},
		"writing": {"version"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancelCause(t.Context())
				stdin, typed := io.Pipe()
				taken, stdout := io.Pipe()
				p := newProcess()
				p.stdin, p.stdout = stdin, stdout
				began := time.Now()
				time.AfterFunc(time.Minute, func() { end(setup.ErrTerminated) })
				r := p.runContext(ctx, t, args...).want(t, setup.ExitTerminated)
				if took := time.Since(began); r.err != "jobboard: terminated\n" || took > time.Minute+cli.MaxEnding {
					t.Errorf("after %s: %q", took, r.err)
				}
				typed.Close()
				taken.Close()
				synctest.Wait()
			})
		})
	}
}
