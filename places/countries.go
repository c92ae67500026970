package places

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/jobboard-sdk/jobboard-go/places/internal/placename"
)

// Country returns the two-letter ISO 3166-1 code of a country. word is that code, in upper or lower
// case, or the name of one of about 55 countries in English, German or its own language, such as
// Deutschland and Schweiz. Country reports false for any other word. It does not load the list of
// places.
func Country(name string) (code string, ok bool) {
	if len(name) > maxName {
		return "", false
	}
	code, ok = countries()[placename.Fold(name)]
	return code, ok
}

// countries has the codes of countries by their folded codes and names.
var countries = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for code := range strings.FieldsSeq(countryCodes) {
		all[placename.Fold(code)] = code
	}
	for code, names := range countryNames {
		for name := range strings.SplitSeq(names, "|") {
			for _, key := range placename.Keys(name) {
				all[key] = code
			}
		}
	}
	return all
})

// area is a country or a state of the USA; an empty field means any.
type area struct{ country, state string }

func (a area) within(b area) bool {
	return (b.country == "" || a.country == b.country) && (b.state == "" || a.state == b.state)
}

// areasIn returns the areas that fit all words between commas, the likeliest first: "IN, USA" is
// Indiana and not India. A postal code may follow a word, but a word that is only a postal code
// fits no area.
func areasIn(s string) []area {
	found := []area{{}}
	for part := range strings.SplitSeq(s, ",") {
		word := placename.Fold(part)
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

// areas has the folded codes and names of countries, of states of Germany and Austria, which stand
// for their countries, and of states of the USA. If a word names a country and a state, the country
// comes first.
var areas = sync.OnceValue(func() map[string][]area {
	all := map[string][]area{}
	add := func(word string, a area) {
		if key := placename.Fold(word); !slices.Contains(all[key], a) {
			all[key] = append(all[key], a)
		}
	}
	for code := range strings.FieldsSeq(countryCodes) {
		add(code, area{country: code})
	}
	for _, names := range []map[string]string{countryNames, regionNames} {
		for country, words := range names {
			for word := range strings.SplitSeq(words, "|") {
				for _, key := range placename.Keys(word) {
					add(key, area{country: country})
				}
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
	"DE": "Deutschland|Germany|Allemagne|Germania|Alemania|Duitsland|Niemcy|Federal Republic of Germany|Bundesrepublik Deutschland",
	"AT": "Österreich|Austria|Autriche|Oostenrijk|Rakousko",
	"CH": "Schweiz|Switzerland|Suisse|Svizzera|Suiza|Zwitserland",
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

// regionNames has the states of Germany and Austria, which mean their countries after the name of a
// place.
var regionNames = map[string]string{
	"DE": "Baden-Württemberg|Bayern|Bavaria|Berlin|Brandenburg|Bremen|" +
		"Hamburg|Hessen|Hesse|Mecklenburg-Vorpommern|Niedersachsen|Lower Saxony|Nordrhein-Westfalen|" +
		"North Rhine-Westphalia|NRW|Rheinland-Pfalz|Rhineland-Palatinate|Saarland|Sachsen|Saxony|" +
		"Sachsen-Anhalt|Saxony-Anhalt|Schleswig-Holstein|Thüringen|Thuringia",
	"AT": "Wien|Vienna|Niederösterreich|Lower Austria|Oberösterreich|" +
		"Upper Austria|Salzburg|Steiermark|Styria|Tirol|Tyrol|Vorarlberg|Kärnten|Carinthia|Burgenland",
}

// countryCodes lists the two-letter codes of ISO 3166-1, and Kosovo's code.
const countryCodes = `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK
FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM
JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS
MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM
US UY UZ VA VC VE VG VI VN VU WF WS YE YT XK ZA ZM ZW`

// stateNames has the states of the USA and the District of Columbia.
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
