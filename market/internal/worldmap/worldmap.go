// Package worldmap places points of the Earth on a small map: it chooses the
// visible part, groups points into dots, and finds room for the dots' names. It
// draws nothing itself.
package worldmap

import (
	"fmt"
	"math"
	"strings"
)

const earthKm = 6371.0088

// kmPerDegree is the length of a degree of latitude.
const kmPerDegree = earthKm * math.Pi / 180

// Point is a place on the Earth, in degrees.
type Point struct {
	Latitude, Longitude float64
	Name                string // may be empty
}

// View maps a part of the Earth to a plane of pixels, whose y grows to the south. At
// the centre, a kilometre east takes as many pixels as a kilometre north.
type View struct {
	Width, Height       float64
	latitude, longitude float64 // of the centre
	scale               float64 // pixels per degree of latitude
	squeeze             float64 // length of a degree of longitude, in degrees of latitude
}

// squeezeAt returns the length of a degree of longitude at a latitude, in degrees
// of latitude. The length is at least 0.1, because with 0 at a pole no map would
// be wide enough.
func squeezeAt(latitude float64) float64 { return max(math.Cos(latitude*math.Pi/180), 0.1) }

// Around returns a view of the area within km kilometres of a place.
func Around(latitude, longitude, km, width, height float64) View {
	degrees := min(max(km, 0.001)/kmPerDegree, 90)
	return View{
		Width: width, Height: height, latitude: latitude, longitude: longitude,
		scale: min(width, height) / 2 / degrees, squeeze: squeezeAt(latitude),
	}
}

// Over returns a view of points with a margin of pixels around them. It shows at
// least least degrees of latitude, so that even a single town has its surroundings.
// Its height is between low and high pixels, as the points need. points must not be
// empty.
func Over(points []Point, width, low, high, margin, least float64) View {
	south, north, west, east := 90.0, -90.0, 180.0, -180.0
	for _, p := range points {
		south, north = min(south, p.Latitude), max(north, p.Latitude)
		west, east = min(west, p.Longitude), max(east, p.Longitude)
	}
	v := View{Width: width, latitude: (south + north) / 2, longitude: (west + east) / 2}
	v.squeeze = squeezeAt(v.latitude)
	spanY, spanX := max(north-south, least), max((east-west)*v.squeeze, least)
	v.Height = min(max(width*spanY/spanX, low), high)
	v.scale = min((v.Width-2*margin)/spanX, (v.Height-2*margin)/spanY)
	return v
}

// XY returns the position of a place on the plane, perhaps beyond its edges.
func (v View) XY(latitude, longitude float64) (x, y float64) {
	d := math.Remainder(longitude-v.longitude, 360)
	return v.Width/2 + d*v.squeeze*v.scale, v.Height/2 - (latitude-v.latitude)*v.scale
}

// Circle returns the SVG path of the circle with a radius of km around a place.
func (v View) Circle(latitude, longitude, km float64) string {
	lat, lon, d := latitude*math.Pi/180, longitude*math.Pi/180, km/earthKm
	var path strings.Builder
	for i := range 120 {
		bearing := float64(i) * math.Pi / 60
		lat2 := math.Asin(math.Sin(lat)*math.Cos(d) + math.Cos(lat)*math.Sin(d)*math.Cos(bearing))
		lon2 := lon + math.Atan2(math.Sin(bearing)*math.Sin(d)*math.Cos(lat), math.Cos(d)-math.Sin(lat)*math.Sin(lat2))
		x, y := v.XY(lat2*180/math.Pi, lon2*180/math.Pi)
		step := "L"
		if i == 0 {
			step = "M"
		}
		fmt.Fprintf(&path, "%s%.1f %.1f", step, x, y)
	}
	return path.String() + "Z"
}
