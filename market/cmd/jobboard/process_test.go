package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// result holds the exit code and the output of a run of the program.
type result struct {
	code     int
	out, err string
}

// testProcess is a process to run the program in.
type testProcess struct {
	stdin                    io.Reader
	stdout                   io.Writer // nil: the result has it
	outTerminal, errTerminal term.Terminal

	getenv        func(string) string
	now           func() time.Time
	defaultConfig string
	startFake     func() *jobboardtest.Server
	transport     http.RoundTripper

	env map[string]string
}

func newProcess() *testProcess {
	p := &testProcess{env: map[string]string{}}
	p.stdin, p.now = strings.NewReader(""), time.Now
	p.getenv = func(name string) string { return p.env[name] }
	return p
}

func (p *testProcess) environ() (all []string) {
	for _, name := range slices.Sorted(maps.Keys(p.env)) {
		all = append(all, name+"="+p.env[name])
	}
	return all
}

func (p *testProcess) set(name, value string) *testProcess {
	p.env["JOBBOARD_"+name] = value
	return p
}

// env has variables without their JOBBOARD_; an empty text takes one away.
type env map[string]string

func (p *testProcess) with(variables env) *testProcess {
	for name, value := range variables {
		p.set(name, value)
	}
	return p
}

// pointAt sets the environment for a mock server with the demo's data.
func (p *testProcess) pointAt(srv *jobboardtest.Server) *testProcess {
	d := srv.Demo
	return p.set("BASE_URL", srv.BaseURL).set("JOBDB_URL", srv.JobDBURL).set("CLIENT_ID", d.ClientID).
		set("USER_TOKEN", d.ApplicantToken).set("CHANNEL", d.Channel).set("JOB", fmt.Sprint(d.OpenJob))
}

func (p *testProcess) run(t *testing.T, args ...string) result {
	t.Helper()
	return p.runContext(t.Context(), t, args...)
}

func (p *testProcess) runContext(ctx context.Context, t *testing.T, args ...string) result {
	t.Helper()
	var out, errOut bytes.Buffer
	a := p.program(cmp.Or[io.Writer](p.stdout, &out), &errOut)
	code := a.Run(ctx, args, commands)
	return result{code, out.String(), errOut.String()}
}

// program is one run of the program in the process.
func (p *testProcess) program(stdout, stderr io.Writer) *cli.Program {
	return &cli.Program{
		Console: term.Console{
			Name: "jobboard", In: p.stdin, Out: &term.Output{W: stdout}, Err: stderr,
			OutTerminal: p.outTerminal, ErrTerminal: p.errTerminal, Now: p.now,
		},
		Settings: setup.Reader{
			UserAgent: "jobboard", Getenv: p.getenv, Environ: p.environ, DefaultConfig: p.defaultConfig,
			StartFake: p.startFake, Transport: p.transport,
		},
	}
}

func (r result) want(t *testing.T, code int, out ...string) result {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d; stdout:\n%s\nstderr:\n%s", r.code, code, r.out, r.err)
	}
	for _, s := range out {
		if !strings.Contains(r.out, s) {
			t.Errorf("no %q in the output:\n%s\nstderr:\n%s", s, r.out, r.err)
		}
	}
	return r
}

func (r result) wantErr(t *testing.T, texts ...string) result {
	t.Helper()
	for _, s := range texts {
		if !strings.Contains(r.err, s) {
			t.Errorf("no %q in standard error:\n%s", s, r.err)
		}
	}
	return r
}

func (r result) without(t *testing.T, texts ...string) result {
	t.Helper()
	for _, s := range texts {
		if strings.Contains(r.out, s) || strings.Contains(r.err, s) {
			t.Errorf("%q is in the output:\n%s\nstderr:\n%s", s, r.out, r.err)
		}
	}
	return r
}

// demo is a mock server that bears what a strict one reports: doctor asks without a
// credential on purpose.
func demo(t *testing.T) *jobboardtest.Server {
	t.Helper()
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	t.Cleanup(srv.Close)
	return srv
}

// decode reads JSON, with members in either case.
func decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %.500s", err, text)
	}
	return v
}

func read(t *testing.T, path string) string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
