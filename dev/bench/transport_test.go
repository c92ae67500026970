//go:build rivals

package bench

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/dev/bench/internal/oapiclient"
	"github.com/jobboard-sdk/jobboard-go/dev/bench/internal/ogenclient"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// noToken leaves the credential to the transport.
type noToken struct{}

func (noToken) User(context.Context, ogenclient.OperationName) (ogenclient.User, error) {
	return ogenclient.User{}, nil
}

// beginTransport starts what both examples need, with a service that fails once.
func beginTransport() (*jobboardtest.Server, *jobboard.Applicant) {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	fake.Fail(jobboardtest.Fault{Status: http.StatusServiceUnavailable, Times: 1})
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, ClientID: fake.Demo.ClientID})
	if err != nil {
		log.Fatal(err)
	}
	return fake, client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
}

func Example_oapiCodegen() {
	fake, applicant := beginTransport()
	defer fake.Close()
	ctx, baseURL, job := context.Background(), fake.BaseURL, fake.Demo.AppliedJob
	// begin
	httpClient := &http.Client{Transport: applicant.Transport()}
	generated, err := oapiclient.NewClientWithResponses(baseURL, oapiclient.WithHTTPClient(httpClient))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := generated.HasAppliedWithResponse(ctx, job)
	// end
	fmt.Println(resp.StatusCode(), *resp.JSON200, err)

	// Output:
	// 200 true <nil>
}

func Example_ogen() {
	fake, applicant := beginTransport()
	defer fake.Close()
	ctx, baseURL, job := context.Background(), fake.BaseURL, fake.Demo.AppliedJob
	// begin
	httpClient := &http.Client{Transport: applicant.Transport()}
	generated, err := ogenclient.NewClient(baseURL, noToken{}, ogenclient.WithClient(httpClient)) // noToken gives an empty User
	if err != nil {
		log.Fatal(err)
	}
	applied, err := generated.HasApplied(ctx, ogenclient.HasAppliedParams{JobDbId: job})
	// end
	fmt.Println(applied, err)

	// Output:
	// true <nil>
}
