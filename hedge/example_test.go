package hedge_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/hedge"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// A page that waits for the applied check asks a second time where one answer in a hundred is slow.
func ExampleAfter() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()

	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL:    fake.BaseURL,
		Middleware: hedge.After(40 * time.Millisecond), // 95 of 100 answers take less
	})
	if err != nil {
		log.Fatal(err)
	}
	visitor := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	applied, err := visitor.HasApplied(context.Background(), jobboard.JobID(fake.Demo.AppliedJob))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("applied:", applied)
	// Output: applied: true
}
