package jobboardmock_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/jobboardmock"
)

func client(fake *jobboardtest.Server, transport http.RoundTripper) *jobboard.Client {
	c, err := jobboard.NewClient(jobboard.Config{
		BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID,
		HTTPClient: &http.Client{Transport: transport},
		Retry:      jobboard.RetryPolicy{MaxAttempts: 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	return c
}

func Example() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	defer fake.Close()
	mock := jobboardmock.New(fake)
	c := client(fake, mock)

	result, err := c.Search(context.Background(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.TotalNumberOfJobs, "jobs,", mock.GetTotalCallCount(), "call")

	// One answer of the suite's own, on top of the mock server's.
	address := fake.JobDBURL + "/jobdb/public/apply/external"
	mock.RegisterResponder(http.MethodGet, address, httpmock.NewStringResponder(http.StatusServiceUnavailable, ""))
	_, err = c.JobInformation(context.Background(), jobboard.JobID(fake.Demo.OpenJob))
	fmt.Println(errors.Is(err, jobboard.ErrServer))
	// Output:
	// 42 jobs, 1 call
	// true
}

// The mock server also answers a path that the interface does not have.
func TestWrongPath(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithStrict(false))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(fake.BaseURL, "board")+"nowhere", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := jobboardmock.New(fake).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if n := fake.Count(); resp.StatusCode != http.StatusNotFound || n != 1 {
		t.Errorf("status %d, %d requests reached the fake", resp.StatusCode, n)
	}
}

func TestElsewhere(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://elsewhere.example/api/rest", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := jobboardmock.New(fake).RoundTrip(req)
	if err == nil {
		_ = resp.Body.Close()
		t.Error("a request elsewhere was answered")
	}
	if n := fake.Count(); n != 0 {
		t.Error(n, "requests reached the fake")
	}
}
