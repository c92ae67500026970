// Package jobsite helps to build a site of jobs: it finds and prepares the data of
// pages. It works with net/http and leaves the pages' design to the site.
//
// Open opens everything that a site needs from one struct of Settings: the client, the mirror, the pages
// of its jobs, sitemap and feeds. A program adds its pages to the Marketplace and runs it.
//
// A Site makes the pages of the jobs in a mirror: Search finds the jobs for an
// address, Job returns the page of one job, and Jobs is the iterator for package
// jobpublish. Handle answers their errors with a status, Retry-After and a sentence
// for the visitor:
//
//	site, err := jobsite.New(mirror, jobsite.Config{URL: "https://jobs.example", Languages: []string{"de", "en"}})
//	mux.HandleFunc("GET /job/{job}/{words...}", site.Handle(func(w http.ResponseWriter, r *http.Request) error {
//		page, err := site.Job(r) // 404, 410 and 503 where there is none to show
//		if err != nil {
//			return err
//		}
//		return show(w, page) // by a template of its own
//	}))
//
// A job's page ends with a button to the board's page to apply, JobPage.ApplyURL: the interface has no call that
// sends an application. The page also has the board's questions and the privacy statement.
//
// A List is the search in an address: ParseList reads it from the result of ReadQuery and reports wrong
// values, and Query returns the query for a mirror. Results.Groups and Results.Chips return the links that narrow and
// widen the search.
//
// Sections in comments are those of the interface, as in package jobboard.
package jobsite
