// Command jobboard-fake serves a job board that is not real: the mock server of
// package jobboardtest as a program, for tests in any language and for trying
// things out. It starts with demo data.
//
//	go run ./cmd/jobboard-fake
//	go run ./cmd/jobboard-fake -addr 0.0.0.0:8080                                   # in a container
//	go run ./cmd/jobboard-fake -addr 127.0.0.1:0 -json
//	go run ./cmd/jobboard-fake -data state.json
//	go run ./cmd/jobboard-fake -addr 0.0.0.0:8080 -control-addr 0.0.0.0:8090
//
// Its first lines print the address of a page that shows the board and its
// requests, with faults and switches to click. Other programs control it below
// the same address (package jobboardtest/control).
//
// With -json the first line of its output is a JSON object with the addresses,
// the credentials and a job for each answer; without it, lines to copy. On
// SIGINT and SIGTERM it finishes the running requests and exits. Requests that
// run longer than -grace are cut off, with exit code 1.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/control"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// first is the first line of the output with -json.
type first struct {
	BaseURL    string `json:"base_url"`
	JobDBURL   string `json:"jobdb_url"`
	TokenURL   string `json:"token_url"`
	AuthURL    string `json:"auth_url"`
	FeedURL    string `json:"feed_url"`
	ControlURL string `json:"control_url"`
	jobboardtest.DemoInfo
}

// options holds the values of the flags.
type options struct {
	addr, jobDBAddr          string
	controlAddr, controlHost string
	prefix, data             string
	json, strict             bool
	version, health          bool
	grace                    time.Duration
}

// parse reads the flags. ok is false if the program should end with the exit
// code.
func parse(args []string, stdout, stderr io.Writer) (o options, code int, ok bool) {
	flags := flag.NewFlagSet("jobboard-fake", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // report a wrong flag in one line, without the list of all flags
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8080", "`host:port` to listen at: the base address is at /board, the job information lookup at /info, the page at /; port 0 takes a free one")
	flags.StringVar(&o.jobDBAddr, "jobdb-addr", "", "`host:port` of the job information lookup; without it -addr serves both")
	flags.BoolVar(&o.json, "json", false, "print the first line as JSON")
	flags.StringVar(&o.prefix, "prefix", "", "path `prefix` of both addresses")
	flags.BoolVar(&o.strict, "strict", false, "refuse requests that break a rule of the interface, with a sentence that names the rule")
	flags.StringVar(&o.data, "data", "", "`file` with the state to start from, which is only read; the demo where it does not exist")
	flags.StringVar(&o.controlAddr, "control-addr", "", "`host:port` of the page and the control interface; without it they are at "+control.Path+" of the base address")
	flags.StringVar(&o.controlHost, "control-host", "", "further host `names`, parted by commas, that the control interface answers to, beside addresses and local names")
	flags.DurationVar(&o.grace, "grace", 8*time.Second, "how long what it serves may take to finish after SIGTERM; stalled and endless answers are broken off at once")
	flags.BoolVar(&o.health, "health", false, "ask the program that listens at -addr whether it serves, and end with 0 if so, else with 1")
	flags.BoolVar(&o.version, "version", false, "print the version it was built from")
	err := flags.Parse(args)
	switch {
	case err == flag.ErrHelp:
		fmt.Fprintln(stdout, "jobboard-fake serves a job board that is not real, with demo data.")
		fmt.Fprintln(stdout)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return o, 0, false
	case err != nil:
		fmt.Fprintf(stderr, "jobboard-fake: %v\nnext: jobboard-fake -h\n", err)
		return o, 2, false
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "jobboard-fake: unexpected argument %q\n", flags.Arg(0))
		return o, 2, false
	case (&url.URL{Path: "/" + o.prefix}).EscapedPath() != "/"+o.prefix:
		fmt.Fprintf(stderr, "jobboard-fake: the prefix %q is not a plain path\n", o.prefix)
		return o, 2, false
	}
	return o, 0, true
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, code, ok := parse(args, stdout, stderr)
	if !ok {
		return code
	}
	if o.version {
		fmt.Fprintln(stdout, "jobboard-fake", built(), runtime.Version())
		return 0
	}
	if o.health {
		if err := health(ctx, o.addr); err != nil {
			fmt.Fprintln(stderr, "jobboard-fake:", err)
			return 1
		}
		return 0
	}
	srv, f, err := serve(o)
	if err != nil {
		fmt.Fprintln(stderr, "jobboard-fake:", err)
		return 1
	}
	if o.json {
		_ = json.NewEncoder(stdout).Encode(f) // stdout may be closed
	} else {
		welcome(stdout, f)
	}

	<-ctx.Done()
	ending, cancel := context.WithTimeout(context.Background(), o.grace)
	defer cancel()
	switch err := srv.Shutdown(ending); {
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintf(stderr, "jobboard-fake: broke off what it was serving still after %v (-grace)\n", o.grace)
		return 1
	case err != nil:
		fmt.Fprintln(stderr, "jobboard-fake:", err)
		return 1
	}
	return 0
}

// built returns the version that the program was built from.
func built() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// serve starts the mock server and its control interface, and returns their
// addresses.
func serve(o options) (srv *jobboardtest.Server, f first, err error) {
	content, err := content(o.data)
	if err != nil {
		return nil, f, err
	}
	base, jobDB, err := listen(o.addr, o.jobDBAddr)
	if err != nil {
		return nil, f, err
	}
	prefix := strings.TrimRight(o.prefix, "/")
	srv = jobboardtest.NewServer(content, jobboardtest.WithListeners(base, jobDB),
		jobboardtest.WithPrefix(prefix+"/board", prefix+"/info"), jobboardtest.WithStrict(o.strict))
	defer func() {
		if err != nil {
			srv.Close()
		}
	}()
	f = first{
		BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, TokenURL: srv.TokenURL, AuthURL: srv.AuthURL,
		FeedURL: srv.FeedURL, DemoInfo: srv.Demo,
	}
	hosts := strings.FieldsFunc(o.controlHost, func(r rune) bool { return r == ',' || r == ' ' })
	if o.controlAddr == "" {
		f.ControlURL = control.Mount(srv, hosts...)
		return srv, f, nil
	}
	f.ControlURL, err = control.Listen(srv, o.controlAddr, hosts...)
	return srv, f, err
}

// health returns an error if no mock server answers at an address. It serves as the
// health check of containers that hold no other program.
func health(ctx context.Context, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/healthz", http.NoBody)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// content returns the board's first content: the state in the file, or the demo
// if the file does not exist.
func content(file string) (jobboardtest.Option, error) {
	f, err := os.Open(file)
	if file == "" || errors.Is(err, fs.ErrNotExist) {
		return jobboardtest.WithDemo(), nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := jobboardtest.ReadState(f)
	if err != nil {
		return nil, fmt.Errorf("%w (file %s)", err, file)
	}
	return jobboardtest.WithState(st), nil
}

// listen opens the listeners of both addresses. Without jobDBAddr it returns
// one listener twice.
func listen(addr, jobDBAddr string) (base, jobDB net.Listener, err error) {
	if base, err = net.Listen("tcp", addr); err != nil {
		return nil, nil, err
	}
	if jobDBAddr == "" {
		return base, base, nil
	}
	if jobDB, err = net.Listen("tcp", jobDBAddr); err != nil {
		base.Close()
		return nil, nil, err
	}
	return base, jobDB, nil
}

// welcome prints commands for a newcomer to try next.
func welcome(w io.Writer, f first) {
	fmt.Fprintf(w, "The job board is at %s and its job information at %s\n", f.BaseURL, f.JobDBURL)
	fmt.Fprintf(w, "See it, and break it, at %s\n", f.ControlURL)
	if f.Channel == "" {
		fmt.Fprintln(w, "It serves the state of the data file. Ctrl-C ends it.")
		return
	}
	jobs := f.BaseURL + "/api/rest/v3/frontend/jobs/"
	fmt.Fprintf(w, `Type this next, in another terminal:

  # nurses within 50 km of Berlin, in English
  curl -u %[1]s: -H 'Accept-Language: en' '%[2]s/api/rest/v2/frontend/jobboards/%[3]s/jobs?search=nurse&geoLocation=52.520014::13.373006::50'

  # what an application to a job needs
  curl '%[4]s/jobdb/public/apply/external?jobid=%[5]d'

  # has the applicant applied? no, yes, withdrawn (still yes), inactive, unknown
  curl -H 'Authorization: Bearer %[6]s' %[7]s%[5]d/applied
  curl -H 'Authorization: Bearer %[6]s' %[7]s%[8]d/applied
  curl -H 'Authorization: Bearer %[6]s' %[7]s%[9]d/applied
  curl -H 'Authorization: Bearer %[6]s' %[7]s%[10]d/applied
  curl -H 'Authorization: Bearer %[6]s' %[7]s%[11]d/applied

  # the identifier of the application
  curl -H 'Authorization: Bearer %[6]s' %[7]s%[8]d/application

  # a token of a client with a secret
  curl -u %[12]s:%[13]s -d grant_type=client_credentials %[2]s/api/rest/oauth/frontend/token

  # the settings of the command jobboard
  export JOBBOARD_BASE_URL=%[2]s JOBBOARD_JOBDB_URL=%[4]s JOBBOARD_CLIENT_ID=%[1]s JOBBOARD_USER_TOKEN=%[6]s JOBBOARD_CHANNEL=%[3]s JOBBOARD_JOB=%[5]d

-json prints all of this for a program, -help the flags. Ctrl-C ends it.
`, f.ClientID, f.BaseURL, f.Channel, f.JobDBURL, f.OpenJob, f.ApplicantToken, jobs, f.AppliedJob, f.WithdrawnJob, f.InactiveJob, f.UnknownJob,
		f.ConfidentialClient, f.ConfidentialSecret)
}
