package jobboard

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const (
	// maxRadiusKm is half the equator, rounded up. No place is farther away.
	maxRadiusKm = 20038
	// earthRadiusKm is the mean radius of the Earth, (2a+b)/3 of WGS 84.
	earthRadiusKm = 6371.0088
)

// GeoLocation limits a search to a circle, the parameter geoLocation of section
// 4.1: a place in decimal degrees of WGS 84 and a radius in kilometres. The
// zero value means anywhere and is not sent.
//
// A circle matches only postings whose position has a geolocation; their
// additional locations count too (section 4.1, rules 1 and 2).
//
// A GeoLocation reads and writes the form of String as text, so it can stand in
// JSON and be set by flag.TextVar.
type GeoLocation struct {
	Latitude  float64 // degrees north of the equator, -90 to 90
	Longitude float64 // degrees east of Greenwich, -180 to 180
	RadiusKm  float64 // kilometres, above 0 and at most 20038
}

// Near returns the circle of radiusKm kilometres around a place in decimal
// degrees. It does not check them; a search does, by [GeoLocation.Validate].
func Near(latitude, longitude, radiusKm float64) GeoLocation {
	return GeoLocation{Latitude: latitude, Longitude: longitude, RadiusKm: radiusKm}
}

// ParseGeoLocation reads the form of section 4.1,
// "<latitude>::<longitude>::<distance_km>", such as
// "52.520014::13.373006::50". Numbers are decimal, with a point and without
// an exponent, a plus sign or spaces, and must name a circle that Validate
// accepts. It returns ErrInvalidInput for anything else, the empty text
// included.
func ParseGeoLocation(s string) (GeoLocation, error) {
	parts := strings.SplitN(s, "::", 4)
	if len(parts) != 3 {
		return GeoLocation{}, geoError("%.40q is not latitude::longitude::kilometres", s)
	}
	var numbers [3]float64
	for i, field := range [...]string{"latitude", "longitude", "radius"} {
		if !isGeoDecimal(parts[i]) {
			return GeoLocation{}, geoError("%s %.40q is not a decimal number", field, parts[i])
		}
		n, _ := strconv.ParseFloat(parts[i], 64) // a number too large becomes infinite, which Validate refuses
		numbers[i] = positiveZero(n)
	}
	return Near(numbers[0], numbers[1], numbers[2]).checked()
}

// isGeoDecimal reports whether s is a number as String writes it.
// strconv alone would also take exponents, hexadecimal, "inf" and "nan".
func isGeoDecimal(s string) bool {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	const digits = "0123456789"
	return whole != "" && strings.Trim(whole, digits) == "" &&
		(!point || fraction != "" && strings.Trim(fraction, digits) == "")
}

// geoError returns an ErrInvalidInput with its reason.
func geoError(format string, args ...any) error {
	return fmt.Errorf("jobboard: geolocation "+format+": %w", append(args, ErrInvalidInput)...)
}

// IsZero reports whether g is the zero value, which means anywhere. A circle around the place 0, 0
// is not zero.
func (g GeoLocation) IsZero() bool { return g == GeoLocation{} }

// Validate reports what keeps g from being sent: a latitude or longitude off
// the globe, a radius that is not above 0 or is above 20038 kilometres (half
// the equator, so that it holds every place), or a field that is NaN. The zero
// value is valid. The error is ErrInvalidInput; it names the field and does
// not repeat its value, which may say where somebody lives.
//
// A place with a radius of 0 is refused, because most callers who send 0 forgot the radius. A
// radius beyond the Earth is refused, because most callers meant metres.
func (g GeoLocation) Validate() error {
	if g.IsZero() {
		return nil
	}
	_, err := g.checked()
	return err
}

// checked returns g if it is a circle that can be sent. Unlike Validate it refuses the zero value,
// as a place without a radius.
func (g GeoLocation) checked() (GeoLocation, error) {
	if wrong := g.circleMistake(); wrong != "" {
		return GeoLocation{}, geoError("%s", wrong)
	}
	return g, nil
}

// circleMistake returns what is wrong with the circle of g; empty: nothing.
func (g GeoLocation) circleMistake() string {
	// Each condition is written so that NaN fails it.
	switch {
	case !(math.Abs(g.Latitude) <= 90):
		return "latitude is not between -90 and 90 degrees"
	case !(math.Abs(g.Longitude) <= 180):
		return "longitude is not between -180 and 180 degrees"
	case !(g.RadiusKm > 0 && g.RadiusKm <= maxRadiusKm):
		return fmt.Sprintf("radius is not above 0 and at most %d kilometres", maxRadiusKm)
	}
	return ""
}

// String returns g as it is sent, such as "52.520014::13.373006::50": the
// shortest decimal numbers that ParseGeoLocation reads back to the same g,
// never with an exponent. It returns the empty text for the zero value.
func (g GeoLocation) String() string {
	if g.IsZero() {
		return ""
	}
	decimal := func(f float64) string { return strconv.FormatFloat(positiveZero(f), 'f', -1, 64) }
	return decimal(g.Latitude) + "::" + decimal(g.Longitude) + "::" + decimal(g.RadiusKm)
}

// positiveZero turns -0 into 0, which would print as "-0".
func positiveZero(f float64) float64 {
	if f == 0 {
		return 0
	}
	return f
}

// MarshalText returns the text of String for a g that Validate accepts, and
// Validate's error for every other.
func (g GeoLocation) MarshalText() ([]byte, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return []byte(g.String()), nil
}

// UnmarshalText reads what String writes: the empty text as the zero value, every other
// as [ParseGeoLocation] does. An error leaves g unchanged.
func (g *GeoLocation) UnmarshalText(text []byte) error {
	var parsed GeoLocation
	if len(text) > 0 {
		var err error
		if parsed, err = ParseGeoLocation(string(text)); err != nil {
			return err
		}
	}
	*g = parsed
	return nil
}

// DistanceKm returns the distance between the places of a and b along the surface of the Earth, in
// kilometres, whatever their radius. The error is at most 0.6 %, because the formula treats the
// Earth as a sphere. The zero value counts as the place 0, 0. DistanceKm returns NaN if a place is
// not on the globe.
func DistanceKm(a, b GeoLocation) float64 {
	for _, g := range [2]GeoLocation{a, b} {
		if !(math.Abs(g.Latitude) <= 90 && math.Abs(g.Longitude) <= 180) {
			return math.NaN()
		}
	}
	const degree = math.Pi / 180
	// The haversine formula: exact for neighbours, where the cosine rule
	// loses its digits, and the same in both directions.
	north := math.Sin((b.Latitude - a.Latitude) / 2 * degree)
	east := math.Sin((b.Longitude - a.Longitude) / 2 * degree)
	h := north*north + math.Cos(a.Latitude*degree)*math.Cos(b.Latitude*degree)*(east*east)
	// For antipodes rounding may carry h past 1, where Asin has no value.
	return 2 * earthRadiusKm * math.Asin(math.Sqrt(min(h, 1)))
}

// Near returns the circle of radiusKm kilometres around the location, to search
// for jobs close to this one. It returns ErrInvalidInput for a location without
// usable coordinates (see Coordinates) and for a circle that
// [GeoLocation.Validate] refuses.
func (l Location) Near(radiusKm float64) (GeoLocation, error) {
	latitude, longitude, ok := l.Coordinates()
	if !ok {
		return GeoLocation{}, geoError("of a location without usable coordinates")
	}
	return Near(latitude, longitude, radiusKm).checked()
}

// DistanceKm returns the distance in kilometres from the location to the place
// of g, as the function DistanceKm measures it. It returns +Inf for a location
// without usable coordinates, so that it sorts behind every other.
func (l Location) DistanceKm(g GeoLocation) float64 {
	latitude, longitude, ok := l.Coordinates()
	if !ok {
		return math.Inf(1)
	}
	return DistanceKm(Near(latitude, longitude, 0), g)
}
