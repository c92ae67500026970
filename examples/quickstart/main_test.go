package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// opened is the board of an environment.
func opened(t *testing.T, environment map[string]string) *board {
	t.Helper()
	for _, name := range []string{"BASE_URL", "JOBDB_URL", "CLIENT_ID", "TOKEN", "USER_TOKEN", "CHANNEL", "JOB"} {
		t.Setenv("JOBBOARD_"+name, environment[name])
	}
	b := &board{}
	b.addFlags(flag.NewFlagSet("quickstart", flag.ContinueOnError))
	if err := b.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return b
}

// The first command of the README shows a search, a job and a status.
func TestQuickstart(t *testing.T) {
	b := opened(t, nil)
	for job, want := range map[int64][]string{
		b.fake.Demo.OpenJob:     {"Channel 27828_extern has", "... and", "Applying is possible: true", "among 202 nationalities", "has not applied"},
		b.fake.Demo.AppliedJob:  {"the application is " + b.fake.Demo.ApplicationID},
		b.fake.Demo.InactiveJob: {"takes no applications"},
	} {
		b.job = fmt.Sprint(job)
		var out strings.Builder
		err := run(t.Context(), &out, b, "")
		if err != nil && job != b.fake.Demo.InactiveJob {
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
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	b := opened(t, map[string]string{
		"BASE_URL": fake.BaseURL, "TOKEN": fake.Demo.ClientToken, "CHANNEL": fake.Demo.Channel,
	})
	var out strings.Builder
	if err := run(t.Context(), &out, b, "nurse"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Talking to "+fake.BaseURL) || !strings.Contains(out.String(), "Nurse") || !strings.Contains(out.String(), "Name a job") {
		t.Error(out.String())
	}
}
