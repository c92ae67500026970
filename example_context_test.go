package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// A cache before the service tells how old its answer is.
func ExampleWithHeaderFunc() {
	client, fake := open()
	defer fake.Close()
	fake.Fail(jobboardtest.Fault{Status: http.StatusServiceUnavailable, Times: 1, Header: http.Header{"Age": {"90"}}})

	ctx := jobboard.WithHeaderFunc(context.Background(), func(requested *url.URL, header http.Header) {
		fmt.Printf("%s is %q seconds old\n", requested.Path, header.Get("Age"))
	})
	if _, err := client.JobInformation(ctx, jobboard.JobID(fake.Demo.OpenJob)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// /info/jobdb/public/apply/external is "90" seconds old
	// /info/jobdb/public/apply/external is "" seconds old
}

func ExampleParseBaseURL() {
	for _, text := range []string{"https://jobs.example/api/rest/", "https://jobs.example", "jobs.example", "https://id:secret@jobs.example"} {
		u, err := jobboard.ParseBaseURL(text, "/api/rest")
		fmt.Println(u, errors.Is(err, jobboard.ErrInvalidInput))
	}
	// Output:
	// https://jobs.example false
	// https://jobs.example false
	// <nil> true
	// <nil> true
}

func ExampleCheckToken() {
	for _, token := range []*oauth2.Token{{AccessToken: "good"}, {AccessToken: "two\nlines"}, {AccessToken: "old", Expiry: time.Unix(1, 0)}, nil} {
		fmt.Println(errors.Is(jobboard.CheckToken(token), jobboard.ErrToken))
	}
	// Output:
	// false
	// true
	// true
	// true
}

func ExampleHideSecrets() {
	fmt.Println(jobboard.HideSecrets(`{"error":"bad secret","client_secret":"s3cr3t%2Fkey","code":401}`, "s3cr3t/key"))
	// Output:
	// {"error":"bad secret","client_secret":"[hidden]","code":401}
}
