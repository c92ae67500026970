package jobboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// open starts the mock server with its demo data, and a client for it.
func open() (*jobboard.Client, *jobboardtest.Server) {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL:  fake.BaseURL,
		JobDBURL: fake.JobDBURL,
		ClientID: fake.Demo.ClientID,
	})
	if err != nil {
		log.Fatal(err)
	}
	return client, fake
}

func Example() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()

	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: "10"})
	if err != nil {
		log.Fatal(err)
	}
	result, err := client.Search(context.Background(), "27828_extern", jobboard.Query{Text: "Food Buyer"})
	if err != nil {
		log.Fatal(err)
	}
	for _, posting := range result.Results {
		fmt.Println(posting.JobPostingID, posting.Title)
	}
	// Output:
	// 600282 Einkäufer Lebensmittel (m/w/d)
	// 600289 Food Buyer (f/m/x)
}

func ExampleNewClient() {
	_, err := jobboard.NewClient(jobboard.Config{BaseURL: "http://jobs.example", ClientID: "10"})
	fmt.Println(errors.Is(err, jobboard.ErrInvalidInput))
	fmt.Println(err)
	// Output:
	// true
	// jobboard: NewClient: invalid input: Config.BaseURL is http to a host that is not loopback: its credential would be readable on the way (AllowInsecure permits it)
}

func ExampleClient_Search() {
	client, fake := open()
	defer fake.Close()

	result, err := client.Search(context.Background(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{
		Text:     "nurse",
		Near:     jobboard.Near(53.55, 9.99, 25),
		Language: "en",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.TotalNumberOfJobs, "found, partial:", result.Partial())
	for _, posting := range result.Results {
		fmt.Println(posting.Title, posting.Config.Get("ProjectLocationGerman"))
	}
	// Output:
	// 1 found, partial: false
	// Registered Nurse (f/m/x) [Hamburg]
}

func ExampleClient_Postings() {
	client, fake := open()
	defer fake.Close()

	// The long ad texts are read past, not kept.
	query := jobboard.Query{OmitConfig: []string{"platform_internalAdText"}}
	n := 0
	for posting, err := range client.Postings(context.Background(), jobboard.ChannelID(fake.Demo.Channel), query) {
		if err != nil {
			log.Fatal(err)
		}
		if posting.Config.First("sg_remote_status") == "FULLY_REMOTE" {
			n++
		}
	}
	fmt.Println(n, "remote jobs")
	// Output:
	// 11 remote jobs
}

func ExampleClient_PostingStream() {
	client, fake := open()
	defer fake.Close()

	stream := client.PostingStream(context.Background(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{})
	n := 0
	for _, err := range stream.All() {
		if err != nil {
			log.Fatal(err)
		}
		n++
	}
	page, complete := stream.Page()
	fmt.Println(complete, n == page.TotalNumberOfJobs)
	// Output:
	// true true
}

func ExampleApplicant_HasApplied() {
	client, fake := open()
	defer fake.Close()

	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	for _, job := range []int64{fake.Demo.OpenJob, fake.Demo.AppliedJob, fake.Demo.WithdrawnJob, fake.Demo.InactiveJob} {
		applied, err := applicant.HasApplied(context.Background(), jobboard.JobID(job))
		if errors.Is(err, jobboard.ErrPostingInactive) {
			fmt.Println("closed")
			continue
		}
		fmt.Println(applied, err)
	}
	// Output:
	// false <nil>
	// true <nil>
	// true <nil>
	// closed
}

func ExampleApplicant_ApplicationID() {
	client, fake := open()
	defer fake.Close()

	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	id, err := applicant.ApplicationID(context.Background(), jobboard.JobID(fake.Demo.AppliedJob))
	fmt.Println(id, err)
	_, err = applicant.ApplicationID(context.Background(), jobboard.JobID(fake.Demo.OpenJob))
	fmt.Println(errors.Is(err, jobboard.ErrApplicationNotFound))
	// Output:
	// f76297d07f000002610484aa8202875a <nil>
	// true
}

func ExampleApplicant_Search() {
	client, fake := open()
	defer fake.Close()

	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	result, err := applicant.Search(context.Background(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{Text: "nurse"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.TotalNumberOfJobs > 0)
	// Output:
	// true
}

func ExampleApplicant_Postings() {
	client, fake := open()
	defer fake.Close()

	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	for posting, err := range applicant.Postings(context.Background(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{}) {
		fmt.Println(posting.Title, err)
		break // stops reading
	}
	// Output:
	// Pflegefachkraft (m/w/d) <nil>
}

func ExampleApplicant_PostingStream() {
	client, fake := open()
	defer fake.Close()

	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	stream := applicant.PostingStream(context.Background(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{})
	_, complete := stream.Page()
	fmt.Println(complete) // nothing was read yet
	// Output:
	// false
}

func ExampleClient_JobInformation() {
	client, fake := open()
	defer fake.Close()

	info, err := client.JobInformation(context.Background(), jobboard.JobID(fake.Demo.OpenJob))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.JobTitle, info.ApplyPossible, len(info.Questions), len(info.Nationalities))
	_, err = client.JobInformation(context.Background(), jobboard.JobID(fake.Demo.InactiveJob))
	fmt.Println(errors.Is(err, jobboard.ErrJobInactive))
	// Output:
	// Pflegefachkraft (m/w/d) true 5 202
	// true
}

func ExampleClient_BulkJobInformation() {
	client, fake := open()
	defer fake.Close()

	jobs := jobboard.Jobs(jobboard.JobID(fake.Demo.OpenJob), jobboard.JobID(fake.Demo.InactiveJob), jobboard.JobID(fake.Demo.OpenJob))
	open, closed := 0, 0
	for result := range client.BulkJobInformation(context.Background(), jobs, jobboard.BulkOptions{Concurrency: 4}) {
		switch {
		case result.Err == nil && result.Value.ApplyPossible:
			open++
		case errors.Is(result.Err, jobboard.ErrJobInactive):
			closed++
		}
	}
	fmt.Println(open, "open,", closed, "closed") // the repeated job is looked up once
	// Output:
	// 1 open, 1 closed
}

func ExampleApplicant_BulkHasApplied() {
	client, fake := open()
	defer fake.Close()

	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	jobs := jobboard.Jobs(jobboard.JobID(fake.Demo.OpenJob), jobboard.JobID(fake.Demo.AppliedJob))
	applied := 0
	for result := range applicant.BulkHasApplied(context.Background(), jobs, jobboard.BulkOptions{}) {
		if result.Value {
			applied++
		}
	}
	fmt.Println(applied)
	// Output:
	// 1
}

func ExampleJobs() {
	for job, err := range jobboard.Jobs(1, 2) {
		fmt.Println(job, err)
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
}

func ExampleClient_Subscribe() {
	client, fake := open()
	defer fake.Close()

	answer, err := client.Subscribe(context.Background(), jobboard.SubscriptionRequest{
		Query: url.Values{"channel": {fake.Demo.Channel}, "types": {"email"}, "email": {"someone@example.com"}},
		Body:  map[string][]string{"jobcategory": {"health"}},
	})
	fmt.Println(string(answer), err)
	// Output:
	// {"email":"ok"} <nil>
}

func ExampleClient_ConfirmSubscription() {
	client, fake := open()
	defer fake.Close()

	answer, err := client.ConfirmSubscription(context.Background(), "nobody-knows-it", json.RawMessage("null"))
	fmt.Println(string(answer), err)
	// Output:
	// false <nil>
}

func ExampleClient_Unsubscribe() {
	client, fake := open()
	defer fake.Close()

	answer, err := client.Unsubscribe(context.Background(), "nobody-knows-it")
	fmt.Println(string(answer), err)
	// Output:
	// false <nil>
}

func ExampleStaticToken() {
	source := jobboard.StaticToken("a-secret")
	fmt.Printf("%v %+v %#v %q\n", source, source, source, source)
	// Output:
	// [hidden] [hidden] [hidden] [hidden]
}

func ExampleRenewingToken() {
	client, fake := open()
	defer fake.Close()

	fetched := 0
	user := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
		fetched++
		return &oauth2.Token{AccessToken: fake.UserToken(fake.Demo.Applicant), Expiry: time.Now().Add(time.Hour)}, nil
	})
	applicant := client.Applicant(user)
	for range 3 {
		if _, err := applicant.HasApplied(context.Background(), jobboard.JobID(fake.Demo.OpenJob)); err != nil {
			log.Fatal(err)
		}
	}
	// The service ends the token before its time: the call renews it and is
	// repeated once.
	token, _ := user.Token()
	fake.ExpireToken(token.AccessToken)
	_, err := applicant.HasApplied(context.Background(), jobboard.JobID(fake.Demo.OpenJob))
	fmt.Println(fetched, err)
	// Output:
	// 2 <nil>
}

func ExampleError() {
	client, fake := open()
	defer fake.Close()

	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	_, err := applicant.HasApplied(context.Background(), jobboard.JobID(fake.Demo.UnknownJob))
	if e, ok := errors.AsType[*jobboard.Error](err); ok {
		fmt.Println(e.Op, e.StatusCode, e.Code, e.Attempts, e.Stopped)
		fmt.Println(e.Message)
	}
	// Output:
	// HasApplied 404 get_project_error 1 final
	// Project for jobId 9999999 not available
}

func ExampleParseJobID() {
	job, err := jobboard.ParseJobID("2797227")
	fmt.Println(job, err)
	_, err = jobboard.ParseJobID("27828_extern")
	fmt.Println(err)
	// Output:
	// 2797227 <nil>
	// jobboard: job identifier "27828_extern" is not a positive number: invalid input
}
