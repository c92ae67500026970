// Package places knows where some 30 000 towns and cities are, without a
// network: those of Europe and the large ones of the world. It turns what a
// person types or an ad says into a place on the map:
//
//	berlin, ok := places.Find("10117 Berlin, Germany")
//	near := jobboard.Near(berlin.Latitude, berlin.Longitude, 25)
//
// There are, in Germany, Austria, Switzerland, Liechtenstein and Luxembourg, the
// places from 1 000 inhabitants on, elsewhere in Europe from 5 000, and in the
// rest of the world from 100 000, as of March 2023.
//
// Case, accents, punctuation and umlauts do not matter: München, MUNCHEN and
// Muenchen are one name. Some 260 places have names in other languages too, such
// as Munich, Vienna, Mailand or Москва.
//
// The list is embedded, 0.4 MB compressed, and read at the first call, which
// takes some tens of milliseconds. Programs that do not import this package
// carry nothing of it. All functions can be called from several goroutines.
//
// The data is from GeoNames (https://www.geonames.org) under the licence
// CC BY 4.0; whoever shows it owes its source a line, see [Attribution].
package places

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Attribution names the source of the data, as its licence asks of whoever
// shows it to others.
const Attribution = "Places: geonames.org, CC BY 4.0"

// Place describes a town or a city.
type Place struct {
	Name       string  // as spelt there, in Latin letters, such as "München"
	Country    string  // ISO 3166 code, such as "DE"
	Latitude   float64 // in degrees, to 0.001 (some 100 m)
	Longitude  float64 // in degrees, to 0.001
	Population int     // number of inhabitants
}

// maxName bounds the names that are looked at, in bytes. The longest one of a
// place has about 60.
const maxName = 256

// Find returns the place of that name, the largest where several have it, and
// false where none has. Beside the name there may be a postal code (10117
// Berlin), a district after a hyphen (Hamburg-Altona), and after a comma the
// country or a state of Germany or Austria (Freiburg, Switzerland), which then
// tells places of one name apart. A name with anything else beside it may be
// that of another place, and is not found.
func Find(name string) (Place, bool) {
	if len(name) > maxName {
		return Place{}, false
	}
	idx := load()
	if p, ok := idx.largest(fold(name), ""); ok {
		return p, true
	}
	town, rest, _ := strings.Cut(name, ",")
	country, ok := countryIn(rest)
	if !ok {
		return Place{}, false
	}
	town = withoutCodes(town)
	if p, ok := idx.largest(fold(town), country); ok {
		return p, true
	}
	town, _, hyphen := strings.Cut(town, "-")
	if !hyphen {
		return Place{}, false
	}
	return idx.largest(fold(town), country)
}

// Search returns the places one of whose names begins with the prefix, to
// complete what a person types: first those of exactly that name, then the
// others, each by population, at most limit. An empty prefix has no places.
func Search(prefix string, limit int) []Place {
	if len(prefix) > maxName || limit < 1 {
		return nil
	}
	key := fold(prefix)
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
			found = append(found, idx.places[h.place])
		}
	}
	return found
}

// All returns all places, the largest first.
func All() iter.Seq[Place] { return slices.Values(load().places) }

// index is the list in memory.
type index struct {
	places []Place // the largest first
	names  []name  // by key, then the largest first
}

type name struct {
	key   string
	place int32 // its place in the list
}

// first returns where the names from key on begin.
func (x *index) first(key string) int {
	i, _ := slices.BinarySearchFunc(x.names, key, func(n name, key string) int { return cmp.Compare(n.key, key) })
	return i
}

// largest returns the largest place with that key, in the country unless that
// is empty.
func (x *index) largest(key, country string) (Place, bool) {
	if key == "" {
		return Place{}, false
	}
	for i := x.first(key); i < len(x.names) && x.names[i].key == key; i++ {
		if p := x.places[x.names[i].place]; country == "" || p.Country == country {
			return p, true
		}
	}
	return Place{}, false
}

//go:embed places.tsv.gz
var placesTSV []byte

//go:embed names.txt
var namesTXT string

var load = sync.OnceValue(func() *index {
	x, err := read(placesTSV, namesTXT)
	if err != nil {
		panic(err) // every test of the package would say so
	}
	return x
})

// read makes the index of a compressed list of places and a list of names.
func read(compressed []byte, names string) (*index, error) {
	x := new(index)
	z, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("places: %w", err)
	}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		p, err := parsePlace(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("places: line %q: %w", lines.Text(), err)
		}
		x.places = append(x.places, p)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("places: %w", err)
	}
	slices.SortFunc(x.places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(b.Population, a.Population), cmp.Compare(a.Country, b.Country),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Latitude, b.Latitude))
	})
	for i, p := range x.places {
		x.add(i, p.Name)
		if short := withoutRiver(p.Name); short != p.Name {
			x.add(i, short)
		}
	}
	x.sort()
	more := map[int][]string{} // not added before all are found: finding needs the order
	for line := range strings.Lines(names) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		country, spelled, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		names := strings.Split(spelled, "|")
		i, ok := x.oneOf(country, names)
		if !ok {
			return nil, fmt.Errorf("places: no place for the names %q", line)
		}
		more[i] = append(more[i], names...)
	}
	for i, names := range more {
		x.places[i].Name = names[0]
		for _, n := range names {
			x.add(i, n)
		}
	}
	x.sort()
	return x, nil
}

// parsePlace reads a line of places.tsv.
func parsePlace(line string) (p Place, err error) {
	f := strings.Split(line, "\t")
	if len(f) != 5 {
		return p, fmt.Errorf("%d columns, not 5", len(f))
	}
	p.Country, p.Name = f[0], f[1]
	if p.Latitude, err = strconv.ParseFloat(f[2], 64); err != nil {
		return p, err
	}
	if p.Longitude, err = strconv.ParseFloat(f[3], 64); err != nil {
		return p, err
	}
	p.Population, err = strconv.Atoi(f[4])
	return p, err
}

// add takes a name of places[i] in all its spellings.
func (x *index) add(i int, spelling string) {
	for _, key := range spellings(spelling) {
		x.names = append(x.names, name{key, int32(i)})
	}
}

func (x *index) sort() {
	slices.SortFunc(x.names, func(a, b name) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.place, b.place))
	})
	x.names = slices.Compact(x.names)
}

// oneOf returns which place of the country is the largest that has one of the
// names.
func (x *index) oneOf(country string, names []string) (place int, ok bool) {
	for _, n := range names {
		key := fold(n)
		for i := x.first(key); i < len(x.names) && x.names[i].key == key; i++ {
			at := int(x.names[i].place)
			if x.places[at].Country == country && (!ok || at < place) {
				place, ok = at, true
			}
		}
	}
	return place, ok
}
