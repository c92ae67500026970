// Package nearby parses the place around which a person wants to search: a town, a postal
// code, coordinates or a geo: URI.
package nearby

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/shown"
	"github.com/jobboard-sdk/jobboard-go/market/internal/towns"
	"github.com/jobboard-sdk/jobboard-go/places"
	"github.com/jobboard-sdk/jobboard-go/places/postal"
)

// Parse returns the circle of radiusKm kilometres around the typed place. town is the
// town of a typed name, or a place named by a typed postal code, and zero otherwise. For
// an unknown name the error suggests similar towns.
func Parse(typed string, radiusKm float64) (circle jobboard.GeoLocation, town places.Place, err error) {
	if g, err := jobboard.ParseGeoLocation(typed); err == nil { // the interface's form, which includes a radius
		return circle, town, fmt.Errorf("%q: the place is %g,%g, and its radius of %g km is said beside it", typed, g.Latitude, g.Longitude, g.RadiusKm)
	}
	place := typed
	isURI := strings.HasPrefix(strings.ToLower(place), "geo:")
	if postal.Looks(typed) {
		if town, err = coded(typed); err != nil {
			return circle, town, err
		}
		place = fmt.Sprintf("%g,%g", town.Latitude, town.Longitude)
	} else if !isURI && strings.ContainsFunc(place, unicode.IsLetter) {
		var ok bool
		if town, ok = places.Find(place); !ok {
			return circle, town, unknown(place)
		}
		place = fmt.Sprintf("%g,%g", town.Latitude, town.Longitude)
	}
	if !isURI {
		place = "geo:" + strings.ReplaceAll(place, " ", "")
	}
	if circle, err = parseURI(place, radiusKm); err != nil {
		// The error quotes our URI; quote the typed text instead.
		err = errors.New(strings.ReplaceAll(shown.Error(err), strconv.Quote(place), strconv.Quote(typed)))
	}
	return circle, town, err
}

// Contradiction returns the sentence about a typed place whose postal code does not lie in the town
// beside it, and an empty text for any other place. Parse takes the code.
func Contradiction(typed string) string {
	town, ok := places.Contradicted(typed)
	if !ok {
		return ""
	}
	code, _ := places.Find(typed)
	return fmt.Sprintf("the postal code %s does not lie in %s (%s): the place is that of the code", code.Name, town.Name, town.Country)
}

// mostOthers bounds the towns of Others.
const mostOthers = 5

// Others returns the other towns that a typed name may mean, the largest first: those of the same name, with or without
// words behind it, such as Frankfurt (Oder) beside Frankfurt am Main. town is what Parse returns for it.
func Others(typed string, town places.Place) []places.Place {
	if town.Population == 0 { // no town was typed
		return nil
	}
	others := slices.DeleteFunc(towns.Sharing(typed), func(p places.Place) bool { return p == town })
	return others[:min(len(others), mostOthers)]
}

// Typed returns what a person types so that Parse takes this town: its name and country, or its coordinates.
func Typed(town places.Place) string {
	name := town.Name + ", " + town.Country
	if found, ok := places.Find(name); ok && found == town {
		return name
	}
	return fmt.Sprintf("%g,%g", town.Latitude, town.Longitude)
}

// coded returns the place of a postal code, with the code as its name.
func coded(typed string) (places.Place, error) {
	switch found := postal.Find(typed, ""); len(found) {
	case 0:
		return places.Place{}, fmt.Errorf("no place is known by the postal code %.60q; those of Germany, Austria and Switzerland are", typed)
	case 1:
		at := found[0]
		return places.Place{Name: at.Code, Country: at.Country, Latitude: at.Latitude, Longitude: at.Longitude}, nil
	default:
		return places.Place{}, fmt.Errorf("%.60q is a postal code of Austria and of Switzerland; is it %v or %v?", typed, found[0], found[1])
	}
}

// mostMeant bounds the towns that an error suggests.
const mostMeant = 3

// unknown returns the error for an unknown name. It suggests towns that begin with
// the name, or else towns with a similar name.
func unknown(name string) error {
	text := fmt.Sprintf("no place is known by the name %.60q", name)
	meant := places.Search(name, mostMeant)
	if len(meant) == 0 {
		meant = places.Alike(name, mostMeant)
	}
	var names []string
	for _, p := range meant {
		names = append(names, p.Name+" ("+p.Country+")")
	}
	if len(names) > 0 {
		text += "; is it " + strings.Join(names, " or ") + "?"
	}
	return errors.New(text)
}
