package main

import (
	"math"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
)

// chart is a small map of jobs. It is drawn here, so no visitor's search goes
// to a map service.
type chart struct {
	Width, Height int
	Area          *spot // the circle that is searched in
	Points        []spot
	Towns         []spot

	jobs []located
}

type spot struct {
	X, Y, R float64
	Label   string
}

type located struct {
	latitude, longitude float64
	town, title         string
}

func (c *chart) add(where []jobboard.Location, title string) {
	for _, l := range where {
		if latitude, longitude, ok := l.Coordinates(); ok {
			c.jobs = append(c.jobs, located{latitude, longitude, l.GeoCity, title})
		}
	}
}

// draw places the jobs on the map, and the circle that was searched in.
// Degrees of longitude are drawn shorter the further from the equator, so that
// the circle is one.
func (c *chart) draw(near jobboard.GeoLocation) {
	c.Width, c.Height = 320, 320
	const margin = 24
	if !near.IsZero() { // a job's locations elsewhere would make the circle small
		c.jobs = slices.DeleteFunc(c.jobs, func(j located) bool {
			return jobboard.DistanceKm(near, jobboard.GeoLocation{Latitude: j.latitude, Longitude: j.longitude}) > near.RadiusKm
		})
	}
	shown := c.jobs
	if !near.IsZero() {
		span := near.RadiusKm / kmPerDegree
		shown = append(shown[:len(shown):len(shown)],
			located{latitude: near.Latitude - span, longitude: near.Longitude},
			located{latitude: near.Latitude + span, longitude: near.Longitude})
	}
	if len(shown) == 0 {
		c.Width = 0
		return
	}
	south, north, west, east := shown[0].latitude, shown[0].latitude, shown[0].longitude, shown[0].longitude
	for _, j := range shown {
		south, north = min(south, j.latitude), max(north, j.latitude)
		west, east = min(west, j.longitude), max(east, j.longitude)
	}
	middle := (south + north) / 2
	narrow := max(math.Cos(middle*math.Pi/180), 0.01)
	span := max(north-south, (east-west)*narrow, 0.05)
	scale := (float64(c.Height) - 2*margin) / span
	x := func(longitude float64) float64 {
		return round(float64(c.Width)/2 + (longitude-(west+east)/2)*narrow*scale)
	}
	y := func(latitude float64) float64 { return round(float64(c.Height)/2 - (latitude-middle)*scale) }

	if !near.IsZero() {
		c.Area = &spot{X: x(near.Longitude), Y: y(near.Latitude), R: round(near.RadiusKm / kmPerDegree * scale)}
	}
	towns := map[string]bool{}
	for _, j := range c.jobs {
		at := spot{X: x(j.longitude), Y: y(j.latitude), R: 5, Label: j.title}
		c.Points = append(c.Points, at)
		if j.town != "" && !towns[j.town] {
			towns[j.town] = true
			c.Towns = append(c.Towns, spot{X: at.X, Y: at.Y - 10, Label: j.town})
		}
	}
}

const kmPerDegree = 111.2 // of latitude

func round(v float64) float64 { return math.Round(v*10) / 10 }
