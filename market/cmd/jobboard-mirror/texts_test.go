package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// console writes to a buffer.
func console() (*term.Console, *bytes.Buffer) {
	var out bytes.Buffer
	return &term.Console{
		Name: "jobboard-mirror", Out: &term.Output{W: &out}, Err: &out, Now: time.Now, Mask: func(s string) string { return s },
	}, &out
}

// The status tells of sources, jobs, lookups and processes, and of what is unusual only then.
func TestStatusAsText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		for _, test := range []struct {
			status jobmirror.Status
			want   string
		}{
			{jobmirror.Status{Oldest: "a", Newest: "b"}, `SOURCE  ROWS  HELD  COPIED  FAILURES  PROBLEM

0 postings; without a place that a radius finds: 0; not indexed yet: 0
0 lookups due; without an answer the last time: 0
changes from a to b
`},
			{jobmirror.Status{
				Sources: []jobmirror.SourceStatus{
					{Kind: "channel", Name: "1", Language: "de", Rows: 4, Complete: now.Add(-90 * time.Second)},
					{Kind: "channel", Name: "2", Complete: now.Add(-90 * time.Second), Unreadable: 1, Empty: true},
					{Kind: "feed", Name: "f.xml", Held: 3, Failures: 2, Problem: "502\n"},
				},
				Processes: []jobmirror.ProcessStatus{{
					Name: "host-1", Doing: "run", Started: now, Seen: now.Add(-time.Second), LookedUp: 1,
					Leases: []jobmirror.Lease{{Source: "feed f.xml", Since: now.Add(-time.Minute)}, {Jobs: 2, Since: now}},
				}},
				Jobs: map[jobmirror.State]int{jobmirror.StateOpen: 2, "gone": 1}, Due: 1, DueSince: now.Add(-time.Hour), Failing: 5,
				Unconfirmed: 9,
				Postings:    1, Unindexed: 6, Adless: 1, Unplaced: 7, Oldest: "a", Newest: "b", Limit: 2.5, PausedUntil: now,
			}, `SOURCE        ROWS  HELD  COPIED     FAILURES  PROBLEM
channel 1 de  4     0     1m30s ago  0
channel 2     0     0     1m30s ago  0         1 posting cannot be read: the log says why
feed f.xml    0     3     never      2         502

1 posting; without a place that a radius finds: 7; not indexed yet: 6
shown without their advertisement, because it makes them too large: 1 posting
1 job gone
2 jobs open
1 lookup due, the first since 1h0m0s ago; without an answer the last time: 5
unconfirmed ends of jobs: 9
these are many: look some up on the board; if they have ended, refresh --accept-removals
host-1: run since ` + now.Local().Format(time.DateTime) + `, 1 lookup, seen 1s ago
  refreshes feed f.xml, begun 1m0s ago
  looks up 2 jobs, begun 0s ago
at most 2.5 requests a second
the board asked for a pause until ` + now.Local().Format(time.TimeOnly) + `
changes from a to b
`},
		} {
			c, out := console()
			if printStatus(c, &test.status); out.String() != test.want {
				t.Errorf("%s\nwant\n%s", out.String(), test.want)
			}
		}
	})
}

// A page is a table, CSV or JSON, of the fields that were asked for; counts and the next page
// stand below the table.
func TestPage(t *testing.T) {
	seen := time.Date(2026, 1, 2, 4, 4, 5, 0, time.FixedZone("", 3600))
	page := &jobmirror.Page{Postings: []jobmirror.Posting{{
		Company: "Acme",
		Posting: jobboard.JobPosting{JobPostingID: 1, Title: "Nurse", Config: jobboard.NewPostingConfig(map[string][]string{
			jobboard.KeyLocationName: {"Berlin", "Wien"}, jobboard.KeyCompanyName: {"Acme"},
		})}, Language: "de", Job: 2, Evidence: "feed", Seen: seen,
	}, {Posting: jobboard.JobPosting{JobPostingID: 3}, Confirmed: true, Seen: seen}}, Next: "cursor", Age: 90 * time.Second}
	counted := *page
	counted.Next, counted.Facets = "", &jobmirror.Facets{Total: 5, Categories: map[string]int{"9": 2, "8": 1}, Places: map[string]int{"Wien\n": 3}}
	chosen := cli.Named(hitFields, "job", "title")
	for _, test := range []struct {
		page     *jobmirror.Page
		form     string
		fields   []cli.Field[jobmirror.Posting]
		measured bool
		want     string
	}{
		{page: page, want: "POSTING  JOB  LANGUAGE  TITLE  PLACE\n1        2    de        Nurse  Berlin, Wien\n3\n\nmore with --after cursor\n"},
		{page: page, measured: true, want: "POSTING  JOB  LANGUAGE  KM  TITLE  PLACE\n1        2    de            Nurse  Berlin, Wien\n3\n\nmore with --after cursor\n"},
		{page: &counted, fields: chosen, want: "JOB  TITLE\n2    Nurse\n\n\n5 in all, counted once in each language\n       1 8\n       2 9\n       3 Wien\n"},
		{page: page, form: "csv", fields: hitFields, want: `posting,job,language,km,title,place,company,evidence,seen
1,2,de,,Nurse,"Berlin, Wien",Acme,feed,2026-01-02T03:04:05Z
3,,,,,,,,2026-01-02T03:04:05Z
`},
		{page: page, form: "csv", fields: chosen, want: "job,title\n2,Nurse\n,\n"},
	} {
		c, out := console()
		switch {
		case test.form == "csv":
			if err := cli.WriteCSV(c.Out, test.fields, test.page.Postings); err != nil {
				t.Error(err)
			}
		case test.fields == nil:
			printPage(c, test.page, tableFields(test.measured), true)
		default:
			printPage(c, test.page, test.fields, true)
		}
		if out.String() != test.want {
			t.Errorf("%+v:\n%s\nwant\n%s", test, out.String(), test.want)
		}
	}
	for _, fields := range [][]cli.Field[jobmirror.Posting]{nil, chosen} {
		c, out := console()
		if err := printJSON(c, &counted, fields, nil); err != nil {
			t.Error(err)
		}
		var got struct {
			Postings []struct {
				Posting            struct{ Title string }
				Language, Evidence string
				JobID, Job         int
				Title              string
				Confirmed          bool
				Seen               time.Time
			}
			Next       string
			Facets     struct{ Total int }
			AgeSeconds int
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Postings) != 2 || got.AgeSeconds != 90 || got.Facets.Total != 5 || !strings.Contains(out.String(), "{\n  \"") {
			t.Fatalf("%v: %s", err, out.String())
		}
		p := got.Postings[0]
		if fields == nil && (p.Posting.Title != "Nurse" || p.JobID != 2 || p.Language != "de" || p.Evidence != "feed" || !p.Seen.Equal(seen) || !got.Postings[1].Confirmed) {
			t.Errorf("%s", out.String())
		}
		if fields != nil && (p.Job != 2 || p.Title != "Nurse" || p.Posting.Title != "") {
			t.Errorf("of the fields that were asked for: %s", out.String())
		}
	}
}

// The first copy shows how far it is: a bar twice a second, or a line a minute, until nothing
// is due any more.
func TestProgressOfACopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			terminal  term.Terminal
			untilDone bool
			took      time.Duration
			lines     int // without a terminal
		}{
			{term.Terminal{}, true, 5 * time.Minute, 4},
			{term.Terminal{}, false, time.Hour, 59},
			{term.Terminal{TTY: true, Width: 80}, true, 2500 * time.Millisecond, 0},
		} {
			c, out := console()
			c.ErrTerminal = test.terminal
			asked := 0
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour+time.Second)
			began := time.Now()
			follow(ctx, c, func(context.Context) (jobmirror.Progress, int64, error) {
				switch asked++; asked {
				case 1:
					return jobmirror.Progress{}, 0, nil // nothing was read yet
				case 2:
					return jobmirror.Progress{}, 0, errors.New("busy")
				}
				return jobmirror.Progress{Read: 9, LookedUp: int64(asked)}, max(0, 5-int64(asked)), nil
			}, test.untilDone)
			cancel()
			if took := time.Since(began); took != test.took && test.untilDone || took < test.took {
				t.Errorf("%+v took %s", test, took)
			}
			if n := strings.Count(out.String(), "\n"); n != test.lines {
				t.Errorf("%+v: %d lines: %q", test, n, out.String())
			}
			if test.lines > 0 && !strings.Contains(out.String(), "jobboard-mirror: 9 read, 3 looked up, 2 to do\n") {
				t.Errorf("%+v: %q", test, out.String())
			}
		}
		// Once it is stopped the bar is gone.
		c, out := console()
		c.ErrTerminal = term.Terminal{TTY: true, Width: 80}
		stop := showProgress(t.Context(), c, func(ctx context.Context) (jobmirror.Progress, int64, error) {
			<-ctx.Done()
			time.Sleep(time.Millisecond) // a database takes its time to end
			return jobmirror.Progress{}, 0, ctx.Err()
		}, false)
		time.Sleep(700 * time.Millisecond)
		began := time.Now()
		stop()
		if shown := out.String(); time.Since(began) != time.Millisecond || !strings.HasSuffix(shown, "\r") {
			t.Errorf("after %s: %q", time.Since(began), shown)
		}
	})
}

// A database that cannot be used has its exit code and its next step, the doctor's: a full disk and a server's socket are
// neither the board's nor a missing file.
func TestErrorsOfADatabase(t *testing.T) {
	socket := &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.ENOENT)}
	const file, server = "jobs.db", "postgres:///mirror?host=/run/postgresql"
	for _, test := range []struct {
		address string
		err     error
		code    int
		next    string
	}{
		{file, jobmirror.ErrNewer, setup.ExitUsage, "run that one"},
		{file, jobmirror.ErrNotMirror, setup.ExitUsage, "another program's database"},
		{file, jobmirror.ErrNoSchema, setup.ExitUsage, "jobboard-mirror migrate"},
		{file, os.ErrNotExist, setup.ExitUsage, "run makes the file"},
		{file, os.ErrPermission, setup.ExitUsage, "who owns the file"},
		{file, errors.New("jobmirror: database or disk is full (13)"), setup.ExitUsage, "make room"},
		{file, &fs.PathError{Op: "write", Path: "jobs.db", Err: syscall.ENOSPC}, setup.ExitUsage, "make room"},
		{server, errors.New("ERROR: could not extend file: No space left on device (SQLSTATE 53100)"), setup.ExitUsage, "make room"},
		{server, context.DeadlineExceeded, setup.ExitUsage, "does not answer"},
		{server, socket, setup.ExitNetwork, "whether the server is up"},
		{server, errors.New("password authentication failed"), setup.ExitUsage, "the role and its password"},
	} {
		err := fmt.Errorf("open: %w", test.err)
		db := &database{test.address}
		code, hint := setup.ExitOf(db.openError(err, jobboard.Config{}))
		if next := databaseNext(test.address, err); code != test.code || !strings.Contains(next, test.next) || hint != next {
			t.Errorf("%v: %d, %q, and the doctor says %q", err, code, hint, next)
		}
	}
	for err, want := range map[error]string{jobmirror.ErrLocked: "1 read beside it", jobmirror.ErrOtherBoard: "2 migrate --board-moved", &jobboard.ConfigError{Field: "Language"}: "2 "} {
		code, hint := setup.ExitOf((&database{file}).openError(err, jobboard.Config{}))
		if of, next, _ := strings.Cut(want, " "); fmt.Sprint(code) != of || !strings.Contains(hint, next) {
			t.Errorf("%v: %d, %q", err, code, hint)
		}
	}
	dir := t.TempDir()
	for _, command := range []string{"doctor", "status"} {
		r := ran(t, nil, command, "--db", "postgres:///mirror?host="+dir)
		if all := r.out + r.err; r.code == setup.ExitOK || !strings.Contains(all, "whether the server is up") || strings.Contains(all, "makes the file") {
			t.Errorf("%s, of a socket that is not there: %v", command, r)
		}
	}
}

// What is named is copied: channels of --channels in each language, together with the channel
// of a flag or the configuration; the environment's channel only if no other is named.
func TestSources(t *testing.T) {
	for _, test := range []struct {
		channels, languages string
		setting             setup.Value
		want                string
	}{
		{"", "", setup.Value{}, ""},
		{" a, ,b ", "", setup.Value{}, "a[] b[]"},
		{"a", "de, en", setup.Value{}, "a[de en]"},
		{"a", "", setup.Value{Text: "s", Origin: setup.FromFlag}, "a[] s[]"},
		{"a", "", setup.Value{Text: "s", Origin: setup.FromFile}, "a[] s[]"},
		{"a", "", setup.Value{Text: "s", Origin: setup.FromEnvironment}, "a[]"},
		{"", "", setup.Value{Text: "s", Origin: setup.FromEnvironment}, "s[]"},
		{"", "", setup.Value{Text: "s", Origin: setup.FromFake}, ""},
	} {
		c := copying{channels: test.channels, languages: test.languages, feeds: []string{"f", "g"}}
		b := &setup.Board{Settings: setup.Settings{Values: map[string]setup.Value{setup.Channel: test.setting}}}
		channels, feeds := c.sources(b)
		var got []string
		for _, channel := range channels {
			got = append(got, fmt.Sprint(channel.ID, channel.Languages))
		}
		if strings.Join(got, " ") != test.want || !slices.Equal(feeds, []jobmirror.Feed{{Address: "f"}, {Address: "g"}}) {
			t.Errorf("%+v: %q, %v", test, got, feeds)
		}
	}
}

// A mistyped address of a feed ends a command that copies, and nothing of it is told.
func TestMistypedFeed(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.db")
	for _, command := range []string{"run", "refresh"} {
		for _, feed := range []string{"htps://hushuser:hushword@feeds.example/x", " https://hushuser:hushword@feeds.example/x", "hush/x?hush", "hush/x"} {
			r := ran(t, nil, command, "--jobdb-url", "http://127.0.0.1:1", "--db", none, "--feed", "https://feeds.example/x", "--feed", feed)
			if r.code != setup.ExitUsage || !strings.Contains(r.err, "Feeds[1]") || !strings.Contains(r.err, "check --channels, --feed and --synonyms") || strings.Contains(r.out+r.err, "hush") {
				t.Errorf("%s: %+v", feed, r)
			}
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a database was made")
	}
}

// A mistake is named before a database is made, with its next step and without a password.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none.db")
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"serch", setup.ExitUsage, "search"},
		{"run --chanels x", setup.ExitUsage, "is it --channels?"},
		{"search --fake --fields titel", setup.ExitUsage, "is it title?"},
		{"search --fake --limit -1", setup.ExitUsage, "--limit is negative"},
		{"search --fake --near Berlni", setup.ExitUsage, "is it Berlin (DE)"},
		{"search --fake --radius 5", setup.ExitUsage, "--radius needs a place"},
		{"search --fake --synonyms /no/such", setup.ExitUsage, "--synonyms"},
		{"changes --fake --since x", setup.ExitUsage, "jobboard-mirror: --since: the cursor is not of this database"},
		{"serve --fake --allow x", setup.ExitUsage, `"x" is not a network such as 10.0.0.0/8`},
		{"serve --fake --addr 256.0.0.1:1", setup.ExitUsage, "256.0.0.1"},
		{"serve --fake --monitor x", setup.ExitUsage, "monitor: "},
		{"serve --fake --mcp x", setup.ExitUsage, "assistants: "},
		{"run --fake --addr x", setup.ExitUsage, "serving: "},
		{"refresh --config /no/such", setup.ExitUsage, "/no/such"},
		{"refresh --jobdb-url http://127.0.0.1:1 --db " + none, setup.ExitUsage, "nothing is named to copy"},
		{"run --jobdb-url http://127.0.0.1:1 --db " + none, setup.ExitUsage, "nothing is named to copy"},
		{"refresh --channels x --db " + none, setup.ExitUsage, "no address is set"},
		{"run --channels x --jobdb-url http://127.0.0.1:1", setup.ExitUsage, "no database is named"},
		{"status", setup.ExitUsage, "--db"},
		{"migrate", setup.ExitUsage, "--db"},
		{"backup copy.db", setup.ExitUsage, "--db"},
		{"rebuild", setup.ExitUsage, "--db"},
		{"rebuild --fake", setup.ExitUsage, "name one that stays with --db"},
		{"doctor --fake", setup.ExitUsage, "the database of --fake ends with each command\nnext: name one that stays with --db"},
		{"forget --job 7", setup.ExitUsage, "--db"},
		{"forget --db " + none, setup.ExitUsage, "--posting NUMBER"},
		{"forget --db x --job 0", setup.ExitUsage, "no job has this number"},
		{"forget --db x --posting -5", setup.ExitUsage, "no posting has this number"},
		{"backup --db " + none, setup.ExitUsage, "FILE"},
		{"backup --db " + none + " " + filepath.Join(dir, "c.db"), setup.ExitUsage, "no such file"},
		{"status --db " + none, setup.ExitUsage, "no such file"},
		{"search --db " + none, setup.ExitUsage, "no such file"},
		{"changes --db " + none, setup.ExitUsage, "no such file"},
		{"serve --db " + none, setup.ExitUsage, "no such file"},
		{"rebuild --db " + none, setup.ExitUsage, "no such file"},
		{"forget --job 7 --db " + none, setup.ExitUsage, "no such file"},
		{"migrate --db " + filepath.Join(dir, "no", "such.db"), setup.ExitUsage, "such"},
		{"migrate --board-moved --config /no/such --db " + filepath.Join(dir, "a.db"), setup.ExitUsage, "/no/such"},
		{"migrate --board-moved --db " + filepath.Join(dir, "b.db"), setup.ExitUsage, "no address is set"},
		{"status --db mysql://root:secret@h/db", setup.ExitUsage, "mysql://"},
		{"status --db postgres://u:secret@127.0.0.1:1/x", setup.ExitNetwork, "postgres://u:xxxxx@127.0.0.1:1/x"},
		{"forget --job 7 --db postgres://u:secret@127.0.0.1:1/x", setup.ExitNetwork, "postgres://u:xxxxx@127.0.0.1:1/x"},
	} {
		r := ran(t, nil, strings.Fields(test.args)...)
		if r.code != test.code || !strings.Contains(r.err, test.want) || !strings.Contains(r.err, "\nnext: ") || strings.Contains(r.err+r.out, "secret") ||
			strings.Count(r.err, "\n") > 8 {
			t.Errorf("%s: %d, without %q or a next step:\n%s%s", test.args, r.code, test.want, r.out, r.err)
		}
	}
	for _, db := range [][]string{nil, {"--db", none}} {
		if r := ran(t, nil, append([]string{"doctor"}, db...)...); r.code != setup.ExitIncomplete || !strings.Contains(r.out, "fail  database") {
			t.Errorf("doctor %q: %v", db, r)
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a database was made")
	}
}

// What serves ends with its context, and nobody takes two places.
func TestServeAt(t *testing.T) {
	c, out := console()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if code, _ := setup.ExitOf(serveAt(t.Context(), c, taken.Addr().String(), "it", http.NotFoundHandler())); code != setup.ExitUsage || out.Len() > 0 {
		t.Errorf("a place that is taken: %d, %q", code, out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := serveAt(ctx, c, "127.0.0.1:0", "it", http.NotFoundHandler()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, end := range []error{nil, errors.New("broken"), context.Canceled} {
		err := together(t.Context(), c, nil, &listening{}, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, func(context.Context) error { return end })
		if want := map[bool]error{true: end}[end != context.Canceled]; !errors.Is(err, want) {
			t.Errorf("%v: %v", end, err)
		}
	}
}
