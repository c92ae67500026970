// Package jobmirror keeps a copy of a board's channels and job feeds in a
// database, lets programs search it, and logs what changed.
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
// A search (4.1) gives the postings of a channel; each posting has a row for each language. A
// feed gives jobs, and says which postings are theirs; see [Evidence]. A job that a posting or
// a feed names is looked up (4.4) when it is new, when that posting or feed entry has changed,
// and again after about Options.LookupEvery, less often while it is not open. An open job is
// not looked up once more because a further source names it, or because its posting comes in a
// further language. Answers that only an applicant may see are not copied.
//
// # What is gone
//
// A source is a channel in one language, or a feed. A refresh reads one source. It is
// complete if the answer was read to its end, contained as many postings as it counts
// itself, and had no broken entry. Only a complete refresh removes anything.
//
// The rows that it misses are removed at once if they are few: at most a fifth of the
// source's rows, or three, counting those whose removal is pending and those removed lately. If there
// are more, or the source shows nothing at all, their removal is pending until one of three things
// happens: lookups prove that they are gone; complete refreshes have missed them three times and for
// Options.HoldMissing; or somebody calls [Mirror.AcceptRemovals]. A job is gone only when its lookup
// says so.
//
// If no process names a source in its options any more, the source and what only
// it shows are removed after Options.KeepSources, or at once by [Mirror.RemoveSources].
//
// # Which answer counts
//
// The mirror takes a number from the database before it sends a request, and the
// answer has that number. A row is replaced only by an answer with a higher
// number than its own, so a late answer cannot overwrite a newer one.
//
// # Changes
//
// Each change is written to a log in the transaction that makes it, numbered
// without gaps. Replaying the log gives the tables; [Mirror.Snapshot] gives the
// tables with the cursor to go on from.
//
// # Limits
//
// Options.Limit bounds the requests a second that are sent to the board, repeats and redirects
// included, on PostgreSQL those of all processes together. An answer 429, or
// a failure with Retry-After, stops all requests for as long as the board asks: 1 s or longer
// after a 429, an hour at most. After the pause the limit is half of what it was, and recovers within
// minutes. The database keeps pause and limit, so a restart changes neither.
package jobmirror
