// Package fivetests_test holds the five tests that a program which talks to a job board wants most, to copy. The first
// function before each stands for your program. The tests open no socket, and where time passes it is virtual: all of
// them together take less than a second.
package fivetests_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

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

// signIn is the program: a source of tokens for one applicant, which signs in
// anew whenever the service wants another token.
func signIn(fake *jobboardtest.Server, username, password string) oauth2.TokenSource {
	service := oauth2.Config{
		ClientID: "11", ClientSecret: "secret",
		Endpoint: oauth2.Endpoint{TokenURL: fake.BaseURL + "/api/rest/oauth/frontend/token"},
	}
	return jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
		ctx = context.WithValue(ctx, oauth2.HTTPClient, fake.Client())
		return service.PasswordCredentialsToken(ctx, username, password)
	})
}

// A user's token lives an hour from its last use, so no clock here knows when
// it ends: only the service's 401 does. The program must not notice: the call
// that meets the 401 gets a new token and is sent once more.
func TestTokenExpires(t *testing.T) {
	// In the bubble an hour passes as soon as everybody waits for it, for the
	// client and for the mock server alike.
	synctest.Test(t, func(t *testing.T) {
		fake := jobboardtest.New(t, jobboardtest.WithoutSockets())
		fake.AddClient(jobboardtest.ClientApp{ID: "11", Secret: "secret"})
		job, _ := fake.Publish("27828_extern", jobboardtest.Job{Title: "Nurse"})
		who := fake.AddApplicant(jobboardtest.Applicant{Username: "jana", Password: "pw"})

		client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, HTTPClient: fake.Client()})
		if err != nil {
			t.Fatal(err)
		}
		renewing := client.Applicant(signIn(fake, "jana", "pw"))
		static := client.Applicant(jobboard.StaticToken(fake.UserToken(who.ID)))

		ask := func(when string, applicant *jobboard.Applicant, signIns, calls int) error {
			t.Helper()
			fake.ClearRequests()
			_, err := applicant.HasApplied(t.Context(), jobboard.JobID(job.ID))
			if n := fake.Count(jobboardtest.OpToken); n != signIns {
				t.Errorf("%s: %d sign-ins, want %d", when, n, signIns)
			}
			if n := fake.Count(jobboardtest.OpApplied); n != calls {
				t.Errorf("%s: %d calls, want %d", when, n, calls)
			}
			return err
		}
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Error(err)
			}
		}

		check(ask("the first time", renewing, 1, 1))
		check(ask("the second time", renewing, 0, 1))
		check(ask("with a fixed token", static, 0, 1))

		// By the clock the token is good for another half hour, but the service has ended it: one
		// 401, one sign-in, and one repeat of the call.
		time.Sleep(30 * time.Minute)
		for _, token := range fake.Snapshot().Tokens {
			fake.ExpireToken(token.Value)
		}
		check(ask("when the service has ended it", renewing, 1, 2))

		// By the clock it is over: a new one is fetched first.
		time.Sleep(2 * time.Hour)
		check(ask("two hours later", renewing, 1, 1))

		// A token that cannot be renewed ends in an error that says so. It is
		// not worth another attempt.
		if err := ask("with a fixed token, expired", static, 0, 1); !errors.Is(err, jobboard.ErrUnauthorized) {
			t.Errorf("with a fixed token, expired: %v", err)
		}
	})
}

// jobList is the program: the jobs of a channel, or those of last time with a
// word of excuse.
func jobList(ctx context.Context, client *jobboard.Client, last []string) (titles []string, fresh bool, err error) {
	result, err := client.Search(ctx, "27828_extern", jobboard.Query{})
	if err != nil {
		return last, false, err
	}
	for _, posting := range result.Results {
		titles = append(titles, posting.Title)
	}
	return titles, true, nil
}

// The service is down for three seconds. Work that has the time waits it out; a
// page that has not gets the list of last time, at once and not when its time
// is up.
func TestServiceIsDownForThreeSeconds(t *testing.T) {
	for name, outage := range map[string]jobboardtest.Fault{
		"503":                    {Status: 503, Body: "down for maintenance"},
		"503 that asks for time": {Status: 503, Header: http.Header{"Retry-After": {"2"}}},
		"connections reset":      {Break: jobboardtest.ResetBefore},
	} {
		t.Run(name, func(t *testing.T) {
			// In the bubble the seconds pass in no time.
			synctest.Test(t, func(t *testing.T) {
				fake := jobboardtest.New(t, jobboardtest.WithoutSockets())
				fake.AddClient(jobboardtest.ClientApp{ID: "10"})
				fake.Publish("27828_extern", jobboardtest.Job{Title: "Nurse"})
				client, err := jobboard.NewClient(jobboard.Config{
					BaseURL: fake.BaseURL, ClientID: "10", HTTPClient: fake.Client(),
					// Five attempts, the default, may be over after 1.5 seconds:
					// waits double from 200 ms, less up to a half by chance.
					// A new client may repeat twice, until it has successes to
					// show: work that must wait an outage out takes more tokens.
					Retry: jobboard.RetryPolicy{MaxAttempts: 8, Budget: 8},
				})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				outage.For = 3 * time.Second
				fake.Fail(outage)

				page, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				titles, fresh, err := jobList(page, client, []string{"Nurse, as of yesterday"})
				if fresh || len(titles) != 1 || titles[0] != "Nurse, as of yesterday" {
					t.Errorf("the page shows %v, fresh: %v", titles, fresh)
				}
				// No wait fits into its time, so the answer there is comes back
				// at once: the error says what the service said.
				var e *jobboard.Error
				if !errors.As(err, &e) || e.Stopped != jobboard.StopDeadline || e.Attempts != 1 {
					t.Errorf("the page's error is %v", err)
				}
				if d := time.Since(began); d > 50*time.Millisecond {
					t.Errorf("the page waited %v", d)
				}

				titles, fresh, err = jobList(t.Context(), client, nil)
				if err != nil || !fresh || len(titles) != 1 || titles[0] != "Nurse" {
					t.Errorf("the patient work gets %v, %v", titles, err)
				}
				if d := time.Since(began); d < 3*time.Second || d > 10*time.Second {
					t.Errorf("it took %v", d)
				}
				// And it was polite meanwhile.
				if n := fake.Count(jobboardtest.OpSearch); n > 9 {
					t.Errorf("%d requests in an outage of three seconds", n)
				}
			})
		})
	}
}

// refresh is the program: it brings a table of titles up to date with the jobs
// of a channel, posting by posting as they arrive. Jobs that are gone leave the
// table, but only when the list was read to its end.
func refresh(ctx context.Context, client *jobboard.Client, table map[jobboard.JobPostingID]string) error {
	seen := map[jobboard.JobPostingID]string{}
	stream := client.PostingStream(ctx, "27828_extern", jobboard.Query{})
	for posting, err := range stream.All() {
		if err != nil {
			return fmt.Errorf("%d postings read: %w", len(seen), err)
		}
		seen[posting.JobPostingID] = posting.Title
	}
	if page, complete := stream.Page(); !complete || page.TotalNumberOfJobs != len(seen) {
		return fmt.Errorf("%d of %d postings came", len(seen), page.TotalNumberOfJobs)
	}
	clear(table)
	for id, title := range seen {
		table[id] = title
	}
	return nil
}

// The answer is cut off: the connection ends in the middle of the list. Half a
// list looks like half of the jobs having closed, and a program that takes it
// for whole takes them off its pages.
func TestAnswerIsCutOff(t *testing.T) {
	for _, how := range []jobboardtest.Break{jobboardtest.CutBody, jobboardtest.ResetBody, jobboardtest.StallBody} {
		t.Run(string(how), func(t *testing.T) {
			// In the bubble a stalled answer is given up without waiting.
			synctest.Test(t, func(t *testing.T) {
				fake := jobboardtest.New(t, jobboardtest.WithoutSockets())
				fake.AddClient(jobboardtest.ClientApp{ID: "10"})
				for i := range 500 {
					fake.Publish("27828_extern", jobboardtest.Job{Title: fmt.Sprintf("Nurse %d", i)})
				}
				client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, ClientID: "10", HTTPClient: fake.Client()})
				if err != nil {
					t.Fatal(err)
				}
				table := map[jobboard.JobPostingID]string{}
				if err := refresh(t.Context(), client, table); err != nil || len(table) != 500 {
					t.Fatalf("at first: %d postings, %v", len(table), err)
				}

				// A stream whose first postings were handed out is not begun
				// again behind the program's back: it ends with an error.
				fault := fake.Fail(jobboardtest.Fault{Break: how, Operation: jobboardtest.OpSearch})
				if err := refresh(t.Context(), client, table); !errors.Is(err, jobboard.ErrTransport) && !errors.Is(err, jobboard.ErrTimeout) {
					t.Errorf("cut off: %v", err)
				}
				if len(table) != 500 {
					t.Errorf("an answer that was cut off left %d postings in the table", len(table))
				}
				fault.Lift()

				// The client repeats a search that it reads whole.
				fake.ClearRequests()
				fake.Fail(jobboardtest.Fault{Break: how, Times: 1})
				result, err := client.Search(t.Context(), "27828_extern", jobboard.Query{})
				if err != nil || len(result.Results) != 500 || fake.Count() != 2 {
					t.Errorf("a search cut off once: %v, %d requests", err, fake.Count())
				}

				// Cut off every time, it fails in the end, and never gives half.
				fake.Fail(jobboardtest.Fault{Break: how})
				if result, err := client.Search(t.Context(), "27828_extern", jobboard.Query{}); err == nil {
					t.Errorf("cut off every time, the search gives %d postings", len(result.Results))
				}
			})
		})
	}
}
