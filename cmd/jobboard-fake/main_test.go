package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// The test binary is the program when it is asked to be, so that signals and
// kills meet a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("JOBBOARD_FAKE_AS_PROGRAM") != "" {
		main()
	}
	os.Exit(m.Run())
}

type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    *bufio.Reader
	stderr bytes.Buffer
}

func start(t *testing.T, args ...string) *program {
	t.Helper()
	p := &program{t: t, cmd: exec.Command(os.Args[0], args...)}
	p.cmd.Env = append(os.Environ(), "JOBBOARD_FAKE_AS_PROGRAM=1")
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = p.cmd.Process.Kill(), p.cmd.Wait() })
	p.out = bufio.NewReader(out)
	return p
}

func (p *program) line() string {
	p.t.Helper()
	s, err := p.out.ReadString('\n')
	if err != nil {
		_ = p.cmd.Wait()
		p.t.Fatalf("no line: %v; %s", err, &p.stderr)
	}
	return s
}

func (p *program) first() (m map[string]any) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.line()), &m); err != nil {
		p.t.Fatal(err)
	}
	return m
}

// interrupt asks for the end by SIGTERM and returns the exit code.
func (p *program) interrupt() int {
	p.t.Helper()
	if runtime.GOOS == "windows" {
		p.t.Skip("no signals here")
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

// ask is a call with a bearer token, or without one.
func ask(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(b)
}

func TestFirstLine(t *testing.T) {
	began := time.Now()
	p := start(t, "-addr", "127.0.0.1:0", "-json")
	m := p.first()
	if d := time.Since(began); d > 30*time.Second { // some 20 ms on an idle machine
		t.Errorf("it took %v to start", d)
	}
	for _, k := range []string{
		"base_url", "jobdb_url", "token_url", "auth_url", "feed_url", "control_url", "channel",
		"client_id", "client_token", "applicant_token", "expired_token",
	} {
		if s, ok := m[k].(string); !ok || s == "" {
			t.Errorf("%s is %v", k, m[k])
		}
	}
	for _, k := range []string{"open_job", "applied_job", "withdrawn_job", "inactive_job", "closed_job", "unknown_job"} {
		if n, ok := m[k].(float64); !ok || n <= 0 {
			t.Errorf("%s is %v", k, m[k])
		}
	}
	base, jobDB, token := m["base_url"].(string), m["jobdb_url"].(string), m["applicant_token"].(string)
	host, isBase := strings.CutSuffix(base, "/board")
	if !isBase || jobDB != host+"/info" || m["control_url"] != base+"/_fake/" {
		t.Errorf("%s and %s are not at one address", base, jobDB)
	}
	if status, body := ask(t, "GET", host+"/healthz", "", ""); status != 200 || body != "ok\n" {
		t.Errorf("health: %d %s", status, body)
	}
	if status, body := ask(t, "GET", host+"/", "", ""); status != 200 || !strings.Contains(body, "<title>Job board fake") {
		t.Errorf("the root leads to %d %.200s", status, body)
	}
	applied := func(job string) (int, string) {
		return ask(t, "GET", fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%.0f/applied", base, m[job]), token, "")
	}
	lookup := func(job string) string {
		_, body := ask(t, "GET", fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%.0f", jobDB, m[job]), "", "")
		return body
	}
	for job, want := range map[string]string{
		"open_job": "200 false", "applied_job": "200 true", "withdrawn_job": "200 true", "inactive_job": fmt.Sprintf("410 JobPosting inactive for jobId %.0f", m["inactive_job"]),
		"unknown_job": fmt.Sprintf(`404 { "code": "get_project_error", "message": "Project for jobId %.0f not available" }`, m["unknown_job"]),
	} {
		if status, body := applied(job); fmt.Sprintf("%d %s", status, body) != want {
			t.Errorf("%s: %d %s, want %s", job, status, body, want)
		}
	}
	for job, want := range map[string]string{"open_job": `"applyPossible":true`, "inactive_job": "ERROR_JOB_INACTIVE", "unknown_job": "ERROR_JOB_UNAVAILABLE"} {
		if body := lookup(job); !strings.Contains(body, want) {
			t.Errorf("lookup of %s: %.200s", job, body)
		}
	}
	for _, path := range []string{"/jobabo/x", "/api/rest/v2/frontend/jobabo/x"} {
		if status, body := ask(t, "DELETE", base+path, "", ""); status != 200 || body != "false" {
			t.Errorf("DELETE %s: %d %s", path, status, body)
		}
	}
	if code := p.interrupt(); code != 0 {
		t.Errorf("exit code %d: %s", code, &p.stderr)
	}
}

// An answer that never ends does not keep it from ending, one that is slow has
// the time that -grace gives.
func TestEndsWhateverItServes(t *testing.T) {
	for _, c := range []struct {
		fault string
		grace string // the first three end at once, however long that takes on a busy machine
		code  int
		says  string
	}{
		{`{"break":"stall-before"}`, "30s", 0, ""},
		{`{"break":"stall-body"}`, "30s", 0, ""},
		{`{"size":-1}`, "30s", 0, ""},
		{`{"delay":"1h"}`, "300ms", 1, "-grace"},
	} {
		p := start(t, "-addr", "127.0.0.1:0", "-json", "-grace", c.grace)
		m := p.first()
		if status, body := ask(t, "POST", m["control_url"].(string)+"faults", "", c.fault); status != http.StatusCreated {
			t.Fatalf("%s: %d %s", c.fault, status, body)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			res, err := http.Get(fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%.0f", m["jobdb_url"], m["open_job"]))
			if err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		}()
		if _, body := ask(t, "GET", m["control_url"].(string)+"requests/wait?count=1", "", ""); strings.TrimSpace(body) != `{"count":1}` {
			t.Fatalf("%s: it did not come: %s", c.fault, body)
		}
		if code := p.interrupt(); code != c.code || !strings.Contains(p.stderr.String(), c.says) {
			t.Errorf("%s: exit code %d: %s", c.fault, code, &p.stderr)
		}
		<-ended
	}
}

// What a newcomer is told to type works.
func TestWelcome(t *testing.T) {
	curl := testenv.Program(t, "curl", "")
	p := start(t, "-addr", "127.0.0.1:0")
	_, first, _ := strings.Cut(p.line(), "http://")
	base, _, _ := strings.Cut(first, " ") // leads a browser to the page, too
	_, page, _ := strings.Cut(strings.TrimSpace(p.line()), "http://")
	for _, address := range []string{base, base + "/", page} {
		status, body := ask(t, "GET", "http://"+address, "", "")
		if status != 200 || !strings.Contains(body, "<title>Job board fake</title>") {
			t.Errorf("no page at %s: %d %.100s", address, status, body)
		}
	}
	var lines []string
	settings := map[string]string{}
	for {
		l := strings.TrimSpace(p.line())
		if strings.HasPrefix(l, "curl ") {
			lines = append(lines, l)
		}
		if words := strings.Fields(l); len(words) > 0 && words[0] == "export" {
			for _, w := range words[1:] {
				name, value, _ := strings.Cut(w, "=")
				settings[strings.TrimPrefix(name, "JOBBOARD_")] = value
			}
		}
		if strings.HasPrefix(l, "-json") {
			break
		}
	}
	if len(lines) != 9 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	want := []string{`"title":"Registered Nurse`, `"applyPossible":true`, "false", "true", "true", "inactive", "not available", "", `"access_token":`}
	for i, l := range lines {
		out, err := exec.Command("sh", "-c", curl+" -s -S "+strings.TrimPrefix(l, "curl ")).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want[i]) || len(out) == 0 {
			t.Errorf("%s: %v: %.300s, want %s", l, err, out, want[i])
		}
	}
	for url, want := range map[string]string{
		settings["BASE_URL"] + "/api/rest/v3/frontend/jobs/" + settings["JOB"] + "/applied":                 "200 false",
		settings["JOBDB_URL"] + "/jobdb/public/apply/external?jobid=" + settings["JOB"]:                     `200 {"jobId":` + settings["JOB"],
		settings["BASE_URL"] + "/api/rest/v2/frontend/jobboards/" + settings["CHANNEL"] + "/jobs?search=xy": `200 {"itemsPerPage":`,
	} {
		if status, body := ask(t, "GET", url, settings["USER_TOKEN"], ""); !strings.HasPrefix(fmt.Sprint(status, " ", body), want) {
			t.Errorf("with %v %s: %d %.200s, want %s", settings, url, status, body, want)
		}
	}
	if len(settings) != 6 || !strings.Contains(lines[0], "-u "+settings["CLIENT_ID"]+": ") {
		t.Errorf("the settings are %v, and the first line %s", settings, lines[0])
	}
}

func TestFlags(t *testing.T) {
	p := start(t, "-addr", "127.0.0.1:0", "-jobdb-addr", "127.0.0.1:0", "-json", "-prefix", "/x/y/", "-strict")
	m := p.first()
	base, isBase := strings.CutSuffix(m["base_url"].(string), "/x/y/board")
	jobDB, isJobDB := strings.CutSuffix(m["jobdb_url"].(string), "/x/y/info")
	if !isBase || !isJobDB || base == jobDB {
		t.Errorf("the addresses are %s and %s", m["base_url"], m["jobdb_url"])
	}
	for addr, want := range map[string]int{
		strings.TrimPrefix(base, "http://"): 0, strings.Replace(base, "http://127.0.0.1", "0.0.0.0", 1): 0,
		strings.Replace(base, "http://127.0.0.1", "", 1): 0, strings.TrimPrefix(jobDB, "http://"): 0, "127.0.0.1:1": 1,
	} {
		var errs strings.Builder
		if code := run(t.Context(), []string{"-addr", addr, "-health"}, io.Discard, &errs); code != want || (code != 0) != (errs.Len() > 0) {
			t.Errorf("the health of %q: exit code %d, %s", addr, code, &errs)
		}
	}
	status, body := ask(t, "GET", m["base_url"].(string)+"/api/rest/v2/frontend/jobboards/27828_extern/jobs?page=2", m["client_token"].(string), "")
	if status != 400 || !strings.Contains(body, "section 4.1") {
		t.Errorf("strict: %d %s", status, body)
	}
	for _, c := range []struct {
		code int
		args []string
		says string
	}{
		{2, []string{"-nonsense"}, "-nonsense"},
		{2, []string{"argument"}, `"argument"`},
		{2, []string{"-save"}, "-save"},
		{2, []string{"-prefix", "a b"}, `"a b"`},
		{2, []string{"-prefix", "%41"}, `"%41"`},
		{2, []string{"-prefix", "*"}, `"*"`},
		{1, []string{"-addr", "nowhere.invalid:1"}, "nowhere.invalid"},
		{1, []string{"-data", "main.go/board.json"}, "open main.go/board.json"},
		{1, []string{"-data", "main.go"}, "(file main.go)"},
		{1, []string{"-addr", "127.0.0.1:0", "-jobdb-addr", "nowhere.invalid:1"}, "nowhere.invalid"},
		{1, []string{"-addr", "127.0.0.1:0", "-control-addr", "nowhere.invalid:1"}, "nowhere.invalid"},
	} {
		var out, errs strings.Builder
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if code := run(ctx, c.args, &out, &errs); code != c.code || !strings.Contains(errs.String(), c.says) || strings.Count(errs.String(), "\n") > 2 {
			t.Errorf("%q: exit code %d, %s", c.args, code, &errs)
		}
	}
	var out, errs strings.Builder
	if code := run(t.Context(), []string{"-h"}, &out, &errs); code != 0 || errs.Len() > 0 {
		t.Errorf("-h: exit code %d, %s", code, &errs)
	}
	for _, want := range []string{
		"jobboard-fake serves a job board that is not real, with demo data.\n\n", "-jobdb-addr host:port", `(default "127.0.0.1:8080")`, "(default 8s)",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("-h does not say %s: %s", want, &out)
		}
	}
}

// A program that answers, and not well, is not healthy; nor is an invalid address.
func TestHealthOfAnother(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer other.Close()
	for addr, want := range map[string]string{strings.TrimPrefix(other.URL, "http://"): "503 Service Unavailable", "localhost": "missing port", "[::1": "missing ']'"} {
		var errs strings.Builder
		if code := run(t.Context(), []string{"-addr", addr, "-health"}, io.Discard, &errs); code != 1 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d, %s", addr, code, &errs)
		}
	}
}

// A start that fails halfway leaves no address taken.
func TestFailedStartTakesNoAddress(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	for _, wrong := range []string{"-jobdb-addr", "-control-addr"} {
		var errs strings.Builder
		if code := run(t.Context(), []string{"-addr", addr, wrong, "nowhere.invalid:1"}, io.Discard, &errs); code != 1 || !strings.Contains(errs.String(), "nowhere.invalid") {
			t.Errorf("%s: exit code %d, %s", wrong, code, &errs)
		}
		again, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatalf("after a wrong %s: %v", wrong, err)
		}
		again.Close()
	}
}

// A board of somebody's own has no demo to try, and the welcome says so.
func TestWelcomeWithoutDemo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "board.json")
	if err := os.WriteFile(file, []byte(`{"channels":[{"id":"mine"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := run(ctx, []string{"-addr", "127.0.0.1:0", "-data", file}, &out, &errs); code != 0 || errs.Len() > 0 {
		t.Errorf("exit code %d, %s", code, &errs)
	}
	if !strings.HasSuffix(out.String(), "It serves the state of the data file. Ctrl-C ends it.\n") || strings.Contains(out.String(), "curl") {
		t.Errorf("it says %s", &out)
	}
}

// A second signal ends it at once, whatever it serves and however long that may take.
func TestSecondSignal(t *testing.T) {
	p := start(t, "-addr", "127.0.0.1:0", "-json", "-grace", "1h")
	m := p.first()
	ask(t, "POST", m["control_url"].(string)+"faults", "", `{"delay":"1h"}`)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if res, err := http.Get(fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%.0f", m["jobdb_url"], m["open_job"])); err == nil {
			res.Body.Close()
		}
	}()
	ask(t, "GET", m["control_url"].(string)+"requests/wait?count=1", "", "")
	if runtime.GOOS == "windows" {
		t.Skip("no signals here")
	}
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	deadline := time.After(time.Minute)
	for ending := false; !ending; { // the first signal that the program notices counts
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		select {
		case err := <-done:
			if ending = true; err == nil || p.cmd.ProcessState.ExitCode() != -1 {
				t.Errorf("it ended by itself: %v, exit code %d", err, p.cmd.ProcessState.ExitCode())
			}
		case <-deadline:
			t.Fatal("it goes on")
		case <-time.After(20 * time.Millisecond):
		}
	}
	<-ended
}

// The state that the control interface gives, kept in a file, is where the next start begins; the
// file is only read.
func TestStateFromFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "board.json")
	p := start(t, "-addr", "127.0.0.1:0", "-json", "-data", file)
	m := p.first()
	ask(t, "POST", m["base_url"].(string)+"/jobabo?channel=27828_extern&types=rss", "", "")
	status, state := ask(t, "GET", m["control_url"].(string)+"state", "", "")
	if code := p.interrupt(); code != 0 || status != 200 {
		t.Errorf("status %d, exit code %d: %s", status, code, &p.stderr)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it wrote the file that it was to read: %v", err)
	}
	if err := os.WriteFile(file, []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	again := start(t, "-addr", "127.0.0.1:0", "-json", "-data", file)
	n := again.first()
	if n["applicant_token"] != m["applicant_token"] || n["open_job"] != m["open_job"] {
		t.Errorf("after a restart: %v", n)
	}
	if _, all := ask(t, "GET", n["control_url"].(string)+"subscriptions", "", ""); strings.Count(all, `"channel":"27828_extern"`) != 1 {
		t.Errorf("subscriptions after a restart: %s", all)
	}
	ask(t, "POST", n["base_url"].(string)+"/jobabo?channel=27828_extern&types=rss", "", "")
	again.interrupt()
	if now, err := os.ReadFile(file); string(now) != state || err != nil {
		t.Errorf("the file has changed: %v", err)
	}
}

// The control interface is at the base address, or at one of its own, and what
// it changes is seen.
func TestControl(t *testing.T) {
	for _, own := range []bool{false, true} {
		args := []string{"-addr", "127.0.0.1:0", "-json", "-prefix", "/x"}
		if own {
			args = append(args, "-control-addr", "0.0.0.0:0", "-control-host", "fake.example.com, other.example.com")
		}
		p := start(t, args...)
		m := p.first()
		base, url := m["base_url"].(string), m["control_url"].(string)
		if at := strings.HasPrefix(url, base+"/_fake/"); at == own || !strings.HasPrefix(url, "http://127.0.0.1:") {
			t.Errorf("control_url is %s beside %s", url, base)
		}
		if status, _ := ask(t, "GET", base+"/_fake/info", "", ""); own != (status == 404) {
			t.Errorf("at the base address: %d", status)
		}
		req, _ := http.NewRequestWithContext(t.Context(), "GET", url+"info", nil)
		req.Host = "other.example.com"
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if own != (res.StatusCode == 200) {
			t.Errorf("under a name that is allowed %v: %d", own, res.StatusCode)
		}
		job, token := fmt.Sprintf("%.0f", m["open_job"]), m["applicant_token"].(string)
		if status, body := ask(t, "POST", url+"applications", "", `{"applicant_id":7,"job_id":`+job+`}`); status != 201 {
			t.Errorf("apply: %d %s", status, body)
		}
		if _, body := ask(t, "GET", base+"/api/rest/v3/frontend/jobs/"+job+"/applied", token, ""); body != "true" {
			t.Errorf("after it: %s", body)
		}
		if code := p.interrupt(); code != 0 {
			t.Errorf("exit code %d: %s", code, &p.stderr)
		}
	}
}

// Asked to end, it finishes what it serves, and does not wait for a page that
// is left open.
func TestTermFinishesWhatItServes(t *testing.T) {
	for _, own := range []bool{false, true} {
		args := []string{"-addr", "127.0.0.1:0", "-json"}
		if own {
			args = append(args, "-control-addr", "127.0.0.1:0")
		}
		p := start(t, args...)
		m := p.first()
		url := m["control_url"].(string)
		ask(t, "POST", url+"faults", "", `{"operation":"applied","delay":"1s"}`)
		page, err := net.Dial("tcp", strings.Split(url, "/")[2]) // a browser that has connected and asks nothing
		if err != nil {
			t.Fatal(err)
		}
		defer page.Close()

		type answer struct {
			body string
			err  error
		}
		got := make(chan answer, 1)
		go func() {
			req, _ := http.NewRequest("GET", fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%.0f/applied", m["base_url"], m["applied_job"]), nil)
			req.Header.Set("Authorization", "Bearer "+m["applicant_token"].(string))
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				got <- answer{err: err}
				return
			}
			defer res.Body.Close()
			b, err := io.ReadAll(res.Body)
			got <- answer{string(b), err}
		}()
		if status, body := ask(t, "GET", url+"requests/wait?count=1&operation=applied", "", ""); status != 200 {
			t.Fatalf("the call did not come in: %d %s", status, body)
		}
		// Were it held up by the page that goes on listening, it would give up
		// and say so.
		if code := p.interrupt(); code != 0 {
			t.Errorf("exit code %d: %s", code, &p.stderr)
		}
		if a := <-got; a.err != nil || a.body != "true" {
			t.Errorf("what was being served ended with %q, %v", a.body, a.err)
		}
	}
}

func TestVersion(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-version"}, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("code %d, %s", code, &stderr)
	}
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	if want := "jobboard-fake " + version + " " + runtime.Version() + "\n"; stdout.String() != want {
		t.Errorf("%q, want %q", stdout.String(), want)
	}
}
