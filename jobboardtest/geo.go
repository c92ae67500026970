package jobboardtest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const earthRadiusKm = 6371.0088

// vector is a place as a point of the unit sphere: the distance of two is told
// by their chord, without trigonometry per pair.
type vector struct{ x, y, z float64 }

func newVector(lat, long float64) vector {
	lat, long = lat*math.Pi/180, long*math.Pi/180
	return vector{math.Cos(lat) * math.Cos(long), math.Cos(lat) * math.Sin(long), math.Sin(lat)}
}

// vectors leaves out the locations that have no geolocation, or none on earth.
func vectors(ls []Location) []vector {
	var out []vector
	for _, l := range ls {
		lat, err1 := strconv.ParseFloat(l.Lat, 64)
		long, err2 := strconv.ParseFloat(l.Long, 64)
		if err1 == nil && err2 == nil && math.Abs(lat) <= 90 && math.Abs(long) <= 180 {
			out = append(out, newVector(lat, long))
		}
	}
	return out
}

// circle is what a geoLocation parameter asks for. The zero value is anywhere.
type circle struct {
	set    bool
	center vector
	chord2 float64 // the square of the longest chord that is still inside
}

func (c circle) holds(points []vector) bool {
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

// parseGeo reads `<latitude>::<longitude>::<distance_km>` (section 4.1).
func parseGeo(s string) (circle, error) {
	if s == "" {
		return circle{}, nil
	}
	parts := strings.Split(s, "::")
	if len(parts) != 3 {
		return circle{}, fmt.Errorf("%q has %d parts between ::, not 3", s, len(parts))
	}
	var n [3]float64
	for i, name := range []string{"latitude", "longitude", "distance"} {
		if !isDecimal(parts[i]) {
			return circle{}, fmt.Errorf("the %s %q is not a decimal number", name, parts[i])
		}
		n[i], _ = strconv.ParseFloat(parts[i], 64)
	}
	switch {
	case n[0] < -90 || n[0] > 90:
		return circle{}, fmt.Errorf("the latitude %s is not between -90 and 90", parts[0])
	case n[1] < -180 || n[1] > 180:
		return circle{}, fmt.Errorf("the longitude %s is not between -180 and 180", parts[1])
	case n[2] < 0:
		return circle{}, fmt.Errorf("the distance %s is below 0", parts[2])
	}
	c := circle{set: true, center: newVector(n[0], n[1]), chord2: 5} // more than any chord has
	if half := n[2] / earthRadiusKm / 2; half < math.Pi/2 {
		// A millimetre is added, so that a place at the very centre stays inside.
		c.chord2 = math.Pow(2*math.Sin(half), 2) + 1e-20
	}
	return c, nil
}

// isDecimal knows digits with one dot at most and a sign, and no exponent.
func isDecimal(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, frac, dotted := strings.Cut(s, ".")
	if whole == "" || dotted && frac == "" {
		return false
	}
	return strings.Trim(whole+frac, "0123456789") == ""
}
