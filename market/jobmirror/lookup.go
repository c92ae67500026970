package jobmirror

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

const (
	lookupPiece = 100                    // lookups that share a number among the answers
	writeEvery  = 250 * time.Millisecond // a result waits no longer than this before it is written
	firstRetry  = 30 * time.Second       // wait after a failed lookup
	maxStreak   = 5                      // a job that stays closed is asked about every 32nd time
)

// maxBatch bounds the jobs that are taken at a time, where few are looked up at
// once.
const maxBatch = 500

// batchSize returns the number of jobs of a batch: what the limit lets through in two
// seconds, so that other processes find some, too, but no fewer than 20.
func (m *Mirror) batchSize() int {
	most := max(maxBatch, 8*m.opts.Concurrency)
	if m.opts.Limit <= 0 {
		return most
	}
	return int(min(max(2*m.opts.Limit, 20), float64(most)))
}

// lookUpDue looks up the jobs of a round that are due: until none is, or, with forever,
// until ctx ends. It takes them in batches, and each is looked up by lookingUp.run, which has
// saveAnswers write the answers. The next batch is begun once the last one is under way, so
// that a few lookups that do not answer hold up nobody. Where Options.LookupEvery is below 0 it looks up
// none.
func (w *worker) lookUpDue(ctx context.Context, round lookups.Round, forever bool) error {
	if w.opts.noLookups {
		if forever {
			<-ctx.Done()
		}
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		running  sync.WaitGroup
		underWay atomic.Int64 // jobs
		landed   = newSignal()
		size     = w.batchSize()
		most     = 2 * int64(max(maxBatch, 8*w.opts.Concurrency))
		again    = never // w.poll wakes those who run forever
	)
	if !forever {
		again = pollEvery
	}
	defer running.Wait()
	for ctx.Err() == nil {
		var (
			next lookups.Batch
			due  = true
		)
		if underWay.Load() < most {
			err := w.db.update(ctx, func(t *tx) (err error) {
				next, due, err = t.lookups.Take(round, size, w.process)
				return err
			})
			if err != nil {
				// A batch under way may have failed, and ended ctx with its cause.
				return cmp.Or(context.Cause(ctx), err)
			}
		}
		if !due && !forever {
			break
		}
		if len(next.Jobs) == 0 {
			w.db.jobsDue.wait(ctx, landed, again)
			continue
		}
		underWay.Add(int64(len(next.Jobs)))
		allBegun, handedOut := context.WithCancel(ctx)
		l := &lookingUp{
			m: w.Mirror, Batch: next, handedOut: handedOut,
			written: func(n int) {
				underWay.Add(-int64(n))
				landed.raise()
			},
		}
		running.Go(func() {
			err := l.run(ctx)
			if err = errors.Join(err, l.release(ctx)); err != nil {
				cancel(err)
			}
			l.written(l.left)
		})
		<-allBegun.Done()
	}
	running.Wait() // an error of the last batches is a cause as well
	return context.Cause(ctx)
}

// lookedUp is a lookup's result with the number of its piece.
type lookedUp struct {
	job      int64
	answer   int64
	info     *jobboard.JobInformation
	err      error
	held     bool // it was asked for rows that are held; see lookUpHeld
	origin   origin
	received int64 // when it came; 0: now
}

// piece holds what the lookups share that have one number.
type piece struct {
	number int64
	sent   requestTime
}

// lookingUp is a batch of lookups, and how it is looked up.
type lookingUp struct {
	lookups.Batch
	m         *Mirror
	held      *sources.Held // source whose missing postings are being verified; nil for normal lookups
	handedOut func()        // is called, maybe twice, when no further job of the batch will be begun
	written   func(n int)   // is called once further results are written
	left      int           // results that are not written
	pieces    sync.Map      // of jobs without a result, by job
	failed    error         // of the database, for want of a number; read once all results came
}

// run looks up the jobs of the batch, whose lease it renews, and has saveAnswers write what
// is answered, at most 100 results or 250 ms later. After the end of ctx it begins no more,
// and cuts off those that are under way stopTime later: they stay due, and are counted in
// l.left.
func (l *lookingUp) run(ctx context.Context) error {
	longer, cancel := outlast(ctx, stopTime)
	defer cancel()
	l.left = len(l.Jobs)
	results := make(chan lookedUp, lookupPiece)
	go func() {
		defer close(results)
		how := jobboard.BulkOptions{Concurrency: l.m.opts.Concurrency}
		for r := range l.m.client.BulkJobInformation(longer, l.numbered(ctx, longer), how) {
			p, _ := l.pieces.LoadAndDelete(r.Job)
			if p, ok := p.(piece); ok { // an error of the input belongs to no job
				results <- lookedUp{
					job: int64(r.Job), answer: p.number, info: r.Value, err: r.Err,
					held: l.held != nil, origin: l.m.ages.origin(r.Job, p.sent),
				}
			}
		}
		l.handedOut()
	}()
	var (
		failed error
		got    []lookedUp
	)
	write := func() {
		if failed == nil && len(got) > 0 {
			if failed = l.saveLookedUp(longer, got); failed != nil {
				cancel()
			}
		}
		got = got[:0]
	}
	late, lease := time.NewTicker(writeEvery), time.NewTicker(lookups.Lease/3)
	defer late.Stop()
	defer lease.Stop()
	for {
		select {
		case r, ok := <-results:
			if !ok {
				write()
				return cmp.Or(failed, l.failed)
			}
			if cutOff(longer, r) {
				continue
			}
			if got = append(got, r); len(got) == lookupPiece {
				write()
			}
		case <-late.C:
			write()
		case <-lease.C:
			_ = l.renew(longer) // without the database no results are written either
		}
	}
}

// cutOff reports whether a lookup ended with its context: that says nothing, not
// even that the board does not answer.
func cutOff(ctx context.Context, r lookedUp) bool {
	return r.err != nil && ctx.Err() != nil && stateOf(r.info, r.err) == ""
}

// numbered yields the jobs of a batch to the bulk call until ctx ends. Each hundred
// gets a number from the database, taken before they are sent; longer bounds the wait for it.
// Where the database gives none, it ends early and sets l.failed.
func (l *lookingUp) numbered(ctx, longer context.Context) iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		var p piece
		for i, job := range l.Jobs {
			if ctx.Err() != nil {
				break
			}
			if i%lookupPiece == 0 {
				p, l.failed = fromUpdate(longer, l.m.db, func(t *tx) (piece, error) {
					number, err := t.Next(lookups.Answers)
					return piece{number, sentNow(t.Now)}, err
				})
				if l.failed != nil {
					return
				}
			}
			l.pieces.Store(jobboard.JobID(job), p)
			if !yield(jobboard.JobID(job), nil) {
				return
			}
		}
		l.handedOut()
	}
}

// saveLookedUp has saveAnswers write what lookups found, and calls l.written once that is
// committed.
func (l *lookingUp) saveLookedUp(ctx context.Context, got []lookedUp) error {
	var a *answerTx
	err := l.m.db.updateLate(ctx, func(t *tx) error {
		a = t.answering(l.m)
		if err := a.countOpens(l.held, got); err != nil {
			return err
		}
		return a.saveAnswers(got)
	})
	if err != nil {
		return err
	}
	a.tellHolding(ctx)
	l.left -= len(got)
	l.m.countLookups(context.WithoutCancel(ctx), got)
	l.written(len(got))
	return nil
}

// renew leases the jobs of lookups for further time, and with them the right to look up held rows,
// where the lookups are about these.
func (l *lookingUp) renew(ctx context.Context) error {
	return l.m.db.update(ctx, func(t *tx) error {
		if err := l.leaseHeld(t, lookups.Lease); err != nil {
			return err
		}
		return t.lookups.Renew(l.Batch)
	})
}

// release gives back what renew leases.
func (l *lookingUp) release(ctx context.Context) error {
	ctx, cancel := outlast(ctx, giveBackTime)
	defer cancel()
	return l.m.db.update(ctx, func(t *tx) error {
		if err := l.leaseHeld(t, 0); err != nil {
			return err
		}
		return t.lookups.GiveBack(l.Batch)
	})
}

// leaseHeld leases the right to look up held rows for d, or gives it back if d is 0, where lookups
// are about these.
func (l *lookingUp) leaseHeld(t *tx, d time.Duration) error {
	if l.held == nil {
		return nil
	}
	return sources.LeaseLookups(t.Tx, l.held.ID, d)
}
