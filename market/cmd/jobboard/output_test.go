package main

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

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

// One JSON value is indented for who reads it; of several each has its line for who counts
// lines.
func TestJSONIsIndentedOrLines(t *testing.T) {
	srv := demo(t)
	feed := clitest.WriteFile(t, "feed.xml", sampleFeed(srv.Demo.OpenJob, srv.Demo.InactiveJob), 0o600)
	for command, indented := range map[string]bool{
		"search --json": true, "search --json --fields posting,title": true, "info --json": true, "status --json": true, "doctor --json": true,
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
