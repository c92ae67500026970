package towns

import (
	"slices"
	"strings"
	"sync"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// cityPeople is the population from which a town counts that has the name of a country or a state, such as Luxembourg.
const cityPeople = 50_000

// NoTown reports whether a text that somebody types for a town says that anywhere will do, or names a country or a
// state of Germany, Austria or Switzerland: villages have some of these names too.
func NoTown(text string) bool {
	name := strings.ToLower(strings.Join(strings.Fields(text), " "))
	switch name {
	case "überall", "ueberall", "anywhere", "everywhere", "bundesweit", "deutschlandweit", "europaweit", "weltweit", "worldwide", "europa", "europe":
		return true
	}
	_, isCountry := places.Country(name)
	if !isState(name) && !(isCountry && len(name) > 2) {
		return false
	}
	town, ok := places.Find(name)
	return !ok || town.Population < cityPeople
}

// states has the states of countries, each in German and then by its other names. Those that are towns as well, such
// as Berlin, are left out.
var states = readStates(`Baden-Württemberg|Baden-Wuerttemberg
Bayern|Bavaria
Brandenburg
Hessen|Hesse
Mecklenburg-Vorpommern|Mecklenburg-Western Pomerania
Niedersachsen|Lower Saxony
Nordrhein-Westfalen|North Rhine-Westphalia|NRW
Rheinland-Pfalz|Rhineland-Palatinate
Saarland
Sachsen|Saxony
Sachsen-Anhalt|Saxony-Anhalt
Schleswig-Holstein
Thüringen|Thueringen|Thuringia
Burgenland
Kärnten|Kaernten|Carinthia
Niederösterreich|Niederoesterreich|Lower Austria
Oberösterreich|Oberoesterreich|Upper Austria
Steiermark|Styria
Tirol|Tyrol
Vorarlberg
Aargau
Appenzell Ausserrhoden
Appenzell Innerrhoden
Basel-Landschaft
Graubünden|Graubuenden|Grisons
Jura
Nidwalden
Obwalden
Tessin|Ticino
Thurgau
Uri
Waadt|Vaud
Wallis|Valais`)

func readStates(list string) (all [][]string) {
	for line := range strings.Lines(list) {
		all = append(all, strings.Split(strings.TrimSpace(line), "|"))
	}
	return all
}

func isState(name string) bool {
	return slices.ContainsFunc(states, func(names []string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.ToLower(n) == name })
	})
}

// Area returns what tells a town from others of its name: its state in German or English, or else its country's code.
func Area(language string, town places.Place) string {
	names := stateOf(town)
	last := len(names) - 1
	switch {
	case last < 0:
		return town.Country
	case IsGerman(language) || last == 0:
		return names[0]
	case names[last] == "NRW":
		last--
	}
	return names[last]
}

// statesOf has what stateOf has found. A page of a list asks about a town several times.
var statesOf sync.Map // []string by places.Place

// stateOf returns the names of a town's state; none: it is in no state of the list. It asks for the town in one state
// after the other, which takes a tenth of a millisecond and more.
func stateOf(town places.Place) []string {
	if known, ok := statesOf.Load(town); ok {
		return known.([]string)
	}
	var names []string
	for _, state := range states {
		if found, ok := places.Find(town.Name + ", " + state[0]); ok && found == town {
			names = state
			break
		}
	}
	statesOf.Store(town, names)
	return names
}

// Sharing returns the towns that have a name, in capitals or not, or have words behind it, such as Frankfurt (Oder) for
// Frankfurt, in the order of places.Search.
func Sharing(name string) (list []places.Place) {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, town := range places.Search(name, 50) {
		rest, begins := strings.CutPrefix(strings.ToLower(town.Name), name)
		if begins && (rest == "" || strings.ContainsAny(rest[:1], " (/")) {
			list = append(list, town)
		}
	}
	return list
}

// Others returns the other towns of a name that somebody typed for a town, at most so many, the largest first. A part of
// the town itself is none.
func Others(typed string, town places.Place, limit int) (others []places.Place) {
	name, _, _ := strings.Cut(typed, ",")
	here := jobboard.Near(town.Latitude, town.Longitude, sameKm)
	for _, other := range Sharing(name) {
		if jobboard.DistanceKm(here, jobboard.Near(other.Latitude, other.Longitude, 0)) > here.RadiusKm {
			others = append(others, other)
		}
	}
	slices.SortStableFunc(others, func(a, b places.Place) int { return b.Population - a.Population })
	return others[:min(len(others), limit)]
}

// english has the English names of towns, by their names in package places.
var english = map[string]string{
	"München": "Munich", "Köln": "Cologne", "Nürnberg": "Nuremberg", "Hannover": "Hanover", "Braunschweig": "Brunswick",
	"Wien": "Vienna", "Zürich": "Zurich", "Genève": "Geneva", "Luzern": "Lucerne", "Praha": "Prague", "Warszawa": "Warsaw",
	"Milano": "Milan", "Roma": "Rome", "Torino": "Turin", "Venezia": "Venice", "Firenze": "Florence", "Napoli": "Naples",
	"Bruxelles": "Brussels", "Antwerpen": "Antwerp", "Gent": "Ghent", "København": "Copenhagen", "Göteborg": "Gothenburg",
	"Lisboa": "Lisbon", "Sevilla": "Seville", "București": "Bucharest", "Beograd": "Belgrade", "Kraków": "Cracow",
	"Den Haag": "The Hague",
}

// InLanguage returns the name of a town of a posting or a job for readers of a language: in English that of package
// places gives way to the English one.
func InLanguage(language, name string) string {
	base, _, _ := strings.Cut(language, "-")
	if town, ok := Named(name); ok && base == "en" && english[town.Name] != "" {
		return english[town.Name]
	}
	return name
}
