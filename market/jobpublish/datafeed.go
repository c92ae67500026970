package jobpublish

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// DataFeed returns the handler of the open jobs as a DataFeed of schema.org, for
// mounting at path, such as "/jobs.feed.json". Importers of career sites read it. It
// answers with the headers and statuses of Sitemap. To a client that has waited for two
// seconds it sends the feed while it is written; see RSS.
//
// The feed holds each job once, with the StructuredData of its page. It leaves out jobs
// without complete StructuredData, and jobs whose page is not at /job/{id}/... or
// /jobs/{id}/..., because importers take a job's identifier from this path. Importers
// take only addresses with https. Writing the feed takes about 40 bytes of memory for
// each job.
func (f *Feeds) DataFeed(path string) http.Handler {
	h := f.handler(path, "application/ld+json; charset=utf-8", writeDataFeed)
	h.streams = true
	return h
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
		item, ad, key, err := feed.item(f, job)
		if refused, ok := errors.AsType[*RefusedError](err); ok {
			h.feeds.refuse(refused)
			continue
		} else if err != nil {
			return err
		}
		f.holds(job, job.modified())
		if len(feed.seen) > 1 {
			fmt.Fprint(f, ",") // the last write returns the error of any earlier one
		}
		fmt.Fprint(f, "\n"+item)
		if err := f.writeAd(ad, key); err != nil {
			return err
		}
		fmt.Fprint(f, "}}")
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

// item returns the feed's element for a job, up to the description, which ends it, and the description
// with its key.
func (f *dataFeed) item(to *file, job Job) (item string, ad []byte, key uint64, err error) {
	if err := job.Check(time.Now()); err != nil {
		return "", nil, 0, err
	}
	ad, key = to.ad(job, encodeDescription)
	data, err := job.structuredData("", len(ad) > 0)
	if err != nil {
		return "", nil, 0, err
	}
	id := job.ID()
	linked, _ := jobboard.JobFromLink(job.URL)
	switch page, err := url.Parse(job.URL); {
	case f.seen[id]:
		return "", nil, 0, &RefusedError{Job: id, Reason: ReasonIncomplete, Missing: []string{"identifier"}, Err: errTwice}
	case err != nil || linked != id || !jobPath.MatchString(page.Path):
		return "", nil, 0, &RefusedError{Job: id, Reason: ReasonIncomplete, Missing: []string{"url"}, Err: errNoJobInAddress}
	}
	for _, country := range data.UnknownCountries() {
		if len(f.unknown) < 100 || f.unknown[country] > 0 {
			f.unknown[country]++
		}
	}
	delete(data, "@context")
	delete(data, "description")
	properties, err := data.MarshalJSON()
	if err != nil {
		return "", nil, 0, err
	}
	f.seen[id] = true
	item = `{"@type":"DataFeedItem",`
	if changed := stamp(job.modified()); changed != "" {
		item += `"dateModified":"` + changed + `",`
	}
	return item + `"item":` + strings.TrimSuffix(string(properties), "}") + `,"description":`, ad, key, nil
}

// encodeDescription returns a cleaned advertisement as the JSON of a property; nil: it has no words.
func encodeDescription(ad string) []byte {
	if !hasWords(ad) {
		return nil
	}
	b, err := json.Marshal(ad)
	if err != nil {
		panic(err) // cannot happen: a string
	}
	return withoutScripts(b)
}

var (
	errTwice          = errors.New("the job is in the feed already")
	errNoJobInAddress = errors.New("the page's address is not of the form /job/{id}/{words}")
)
