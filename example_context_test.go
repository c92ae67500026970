package jobboard_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/url"

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
