package fivetests

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

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
