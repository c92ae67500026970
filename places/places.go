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
// 20 ms of a processor and keeps 5 MB of memory. Programs that do not import this package do not
// contain the list. All functions can be called from several goroutines.
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

// Place describes a town or a city.
type Place struct {
	Name       string  // as spelt there, in Latin letters, such as "München"
	Country    string  // ISO 3166 code, such as "DE"
	Latitude   float64 // in degrees, to 0.001 (some 100 m)
	Longitude  float64 // in degrees, to 0.001
	Population int     // number of inhabitants
}

// maxName bounds the names to look for, in bytes. The longest name of a place has about 60.
const maxName = 256

// Find returns the largest place of that name, and false if no place has it. The text may also hold
// a postal code (10117 Berlin), a district after a hyphen (Hamburg-Altona), and after a comma the
// country or a state of Germany, Austria or the USA (Freiburg, Switzerland; Springfield, IL 62701),
// which tells places with the same name apart. If a word names a country and a state, Find looks in
// the country first, and then in the state: Ontario, CA is in California. With any other text
// beside the name Find returns false, because the text may name another place.
func Find(name string) (Place, bool) {
	if len(name) > maxName {
		return Place{}, false
	}
	idx := load()
	if p, ok := idx.largest(placename.Fold(name), area{}); ok {
		return p, true
	}
	name, rest, _ := strings.Cut(name, ",")
	name = withoutCodes(name)
	areas := areasIn(rest)
	withoutDistrict, _, _ := strings.Cut(name, "-")
	for _, name := range [...]string{name, withoutDistrict} {
		for _, a := range areas {
			if p, ok := idx.largest(placename.Fold(name), a); ok {
				return p, true
			}
		}
	}
	return Place{}, false
}

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

// largest returns the largest place with that key in the area.
func (x *index) largest(key string, in area) (Place, bool) {
	if key == "" {
		return Place{}, false
	}
	for i := x.first(key); i < len(x.names) && x.names[i].key == key; i++ {
		t := x.towns[x.names[i].place]
		if (area{t.Country, t.state}).within(in) {
			return t.Place, true
		}
	}
	return Place{}, false
}

// withoutCodes removes words with a digit, which are postal codes, from both ends.
func withoutCodes(town string) string {
	words := strings.Fields(town)
	isCode := func(word string) bool { return strings.ContainsAny(word, "0123456789") }
	for len(words) > 0 && isCode(words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && isCode(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}
