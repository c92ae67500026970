package places_test

import (
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go/places"
)

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		// Case, accents, umlauts, punctuation.
		"Berlin": "Berlin DE", "berlin ": "Berlin DE", "BERLIN": "Berlin DE", "Köln": "Köln DE", "koeln": "Köln DE", "Koln": "Köln DE",
		"KO\u0308LN": "Köln DE", "MÜNCHEN": "München DE", "Muenchen": "München DE", "Goerlitz": "Görlitz DE", "Gießen": "Gießen DE",
		"GIESSEN": "Gießen DE", "Zuerich": "Zürich CH", "Lodz": "Łódź PL", "kobenhavn": "København DK", "Koebenhavn": "København DK",
		"Istanbul": "İstanbul TR", "ISTANBUL": "İstanbul TR", "Biel Bienne": "Biel/Bienne CH", "St Gallen": "St. Gallen CH",
		"Sankt Gallen": "St. Gallen CH", "Saint Etienne": "Saint-Étienne FR", "St. Etienne": "Saint-Étienne FR", "Göteborg": "Göteborg SE",

		// Names in other languages and scripts.
		"Cologne": "Köln DE", "Munich": "München DE", "Vienna": "Wien AT", "Mailand": "Milano IT", "Geneva": "Genève CH",
		"Prag": "Praha CZ", "Lemberg": "Lviv UA", "Москва": "Moscow RU", "МОСКВА": "Moscow RU", "Αθήνα": "Athens GR", "ΑΘΗΝΑ": "Athens GR",
		"北京": "Beijing CN", "東京": "Tokyo JP", "서울": "Seoul KR", "القاهرة": "Cairo EG", "กรุงเทพมหานคร": "Bangkok TH",

		// The largest of a name, and short names.
		"Frankfurt": "Frankfurt am Main DE", "Frankfurt (Oder)": "Frankfurt (Oder) DE", "Frankfurt a. M.": "Frankfurt am Main DE",
		"Frankfurt/Oder": "Frankfurt (Oder) DE", "Freiburg": "Freiburg im Breisgau DE", "Halle": "Halle (Saale) DE", "Marburg": "Marburg an der Lahn DE",
		"Offenbach": "Offenbach DE", "Kempten": "Kempten (Allgäu) DE", "Paris": "Paris FR", "London": "London GB", "Neuburg": "Neuburg an der Donau DE",

		// What may stand beside a name.
		"10117 Berlin": "Berlin DE", "D-10117 Berlin": "Berlin DE", "Berlin 10117": "Berlin DE", "London SW1A 1AA": "London GB",
		"Berlin-Mitte": "Berlin DE", "Hamburg-Altona": "Hamburg DE", "Berlin, Germany": "Berlin DE", "Berlin, DE": "Berlin DE",
		"80331 München, Bayern, Deutschland": "München DE", "Zurich, Switzerland": "Zürich CH", "Freiburg, Schweiz": "Fribourg CH",
		"Wien, Österreich": "Wien AT", "Wien, Oesterreich": "Wien AT", "Neustadt, Austria": "", "Neustadt, Germany": "Neustadt DE",
		"Baden-Baden": "Baden-Baden DE", "Baden, AT": "Baden AT", "Baden, CH": "Baden CH", "Birmingham, USA": "Birmingham US",

		// A state of the USA, in every form that people use.
		"Indianapolis, IN": "Indianapolis US", "indianapolis, in": "Indianapolis US", "Austin, Texas": "Austin US",
		"Los Angeles, CA 90001": "Los Angeles US", "Los Angeles, CA, USA": "Los Angeles US", "Los Angeles, CA 90001-1234, United States": "Los Angeles US",
		"Winston-Salem, NC": "Winston-Salem US", "New York, NY": "New York City US", "Seattle, Washington": "Seattle US", "Washington, DC 20001": "Washington US",

		// A code that is both a country's and a state's: the country counts if it has such a place.
		"London, CA": "London CA", "Ontario, CA": "Ontario US", "Salem, IN": "Salem IN", "Salem, OR": "Salem US", "Richmond, CA": "Richmond CA",
		"Richmond, CA, USA": "Richmond US", "Richmond, CA, Canada": "Richmond CA", "Haifa, IL": "Haifa IL", "Chicago, IL": "Chicago US",
		"Atlanta, Georgia": "Atlanta US", "Tbilisi, Georgia": "Tbilisi GE",

		// Not the larger one of another state or country, though it alone is known.
		"Springfield, IN": "", "Portland, ME": "", "Wilmington, DE": "", "Columbus, Indiana": "", "Springfield, IL, India": "", "Chicago, IN": "", "Bonn, IN": "",
		"Boston, PE21 6EJ": "", "Berlin, OH44610": "", "Moscow, 83843": "", "Berlin, A1": "", "Genf, CH-1201": "Genève CH", "Chicago, IL60601": "Chicago US",

		// Ambiguous names, and unknown ones.
		"Paris, Texas": "", "Berlin, Wisconsin": "", "Wien, Deutschland": "", "Neu Berlin": "", "Halle Sachsenwald": "", "Berlin Wisconsin": "", "Frankfurt am": "",
		"Berlin, Germany, France": "", "": "", ",": "", "12345": "", "-": "", "DE": "", "\xff\xfe": "", "Deutschland": "", "a": "", "\u0308": "",
		strings.Repeat("Berlin ", 1<<20): "", strings.Repeat("1 ", 120) + "Berlin": "Berlin DE",
	} {
		p, ok := places.Find(name)
		if got := strings.TrimSpace(p.Name + " " + p.Country); got != want || ok != (want != "") {
			t.Errorf("%.40q is %q, %v; want %q", name, got, ok, want)
		}
	}
}

// Three of one name: the state tells which.
func TestFindByState(t *testing.T) {
	for name, longitude := range map[string]float64{
		"Springfield": -93.3, "Springfield, MO": -93.3, "Springfield, IL": -89.6, "Springfield, Massachusetts": -72.6, "Springfield, IL 62701, USA": -89.6,
		"Kansas City, KS": -94.6, "Glendale, AZ": -112.2, "Glendale, CA": -118.3,
	} {
		if p, ok := places.Find(name); !ok || math.Abs(p.Longitude-longitude) > 0.1 {
			t.Errorf("%s is %+v", name, p)
		}
	}
}

func TestCountry(t *testing.T) {
	for name, want := range map[string]string{
		"DE": "DE", "de": "DE", " Deutschland ": "DE", "GERMANY": "DE", "Österreich": "AT", "Oesterreich": "AT", "Osterreich": "AT", "Schweiz": "CH",
		"Suisse": "CH", "United Kingdom": "GB", "Türkiye": "TR", "U.S.A": "", "USA": "US", "Zimbabwe": "", "ZW": "ZW", "XX": "", "": "",
		"Bayern": "", "Berlin": "", "Texas": "", strings.Repeat("DE", 1000): "",
	} {
		if got, ok := places.Country(name); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v, want %q", name, got, ok, want)
		}
	}
	for p := range places.All() {
		if code, ok := places.Country(p.Country); code != p.Country || !ok {
			t.Fatalf("the country of %+v is %q", p, code)
		}
	}
}

func TestSearch(t *testing.T) {
	for _, test := range []struct {
		prefix string
		limit  int
		want   string
	}{
		{"Mün", 2, "München Münster"},
		{"muen", 2, "München Münster"},
		{"cologn", 1, "Köln"},
		{"frankf", 2, "Frankfurt am Main Frankfurt (Oder)"},
		{"hof", 1, "Hof"}, // though Hoffman Estates and others are larger
		{"Гамб", 5, "Hamburg"},
		{"北", 5, "Beijing"},
		{"St. P", 1, "Saint Petersburg"},
		{"ber", 0, ""},
		{"ber", -1, ""},
		{"", 5, ""},
		{" .,", 5, ""},
		{"berlin x", 5, ""},
		{strings.Repeat("x", 1<<20), 5, ""},
	} {
		var got []string
		for _, p := range places.Search(test.prefix, test.limit) {
			got = append(got, p.Name)
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%.20q: %q, want %q", test.prefix, got, test.want)
		}
	}
	all := places.Search("b", math.MaxInt)
	seen := map[places.Place]bool{}
	for i, p := range all {
		if seen[p] || i > 0 && p.Population > all[i-1].Population && len(all[0].Name) > 1 {
			t.Fatalf("%d: %+v after %+v, seen %v", i, p, all[i-1], seen[p])
		}
		seen[p] = true
	}
	if len(all) < 1000 {
		t.Errorf("%d places begin with b", len(all))
	}
}

// A name over the bound is not looked up.
func TestSearchTooLong(t *testing.T) {
	long := strings.Repeat("é", 1000)
	if n := testing.AllocsPerRun(1, func() { places.Search(long, 10) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestAll holds every place against what a place is.
func TestAll(t *testing.T) {
	countries := map[string]int{}
	all := slices.Collect(places.All())
	for i, p := range all {
		countries[p.Country]++
		switch {
		case i > 0 && p.Population > all[i-1].Population,
			p.Population < 1000, len(p.Country) != 2, p.Name == "", !utf8.ValidString(p.Name),
			math.Abs(p.Latitude) > 80, math.Abs(p.Longitude) > 180, p.Latitude == 0 && p.Longitude == 0:
			t.Errorf("%+v", p)
		}
		if found, ok := places.Find(p.Name + ", " + p.Country); !ok || found.Country != p.Country || found.Population < p.Population {
			t.Errorf("%+v is found as %+v, %v", p, found, ok)
		}
	}
	for country, least := range map[string]int{"DE": 6500, "AT": 1000, "CH": 1000, "LU": 50, "FR": 1500, "US": 200, "CN": 300} {
		if countries[country] < least {
			t.Errorf("%s has %d places", country, countries[country])
		}
	}
	if len(all) < 29_000 || len(countries) < 180 {
		t.Errorf("%d places of %d countries", len(all), len(countries))
	}
}

// TestNames finds each place by each of its names by hand, in its country.
func TestNames(t *testing.T) {
	text, err := os.ReadFile("names.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(text)) {
		country, names, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if lines++; !ok {
			t.Errorf("line %q", line)
		}
		shown, _, _ := strings.Cut(names, "|")
		for name := range strings.SplitSeq(names, "|") {
			if strings.Contains(name, ",") {
				continue
			}
			if p, ok := places.Find(name + ", " + country); !ok || p.Name != shown {
				t.Errorf("%s, %s is %+v, want %s", name, country, p, shown)
			}
		}
	}
	if lines < 200 {
		t.Errorf("%d lines", lines)
	}
}

func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, ok := places.Find("Wien"); !ok || len(places.Search("wi", 3)) != 3 {
				t.Error("not found")
			}
		})
	}
	wg.Wait()
}

// TestSize holds what a program pays that imports the package.
func TestSize(t *testing.T) {
	info, err := os.Stat("places.bin.gz")
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 600<<10 {
		t.Errorf("the list has %d bytes", info.Size())
	}
}

func FuzzFind(f *testing.F) {
	for _, seed := range []string{"Berlin", "10117 Berlin, Germany", "Hamburg-Altona", "D - 15234 Frankfurt OT x", "10117 München", "Weiden i.d.OPf.", "Wr. Neustadt", "Zell (LU)", "Hansestadt, Stadt", "北京", "\xff", "a,b,c", "- -", "ﬃ", "İ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p, ok := places.Find(name)
		if ok != (p.Name != "") {
			t.Fatalf("%q: %+v, %v", name, p, ok)
		}
		if town, contradicted := places.Contradicted(name); contradicted != (town.Name != "") || contradicted && (p.Population != 0 || town.Population == 0) {
			t.Fatalf("%q: %+v, %+v, %v", name, p, town, contradicted)
		}
		if found := places.Search(name, 3); len(found) > 3 {
			t.Fatalf("%q: %v", name, found)
		}
	})
}
