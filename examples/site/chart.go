package main

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/worldmap"
)

// chart is a small map of jobs. It is drawn here, so no visitor's search goes
// to a map service.
type chart struct {
	Width, Height int
	Area          string // the path of the circle that is searched in
	Dots          []spot

	places []worldmap.Point
	titles []string // of the jobs at the places
}

// spot is one job, or some that would lie on each other.
type spot struct {
	X, Y, R float64
	Tip     string
	Town    string // empty where its name has no room
	Label   worldmap.Label
}

func (c *chart) add(where []jobboard.Location, title string) {
	for _, l := range where {
		if latitude, longitude, ok := l.Coordinates(); ok {
			c.places = append(c.places, worldmap.Point{Latitude: latitude, Longitude: longitude, Name: l.GeoCity})
			c.titles = append(c.titles, title)
		}
	}
}

// draw places the jobs on the map, and the circle that was searched in. A job's
// locations beyond it are left out, since they would make the circle small.
func (c *chart) draw(near jobboard.GeoLocation) {
	const size, margin, dot = 320, 24, 6
	view := worldmap.Around(near.Latitude, near.Longitude, near.RadiusKm*size/(size-2*margin), size, size)
	if near.IsZero() {
		if len(c.places) == 0 {
			return
		}
		view = worldmap.Over(c.places, size, size, size, margin, 0.05)
	} else {
		c.Area = view.Circle(near.Latitude, near.Longitude, near.RadiusKm)
		c.keep(func(p worldmap.Point) bool {
			return jobboard.DistanceKm(near, jobboard.GeoLocation{Latitude: p.Latitude, Longitude: p.Longitude}) <= near.RadiusKm
		})
	}
	c.Width, c.Height = size, size
	labels := worldmap.Labels{Width: size, Height: size}
	for _, d := range view.Gather(c.places, dot) {
		s := spot{X: d.X, Y: d.Y, R: min(4+float64(len(d.Points)), 9), Town: d.Name}
		var titles []string
		for _, i := range d.Points {
			titles = append(titles, c.titles[i])
		}
		s.Tip = cmp.Or(d.Name, "–") + ": " + strings.Join(titles, "; ")
		labels.TakeDot(s.X, s.Y, s.R)
		c.Dots = append(c.Dots, s)
	}
	for i := range c.Dots {
		s := &c.Dots[i]
		var room bool
		if s.Label, room = labels.Beside(s.X, s.Y, s.R, 7*float64(utf8.RuneCountInString(s.Town))+2); !room {
			s.Town = ""
		}
	}
}

// keep leaves out the places that are not to be drawn.
func (c *chart) keep(drawn func(worldmap.Point) bool) {
	n := 0
	for i, p := range c.places {
		if drawn(p) {
			c.places[n], c.titles[n] = p, c.titles[i]
			n++
		}
	}
	c.places, c.titles = c.places[:n], c.titles[:n]
}
