package fivetests

import (
	"context"
	"errors"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// existing is the program: before the form is shown, it looks for the
// application that the applicant has made before. It gives "" where there is
// none.
func existing(ctx context.Context, applicant *jobboard.Applicant, job jobboard.JobID) (jobboard.ApplicationID, error) {
	id, err := applicant.ApplicationID(ctx, job)
	if errors.Is(err, jobboard.ErrApplicationNotFound) {
		return "", nil // an answer, not a failure
	}
	return id, err
}

// There is one application per job and applicant, and a withdrawn one counts
// (section 8 of the interface). So whoever withdrew cannot apply again, and a
// program that offers the form all the same wastes the applicant's work.
func TestApplicantAlreadyApplied(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithoutSockets())
	job, _ := fake.Publish("27828_extern", jobboardtest.Job{Title: "Nurse"})
	jana, imre := fake.AddApplicant(jobboardtest.Applicant{Name: "Jana"}), fake.AddApplicant(jobboardtest.Applicant{Name: "Imre"})

	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, HTTPClient: fake.Client()})
	if err != nil {
		t.Fatal(err)
	}
	// Each applicant has a token of their own; one client serves them all.
	as := func(who jobboardtest.Applicant) *jobboard.Applicant {
		return client.Applicant(jobboard.StaticToken(fake.UserToken(who.ID)))
	}
	expect := func(when string, who jobboardtest.Applicant, want string) {
		t.Helper()
		id, err := existing(t.Context(), as(who), jobboard.JobID(job.ID))
		if err != nil || string(id) != want {
			t.Errorf("%s, %s has the application %q, %v; want %q", when, who.Name, id, err, want)
		}
		applied, err := as(who).HasApplied(t.Context(), jobboard.JobID(job.ID))
		if err != nil || applied != (want != "") {
			t.Errorf("%s, the applied check of %s says %v, %v", when, who.Name, applied, err)
		}
	}

	expect("at first", jana, "")

	id, err := fake.Apply(jana.ID, job.ID) // as the form does when it is submitted
	if err != nil {
		t.Fatal(err)
	}
	expect("after applying", jana, id)
	expect("after Jana applied", imre, "")

	// A second window, sent a little later, makes no second application.
	if again, err := fake.Apply(jana.ID, job.ID); !errors.Is(err, jobboardtest.ErrAlreadyApplied) || again != id {
		t.Errorf("applying twice gives %q, %v", again, err)
	}

	if err := fake.Withdraw(jana.ID, job.ID); err != nil {
		t.Fatal(err)
	}
	expect("after withdrawing", jana, id)
	if check, err := as(jana).Precheck(t.Context(), jobboard.JobID(job.ID)); check.Decision != jobboard.DecisionAlreadyApplied {
		t.Errorf("after withdrawing, the precheck says %v, %v", check.Decision, err)
	}
}
