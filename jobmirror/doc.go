// Package jobmirror keeps a copy of a board's channels and job feeds in a
// database, lets programs search it, and tells what changed.
//
//	m, err := jobmirror.Open(ctx, "jobs.db", jobmirror.Options{
//		Config:   jobboard.Config{BaseURL: "https://jobs.example", JobDBURL: "https://jobdb.example", ClientID: "10"},
//		Channels: []jobmirror.Channel{{ID: "27828_extern", Languages: []string{"de", "en"}}},
//		Feeds:    []jobmirror.Feed{{Address: "https://jobs.example/feed.xml"}},
//	})
//	go m.Run(ctx)
//	page, err := m.Search(ctx, jobmirror.Query{Text: "nurse", Near: jobboard.Near(52.52, 13.37, 50)})
//	for change, err := range m.Follow(ctx, cursor) {
//	}
//
// # What is copied
//
// A search (4.1) gives the postings of a channel, in each language a row. A feed
// gives jobs. Each job of either is looked up (4.4) when it is new, when what
// names it changed, and when its last answer is due to be asked for again.
// What only an applicant may see is not copied.
//
// # What is gone
//
// A posting is gone from a source only after a refresh that was read to its
// end, held every posting that it counts, and had no broken entry. A refresh
// that would remove more than a fifth, and more than 50, waits for the next one
// to agree, or for [Mirror.Accept]. A job is gone only when its lookup says so.
//
// A source that no process names in its options any more is removed after
// Options.KeepSources, with what only it shows, or at once by [Mirror.Retire].
//
// # Which answer holds
//
// Every answer has a number from the database, taken before its request was
// sent. A row is replaced only by an answer with a higher number than the one
// it came from, so a late answer cannot put back the past.
//
// # Changes
//
// Each change is written to a log in the transaction that makes it, numbered
// without gaps. Replaying the log gives the tables; [Mirror.Snapshot] gives the
// tables with the cursor to go on from.
//
// # Limits
//
// One limit holds for every request that is sent to the board, repeats and
// redirects included: Options.Limit a second. On PostgreSQL it holds for all
// processes together. An answer 429 or a Retry-After stops all requests for as
// long as it asks, and halves the rate after it; the rate recovers within
// minutes. Both outlive the process.
package jobmirror
