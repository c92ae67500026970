package nearby

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
)

// parseURI returns the circle of radiusKm kilometres around the place of a geo URI (RFC 5870), such
// as "geo:52.52,13.405". The coordinates must be WGS 84, and ";crs=wgs84" may say so. An altitude,
// the uncertainty ";u=" and other parameters are ignored: the uncertainty says how precisely the
// place is known, in metres, and is no search radius.
//
// A zoom level, as in "geo:52.52,13.405?z=19", is common, although the RFC does not have it, and is
// ignored. Any other query is refused: next to "?q=" the coordinates are often "0,0" and mean
// nothing.
func parseURI(uri string, radiusKm float64) (jobboard.GeoLocation, error) {
	scheme, rest, found := strings.Cut(uri, ":")
	if !found || !strings.EqualFold(scheme, "geo") {
		return jobboard.GeoLocation{}, fmt.Errorf("geolocation URI %.40q is not a geo URI", uri)
	}
	rest, query, found := strings.Cut(rest, "?")
	if zoom, ok := strings.CutPrefix(query, "z="); found && (!ok || !isDecimal(zoom)) {
		return jobboard.GeoLocation{}, fmt.Errorf("geolocation URI %.40q has a query that is not a zoom level", uri)
	}
	place, params, found := strings.Cut(rest, ";")
	if found {
		if err := checkParams(params); err != nil {
			return jobboard.GeoLocation{}, err
		}
	}
	coords := strings.SplitN(place, ",", 4)
	if len(coords) < 2 || len(coords) > 3 {
		return jobboard.GeoLocation{}, fmt.Errorf("geolocation URI %.40q is not geo:latitude,longitude", uri)
	}
	if len(coords) == 3 && !isDecimal(coords[2]) {
		return jobboard.GeoLocation{}, fmt.Errorf("geolocation altitude %.40q is not a decimal number", coords[2])
	}
	at, err := jobboard.ParseGeoLocation(coords[0] + "::" + coords[1] + "::1")
	if err != nil {
		return jobboard.GeoLocation{}, err
	}
	at.RadiusKm = radiusKm
	if at.IsZero() { // means anywhere to a search
		return jobboard.GeoLocation{}, errors.New("geolocation radius is 0")
	}
	if err := at.Validate(); err != nil {
		return jobboard.GeoLocation{}, err
	}
	return at, nil
}

// checkParams refuses the parameters of a geo URI that make its coordinates mean something else,
// and those that are malformed.
func checkParams(params string) error {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		switch {
		case name == "":
			return errors.New("geolocation URI has a parameter without a name")
		case strings.EqualFold(name, "crs") && !strings.EqualFold(value, "wgs84"):
			return fmt.Errorf("geolocation URI has crs %.40q, not wgs84", value)
		case strings.EqualFold(name, "u") && (!isDecimal(value) || value[0] == '-'):
			return fmt.Errorf("geolocation URI has uncertainty %.40q, not a number of metres", value)
		}
	}
	return nil
}

// isDecimal reports whether s is a number as RFC 5870 writes it, without an exponent or a plus sign.
func isDecimal(s string) bool {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	const digits = "0123456789"
	return whole != "" && strings.Trim(whole, digits) == "" &&
		(!point || fraction != "" && strings.Trim(fraction, digits) == "")
}
