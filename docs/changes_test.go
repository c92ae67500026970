package docs_test

import (
	"crypto/sha256"
	"fmt"
	"log"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

func Example_changedJobs() {
	fake, client := begin()
	defer fake.Close()
	index, err := jobfeed.NewIndex(jobfeed.NewReader(strings.NewReader(joinFeed), nil).Entries())
	if err != nil {
		log.Fatal(err)
	}
	changes := snapshot.Changes{Changed: []snapshot.Change{
		{After: snapshot.Posting{JobPostingID: 600100, Title: "Registered Nurse"}},
		{After: snapshot.Posting{JobPostingID: 600101, Title: "Cook"}},
	}}
	// begin
	for _, change := range changes.Changed {
		named := jobboard.JobPosting{JobPostingID: change.After.JobPostingID, PostingVersionID: change.After.PostingVersionID}
		job, evidence, ok := index.Job(&named) // a jobfeed.Index
		if !ok {
			fmt.Println(change.After.Title, "leads to no job:", evidence)
			continue
		}
		info, err := client.JobInformation(ctx, job)
		if err != nil {
			log.Println(job, err)
			continue
		}
		fmt.Println(change.After.Title, "is of job", job, "- still open:", info.ApplyPossible)
	}
	// end

	// Output:
	// Registered Nurse is of job 2797227 - still open: true
	// Cook leads to no job: no evidence
}

func Example_skip() {
	fake, client := begin()
	defer fake.Close()
	known := map[[sha256.Size]byte]bool{}
	// begin
	read := func() error {
		stream := client.PostingStream(ctx, "27828_extern", jobboard.Query{})
		var sum [sha256.Size]byte
		stream.Skip(func(raw []byte) bool {
			sum = sha256.Sum256(raw)
			return known[sum] // the table of hashes that is kept
		})
		decoded := 0
		for posting, err := range stream.All() {
			if err != nil {
				return err
			}
			decoded++
			_ = posting // kept by the program, and only then
			known[sum] = true
		}
		page, whole := stream.Page()
		fmt.Println(decoded, "decoded of", page.TotalNumberOfJobs, "whole:", whole)
		return nil
	}
	// end

	for range 2 {
		if err := read(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 42 decoded of 42 whole: true
	// 1 decoded of 42 whole: true
}
