package main

import (
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// The first command of the README shows a search, a job and a status.
func TestQuickstart(t *testing.T) {
	board.ClearEnv(t)
	var b board.Board
	if err := b.Open(); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for job, want := range map[int64][]string{
		b.Fake.Demo.OpenJob:     {"Channel 27828_extern has", "... and", "Applying is possible: true", "among 202 nationalities", "has not applied"},
		b.Fake.Demo.AppliedJob:  {"the application is " + b.Fake.Demo.ApplicationID},
		b.Fake.Demo.InactiveJob: {"takes no applications"},
	} {
		b.Job = jobboard.JobID(job)
		var out strings.Builder
		err := run(t.Context(), &out, &b, "")
		if err != nil && job != b.Fake.Demo.InactiveJob {
			t.Error(err)
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("job %d: no %q in\n%s", job, w, &out)
			}
		}
	}
}

// The same program talks to a service that the environment names.
func TestQuickstartElsewhere(t *testing.T) {
	board.ClearEnv(t)
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	t.Setenv("JOBBOARD_BASE_URL", fake.BaseURL)
	t.Setenv("JOBBOARD_TOKEN", fake.Demo.ClientToken)
	t.Setenv("JOBBOARD_CHANNEL", fake.Demo.Channel)
	var b board.Board
	if err := b.Open(); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var out strings.Builder
	if err := run(t.Context(), &out, &b, "nurse"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Talking to "+fake.BaseURL) || !strings.Contains(out.String(), "Nurse") || !strings.Contains(out.String(), "Name a job") {
		t.Error(out.String())
	}
}
