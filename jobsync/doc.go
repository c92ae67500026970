// Package jobsync carries a long run over many jobs through a crash. It stands
// between a source of job identifiers, such as a feed, and a bulk call of
// package jobboard, and keeps in a small file which jobs are done:
//
//	done, err := jobsync.Open("feed.done", "feed of 2026-01-31")
//	if err != nil {
//		return err
//	}
//	defer done.Close()
//	feed := jobfeed.NewReader(file, nil)
//	results := client.BulkJobInformation(ctx, done.Pending(feed.JobIDs()), jobboard.BulkOptions{})
//	err = jobsync.Store(done, results, 500, func(batch []jobboard.BulkResult[*jobboard.JobInformation]) error {
//		return save(batch) // durable when it returns
//	})
//	if err == nil {
//		err = feed.Err() // was it seen whole?
//	}
//
// Started again with the same file and name after whatever ended it, the run
// leaves out what is done. A job is recorded after its result was stored, never
// before: so none is lost. What is looked up twice is at most the calls under
// way, the batch being gathered and the one being stored; what is stored twice
// is at most the one batch that was stored and not yet recorded. Storing a
// result a second time must do no harm.
package jobsync
