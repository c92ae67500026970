package jobpublish

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// DataFeed returns the handler of the open jobs as a DataFeed of schema.org, for
// mounting at path, such as "/jobs.feed.json". Importers of career sites read it. It
// answers with the headers and statuses of Sitemap.
//
// The feed holds each job once, with the StructuredData of its page. It leaves out jobs
// without complete StructuredData, and jobs whose page is not at /job/{id}/... or
// /jobs/{id}/..., because importers take a job's identifier from this path. Importers
// take only addresses with https. Writing the feed takes about 40 bytes of memory for
// each job.
func (f *Feeds) DataFeed(path string) http.Handler {
	return f.handler(path, "application/ld+json; charset=utf-8", writeDataFeed)
}

// jobPath matches the path of a page from which importers take the job's
// identifier.
var jobPath = regexp.MustCompile(`/jobs?/[0-9]+/[^/]`)

// writeDataFeed writes a DataFeed. The number of jobs comes last, because it is
// known only then.
func writeDataFeed(f *file, h *handler, jobs iter.Seq2[Job, error]) error {
	f.begin()
	name, err := json.Marshal(line(h.feeds.cfg.Title))
	if err != nil {
		return err
	}
	fmt.Fprintf(f, `{"@context":"https://schema.org/","@type":"DataFeed","name":%s,"dataFeedElement":[`, name)
	feed := dataFeed{seen: map[jobboard.JobID]bool{}, unknown: map[string]int{}}
	for job, err := range jobs {
		if err != nil {
			return err
		}
		item, err := feed.item(job)
		if refused, ok := errors.AsType[*RefusedError](err); ok {
			h.feeds.refuse(refused)
			continue
		} else if err != nil {
			return err
		}
		f.holds(job, job.modified())
		if len(feed.seen) > 1 {
			item = append([]byte(","), item...)
		}
		fmt.Fprintf(f, "\n%s", item)
	}
	_, err = fmt.Fprintf(f, "\n],\"numberOfItems\":%d}\n", len(feed.seen)) // out returns the error of any earlier write
	f.end()
	if len(feed.unknown) > 0 {
		h.feeds.cfg.Logger.Warn("jobpublish: countries without a known code", "path", h.path, "jobs", feed.unknown)
	}
	return err
}

// dataFeed tracks the jobs already written, and their unknown countries.
type dataFeed struct {
	seen    map[jobboard.JobID]bool
	unknown map[string]int // countries, with the number of their jobs
}

// item returns the feed's element for a job.
func (f *dataFeed) item(job Job) ([]byte, error) {
	data, err := job.StructuredData(time.Now())
	if err != nil {
		return nil, err
	}
	id := job.ID()
	linked, _ := jobboard.JobFromLink(job.URL)
	switch page, err := url.Parse(job.URL); {
	case f.seen[id]:
		return nil, &RefusedError{Job: id, Reason: ReasonIncomplete, Missing: []string{"identifier"}, Err: errTwice}
	case err != nil || linked != id || !jobPath.MatchString(page.Path):
		return nil, &RefusedError{Job: id, Reason: ReasonIncomplete, Missing: []string{"url"}, Err: errNoJobInAddress}
	}
	for _, country := range data.UnknownCountries() {
		if len(f.unknown) < 100 || f.unknown[country] > 0 {
			f.unknown[country]++
		}
	}
	delete(data, "@context")
	element := map[string]any{"@type": "DataFeedItem", "item": data}
	if changed := stamp(job.modified()); changed != "" {
		element["dateModified"] = changed
	}
	item, err := json.Marshal(element)
	if err == nil {
		f.seen[id] = true
	}
	return item, err
}

var (
	errTwice          = errors.New("the job is in the feed already")
	errNoJobInAddress = errors.New("the page's address is not of the form /job/{id}/{words}")
)
