package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/doctor"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// result holds the exit code and the output of a run of the program.
type result struct {
	code     int
	out, err string
}

// ran runs a command to its end. The environment is what is given.
func ran(t *testing.T, env map[string]string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return ranUntil(ctx, env, args...)
}

func ranUntil(ctx context.Context, env map[string]string, args ...string) result {
	var out, errOut bytes.Buffer
	p := &cli.Program{
		Console:  term.Console{Name: "jobboard-mirror", In: strings.NewReader(""), Out: &term.Output{W: &out}, Err: &errOut, Now: time.Now},
		Settings: setup.Reader{UserAgent: "jobboard-mirror", Getenv: func(name string) string { return env[name] }},
	}
	code := p.Run(ctx, args, commands)
	return result{code, out.String(), errOut.String()}
}

func TestEveryCommandWithNothingSetUp(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"refresh", "--fake"}, "feed demo "},
		{[]string{"status", "--fake"}, "channel 27828_extern de"},
		{[]string{"status", "--fake", "--json"}, `"sources": [`},
		{[]string{"search", "--fake", "--language", "en", "nurses"}, "Registered Nurse"},
		{[]string{"search", "--fake", "--json", "--near", "geo:52.52,13.37"}, `"evidence": "feed"`},
		{[]string{"search", "--fake", "--csv", "--fields", "job,km,title", "--limit", "1", "--near", "Berlin"}, "job,km,title\n2797"},
		{[]string{"search", "--fake", "--csv", "--limit", "1"}, "posting,job,language,km,title,place,company,evidence,seen\n"},
		{[]string{"search", "--fake", "--facets", "--limit", "1"}, "more with --after "},
		{[]string{"changes", "--fake"}, `"cause":"lookup"`},
		{[]string{"__complete", "search", "--near", "Heidelb"}, "Heidelberg\tDE\n"},
		{[]string{"version"}, "jobboard-mirror "},
		{[]string{"help", "exit-codes"}, "143"},
	} {
		if r := ran(t, nil, c.args...); r.code != setup.ExitOK || !strings.Contains(r.out, c.want) {
			t.Errorf("%q: %d, without %q:\n%s%s", c.args, r.code, c.want, r.out, r.err)
		}
	}
}

// A cursor of another search, or of other synonyms, leads to the first page, and a note says so.
func TestSearchAfterAnotherCursor(t *testing.T) {
	first := ran(t, nil, "search", "--fake", "--fields", "title", "--limit", "1")
	other := ran(t, nil, "search", "--fake", "--fields", "title", "--limit", "1", "--after", "x")
	line := func(r result) string { title, _, _ := strings.Cut(r.out, "more with"); return title }
	if other.code != setup.ExitOK || !strings.Contains(other.err, "first page") || line(first) == "" || line(other) != line(first) {
		t.Errorf("%v, in place of %v", other, first)
	}
}

// The built-in list as a file is one that Open takes, and a search with it finds what a word's synonym finds; a
// mistyped list is refused with its line.
func TestSynonyms(t *testing.T) {
	search := func(file string) result {
		return ran(t, nil, "search", "--fake", "--language", "de", "--fields", "title", "--synonyms", file, "Krankenpfleger")
	}
	own := filepath.Join(t.TempDir(), "own.txt")
	for _, c := range []struct {
		list, out, err string
		code           int
	}{
		{"Krankenpfleger, Softwareentwickler", "Softwareentwickler", "", setup.ExitOK},
		{"Koch, Köchin", "", "", setup.ExitOK},
		{"Koch, Köchin\nKrankenpfleger", "", "line 2: ", setup.ExitUsage},
		{strings.Repeat("#", 1<<20) + "\n", "", "1048576 bytes", setup.ExitUsage},
	} {
		if err := os.WriteFile(own, []byte(c.list), 0o600); err != nil {
			t.Fatal(err)
		}
		r := search(own)
		if found := strings.Contains(r.out, "Softwareentwickler"); r.code != c.code || !strings.Contains(r.err, c.err) || found != (c.out != "") {
			t.Errorf("%.40q: %v", c.list, r)
		}
	}
	if r := search(filepath.Join("..", "..", "jobmirror", "synonyms-de.txt")); r.code != setup.ExitOK {
		t.Error(r)
	}
	for _, none := range []string{"-", filepath.Join(t.TempDir(), "empty.txt")} {
		if none != "-" {
			if err := os.WriteFile(none, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if r := search(none); r.code != setup.ExitOK {
			t.Errorf("%s: %v", none, r)
		}
	}
	if r := search(filepath.Join(t.TempDir(), "none.txt")); r.code != setup.ExitUsage || !strings.Contains(r.err, "--synonyms") {
		t.Error(r)
	}
}

// What is named is copied beside the mock server, and what the environment names is not.
func TestSourcesBesideTheStandIn(t *testing.T) {
	feed := filepath.Join(t.TempDir(), "own.xml")
	if err := os.WriteFile(feed, []byte("<jobs></jobs>"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"JOBBOARD_CHANNEL": "of_the_environment"}
	r := ran(t, env, "refresh", "--fake", "--channels", "own_channel", "--feed", feed)
	for _, want := range []string{"channel own_channel ", "feed own.xml ", "channel 27828_extern de", "feed demo "} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%d, without %q:\n%s%s", r.code, want, r.out, r.err)
		}
	}
	if r.code != setup.ExitOK || strings.Contains(r.out, "of_the_environment") {
		t.Errorf("%d: %s%s", r.code, r.out, r.err)
	}
}

// What a board does not show any more, all at once, stays in the copy until a person accepts it.
func TestAcceptsRemovals(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	const channel, jobs = "own_channel", 12
	var postings []int64
	for range jobs {
		_, posting := srv.Publish(channel, jobboardtest.Job{Title: "Diver"})
		postings = append(postings, posting.ID)
	}
	env := map[string]string{"JOBBOARD_BASE_URL": srv.BaseURL, "JOBBOARD_JOBDB_URL": srv.JobDBURL, "JOBBOARD_CLIENT_ID": srv.Demo.ClientID}
	db := filepath.Join(t.TempDir(), "jobs.db")
	for i, step := range []struct {
		flag string
		left int
	}{{"", jobs}, {"", jobs}, {"--accept-removals", 0}} {
		if i == 1 {
			for _, posting := range postings {
				srv.RemovePosting(posting)
			}
		}
		args := append([]string{"refresh", "--db", db, "--channels", channel}, strings.Fields(step.flag)...)
		if r := ran(t, env, args...); r.code != setup.ExitOK {
			t.Fatal(r)
		}
		r := ran(t, nil, "search", "--db", db, "--fields", "posting", "--csv")
		if lines := strings.Count(r.out, "\n") - 1; r.code != setup.ExitOK || lines != step.left { // the first names the column
			t.Errorf("after refresh %d %s: %d postings, want %d: %s", i+1, step.flag, lines, step.left, r.err)
		}
	}
}

// The mock server is asked faster than a board, and under a name of its own, unless a flag says
// otherwise. A board has the mirror's own pace.
func TestPaceOfTheCopy(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	for _, c := range []struct {
		fake     bool
		copies   copying
		options  jobmirror.Options
		limit    float64
		name     string
		channels int
	}{
		{true, copying{}, jobmirror.Options{}, 500, "the mock server", 1},
		{true, copying{}, jobmirror.Options{Limit: -1, Board: "A"}, -1, "A", 1},
		{true, copying{channels: "b,c"}, jobmirror.Options{Limit: 0.5}, 0.5, "the mock server", 3},
		{false, copying{channels: "b"}, jobmirror.Options{}, 0, "", 1},
		{false, copying{channels: "b"}, jobmirror.Options{Limit: 7, Board: "A"}, 7, "A", 1},
	} {
		p := &cli.Program{Settings: setup.Reader{Getenv: func(name string) string {
			return map[string]string{"JOBBOARD_BASE_URL": srv.BaseURL, "JOBBOARD_CLIENT_ID": "10"}[name]
		}}}
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		p.Settings.AddFlags(flags)
		if err := flags.Set("fake", fmt.Sprint(c.fake)); err != nil {
			t.Fatal(err)
		}
		b, err := p.Settings.Read(flags)
		if err != nil {
			t.Fatal(err)
		}
		var m copied
		opts, _, err := m.options(&opening{p: p, db: &database{address: "x"}, copies: &c.copies, options: c.options}, b)
		if err != nil || opts.Limit != c.limit || opts.Board != c.name || len(opts.Channels) != c.channels {
			t.Errorf("%+v: limit %g, board %q, channels %v, %v", c, opts.Limit, opts.Board, opts.Channels, err)
		}
		p.Settings.Close()
	}
}

// What came from a channel that is not named any more stays, unless a flag says that it goes at
// once, and a search is narrowed by flags alone.
func TestChannelsOfACopy(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	for channel, title := range map[string]string{"1_a": "Diver", "1_b": "Baker"} {
		srv.Publish(channel, jobboardtest.Job{Title: title, Language: "en"})
	}
	env := map[string]string{
		"JOBBOARD_BASE_URL": srv.BaseURL, "JOBBOARD_JOBDB_URL": srv.JobDBURL, "JOBBOARD_CLIENT_ID": srv.Demo.ClientID,
		"JOBBOARD_MIRROR_DB": filepath.Join(t.TempDir(), "jobs.db"), "JOBBOARD_CHANNEL": "1_nobody", "JOBBOARD_LANGUAGE": "de",
	}
	found := func(args ...string) string {
		t.Helper()
		r := ran(t, env, append([]string{"search", "--csv", "--fields", "title"}, args...)...)
		if r.code != setup.ExitOK {
			t.Error(r)
		}
		titles := strings.Fields(r.out)[1:] // the first names the column
		slices.Sort(titles)
		return strings.Join(titles, " ")
	}
	for _, step := range []struct{ flags, found string }{
		{"--channels 1_a,1_b", "Baker Diver"},
		{"--channels 1_a", "Baker Diver"},
		{"--channels 1_a --remove-sources", "Diver"},
	} {
		if r := ran(t, env, append([]string{"refresh", "--rate", "-1"}, strings.Fields(step.flags)...)...); r.code != setup.ExitOK {
			t.Fatal(r)
		}
		if got := found(); got != step.found {
			t.Errorf("after refresh %s is found %q", step.flags, got)
		}
	}
	for args, want := range map[string]string{"--channel 1_a": "Diver", "--channel 1_b": "", "diver": "Diver", "baker": ""} {
		if got := found(strings.Fields(args)...); got != want {
			t.Errorf("%s: %q", args, got)
		}
	}
	// The language of the settings narrows no channel, which would lack the other postings.
	for _, r := range srv.Requests(jobboardtest.OpSearch) {
		if language := r.Header.Get("Accept-Language"); language == "de" {
			t.Errorf("%s was asked in %s", r.Path, language)
		}
	}
}

// The log of changes is told from a cursor on, and who follows it until it is
// interrupted has done nothing wrong.
func TestChanges(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	srv.Publish("1_a", jobboardtest.Job{Title: "Diver"})
	srv.Publish("1_a", jobboardtest.Job{Title: "Baker"})
	env := map[string]string{
		"JOBBOARD_BASE_URL": srv.BaseURL, "JOBBOARD_JOBDB_URL": srv.JobDBURL, "JOBBOARD_CLIENT_ID": srv.Demo.ClientID,
		"JOBBOARD_MIRROR_DB": filepath.Join(t.TempDir(), "jobs.db"),
	}
	if r := ran(t, env, "refresh", "--rate", "-1", "--channels", "1_a"); r.code != setup.ExitOK {
		t.Fatal(r)
	}
	all := ran(t, env, "changes")
	lines := strings.SplitAfter(strings.TrimSuffix(all.out, "\n"), "\n")
	if all.code != setup.ExitOK || len(lines) < 4 {
		t.Fatal(all)
	}
	var second struct{ Cursor string }
	if err := json.Unmarshal([]byte(lines[1]), &second); err != nil || second.Cursor == "" {
		t.Fatalf("%v: %s", err, lines[1])
	}
	for args, want := range map[string]string{
		"--since " + second.Cursor: strings.Join(lines[2:], ""),
	} {
		if r := ran(t, env, append([]string{"changes"}, strings.Fields(args)...)...); r.code != setup.ExitOK || strings.TrimSuffix(r.out, "\n") != strings.TrimSuffix(want, "\n") || r.err != "" {
			t.Errorf("changes %s: %d, %s\n%s\nwant\n%s", args, r.code, r.err, r.out, want)
		}
	}
	ctx, interrupt := context.WithCancel(t.Context())
	told, out := io.Pipe()
	p := &cli.Program{
		Console:  term.Console{Name: "jobboard-mirror", In: strings.NewReader(""), Out: &term.Output{W: out}, Err: io.Discard, Now: time.Now},
		Settings: setup.Reader{UserAgent: "jobboard-mirror", Getenv: func(name string) string { return env[name] }},
	}
	go func() {
		lines := bufio.NewScanner(told)
		for lines.Scan() {
			interrupt()
		}
	}()
	if code := p.Run(ctx, []string{"changes", "--follow"}, commands); code != setup.ExitOK || ctx.Err() == nil {
		t.Errorf("who follows until an interrupt gets %d", code)
	}
	told.Close()
}

// A reader asks the database alone: settings of the board that no client takes are nothing to it.
func TestReadsWhateverTheBoard(t *testing.T) {
	db := filepath.Join(t.TempDir(), "jobs.db")
	if r := ran(t, nil, "refresh", "--fake", "--db", db); r.code != setup.ExitOK {
		t.Fatal(r)
	}
	for _, env := range []map[string]string{
		{"JOBBOARD_BASE_URL": "https://jobs.example", "JOBBOARD_TOKEN": "t0ken", "JOBBOARD_CLIENT_ID": "10"},
		{"JOBBOARD_BASE_URL": "https://jobs.example", "JOBBOARD_CA_FILE": filepath.Join(t.TempDir(), "none.pem")},
		{"JOBBOARD_CONFIG": filepath.Join(t.TempDir(), "none.toml")},
		{"JOBBOARD_TOKEN_FILE": filepath.Join(t.TempDir(), "none")},
	} {
		if r := ran(t, env, "status", "--db", db); r.code != setup.ExitOK || !strings.Contains(r.out, "84 postings") {
			t.Errorf("%v: %v", env, r)
		}
	}
}

// A backup of a mirror is a mirror, and is never written over a file.
func TestBackup(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	dir := t.TempDir()
	db, file := filepath.Join(dir, "jobs.db"), filepath.Join(dir, "copy.db")
	env := map[string]string{
		"JOBBOARD_BASE_URL": srv.BaseURL, "JOBBOARD_JOBDB_URL": srv.JobDBURL, "JOBBOARD_CLIENT_ID": srv.Demo.ClientID,
		"JOBBOARD_CHANNEL": srv.Demo.Channel,
	}
	if r := ran(t, env, "refresh", "--rate", "-1", "--db", db); r.code != setup.ExitOK {
		t.Fatal(r)
	}
	if r := ran(t, nil, "backup", "--db", db, file); r.code != setup.ExitOK || !strings.Contains(r.out, "whole") {
		t.Fatal(r)
	}
	if r := ran(t, nil, "backup", "--db", db, file); r.code != setup.ExitUsage || !strings.Contains(r.err, "exists") {
		t.Errorf("over the first: %d\n%s", r.code, r.err)
	}
	if r := ran(t, nil, "search", "--db", file, "nurse"); r.code != setup.ExitOK || !strings.Contains(r.out, "Nurse") {
		t.Errorf("in the copy: %d\n%s%s", r.code, r.out, r.err)
	}
}

// The doctor describes the state of a copy, and the next step.
func TestDoctor(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	db := filepath.Join(t.TempDir(), "jobs.db")
	env := map[string]string{
		"JOBBOARD_BASE_URL": srv.BaseURL, "JOBBOARD_JOBDB_URL": srv.JobDBURL, "JOBBOARD_CLIENT_ID": srv.Demo.ClientID,
		"JOBBOARD_CHANNEL": srv.Demo.Channel, "JOBBOARD_MIRROR_DB": db,
	}
	if r := ran(t, env, "migrate"); r.code != setup.ExitOK {
		t.Fatal(r)
	}
	if r := ran(t, env, "doctor"); r.code != setup.ExitIncomplete || !strings.Contains(r.out, "nothing is copied") {
		t.Errorf("before the first copy: %d\n%s", r.code, r.out)
	}
	if r := ran(t, env, "refresh", "--rate", "-1"); r.code != setup.ExitOK {
		t.Fatal(r)
	}
	if r := ran(t, env, "doctor"); r.code != setup.ExitOK || !strings.Contains(r.out, "channel 27828_extern: 42 rows") ||
		!strings.Contains(r.out, "0 failed") {
		t.Errorf("after it: %d\n%s", r.code, r.out)
	}
	if r := ran(t, env, "doctor", "--fake", "--db", db); r.code != setup.ExitOK || !strings.Contains(r.out, "channel 27828_extern: 42 rows") {
		t.Errorf("with --fake, of the named database: %d\n%s%s", r.code, r.out, r.err)
	}
	srv.Fail(jobboardtest.Fault{Status: http.StatusInternalServerError, Operation: jobboardtest.OpSearch})
	_ = ran(t, env, "refresh", "--rate", "-1", "--attempts", "1")
	r := ran(t, env, "doctor", "--json")
	var report struct {
		Program  string
		Findings []doctor.Finding
	}
	if err := json.Unmarshal([]byte(r.out), &report); err != nil || len(report.Findings) < 5 || !strings.HasPrefix(report.Program, "jobboard-mirror ") || r.code != setup.ExitIncomplete {
		t.Errorf("while the board fails: %d, %v\n%s%s", r.code, err, r.out, r.err)
	}
}

// Who interrupts the doctor gets no verdict, which would be that nothing answers.
func TestInterruptedDoctor(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := ranUntil(ctx, nil, "doctor", "--db", filepath.Join(t.TempDir(), "jobs.db"))
	if r.code != setup.ExitInterrupted || r.out != "" {
		t.Errorf("%d:\n%s%s", r.code, r.out, r.err)
	}
}

// lockedBuffer is written and read at the same time.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Each state of a copy has its verdict.
func TestVerdictsOfACopy(t *testing.T) {
	now := time.Now()
	channel := func(s jobmirror.SourceStatus) jobmirror.Status {
		s.Kind, s.Name = "channel", "1"
		return jobmirror.Status{Sources: []jobmirror.SourceStatus{s}, Processes: []jobmirror.ProcessStatus{{}}}
	}
	fresh := channel(jobmirror.SourceStatus{Complete: now.Add(-time.Minute), Rows: 7})
	with := func(change func(*jobmirror.Status)) jobmirror.Status {
		s := fresh
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		status jobmirror.Status
		want   string // what is not OK
		next   string
	}{
		"fresh":                     {fresh, "[]", ""},
		"no source":                 {with(func(s *jobmirror.Status) { s.Sources = nil }), "[source fail]", "--channels"},
		"a problem":                 {channel(jobmirror.SourceStatus{Complete: now, Problem: "502"}), "[source fail]", "jobboard doctor"},
		"down after it was refused": {channel(jobmirror.SourceStatus{Refused: true, Problem: "502"}), "[source fail]", "jobboard doctor"},
		"never copied":              {channel(jobmirror.SourceStatus{}), "[source warn]", "wait for the first copy"},
		"copied once":               {channel(jobmirror.SourceStatus{Complete: now.Add(-3 * time.Hour)}), "[source warn]", "is at work"},
		"copied two hours ago":      {channel(jobmirror.SourceStatus{Complete: now.Add(-2 * time.Hour), Rows: 7}), "[]", ""},
		"some are held":             {channel(jobmirror.SourceStatus{Complete: now, Rows: 30, Held: 2}), "[source warn]", "--accept-removals"},
		"all are held":              {channel(jobmirror.SourceStatus{Complete: now.Add(-3 * time.Hour), Rows: 30, Held: 30}), "[source warn]", "--accept-removals"},
		"a full disk":               {channel(jobmirror.SourceStatus{Complete: now, Rows: 7, Problem: "jobmirror: database or disk is full (13)"}), "[source fail]", "make room"},
		"nothing to copy":           {channel(jobmirror.SourceStatus{Complete: now}), "[source warn]", "check its name"},
		"one job without an answer": {with(func(s *jobmirror.Status) { s.Due, s.Failing = 1, 1 }), "[lookups fail]", "JOBBOARD_JOBDB_URL"},
		"more failed than are due":  {with(func(s *jobmirror.Status) { s.Due, s.Failing = 1, 9 }), "[lookups fail]", "JOBBOARD_JOBDB_URL"},
		"due for a day":             {with(func(s *jobmirror.Status) { s.DueSince = now.Add(-24 * time.Hour) }), "[]", ""},
		"no answers":                {with(func(s *jobmirror.Status) { s.Due, s.Failing = 5, 5 }), "[lookups fail]", "JOBBOARD_JOBDB_URL"},
		"few answers":               {with(func(s *jobmirror.Status) { s.Due, s.Failing = 5, 4 }), "[]", ""},
		"failed before":             {with(func(s *jobmirror.Status) { s.Failing = 4 }), "[]", ""},
		"three ends unconfirmed":    {with(func(s *jobmirror.Status) { s.Unconfirmed = 3 }), "[]", ""},
		"four ends unconfirmed":     {with(func(s *jobmirror.Status) { s.Unconfirmed = 4 }), "[lookups warn]", "--accept-removals"},
		"due for long":              {with(func(s *jobmirror.Status) { s.DueSince = now.Add(-25 * time.Hour) }), "[lookups warn]", "--rate"},
		"nobody works":              {with(func(s *jobmirror.Status) { s.Processes = nil }), "[processes warn]", "start jobboard-mirror run"},
	} {
		r := doctor.NewReport(&term.Console{Mask: func(s string) string { return s }})
		examineCopy(r, &c.status, now)
		wrong, checks, next := []string{}, []string{}, ""
		for _, f := range r.Findings {
			checks = append(checks, f.Check)
			if f.Verdict != doctor.OK {
				wrong = append(wrong, fmt.Sprint(f.Check, " ", f.Verdict))
				next += f.Next
			}
		}
		if got := fmt.Sprint(wrong); got != c.want || !strings.Contains(next, c.next) || (next == "") != (c.next == "") {
			t.Errorf("%s: %s, %q", name, got, next)
		}
		if !slices.Equal(checks, []string{checkSource, checkLookups, checkProcesses}) {
			t.Errorf("%s: the checks are %q", name, checks)
		}
	}
}

// The doctor takes the feeds of run, and says which of them the copy lacks.
func TestDoctorOfFeeds(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	env := map[string]string{"JOBBOARD_JOBDB_URL": srv.JobDBURL, "JOBBOARD_MIRROR_DB": filepath.Join(t.TempDir(), "jobs.db")}
	if r := ran(t, env, "refresh", "--feed", srv.FeedURL, "--rate", "-1"); r.code != setup.ExitOK {
		t.Fatal(r)
	}
	if r := ran(t, env, "doctor", "--feed", srv.FeedURL); r.code != setup.ExitOK || !strings.Contains(r.out, "the copy has it") {
		t.Error(r)
	}
	r := ran(t, env, "doctor", "--feed", srv.FeedURL, "--feed", "https://u:secret@jobs.example/feed.xml?key=secret", "--feed", "mistyped.xml", "--feed", "htps://u:secret@jobs.example")
	if r.code != setup.ExitIncomplete || !strings.Contains(r.out, "feed.xml: the copy does not have it") || !strings.Contains(r.out, "mistyped.xml: there is no such file") || !strings.Contains(r.out, "neither http or https with a host") ||
		strings.Contains(r.out, "secret") {
		t.Error(r)
	}
}

func TestOthersReadBesideTheOneThatRuns(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	db := filepath.Join(t.TempDir(), "jobs.db")
	env := map[string]string{
		"JOBBOARD_BASE_URL": srv.BaseURL, "JOBBOARD_JOBDB_URL": srv.JobDBURL, "JOBBOARD_CLIENT_ID": srv.Demo.ClientID, "JOBBOARD_MIRROR_DB": db,
	}
	settings := []string{"--channels", srv.Demo.Channel, "--feed", srv.FeedURL, "--rate", "-1"}

	p := start(t, srv, append([]string{"run", "--db", db, "--addr", "127.0.0.1:0"}, settings...)...)
	answers(t, p.said(t, "serving at ")+"/mirror/ready", http.StatusOK)
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		r := ran(t, env, "status", "--json")
		var s jobmirror.Status
		if err := json.Unmarshal([]byte(r.out), &s); err != nil || time.Since(began) > 2*time.Minute {
			t.Fatal(r, err)
		}
		if s.Due == 0 && s.Unindexed == 0 && s.Jobs[jobmirror.StateOpen] > 40 {
			break
		}
	}
	if r := ran(t, env, "search", "nurse"); r.code != setup.ExitOK || !strings.Contains(r.out, "Nurse") {
		t.Errorf("search beside run: %v", r)
	}
	if r := ran(t, env, append([]string{"refresh"}, settings...)...); r.code != setup.ExitUnexpected || !strings.Contains(r.err, "read beside it") {
		t.Errorf("refresh beside run: %v", r)
	}
	for _, args := range [][]string{{"migrate", "--board-moved"}, append([]string{"refresh", "--remove-sources"}, settings...)} {
		if r := ran(t, env, args...); r.code != setup.ExitUnexpected || !strings.Contains(r.err, "read beside it") {
			t.Errorf("%q beside run: %v", args, r)
		}
	}
}
