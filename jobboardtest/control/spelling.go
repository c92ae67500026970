package control

import (
	"cmp"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// spellings maps coordinates to names of places: on the page a city has one
// name, even if its jobs write it in several languages.
type spellings map[[2]string]string

// spelling chooses the names in the language of the first job with a city. For
// a place without a name in this language it takes the first name.
func spelling(jobs []jobboardtest.Job) spellings {
	out := spellings{}
	language := ""
	for _, j := range jobs {
		if j.Location.City != "" {
			language = j.Language
			break
		}
	}
	for _, own := range []bool{true, false} {
		for _, j := range jobs {
			for _, l := range append([]jobboardtest.Location{j.Location}, j.AdditionalLocations...) {
				k := [2]string{l.Lat, l.Long}
				if _, ok := out[k]; !ok && l.City != "" && l.Lat != "" && (j.Language == language) == own {
					out[k] = l.City
				}
			}
		}
	}
	return out
}

func (s spellings) name(l jobboardtest.Location) string {
	return cmp.Or(s[[2]string{l.Lat, l.Long}], l.City, l.Name)
}

// names returns the names of locations that have one.
func (s spellings) names(ls ...jobboardtest.Location) (out []string) {
	for _, l := range ls {
		if name := s.name(l); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// count returns the names of places with the number of postings, the largest first.
func count(names []string) []knownPlace {
	n := map[string]int{}
	for _, name := range names {
		n[name]++
	}
	out := make([]knownPlace, 0, len(n))
	for name, k := range n {
		out = append(out, knownPlace{Name: name, Count: k})
	}
	slices.SortFunc(out, func(a, b knownPlace) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return out
}
