package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// demoInMemory is the demo without sockets, so that the pause between two requests takes no time.
func demoInMemory(t *testing.T) (*jobboardtest.Server, func() *testProcess) {
	t.Helper()
	srv := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	t.Cleanup(srv.Close)
	return srv, func() *testProcess {
		p := newProcess().pointAt(srv)
		p.transport = srv.Client().Transport
		return p
	}
}

// A nightly job: the first run saves the profile, the next run exits with 0, a run after a change with 8 and the
// place of the change, and the run after that with 0 again. An outage leaves the file alone.
func TestCheckTellsAChangeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, process := demoInMemory(t)
		file, junit := filepath.Join(t.TempDir(), "board.json"), filepath.Join(t.TempDir(), "check.xml")
		run := func(code int, want ...string) result {
			t.Helper()
			return process().run(t, "check", "--feed", srv.FeedURL, "--languages", "en,de", "--save", file, "--junit", junit).want(t, code, want...)
		}
		run(setup.ExitOK, "0 changes, 0 notes, no judgement of 0 kinds")
		if text := read(t, junit); !strings.Contains(text, `name="answered"`) || strings.Contains(text, "<failure") {
			t.Errorf("JUnit: %s", text)
		}
		run(setup.ExitOK, "0 changes")
		srv.SetVariants(jobboardtest.Variants{QuotedIDs: true})
		run(setup.ExitChanged, "What changed:", "search results[].jobPostingId: it is number in quotes")
		if text := read(t, junit); !strings.Contains(text, "<failure message=\"it is number in quotes") {
			t.Errorf("JUnit: %s", text)
		}
		run(setup.ExitOK, "0 changes")
		if strings.Contains(read(t, file), srv.Demo.Channel) {
			t.Error("the channel is in the file")
		}
		before := read(t, file)
		down := srv.Fail(jobboardtest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"3600"}}})
		run(setup.ExitIncomplete, "No judgement:", "search: ") // the feed was answered
		process().run(t, "check", "--save", file).want(t, setup.ExitNetwork, "No judgement:").wantErr(t, "no call was answered")
		down.Lift()
		srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Status: http.StatusServiceUnavailable})
		run(setup.ExitIncomplete, "No judgement:", "search: ", "ErrServer")
		srv.LiftFaults()
		if after := read(t, file); strings.Count(after, "\n") != strings.Count(before, "\n") {
			t.Error("the file learned of an outage")
		}
		run(setup.ExitOK)
	})
}

// A note is a line on standard error, and no change.
func TestCheckNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, process := demoInMemory(t)
		file := filepath.Join(t.TempDir(), "board.json")
		process().run(t, "check", "--save", file).want(t, setup.ExitOK)
		process().run(t, "check", "--save", file, "--feed", srv.FeedURL).want(t, setup.ExitOK, "0 changes, 1 notes").
			wantErr(t, "note: feed: it was asked for the first time")
	})
}

// The plan sends nothing.
func TestCheckPlan(t *testing.T) {
	srv := demo(t)
	newProcess().pointAt(srv).run(t, "check", "--plan").want(t, setup.ExitOK, "AT MOST", "{jobDbId}/applied", "Nothing is changed")
	if n := srv.Count(); n > 0 {
		t.Errorf("%d requests", n)
	}
}

// What was not asked in time is no judgement.
func TestCheckEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, process := demoInMemory(t)
		srv.Fail(jobboardtest.Fault{Delay: 14 * time.Second})
		began := time.Now()
		process().run(t, "check").want(t, setup.ExitIncomplete, "the time was up after")
		if took := time.Since(began); took > 11*time.Minute {
			t.Errorf("it took %v", took)
		}
	})
}

// Mistakes are told before anything is sent.
func TestCheckMistakes(t *testing.T) {
	srv := demo(t)
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte(`{"format": 99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"has the format 99":        {"--save", bad},
		"--save: open":             {"--save", filepath.Join(dir, "missing", "board.json")},
		"is a directory":           {"--junit", dir},
		"--junit: open":            {"--junit", filepath.Join(dir, "missing", "check.xml")},
		"FeedURL is no http":       {"--feed", "feed.xml"},
		"--jobs: ":                 {"--jobs", "1,x"},
		"20 channels in 1 languag": {"--channels", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t"},
	} {
		newProcess().pointAt(srv).run(t, append([]string{"check"}, args...)...).want(t, setup.ExitUsage).wantErr(t, want)
	}
	if n := srv.Count(); n > 0 {
		t.Errorf("%d requests", n)
	}
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Errorf("files left behind: %v, %v", left, err)
	}
}
