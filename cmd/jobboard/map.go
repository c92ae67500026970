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
	earthKm             = 6371.0088
)

// view is the part of the Earth that the map shows, and how: a plane on which
// a kilometre at its middle is as long east as north.
type view struct {
	latitude, longitude float64 // of the middle
	scale               float64 // pixels a degree of latitude
	squeeze             float64 // a degree of longitude, in degrees of latitude
}

func (v view) xy(latitude, longitude float64) (x, y float64) {
	d := math.Remainder(longitude-v.longitude, 360)
	return mapWidth/2 + d*v.squeeze*v.scale, mapHeight/2 - (latitude-v.latitude)*v.scale
}

func (v view) shows(latitude, longitude float64) bool {
	x, y := v.xy(latitude, longitude)
	return x >= 12 && x <= mapWidth-12 && y >= 12 && y <= mapHeight-12
}

func (v view) km(pixels float64) float64 { return pixels / v.scale * earthKm * math.Pi / 180 }

// view fits the circle and the hits not far from it, or all hits where there
// is no circle.
func (m *mapData) view() view {
	const degree = earthKm * math.Pi / 180 // km
	if !m.near.IsZero() {
		reach := m.near.RadiusKm
		for _, s := range m.sites {
			if d := s.distance(m.near); d < 2*m.near.RadiusKm {
				reach = max(reach, d)
			}
		}
		half := min(reach*1.12/degree, 90)
		v := view{latitude: m.near.Latitude, longitude: m.near.Longitude, scale: mapHeight / 2 / half}
		v.squeeze = max(math.Cos(v.latitude*math.Pi/180), 0.05)
		return v
	}
	south, north, west, east := 45.8, 55.0, 5.8, 17.2 // where nothing is to be shown: Germany and its south
	if len(m.sites) > 0 {
		south, north, west, east = 90, -90, 180, -180
		for _, s := range m.sites {
			south, north = min(south, s.Latitude), max(north, s.Latitude)
			west, east = min(west, s.Longitude), max(east, s.Longitude)
		}
	}
	v := view{latitude: (south + north) / 2, longitude: (west + east) / 2}
	v.squeeze = max(math.Cos(v.latitude*math.Pi/180), 0.05)
	v.scale = min(mapHeight/max(north-south, 0.8), mapWidth/max((east-west)*v.squeeze, 0.8)) / 1.25
	return v
}

//go:embed map.svg
var mapSVG string

// The template of the picture escapes every text. The picture holds no script, no link
// and nothing from elsewhere, and follows the viewer's light or dark scheme.
var mapTemplate = template.Must(template.New("map").Funcs(template.FuncMap{
	"px": func(f float64) float64 { return math.Round(f*100) / 100 },
}).Parse(mapSVG))

// picture is what the template draws.
type picture struct {
	Width, MapWidth, Height float64
	Title, Description      string
	Parallels, Meridians    []float64 // their y, their x
	Circle, Centre          string    // paths; empty: none
	Towns, Hits             []spot
	Scale                   string // a path
	ScaleName               label
	Side                    []label

	taken []box // where nothing else may be written
}

// spot is a town, for orientation or with hits.
type spot struct {
	X, Y, R     float64
	Name, Count label
	Tip         string
}

type label struct {
	Class string
	X, Y  float64
	Text  string
}

type box struct{ x0, y0, x1, y1 float64 }

// write draws the picture.
func (m *mapData) write(w io.Writer) error {
	p := &picture{
		Width: pictureWidth, MapWidth: mapWidth, Height: mapHeight, Title: term.Printable(m.title),
		Description: fmt.Sprintf("%d postings at %d places, %d at no known place", m.placed, len(m.sites), m.unplaced),
		taken:       []box{{0, mapHeight - 44, 220, mapHeight}}, // the scale's
	}
	v := m.view()
	p.grid(v)
	if !m.near.IsZero() {
		p.circle(v, m.near)
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

// grid draws parallels and meridians at round degrees.
func (p *picture) grid(v view) {
	height := mapHeight / v.scale
	step := 30.0
	for _, s := range []float64{0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10} {
		if height/s <= 7 {
			step = s
			break
		}
	}
	for lat := math.Ceil((v.latitude-height/2)/step) * step; lat <= v.latitude+height/2; lat += step {
		if math.Abs(lat) <= 90 {
			_, y := v.xy(lat, v.longitude)
			p.Parallels = append(p.Parallels, y)
		}
	}
	width := min(mapWidth/v.scale/v.squeeze, 359)
	for lon := math.Ceil((v.longitude-width/2)/step) * step; lon <= v.longitude+width/2; lon += step {
		x, _ := v.xy(v.latitude, lon)
		p.Meridians = append(p.Meridians, x)
	}
}

// circle draws the places at the search's radius from its middle.
func (p *picture) circle(v view, g jobboard.GeoLocation) {
	lat, lon := g.Latitude*math.Pi/180, g.Longitude*math.Pi/180
	d := g.RadiusKm / earthKm
	var path strings.Builder
	for i := range 121 {
		bearing := float64(i) * math.Pi / 60
		lat2 := math.Asin(math.Sin(lat)*math.Cos(d) + math.Cos(lat)*math.Sin(d)*math.Cos(bearing))
		lon2 := lon + math.Atan2(math.Sin(bearing)*math.Sin(d)*math.Cos(lat), math.Cos(d)-math.Sin(lat)*math.Sin(lat2))
		x, y := v.xy(lat2*180/math.Pi, lon2*180/math.Pi)
		step := "L"
		if i == 0 {
			step = "M"
		}
		fmt.Fprintf(&path, "%s%.1f %.1f", step, x, y)
	}
	p.Circle = path.String() + "Z"
	x, y := v.xy(g.Latitude, g.Longitude)
	p.Centre = fmt.Sprintf("M%.1f %.1fh14m-7 -7v14", x-7, y)
}

// hits draws the sites on the map, and returns those beyond its edge.
func (p *picture) hits(v view, sites []*site) (beyond []*site) {
	for _, s := range sites {
		if !v.shows(s.Latitude, s.Longitude) {
			beyond = append(beyond, s)
			continue
		}
		x, y := v.xy(s.Latitude, s.Longitude)
		r := min(9+2.2*math.Sqrt(float64(len(s.titles))), 26)
		width := float64(runewidth.StringWidth(s.Name)) * 7.6
		name := label{"hitname", x + r + 5, y + 5, s.Name}
		if name.X+width > mapWidth-4 {
			name.X = x - r - 5 - width
		}
		p.taken = append(p.taken, box{x - r, y - r, x + r, y + r}, box{name.X, name.Y - 12, name.X + width, name.Y + 3})
		p.Hits = append(p.Hits, spot{
			X: x, Y: y, R: r, Name: name, Count: label{"count", x, y + 4, strconv.Itoa(len(s.titles))},
			Tip: s.Name + ": " + strings.Join(s.titles, "; "),
		})
	}
	return beyond
}

// towns draws other towns for orientation: the larger ones first, as long as their
// names have room.
func (p *picture) towns(v view) {
	const most = 28
	for town := range places.All() {
		if len(p.Towns) == most {
			return
		}
		if !v.shows(town.Latitude, town.Longitude) ||
			slices.ContainsFunc(p.Hits, func(s spot) bool { return s.Name.Text == town.Name }) {
			continue
		}
		x, y := v.xy(town.Latitude, town.Longitude)
		width := float64(runewidth.StringWidth(town.Name)) * 6.2
		room := box{x - 4, y - 10, x + 7 + width, y + 5}
		if room.x1 > mapWidth || p.isTaken(room) {
			continue
		}
		p.taken = append(p.taken, room)
		p.Towns = append(p.Towns, spot{X: x, Y: y, Name: label{"townname", x + 6, y + 4, town.Name}})
	}
}

func (p *picture) isTaken(b box) bool {
	return slices.ContainsFunc(p.taken, func(o box) bool {
		return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1
	})
}

func (p *picture) scaleBar(v view) {
	km := 1.0
	for _, k := range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000} {
		if k <= v.km(160) {
			km = k
		}
	}
	length := km / v.km(1)
	p.Scale = fmt.Sprintf("M16 %gv6h%.1fv-6", mapHeight-22, length)
	p.ScaleName = label{"townname", 22 + length, mapHeight - 13, fmt.Sprintf("%g km", km)}
}

// sideList is the text beside the map, from top to bottom.
type sideList struct {
	*picture
	y float64
}

// line writes a line, cut to the width of the list, and leaves a step below it.
func (l *sideList) line(class string, step float64, s string) {
	const columns = 40
	l.Side = append(l.Side, label{class, sideX, l.y, runewidth.Truncate(s, columns, "…")})
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
	l.line("soft", 24, fmt.Sprintf("%d postings", m.placed+m.unplaced))

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
		p.Side = append(p.Side, label{"soft", sideX, mapHeight - 44 + 16*float64(i), text})
	}
}
