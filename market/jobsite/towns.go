package jobsite

import (
	"cmp"
	"maps"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/towns"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// A job's information names towns in the language of the job, and a posting its main location in German, so
// that the jobs of one list have several names for a town. Its facet and the cards have one of them.

// town is a town of the jobs of a list.
type town struct {
	name  string // to show
	place string // List.Place by which all of its jobs are found
	count int    // jobs
}

// townsOf returns the towns of all hits that package places knows. Of several names, a reader of German is shown the
// name that the town has in package places, and readers of other languages another name. Where several names
// remain, the name that most jobs have is shown.
func (r *Results) townsOf() map[places.Place]*town {
	if r.towns != nil || r.Page.Facets == nil {
		return r.towns
	}
	counts := r.Page.Facets.Places
	german := towns.IsGerman(r.Language)
	r.towns = map[places.Place]*town{}
	for _, name := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	}) {
		known, ok := towns.Named(name)
		if !ok {
			continue
		}
		t := r.towns[known]
		if t == nil {
			t = &town{name: name, place: name}
			r.towns[known] = t
		} else {
			t.place = known.Name
			if own := t.name == known.Name; own != german && (name == known.Name) == german {
				t.name = name
			}
		}
		t.count += counts[name]
	}
	for _, t := range r.towns {
		t.name = towns.InLanguage(r.Language, t.name)
	}
	return r.towns
}

// townAt returns the name of a location's town for the list's reader.
func (r *Results) townAt(l jobboard.Location) string {
	if known, ok := towns.Of(l); ok {
		if t := r.townsOf()[known]; t != nil {
			return t.name
		}
	}
	return towns.Name(r.Language, l)
}

// cardLocation returns the location that the card of a posting names: the nearest one, else the main one.
func cardLocation(p *jobmirror.Posting) (jobboard.Location, bool) {
	if nearest, ok := p.Nearest(); ok || len(p.Locations) == 0 {
		return nearest, ok
	}
	return p.Locations[0], true
}
