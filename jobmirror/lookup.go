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

// lookups says how a batch is looked up.
type lookups struct {
	batch
	concurrency int               // lookups at once
	until       context.Context   // after its end no more lookups are begun
	handedOut   func()            // is called once all are under way, or none will be any more; more than once, too
	written     func(n int)       // is called once further results are written
	finish      func(t *tx) error // ends the transaction that writes the last result; nil: nothing is to be done
	results     chan lookedUp
	left        int // results that are not written
}

// errOutOfTime ends what did not answer within the time of its batch.
var errOutOfTime = errors.New("no answer within the time of a batch of lookups")

// lookUp asks about the jobs of a batch, whose lease it renews, and writes what is
// answered, at most 100 results or 250 ms later. What ctx cuts off stays due, and is
// counted in l.left; but where the batch's time is up, a lookup that was sent and not
// answered has failed.
func (m *Mirror) lookUp(ctx context.Context, l *lookups) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l.left, l.results = len(l.Jobs), make(chan lookedUp, lookupPiece)
	p := pieces{m: m, ctx: ctx, lookups: l, answers: map[jobboard.JobID]int64{}}
	go func() {
		defer close(l.results)
		for r := range m.client.BulkJobInformation(ctx, p.all(), jobboard.BulkOptions{Concurrency: l.concurrency}) {
			l.results <- lookedUp{int64(r.Job), p.answer(r.Job), r.Value, r.Err}
		}
		l.handedOut()
	}()
	var (
		failed error
		got    []lookedUp
	)
	write := func() {
		if failed == nil {
			if failed = m.writeResults(ctx, l, got); failed != nil {
				cancel()
			}
		}
		got = got[:0]
	}
	late, lease := time.NewTicker(writeEvery), time.NewTicker(batchLease/3)
	defer late.Stop()
	defer lease.Stop()
	for {
		select {
		case r, ok := <-l.results:
			if !ok {
				write()
				return cmp.Or(failed, p.failed)
			}
			if r.job == 0 || cutOff(ctx, r) {
				continue
			}
			if got = append(got, r); len(got) == lookupPiece {
				write()
			}
		case <-late.C:
			write()
		case <-lease.C:
			_, _ = m.renew(ctx, l.batch) // without the database no results are written either
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
func (m *Mirror) writeResults(ctx context.Context, l *lookups, results []lookedUp) error {
	if len(results) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	var err error
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		err = m.db.update(ctx, func(t *tx) error {
			if err := t.saveAnswers(m, results); err != nil || l.finish == nil || l.left > len(results) {
				return err
			}
			return l.finish(t)
		})
		if err == nil || !isOutage(err) || ctx.Err() != nil {
			break
		}
		rest(ctx, wait)
	}
	if err != nil {
		return err
	}
	l.left -= len(results)
	m.wrote(ctx, results)
	l.written(len(results))
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
		for i, job := range p.Jobs {
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
