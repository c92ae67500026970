package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

func TestWatchOnce(t *testing.T) {
	srv := demo(t)
	state := filepath.Join(t.TempDir(), "state.json")
	run := func(args ...string) result {
		return newProcess().pointAt(srv).run(t, append([]string{"watch", "--state", state, "--once"}, args...)...)
	}
	run().want(t, setup.ExitOK, "42 postings, nothing to compare with yet")
	run().want(t, setup.ExitOK, "42 postings, 0 new, 0 changed, 0 gone").without(t, "? ")
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
	run().want(t, setup.ExitOK, "42 postings, 1 new, 1 changed, 1 gone", fmt.Sprintf("+ %d  Night Porter", p.ID),
		"~ 600107  Head Nurse (was: Registered Nurse (f/m/x))", "- 600100  Pflegefachkraft (m/w/d)")
	srv.ActivateJob(srv.Demo.OpenJob)
	r := run("--jsonl").want(t, setup.ExitOK)
	change := decode[struct {
		Change string
		After  struct{ Title string }
	}](t, r.out)
	if change.Change != "added" || change.After.Title != "Pflegefachkraft (m/w/d)" {
		t.Error(r.out)
	}

	// A page that is not all is not taken for postings gone, nor kept.
	srv.SetVariants(jobboardtest.Variants{PageSize: 10})
	run().want(t, setup.ExitOK, "0 gone", "? - ").wantErr(t, "may still exist")
	srv.SetVariants(jobboardtest.Variants{})
	run().want(t, setup.ExitOK, "43 postings, 0 new, 0 changed, 0 gone").without(t, "? ")

	run("nurse").want(t, setup.ExitUsage).wantErr(t, "jobboard: --state: ", "different queries", "state file of its own").without(t, "--state: jobboard: ")
	newProcess().pointAt(srv).run(t, "watch", "--once").want(t, setup.ExitUsage)
	newProcess().pointAt(srv).run(t, "watch", "--interval", "1ms").want(t, setup.ExitUsage)
	newProcess().pointAt(srv).run(t, "watch", "--once", "--state", clitest.WriteFile(t, "other", "no state", 0o600)).want(t, setup.ExitUsage).wantErr(t, "remove it")
	srv.Fail(jobboardtest.Fault{Status: 500, Operation: jobboardtest.OpSearch})
	run("--attempts", "1").want(t, setup.ExitService)

	for _, state := range []string{"null", "{}", `{"channel":"","postings":[]}`, "[]", "\x00"} {
		newProcess().pointAt(srv).run(t, "watch", "--once", "--state", clitest.WriteFile(t, "bad.json", state, 0o600)).want(t, setup.ExitUsage).wantErr(t, "not a state that watch has kept")
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
		r := (<-done).want(t, setup.ExitInterrupted, "42 postings, nothing to compare with yet", "43 postings, 1 new, 0 changed, 0 gone",
			"Night Porter", "42 postings, 0 new, 0 changed, 1 gone", "- 600100").wantErr(t, "next try in 1m0s", "jobboard: interrupted")
		if n := strings.Count(r.out, "postings"); n != 3 {
			t.Errorf("%d searches told, want 3:\n%s", n, r.out)
		}
	})
}

func TestWatchEndsWhenRefused(t *testing.T) {
	srv := demo(t)
	newProcess().pointAt(srv).set("CLIENT_ID", "99").run(t, "watch").want(t, setup.ExitCredential)
	newProcess().pointAt(srv).run(t, "watch", "--near", "Berlni").want(t, setup.ExitUsage).wantErr(t, "is it Berlin")
}

// A state is replaced in one step: what cannot be written to its end takes nobody's place, and leaves nothing behind.
func TestStateIsReplaced(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "state.json")
	for _, body := range []string{"one", strings.Repeat("two", 100_000), ""} {
		if err := replace(state, []byte(body)); err != nil || read(t, state) != body {
			t.Errorf("%.10q: %v", body, err)
		}
	}
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "in it"), 0o700); err != nil {
		t.Fatal(err)
	}
	if replace(folder, []byte("x")) == nil {
		t.Error("a folder was replaced")
	}
	if entries, err := os.ReadDir(dir); len(entries) != 2 || err != nil {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	newProcess().pointAt(demo(t)).run(t, "watch", "--once", "--state", filepath.Join(dir, "no", "state.json")).want(t, setup.ExitUnexpected).wantErr(t, "jobboard: --state: ")
}

// Of a first answer that lacked postings is not certain what is new.
func TestWatchAfterAnIncompleteAnswer(t *testing.T) {
	srv := demo(t)
	p := newProcess().pointAt(srv)
	watch := []string{"watch", "--once", "--state", filepath.Join(t.TempDir(), "state.json")}
	srv.SetVariants(jobboardtest.Variants{PageSize: 41})
	p.run(t, watch...).want(t, setup.ExitOK, "41 postings, nothing to compare with yet").wantErr(t, "did not give every posting")
	srv.SetVariants(jobboardtest.Variants{})
	if r := p.run(t, watch...).want(t, setup.ExitOK, "42 postings, 0 new, 0 changed, 0 gone\n"); strings.Count(r.out, "\n? + 6") != 1 || r.err != "" {
		t.Errorf("%s%s", r.out, r.err)
	}
}

// With JSON lines the command prints only changes, each with its time, the old posting and the
// new one.
func TestChangesAsJSON(t *testing.T) {
	srv := demo(t)
	watch := []string{"watch", "--once", "--jsonl", "--state", filepath.Join(t.TempDir(), "state.json")}
	if r := newProcess().pointAt(srv).run(t, watch...).want(t, setup.ExitOK); r.out != "" {
		t.Errorf("before there is anything to compare with: %s", r.out)
	}
	srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Night Porter"})
	srv.DeactivateJob(srv.Demo.OpenJob)
	for _, p := range srv.Snapshot().Postings {
		if p.JobID == srv.Demo.AppliedJob {
			p.Title, p.VersionID = "Head Nurse", p.VersionID+1
			srv.AddPosting(p)
		}
	}
	before := time.Now().Add(-time.Minute)
	var got []string
	for line := range strings.Lines(newProcess().pointAt(srv).run(t, watch...).want(t, setup.ExitOK).out) {
		c := decode[struct {
			Taken         time.Time
			Change        string
			Before, After *struct{ Title string }
		}](t, line)
		for _, p := range []**struct{ Title string }{&c.Before, &c.After} {
			if *p == nil {
				*p = &struct{ Title string }{"none"}
			}
		}
		if c.Taken.Before(before) || c.Taken.After(time.Now()) {
			t.Errorf("taken at another time: %s", line)
		}
		got = append(got, c.Change+": "+c.Before.Title+", "+c.After.Title)
	}
	if want := []string{
		"added: none, Night Porter", "changed: Registered Nurse (f/m/x), Head Nurse", "gone: Pflegefachkraft (m/w/d), none",
	}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// On a terminal what is new is green, what changed yellow and what is gone red.
func TestColoursOfChanges(t *testing.T) {
	p := &snapshot.Posting{JobPostingID: 1, Title: "Nurse"}
	got := shownOn(func(c *term.Console) {
		c.OutTerminal.Color = true
		printChanges(c, "now", &snapshot.Snapshot{}, []change{
			{Kind: "added", After: p}, {Kind: "changed", Before: p, After: p}, {Kind: "gone", Before: p}, {Kind: "maybe gone", Before: p},
		}, false)
	})
	for _, want := range []string{"\x1b[32m+\x1b[0m 1  ", "\x1b[33m~\x1b[0m 1  ", "\x1b[31m-\x1b[0m 1  ", "\n? - 1  "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

// A watch goes on after failures of the service and the network, and ends with what no later
// search can mend.
func TestPassingFailures(t *testing.T) {
	for err, want := range map[error]bool{
		jobboard.ErrServer: true, jobboard.ErrRateLimited: true, jobboard.ErrDecode: true, jobboard.ErrTransport: true, jobboard.ErrTimeout: true,
		jobboard.ErrUnauthorized: false, jobboard.ErrForbidden: false, jobboard.ErrInvalidInput: false, setup.Usage("x"): false, os.ErrPermission: false,
	} {
		if got := passing(err); got != want {
			t.Errorf("%v is passing: %t", err, got)
		}
	}
}

// What changed and could not be told is told the next time, and a watch whose output is gone ends.
func TestWatchEndsWithItsOutput(t *testing.T) {
	srv := demo(t)
	state := filepath.Join(t.TempDir(), "state.json")
	p := newProcess().pointAt(srv)
	p.run(t, "watch", "--once", "--state", state).want(t, setup.ExitOK)
	kept := read(t, state)
	srv.DeactivateJob(srv.Demo.OpenJob)
	p.stdout = &fullDisk{}
	p.run(t, "watch", "--once", "--state", state).want(t, setup.ExitUnexpected)
	if read(t, state) != kept {
		t.Error("what nobody was told is kept as known")
	}
	p.stdout = nil
	p.run(t, "watch", "--once", "--state", state).want(t, setup.ExitOK, "1 gone")

	synctest.Test(t, func(t *testing.T) {
		p := newProcess()
		p.startFake = func() *jobboardtest.Server {
			return jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
		}
		p.stdout = &fullDisk{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		began := time.Now()
		p.runContext(ctx, t, "watch", "--fake").want(t, setup.ExitUnexpected)
		if took := time.Since(began); took >= 5*time.Minute {
			t.Errorf("after %s", took)
		}
	})
}
