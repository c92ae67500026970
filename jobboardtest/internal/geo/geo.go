// Package geo tells whether places lie within a distance of each other.
package geo

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const earthRadiusKm = 6371.0088

// Point is a place as a point of the unit sphere: the chord between two points
// tells their distance without trigonometry for each pair.
type Point struct{ x, y, z float64 }

func newPoint(lat, long float64) Point {
	lat, long = lat*math.Pi/180, long*math.Pi/180
	return Point{math.Cos(lat) * math.Cos(long), math.Cos(lat) * math.Sin(long), math.Sin(lat)}
}

// ParsePoint reads two texts of decimal degrees. It reports false for text that
// is no number, and for degrees out of range.
func ParsePoint(latitude, longitude string) (p Point, ok bool) {
	lat, err1 := strconv.ParseFloat(latitude, 64)
	long, err2 := strconv.ParseFloat(longitude, 64)
	if err1 != nil || err2 != nil || !(math.Abs(lat) <= 90 && math.Abs(long) <= 180) {
		return Point{}, false
	}
	return newPoint(lat, long), true
}

// Circle holds the places within a distance of its centre. The zero value holds
// everything, even postings without a place.
type Circle struct {
	set    bool
	center Point
	chord2 float64 // the square of the longest chord inside the circle
}

// Holds reports whether one of the points lies within the circle.
func (c Circle) Holds(points []Point) bool {
	if !c.set {
		return true
	}
	for _, p := range points {
		dx, dy, dz := p.x-c.center.x, p.y-c.center.y, p.z-c.center.z
		if dx*dx+dy*dy+dz*dz <= c.chord2 {
			return true
		}
	}
	return false
}

// ParseCircle reads `<latitude>::<longitude>::<distance_km>` (section 4.1). The
// empty text is the zero value.
func ParseCircle(s string) (Circle, error) {
	if s == "" {
		return Circle{}, nil
	}
	parts := strings.Split(s, "::")
	if len(parts) != 3 {
		return Circle{}, fmt.Errorf("%q has %d parts between ::, not 3", s, len(parts))
	}
	var n [3]float64
	for i, name := range []string{"latitude", "longitude", "distance"} {
		if !isDecimal(parts[i]) {
			return Circle{}, fmt.Errorf("the %s %q is not a decimal number", name, parts[i])
		}
		n[i], _ = strconv.ParseFloat(parts[i], 64)
	}
	switch {
	case n[0] < -90 || n[0] > 90:
		return Circle{}, fmt.Errorf("the latitude %s is not between -90 and 90", parts[0])
	case n[1] < -180 || n[1] > 180:
		return Circle{}, fmt.Errorf("the longitude %s is not between -180 and 180", parts[1])
	case n[2] < 0:
		return Circle{}, fmt.Errorf("the distance %s is below 0", parts[2])
	}
	c := Circle{set: true, center: newPoint(n[0], n[1]), chord2: 5} // larger than every squared chord
	if half := n[2] / earthRadiusKm / 2; half < math.Pi/2 {
		// Add a millimetre, so that the centre itself stays inside despite
		// rounding.
		c.chord2 = math.Pow(2*math.Sin(half), 2) + 1e-20
	}
	return c, nil
}

// isDecimal reports whether a text is a decimal number: an optional minus,
// digits, and at most one dot, without an exponent.
func isDecimal(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, frac, dotted := strings.Cut(s, ".")
	if whole == "" || dotted && frac == "" {
		return false
	}
	return strings.Trim(whole+frac, "0123456789") == ""
}
