package places

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/jobboard-sdk/jobboard-go/places/internal/placename"
)

// Country returns the two-letter ISO 3166-1 code of a country. name is that code, in upper or lower
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

// area is a country, or a state of it by its code in the list; an empty field means any.
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
		found = both(found, areas()[word])
	}
	return found
}

// both returns the areas that lie in one of each list.
func both(list, other []area) (found []area) {
	for _, a := range list {
		for _, b := range other {
			ab := area{cmp.Or(a.country, b.country), cmp.Or(a.state, b.state)}
			if ab.within(a) && ab.within(b) {
				found = append(found, ab)
			}
		}
	}
	return found
}

// areas has the folded codes and names of countries, and of the states and cantons of the USA,
// Germany, Austria and Switzerland. If a word names several, the country comes first, then the state
// of the USA.
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
	for country, words := range countryNames {
		for word := range strings.SplitSeq(words, "|") {
			for _, key := range placename.Keys(word) {
				add(key, area{country: country})
			}
		}
	}
	for line := range strings.Lines(stateNames) {
		country, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		state, words, _ := strings.Cut(rest, " ")
		for word := range strings.SplitSeq(words, "|") {
			for _, key := range placename.Keys(word) {
				add(key, area{country, state})
			}
		}
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

// countryCodes lists the two-letter codes of ISO 3166-1, and Kosovo's code.
const countryCodes = `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK
FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM
JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS
MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM
US UY UZ VA VC VE VG VI VN VU WF WS YE YT XK ZA ZM ZW`

// stateNames has the states of the USA with the District of Columbia, Germany and Austria, and the
// cantons of Switzerland: a country, the state's code in the list, and words for it.
const stateNames = `US AL AL|Alabama
US AK AK|Alaska
US AZ AZ|Arizona
US AR AR|Arkansas
US CA CA|California
US CO CO|Colorado
US CT CT|Connecticut
US DE DE|Delaware
US DC DC|District of Columbia
US FL FL|Florida
US GA GA|Georgia
US HI HI|Hawaii
US ID ID|Idaho
US IL IL|Illinois
US IN IN|Indiana
US IA IA|Iowa
US KS KS|Kansas
US KY KY|Kentucky
US LA LA|Louisiana
US ME ME|Maine
US MD MD|Maryland
US MA MA|Massachusetts
US MI MI|Michigan
US MN MN|Minnesota
US MS MS|Mississippi
US MO MO|Missouri
US MT MT|Montana
US NE NE|Nebraska
US NV NV|Nevada
US NH NH|New Hampshire
US NJ NJ|New Jersey
US NM NM|New Mexico
US NY NY|New York
US NC NC|North Carolina
US ND ND|North Dakota
US OH OH|Ohio
US OK OK|Oklahoma
US OR OR|Oregon
US PA PA|Pennsylvania
US RI RI|Rhode Island
US SC SC|South Carolina
US SD SD|South Dakota
US TN TN|Tennessee
US TX TX|Texas
US UT UT|Utah
US VT VT|Vermont
US VA VA|Virginia
US WA WA|Washington
US WV WV|West Virginia
US WI WI|Wisconsin
US WY WY|Wyoming
DE 01 Baden-Württemberg
DE 02 Bayern|Bavaria
DE 03 Bremen
DE 04 Hamburg
DE 05 Hessen|Hesse
DE 06 Niedersachsen|Lower Saxony
DE 07 Nordrhein-Westfalen|North Rhine-Westphalia|NRW
DE 08 Rheinland-Pfalz|Rhineland-Palatinate
DE 09 Saarland
DE 10 Schleswig-Holstein
DE 11 Brandenburg
DE 12 Mecklenburg-Vorpommern
DE 13 Sachsen|Saxony
DE 14 Sachsen-Anhalt|Saxony-Anhalt
DE 15 Thüringen|Thuringia
DE 16 Berlin
AT 01 Burgenland
AT 02 Kärnten|Carinthia
AT 03 Niederösterreich|Lower Austria|NÖ
AT 04 Oberösterreich|Upper Austria|OÖ
AT 05 Salzburg
AT 06 Steiermark|Styria
AT 07 Tirol|Tyrol
AT 08 Vorarlberg
AT 09 Wien|Vienna
CH AG AG|Aargau
CH AI AI|Appenzell Innerrhoden
CH AR AR|Appenzell Ausserrhoden
CH BE BE|Bern|Berne
CH BL BL|Basel-Landschaft|Baselland
CH BS BS|Basel-Stadt
CH FR FR|Freiburg|Fribourg
CH GE GE|Genf|Genève|Geneva
CH GL GL|Glarus
CH GR GR|Graubünden
CH JU JU|Jura
CH LU LU|Luzern|Lucerne
CH NE NE|Neuenburg|Neuchâtel
CH NW NW|Nidwalden
CH OW OW|Obwalden
CH SG SG|St. Gallen
CH SH SH|Schaffhausen
CH SO SO|Solothurn
CH SZ SZ|Schwyz
CH TG TG|Thurgau
CH TI TI|Tessin|Ticino
CH UR UR|Uri
CH VD VD|Waadt|Vaud
CH VS VS|Wallis|Valais
CH ZG ZG|Zug
CH ZH ZH|Zürich`
