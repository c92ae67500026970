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
	left        int               // results that are not written
	numbers     sync.Map          // of pieces, by the jobs that have no result yet
	failed      error             // of the database, for want of a number; read once all results came
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
	l.left = len(l.Jobs)
	results := make(chan lookedUp, lookupPiece)
	go func() {
		defer close(results)
		how := jobboard.BulkOptions{Concurrency: l.concurrency}
		for r := range m.client.BulkJobInformation(ctx, m.numbered(ctx, l), how) {
			number, _ := l.numbers.LoadAndDelete(r.Job)
			if number, ok := number.(int64); ok { // else it is no job's
				results <- lookedUp{int64(r.Job), number, r.Value, r.Err}
			}
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
		case r, ok := <-results:
			if !ok {
				write()
				return cmp.Or(failed, l.failed)
			}
			if cutOff(ctx, r) {
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

// numbered yields the jobs of a batch to the bulk call. Each hundred gets a number from
// the database, taken before they are sent. Where the database gives none, it ends
// early and sets l.failed.
func (m *Mirror) numbered(ctx context.Context, l *lookups) iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		var number int64
		for i, job := range l.Jobs {
			if l.until.Err() != nil {
				break
			}
			if i%lookupPiece == 0 {
				number, l.failed = fromUpdate(ctx, m.db, func(t *tx) (int64, error) { return t.next("answer") })
				if l.failed != nil {
					return
				}
			}
			l.numbers.Store(jobboard.JobID(job), number)
			if !yield(jobboard.JobID(job), nil) {
				return
			}
		}
		l.handedOut()
	}
}
