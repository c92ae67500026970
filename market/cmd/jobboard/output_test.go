package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// The name of the file chooses its form; a flag says it louder.
func TestOutputByName(t *testing.T) {
	isCSV := func(body string) bool {
		rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		return err == nil && len(rows) > 40 && len(rows[0]) > 5
	}
	isJSON := func(body string) bool { return json.Valid([]byte(body)) && strings.Contains(body, "\n  ") }
	areLines := func(body string) bool {
		n := 0
		for line := range strings.Lines(body) {
			if n++; !json.Valid([]byte(line)) {
				return false
			}
		}
		return n > 40
	}
	for _, test := range []struct {
		args []string
		name string
		is   func(string) bool
	}{
		{[]string{"search"}, "hits.csv", isCSV},
		{[]string{"search"}, "hits.json", isJSON},
		{[]string{"search"}, "HITS.JSONL", areLines},
		{[]string{"search", "--csv"}, "hits.txt", isCSV},
		{[]string{"feed"}, "jobs.csv", isCSV},
		{[]string{"feed"}, "jobs.jsonl", areLines},
		{[]string{"feed", "--jsonl"}, "jobs.csv", areLines},
		{[]string{"info"}, "job.json", isJSON},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		r := newProcess().run(t, append(test.args, "--fake", "--output", path)...).want(t, setup.ExitOK)
		if body := read(t, path); !test.is(body) {
			t.Errorf("%v: %.300q", test.args, body)
		}
		if test.args[0] != "feed" && r.out != "" {
			t.Errorf("%v: standard output has %.100q", test.args, r.out)
		}
	}
	for _, args := range [][]string{
		{"search", "--output", "hits.xls"},
		{"search", "--output", "hits"},
		{"feed", "--output", "jobs.json"},
		{"info", "--output", "job.csv"},
		{"search", "--csv", "--json"},
	} {
		r := newProcess().run(t, append(args, "--fake")...).want(t, setup.ExitUsage)
		if strings.Contains(args[1], "output") {
			r.wantErr(t, "--output: the name", "let it end with .")
			if _, err := os.Stat(args[2]); err == nil {
				t.Errorf("%v made a file", args)
			}
		}
	}
	missing := filepath.Join(t.TempDir(), "no", "such.csv")
	for _, command := range []string{"search", "feed"} {
		newProcess().run(t, command, "--fake", "--output", missing).want(t, setup.ExitUnexpected).wantErr(t, "--output: ")
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		newProcess().run(t, "search", "--fake", "--csv", "--output", "/dev/full").want(t, setup.ExitUnexpected)
	}
}

func TestSearchCSV(t *testing.T) {
	srv := demo(t)
	srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: `=HYPERLINK("http://evil","x")`})
	for _, sign := range []string{"+", "-", "@"} {
		srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: sign + "1"})
	}
	r := newProcess().pointAt(srv).run(t, "search", "--csv").want(t, setup.ExitOK)
	rows, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	if err != nil || len(rows) != 47 {
		t.Fatalf("%v: %d rows", err, len(rows))
	}
	nurse := srv.Snapshot().Postings[0]
	want := "600100 910200 Pflegefachkraft (m/w/d) Berlin Lindenhof Kliniken GmbH  " + nurse.VersionStart.Format(time.DateOnly) + " " +
		nurse.VersionEnd.Format(time.DateOnly) + " " + srv.BaseURL + "/job/2797227/"
	if got := strings.Join(rows[1], " "); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, row := range rows[len(rows)-4:] {
		if !strings.HasPrefix(row[2], "'") {
			t.Errorf("a title is a formula: %s", row[2])
		}
	}
}

// A file keeps what it has where the search fails.
func TestOutputOutlivesFailure(t *testing.T) {
	srv := demo(t)
	srv.Fail(jobboardtest.Fault{Status: 403})
	kept := clitest.WriteFile(t, "jobs.json", "of yesterday", 0o600)
	newProcess().pointAt(srv).run(t, "search", "--output", kept).want(t, setup.ExitCredential)
	if body := read(t, kept); body != "of yesterday" {
		t.Errorf("%q", body)
	}
}

// One JSON value is indented for who reads it; of several each has its line for who counts
// lines.
func TestJSONIsIndentedOrLines(t *testing.T) {
	srv := demo(t)
	feed := clitest.WriteFile(t, "feed.xml", sampleFeed(srv.Demo.OpenJob, srv.Demo.InactiveJob), 0o600)
	for command, indented := range map[string]bool{
		"search --json": true, "search --json --fields posting,title": true, "info --json": true, "status --json": true, "doctor --json": true, "version --json": true,
		"search --jsonl": false, "search --jsonl --fields posting,title": false, "feed " + feed + " --jsonl": false, "feed " + feed + " --jsonl --fields job,outcome": false,
	} {
		r := newProcess().pointAt(srv).run(t, strings.Fields(command)...).want(t, setup.ExitOK)
		lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
		switch {
		case indented && (len(lines) < 3 || !json.Valid([]byte(r.out)) || !strings.HasPrefix(lines[1], "  ")):
			t.Errorf("%s is not indented:\n%.300s", command, r.out)
		case !indented:
			for _, line := range lines {
				if !json.Valid([]byte(line)) {
					t.Errorf("%s has the line %q", command, line)
				}
			}
		}
	}
}
