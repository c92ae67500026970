package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/term"
	"github.com/jobboard-sdk/jobboard-go/internal/worldmap"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// mapData collects the hits of a search by place, for a picture.
type mapData struct {
	title    string
	near     jobboard.GeoLocation
	sites    map[places.Place]*site
	unknown  map[string]int // hits by the name that the list of cities does not have
	placed   int
	unplaced int
}

// site is a city with the postings at it.
type site struct {
	places.Place
	titles []string
}

// distance returns the kilometres from a place.
func (s *site) distance(from jobboard.GeoLocation) float64 {
	return jobboard.DistanceKm(from, jobboard.GeoLocation{Latitude: s.Latitude, Longitude: s.Longitude})
}

func (s *site) caption() string { return fmt.Sprintf("%s (%d)", s.Name, len(s.titles)) }

func newMapData(near jobboard.GeoLocation) *mapData {
	return &mapData{near: near, sites: map[places.Place]*site{}, unknown: map[string]int{}}
}

// add places a posting by the location names of its config.
func (m *mapData) add(p *jobboard.JobPosting) {
	names, _ := p.Config.LocationNames()
	found := false
	for _, name := range names {
		place, ok := places.Find(name)
		if !ok {
			continue
		}
		found = true
		s := m.sites[place]
		if s == nil {
			s = &site{Place: place}
			m.sites[place] = s
		}
		s.titles = append(s.titles, cmp.Or(term.Printable(p.Title), "(no title)"))
	}
	if found {
		m.placed++
		return
	}
	m.unplaced++
	m.unknown[cmp.Or(term.Printable(strings.Join(names, ", ")), "no location named")]++
}

const (
	mapWidth, mapHeight = 700.0, 640.0
	pictureWidth        = 1020.0
	sideX               = mapWidth + 24
	edge                = 12 // pixels inside of which a place is shown
)

// view fits the circle and the hits not far from it, or all hits where there
// is no circle.
func (m *mapData) view() worldmap.View {
	if !m.near.IsZero() {
		reach := m.near.RadiusKm
		for _, s := range m.sites {
			if d := s.distance(m.near); d < 2*m.near.RadiusKm {
				reach = max(reach, d)
			}
		}
		return worldmap.Around(m.near.Latitude, m.near.Longitude, reach*1.12, mapWidth, mapHeight)
	}
	points := []worldmap.Point{{Latitude: 45.8, Longitude: 5.8}, {Latitude: 55, Longitude: 17.2}} // Germany and its south
	if len(m.sites) > 0 {
		points = nil
		for _, s := range m.sites {
			points = append(points, worldmap.Point{Latitude: s.Latitude, Longitude: s.Longitude})
		}
	}
	return worldmap.Over(points, mapWidth, mapHeight, mapHeight, 64, 0.8)
}

//go:embed map.svg
var mapSVG string

// The template of the picture escapes every text. The picture holds no script, no link
// and nothing from elsewhere, and follows the viewer's light or dark scheme.
var mapTemplate = template.Must(template.New("map").Funcs(template.FuncMap{
	"px": func(f float64) float64 { return math.Round(f*100) / 100 },
}).Parse(mapSVG))

// picture holds the data of the template, in the units of the drawing.
type picture struct {
	Width, MapWidth, Height float64
	Title, Description      string
	Parallels, Meridians    []float64 // their y, their x
	Circle, Centre          string    // paths; empty: none
	Towns, Hits             []spot
	Scale                   string // a path
	ScaleName               label
	Side                    []label

	labels worldmap.Labels
}

// spot is a town, for orientation or with hits.
type spot struct {
	X, Y, R     float64
	Name, Count label
	Tip         string
}

type label struct {
	Class  string
	X, Y   float64
	Text   string
	Anchor string // "start" where it is empty
}

// write draws the picture.
func (m *mapData) write(w io.Writer) error {
	p := &picture{
		Width: pictureWidth, MapWidth: mapWidth, Height: mapHeight, Title: term.Printable(m.title),
		Description: fmt.Sprintf("%d postings at %d places, %d at no known place", m.placed, len(m.sites), m.unplaced),
		labels:      worldmap.Labels{Width: mapWidth, Height: mapHeight},
	}
	p.labels.Take(worldmap.Box{Top: mapHeight - 44, Right: 220, Bottom: mapHeight}) // the scale's
	v := m.view()
	p.Parallels, p.Meridians = v.Grid()
	if !m.near.IsZero() {
		p.Circle = v.Circle(m.near.Latitude, m.near.Longitude, m.near.RadiusKm)
		x, y := v.XY(m.near.Latitude, m.near.Longitude)
		p.Centre = fmt.Sprintf("M%.1f %.1fh14m-7 -7v14", x-7, y)
	}
	sites := m.sorted()
	beyond := p.hits(v, sites)
	p.towns(v)
	p.scaleBar(v)
	p.side(m, sites, beyond)
	return mapTemplate.Execute(w, p)
}

// beyondCircle names the places of hits that are not in the search's circle:
// the service found them for a location that its answer does not name.
func (m *mapData) beyondCircle() (names []string, postings int) {
	if m.near.IsZero() {
		return nil, 0
	}
	for _, s := range m.sorted() {
		// The list of cities is good to a few kilometres.
		if s.distance(m.near) > m.near.RadiusKm+15 {
			names = append(names, s.Name)
			postings += len(s.titles)
		}
	}
	return names, postings
}

// sorted returns the sites, the fullest first.
func (m *mapData) sorted() []*site {
	return slices.SortedFunc(maps.Values(m.sites), func(a, b *site) int {
		return cmp.Or(-cmp.Compare(len(a.titles), len(b.titles)), cmp.Compare(a.Name, b.Name))
	})
}

// hits draws the sites on the map, and returns those beyond its edge. The fullest get
// their names first.
func (p *picture) hits(v worldmap.View, sites []*site) (beyond []*site) {
	for _, s := range sites {
		if !v.Shows(s.Latitude, s.Longitude, edge) {
			beyond = append(beyond, s)
			continue
		}
		x, y := v.XY(s.Latitude, s.Longitude)
		r := min(9+2.2*math.Sqrt(float64(len(s.titles))), 26)
		p.labels.TakeDot(x, y, r)
		p.Hits = append(p.Hits, spot{
			X: x, Y: y, R: r, Name: label{Class: "hitname", Text: s.Name},
			Count: label{Class: "count", X: x, Y: y + 4, Text: strconv.Itoa(len(s.titles))},
			Tip:   s.Name + ": " + strings.Join(s.titles, "; "),
		})
	}
	for i := range p.Hits {
		h := &p.Hits[i]
		if !p.writeName(&h.Name, h, 7.6) {
			h.Name.Text = "" // its tip and the list have it
		}
	}
	return beyond
}

// writeName puts a name beside a spot, and reports whether there is room. A column of the
// name is so many pixels wide.
func (p *picture) writeName(name *label, s *spot, column float64) bool {
	at, ok := p.labels.Beside(s.X, s.Y, s.R, column*float64(runewidth.StringWidth(name.Text))+2)
	name.X, name.Y, name.Anchor = at.X, at.Y, at.Anchor
	return ok
}

// towns draws other towns for orientation: the larger ones first, as long as their
// names have room.
func (p *picture) towns(v worldmap.View) {
	const most = 28
	for town := range places.All() {
		if len(p.Towns) == most {
			return
		}
		if !v.Shows(town.Latitude, town.Longitude, edge) ||
			slices.ContainsFunc(p.Hits, func(s spot) bool { return strings.HasPrefix(s.Tip, town.Name+":") }) {
			continue
		}
		t := spot{R: 2.5, Name: label{Class: "townname", Text: town.Name}}
		t.X, t.Y = v.XY(town.Latitude, town.Longitude)
		if p.labels.IsTaken(t.X, t.Y, t.R) || !p.writeName(&t.Name, &t, 6.2) {
			continue
		}
		p.labels.TakeDot(t.X, t.Y, t.R)
		p.Towns = append(p.Towns, t)
	}
}

func (p *picture) scaleBar(v worldmap.View) {
	km := 1.0
	for _, k := range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000} {
		if k <= v.Km(160) {
			km = k
		}
	}
	length := km / v.Km(1)
	p.Scale = fmt.Sprintf("M16 %gv6h%.1fv-6", mapHeight-22, length)
	p.ScaleName = label{Class: "townname", X: 22 + length, Y: mapHeight - 13, Text: fmt.Sprintf("%g km", km)}
}

// sideList is the text beside the map, from top to bottom.
type sideList struct {
	*picture
	y float64
}

// line writes a line, cut to the width of the list, and leaves a step below it.
func (l *sideList) line(class string, step float64, s string) {
	const columns = 40
	l.Side = append(l.Side, label{Class: class, X: sideX, Y: l.y, Text: runewidth.Truncate(s, columns, "…")})
	l.y += step
}

// list writes a head and as many items as the limit and the bottom allow, and how many
// there are beside them; nothing where there are none.
func (l *sideList) list(head string, items []string, most int, bottom float64) {
	if len(items) == 0 {
		return
	}
	l.line("h2", 17, head)
	for i, item := range items {
		if left := len(items) - i; left > 1 && (l.y > bottom-18 || i == most) {
			l.line("soft", 16, fmt.Sprintf("… and %d more", left))
			break
		}
		l.line("body", 16, item)
	}
	l.y += 8
}

// side lists what the map shows, and what it cannot.
func (p *picture) side(m *mapData, sites, beyond []*site) {
	const mostTitles, mostBeyond, mostUnknown = 8, 4, 5
	l := &sideList{picture: p, y: 34}
	for _, part := range term.WrapWords(term.Printable(m.title), 28) {
		l.line("h1", 22, part)
	}
	l.line("soft", 24, term.Count(m.placed+m.unplaced, "posting"))

	// The lists of places beyond the map and of unknown places come first; titles
	// fill the room that they leave.
	bottom := mapHeight - 66
	if len(beyond) > 0 {
		bottom -= 40 + 16*float64(min(len(beyond), mostBeyond+1))
	}
	if m.unplaced > 0 {
		bottom -= 40 + 16*float64(min(len(m.unknown), mostUnknown+1))
	}
	for _, s := range sites {
		if slices.Contains(beyond, s) {
			continue
		}
		if l.y > bottom-34 {
			l.line("soft", 18, "… and further places")
			break
		}
		l.list(s.caption(), s.titles, mostTitles, bottom)
	}
	var items []string
	for _, s := range beyond {
		items = append(items, s.caption())
	}
	l.list("Beyond the map, by their named place", items, mostBeyond, math.Inf(1))
	items = nil
	for name, n := range m.unknown {
		items = append(items, fmt.Sprintf("%s (%d)", name, n))
	}
	slices.Sort(items)
	l.list("Not on the map: place not known", items, mostUnknown, math.Inf(1))
	for i, text := range []string{
		"Placed by the location's name, to the city.", "The search's answer has no coordinates.", places.Attribution,
	} {
		p.Side = append(p.Side, label{Class: "soft", X: sideX, Y: mapHeight - 44 + 16*float64(i), Text: text})
	}
}
