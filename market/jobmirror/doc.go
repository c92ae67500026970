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
// A source is a channel in one language, or a feed. A search (4.1) gives the postings of a channel, with a row for
// each language; a feed gives jobs, and says which postings are theirs, see [Evidence]. A job that a posting or a feed
// names is looked up (4.4) when it is new, when that posting or entry has changed, and again after about
// Options.LookupEvery, less often while it is not open. What only an applicant may see is not copied.
//
// Only a complete refresh of a source removes anything: its answer was read to its end, held as many postings as it
// counts itself, and had no broken entry. Where it misses more than a fifth of the source's rows, and more than three,
// they stay as pending removals until lookups prove that they are gone, until complete refreshes have missed them
// three times and for Options.HoldMissing, or until somebody calls [Mirror.AcceptRemovals]. A job is gone only when
// its lookup says so.
//
// The mirror takes a number from the database before it sends a request, and a row is replaced only by an answer with
// a higher number than its own, so a late answer cannot overwrite a newer one. Each change is written to a log, in the
// transaction that makes it, numbered without gaps. [Mirror.Snapshot] gives the rows with the cursor to go on from.
//
// One limit holds for every request to the board, repeats and redirects included; see Options.Limit. A pause that the
// board asks for, by 429 or Retry-After, stops all requests, also those of other processes and after a restart.
package jobmirror
