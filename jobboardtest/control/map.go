package control

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// place is where postings are, in degrees.
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

// knownPlaces returns the places of all jobs, by name, for a new one to be at.
func knownPlaces(jobs []jobboardtest.Job, spell spellings) []knownPlace {
	var out []knownPlace
	seen := map[string]bool{}
	for _, j := range jobs {
		name := spell.name(j.Location)
		if name == "" || seen[name] || len(out) == maxKnown {
			continue
		}
		seen[name] = true
		out = append(out, knownPlace{Name: name, JSON: string(marshal(j.Location))})
	}
	slices.SortFunc(out, func(a, b knownPlace) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// maxKnown bounds the places of a form.
const maxKnown = 200

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
	chartWidth = 240
	chartCell  = 6 // places nearer than this are one dot
	margin     = 18
)

// draw projects the places, and gathers those that would lie on each other.
func draw(places []place) chart {
	if len(places) == 0 {
		return chart{}
	}
	south, north, west, east := 90.0, -90.0, 180.0, -180.0
	for _, p := range places {
		south, north = min(south, p.lat), max(north, p.lat)
		west, east = min(west, p.long), max(east, p.long)
	}
	middle := (south + north) / 2
	squeeze := max(math.Cos(middle*math.Pi/180), 0.1)
	// A single town still has a country around it.
	spanY, spanX := max(north-south, 2), max((east-west)*squeeze, 2)
	height := min(max(chartWidth*spanY/spanX, 150), 210)
	scale := min((chartWidth-2*margin)/spanX, (height-2*margin)/spanY)
	centre := (west + east) / 2
	x := func(long float64) float64 { return round1(chartWidth/2 + (long-centre)*squeeze*scale) }
	y := func(lat float64) float64 { return round1(height/2 - (lat-middle)*scale) }

	c := chart{Width: chartWidth, Height: round1(height), Places: len(places)}
	step := graticule(height / scale)
	for lat := math.Ceil((middle-height/2/scale)/step) * step; y(lat) > 0; lat += step {
		if lat >= -90 && lat <= 90 {
			c.Lines = append(c.Lines, line{0, y(lat), chartWidth, y(lat)})
		}
	}
	step = graticule(chartWidth / scale / squeeze)
	for long := math.Ceil((centre-chartWidth/2/scale/squeeze)/step) * step; x(long) < chartWidth; long += step {
		if long >= -180 && long <= 180 {
			c.Lines = append(c.Lines, line{x(long), 0, x(long), c.Height})
		}
	}

	sorted := gather(places, x, y)
	biggest := float64(sorted[0].n)
	var taken []box
	for _, g := range sorted {
		d := dot{X: g.x, Y: g.y, R: round1(3 + 6*math.Sqrt(float64(g.n)/biggest)*min(1, biggest/8)), Open: g.open}
		name := mostOf(g.names)
		d.Title = fmt.Sprintf("%s: %d", cmp.Or(name, "no name"), g.n)
		c.Dots = append(c.Dots, d)
		if len(sorted) <= 200 {
			taken = append(taken, box{d.X - d.R, d.Y - d.R, d.X + d.R, d.Y + d.R})
		}
		if name == "" || len(c.Labels) >= 16 {
			continue
		}
		if l, ok := c.labelFor(d, name, taken); ok {
			c.Labels = append(c.Labels, l.label)
			taken = append(taken, l.box)
		}
	}
	slices.Reverse(c.Dots) // the big ones on top, as their names are
	return c
}

// cell is the places that are one dot.
type cell struct {
	x, y  float64
	n     int
	open  bool
	names map[string]int
}

// gather puts places that would lie on each other together, the most first.
func gather(places []place, x, y func(float64) float64) []*cell {
	cells := map[[2]int]*cell{}
	for _, p := range places {
		px, py := x(p.long), y(p.lat)
		k := [2]int{int(px / chartCell), int(py / chartCell)}
		g := cells[k]
		if g == nil {
			g = &cell{x: px, y: py, names: map[string]int{}}
			cells[k] = g
		}
		g.n++
		g.open = g.open || p.open
		g.names[p.name]++
	}
	sorted := slices.Collect(maps.Values(cells))
	slices.SortFunc(sorted, func(a, b *cell) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x))
	})
	return sorted
}

// placedLabel is a label with the room that it takes.
type placedLabel struct {
	label
	box
}

// labelFor puts a dot's name right, left, below or above of it: on the first side
// where nothing is.
func (c *chart) labelFor(d dot, name string, taken []box) (placedLabel, bool) {
	w := 7.0*float64(len([]rune(name))) + 2
	for _, l := range []placedLabel{
		{label{d.X + d.R + 3, d.Y + 4, "start", name}, box{d.X + d.R + 2, d.Y - 7, d.X + d.R + 2 + w, d.Y + 7}},
		{label{d.X - d.R - 3, d.Y + 4, "end", name}, box{d.X - d.R - 2 - w, d.Y - 7, d.X - d.R - 2, d.Y + 7}},
		{label{d.X, d.Y + d.R + 12, "middle", name}, box{d.X - w/2, d.Y + d.R + 1, d.X + w/2, d.Y + d.R + 15}},
		{label{d.X, d.Y - d.R - 4, "middle", name}, box{d.X - w/2, d.Y - d.R - 15, d.X + w/2, d.Y - d.R - 1}},
	} {
		if l.inside(c.Width, c.Height) && !slices.ContainsFunc(taken, l.meets) {
			l.label.X, l.label.Y = round1(l.label.X), round1(l.label.Y)
			return l, true
		}
	}
	return placedLabel{}, false
}

type box struct{ left, top, right, bottom float64 }

func (b box) inside(w, h float64) bool {
	return b.left >= 0 && b.top >= 0 && b.right <= w && b.bottom <= h
}

func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// graticule returns the distance of the lines of which a map shows a few.
func graticule(span float64) float64 {
	for _, step := range []float64{0.25, 0.5, 1, 2, 5, 10, 20} {
		if span/step <= 7 {
			return step
		}
	}
	return 30
}

func mostOf(names map[string]int) string {
	best := ""
	for n, k := range names {
		if n != "" && (best == "" || k > names[best] || k == names[best] && n < best) {
			best = n
		}
	}
	return best
}

func round1(f float64) float64 { return math.Round(f*10) / 10 }
