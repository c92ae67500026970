package jobmirror

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/towns"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// A lookup names the town of a location in English, and a posting its main location in German: Vienna is
// Wien. By both names a search finds the job, but the town is counted once, by its name for readers of the
// posting.

// town is a town of a job.
type town struct {
	known  places.Place // zero: package places does not know it
	name   string       // for readers of the posting
	others []string     // other names by which a search finds it
}

// is reports whether the town has a name.
func (t *town) is(name string) bool {
	if strings.EqualFold(name, t.name) || slices.Contains(t.others, name) {
		return true
	}
	known, ok := towns.Named(name)
	return ok && known == t.known
}

// addTowns gives a document the places of its job and the names of their towns. names are those of the
// posting's config (2.3) in its language, and job is what the lookup said; nil: nothing is known of that.
func addTowns(d *search.Document, language string, names []string, job *Information) {
	language = cmp.Or(language, "de") // as the posting's own names are
	var located []jobboard.Location
	if job != nil {
		located = job.locations()
	}
	all, at := townsOf(language, located)
	for _, name := range names {
		i := slices.IndexFunc(all, func(t *town) bool { return t.is(name) })
		if i < 0 {
			known, _ := towns.Named(name)
			d.Facets = append(d.Facets, tag(tagPlace, name))
			d.Tags = append(d.Tags, tag(tagPlace, cmp.Or(known.Name, name)))
			continue
		}
		t := all[i]
		// A district, such as Berlin-Mitte, stands for its town.
		if towns.IsGerman(language) && !strings.HasPrefix(name, t.name) {
			t.name, name = name, t.name
		}
		t.others = append(t.others, name)
	}
	for i, l := range located {
		if latitude, longitude, ok := l.Coordinates(); ok {
			place := search.Place{Latitude: latitude, Longitude: longitude}
			if at[i] != nil {
				place.Name = storable(at[i].name)
			}
			d.Places = append(d.Places, place)
		}
	}
	d.Places = slices.Compact(d.Places)
	for _, t := range all {
		for _, name := range append(t.others, t.known.Name) {
			if name != "" && name != t.name {
				d.Tags = append(d.Tags, tag(tagPlace, name))
			}
		}
	}
}

// placeWords returns the names by which a search for words finds the places of a job: as the lookup has them, for
// readers of the posting's language, and where they lie.
func placeWords(language string, job *Information) (names []string) {
	if job == nil {
		return nil
	}
	language = cmp.Or(language, "de") // as the posting's own names are
	for _, l := range job.locations() {
		if l.GeoCity = strings.TrimSpace(l.GeoCity); l.GeoCity == "" {
			continue
		}
		known, _ := towns.Of(l)
		for _, name := range []string{l.GeoCity, towns.Name(language, l), known.Name} {
			if name = storable(name); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// townsOf returns the towns of a job's locations, and by the location's place in located each one's town.
// It leaves out locations without coordinates.
func townsOf(language string, located []jobboard.Location) (all []*town, at map[int]*town) {
	at = map[int]*town{}
	for i, l := range located {
		if _, _, ok := l.Coordinates(); !ok {
			continue
		}
		if l.GeoCity = strings.TrimSpace(l.GeoCity); l.GeoCity != "" {
			all, at[i] = withTown(all, language, l)
		}
	}
	return all, at
}

// withTown adds the town of a location to a list, if the list lacks it, and returns it.
func withTown(all []*town, language string, l jobboard.Location) ([]*town, *town) {
	known, _ := towns.Of(l)
	i := slices.IndexFunc(all, func(t *town) bool {
		return t.known == known && (known.Name != "" || t.name == l.GeoCity)
	})
	if i < 0 {
		i, all = len(all), append(all, &town{known: known, name: towns.Name(language, l)})
	}
	all[i].others = append(all[i].others, l.GeoCity)
	return all, all[i]
}
