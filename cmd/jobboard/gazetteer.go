package main

import (
	_ "embed"
	"encoding/csv"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// city is an entry of the built-in list: where a name is, to a kilometre or so.
type city struct {
	name      string
	country   string
	latitude  float64
	longitude float64
	rank      int // 1 for the largest; which names a map shows first
}

//go:embed gazetteer.csv
var gazetteerCSV string

type gazetteer struct {
	cities []city
	byName map[string]int
}

var builtInPlaces = sync.OnceValue(func() *gazetteer {
	rows, err := csv.NewReader(strings.NewReader(gazetteerCSV)).ReadAll()
	if err != nil {
		panic(err) // a test reads it
	}
	g := &gazetteer{byName: map[string]int{}}
	for _, row := range rows[1:] {
		names := strings.Split(row[4], "|")
		c := city{name: names[0], country: row[0]}
		c.latitude, _ = strconv.ParseFloat(row[1], 64)
		c.longitude, _ = strconv.ParseFloat(row[2], 64)
		c.rank, _ = strconv.Atoi(row[3])
		g.cities = append(g.cities, c)
		for _, n := range names {
			g.byName[placeKey(n)] = len(g.cities) - 1
		}
	}
	return g
})

// find knows a place by its name: as it is, with a postal code before it, with
// a district after a hyphen, or with a country or state after a comma. A name
// with something else beside it may be another place, and is not found.
func (g *gazetteer) find(name string) (city, bool) {
	if i, ok := g.byName[placeKey(name)]; ok {
		return g.cities[i], true
	}
	first, rest, _ := strings.Cut(name, ",")
	first = strings.TrimLeft(strings.TrimSpace(first), "0123456789 -")
	i, ok := g.byName[placeKey(first)]
	if !ok {
		whole, _, hyphen := strings.Cut(first, "-")
		if i, ok = g.byName[placeKey(whole)]; !ok || !hyphen {
			return city{}, false
		}
	}
	c := g.cities[i]
	for part := range strings.SplitSeq(rest, ",") {
		if key := placeKey(part); key != "" && countryOf[key] != c.country {
			return city{}, false
		}
	}
	return c, true
}

// placeKey makes spellings of one name equal: case, accents, punctuation.
func placeKey(s string) string {
	s = strings.NewReplacer("ß", "ss", "ø", "o", "ł", "l").Replace(strings.ToLower(s))
	if plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), s); err == nil {
		s = plain
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// countryOf says which country a word after a comma stands for.
var countryOf = func() map[string]string {
	all := map[string]string{}
	for country, words := range map[string]string{
		"DE": "DE|Deutschland|Germany|Baden-Württemberg|Bayern|Bavaria|Berlin|Brandenburg|Bremen|Hamburg|Hessen|Hesse|Mecklenburg-Vorpommern|" +
			"Niedersachsen|Lower Saxony|Nordrhein-Westfalen|North Rhine-Westphalia|NRW|Rheinland-Pfalz|Saarland|Sachsen|Saxony|Sachsen-Anhalt|" +
			"Schleswig-Holstein|Thüringen|Thuringia",
		"AT": "AT|Österreich|Austria|Wien|Vienna|Niederösterreich|Oberösterreich|Salzburg|Steiermark|Styria|Tirol|Tyrol|Vorarlberg|Kärnten|Carinthia|Burgenland",
		"CH": "CH|Schweiz|Switzerland|Suisse|Svizzera",
		"LI": "LI|Liechtenstein", "LU": "LU|Luxemburg|Luxembourg", "NL": "NL|Niederlande|Netherlands", "BE": "BE|Belgien|Belgium",
		"FR": "FR|Frankreich|France", "DK": "DK|Dänemark|Denmark", "PL": "PL|Polen|Poland", "CZ": "CZ|Tschechien|Czechia", "SK": "SK|Slowakei|Slovakia",
		"HU": "HU|Ungarn|Hungary", "SI": "SI|Slowenien|Slovenia", "HR": "HR|Kroatien|Croatia", "IT": "IT|Italien|Italy", "ES": "ES|Spanien|Spain",
		"PT": "PT|Portugal", "GB": "GB|UK|Großbritannien|United Kingdom|England", "IE": "IE|Irland|Ireland", "SE": "SE|Schweden|Sweden",
		"NO": "NO|Norwegen|Norway", "FI": "FI|Finnland|Finland", "EE": "EE|Estland|Estonia", "LV": "LV|Lettland|Latvia", "LT": "LT|Litauen|Lithuania",
		"RO": "RO|Rumänien|Romania", "BG": "BG|Bulgarien|Bulgaria", "GR": "GR|Griechenland|Greece",
	} {
		for w := range strings.SplitSeq(words, "|") {
			all[placeKey(w)] = country
		}
	}
	return all
}()
