package jobmirror

import (
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
)

// Each town of a job is counted once, by its name for readers of the posting, and found by all its
// names.
func TestTownsOfADocument(t *testing.T) {
	at := func(city, latitude, longitude string) jobboard.Location {
		return jobboard.Location{GeoCity: city, GeoLat: latitude, GeoLong: longitude}
	}
	munich, vienna, berlin := at("Munich", "48.14", "11.58"), at("Vienna", "48.21", "16.37"), at("Berlin", "52.52", "13.41")
	milan, ours := at("Milan", "45.46", "9.19"), at("Sampletown", "50", "10")
	for name, c := range map[string]struct {
		language       string
		names          []string
		at             []jobboard.Location // nil: the job is not known
		counted, found string              // found: besides those that are counted
	}{
		"main in German":              {"de", []string{"München"}, []jobboard.Location{munich}, "München", "Munich"},
		"further one in German":       {"de-AT", []string{"Berlin"}, []jobboard.Location{berlin, munich}, "Berlin München", "Munich"},
		"in English":                  {"en", []string{"Wien"}, []jobboard.Location{vienna, munich}, "Munich Vienna", "München Wien"},
		"no language":                 {"", []string{"Wien"}, []jobboard.Location{vienna, munich}, "München Wien", "Munich Vienna"},
		"only the posting's":          {"de", []string{"München"}, nil, "München", ""},
		"only the posting's, foreign": {"de", []string{"Mailand"}, nil, "Mailand", "Milano"},
		"the posting's name abroad":   {"de", []string{"Mailand"}, []jobboard.Location{milan}, "Mailand", "Milan Milano"},
		"further one abroad":          {"de", nil, []jobboard.Location{milan}, "Milan", "Milano"},
		"no known town":               {"de", []string{"Sampletown"}, []jobboard.Location{ours}, "Sampletown", ""},
		"no known town, two names":    {"de", []string{"Bad Sampletown"}, []jobboard.Location{ours}, "Bad Sampletown Sampletown", ""},
		"another name":                {"de", []string{"Rheinland"}, []jobboard.Location{berlin}, "Berlin Rheinland", ""},
		"district":                    {"de", []string{"Berlin-Mitte"}, []jobboard.Location{berlin}, "Berlin", "Berlin-Mitte"},
		"twice in a town":             {"de", []string{"München"}, []jobboard.Location{munich, at("Munich", "48.1", "11.6")}, "München", "Munich"},
		"two names of a town":         {"en", nil, []jobboard.Location{munich, at("München", "48.1", "11.6")}, "Munich", "München"},
		"another Vienna":              {"de", []string{"Vienna"}, []jobboard.Location{at("Vienna", "38.9", "-77.26")}, "Vienna", ""},
		"two towns of a name":         {"de", []string{"Wien"}, []jobboard.Location{vienna, at("Vienna", "38.9", "-77.26")}, "Vienna Wien", ""},
		"no coordinates":              {"de", []string{"Ulm"}, []jobboard.Location{at("Ulm", "", "")}, "Ulm", ""},
		"nothing":                     {"de", nil, []jobboard.Location{{}}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var job *Information
			if c.at != nil {
				job = &Information{Location: c.at[0], AdditionalLocations: c.at[1:]}
			}
			d := search.Document{}
			addTowns(&d, c.language, c.names, job)
			var counted, found []string
			for _, facet := range d.Facets {
				counted = append(counted, facet.Value)
			}
			for _, place := range d.Places {
				counted = append(counted, place.Name)
			}
			for _, tag := range d.Tags {
				found = append(found, tag.Value)
			}
			distinct := func(names []string) []string { slices.Sort(names); return slices.Compact(names) }
			counted = distinct(counted)
			found = slices.DeleteFunc(distinct(found), func(n string) bool { return slices.Contains(counted, n) })
			if got := strings.Join(counted, " "); got != c.counted {
				t.Errorf("counted %q, want %q", got, c.counted)
			}
			if got := strings.Join(found, " "); got != c.found {
				t.Errorf("found also by %q, want %q", got, c.found)
			}
		})
	}
}
