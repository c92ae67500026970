package gate

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// Work describes to [Run] how to do a job. J is a job, R its result.
type Work[J comparable, R any] struct {
	Places  int // jobs at work at once
	MaxAway int // no job starts while as many jobs wait for a repeat

	Do      func(ctx context.Context, job J, turn *Turn) R
	Failed  func(job J, err error) R // result of an error in the input
	Stopped func(job J, err error) R // result if the context ends before job starts; job may be zero
}

// run holds the state of one Run: a goroutine that pulls the input, and workers. A worker stays
// with its job while the job waits for a repeat.
type run[J comparable, R any] struct {
	Work[J, R]
	gate    *Gate
	jobs    chan J
	results chan R
	crew    Crew
}

// Run does each job of the input once and yields the results as they come. If the caller breaks
// off, Run cancels the jobs under way, and returns when all goroutines have ended.
func Run[J comparable, R any](ctx context.Context, input iter.Seq2[J, error], work Work[J, R]) iter.Seq[R] {
	return func(yield func(R) bool) {
		ctx, cancel := context.WithCancel(ctx)
		r := &run[J, R]{
			Work: work, gate: New(work.Places, work.MaxAway),
			jobs: make(chan J), results: make(chan R, work.Places), crew: Crew{Cancel: cancel},
		}
		r.crew.Start(func() {
			defer close(r.jobs)
			r.pull(ctx, input)
		})
		r.crew.Then(func() { close(r.results) })
		defer func() {
			cancel()
			for range r.results { // until the last goroutine has ended
			}
			r.crew.Wait()
		}()
		for result := range r.results {
			if !yield(result) {
				return
			}
		}
	}
}

// pull ranges over the input. It starts each job once and passes the input's
// errors on as results.
func (r *run[J, R]) pull(ctx context.Context, input iter.Seq2[J, error]) {
	seen := make(map[J]struct{})
	for job, err := range input {
		if ctx.Err() != nil {
			var none J
			r.results <- r.Stopped(none, ctx.Err())
			return
		}
		if err != nil {
			r.results <- r.Failed(job, err)
			continue
		}
		if _, again := seen[job]; again {
			continue
		}
		seen[job] = struct{}{}
		if err := r.gate.Enter(ctx); err != nil {
			r.results <- r.Stopped(job, err)
			return
		}
		r.handOver(ctx, job)
	}
}

// handOver gives a job that has entered the gate to an idle worker, or to a new one. The number of
// workers is about the number of unfinished jobs, including jobs that wait for a repeat.
func (r *run[J, R]) handOver(ctx context.Context, job J) {
	select {
	case r.jobs <- job:
	default:
		r.crew.Start(func() {
			r.do(ctx, job)
			for job := range r.jobs {
				r.do(ctx, job)
			}
		})
	}
}

func (r *run[J, R]) do(ctx context.Context, job J) {
	turn := r.gate.NewTurn()
	r.results <- r.Do(ctx, job, turn)
	turn.End() // only after the caller took the result: a slow caller slows the jobs down
}

// Crew runs functions in goroutines. If a function panics, or calls runtime.Goexit as
// testing.T.FailNow does, Crew cancels the others, and Wait panics or exits in the same way. So the
// caller can recover from the panic, and never waits for a result that will not come.
type Crew struct {
	Cancel context.CancelFunc // cancels the functions' context

	running  sync.WaitGroup
	once     sync.Once
	panicked any  // the first panic
	exited   bool // by runtime.Goexit, before any panic
}

// Start runs f in a goroutine.
func (c *Crew) Start(f func()) {
	c.running.Go(func() { c.Do(f) })
}

// Do runs f in this goroutine. A later Wait repeats the panic of f.
func (c *Crew) Do(f func()) {
	returned := false
	defer func() {
		if returned {
			return
		}
		p := recover() // nil after runtime.Goexit
		c.once.Do(func() { c.panicked, c.exited = p, p == nil })
		c.Cancel()
	}()
	f()
	returned = true
}

// Then runs f in a goroutine once all functions have ended.
func (c *Crew) Then(f func()) {
	go func() {
		c.running.Wait()
		f()
	}()
}

// Wait waits until all functions have ended. If a function did not return, Wait repeats its panic
// or its Goexit.
func (c *Crew) Wait() {
	c.running.Wait()
	switch {
	case c.exited:
		runtime.Goexit()
	case c.panicked != nil:
		panic(c.panicked)
	}
}
