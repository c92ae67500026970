package snapshot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

func ExampleDiff() {
	client, fake := open()
	defer fake.Close()
	channel := jobboard.ChannelID(fake.Demo.Channel)
	query := jobboard.Query{Text: "Food Buyer"}

	before, err := snapshot.Take(context.Background(), client, channel, query)
	if err != nil {
		log.Fatal(err)
	}
	fake.RemovePosting(600282)
	fake.Publish(fake.Demo.Channel, jobboardtest.Job{ID: 77, Title: "Senior Food Buyer"})
	after, err := snapshot.Take(context.Background(), client, channel, query)
	if err != nil {
		log.Fatal(err)
	}

	changes, err := snapshot.Diff(before, after)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range changes.Added {
		fmt.Println("+", p.Title)
	}
	for _, c := range changes.Changed {
		fmt.Println("*", c.Before.Title, "->", c.After.Title)
	}
	for _, p := range changes.Gone {
		fmt.Println("-", p.Title)
	}
	// Output:
	// + Senior Food Buyer
	// - Einkäufer Lebensmittel (m/w/d)
}

// The service shows a part of the channel: postings missing from it may still exist.
func ExampleDiff_partial() {
	client, fake := open()
	defer fake.Close()
	channel := jobboard.ChannelID(fake.Demo.Channel)
	before, err := snapshot.Take(context.Background(), client, channel, jobboard.Query{})
	if err != nil {
		log.Fatal(err)
	}
	fake.SetVariants(jobboardtest.Variants{PageSize: 10})
	after, err := snapshot.Take(context.Background(), client, channel, jobboard.Query{})
	if err != nil {
		log.Fatal(err)
	}
	changes, err := snapshot.Diff(before, after)
	fmt.Println(after.Complete, len(changes.Gone), len(changes.MaybeGone) > 0, err)
	// Output:
	// false 0 true <nil>
}

// A snapshot is kept as JSON until the next one.
func ExampleTake() {
	client, fake := open()
	defer fake.Close()
	s, err := snapshot.Take(context.Background(), client, jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{Text: "Food Buyer"})
	if err != nil {
		log.Fatal(err)
	}
	b, err := json.Marshal(s)
	if err != nil {
		log.Fatal(err)
	}
	var kept snapshot.Snapshot
	if err := json.Unmarshal(b, &kept); err != nil {
		log.Fatal(err)
	}
	fmt.Println(kept.Channel, kept.Text, kept.Complete)
	for _, p := range kept.Postings {
		fmt.Println(p.JobPostingID, p.PostingVersionID, p.Title)
	}
	// Output:
	// 27828_extern Food Buyer true
	// 600282 910538 Einkäufer Lebensmittel (m/w/d)
	// 600289 910551 Food Buyer (f/m/x)
}

func ExampleTake_applicant() {
	client, fake := open()
	defer fake.Close()
	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	s, err := snapshot.Take(context.Background(), applicant, jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{Text: "Food Buyer"})
	fmt.Println(len(s.Postings), s.Complete, s.ForApplicant, err)
	// Output:
	// 2 true true <nil>
}

// open returns a client of a mock server with the demo data.
func open() (*jobboard.Client, *jobboardtest.Server) {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, ClientID: fake.Demo.ClientID})
	if err != nil {
		log.Fatal(err)
	}
	return client, fake
}
