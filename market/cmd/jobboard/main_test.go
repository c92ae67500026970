package main

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

func TestEveryCommandWorksWithNoSetUp(t *testing.T) {
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"search"}, []string{"POSTING", "Pflegefachkraft (m/w/d)", "42 of 42 postings"}},
		{[]string{"search", "--near", "52.52,13.405", "--radius", "50"}, []string{
			"600100   2797227  Pflegefachkraft (m/w/d)                 Berlin           Lindenhof Kliniken GmbH  20",
			"600177   2797348  Data Analyst (f/m/x)                    Berlin, remote   Lindenhof Logistik GmbH  20",
			"11 of 11 postings within 50 km of 52.52, 13.405",
			"4 of them name a place beyond the circle (Wien, München)",
		}},
		{[]string{"search", "--near", "geo:52.52,13.405", "data"}, []string{"Data Analyst", "1 of 1 postings"}},
		{[]string{"search", "data", "analyst"}, []string{"Data Analyst", "1 of 1 postings"}},
		{[]string{"search", "nothing has this"}, []string{"0 of 0 postings"}},
		{[]string{"info"}, []string{
			"Pflegefachkraft (m/w/d)", "job            2797227", "company        Lindenhof Gruppe",
			"applying       possible", "privacy        https://www.lindenhof.example/datenschutz", "nationalities  202",
			"1. Haben Sie einen Führerschein der Klasse B?", "yes or no, question 8", "- Ja (2900101)", "one of a list, question -1",
		}},
		{[]string{"status"}, []string{"job 2797227: the applicant may apply", "applied check  has not applied"}},
		{[]string{"doctor"}, []string{"10 ok, 0 warnings, 0 failed, 0 skipped"}},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			r := newProcess().run(t, append(test.args, "--fake")...).want(t, setup.ExitOK, test.want...)
			if r.err != "" {
				t.Errorf("standard error: %s", r.err)
			}
			if strings.ContainsAny(r.out, "\x1b\r") {
				t.Errorf("control characters without a terminal:\n%q", r.out)
			}
		})
	}
	// Its own feed leaves out what was deleted and what has no posting.
	newProcess().run(t, "feed", "--fake").want(t, setup.ExitOK, "open                   42", "applying not possible  1", "inactive               1", "44 entries, 44 different jobs")
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
	for _, command := range []string{
		"", "--version", "--help", "help search", "completion -s bash", "search", "search --json", "search --jsonl", "feed --fake",
		"feed --fake --csv", "info", "status", "doctor",
		"watch --once --state " + filepath.Join(t.TempDir(), "state.json"),
	} {
		for _, free := range []int{0, 20} {
			p := newProcess().pointAt(srv)
			p.stdout = &fullDisk{free}
			p.run(t, strings.Fields(command)...).want(t, setup.ExitUnexpected).wantErr(t, syscall.ENOSPC.Error())
		}
	}
}

func TestColourOnlyOnTerminals(t *testing.T) {
	for _, test := range []struct {
		terminal term.Terminal
		want     bool
	}{
		{term.Terminal{}, false},
		{term.Terminal{TTY: true, Width: 80}, false}, // NO_COLOR
		{term.Terminal{TTY: true, Width: 80, Color: true}, true},
	} {
		for _, command := range []string{"search", "doctor", "info", "status"} {
			p := newProcess()
			p.outTerminal, p.errTerminal = test.terminal, test.terminal
			r := p.run(t, command, "--fake").want(t, setup.ExitOK)
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
	for _, command := range []string{
		"search", "search --json", "search --jsonl", "info", "info --json", "status", "status --json",
		"watch --once --state " + filepath.Join(t.TempDir(), "state"),
	} {
		r := newProcess().pointAt(srv).run(t, strings.Fields(command)...).want(t, setup.ExitOK)
		if i := strings.IndexAny(r.out, "\x1b\x07\u009b\u202e"); i >= 0 {
			t.Errorf("%s: %q", command, r.out[i:min(i+20, len(r.out))])
		}
		for line := range strings.SplitSeq(r.out, "\n") {
			if strings.HasPrefix(line, "next line") {
				t.Errorf("%s: a title makes a line of its own", command)
			}
		}
	}
	// JSON keeps the text as it is, escaped.
	r := newProcess().pointAt(srv).run(t, "info", "--json")
	if info := decode[struct{ JobTitle string }](t, r.out); info.JobTitle != evil {
		t.Errorf("%q", info.JobTitle)
	}
}

func TestInterrupt(t *testing.T) {
	for _, args := range [][]string{{"search"}, {"search", "--json"}, {"info"}, {"status"}, {"feed", "FEED"}, {"watch"}, {"doctor"}} {
		t.Run(args[0], func(t *testing.T) {
			srv := demo(t)
			srv.Fail(jobboardtest.Fault{Break: jobboardtest.StallBefore})
			for i := range args {
				if args[i] == "FEED" {
					args[i] = clitest.WriteFile(t, "feed.xml", sampleFeed(srv.Demo.OpenJob), 0o600)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				_ = srv.Wait(t.Context(), 1)
				cancel()
			}()
			r := newProcess().pointAt(srv).runContext(ctx, t, args...).want(t, setup.ExitInterrupted)
			if r.err != "jobboard: interrupted\n" {
				t.Errorf("standard error: %q", r.err)
			}
		})
	}
}
