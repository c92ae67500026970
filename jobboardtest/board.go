package jobboardtest

import (
	"maps"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/encoded"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/geo"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/textindex"
)

// job adds to a Job the coordinates that a search compares.
type job struct {
	Job
	points []geo.Point
}

func newJob(j Job) *job {
	return &job{Job: j, points: points(append([]Location{j.Location}, j.AdditionalLocations...))}
}

// posting adds to a Posting its encoded forms and the coordinates and words
// that a search compares.
type posting struct {
	Posting
	forms  encoded.Forms[wireKey]
	points []geo.Point // nil: the search compares the points of its job
	text   textindex.Text
}

// newPosting makes titles and config texts of every language findable.
func newPosting(p Posting) *posting {
	var texts []string
	add := func(title string, config map[string][]string) {
		texts = append(texts, title)
		for _, k := range slices.Sorted(maps.Keys(config)) {
			for _, text := range config[k] {
				texts = append(texts, textindex.WithoutTags(text))
			}
		}
	}
	add(p.Title, p.Config)
	for _, l := range slices.Sorted(maps.Keys(p.Translations)) {
		add(p.Translations[l].Title, p.Translations[l].Config)
	}
	out := &posting{Posting: p, points: points(p.Locations)}
	out.text.Add(texts...)
	return out
}

// points leaves out the locations that have no geolocation, or none on earth.
func points(ls []Location) []geo.Point {
	var out []geo.Point
	for _, l := range ls {
		if p, ok := geo.ParsePoint(l.Lat, l.Long); ok {
			out = append(out, p)
		}
	}
	return out
}

// board holds what searches can find: for each channel its postings, in the order
// of their identifiers.
type board map[string][]boardEntry

type boardEntry struct {
	p        *posting
	points   []geo.Point
	internal bool
}

func newBoard(jobs map[int64]*job, postings map[int64]*posting) board {
	b := board{}
	for _, p := range byKey(postings) {
		e := boardEntry{p: p, points: p.points}
		if j := jobs[p.JobID]; j != nil {
			if j.Status != Active {
				continue
			}
			e.internal = j.Internal
			if len(p.Locations) == 0 {
				e.points = j.points
			}
		}
		for _, c := range p.Channels {
			b[c] = append(b[c], e)
		}
	}
	return b
}

// find returns the postings of a channel near a place that hold every word of a text.
func (b board) find(channel, text string, near geo.Circle, internal bool) []*posting {
	query := textindex.NewQuery(text)
	var hits []*posting
	for _, e := range b[channel] {
		if (!e.internal || internal) && near.Holds(e.points) && query.Matches(&e.p.text) {
			hits = append(hits, e.p)
		}
	}
	return hits
}
