// Package places knows where some 30 000 towns and cities are, without a network: the
// towns of Europe and large cities elsewhere. It turns what a person types or an ad says
// into a place on the map:
//
//	berlin, ok := places.Find("10117 Berlin, Germany")
//	near := jobboard.Near(berlin.Latitude, berlin.Longitude, 25)
//
// The list holds places from 1 000 inhabitants in Germany, Austria, Switzerland, Liechtenstein and
// Luxembourg, from 5 000 elsewhere in Europe, and from 100 000 in the rest of the world, as of
// March 2023.
//
// Case, accents, punctuation and umlauts do not matter: München, MUNCHEN and
// Muenchen are one name. Some 260 places have names in other languages too, such
// as Munich, Vienna, Mailand or Москва.
//
// The list is embedded, 0.6 MB compressed and sorted, and read at the first call, which takes some
// 20 ms of a processor and keeps 5 MB of memory. The first text with a postal code reads the list of
// package postal too, 0.1 MB compressed and 1 MB in memory. Programs that do not import this package do
// not contain the lists. All functions can be called from several goroutines.
//
// The data is from GeoNames (https://www.geonames.org) under the licence CC BY 4.0; a
// program that shows the data must name the source, see [Attribution].
package places

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/places/internal/placename"
)

// Attribution names the source of the data. The licence demands this line where the data is shown.
const Attribution = "Places: geonames.org, CC BY 4.0"

// Place describes a town or a city, or the place of a postal code.
type Place struct {
	Name       string  // as spelt there, in Latin letters, such as "München"; of a postal code its digits
	Country    string  // ISO 3166 code, such as "DE"
	Latitude   float64 // in degrees, to 0.001 (some 100 m)
	Longitude  float64 // in degrees, to 0.001
	Population int     // number of inhabitants; 0 for a postal code, see Find
}

// maxName bounds the names to look for, in bytes. The longest name of a place has about 60.
const maxName = 256

// Search returns places with a name that begins with prefix, to complete what a person types.
// Places named exactly prefix come first, larger places before smaller, at most limit. An empty
// prefix has no places.
func Search(prefix string, limit int) []Place {
	if len(prefix) > maxName || limit < 1 {
		return nil
	}
	key := placename.Fold(prefix)
	if key == "" {
		return nil
	}
	idx := load()
	type hit struct {
		place int32
		exact bool
	}
	var hits []hit
	for i := idx.first(key); i < len(idx.names) && strings.HasPrefix(idx.names[i].key, key); i++ {
		hits = append(hits, hit{idx.names[i].place, idx.names[i].key == key})
	}
	slices.SortFunc(hits, func(a, b hit) int {
		if a.exact != b.exact {
			if a.exact {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.place, b.place)
	})
	var found []Place
	taken := map[int32]bool{}
	for _, h := range hits {
		if len(found) == limit {
			break
		}
		if !taken[h.place] {
			taken[h.place] = true
			found = append(found, idx.towns[h.place].Place)
		}
	}
	return found
}

// All returns all places, the largest first.
func All() iter.Seq[Place] {
	return func(yield func(Place) bool) {
		for _, t := range load().towns {
			if !yield(t.Place) {
				return
			}
		}
	}
}

// first returns where the names from key on begin.
func (x *index) first(key string) int {
	i, _ := slices.BinarySearchFunc(x.names, key, func(n name, key string) int { return cmp.Compare(n.key, key) })
	return i
}
