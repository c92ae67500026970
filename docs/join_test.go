package docs_test

import (
	"errors"
	"fmt"
	"log"
	"strings"
	"sync/atomic"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

const joinFeed = `<Feed>
	<PositionOpening>
		<PositionRecordInfo><Id><IdValue>2797227</IdValue></Id></PositionRecordInfo>
		<PositionPosting><Id><IdValue>600100</IdValue></Id><Link>../job/2797227/pflege?l=de</Link></PositionPosting>
	</PositionOpening>
	<PositionOpening>
		<PositionRecordInfo><Id><IdValue>R&amp;D 7</IdValue></Id></PositionRecordInfo>
	</PositionOpening>
</Feed>`

func Example_joinBuild() {
	body := strings.NewReader(joinFeed)
	var current atomic.Pointer[jobfeed.Index]
	build := func() error {
		// begin
		feed := jobfeed.NewReader(body, nil)
		index, err := jobfeed.NewIndex(feed.Entries())
		if err != nil {
			return err // the feed broke off before its end: keep the last index
		}
		read, broken := index.Entries()
		fmt.Println(read, "entries,", broken, "broken")
		current.Store(index)
		return nil
		// end
	}
	if err := build(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(current.Load().Job(&jobboard.JobPosting{JobPostingID: 600100}))
	// Output:
	// 1 entries, 1 broken
	// 2797227 the feed gives the posting job 2797227 true
}

func Example_joinWrap() {
	body := strings.NewReader(joinFeed)
	store := func(e *jobfeed.Entry) { fmt.Println("stored:", e.JobID) }
	build := func() error {
		// begin
		feed := jobfeed.NewReader(body, nil)
		index, err := jobfeed.NewIndex(func(yield func(*jobfeed.Entry, error) bool) {
			for entry, err := range feed.Entries() {
				if err == nil {
					store(entry)
				}
				if !yield(entry, err) {
					return
				}
			}
		})
		// end
		if err != nil {
			return err
		}
		fmt.Println(index.Entries())
		return nil
	}
	if err := build(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// stored: 2797227
	// 1 1
}

func Example_joinAsk() {
	fake, client := begin()
	defer fake.Close()
	fake.Fail(jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Skip: 1, Body: "ERROR_POSTING_UNAVAILABLE"})
	index, err := jobfeed.NewIndex(jobfeed.NewReader(strings.NewReader(joinFeed), nil).Entries())
	if err != nil {
		log.Fatal(err)
	}
	ask := func() error {
		// begin
		result, err := client.Search(ctx, "27828_extern", jobboard.Query{Text: "Pflegefachkraft"})
		if err != nil {
			return err
		}
		for _, posting := range result.Results {
			job, evidence, ok := index.Job(&posting)
			if !ok {
				fmt.Println(posting.JobPostingID, "leads to no job:", evidence, evidence.Contradicts())
				continue
			}
			info, err := client.JobInformation(ctx, job)
			switch {
			case errors.Is(err, jobboard.ErrNotFound), errors.Is(err, jobboard.ErrInactive):
				continue
			case errors.Is(err, jobboard.ErrPostingUnavailable):
				fmt.Println(posting.JobPostingID, "is not checked: the service cannot find it now")
				continue
			case err != nil:
				return err
			}
			fmt.Println(posting.JobPostingID, "is of job", job, "because", evidence)
			fmt.Println("confirmed by its title:", info.JobTitle == posting.Title)
		}
		return nil
		// end
	}
	if err := ask(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 600100 is of job 2797227 because the feed gives the posting job 2797227, the posting's link names job 2797227
	// confirmed by its title: true
	// 600107 is not checked: the service cannot find it now
}
