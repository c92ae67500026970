package fivetests

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// refresh is the program: it brings a table of titles up to date with the jobs
// of a channel, posting by posting as they arrive. Jobs that are gone leave the
// table, but only when the list was read to its end.
func refresh(ctx context.Context, client *jobboard.Client, table map[jobboard.JobPostingID]string) error {
	seen := map[jobboard.JobPostingID]string{}
	stream := client.PostingStream(ctx, "27828_extern", jobboard.Query{})
	for posting, err := range stream.All() {
		if err != nil {
			return fmt.Errorf("%d postings read: %w", len(seen), err)
		}
		seen[posting.JobPostingID] = posting.Title
	}
	if page, complete := stream.Page(); !complete || page.TotalNumberOfJobs != len(seen) {
		return fmt.Errorf("%d of %d postings came", len(seen), page.TotalNumberOfJobs)
	}
	clear(table)
	for id, title := range seen {
		table[id] = title
	}
	return nil
}

// The answer is cut off: the connection ends in the middle of the list. Half a
// list looks like half of the jobs having closed, and a program that takes it
// for whole takes them off its pages.
func TestAnswerIsCutOff(t *testing.T) {
	for _, how := range []jobboardtest.Break{jobboardtest.CutBody, jobboardtest.ResetBody, jobboardtest.StallBody} {
		t.Run(string(how), func(t *testing.T) {
			// In the bubble a stalled answer is given up without waiting.
			synctest.Test(t, func(t *testing.T) {
				fake := jobboardtest.New(t, jobboardtest.WithoutSockets())
				fake.AddClient(jobboardtest.ClientApp{ID: "10"})
				for i := range 500 {
					fake.Publish("27828_extern", jobboardtest.Job{Title: fmt.Sprintf("Nurse %d", i)})
				}
				client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, ClientID: "10", HTTPClient: fake.Client()})
				if err != nil {
					t.Fatal(err)
				}
				table := map[jobboard.JobPostingID]string{}
				if err := refresh(t.Context(), client, table); err != nil || len(table) != 500 {
					t.Fatalf("at first: %d postings, %v", len(table), err)
				}

				// A stream whose first postings were handed out is not begun
				// again behind the program's back: it ends with an error.
				fault := fake.Fail(jobboardtest.Fault{Break: how, Operation: jobboardtest.OpSearch})
				if err := refresh(t.Context(), client, table); !errors.Is(err, jobboard.ErrTransport) && !errors.Is(err, jobboard.ErrTimeout) {
					t.Errorf("cut off: %v", err)
				}
				if len(table) != 500 {
					t.Errorf("an answer that was cut off left %d postings in the table", len(table))
				}
				fault.Lift()

				// The client repeats a search that it reads whole.
				fake.ClearRequests()
				fake.Fail(jobboardtest.Fault{Break: how, Times: 1})
				result, err := client.Search(t.Context(), "27828_extern", jobboard.Query{})
				if err != nil || len(result.Results) != 500 || fake.Count() != 2 {
					t.Errorf("a search cut off once: %v, %d requests", err, fake.Count())
				}

				// Cut off every time, it fails in the end, and never gives half.
				fake.Fail(jobboardtest.Fault{Break: how})
				if result, err := client.Search(t.Context(), "27828_extern", jobboard.Query{}); err == nil {
					t.Errorf("cut off every time, the search gives %d postings", len(result.Results))
				}
			})
		})
	}
}
