package control

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go/internal/worldmap"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// place holds the position of postings, in degrees.
type place struct {
	lat, long float64
	name      string
	open      bool // one at least can be found by a search
}

// spellings are the names of places by their degrees: a city has one name on the
// page, however many languages its jobs have.
type spellings map[[2]string]string

// spelling takes the names of the language of the first job that has a place,
// and where that language has none, the first.
func spelling(jobs []jobboardtest.Job) spellings {
	out := spellings{}
	language := ""
	for _, j := range jobs {
		if j.Location.City != "" {
			language = j.Language
			break
		}
	}
	for _, own := range []bool{true, false} {
		for _, j := range jobs {
			for _, l := range append([]jobboardtest.Location{j.Location}, j.AdditionalLocations...) {
				k := [2]string{l.Lat, l.Long}
				if _, ok := out[k]; !ok && l.City != "" && l.Lat != "" && (j.Language == language) == own {
					out[k] = l.City
				}
			}
		}
	}
	return out
}

func (s spellings) name(l jobboardtest.Location) string {
	return cmp.Or(s[[2]string{l.Lat, l.Long}], l.City, l.Name)
}

// placesOf returns the locations that have a geolocation.
func (s spellings) placesOf(open bool, ls ...jobboardtest.Location) []place {
	var out []place
	for _, l := range ls {
		lat, err1 := strconv.ParseFloat(l.Lat, 64)
		long, err2 := strconv.ParseFloat(l.Long, 64)
		if err1 != nil || err2 != nil || !(math.Abs(lat) <= 90 && math.Abs(long) <= 180) {
			continue
		}
		out = append(out, place{lat, long, s.name(l), open})
	}
	return out
}

// count returns the named places with the number of postings, the largest first.
func count(places []place) []knownPlace {
	n := map[string]int{}
	for _, p := range places {
		if p.name != "" {
			n[p.name]++
		}
	}
	out := make([]knownPlace, 0, len(n))
	for name, k := range n {
		out = append(out, knownPlace{Name: name, Count: k})
	}
	slices.SortFunc(out, func(a, b knownPlace) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// chart is a small map, in the units of its SVG view box. North is up; degrees
// are drawn as long as they are in the middle of the map.
type chart struct {
	Width, Height float64
	Lines         []line
	Dots          []dot
	Labels        []label
	Places        int
}

type line struct {
	X1, Y1, X2, Y2 float64
}

type dot struct {
	X, Y, R float64
	Open    bool
	Title   string
}

type label struct {
	X, Y   float64
	Anchor string
	Text   string
}

const (
	chartWidth      = 240
	lowest, highest = 150, 210
	margin          = 18
	dotDistance     = 6   // places nearer than this are one dot
	country         = 2.0 // degrees that are shown around a single town
	mostLabels      = 16
)

// draw projects the places, and gathers those that would lie on each other.
func draw(places []place) chart {
	if len(places) == 0 {
		return chart{}
	}
	points := make([]worldmap.Point, len(places))
	for i, p := range places {
		points[i] = worldmap.Point{Latitude: p.lat, Longitude: p.long, Name: p.name}
	}
	view := worldmap.Over(points, chartWidth, lowest, highest, margin, country)
	c := chart{Width: chartWidth, Height: round1(view.Height), Places: len(places)}
	parallels, meridians := view.Grid()
	for _, y := range parallels {
		c.Lines = append(c.Lines, line{0, round1(y), chartWidth, round1(y)})
	}
	for _, x := range meridians {
		c.Lines = append(c.Lines, line{round1(x), 0, round1(x), c.Height})
	}

	dots := view.Gather(points, dotDistance)
	biggest := float64(len(dots[0].Points))
	labels := worldmap.Labels{Width: c.Width, Height: c.Height}
	for _, g := range dots {
		n := float64(len(g.Points))
		d := dot{X: round1(g.X), Y: round1(g.Y), R: round1(3 + 6*math.Sqrt(n/biggest)*min(1, biggest/8))}
		d.Open = slices.ContainsFunc(g.Points, func(i int) bool { return places[i].open })
		d.Title = fmt.Sprintf("%s: %d", cmp.Or(g.Name, "no name"), len(g.Points))
		c.Dots = append(c.Dots, d)
		if len(dots) <= 200 { // else no name would have room
			labels.TakeDot(d.X, d.Y, d.R)
		}
	}
	for i, g := range dots {
		if g.Name == "" || len(c.Labels) == mostLabels {
			continue
		}
		d := c.Dots[i]
		width := 7*float64(utf8.RuneCountInString(g.Name)) + 2
		if l, ok := labels.Beside(d.X, d.Y, d.R, width); ok {
			c.Labels = append(c.Labels, label{round1(l.X), round1(l.Y), l.Anchor, g.Name})
		}
	}
	slices.Reverse(c.Dots) // the big ones on top, as their names are
	return c
}

func round1(f float64) float64 { return math.Round(f*10) / 10 }
