package jobmirror

import (
	"cmp"
	"context"
	"errors"
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

// lookups are jobs that are looked up together.
type lookups struct {
	jobs        []int64
	concurrency int               // lookups at once
	until       context.Context   // after its end no more lookups are begun
	handedOut   func()            // is called once all are under way, or none will be any more
	written     func([]lookedUp)  // is called with results that are written
	finish      func(t *tx) error // ends the transaction that writes the last result; nil: nothing is to be done
	results     chan lookedUp
	left        int // results that are not written
}

// errOutOfTime ends what did not answer within the time of its batch.
var errOutOfTime = errors.New("no answer within the time of a batch of lookups")

// lookUp asks about jobs and writes what is answered, at most 100 results or
// 250 ms later. What ctx cuts off stays due, and is counted in l.left; but where
// the batch's time is up, a lookup that was sent and not answered has failed.
func (m *Mirror) lookUp(ctx context.Context, l *lookups) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l.left, l.results = len(l.jobs), make(chan lookedUp, lookupPiece)
	p := pieces{m: m, ctx: ctx, lookups: l, answers: map[jobboard.JobID]int64{}}
	go func() {
		defer close(l.results)
		for r := range m.client.BulkJobInformation(ctx, p.all(), jobboard.BulkOptions{Concurrency: l.concurrency}) {
			l.results <- lookedUp{int64(r.Job), p.answer(r.Job), r.Value, r.Err}
		}
		l.handedOut()
	}()
	var failed error
	write := func(batch []lookedUp) {
		if failed != nil {
			return
		}
		if failed = m.writeResults(ctx, l, batch); failed != nil {
			cancel()
		}
	}
	timer := time.NewTimer(writeEvery)
	defer timer.Stop()
	var batch []lookedUp
	for {
		select {
		case r, ok := <-l.results:
			if !ok {
				write(batch)
				return cmp.Or(failed, p.failed)
			}
			if r.job == 0 || cutOff(ctx, r) {
				continue
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

// cutOff reports whether a lookup ended with its context and says nothing, not
// even that the board does not answer.
func cutOff(ctx context.Context, r lookedUp) bool {
	if r.err == nil || ctx.Err() == nil || stateOf(r.info, r.err) != "" {
		return false
	}
	e, ok := errors.AsType[*jobboard.Error](r.err)
	sent := ok && e.Attempts > 0
	return !sent || !errors.Is(context.Cause(ctx), errOutOfTime)
}

// writeResults writes what lookups found, even when it is time to stop. A server
// that is started anew is waited for.
func (m *Mirror) writeResults(ctx context.Context, l *lookups, batch []lookedUp) error {
	if len(batch) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	var err error
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		err = m.db.update(ctx, func(t *tx) error {
			if err := t.saveAnswers(m, batch); err != nil || l.finish == nil || l.left > len(batch) {
				return err
			}
			return l.finish(t)
		})
		if err == nil || !isOutage(err) || ctx.Err() != nil {
			break
		}
		newSignal().wait(ctx, nil, wait)
	}
	if err != nil {
		return err
	}
	l.left -= len(batch)
	m.wrote(ctx, batch)
	l.written(batch)
	return nil
}

// pieces hands jobs to the bulk call, with a number from the database for each
// hundred, taken before they are sent.
type pieces struct {
	*lookups
	m      *Mirror
	ctx    context.Context
	failed error // of the database; read once the bulk call has ended

	mu      sync.Mutex
	answers map[jobboard.JobID]int64
}

func (p *pieces) all() iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		var answer int64
		for i, job := range p.jobs {
			if p.until.Err() != nil {
				break
			}
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
		size    = m.batchSize()
	)
	defer running.Wait()
	for ctx.Err() == nil {
		var (
			batch int64
			jobs  []int64
			err   error
		)
		if flying.count() < size+8*m.opts.Concurrency {
			if batch, jobs, err = m.pick(ctx, size, &flying); err != nil {
				return err
			}
		}
		if len(jobs) == 0 {
			if !forever && flying.count() == 0 {
				if busy, err := m.claimedElsewhere(ctx); err != nil || !busy {
					return cmp.Or(err, context.Cause(ctx))
				}
			}
			m.jobsDue.wait(ctx, ended, time.Second)
			continue
		}
		drained := make(chan struct{})
		var once sync.Once
		running.Go(func() {
			err := m.lookUp(ctx, &lookups{
				jobs: jobs, concurrency: m.opts.Concurrency, until: ctx,
				handedOut: func() { once.Do(func() { close(drained) }) },
				written: func(written []lookedUp) {
					flying.land(written)
					ended.raise()
				},
			})
			if err = errorsJoin(err, m.release(ctx, batch, jobs)); err != nil {
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
// under way. Where other processes look up jobs as well it claims them for a
// batch.
func (m *Mirror) pick(ctx context.Context, n int, flying *flight) (batch int64, jobs []int64, err error) {
	if m.db.numbered {
		err = m.db.update(ctx, func(t *tx) (err error) {
			batch, jobs, err = t.reserve(n)
			return err
		})
		flying.add(jobs)
		return batch, jobs, err
	}
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
	return 0, jobs, err
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

func (f *flight) add(jobs []int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, job := range jobs {
		f.jobs[job] = true
	}
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
