package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

// A mock of one call, which answers with a string where the interface has a
// boolean. In a test use Run, which makes a subtest of each rule.
func ExampleCheck() {
	mock := httptest.NewServer(quotedMock)
	defer mock.Close()
	results, err := conformance.Check(context.Background(), conformance.Target{
		BaseURL: mock.URL, ApplicantToken: "jana", AppliedJob: 4711, UnknownJob: 4712,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		if r.Failed() {
			fmt.Println(r)
		}
	}
	// Output:
	// FAIL applied/boolean (section 4.2): the applied check answers with a JSON boolean
	// 	for job 4711 the answer is status 200, application/json, "\"true\"", not true or false
	// FAIL application/answers (section 4.3, 5, 9): the application lookup answers an applicant's user token with 200
	// 	it is answered with status 404, application/json, "{\"code\":\"get_project_error\",\"message\":\"Project not available\"}", not 200
}

// A target comes from the line that jobboard-fake prints with -json; here the address belongs
// to a mock server in the same process.
func ExampleTarget() {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	line, err := json.Marshal(srv.Demo)
	if err != nil {
		log.Fatal(err)
	}
	target := conformance.Target{BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, ReadOnly: true}
	if err := json.Unmarshal(line, &target); err != nil {
		log.Fatal(err)
	}
	results, err := conformance.Check(context.Background(), target)
	if err != nil {
		log.Fatal(err)
	}
	failed := 0
	for _, r := range results {
		if r.Failed() {
			failed++
		}
	}
	fmt.Println("rules broken:", failed)
	// Output: rules broken: 0
}
