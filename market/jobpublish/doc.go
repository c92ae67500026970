// Package jobpublish makes postings of a job board safe to show and easy to find.
//
// Clean returns the part of an advertisement, HTML from elsewhere, that can be
// shown to anybody; Text and Excerpt return its words as plain text.
//
//	template.HTML(jobpublish.Clean(ad))
//
// A Job holds what a site knows of one job: its posting, and what the lookup last
// said. Job.Check reports whether it may be published: an answer that is at most
// 48 hours old says that the job is open, its posting is visible to everybody and
// within its dates, and it has a title and an address. Job.StructuredData returns
// what search engines look for on its page, a JobPosting of schema.org. A refusal
// is a *RefusedError with its reason, and names what is missing; nothing is made
// up.
//
// Feeds serves the sitemap of the jobs' pages, feeds in RSS and Atom, and a DataFeed
// of schema.org for importers, from an iterator over jobs:
//
//	feeds, err := jobpublish.NewFeeds(jobpublish.Config{URL: "https://jobs.example/", Title: "Jobs", Jobs: jobs})
//	http.Handle("/sitemap.xml", feeds.Sitemap("/sitemap.xml"))
//	http.Handle("/jobs.rss", feeds.RSS("/jobs.rss"))
//
// Sections in comments are those of the interface, as in package jobboard.
package jobpublish
