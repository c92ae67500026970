// Package worldmap places points of the Earth on a small map: which part of it is
// shown, which points are one dot, and where the names of dots have room. It draws
// nothing itself.
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

// View shows a part of the Earth on a plane of pixels, whose y grows to the south. A
// kilometre at its middle is as long east as north.
type View struct {
	Width, Height       float64
	latitude, longitude float64 // of the middle
	scale               float64 // pixels a degree of latitude
	squeeze             float64 // a degree of longitude, in degrees of latitude
}

// squeezeAt returns how long a degree of longitude is at a latitude. At a pole it
// would be nothing, and no map could be wide enough.
func squeezeAt(latitude float64) float64 { return max(math.Cos(latitude*math.Pi/180), 0.1) }

// Around returns a view of all that is within so many kilometres of a place.
func Around(latitude, longitude, km, width, height float64) View {
	degrees := min(max(km, 0.001)/kmPerDegree, 90)
	return View{
		Width: width, Height: height, latitude: latitude, longitude: longitude,
		scale: min(width, height) / 2 / degrees, squeeze: squeezeAt(latitude),
	}
}

// Over returns a view of points that leaves a margin of pixels around them, and shows
// at least so many degrees of latitude, since a single town has a country around it.
// It is between low and high pixels high, as the points need it. There must be a
// point.
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

// XY returns where a place is on the plane, which may be beyond its edges.
func (v View) XY(latitude, longitude float64) (x, y float64) {
	d := math.Remainder(longitude-v.longitude, 360)
	return v.Width/2 + d*v.squeeze*v.scale, v.Height/2 - (latitude-v.latitude)*v.scale
}

// Circle returns the SVG path of all places at a distance from one.
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
