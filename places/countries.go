package places

import (
	"strings"
	"sync"
)

// countryIn returns the country that the words between commas stand for; "" if
// there are none. Not ok: one stands for no country, or two for different ones.
func countryIn(s string) (country string, ok bool) {
	for part := range strings.SplitSeq(s, ",") {
		word := fold(part)
		if word == "" {
			continue
		}
		c := countries()[word]
		if c == "" || country != "" && country != c {
			return "", false
		}
		country = c
	}
	return country, true
}

// countries has the folded codes and names of countries, and those of the states
// of Germany and Austria.
var countries = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, p := range load().places {
		all[fold(p.Country)] = p.Country
	}
	for country, words := range countryNames {
		for word := range strings.SplitSeq(words, "|") {
			for _, key := range spellings(word) {
				all[key] = country
			}
		}
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
