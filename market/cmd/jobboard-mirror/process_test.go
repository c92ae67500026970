package main

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// programVariable makes the program itself of the test's.
const programVariable = "JOBBOARD_MIRROR_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// process is the program at work.
type process struct {
	*exec.Cmd
	errOut lockedBuffer
	ended  chan struct{} // closed once state is there
}

// start starts the program on a board.
func start(t *testing.T, srv *jobboardtest.Server, args ...string) *process {
	t.Helper()
	return startWith(t, srv, nil, args...)
}

// startWith starts it with further variables.
func startWith(t *testing.T, srv *jobboardtest.Server, variables []string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], args...), ended: make(chan struct{})}
	p.Env = append(os.Environ(), programVariable+"=1", "JOBBOARD_BASE_URL="+srv.BaseURL, "JOBBOARD_JOBDB_URL="+srv.JobDBURL,
		"JOBBOARD_CLIENT_ID="+srv.Demo.ClientID)
	p.Env = append(p.Env, variables...)
	p.Stderr = &p.errOut
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.Wait()
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.ended
	})
	return p
}

// said waits for words in what the program says, and returns what follows them.
func (p *process) said(t *testing.T, words string) string {
	t.Helper()
	pattern := regexp.MustCompile(regexp.QuoteMeta(words) + `(\S*)\s`)
	for {
		if found := pattern.FindStringSubmatch(p.errOut.String()); found != nil {
			return found[1]
		}
		select {
		case <-p.ended:
			t.Fatalf("ended, and never said %q:\n%s", words, p.errOut.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// answers waits until an address answers with a status.
func answers(t *testing.T, address string, status int) {
	t.Helper()
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		rs, err := http.Get(address)
		if err == nil {
			rs.Body.Close()
			if rs.StatusCode == status {
				return
			}
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%s: %v, %v", address, rs, err)
		}
	}
}

// A program that is asked to end does so within seconds, although the board does
// not answer and somebody follows the changes.
func TestEndsWithinSeconds(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Break: jobboardtest.StallBefore})
	p := start(t, srv, "run", "--db", filepath.Join(t.TempDir(), "jobs.db"), "--channels", srv.Demo.Channel, "--rate", "-1",
		"--addr", "127.0.0.1:0", "--monitor", "127.0.0.1:0")
	monitor, address := p.said(t, "monitor at "), p.said(t, "serving at ")
	answers(t, monitor+"/live", http.StatusOK)
	answers(t, monitor+"/ready", http.StatusOK)
	answers(t, monitor+"/mirror/status", http.StatusNotFound)
	stream, err := http.Get(address + "/mirror/changes")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	if _, err := bufio.NewReader(stream.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := srv.Wait(t.Context(), 1, jobboardtest.OpJobInformation); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
	case <-time.After(20 * time.Second):
	}
	if took := time.Since(began); took > 8*time.Second || p.ProcessState == nil || p.ProcessState.ExitCode() != 0 {
		t.Errorf("after %s: %v\n%s", took, p.ProcessState, p.errOut.String())
	}
}

// A command that is asked to end closes its database and removes what it made, although
// somebody who is told of it keeps it waiting.
func TestEndsWhole(t *testing.T) {
	for _, command := range []string{"refresh --fake --rate 1", "run --fake", "serve --fake --addr 127.0.0.1:0"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			told, over := make(chan struct{}, 100), make(chan struct{})
			collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				told <- struct{}{}
				<-over
			}))
			defer collector.Close()
			defer close(over)
			dir := t.TempDir()
			p := startWith(t, jobboardtest.New(t, jobboardtest.WithDemo()), []string{
				"TMPDIR=" + dir, "OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "OTEL_BSP_SCHEDULE_DELAY=50",
			}, strings.Fields(command)...)
			select {
			case <-told:
			case <-p.ended:
			case <-time.After(30 * time.Second):
			}
			if err := p.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err, p.errOut.String())
			}
			select {
			case <-p.ended:
			case <-time.After(20 * time.Second):
				t.Fatalf("never ended:\n%s", p.errOut.String())
			}
			left, err := os.ReadDir(dir)
			if code := p.ProcessState.ExitCode(); code != setup.ExitTerminated || err != nil || len(left) > 0 {
				t.Errorf("exit code %d, left %v, %v\n%s", code, left, err, p.errOut.String())
			}
		})
	}
}

func TestNotReadyBeforeTheFirstCopy(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	srv.Fail(jobboardtest.Fault{Status: http.StatusInternalServerError, Optional: true})
	p := start(t, srv, "run", "--db", filepath.Join(t.TempDir(), "jobs.db"), "--channels", srv.Demo.Channel, "--monitor", "127.0.0.1:0")
	monitor := p.said(t, "monitor at ")
	answers(t, monitor+"/live", http.StatusOK)
	answers(t, monitor+"/ready", http.StatusServiceUnavailable)
}

func TestOnlyNamedNetworksAreServed(t *testing.T) {
	var at listening
	cmd := &cobra.Command{}
	at.add(cmd, "")
	if err := cmd.ParseFlags([]string{"--allow", "10.0.0.0/8, fd00::/8"}); err != nil {
		t.Fatal(err)
	}
	for from, served := range map[string]bool{
		"10.1.2.3:400": true, "[::ffff:10.1.2.3]:400": true, "[fd00::1%eth0]:400": true, "11.1.2.3:400": false, "127.0.0.1:400": false, "@": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.RemoteAddr = from
		if err := at.authorize()(r); (err == nil) != served {
			t.Errorf("%s: %v", from, err)
		}
	}
	if new(listening).authorize() != nil {
		t.Error("without networks not only this machine is served")
	}
	if cmd.ParseFlags([]string{"--allow", "10.0.0.0"}) == nil {
		t.Error("an address is no network")
	}
}

func TestMigrateOfABoardThatMoved(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	db := filepath.Join(t.TempDir(), "jobs.db")
	at := func(base string, args ...string) result {
		return ran(t, map[string]string{
			"JOBBOARD_BASE_URL": base, "JOBBOARD_JOBDB_URL": srv.JobDBURL, "JOBBOARD_CLIENT_ID": srv.Demo.ClientID,
		}, append(args, "--db", db)...)
	}
	refresh := []string{"refresh", "--channels", srv.Demo.Channel}
	other := strings.Replace(srv.BaseURL, "127.0.0.1", "localhost", 1)
	if r := at(srv.BaseURL, refresh...); r.code != setup.ExitOK {
		t.Fatal(r)
	}
	if r := at(other, refresh...); r.code != setup.ExitUsage || !strings.Contains(r.err, "--board-moved") || !strings.Contains(r.err, other) {
		t.Errorf("another address: %v", r)
	}
	if r := at(other, "migrate"); r.code != setup.ExitOK {
		t.Error(r)
	}
	if r := at(other, refresh...); r.code == setup.ExitOK {
		t.Errorf("migrate alone takes another board for the same: %v", r)
	}
	if r := at(other, "migrate", "--board-moved", "--board", "A"); r.code != setup.ExitOK {
		t.Error(r)
	}
	if r := at(other, refresh...); r.code != setup.ExitOK {
		t.Errorf("once it moved: %v", r)
	}
	if r := at(srv.BaseURL, refresh...); r.code == setup.ExitOK {
		t.Errorf("where it was: %v", r)
	}
	if r := at(srv.BaseURL, append(refresh, "--board", "A")...); r.code != setup.ExitOK {
		t.Errorf("by its name: %v", r)
	}
	// The mock server has another address each time.
	fake := filepath.Join(t.TempDir(), "fake.db")
	for range 2 {
		if r := ran(t, nil, "refresh", "--fake", "--db", fake); r.code != setup.ExitOK {
			t.Error(r)
		}
	}
}
