package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	mux.Handle("GET /sitemap.xml", large(published.Sitemap("/sitemap.xml")))
	mux.Handle("GET /jobs.rss", large(published.RSS("/jobs.rss")))
	mux.Handle("GET /jobs.atom", large(published.Atom("/jobs.atom")))
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintf(w, "User-agent: *\nDisallow: /signin\nDisallow: /jobs/*/apply\nSitemap: %s/sitemap.xml\n", s.origin)
	})
	return nil
}

// large gives an answer of many megabytes more time than a page has.
func large(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Where there is no deadline to move, the answer has time anyway.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(10 * time.Minute))
		next.ServeHTTP(w, r)
	})
}

// openJobs reads the jobs of the copy, each once: with its posting in the site's
// language, or else in any. jobpublish decides what may be published of them.
func (s *site) openJobs(ctx context.Context) iter.Seq2[jobpublish.Job, error] {
	return func(yield func(jobpublish.Job, error) bool) {
		q := jobmirror.Query{Limit: 500}
		for {
			page, err := s.mirror.Search(ctx, q)
			if err == nil && page.Age < 0 {
				err = errNoCopy
			}
			if err != nil {
				yield(jobpublish.Job{}, err)
				return
			}
			for _, p := range page.Postings {
				job, err := s.jobOf(ctx, &p)
				if errors.Is(err, jobmirror.ErrUnknown) {
					continue
				}
				if !yield(job, err) || err != nil {
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

// jobOf returns the job that is published with a posting. It is ErrUnknown where
// the posting's job is not known, or comes with another posting.
func (s *site) jobOf(ctx context.Context, p *jobmirror.Posting) (jobpublish.Job, error) {
	known, err := s.mirror.Job(ctx, p.Job)
	if err != nil && !errors.Is(err, jobmirror.ErrStale) {
		return jobpublish.Job{}, err
	}
	postings, err := s.mirror.Postings(ctx, p.Job)
	if err != nil {
		return jobpublish.Job{}, err
	}
	shown := inLanguage(postings, german.Lang)
	if shown == nil || shown.Posting.JobPostingID != p.Posting.JobPostingID || shown.Language != p.Language {
		return jobpublish.Job{}, jobmirror.ErrUnknown
	}
	return s.published(known, &p.Posting), nil
}

// errNoCopy reports that the board was never copied whole. What is not in the
// copy may be at the board then, and nobody is told that it is gone.
var errNoCopy = fmt.Errorf("no copy of the board yet: %w", statusError(http.StatusServiceUnavailable))

// published returns a job as the mirror knows it. One whose answer is too old
// says so, and is not published.
func (s *site) published(known *jobmirror.Job, posting *jobboard.JobPosting) jobpublish.Job {
	j := jobpublish.Job{URL: s.jobAddress(known.JobRecord.Job), Posting: posting, DirectApply: true}
	info, err := known.Answer()
	j.Heard(info, err, known.LookedUp)
	return j
}

// jobAddress returns the one address of a job's page, whatever language it is
// shown in.
func (s *site) jobAddress(job jobboard.JobID) string { return s.origin + "/jobs/" + job.String() }

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
