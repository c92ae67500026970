package fivetests

import (
	"context"
	"errors"
	"log"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// applyPage is the program: what somebody gets who clicks "apply" on a job that
// was found some time ago.
func applyPage(ctx context.Context, applicant *jobboard.Applicant, job jobboard.JobID) string {
	check, err := applicant.Precheck(ctx, job)
	switch check.Decision {
	case jobboard.DecisionMayApply:
		return "the form, with " + check.Information.JobTitle
	case jobboard.DecisionAlreadyApplied:
		return "you have applied already"
	case jobboard.DecisionClosed:
		return "this job takes no more applications"
	case jobboard.DecisionNotFound, jobboard.DecisionNotVisible:
		return "this job is no longer there"
	}
	log.Print(err) // what failed
	return "please try again in a moment"
}

// A job is found by a search, and closed or deleted before the visitor applies.
// The result list on the screen is old then; what counts is what the service
// says at the moment of the click.
func TestJobClosesBetweenSearchAndApply(t *testing.T) {
	for _, c := range []struct {
		name   string
		happen func(fake *jobboardtest.Server, job int64)
		want   string
	}{
		{"nothing happens", func(*jobboardtest.Server, int64) {}, "the form, with Nurse"},
		{"deactivated", func(f *jobboardtest.Server, job int64) { f.DeactivateJob(job) }, "this job takes no more applications"},
		{"deleted", func(f *jobboardtest.Server, job int64) { f.DeleteJob(job) }, "this job is no longer there"},
		{"internal from now on", func(f *jobboardtest.Server, job int64) {
			f.UpdateJob(job, func(j *jobboardtest.Job) { j.Internal = true })
		}, "this job is no longer there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake := jobboardtest.New(t, jobboardtest.WithoutSockets())
			fake.AddClient(jobboardtest.ClientApp{ID: "10"})
			job, _ := fake.Publish("27828_extern", jobboardtest.Job{Title: "Nurse"})
			who := fake.AddApplicant(jobboardtest.Applicant{})

			client, err := jobboard.NewClient(jobboard.Config{
				BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: "10", HTTPClient: fake.Client(),
			})
			if err != nil {
				t.Fatal(err)
			}
			applicant := client.Applicant(jobboard.StaticToken(fake.UserToken(who.ID)))

			found, err := client.Search(t.Context(), "27828_extern", jobboard.Query{Text: "nurse"})
			if err != nil || found.TotalNumberOfJobs != 1 {
				t.Fatalf("before, the search finds %+v, %v", found, err)
			}

			c.happen(fake, job.ID)

			if got := applyPage(t.Context(), applicant, jobboard.JobID(job.ID)); got != c.want {
				t.Errorf("the visitor sees %q, want %q", got, c.want)
			}
			// The single calls say it with an error of their own each.
			_, err = client.JobInformation(t.Context(), jobboard.JobID(job.ID))
			if closed := errors.Is(err, jobboard.ErrJobInactive); closed != (c.name == "deactivated") {
				t.Errorf("the job information says %v", err)
			}
		})
	}
}
