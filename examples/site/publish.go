package main

import (
	"context"
	"encoding/json"
	"errors"
	"html/template"
	"iter"
	"log"
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/jobpublish"
)

// publish serves what search engines and feed readers ask for.
func (s *site) publish(mux *http.ServeMux) error {
	published, err := jobpublish.NewSite(jobpublish.Config{
		URL: s.origin + "/", Title: german.Title, Language: german.Lang, Jobs: s.openJobs,
	})
	if err != nil {
		return err
	}
	mux.Handle("GET /sitemap.xml", published.Sitemap("/sitemap.xml"))
	mux.Handle("GET /jobs.rss", published.RSS("/jobs.rss"))
	mux.Handle("GET /jobs.atom", published.Atom("/jobs.atom"))
	return nil
}

// openJobs reads the jobs of the copy, each once; jobpublish decides what may be
// published of them.
func (s *site) openJobs(ctx context.Context) iter.Seq2[jobpublish.Job, error] {
	return func(yield func(jobpublish.Job, error) bool) {
		q := jobmirror.Query{Language: "de", Limit: 500}
		for {
			page, err := s.mirror.Search(ctx, q)
			if err != nil {
				yield(jobpublish.Job{}, err)
				return
			}
			for _, p := range page.Postings {
				known, err := s.mirror.Job(ctx, p.Job)
				switch {
				case errors.Is(err, jobmirror.ErrUnknown):
					continue // the posting's job is not known
				case err != nil && !errors.Is(err, jobmirror.ErrStale):
					yield(jobpublish.Job{}, err)
					return
				}
				if !yield(s.published(known, &p.Posting), nil) {
					return
				}
			}
			if page.Next == "" {
				return
			}
			q.After = page.Next
		}
	}
}

// published returns a job as the mirror knows it. One whose answer is too old
// says so, and is not published.
func (s *site) published(known *jobmirror.Job, posting *jobboard.JobPosting) jobpublish.Job {
	j := jobpublish.Job{URL: s.origin + "/jobs/" + known.JobRecord.Job.String(), Posting: posting, DirectApply: true}
	info, err := known.Answer()
	j.Heard(info, err, known.LookedUp)
	return j
}

// schema returns the structured data of a job's page, or nothing where the job
// may not be published.
func (s *site) schema(j jobpublish.Job) template.HTML {
	data, err := j.StructuredData(time.Now())
	if err != nil {
		log.Print(err)
		return ""
	}
	text, err := json.Marshal(data) // has no < that could end the element
	if err != nil {
		log.Print(err)
		return ""
	}
	return template.HTML(`<script type="application/ld+json">` + string(text) + `</script>`) //nolint:gosec // as said
}
