package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// The command erases a job and a posting of a copy on SQLite that another process keeps meanwhile; the copy does not
// get them again, and the log tells of both. A second time it ends well too.
func TestForgetBesideARun(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	job, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Cook of Annabella", Language: "en"})
	_, posting := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Baker of Clementina", Language: "en"})
	db := filepath.Join(t.TempDir(), "jobs.db")
	settings := []string{"--channels", srv.Demo.Channel, "--rate", "-1"}
	p := start(t, srv, append([]string{"run", "--db", db, "--monitor", "127.0.0.1:0"}, settings...)...)
	answers(t, p.said(t, "monitor at ")+"/ready", http.StatusOK)
	env := map[string]string{"JOBBOARD_MIRROR_DB": db, "JOBBOARD_BASE_URL": srv.BaseURL, "JOBBOARD_JOBDB_URL": srv.JobDBURL, "JOBBOARD_CLIENT_ID": srv.Demo.ClientID}
	finds := func(word string) bool {
		t.Helper()
		r := ran(t, env, "search", "--all", word)
		if r.code != setup.ExitOK {
			t.Fatal(r)
		}
		return strings.Contains(strings.ToLower(r.out), word)
	}
	for _, word := range []string{"annabella", "clementina"} {
		for began := time.Now(); !finds(word); <-time.After(50 * time.Millisecond) {
			if time.Since(began) > 20*time.Second {
				t.Fatal("nothing finds ", word)
			}
		}
	}
	for range 2 {
		r := ran(t, env, "forget", "--job", fmt.Sprint(job.ID), "--posting", fmt.Sprint(posting.ID))
		if want := fmt.Sprintf("job %d is erased, with its postings\nposting %d is erased\n", job.ID, posting.ID); r.code != setup.ExitOK || r.out != want {
			t.Errorf("it ends with %v", r)
		}
	}
	wantErased := func() {
		t.Helper()
		if finds("annabella") || finds("clementina") {
			t.Error("what was forgotten is found")
		}
	}
	wantErased()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-p.ended
	if code := p.ProcessState.ExitCode(); code != setup.ExitOK {
		t.Errorf("the other process ends with %d: %s", code, p.errOut.String())
	}
	if r := ran(t, env, append([]string{"refresh"}, settings...)...); r.code != setup.ExitOK {
		t.Error(r)
	}
	wantErased()
	log := ran(t, env, "changes").out
	for _, erased := range []string{fmt.Sprintf(`"kind":"forgotten","id":%d`, job.ID), fmt.Sprintf(`"kind":"forgotten","id":%d`, posting.ID)} {
		if !strings.Contains(strings.ReplaceAll(log, " ", ""), erased) {
			t.Errorf("the log does not tell %s:\n%.2000s", erased, log)
		}
	}
	if strings.Contains(log, "Annabella") || strings.Contains(log, `"title":"Baker of Clementina"`) {
		t.Error("the log has an erased title")
	}
}
