package jobboardtest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// ask is the program under test, for want of a real one.
func ask(client *http.Client, url, token string) string {
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return err.Error()
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := client.Do(req)
	if err != nil {
		return "no answer"
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 120))
	if err != nil {
		return "half an answer"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", res.StatusCode, b))
}

func ExampleNewServer() {
	srv := jobboardtest.NewServer()
	defer srv.Close()
	job, _ := srv.Publish("27828_extern", jobboardtest.Job{ID: 4711, Title: "Nurse"})
	who := srv.AddApplicant(jobboardtest.Applicant{})
	token := srv.UserToken(who.ID)
	applied := srv.BaseURL + "/api/rest/v3/frontend/jobs/4711/applied"

	fmt.Println(ask(srv.Client(), applied, token))
	_, err := srv.Apply(who.ID, job.ID)
	fmt.Println(err)
	fmt.Println(ask(srv.Client(), applied, token))
	fmt.Println(srv.Withdraw(who.ID, job.ID)) // it still counts
	fmt.Println(ask(srv.Client(), applied, token))
	srv.DeactivateJob(job.ID)
	fmt.Println(ask(srv.Client(), applied, token))
	// Output:
	// 200 false
	// <nil>
	// 200 true
	// <nil>
	// 200 true
	// 410 JobPosting inactive for jobId 4711
}

func ExampleWithDemo() {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	lookup := fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, srv.Demo.OpenJob)
	fmt.Println(ask(srv.Client(), lookup, ""))
	// Output:
	// 200 {"jobId":2797227,"jobTitle":"Pflegefachkraft (m/w/d)","jobLanguage":"de","applyPossible":true,"dataSecurityLink":"https:
}

// A service that is down for three seconds, by the server's clock.
func ExampleServer_Fail() {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	applied := fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%d/applied", srv.BaseURL, srv.Demo.AppliedJob)

	srv.Fail(jobboardtest.Fault{Status: 503, Header: http.Header{"Retry-After": {"2"}}, For: 3 * time.Second})
	fmt.Println(ask(srv.Client(), applied, srv.Demo.ApplicantToken))
	srv.Advance(3 * time.Second)
	fmt.Println(ask(srv.Client(), applied, srv.Demo.ApplicantToken))

	srv.Fail(jobboardtest.Fault{Break: jobboardtest.CutBody, Operation: jobboardtest.OpApplied, Times: 1})
	fmt.Println(ask(srv.Client(), applied, srv.Demo.ApplicantToken))
	fmt.Println(ask(srv.Client(), applied, srv.Demo.ApplicantToken))
	// Output:
	// 503
	// 200 true
	// half an answer
	// 200 true
}

func ExampleServer_SetVariants() {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	lookup := fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, srv.Demo.UnknownJob)
	for _, v := range []jobboardtest.Variants{
		{},
		{ErrorStatus: 200, ErrorField: "errors.0.code"},
		{ErrorStatus: 410, ErrorShape: jobboardtest.ErrorAsText},
	} {
		srv.SetVariants(v)
		fmt.Println(ask(srv.Client(), lookup, ""))
	}
	// Output:
	// 404 {"errorCode":"ERROR_JOB_UNAVAILABLE"}
	// 200 {"errors":[{"code":"ERROR_JOB_UNAVAILABLE"}]}
	// 410 ERROR_JOB_UNAVAILABLE
}

// The journal says what kind of credential came, and never its value.
func ExampleServer_Requests() {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	applied := fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%d/applied", srv.BaseURL, srv.Demo.AppliedJob)
	ask(srv.Client(), applied, srv.Demo.ApplicantToken)
	ask(srv.Client(), applied, srv.Demo.ClientToken)

	for _, r := range srv.Requests(jobboardtest.OpApplied) {
		fmt.Println(r)
	}
	fmt.Println(srv.Count(jobboardtest.OpSearch))
	// Output:
	// 1 GET /board/api/rest/v3/frontend/jobs/2797238/applied [user token of applicant 7] 200
	// 2 GET /board/api/rest/v3/frontend/jobs/2797238/applied [client token] 401
	// 0
}

func ExampleServer_Wait() {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	go ask(srv.Client(), srv.JobDBURL+"/jobdb/public/apply/external?jobid=2797227", "")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	fmt.Println(srv.Wait(ctx, 1, jobboardtest.OpJobInformation))
	// Output:
	// <nil>
}

func ExampleServer_ExpireToken() {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithVariants(jobboardtest.Variants{AuthErrors: jobboardtest.AuthInBody}))
	defer srv.Close()
	applied := fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%d/applied", srv.BaseURL, srv.Demo.AppliedJob)
	token := srv.UserToken(srv.Demo.Applicant)
	fmt.Println(ask(srv.Client(), applied, token))
	srv.ExpireToken(token) // or srv.Advance(time.Hour)
	fmt.Println(ask(srv.Client(), applied, token))
	// Output:
	// 200 true
	// 401 {"error":"invalid_token","error_description":"token expired or otherwise invalid"}
}

// Without sockets: a real HTTP server over in-memory connections, or no
// connection at all.
func ExampleWithoutSockets() {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	defer srv.Close()
	applied := fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%d/applied", srv.BaseURL, srv.Demo.AppliedJob)
	fmt.Println(ask(srv.Client(), applied, srv.Demo.ApplicantToken))
	fmt.Println(ask(&http.Client{Transport: srv.Transport()}, applied, srv.Demo.ApplicantToken))
	// Output:
	// 200 true
	// 200 true
}

// A strict server says which rule a request broke.
func ExampleWithStrict() {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithStrict(true))
	defer srv.Close()
	ask(srv.Client(), srv.BaseURL+"/api/rest/v2/frontend/jobboards/27828_extern/jobs?page=2", srv.Demo.ClientToken)
	fmt.Println(srv.Requests()[0].Violations[0])
	// Output:
	// the job search: "page" is not one of its query parameters, which are search and geoLocation (section 4.1)
}

func ExampleState_Write() {
	srv := jobboardtest.NewServer()
	defer srv.Close()
	srv.AddChannel(jobboardtest.Channel{ID: "27828_extern"})
	fmt.Println(srv.Snapshot().Write(os.Stdout))
	// Output:
	// {
	//   "version": 1,
	//   "last_id": 4710,
	//   "channels": [
	//     {
	//       "id": "27828_extern"
	//     }
	//   ]
	// }
	// <nil>
}

// The state as a document, for a suite that keeps its cases in files.
func ExampleReadState() {
	in, err := jobboardtest.ReadState(strings.NewReader(`{
		"jobs":       [{"id": 4711, "title": "Nurse", "status": "inactive"}],
		"postings":   [{"id": 9, "job_id": 4711, "channels": ["27828_extern"], "title": "Nurse"}],
		"applicants": [{"id": 7}],
		"tokens":     [{"value": "t", "kind": "user", "applicant_id": 7}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	srv := jobboardtest.NewServer(jobboardtest.WithState(in))
	defer srv.Close()
	fmt.Println(ask(srv.Client(), srv.BaseURL+"/api/rest/v3/frontend/jobs/4711/applied", "t"))
	// Output:
	// 410 JobPosting inactive for jobId 4711
}

// A job without a posting is found by no search, and its lookup says so.
func ExampleServer_UnpublishJob() {
	srv := jobboardtest.NewServer()
	defer srv.Close()
	job, _ := srv.Publish("27828_extern", jobboardtest.Job{Title: "Nurse"})
	srv.UnpublishJob(job.ID)
	fmt.Println(ask(srv.Client(), fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, job.ID), ""))
	// Output:
	// 404 {"errorCode":"ERROR_POSTING_UNAVAILABLE"}
}

// An applicant who is internal from now on sees internal jobs with the same token.
func ExampleServer_UpdateApplicant() {
	srv := jobboardtest.NewServer()
	defer srv.Close()
	job, _ := srv.Publish("27829_intern", jobboardtest.Job{Title: "Nurse", Internal: true})
	who := srv.AddApplicant(jobboardtest.Applicant{Name: "Jana"})
	token := srv.UserToken(who.ID)
	applied := fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%d/applied", srv.BaseURL, job.ID)
	before := ask(srv.Client(), applied, token)
	srv.UpdateApplicant(who.ID, func(a *jobboardtest.Applicant) { a.Internal = true })
	fmt.Println(before[:3], "then", ask(srv.Client(), applied, token))
	// Output:
	// 403 then 200 false
}

// The lookup needs no credential; a client that was told to send one sends this.
func ExampleServer_LookupToken() {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithStrict(true))
	defer srv.Close()
	lookup := fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, srv.Demo.OpenJob)
	fmt.Println(ask(srv.Client(), lookup, srv.LookupToken())[:3], ask(srv.Client(), lookup, srv.Demo.ClientToken)[:3])
	// Output:
	// 200 400
}

// A user's token lives an hour from its last use.
func ExampleServer_Advance() {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	token := srv.UserToken(srv.Demo.Applicant)
	applied := fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%d/applied", srv.BaseURL, srv.Demo.OpenJob)
	for _, d := range []time.Duration{59 * time.Minute, 59 * time.Minute, time.Hour} {
		srv.Advance(d)
		fmt.Println(ask(srv.Client(), applied, token)[:3])
	}
	// Output:
	// 200
	// 200
	// 401
}
