package control

import (
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// TestLongLists has more of everything than the page shows at once.
func TestLongLists(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer srv.Close()
	for range maxShown + 5 {
		srv.Publish("c", jobboardtest.Job{Title: "Nurse"})
		srv.AddPosting(jobboardtest.Posting{Title: "Nurse", Channels: []string{"c"}})
		srv.AddApplicant(jobboardtest.Applicant{})
	}
	v := New(srv).boardView("nurse")
	if len(v.Jobs) != maxShown || len(v.Loose) != maxShown || len(v.Applicants) != maxShown {
		t.Errorf("%d jobs, %d postings without a job and %d applicants are shown", len(v.Jobs), len(v.Loose), len(v.Applicants))
	}
	if v.MoreJobs != 5 || v.MoreLoose != 5 || v.MorePeople != 5 {
		t.Errorf("of more there are %d, %d and %d", v.MoreJobs, v.MoreLoose, v.MorePeople)
	}
	if v := New(srv).boardView("chef"); len(v.Jobs)+len(v.Loose)+v.MoreJobs+v.MoreLoose != 0 {
		t.Errorf("a filter that nothing fits lets through %+v", v)
	}
}
