package jobboard

import (
	"context"
	"iter"
	"sync"
)

// BulkOptions says how many calls run at once; Config.Limiter says how fast.
// The zero value is 16 at once.
type BulkOptions struct {
	Concurrency int // calls at once; 0 means 16, at most 1024
}

// Limiter spaces calls out: Wait returns when the next may start, or with an
// error when it may not. *rate.Limiter of golang.org/x/time/rate is one.
type Limiter interface {
	Wait(ctx context.Context) error
}

// BulkResult is what became of one job, or of an error of the input (Job is
// then what came with it, usually 0).
type BulkResult[T any] struct {
	Job   JobID
	Value T     // the zero value where Err is set
	Err   error // the call's *Error, or the input's own
}

// BulkJobInformation looks up many jobs (4.4) and gives each result as it comes,
// in no order. A job that repeats is looked up once and has one result. An
// error in jobs is a result, not the end.
//
// jobs runs in a goroutine of its own, one pull ahead of the calls. Breaking
// off cancels the calls under way, starts no more, and returns once the pull
// in progress has. When ctx ends, a result holds its error unless jobs was at
// its end. Memory grows by a few bytes a distinct job.
func (c *Client) BulkJobInformation(ctx context.Context, jobs iter.Seq2[JobID, error], opts BulkOptions) iter.Seq[BulkResult[*JobInformation]] {
	return bulk(ctx, opJobInformation, jobs, opts, c.JobInformation)
}

// BulkHasApplied is HasApplied for many jobs, as BulkJobInformation does it.
func (a *Applicant) BulkHasApplied(ctx context.Context, jobs iter.Seq2[JobID, error], opts BulkOptions) iter.Seq[BulkResult[bool]] {
	return bulk(ctx, opHasApplied, jobs, opts, a.HasApplied)
}

// Jobs makes of identifiers in hand what the bulk calls take.
func Jobs(ids ...JobID) iter.Seq2[JobID, error] {
	return func(yield func(JobID, error) bool) {
		for _, id := range ids {
			if !yield(id, nil) {
				return
			}
		}
	}
}

func bulk[T any](ctx context.Context, op *operation, jobs iter.Seq2[JobID, error], opts BulkOptions,
	call func(context.Context, JobID) (T, error),
) iter.Seq[BulkResult[T]] {
	return func(yield func(BulkResult[T]) bool) {
		ctx, cancel := context.WithCancel(ctx)
		limit := opts.Concurrency
		if limit <= 0 {
			limit = 16
		}
		limit = min(limit, 1024)
		var (
			work    = make(chan JobID)
			results = make(chan BulkResult[T], limit)
			running sync.WaitGroup
		)
		workers := 0
		start := func(job JobID) bool {
			if workers < limit {
				select {
				case work <- job: // a worker is free
					return true
				default:
				}
				workers++
				running.Go(func() {
					for job := range work {
						value, err := call(ctx, job)
						results <- BulkResult[T]{job, value, err}
					}
				})
			}
			select {
			case work <- job:
				return true
			case <-ctx.Done():
				return false
			}
		}
		running.Go(func() {
			defer close(work)
			pull(ctx, op, jobs, start, func(job JobID, err error) {
				results <- BulkResult[T]{Job: job, Err: err}
			})
		})
		go func() {
			running.Wait()
			close(results)
		}()
		defer func() {
			cancel()
			for range results { // until the last goroutine is gone
			}
		}()
		for r := range results {
			if !yield(r) {
				return
			}
		}
	}
}

// pull runs the input: each job once, its errors beside.
func pull(ctx context.Context, op *operation, jobs iter.Seq2[JobID, error],
	start func(JobID) bool, fail func(JobID, error),
) {
	stopped := func(job JobID, err error) {
		fail(job, &Error{Op: op.name, Path: op.path, Stopped: StopCanceled, Err: err})
	}
	seen := make(map[JobID]struct{})
	for job, err := range jobs {
		if ctx.Err() != nil {
			stopped(0, ctx.Err())
			return
		}
		if err != nil {
			fail(job, err)
			continue
		}
		if _, again := seen[job]; again {
			continue
		}
		seen[job] = struct{}{}
		if !start(job) {
			stopped(job, ctx.Err())
			return
		}
	}
}
