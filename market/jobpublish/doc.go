// Package jobpublish makes postings of a job board safe to show and easy to find.
//
// Clean returns the part of an advertisement's HTML that is safe to show; Text
// and Excerpt return its words as plain text.
//
//	template.HTML(jobpublish.Clean(ad))
//
// A Job holds a posting and the lookup's last answer. Job.Check tells whether the
// job may be published: an answer at most 48 hours old says that it is open, its
// posting is visible to everybody and within its dates, and it has a title and an
// address. Job.StructuredData returns the JobPosting of schema.org for search
// engines. A refusal is a *RefusedError with the reason and the names of missing
// values; jobpublish never invents values.
//
// Feeds serves the sitemap of the jobs' pages, and feeds in RSS and Atom, from an iterator over jobs:
//
//	feeds, err := jobpublish.NewFeeds(jobpublish.Config{URL: "https://jobs.example/", Title: "Jobs", Jobs: jobs})
//	http.Handle("/sitemap.xml", feeds.Sitemap("/sitemap.xml"))
//	http.Handle("/jobs.rss", feeds.RSS("/jobs.rss"))
//
// Sections in comments are those of the interface, as in package jobboard.
package jobpublish
