package jobboard_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// A client for some of the calls: with a header of their own, and with one attempt, because somebody waits for
// them. It shares everything else with the client that it is made of.
func ExampleClient_With() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()

	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, ClientID: "10"})
	if err != nil {
		log.Fatal(err)
	}
	north := client.With(jobboard.CallOptions{
		Retry:  &jobboard.RetryPolicy{MaxAttempts: 1},
		Header: http.Header{"X-Tenant": {"north"}},
	})
	for _, c := range []*jobboard.Client{north, client} {
		if _, err := c.Search(context.Background(), "27828_extern", jobboard.Query{}); err != nil {
			log.Fatal(err)
		}
	}
	for _, request := range fake.Requests() {
		fmt.Printf("%q\n", request.Header["X-Tenant"])
	}
	// Output:
	// ["north"]
	// []
}

// A middleware sees each request as it goes out, and each answer as it comes.
func ExampleConfig_middleware() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()
	fake.Fail(jobboardtest.Fault{Status: http.StatusServiceUnavailable, Times: 1})

	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: fake.BaseURL, ClientID: "10",
		Middleware: func(next http.RoundTripper) http.RoundTripper { return printing{next} },
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Search(context.Background(), "27828_extern", jobboard.Query{}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// GET 503 Service Unavailable
	// GET 200 OK
}

type printing struct{ next http.RoundTripper }

func (p printing) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := p.next.RoundTrip(req)
	if err == nil {
		fmt.Println(req.Method, resp.Status) // not the URL, which holds what was searched for
	}
	return resp, err
}
