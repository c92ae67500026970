package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// result is what a run of the program left behind.
type result struct {
	code     int
	out, err string
}

// process is a process to run the program in.
type process struct {
	app
	env map[string]string
}

func newProcess() *process { return &process{env: map[string]string{}} }

func (p *process) set(name, value string) *process {
	p.env["JOBBOARD_"+name] = value
	return p
}

// pointAt sets the environment for a fake with the demo's data.
func (p *process) pointAt(srv *jobboardtest.Server) *process {
	d := srv.Demo
	return p.set("BASE_URL", srv.BaseURL).set("JOBDB_URL", srv.JobDBURL).set("CLIENT_ID", d.ClientID).
		set("USER_TOKEN", d.ApplicantToken).set("CHANNEL", d.Channel).set("JOB", fmt.Sprint(d.OpenJob))
}

func (p *process) run(t *testing.T, args ...string) result {
	t.Helper()
	return p.runContext(t.Context(), t, args...)
}

func (p *process) runContext(ctx context.Context, t *testing.T, args ...string) result {
	t.Helper()
	a := &app{
		stdin: p.stdin, outTerminal: p.outTerminal, errTerminal: p.errTerminal, now: p.now, defaultConfig: p.defaultConfig,
		startFake: p.startFake, transport: p.transport, memory: p.memory, askSecret: p.askSecret, showInput: p.showInput,
		getenv: func(name string) string { return p.env[name] },
	}
	var out, errOut bytes.Buffer
	a.stdout, a.stderr = &out, &errOut
	if p.stdout != nil {
		a.stdout = p.stdout
	}
	if a.stdin == nil {
		a.stdin = strings.NewReader("")
	}
	if a.now == nil {
		a.now = time.Now
	}
	code := a.run(ctx, args)
	return result{code, out.String(), errOut.String()}
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

// demo is a fake that bears what a strict one reports: doctor asks without a
// credential on purpose.
func demo(t *testing.T, opts ...jobboardtest.Option) *jobboardtest.Server {
	t.Helper()
	srv := jobboardtest.NewServer(append([]jobboardtest.Option{jobboardtest.WithDemo()}, opts...)...)
	t.Cleanup(srv.Close)
	return srv
}

func file(t *testing.T, name, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask says
		t.Fatal(err)
	}
	return path
}

func TestEveryCommandWorksWithNoSetUp(t *testing.T) {
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"search"}, []string{"POSTING", "Pflegefachkraft (m/w/d)", "42 of 42 postings"}},
		{[]string{"search", "--near", "52.52,13.405", "--radius", "50"}, []string{
			"600100   Pflegefachkraft (m/w/d)                 Berlin           Lindenhof Kliniken GmbH  2026-01-05",
			"600177   Data Analyst (f/m/x)                    Berlin, remote   Lindenhof Logistik GmbH  2026-01-16",
			"11 of 11 postings within 50 km of 52.52, 13.405",
			"4 of them name a place beyond the circle (Wien, München)",
		}},
		{[]string{"search", "--near", "geo:52.52,13.405", "--text", "data"}, []string{"Data Analyst", "1 of 1 postings"}},
		{[]string{"search", "data", "analyst"}, []string{"Data Analyst", "1 of 1 postings"}},
		{[]string{"search", "--text", "nothing has this"}, []string{"0 of 0 postings"}},
		{[]string{"info"}, []string{
			"Pflegefachkraft (m/w/d)", "job            2797227", "company        Lindenhof Gruppe",
			"applying       possible", "privacy        https://www.lindenhof.example/datenschutz", "nationalities  202",
			"1. Haben Sie einen Führerschein der Klasse B?", "yes or no, question 8", "- Ja (2900101)", "one of a list, question -1",
		}},
		{[]string{"status"}, []string{"job 2797227: the applicant may apply", "applied check  has not applied"}},
		{[]string{"apply-form"}, []string{
			`<html lang="de">`, `<input type="radio" name="q8" value="2900101" required> Ja`, `<textarea name="q10"`,
			`<select name="q11" required>`, `<select name="nationality">`, `href="https://www.lindenhof.example/datenschutz"`, "It is sent nowhere",
		}},
		{[]string{"apply-form", "--text"}, []string{"3. Warum möchten Sie bei uns arbeiten?", "Nationality: one of 202"}},
		{[]string{"feed"}, []string{"open                   42", "inactive               1", "46 entries, 46 different jobs"}},
		{[]string{"doctor"}, []string{"10 ok, 0 warnings, 0 failed, 0 skipped"}},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			r := newProcess().run(t, append(test.args, "--fake")...).want(t, exitOK, test.want...)
			if r.err != "" {
				t.Errorf("standard error: %s", r.err)
			}
			if strings.ContainsAny(r.out, "\x1b\r") {
				t.Errorf("control characters without a terminal:\n%q", r.out)
			}
		})
	}
}

func TestSearchJSON(t *testing.T) {
	var page struct {
		TotalNumberOfJobs int `json:"totalNumberOfJobs"`
		Results           []struct {
			JobPostingID int                 `json:"jobPostingId"`
			Config       map[string][]string `json:"config"`
		} `json:"results"`
	}
	r := newProcess().run(t, "search", "--fake", "--json").want(t, exitOK)
	if err := json.Unmarshal([]byte(r.out), &page); err != nil {
		t.Fatal(err)
	}
	if page.TotalNumberOfJobs != 42 || len(page.Results) != 42 || len(page.Results[0].Config["platform_internalAdText"]) == 0 {
		t.Errorf("%d hits, %d results", page.TotalNumberOfJobs, len(page.Results))
	}
	r = newProcess().run(t, "search", "--fake", "--jsonl").want(t, exitOK)
	lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
	if len(lines) != 42 {
		t.Errorf("%d lines, want 42", len(lines))
	}
	for _, line := range lines {
		var posting struct {
			Title string `json:"title"`
		}
		if err := json.Unmarshal([]byte(line), &posting); err != nil || posting.Title == "" {
			t.Errorf("%v: %s", err, line)
		}
	}
}

// firstWrite closes a channel when something is written.
type firstWrite struct {
	io.Writer
	came chan struct{}
}

func (w *firstWrite) Write(p []byte) (int, error) {
	select {
	case <-w.came:
	default:
		close(w.came)
	}
	return w.Writer.Write(p)
}

// A stalled answer must not keep the postings that came.
func TestSearchJSONLStreams(t *testing.T) {
	srv := demo(t)
	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Break: jobboardtest.StallBody, After: 20_000})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out bytes.Buffer
	p := newProcess().pointAt(srv)
	w := &firstWrite{&out, make(chan struct{})}
	p.stdout = w
	go func() {
		<-w.came
		cancel()
	}()
	if r := p.runContext(ctx, t, "search", "--jsonl"); r.code != exitInterrupted {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
	if !strings.HasPrefix(out.String(), `{"jobPostingId":`) {
		t.Errorf("nothing came before the end: %q", out.String())
	}
}

// A table is printed when the whole answer is there, so one that is cut off can
// be asked for again.
func TestTableOfARepeatedSearch(t *testing.T) {
	srv := demo(t)
	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Break: jobboardtest.CutBody, After: 20_000, Times: 1})
	newProcess().pointAt(srv).run(t, "search").want(t, exitOK, "POSTING", "Pflegefachkraft")
	if n := srv.Count(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// fullDisk takes some bytes, and no more.
type fullDisk struct{ free int }

func (w *fullDisk) Write(p []byte) (int, error) {
	if n := w.free; n < len(p) {
		w.free = 0
		return n, syscall.ENOSPC
	}
	w.free -= len(p)
	return len(p), nil
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	srv := demo(t)
	for _, args := range [][]string{
		{"search"},
		{"search", "--json"},
		{"search", "--jsonl"},
		{"feed", "--fake"},
		{"feed", "--fake", "--csv"},
		{"info"},
		{"status"},
		{"apply-form"},
		{"apply-form", "--text"},
		{"doctor"},
		{"watch", "--once", "--state", filepath.Join(t.TempDir(), "state.json")},
		{"--version"},
		{"--help"},
		{"help", "search"},
		{"completion", "bash"},
		{},
	} {
		for _, free := range []int{0, 20} {
			p := newProcess().pointAt(srv)
			p.stdout = &fullDisk{free}
			p.run(t, args...).want(t, exitUnexpected).wantErr(t, syscall.ENOSPC.Error())
		}
	}
}

func TestTableFitsTheTerminal(t *testing.T) {
	srv := jobboardtest.NewServer()
	t.Cleanup(srv.Close)
	srv.AddChannel(jobboardtest.Channel{ID: "1_x"})
	srv.AddClient(jobboardtest.Client{ID: "10"})
	titles := []string{
		"Leiter der Abteilung für außerordentlich lange Stellenbezeichnungen mit vielen Wörtern und einem Ende (m/w/d)",
		"Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftsvorsitzender",
		"高级软件工程师负责后端系统的设计与开发以及团队的技术指导工作和代码审查", "Nurse 👩‍⚕️ for nights and weekends, with bonus and a long tail of words",
		strings.Repeat("Cafe\u0301leiter ", 12), strings.Repeat("🇩🇪 Fahne ", 20),
	}
	for _, title := range titles {
		j := srv.AddJob(jobboardtest.Job{Title: title})
		srv.AddPosting(jobboardtest.Posting{
			JobID: j.ID, Channels: []string{"1_x"}, Title: title,
			Config: map[string][]string{"ProjectLocationGerman": {"Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch, Wales"}, "ProjectCompanyNameGerman": {"Acme Gesellschaft mit beschränkter Haftung & Co. Kommanditgesellschaft"}},
		})
	}
	process := func(width int) *process {
		p := newProcess().set("BASE_URL", srv.BaseURL).set("CLIENT_ID", "10").set("CHANNEL", "1_x")
		p.outTerminal = terminal{tty: width > 0, width: width}
		return p
	}
	for _, width := range []int{40, 60, 80, 100, 160} {
		r := process(width).run(t, "search").want(t, exitOK, "6 of 6 postings")
		rows := strings.Split(r.out, "\n")[:1+len(titles)]
		company := -1 // the column in which the companies begin
		for _, row := range rows {
			if n := runewidth.StringWidth(row); n > width {
				t.Errorf("width %d: a line of %d: %s", width, n, row)
			}
			before, _, _ := strings.Cut(row, "Acme Ge")
			if before == row {
				continue
			}
			if at := runewidth.StringWidth(before); company >= 0 && at != company {
				t.Errorf("width %d: a company begins at %d, another at %d:\n%s", width, at, company, r.out)
			} else {
				company = at
			}
		}
		if width >= 60 && company < 0 {
			t.Errorf("width %d: no company:\n%s", width, r.out)
		}
		for i, row := range rows[1:] {
			if !strings.Contains(row, "…") {
				t.Errorf("width %d: %q is not cut: %s", width, titles[i], row)
			}
		}
	}
	r := process(0).run(t, "search").want(t, exitOK)
	for _, title := range titles {
		if !strings.Contains(r.out, strings.TrimSpace(printable(title))) {
			t.Errorf("a pipe has no %q:\n%s", title, r.out)
		}
	}
}

func TestColourOnlyOnTerminals(t *testing.T) {
	for _, test := range []struct {
		terminal terminal
		want     bool
	}{
		{terminal{}, false},
		{terminal{tty: true, width: 80}, false}, // NO_COLOR
		{terminal{tty: true, width: 80, color: true}, true},
	} {
		for _, command := range []string{"search", "doctor", "info", "status"} {
			p := newProcess()
			p.outTerminal, p.errTerminal = test.terminal, test.terminal
			r := p.run(t, command, "--fake").want(t, exitOK)
			if got := strings.Contains(r.out, "\x1b["); got != test.want {
				t.Errorf("%s on %+v: colour %t", command, test.terminal, got)
			}
		}
	}
}

func TestServiceTextsCannotActOnTheTerminal(t *testing.T) {
	const evil = "Nurse\x1b]0;owned\x07\x1b[2J\u009b31m\u202egnp.exe\nnext line"
	srv := demo(t)
	srv.UpdateJob(srv.Demo.OpenJob, func(j *jobboardtest.Job) {
		j.Title, j.Questions[0].Label = evil, evil
	})
	for _, p := range srv.Snapshot().Postings {
		if p.JobID == srv.Demo.OpenJob {
			p.Title, p.Translations = evil, nil
			srv.AddPosting(p)
		}
	}
	for _, args := range [][]string{
		{"search"},
		{"search", "--json"},
		{"search", "--jsonl"},
		{"info"},
		{"info", "--json"},
		{"status"},
		{"status", "--json"},
		{"apply-form"},
		{"apply-form", "--text"},
		{"watch", "--once", "--state", filepath.Join(t.TempDir(), "state")},
	} {
		r := newProcess().pointAt(srv).run(t, args...).want(t, exitOK)
		if i := strings.IndexAny(r.out, "\x1b\x07\u009b\u202e"); i >= 0 {
			t.Errorf("%v: %q", args, r.out[i:min(i+20, len(r.out))])
		}
		for line := range strings.SplitSeq(r.out, "\n") {
			if strings.HasPrefix(line, "next line") {
				t.Errorf("%v: a title makes a line of its own", args)
			}
		}
	}
	// JSON keeps the text as it is, escaped.
	r := newProcess().pointAt(srv).run(t, "info", "--json")
	var info struct {
		JobTitle string `json:"jobTitle"`
	}
	if err := json.Unmarshal([]byte(r.out), &info); err != nil || info.JobTitle != evil {
		t.Errorf("%v: %q", err, info.JobTitle)
	}
}

func TestSafeJSON(t *testing.T) {
	for _, s := range []string{"plain", "\u007f\u0085\u200f", "\U000e0001 tag", "ok 👍 ü\n", ""} {
		in, _ := json.Marshal(s)
		var back string
		if out := safeJSON(in); json.Unmarshal(out, &back) != nil || back != s || bytes.ContainsFunc(out, needsEscape) {
			t.Errorf("%q became %q", in, out)
		}
	}
}

func TestExitCodes(t *testing.T) {
	srv := demo(t)
	d := srv.Demo
	id := func(n int64) string { return fmt.Sprint(n) }
	refused := httptest.NewServer(http.NotFoundHandler())
	refused.Close()
	for _, test := range []struct {
		name   string
		fault  jobboardtest.Fault
		change func(p *process)
		args   []string
		code   int
		err    string
	}{
		{name: "ok", args: []string{"search"}, code: exitOK},
		{name: "unknown channel", args: []string{"search", "--channel", "x"}, code: exitOK, err: "a channel that does not exist"},
		{name: "unknown flag", args: []string{"search", "--nope"}, code: exitUsage, err: "unknown flag: --nope"},
		{name: "unknown command", args: []string{"serch"}, code: exitUsage, err: "search"},
		{name: "help of nothing", args: []string{"help", "serch"}, code: exitUsage, err: "search"},
		{name: "too many arguments", args: []string{"info", "1", "2"}, code: exitUsage, err: `one argument too many: "2"`},
		{name: "an argument for none", args: []string{"doctor", "x"}, code: exitUsage, err: `one argument too many: "x"`},
		{name: "both forms", args: []string{"search", "--json", "--jsonl"}, code: exitUsage, err: "--json and --jsonl exclude each other"},
		{name: "two texts", args: []string{"search", "nurse", "--text", "cook"}, code: exitUsage, err: `"nurse" and --text`},
		{name: "no number", args: []string{"search", "--near", "Berlin", "--radius", "far"}, code: exitUsage, err: `--radius: "far" is not a number`},
		{name: "no feed", args: []string{"feed"}, code: exitUsage, err: "no feed is named"},
		{name: "bad place", args: []string{"search", "--near", "here"}, code: exitUsage, err: "--near 52.52,13.405"},
		{name: "place off the globe", args: []string{"search", "--near", "152,13"}, code: exitUsage},
		{name: "radius alone", args: []string{"search", "--radius", "5"}, code: exitUsage, err: "--near"},
		{name: "bad job", args: []string{"info", "abc"}, code: exitUsage, err: "not a positive number"},
		{name: "bad language", args: []string{"search", "--language", "d\ne"}, code: exitUsage},
		{name: "bad timeout", args: []string{"search", "--timeout", "soon"}, code: exitUsage, err: "10s"},
		{name: "no base address", change: func(p *process) { delete(p.env, "JOBBOARD_BASE_URL") }, args: []string{"search"}, code: exitUsage, err: "JOBBOARD_BASE_URL"},
		{name: "no lookup address", change: func(p *process) { delete(p.env, "JOBBOARD_JOBDB_URL") }, args: []string{"info"}, code: exitUsage, err: "JOBBOARD_JOBDB_URL"},
		{name: "no channel", change: func(p *process) { delete(p.env, "JOBBOARD_CHANNEL") }, args: []string{"search"}, code: exitUsage, err: "JOBBOARD_CHANNEL"},
		{name: "no user", change: func(p *process) { delete(p.env, "JOBBOARD_USER_TOKEN") }, args: []string{"status"}, code: exitUsage, err: "JOBBOARD_USER_TOKEN"},
		{name: "no credential", change: func(p *process) {
			delete(p.env, "JOBBOARD_CLIENT_ID")
			delete(p.env, "JOBBOARD_USER_TOKEN")
		}, args: []string{"search"}, code: exitUsage, err: "needs a credential"},
		{name: "unknown client", change: func(p *process) { p.set("CLIENT_ID", "99") }, args: []string{"search"}, code: exitCredential, err: "jobboard doctor"},
		{name: "expired applicant", change: func(p *process) { p.set("USER_TOKEN", d.ExpiredToken) }, args: []string{"status", id(d.OpenJob)}, code: exitCredential},
		{name: "scope", change: func(p *process) { delete(p.env, "JOBBOARD_CLIENT_ID"); p.set("USER_TOKEN", d.NarrowToken) }, args: []string{"search"}, code: exitCredential},
		{name: "inactive", args: []string{"info", id(d.InactiveJob)}, code: exitNo, err: "job inactive"},
		{name: "unknown job", args: []string{"info", id(d.UnknownJob)}, code: exitNo, err: "job unavailable"},
		{name: "unpublished", args: []string{"info", id(d.UnpublishedJob)}, code: exitNo, err: "posting unavailable"},
		{name: "closed is still information", args: []string{"info", id(d.ClosedJob)}, code: exitOK},
		{name: "no form of a closed job", args: []string{"apply-form", id(d.ClosedJob)}, code: exitNo, err: "takes no applications"},
		{name: "status closed", args: []string{"status", id(d.ClosedJob)}, code: exitNo},
		{name: "status applied", args: []string{"status", id(d.AppliedJob)}, code: exitNo},
		{name: "status withdrawn", args: []string{"status", id(d.WithdrawnJob)}, code: exitNo},
		{name: "status inactive", args: []string{"status", id(d.InactiveJob)}, code: exitNo},
		{name: "status internal", args: []string{"status", id(d.InternalJob)}, code: exitNo},
		{name: "status of another company", args: []string{"status", id(d.OtherCompanyJob)}, code: exitNo},
		{name: "server", fault: jobboardtest.Fault{Status: 500, Body: "boom"}, args: []string{"search"}, code: exitService, err: "try again later"},
		{name: "rate", fault: jobboardtest.Fault{Status: 429, Header: http.Header{"Retry-After": {"3600"}}}, args: []string{"search"}, code: exitService},
		{name: "redirect", fault: jobboardtest.Fault{Status: 302, Header: http.Header{"Location": {"https://elsewhere.example/"}}}, args: []string{"search"}, code: exitService},
		{name: "login page", fault: jobboardtest.Fault{
			Header: http.Header{"Content-Type": {"text/html"}}, Body: "<!DOCTYPE html><title>Sign in</title>",
		}, args: []string{"search"}, code: exitService},
		{name: "strange status", fault: jobboardtest.Fault{Status: 418, Body: "tea"}, args: []string{"info"}, code: exitService},
		{name: "reset", fault: jobboardtest.Fault{Break: jobboardtest.ResetBefore}, args: []string{"info"}, code: exitNetwork},
		{name: "time-out", fault: jobboardtest.Fault{Break: jobboardtest.StallBefore}, args: []string{"info", "--timeout", "50ms"}, code: exitNetwork},
		{name: "refused", change: func(p *process) { p.set("BASE_URL", refused.URL) }, args: []string{"search"}, code: exitNetwork},
		{name: "unwritable", args: []string{"search", "--map", filepath.Join(t.TempDir(), "no", "such.svg")}, code: exitUnexpected},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer srv.LiftFaults()
			if !isZeroFault(test.fault) {
				srv.Fail(test.fault)
			}
			p := newProcess().pointAt(srv)
			if test.change != nil {
				test.change(p)
			}
			p.run(t, append(test.args, "--attempts", "1")...).want(t, test.code).wantErr(t, test.err)
		})
	}
}

func isZeroFault(f jobboardtest.Fault) bool {
	b, _ := json.Marshal(f)
	return string(b) == "{}"
}

func TestInterrupt(t *testing.T) {
	for _, args := range [][]string{{"search"}, {"search", "--json"}, {"info"}, {"status"}, {"feed", "FEED"}, {"watch"}, {"doctor"}} {
		t.Run(args[0], func(t *testing.T) {
			srv := demo(t)
			srv.Fail(jobboardtest.Fault{Break: jobboardtest.StallBefore})
			for i := range args {
				if args[i] == "FEED" {
					args[i] = file(t, "feed.xml", sampleFeed(srv.Demo.OpenJob), 0o600)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				_ = srv.Wait(t.Context(), 1)
				cancel()
			}()
			r := newProcess().pointAt(srv).runContext(ctx, t, args...).want(t, exitInterrupted)
			if r.err != "jobboard: interrupted\n" {
				t.Errorf("standard error: %q", r.err)
			}
		})
	}
}

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
		run(t, "search").want(t, exitOK, "42 of 42")
	cancel()
	if r := <-done; r.code != exitOK {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
	newProcess().set("BASE_URL", first.BaseURL).set("CHANNEL", first.Channel).set("CLIENT_ID", first.ClientID).
		run(t, "search", "--attempts", "1").want(t, exitNetwork)

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	newProcess().runContext(ctx, t, "fake").want(t, exitOK, "export JOBBOARD_BASE_URL=http://127.0.0.1:", "export JOBBOARD_CHANNEL=27828_extern")
	newProcess().run(t, "fake", "--addr", "256.0.0.1:1").want(t, exitUsage)
}

func TestCompletionAndHelp(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := newProcess().run(t, "completion", shell).want(t, exitOK); len(r.out) < 500 {
			t.Errorf("%s: %q", shell, r.out)
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "csh"}, {"completion", "bash", "zsh"}} {
		if r := newProcess().run(t, args...).want(t, exitUsage); r.out != "" {
			t.Errorf("%v: %q on standard output", args, r.out)
		}
	}
	newProcess().run(t, "__complete", "se").want(t, exitOK, "search")
	newProcess().run(t, "__complete", "help", "").want(t, exitOK, "settings\tflags of every command", "search\t")
	newProcess().run(t).want(t, exitOK, "Ask the service:", "completion", "jobboard help settings")
	newProcess().run(t, "help", "exit-codes").want(t, exitOK, "Exit codes:", "130")
	newProcess().run(t, "search", "--help").want(t, exitOK, "--map", "no coordinates")
}

// What the help says of exit codes and settings stands in README.md, too.
func TestReadme(t *testing.T) {
	body, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(exitHelp, "\n") {
		code, words, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || line[0] != ' ' {
			continue
		}
		if row := "| " + code + " | " + strings.TrimSpace(words) + " |"; !strings.Contains(string(body), row) {
			t.Errorf("README.md lacks %s", row)
		}
	}
	help := newProcess().run(t, "help", "settings").want(t, exitOK).out
	for _, s := range settingList {
		for _, name := range []string{"`" + s.env() + "`", "`--" + s.flag + "`", "`" + s.name + "`"} {
			if !strings.Contains(string(body), name) {
				t.Errorf("README.md lacks %s", name)
			}
		}
		if !strings.Contains(help, s.env()) {
			t.Errorf("the help lacks %s", s.env())
		}
	}
}

func TestWatchOnce(t *testing.T) {
	srv := demo(t)
	state := filepath.Join(t.TempDir(), "state.json")
	run := func(args ...string) result {
		return newProcess().pointAt(srv).run(t, append([]string{"watch", "--state", state, "--once"}, args...)...)
	}
	run().want(t, exitOK, "42 postings, nothing to compare with yet")
	run().want(t, exitOK, "42 postings, 0 new, 0 changed, 0 gone").without(t, "? ")
	if info, err := os.Stat(state); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v: the state is readable by others", err)
	}
	_, p := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Night Porter"})
	srv.DeactivateJob(srv.Demo.OpenJob)
	for _, q := range srv.Snapshot().Postings {
		if q.JobID == srv.Demo.AppliedJob {
			q.Title, q.VersionID = "Head Nurse", q.VersionID+1
			srv.AddPosting(q)
		}
	}
	run().want(t, exitOK, "42 postings, 1 new, 1 changed, 1 gone", fmt.Sprintf("+ %d  Night Porter", p.ID),
		"~ 600107  Head Nurse (was: Registered Nurse (f/m/x))", "- 600100  Pflegefachkraft (m/w/d)")
	srv.ActivateJob(srv.Demo.OpenJob)
	r := run("--jsonl").want(t, exitOK)
	var change struct {
		Change string `json:"change"`
		After  struct {
			Title string `json:"title"`
		} `json:"after"`
	}
	if err := json.Unmarshal([]byte(r.out), &change); err != nil || change.Change != "added" || change.After.Title != "Pflegefachkraft (m/w/d)" {
		t.Errorf("%v: %s", err, r.out)
	}

	// A page that is not all is not taken for postings gone, nor kept.
	srv.SetVariants(jobboardtest.Variants{PageSize: 10})
	run().want(t, exitOK, "0 gone", "? - ").wantErr(t, "may still be there")
	srv.SetVariants(jobboardtest.Variants{})
	run().want(t, exitOK, "43 postings, 0 new, 0 changed, 0 gone").without(t, "? ")

	run("--text", "nurse").want(t, exitUsage).wantErr(t, "different queries", "state file of its own")
	newProcess().pointAt(srv).run(t, "watch", "--once").want(t, exitUsage)
	newProcess().pointAt(srv).run(t, "watch", "--interval", "1ms").want(t, exitUsage)
	newProcess().pointAt(srv).run(t, "watch", "--once", "--state", file(t, "other", "no state", 0o600)).want(t, exitUsage).wantErr(t, "remove it")
	srv.Fail(jobboardtest.Fault{Status: 500, Operation: jobboardtest.OpSearch})
	run("--attempts", "1").want(t, exitService)

	for _, state := range []string{"null", "{}", `{"channel":"","postings":[]}`, "[]", "\x00"} {
		newProcess().pointAt(srv).run(t, "watch", "--once", "--state", file(t, "bad.json", state, 0o600)).want(t, exitUsage).wantErr(t, "not a state that watch has kept")
	}
}

func TestWatchInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var srv *jobboardtest.Server
		p := newProcess()
		p.startFake = func() *jobboardtest.Server {
			srv = jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
			return srv
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan result)
		go func() { done <- p.runContext(ctx, t, "watch", "--fake", "--interval", "1m", "--attempts", "1") }()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Night Porter"})
		time.Sleep(time.Minute)
		srv.Fail(jobboardtest.Fault{Status: 500, Operation: jobboardtest.OpSearch, Times: 1})
		time.Sleep(time.Minute)
		srv.DeactivateJob(srv.Demo.OpenJob)
		time.Sleep(time.Minute)
		cancel()
		r := (<-done).want(t, exitInterrupted, "42 postings, nothing to compare with yet", "43 postings, 1 new, 0 changed, 0 gone",
			"Night Porter", "42 postings, 0 new, 0 changed, 1 gone", "- 600100").wantErr(t, "next try in 1m0s", "jobboard: interrupted")
		if n := strings.Count(r.out, "postings"); n != 3 {
			t.Errorf("%d searches told, want 3:\n%s", n, r.out)
		}
	})
}

func TestWatchEndsWhenRefused(t *testing.T) {
	srv := demo(t)
	newProcess().pointAt(srv).set("CLIENT_ID", "99").run(t, "watch").want(t, exitCredential)
}

func TestApplyFormEscapes(t *testing.T) {
	srv := demo(t)
	srv.UpdateJob(srv.Demo.OpenJob, func(j *jobboardtest.Job) {
		j.Title, j.PrivacyURL = `<script>alert(1)</script>`, "javascript:alert(1)"
		j.Questions[0].Label = `"><img src=x onerror=alert(1)>`
		j.Questions[0].Answers[0].ID = `" onfocus="alert(1)`
	})
	r := newProcess().pointAt(srv).run(t, "apply-form", "--action", "/send").want(t, exitOK, `method="post" action="/send"`, "&lt;script&gt;")
	r.without(t, "<script>", "<img", `" onfocus="`, "javascript:", "sent nowhere")
	newProcess().pointAt(srv).run(t, "apply-form", "--action", "javascript:alert(1)").want(t, exitUsage)
	newProcess().pointAt(srv).run(t, "apply-form", "--action", "/send", "--text").want(t, exitUsage)

	srv.UpdateJob(srv.Demo.OpenJob, func(j *jobboardtest.Job) {
		j.Questions[0].ID, j.Questions[0].Answers[0].ID = "1\x1b[2J", "\x1b]0;title\a"
		j.Location.City, j.CompanyID = "", ""
	})
	newProcess().pointAt(srv).run(t, "apply-form").want(t, exitOK, `value="]0;title"`).without(t, "\x1b", "\a", "<p></p>", "<p>, ")
}
