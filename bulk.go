package jobboard

import (
	"context"
	"iter"
	"sync"

	"github.com/jobboard-sdk/jobboard-go/internal/gate"
)

// BulkOptions sets how many calls run at once; Config.Limiter sets how fast they
// start. The zero value runs 16 at once.
type BulkOptions struct {
	Concurrency int // calls at once; 0 means 16, at most 1024

	// PauseOnRetryAfter makes the whole run wait when an answer 429, 500, 502,
	// 503 or 504 has Retry-After, for as long as that asks and at most
	// RetryPolicy.MaxRetryAfter. Then the job is repeated without taking from
	// the retry budget, within RetryPolicy.MaxAttempts. If it is false, only
	// that job waits; other jobs that fail are no longer repeated once the
	// budget is empty.
	PauseOnRetryAfter bool
}

// BulkResult holds the outcome of one job, or an error of the input; Job is then
// the identifier that came with that error, usually 0.
type BulkResult[T any] struct {
	Job   JobID
	Value T     // the zero value where Err is set
	Err   error // the call's *Error, or the input's own
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
// caller. Memory grows by a few bytes for each different job.
//
// A job that waits for its repeat does not count towards Concurrency: other jobs
// run meanwhile, and repeats that are due take turns with new jobs. While 8 times
// Concurrency jobs wait for a repeat, no new job starts.
func (c *Client) BulkJobInformation(ctx context.Context, jobs iter.Seq2[JobID, error], opts BulkOptions) iter.Seq[BulkResult[*JobInformation]] {
	return bulk(ctx, opJobInformation, jobs, opts, c.jobInformation)
}

// BulkHasApplied makes the applied check (4.2) for many jobs, by the rules of
// BulkJobInformation.
func (a *Applicant) BulkHasApplied(ctx context.Context, jobs iter.Seq2[JobID, error], opts BulkOptions) iter.Seq[BulkResult[bool]] {
	return bulk(ctx, opHasApplied, jobs, opts, a.hasApplied)
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

// bulkCall makes the call of one job, whose turn it is.
type bulkCall[T any] func(context.Context, JobID, *gate.Turn) (T, error)

// bulkRun holds one bulk call: a goroutine that pulls the input, and workers. A
// worker keeps its job also while the job waits for a repeat.
type bulkRun[T any] struct {
	op      *operation
	opts    BulkOptions
	call    bulkCall[T]
	gate    *gate.Gate
	work    chan JobID
	results chan BulkResult[T]
	crew    crew
}

func bulk[T any](ctx context.Context, op *operation, jobs iter.Seq2[JobID, error], opts BulkOptions,
	call bulkCall[T],
) iter.Seq[BulkResult[T]] {
	if opts.Concurrency <= 0 {
		opts.Concurrency = defaultConcurrency
	}
	opts.Concurrency = min(opts.Concurrency, maxConcurrency)
	return func(yield func(BulkResult[T]) bool) {
		ctx, cancel := context.WithCancel(ctx)
		run := &bulkRun[T]{
			op: op, opts: opts, call: call,
			gate:    gate.New(opts.Concurrency, maxWaiting*opts.Concurrency),
			work:    make(chan JobID),
			results: make(chan BulkResult[T], opts.Concurrency),
			crew:    crew{cancel: cancel},
		}
		run.crew.start(func() {
			defer close(run.work)
			run.pull(ctx, jobs)
		})
		run.crew.then(func() { close(run.results) })
		defer func() {
			cancel()
			for range run.results { // until the last goroutine is gone
			}
			run.crew.wait()
		}()
		for r := range run.results {
			if !yield(r) {
				return
			}
		}
	}
}

// crew runs functions in goroutines. A panic in one of them, of the input or of a
// function in the Config, cancels the others and reaches whoever waits, because
// nobody can recover from one in a goroutine of the library.
type crew struct {
	cancel   context.CancelFunc
	running  sync.WaitGroup
	once     sync.Once
	panicked any // the first panic
}

func (c *crew) start(f func()) {
	c.running.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				c.once.Do(func() { c.panicked = p })
				c.cancel()
			}
		}()
		f()
	})
}

// then runs f in a goroutine once all functions have returned.
func (c *crew) then(f func()) {
	go func() {
		c.running.Wait()
		f()
	}()
}

// wait waits until all functions have returned, and passes a panic on.
func (c *crew) wait() {
	c.running.Wait()
	if c.panicked != nil {
		panic(c.panicked)
	}
}

// pull ranges over the input. It starts each job once and passes the input's
// errors on as results.
func (run *bulkRun[T]) pull(ctx context.Context, jobs iter.Seq2[JobID, error]) {
	seen := make(map[JobID]struct{})
	for job, err := range jobs {
		if ctx.Err() != nil {
			run.stopped(0, ctx.Err())
			return
		}
		if err != nil {
			run.results <- BulkResult[T]{Job: job, Err: err}
			continue
		}
		if _, again := seen[job]; again {
			continue
		}
		seen[job] = struct{}{}
		if err := run.gate.Enter(ctx); err != nil {
			run.stopped(job, err)
			return
		}
		run.handOver(ctx, job)
	}
}

func (run *bulkRun[T]) stopped(job JobID, err error) {
	run.results <- BulkResult[T]{Job: job, Err: &Error{
		Op: run.op.name, Path: run.op.path, Stopped: StopCanceled, Err: ended(err, false).err,
	}}
}

// handOver gives a job that has entered the gate to a free worker, or to a new
// one. The gate bounds the number of workers.
func (run *bulkRun[T]) handOver(ctx context.Context, job JobID) {
	select {
	case run.work <- job:
	default:
		run.crew.start(func() {
			run.do(ctx, job)
			for job := range run.work {
				run.do(ctx, job)
			}
		})
	}
}

func (run *bulkRun[T]) do(ctx context.Context, job JobID) {
	turn := run.gate.NewTurn(run.opts.PauseOnRetryAfter)
	value, err := run.call(ctx, job, turn)
	run.results <- BulkResult[T]{job, value, err}
	turn.End() // after the result is taken: a slow reader slows the calls down
}
