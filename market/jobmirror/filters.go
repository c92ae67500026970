package jobmirror

import (
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/filters"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
)

// filterKinds has the kind of tag of each filter.
var filterKinds = map[string]string{
	filters.Category: tagCategory, filters.Place: tagPlace, filters.Company: tagCompany, filters.Remote: tagRemote,
	filters.Since: tagDay,
}

// filterTag returns the tag of a filter's value, by which a document is counted.
func filterTag(f *filters.Filter, value string) search.Tag {
	return tag(filterKinds[f.Name], value)
}

// addFilters gives a document the tags of its posting by all filters but the place, and returns the names of its
// places, which addTowns adds.
func addFilters(d *search.Document, p *filters.Posting) (places []string) {
	for i := range filters.All {
		f := &filters.All[i]
		values := f.Of(p) // missing or empty: no facet
		if f.Name == filters.Place {
			places = values
			continue
		}
		for _, value := range values {
			if f.Counted {
				d.Facets = append(d.Facets, filterTag(f, value))
			} else {
				d.Tags = append(d.Tags, filterTag(f, value))
			}
		}
	}
	return places
}

// filtered returns what filters read of a posting and its job; nil: nothing is known of that.
func (r *row) filtered(job *Information) *filters.Posting {
	p := &filters.Posting{Config: r.rec.Config, VersionStart: r.rec.VersionStart}
	if r.firstSeen > 0 {
		p.FirstSeen = instant(r.firstSeen)
	}
	if job != nil {
		p.JobCompany = job.CompanyName
	}
	return p
}

// chosen returns what the query is narrowed to.
func (q *Query) chosen() filters.Chosen {
	return filters.Chosen{Category: q.Category, Place: q.Place, Company: q.Company, Remote: string(q.Remote), Since: q.Since}
}

// choose narrows the query.
func (q *Query) choose(c filters.Chosen) {
	q.Category, q.Place, q.Company, q.Remote, q.Since = c.Category, c.Place, c.Company, jobboard.RemoteStatus(c.Remote), c.Since
}

// narrow adds the tags of what a query is narrowed to, on a day.
func (q *Query) narrow(out *search.Query, today time.Time) {
	chosen := q.chosen()
	for i := range filters.All {
		f := &filters.All[i]
		switch value := chosen.Get(f.Name); {
		case value == "":
		case f.Name == filters.Since:
			out.Any = sinceTags(today, q.Since)
		default:
			out.Tags = append(out.Tags, filterTag(f, value))
		}
	}
}

// sinceTags returns the tags of the documents that are there since some days.
func sinceTags(today time.Time, days int) (tags []search.Tag) {
	for _, day := range filters.Days(today, days) {
		tags = append(tags, tag(tagDay, day))
	}
	return tags
}

// sinceDays are the numbers of days by which Facets.Since counts.
var sinceDays = []int{1, 3, 7, 14, 30}

// countSince counts the hits of a page by the days since which they are there.
func countSince(page *search.Page, today time.Time) (map[int]int, error) {
	var lists [][]search.Tag
	for _, days := range sinceDays {
		lists = append(lists, sinceTags(today, days))
	}
	counts, err := page.CountAny(lists...)
	if err != nil {
		return nil, err
	}
	since := map[int]int{}
	for i, n := range counts {
		since[sinceDays[i]] = n
	}
	return since, nil
}
