package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
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
	run().want(t, setup.ExitOK, "0 gone", "? - ").wantErr(t, "may still be there")
	srv.SetVariants(jobboardtest.Variants{})
	run().want(t, setup.ExitOK, "43 postings, 0 new, 0 changed, 0 gone").without(t, "? ")

	run("--text", "nurse").want(t, setup.ExitUsage).wantErr(t, "different queries", "state file of its own")
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
