package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/jobsync"
)

// synchronize brings the table up to date with the feed.
//
// A job is stored first and recorded as done after that. So what ends the
// program in between costs one batch that is stored a second time, which
// changes nothing: a job has one row.
func synchronize(ctx context.Context, client *jobboard.Client, feed *feed, jobs *table, s settings, bar *bar) (sum *summary, err error) {
	sum = &summary{outcomes: map[outcome]int{}}
	done, err := jobsync.Open(s.checkpoint, feed.edition+" in "+jobs.id)
	if err != nil {
		return sum, err
	}
	defer done.Close()
	done.Notify = bar.step
	defer func() { sum.progress = done.Progress() }()

	reader := jobfeed.NewReader(feed, nil)
	results := client.BulkJobInformation(ctx, done.Pending(readable(reader, &sum.broken)), jobboard.BulkOptions{Concurrency: s.concurrency})
	err = jobsync.Store(done, results, s.batch, func(batch []jobboard.BulkResult[*jobboard.JobInformation]) error {
		// Not ctx: what is here is stored also when the run is being ended.
		if err := jobs.store(context.WithoutCancel(ctx), feed.edition, batch); err != nil {
			return err
		}
		sum.add(batch)
		return nil
	})
	switch {
	case err != nil:
		return sum, fmt.Errorf("storing: %w", err)
	case ctx.Err() != nil:
		return sum, errors.New("ended early; the next run goes on from here")
	case reader.Err() != nil:
		return sum, fmt.Errorf("the feed was not read to its end: %w", reader.Err())
	case sum.outcomes[failed] > 0:
		return sum, fmt.Errorf("%d jobs have no answer; the next run asks for them again", sum.outcomes[failed])
	case sum.broken > 0:
		return sum, nil // a job that could not be read may still be in the feed
	}
	sum.gone, err = jobs.leave(ctx, feed.edition)
	return sum, err
}

// readable are the jobs of the feed without its broken entries, which cost only
// themselves and are counted. What ends the feed early is in its Err.
func readable(feed *jobfeed.Reader, broken *int) iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		for id, err := range feed.JobIDs() {
			if _, entry := errors.AsType[*jobfeed.EntryError](err); entry {
				*broken++
			} else if err == nil && !yield(id, nil) {
				return
			}
		}
	}
}

// outcome is what a lookup says of a job.
type outcome string

const (
	open        outcome = "open"
	closed      outcome = "closed"
	gone        outcome = "gone"
	unavailable outcome = "posting unavailable"
	failed      outcome = "failed"
	cutShort    outcome = "under way when the run was ended"
)

func outcomeOf(r jobboard.BulkResult[*jobboard.JobInformation]) outcome {
	switch {
	case !jobboard.Settled(r.Err):
		return failed
	case r.Err == nil && r.Value.ApplyPossible:
		return open
	case r.Err == nil, errors.Is(r.Err, jobboard.ErrJobInactive):
		return closed
	case errors.Is(r.Err, jobboard.ErrJobUnavailable):
		return gone
	}
	return unavailable
}

// summary is what a run did.
type summary struct {
	outcomes map[outcome]int
	broken   int // entries of the feed
	gone     int // jobs that the feed does not have any more
	progress jobsync.Progress
	example  error // of a failed lookup
}

func (s *summary) add(batch []jobboard.BulkResult[*jobboard.JobInformation]) {
	for _, r := range batch {
		o := outcomeOf(r)
		switch {
		case o == failed && errors.Is(r.Err, context.Canceled):
			o = cutShort
		case o == failed:
			s.example = r.Err
		}
		s.outcomes[o]++
	}
}

func (s *summary) print(w io.Writer) {
	p := s.progress
	fmt.Fprintf(w, "%d jobs looked up", p.Started)
	for _, part := range []struct {
		n    int
		what string
	}{{p.Skipped, "done before"}, {p.Repeated, "repeats in the feed"}, {s.broken, "broken entries"}, {s.gone, "no longer in the feed"}} {
		if part.n > 0 {
			fmt.Fprintf(w, ", %d %s", part.n, part.what)
		}
	}
	fmt.Fprintln(w)
	for _, o := range slices.Sorted(maps.Keys(s.outcomes)) {
		fmt.Fprintf(w, "%7d %s\n", s.outcomes[o], o)
	}
	if s.example != nil {
		fmt.Fprintln(w, "such as:", s.example)
	}
}
