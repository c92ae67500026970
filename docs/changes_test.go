package docs_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

func Example_changedJobs() {
	fake, client := begin()
	defer fake.Close()
	index, err := jobfeed.NewIndex(jobfeed.NewReader(strings.NewReader(joinFeed), nil).Entries())
	if err != nil {
		log.Fatal(err)
	}
	changes := jobboard.Changes{Changed: []jobboard.PostingChange{
		{After: jobboard.SnapshotPosting{JobPostingID: 600100, Title: "Registered Nurse"}},
		{After: jobboard.SnapshotPosting{JobPostingID: 600101, Title: "Cook"}},
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
