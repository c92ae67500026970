package places

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// area is a country or a state of the USA; an empty field stands for any.
type area struct{ country, state string }

func (a area) within(b area) bool {
	return (b.country == "" || a.country == b.country) && (b.state == "" || a.state == b.state)
}

// areasIn returns the areas that the words between commas can stand for together,
// the likeliest first: of IN, USA that is Indiana and not India. A postal code may
// stand behind a word, but alone it says nothing that is known here.
func areasIn(s string) []area {
	found := []area{{}}
	for part := range strings.SplitSeq(s, ",") {
		word := fold(part)
		if word == "" {
			continue
		}
		word = strings.TrimRight(word, "0123456789 ")
		var both []area
		for _, a := range found {
			for _, b := range areas()[word] {
				ab := area{cmp.Or(a.country, b.country), cmp.Or(a.state, b.state)}
				if ab.within(a) && ab.within(b) {
					both = append(both, ab)
				}
			}
		}
		found = both
	}
	return found
}

// areas has the folded codes and names of countries, of states of Germany and
// Austria, which stand for their countries, and of states of the USA. A word for a
// country and a state has the country first.
var areas = sync.OnceValue(func() map[string][]area {
	all := map[string][]area{}
	add := func(word string, a area) {
		if key := fold(word); !slices.Contains(all[key], a) {
			all[key] = append(all[key], a)
		}
	}
	for _, t := range load().towns {
		add(t.Country, area{country: t.Country})
	}
	for country, words := range countryNames {
		for word := range strings.SplitSeq(words, "|") {
			for _, key := range spellings(word) {
				add(key, area{country: country})
			}
		}
	}
	for line := range strings.Lines(stateNames) {
		code, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		add(code, area{"US", code})
		add(name, area{"US", code})
	}
	return all
})

var countryNames = map[string]string{
	"DE": "Deutschland|Germany|Allemagne|Baden-Württemberg|Bayern|Bavaria|Berlin|Brandenburg|Bremen|" +
		"Hamburg|Hessen|Hesse|Mecklenburg-Vorpommern|Niedersachsen|Lower Saxony|Nordrhein-Westfalen|" +
		"North Rhine-Westphalia|NRW|Rheinland-Pfalz|Rhineland-Palatinate|Saarland|Sachsen|Saxony|" +
		"Sachsen-Anhalt|Saxony-Anhalt|Schleswig-Holstein|Thüringen|Thuringia",
	"AT": "Österreich|Austria|Autriche|Wien|Vienna|Niederösterreich|Lower Austria|Oberösterreich|" +
		"Upper Austria|Salzburg|Steiermark|Styria|Tirol|Tyrol|Vorarlberg|Kärnten|Carinthia|Burgenland",
	"CH": "Schweiz|Switzerland|Suisse|Svizzera",
	"LI": "Liechtenstein",
	"LU": "Luxemburg|Luxembourg",
	"NL": "Niederlande|Netherlands|Nederland|Holland",
	"BE": "Belgien|Belgium|Belgique|België",
	"FR": "Frankreich|France",
	"DK": "Dänemark|Denmark|Danmark",
	"PL": "Polen|Poland|Polska",
	"CZ": "Tschechien|Czechia|Czech Republic|Česko",
	"SK": "Slowakei|Slovakia|Slovensko",
	"HU": "Ungarn|Hungary|Magyarország",
	"SI": "Slowenien|Slovenia|Slovenija",
	"HR": "Kroatien|Croatia|Hrvatska",
	"IT": "Italien|Italy|Italia",
	"ES": "Spanien|Spain|España",
	"PT": "Portugal",
	"GB": "UK|Großbritannien|United Kingdom|Great Britain|England|Scotland|Wales|Northern Ireland|" +
		"Schottland|Nordirland",
	"IE": "Irland|Ireland|Éire",
	"SE": "Schweden|Sweden|Sverige",
	"NO": "Norwegen|Norway|Norge",
	"FI": "Finnland|Finland|Suomi",
	"EE": "Estland|Estonia",
	"LV": "Lettland|Latvia",
	"LT": "Litauen|Lithuania",
	"RO": "Rumänien|Romania|România",
	"BG": "Bulgarien|Bulgaria",
	"GR": "Griechenland|Greece",
	"GE": "Georgien|Georgia",
	"IS": "Island|Iceland",
	"MT": "Malta",
	"CY": "Zypern|Cyprus",
	"AL": "Albanien|Albania",
	"BA": "Bosnien und Herzegowina|Bosnia and Herzegovina",
	"ME": "Montenegro",
	"MK": "Nordmazedonien|North Macedonia",
	"RS": "Serbien|Serbia|Srbija",
	"XK": "Kosovo",
	"MD": "Moldau|Moldova",
	"UA": "Ukraine",
	"BY": "Belarus",
	"RU": "Russland|Russia",
	"TR": "Türkei|Turkey|Türkiye",
	"US": "USA|United States|United States of America|Vereinigte Staaten",
	"CA": "Kanada|Canada",
	"AU": "Australia|Australien",
	"IN": "Indien|India",
	"CN": "China",
	"JP": "Japan",
	"BR": "Brasilien|Brazil",
	"MX": "Mexiko|Mexico",
	"IL": "Israel",
	"AE": "Vereinigte Arabische Emirate|United Arab Emirates|UAE",
	"SG": "Singapur|Singapore",
}

// stateNames has the states of the USA, and Washington, which is in none.
const stateNames = `AL Alabama
AK Alaska
AZ Arizona
AR Arkansas
CA California
CO Colorado
CT Connecticut
DE Delaware
DC District of Columbia
FL Florida
GA Georgia
HI Hawaii
ID Idaho
IL Illinois
IN Indiana
IA Iowa
KS Kansas
KY Kentucky
LA Louisiana
ME Maine
MD Maryland
MA Massachusetts
MI Michigan
MN Minnesota
MS Mississippi
MO Missouri
MT Montana
NE Nebraska
NV Nevada
NH New Hampshire
NJ New Jersey
NM New Mexico
NY New York
NC North Carolina
ND North Dakota
OH Ohio
OK Oklahoma
OR Oregon
PA Pennsylvania
RI Rhode Island
SC South Carolina
SD South Dakota
TN Tennessee
TX Texas
UT Utah
VT Vermont
VA Virginia
WA Washington
WV West Virginia
WI Wisconsin
WY Wyoming`
