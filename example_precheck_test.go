package jobboard_test

import (
	"context"
	"encoding/json"
	"errors"
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
		p, err := applicant.Precheck(ctx, jobboard.JobID(job))
		switch p.Decision {
		case jobboard.DecisionMayApply:
			fmt.Printf("apply to %s, %d questions\n", p.Information.JobTitle, len(p.Information.Questions))
		case jobboard.DecisionAlreadyApplied:
			fmt.Println("you have applied")
		case jobboard.DecisionClosed:
			fmt.Println("too late")
		case jobboard.DecisionNotVisible, jobboard.DecisionNotFound:
			fmt.Println("not found")
		default:
			log.Print(err)
			fmt.Println("try again")
		}
	}
	// Output:
	// apply to Pflegefachkraft (m/w/d), 5 questions
	// you have applied
	// too late
	// not found
	// not found
}

// The applied check is down although the applicant has applied: its identifier tells.
func ExamplePrecheckResult() {
	client, fake := open()
	defer fake.Close()
	fake.Fail(jobboardtest.Fault{Status: http.StatusNotImplemented, Operation: jobboardtest.OpApplied})
	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))

	p, err := applicant.Precheck(context.Background(), jobboard.JobID(fake.Demo.AppliedJob))
	fmt.Println(p.Decision, p.ApplicationID, err)
	fmt.Println(errors.Is(p.AppliedErr, jobboard.ErrServer))
	// Output:
	// already applied f76297d07f000002610484aa8202875a <nil>
	// true
}

// While the applied check is down nobody knows whether the job is another
// company's, so the decision is unknown and the error says why.
func ExampleApplicant_Precheck_unknown() {
	client, fake := open()
	defer fake.Close()
	fake.Fail(jobboardtest.Fault{Status: http.StatusNotImplemented, Operation: jobboardtest.OpApplied})
	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))

	p, err := applicant.Precheck(context.Background(), jobboard.JobID(fake.Demo.OpenJob))
	fmt.Println(p.Decision)
	fmt.Println(errors.Is(err, jobboard.ErrServer), errors.Is(p.AppliedErr, jobboard.ErrServer))
	// Output:
	// unknown
	// true true
}

// In JSON the decision is a word, and errors are left out.
func ExampleDecision_MarshalText() {
	b, err := json.Marshal(jobboard.PrecheckResult{Job: 4711, Decision: jobboard.DecisionClosed})
	fmt.Println(string(b), err)
	// Output:
	// {"job":4711,"decision":"closed","applied":false} <nil>
}

func ExampleDecision_String() {
	for d := jobboard.DecisionUnknown; d <= jobboard.DecisionNotFound; d++ {
		fmt.Println(d)
	}
	// Output:
	// unknown
	// may apply
	// already applied
	// closed
	// not visible
	// not found
}
