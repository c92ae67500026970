package jobboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func ExampleApplicant_Precheck() {
	client, fake := open()
	defer fake.Close()
	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for _, job := range []int64{fake.Demo.OpenJob, fake.Demo.WithdrawnJob, fake.Demo.InactiveJob, fake.Demo.InternalJob, fake.Demo.DeletedJob} {
		switch p := applicant.Precheck(ctx, jobboard.JobID(job)); p.Decision {
		case jobboard.DecisionMayApply:
			fmt.Printf("apply to %s, %d questions\n", p.Information.JobTitle, len(p.Information.Questions))
		case jobboard.DecisionAlreadyApplied:
			fmt.Println("you have applied:", p.ApplicationID)
		case jobboard.DecisionClosed:
			fmt.Println("too late")
		case jobboard.DecisionNotVisible, jobboard.DecisionGone:
			fmt.Println("not found")
		default:
			log.Print(p.Err())
			fmt.Println("try again")
		}
	}
	// Output:
	// apply to Pflegefachkraft (m/w/d), 5 questions
	// you have applied: 70000006c99b545ea7b59e0f0a4600d1
	// too late
	// not found
	// not found
}

// Partial failure is a result: the lookup is down, and the applicant has
// applied all the same.
func ExamplePrecheck() {
	client, fake := open()
	defer fake.Close()
	fake.Fail(jobboardtest.Answer(http.StatusNotImplemented, "").On(jobboardtest.OpJobInformation))
	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))

	p := applicant.Precheck(context.Background(), jobboard.JobID(fake.Demo.AppliedJob))
	fmt.Println(p.Decision, p.ApplicationID)
	fmt.Println(p.InformationErr)
	// Output:
	// already applied f76297d07f000002610484aa8202875a
	// jobboard: JobInformation: 501 Not Implemented: server error
}

func ExamplePrecheck_Err() {
	client, fake := open()
	defer fake.Close()
	fake.Fail(jobboardtest.Answer(http.StatusNotImplemented, "").On(jobboardtest.OpJobInformation))
	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ExpiredToken))

	p := applicant.Precheck(context.Background(), jobboard.JobID(fake.Demo.OpenJob))
	fmt.Println(p.Decision)
	fmt.Println(p.Err())
	// Output:
	// unknown
	// jobboard: JobInformation: 501 Not Implemented: server error
	// jobboard: HasApplied: 401 Unauthorized: unauthorized: invalid_token: "token expired or otherwise invalid"
	// jobboard: ApplicationID: 401 Unauthorized: unauthorized: invalid_token: "token expired or otherwise invalid"
}

func ExamplePrecheck_MarshalJSON() {
	client, fake := open()
	defer fake.Close()
	fake.Fail(jobboardtest.Answer(http.StatusNotImplemented, "").On(jobboardtest.OpJobInformation))
	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))

	b, err := json.MarshalIndent(applicant.Precheck(context.Background(), jobboard.JobID(fake.Demo.AppliedJob)), "", "  ")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(b))
	// Output:
	// {
	//   "job": 2797238,
	//   "decision": "already applied",
	//   "informationError": "jobboard: JobInformation: 501 Not Implemented: server error",
	//   "applied": true,
	//   "applicationId": "f76297d07f000002610484aa8202875a"
	// }
}

func ExampleDecision_String() {
	for d := jobboard.DecisionUnknown; d <= jobboard.DecisionGone; d++ {
		fmt.Println(d)
	}
	// Output:
	// unknown
	// may apply
	// already applied
	// closed
	// not visible
	// gone
}
