package jobsync

import (
	"iter"
	"sync"

	"github.com/jobboard-sdk/jobboard-go"
)

// Store gathers results as they come, hands them to store in batches of size,
// and then records the settled ones as done. While a batch is stored the next
// one is gathered. The last batch may be smaller; size 0 means 256.
//
// store runs in the caller's goroutine and must have made the results durable
// when it returns nil. It sees every result, the failed ones too; what is not
// settled is not recorded, and comes again in the next run. Store returns the
// first error of store or of Done, after which it takes one more result at
// most and breaks off results.
func Store[T any](c *Checkpoint, results iter.Seq[jobboard.BulkResult[T]], size int, store func(batch []jobboard.BulkResult[T]) error) error {
	if size <= 0 {
		size = 256
	}
	var (
		batches  = make(chan []jobboard.BulkResult[T])
		stop     = make(chan struct{})
		gathered sync.WaitGroup
	)
	gathered.Go(func() {
		defer close(batches)
		gather(results, size, batches, stop)
	})
	defer gathered.Wait()
	defer close(stop)
	for batch := range batches {
		if err := store(batch); err != nil {
			return err
		}
		var settled []jobboard.JobID
		for _, r := range batch {
			if jobboard.Settled(r.Err) {
				settled = append(settled, r.Job)
			}
		}
		if err := c.Done(settled...); err != nil {
			return err
		}
	}
	return nil
}

func gather[T any](results iter.Seq[T], size int, batches chan<- []T, stop <-chan struct{}) {
	var batch []T
	send := func() bool {
		select {
		case batches <- batch:
			batch = nil
			return true
		case <-stop:
			return false
		}
	}
	for r := range results {
		select {
		case <-stop:
			return
		default:
		}
		if batch = append(batch, r); len(batch) == size && !send() {
			return
		}
	}
	if len(batch) > 0 {
		send()
	}
}
