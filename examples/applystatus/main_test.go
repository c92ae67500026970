package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
)

func TestApplyStatus(t *testing.T) {
	board.ClearEnv(t)
	var b board.Board
	if err := b.Open(); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	demo := b.Fake.Demo
	for job, want := range map[int64]string{
		demo.OpenJob:         "and show the privacy statement: https://",
		demo.AppliedJob:      "takes only one",
		demo.WithdrawnJob:    "takes only one",
		demo.InternalJob:     "is not open to this applicant",
		demo.OtherCompanyJob: "is not open to this applicant",
		demo.ClosedJob:       "takes no more applications",
	} {
		b.Job = jobboard.JobID(job)
		var out strings.Builder
		if err := run(&out, &b); err != nil {
			t.Errorf("job %d: %v", job, err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("job %d: no %q in\n%s", job, want, &out)
		}
	}
	b.Job = jobboard.JobID(demo.InactiveJob)
	if err := run(&strings.Builder{}, &b); !errors.Is(err, jobboard.ErrJobInactive) {
		t.Error(err)
	}
}
