package jobboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func ExampleDiff() {
	client, fake := open()
	defer fake.Close()
	channel := jobboard.ChannelID(fake.Demo.Channel)
	query := jobboard.Query{Text: "Food Buyer"}

	before, err := client.Snapshot(context.Background(), channel, query)
	if err != nil {
		log.Fatal(err)
	}
	fake.RemovePosting(600282)
	fake.Publish(fake.Demo.Channel, jobboardtest.Job{ID: 77, Title: "Senior Food Buyer"})
	after, err := client.Snapshot(context.Background(), channel, query)
	if err != nil {
		log.Fatal(err)
	}

	changes, err := jobboard.Diff(before, after)
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
	before, err := client.Snapshot(context.Background(), channel, jobboard.Query{})
	if err != nil {
		log.Fatal(err)
	}
	fake.SetVariants(jobboardtest.Variants{PageSize: 10})
	after, err := client.Snapshot(context.Background(), channel, jobboard.Query{})
	if err != nil {
		log.Fatal(err)
	}
	changes, err := jobboard.Diff(before, after)
	fmt.Println(after.Complete, len(changes.Gone), len(changes.MaybeGone) > 0, err)
	// Output:
	// false 0 true <nil>
}

// A snapshot is kept as JSON until the next one.
func ExampleClient_Snapshot() {
	client, fake := open()
	defer fake.Close()
	s, err := client.Snapshot(context.Background(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{Text: "Food Buyer"})
	if err != nil {
		log.Fatal(err)
	}
	b, err := json.Marshal(s)
	if err != nil {
		log.Fatal(err)
	}
	var kept jobboard.Snapshot
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

func ExampleApplicant_Snapshot() {
	client, fake := open()
	defer fake.Close()
	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	s, err := applicant.Snapshot(context.Background(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{Text: "Food Buyer"})
	fmt.Println(len(s.Postings), s.Complete, s.ForApplicant, err)
	// Output:
	// 2 true true <nil>
}
