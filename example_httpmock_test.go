package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"

	"github.com/jarcoal/httpmock"

	"github.com/jobboard-sdk/jobboard-go"
)

// A test that uses httpmock gives the client a MockTransport of its own. httpmock.Activate
// replaces http.DefaultTransport for the whole process, and a client without an
// HTTPClient does not use that. Package jobboardmock gives a MockTransport that answers as
// the whole service does.
func ExampleConfig_httpmock() {
	mock := httpmock.NewMockTransport()
	applied := func(job string) string { return "https://jobs.example/api/rest/v3/frontend/jobs/" + job + "/applied" }
	mock.RegisterResponder(http.MethodGet, applied("4711"), httpmock.NewStringResponder(http.StatusOK, "true"))
	mock.RegisterResponder(http.MethodGet, applied("4712"), httpmock.NewStringResponder(http.StatusServiceUnavailable, ""))

	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL:    "https://jobs.example",
		HTTPClient: &http.Client{Transport: mock},
		Retry:      jobboard.RetryPolicy{MaxAttempts: 1}, // The test does not wait for a repeat.
	})
	if err != nil {
		log.Fatal(err)
	}
	applicant := client.Applicant(jobboard.StaticToken("a-token"))
	fmt.Println(applicant.HasApplied(context.Background(), 4711))
	_, err = applicant.HasApplied(context.Background(), 4712)
	fmt.Println(errors.Is(err, jobboard.ErrServer))
	fmt.Println(mock.GetTotalCallCount(), "requests")
	// Output:
	// true <nil>
	// true
	// 2 requests
}
