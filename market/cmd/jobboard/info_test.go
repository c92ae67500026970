package main

import (
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// The program shows the type of a question only if it does not know the type.
func TestQuestionOfAnUnknownKind(t *testing.T) {
	srv := demo(t)
	const note = "of a kind this program does not know"
	newProcess().pointAt(srv).run(t, "info").want(t, setup.ExitOK).without(t, note)
	srv.UpdateJob(srv.Demo.OpenJob, func(j *jobboardtest.Job) { j.Questions[0].Type = "fileUpload" })
	r := newProcess().pointAt(srv).run(t, "info").want(t, setup.ExitOK, note+" (fileUpload)")
	if n := strings.Count(r.out, note); n != 1 {
		t.Errorf("%d notes:\n%s", n, r.out)
	}
}

// An applicant who gives a posting's identifier is told the job, or where to find it if the
// posting's link does not name the job.
func TestPostingTakenForAJob(t *testing.T) {
	srv := demo(t)
	for _, p := range srv.Snapshot().Postings {
		if p.ID == 600107 {
			p.ApplyURL = "https://elsewhere.example/"
			srv.AddPosting(p)
		}
	}
	for id, next := range map[string]string{
		"600100": "next: its job is 2797227: jobboard info 2797227\n", "600107": "next: look for its job in the feed\n",
	} {
		for _, command := range []string{"info", "status"} {
			newProcess().pointAt(srv).run(t, command, id).want(t, setup.ExitNo).
				wantErr(t, id+" is the identifier of a posting, ", strings.Replace(next, " info ", " "+command+" ", 1))
		}
	}
}

// Whose identifier is nobody's learns where jobs are listed, also where no channel is set
// in which it could be a posting's.
func TestNextStepOfAnUnknownJob(t *testing.T) {
	srv := demo(t)
	for _, p := range []*testProcess{newProcess().pointAt(srv), newProcess().set("JOBDB_URL", srv.JobDBURL).set("BASE_URL", srv.BaseURL)} {
		p.run(t, "info", "9999999").want(t, setup.ExitNo).wantErr(t, "ERROR_JOB_UNAVAILABLE", "next: jobboard search lists postings with their jobs")
	}
}
