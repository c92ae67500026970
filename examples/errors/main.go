// Command errors makes a mock server of the board (package jobboardtest) fail in every way that the
// interface names, and in a few more, and prints what a program should do:
//
//	go run ./examples/errors
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"text/tabwriter"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// advice says what to do about an outcome. Your program needs such a function too: it tells
// outcomes apart by errors.Is, and never by the text of an error.
func advice(err error) string {
	switch {
	case err == nil:
		return "go on"
	case errors.Is(err, jobboard.ErrApplicationNotFound):
		return "there is no application yet: offer to apply"
	case errors.Is(err, jobboard.ErrInactive):
		return "closed: take the job off the page"
	case errors.Is(err, jobboard.ErrNotFound):
		return "gone: take the job off the page"
	case errors.Is(err, jobboard.ErrPostingUnavailable):
		return "a technical error of the service: keep the job, and try later"
	case errors.Is(err, jobboard.ErrNotVisible):
		return "not for this applicant: hide the job"
	case errors.Is(err, jobboard.ErrUnauthorized), errors.Is(err, jobboard.ErrToken):
		return "sign in again"
	case errors.Is(err, jobboard.ErrForbidden):
		return "ask for the missing permission"
	case errors.Is(err, jobboard.ErrRateLimited), errors.Is(err, jobboard.ErrServer),
		errors.Is(err, jobboard.ErrTimeout), errors.Is(err, jobboard.ErrTransport):
		return "the service has trouble: try later"
	case errors.Is(err, jobboard.ErrInvalidInput):
		return "a mistake of this program: nothing was sent"
	}
	return "unexpected: log it, with errors.As(*jobboard.Error)"
}

func run(out io.Writer) error {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()
	demo := fake.Demo
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: demo.ClientID,
		Retry: jobboard.RetryPolicy{MaxAttempts: 2, MinWait: 10 * time.Millisecond, AttemptTimeout: 500 * time.Millisecond},
	})
	if err != nil {
		return err
	}
	applicant := client.Applicant(jobboard.StaticToken(demo.ApplicantToken))

	applied := func(job int64) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := applicant.HasApplied(ctx, jobboard.JobID(job))
			return err
		}
	}
	lookup := func(job int64) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := client.JobInformation(ctx, jobboard.JobID(job))
			return err
		}
	}
	failing := func(f jobboardtest.Fault, call func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			defer fake.Fail(f).Lift()
			return call(ctx)
		}
	}

	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "SITUATION\tOUTCOME\tWHAT TO DO")
	for _, c := range []struct {
		name string
		call func(context.Context) error
	}{
		{"an open job", applied(demo.OpenJob)},
		{"no application", func(ctx context.Context) error {
			_, err := applicant.ApplicationID(ctx, jobboard.JobID(demo.OpenJob))
			return err
		}},
		{"a deactivated job", applied(demo.InactiveJob)},
		{"a deactivated job, looked up", lookup(demo.InactiveJob)},
		{"a job that never was", applied(demo.UnknownJob)},
		{"a deleted job, looked up", lookup(demo.DeletedJob)},
		{"a job without a posting", applied(demo.UnpublishedJob)},
		{"an internal job", applied(demo.InternalJob)},
		{"a job of another company", applied(demo.OtherCompanyJob)},
		{"an expired token", func(ctx context.Context) error {
			_, err := client.Applicant(jobboard.StaticToken(demo.ExpiredToken)).HasApplied(ctx, jobboard.JobID(demo.OpenJob))
			return err
		}},
		{"a token of too little scope", func(ctx context.Context) error {
			_, err := client.Applicant(jobboard.StaticToken(demo.NarrowToken)).HasApplied(ctx, jobboard.JobID(demo.OpenJob))
			return err
		}},
		{"an outage", failing(jobboardtest.Fault{Status: 503}, applied(demo.OpenJob))},
		{"too many requests", failing(jobboardtest.Fault{
			Status: 429, Header: http.Header{"Retry-After": {"3600"}},
		}, applied(demo.OpenJob))},
		{"a service that hangs", failing(jobboardtest.Fault{Break: jobboardtest.StallBefore}, applied(demo.OpenJob))},
		{"a login page instead", failing(jobboardtest.Fault{
			Header: http.Header{"Content-Type": {"text/html"}}, Body: "<!DOCTYPE html><title>Sign in</title>",
		}, applied(demo.OpenJob))},
		{"a redirect elsewhere", failing(jobboardtest.Fault{
			Status: 302, Header: http.Header{"Location": {"https://elsewhere.example/"}},
		}, applied(demo.OpenJob))},
		{"no job at all", applied(0)},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		err := c.call(ctx)
		cancel()
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.name, outcome(err), advice(err))
	}
	return w.Flush()
}

// outcome returns the fields of the *Error that errors.As finds: status, attempts and why the call
// stopped.
func outcome(err error) string {
	if err == nil {
		return "ok"
	}
	var e *jobboard.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return fmt.Sprintf("status %d, %d sent, stopped: %s", e.StatusCode, e.Attempts, e.Stopped)
}
