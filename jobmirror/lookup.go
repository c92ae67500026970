package jobmirror

import (
	"cmp"
	"context"
	"iter"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

const (
	lookupPiece = 100                    // lookups that share a number among the answers
	writeEvery  = 250 * time.Millisecond // a result waits no longer than this before it is written
	firstRetry  = 30 * time.Second       // after a lookup that did not answer
	maxStreak   = 5                      // a job that stays closed is asked about every 32nd time
)

// lookedUp is a lookup's result with the number of its piece.
type lookedUp struct {
	job    int64
	answer int64
	info   *jobboard.JobInformation
	err    error
}

// lookUp asks about jobs and writes what is answered, at most 100 results or
// 250 ms later; written is then called with them. handedOut is called once all
// are under way. What ctx cuts off stays due.
func (m *Mirror) lookUp(ctx context.Context, jobs []int64, handedOut func(), written func([]lookedUp)) error {
	results := make(chan lookedUp, lookupPiece)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := pieces{m: m, ctx: ctx, jobs: jobs, handedOut: handedOut, answers: map[jobboard.JobID]int64{}}
	go func() {
		defer close(results)
		for r := range m.client.BulkJobInformation(ctx, p.all(), jobboard.BulkOptions{Concurrency: m.opts.Concurrency}) {
			results <- lookedUp{int64(r.Job), p.answer(r.Job), r.Value, r.Err}
		}
		handedOut()
	}()
	var failed error
	write := func(batch []lookedUp) {
		if len(batch) == 0 || failed != nil {
			return
		}
		// What was answered is written even when it is time to stop.
		writing, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer stop()
		failed = m.db.update(writing, func(t *tx) error { return t.saveAnswers(m, batch) })
		if failed != nil {
			cancel()
		}
		m.lookups.Add(int64(len(batch)))
		written(batch)
	}
	timer := time.NewTimer(writeEvery)
	defer timer.Stop()
	var batch []lookedUp
	for {
		select {
		case r, ok := <-results:
			if !ok {
				write(batch)
				return cmp.Or(failed, p.failed)
			}
			if r.err != nil && ctx.Err() != nil && stateOf(r.info, r.err) == "" || r.job == 0 {
				continue // cut off, not failed
			}
			if batch = append(batch, r); len(batch) == lookupPiece {
				write(batch)
				batch = batch[:0]
				timer.Reset(writeEvery)
			}
		case <-timer.C:
			write(batch)
			batch = batch[:0]
			timer.Reset(writeEvery)
		}
	}
}

// pieces hands jobs to the bulk call, with a number from the database for each
// hundred, taken before they are sent.
type pieces struct {
	m         *Mirror
	ctx       context.Context
	jobs      []int64
	handedOut func()
	failed    error // of the database; read once the bulk call has ended

	mu      sync.Mutex
	answers map[jobboard.JobID]int64
}

func (p *pieces) all() iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		var answer int64
		for i, job := range p.jobs {
			if i%lookupPiece == 0 {
				err := p.m.db.update(p.ctx, func(t *tx) (err error) {
					answer, err = t.next("answer")
					return err
				})
				if err != nil {
					p.failed = err
					return
				}
			}
			p.mu.Lock()
			p.answers[jobboard.JobID(job)] = answer
			p.mu.Unlock()
			if !yield(jobboard.JobID(job), nil) {
				return
			}
		}
		p.handedOut()
	}
}

func (p *pieces) answer(job jobboard.JobID) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	answer := p.answers[job]
	delete(p.answers, job)
	return answer
}

// lookUpDue looks up the jobs that are due: until none is, or, with forever,
// until ctx ends. The next jobs are begun once the last ones are under way, so
// that a few that do not answer hold up nobody.
func (m *Mirror) lookUpDue(ctx context.Context, forever bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		running sync.WaitGroup
		flying  = flight{jobs: map[int64]bool{}}
		ended   = newSignal()
		batch   = max(500, 8*m.opts.Concurrency)
	)
	defer running.Wait()
	for ctx.Err() == nil {
		var jobs []int64
		if flying.count() < batch+8*m.opts.Concurrency {
			var err error
			if jobs, err = m.pick(ctx, batch, &flying); err != nil {
				return err
			}
		}
		if len(jobs) == 0 {
			if !forever && flying.count() == 0 {
				return context.Cause(ctx)
			}
			m.jobsDue.wait(ctx, ended, time.Second)
			continue
		}
		drained := make(chan struct{})
		var once sync.Once
		running.Go(func() {
			under := func() { once.Do(func() { close(drained) }) }
			if err := m.lookUp(ctx, jobs, under, func(written []lookedUp) {
				flying.land(written)
				ended.raise()
			}); err != nil {
				cancel(err)
			}
			flying.forget(jobs)
			ended.raise()
		})
		select {
		case <-drained:
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// pick chooses the jobs that have been due the longest, but for those that are
// under way.
func (m *Mirror) pick(ctx context.Context, n int, flying *flight) (jobs []int64, err error) {
	err = m.db.view(ctx, func(t *tx) error {
		flying.mu.Lock()
		defer flying.mu.Unlock()
		due, err := t.numbers("SELECT job FROM jobs WHERE next_due <= ? ORDER BY next_due, job LIMIT ?", t.now, n+len(flying.jobs))
		for _, job := range due {
			if !flying.jobs[job] && len(jobs) < n {
				flying.jobs[job] = true
				jobs = append(jobs, job)
			}
		}
		return err
	})
	return jobs, err
}

// flight is the jobs whose lookups are under way.
type flight struct {
	mu   sync.Mutex
	jobs map[int64]bool
}

func (f *flight) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.jobs)
}

func (f *flight) land(written []lookedUp) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range written {
		delete(f.jobs, r.job)
	}
}

func (f *flight) forget(jobs []int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, job := range jobs {
		delete(f.jobs, job)
	}
}
