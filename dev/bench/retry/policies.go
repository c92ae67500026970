// Package retry compares the load of retry policies on a service in trouble.
package retry

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/outage"
)

// policy is a named kind of client with its retries.
type policy struct {
	name string
	open outage.Open
}

const (
	none      = "no repeat"
	retryable = "go-retryablehttp"
	standard  = "aws-sdk-go-v2 standard"
	own       = "jobboard"
)

var policies = []policy{
	{none, openNone},
	{retryable, openRetryable},
	{standard, openStandard},
	{own, openOwn},
}

func openNone(next http.RoundTripper, attempt time.Duration) outage.Client {
	client := &http.Client{Transport: next, Timeout: attempt}
	return func(ctx context.Context, number int) error {
		req, err := newRequest(ctx, number)
		if err != nil {
			return err
		}
		return finish(client.Do(req))
	}
}

// openRetryable returns a client with go-retryablehttp's defaults.
func openRetryable(next http.RoundTripper, attempt time.Duration) outage.Client {
	client := retryablehttp.NewClient()
	client.Logger = nil
	client.HTTPClient = &http.Client{Transport: next, Timeout: attempt}
	return func(ctx context.Context, number int) error {
		req, err := newRequest(ctx, number)
		if err != nil {
			return err
		}
		again, err := retryablehttp.FromRequest(req)
		if err != nil {
			return err
		}
		return finish(client.Do(again))
	}
}

// openStandard returns a client with aws-sdk-go-v2's retry loop and standard
// retryer, around net/http in place of a service client.
func openStandard(next http.RoundTripper, attempt time.Duration) outage.Client {
	client := &http.Client{Transport: next, Timeout: attempt}
	loop := awsretry.NewAttemptMiddleware(awsretry.NewStandard(), smithyhttp.RequestCloner)
	send := middleware.FinalizeHandlerFunc(func(ctx context.Context, in middleware.FinalizeInput) (
		out middleware.FinalizeOutput, metadata middleware.Metadata, err error,
	) {
		resp, err := client.Do(in.Request.(*smithyhttp.Request).Build(ctx))
		if err != nil {
			return out, metadata, &smithyhttp.RequestSendError{Err: err}
		}
		if err := finish(resp, nil); err != nil {
			return out, metadata, &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: resp}, Err: err}
		}
		return out, metadata, nil
	})
	return func(ctx context.Context, number int) error {
		req, err := newRequest(ctx, number)
		if err != nil {
			return err
		}
		wrapped := smithyhttp.NewStackRequest().(*smithyhttp.Request)
		wrapped.Request = req
		_, _, err = loop.HandleFinalize(ctx, middleware.FinalizeInput{Request: wrapped}, send)
		return err
	}
}

func openOwn(next http.RoundTripper, attempt time.Duration) outage.Client {
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: outage.Base, HTTPClient: &http.Client{Transport: next},
		Retry: jobboard.RetryPolicy{AttemptTimeout: attempt},
	})
	if err != nil {
		panic(err)
	}
	applicant := client.Applicant(jobboard.StaticToken("token"))
	return func(ctx context.Context, number int) error {
		_, err := applicant.HasApplied(ctx, jobboard.JobID(number))
		return err
	}
}

func newRequest(ctx context.Context, number int) (*http.Request, error) {
	address := outage.Base + "/api/rest/v3/frontend/jobs/" + strconv.Itoa(number) + "/applied"
	return http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
}

// finish reads an answer to its end, so that its connection is used again.
func finish(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}
