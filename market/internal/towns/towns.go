// Package towns knows by which names readers of a language call the towns of the board's locations:
// the board sends the English name of a town in every language.
package towns

import (
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// sameKm is the greatest distance of a location from the middle of its town: a town of the same name
// farther away is a different town.
const sameKm = 50

// Named returns the town of a name on the board, and false if package places does not know it, or knows
// only the place of a postal code in it: that is no town.
func Named(name string) (places.Place, bool) {
	town, ok := places.Find(name)
	if !ok || town.Population == 0 {
		return places.Place{}, false
	}
	return town, true
}

// Of returns the town of a location, and false if Named does not know it. A location without
// coordinates is in the largest town of its name.
func Of(l jobboard.Location) (places.Place, bool) {
	town, ok := Named(l.GeoCity)
	if !ok {
		return places.Place{}, false
	}
	if _, _, placed := l.Coordinates(); !placed {
		return town, true
	}
	near := jobboard.Near(town.Latitude, town.Longitude, sameKm)
	if l.DistanceKm(near) > near.RadiusKm {
		return places.Place{}, false
	}
	return town, true
}

// Name returns the name of a location's town for readers of a language, such as "de-AT": in German
// that of towns where German is spoken, in English that of InLanguage, in other languages the board's own.
func Name(language string, l jobboard.Location) string {
	if !IsGerman(language) {
		return InLanguage(language, l.GeoCity)
	}
	town, known := Of(l)
	german := slices.Contains([]string{"DE", "AT", "CH", "LI"}, town.Country)
	longer := strings.HasPrefix(town.Name, l.GeoCity) // such as Frankfurt am Main, where the board says Frankfurt
	if !known || !german || longer {
		return l.GeoCity
	}
	return town.Name
}

// IsGerman reports whether a language is German, in which the board names the locations of a posting.
func IsGerman(language string) bool {
	base, _, _ := strings.Cut(language, "-")
	return base == "de"
}
