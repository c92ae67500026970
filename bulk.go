package jobboard

import (
	"context"
	"iter"

	"github.com/jobboard-sdk/jobboard-go/internal/gate"
)

// BulkOptions sets how many calls run at once; Config.Limiter sets how fast they
// start. The zero value runs 16 at once.
type BulkOptions struct {
	Concurrency int // calls at once; 0 means 16, at most 1024
}

// BulkResult holds the outcome of one job, or an error of the sequence of jobs. With such an error
// Job is the identifier that the sequence yielded beside it, usually 0.
type BulkResult[T any] struct {
	Job   JobID
	Value T     // the zero value where Err is set
	Err   error // the call's *Error, or an error that jobs yielded
}

// BulkJobInformation looks up many jobs (4.4) and yields each result as it
// arrives, in no order. A job that occurs several times in jobs is looked up
// once and has one result. An error in jobs becomes a result and does not end
// the run.
//
// jobs runs in a goroutine of its own, which takes one job more than calls can
// start. If the caller breaks off, the calls under way are canceled, no other
// starts, and the loop returns as soon as jobs has returned from its step in
// progress. If ctx ends before jobs does, a result holds the context's error. A
// panic of jobs, or of a function in the Config, ends the run and reaches the
// caller; so does runtime.Goexit, which testing.T.FailNow calls. Memory grows by
// a few bytes for each different job.
//
// A job that waits for its repeat does not count towards Concurrency: other jobs
// run meanwhile, and repeats that are due take turns with new jobs. While 8 times
// Concurrency jobs wait for a repeat, no new job starts.
func (c *Client) BulkJobInformation(ctx context.Context, jobs iter.Seq2[JobID, error], opts BulkOptions) iter.Seq[BulkResult[*JobInformation]] {
	return bulk(ctx, c.lookup.made(), opJobInformation, jobs, opts, c.jobInformation)
}

// BulkHasApplied makes the applied check (4.2) for many jobs, by the rules of
// BulkJobInformation.
func (a *Applicant) BulkHasApplied(ctx context.Context, jobs iter.Seq2[JobID, error], opts BulkOptions) iter.Seq[BulkResult[bool]] {
	return bulk(ctx, a.endpoint.made(), opHasApplied, jobs, opts, a.hasApplied)
}

// Jobs returns the identifiers as the sequence that the bulk calls take.
func Jobs(ids ...JobID) iter.Seq2[JobID, error] {
	return func(yield func(JobID, error) bool) {
		for _, id := range ids {
			if !yield(id, nil) {
				return
			}
		}
	}
}

const (
	defaultConcurrency = 16
	maxConcurrency     = 1024
	maxWaiting         = 8 // times Concurrency
)

func bulk[T any](
	ctx context.Context, e *endpoint, op *operation, jobs iter.Seq2[JobID, error], opts BulkOptions,
	call func(context.Context, JobID, *gate.Turn) (T, error),
) iter.Seq[BulkResult[T]] {
	places := opts.Concurrency
	if places <= 0 {
		places = defaultConcurrency
	}
	places = min(places, maxConcurrency)
	if ctx == nil {
		return func(yield func(BulkResult[T]) bool) {
			yield(BulkResult[T]{Err: e.refuse(ctx, op, errNoContext)})
		}
	}
	return gate.Run(ctx, jobs, gate.Work[JobID, BulkResult[T]]{
		Places: places, MaxAway: maxWaiting * places,
		Do: func(ctx context.Context, job JobID, turn *gate.Turn) BulkResult[T] {
			value, err := call(ctx, job, turn)
			return BulkResult[T]{job, value, err}
		},
		Failed: func(job JobID, err error) BulkResult[T] { return BulkResult[T]{Job: job, Err: err} },
		Stopped: func(job JobID, err error) BulkResult[T] {
			return BulkResult[T]{Job: job, Err: &Error{
				Op: op.name, Method: op.method, Origin: e.Origin.Address(), Path: op.path, Stopped: StopCanceled, Err: contextEnd(err),
			}}
		},
	})
}
