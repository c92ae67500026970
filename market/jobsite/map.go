package jobsite

import (
	"cmp"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/towns"
	"github.com/jobboard-sdk/jobboard-go/market/internal/worldmap"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// Map draws a map of postings as an element svg, 320 units wide and high, without a map
// service, which would learn the visitor's search. Jobs at nearly the same place share one
// dot. If near is a circle, the map shows only the jobs inside. Screen readers read label.
// A style sheet reaches the circle by the class "area", the dots by "job", and the names of
// places by the element text. Map returns "" if there is nothing to draw.
func Map(postings []jobmirror.Posting, near jobboard.GeoLocation, label string) template.HTML {
	name := func(p *jobmirror.Posting, l jobboard.Location) string { return towns.Name(p.Language, l) }
	return drawMap(postings, near, label, name, nil)
}

// Map draws the map of a list's jobs as the function Map does, with links: the dot of one job
// leads to its page, and that of several to the list of their place, or else to the page of the
// first of them.
func (s *Site) Map(found *Results, label string) template.HTML {
	s.mustBeMade()
	search := string(found.List.link())
	if search == "?" {
		search = ""
	}
	link := func(place string, of []*jobmirror.Posting) string {
		first := of[0].Job
		for _, p := range of {
			if p.Job == first {
				continue
			}
			narrower := found.List
			var ok bool
			if narrower.Place, ok = found.placeOf(place); !ok {
				break
			}
			narrower.After = ""
			return string(narrower.link())
		}
		if first == 0 {
			return ""
		}
		return s.Path(first, of[0].Posting.Title) + search
	}
	name := func(_ *jobmirror.Posting, l jobboard.Location) string { return found.townAt(l) }
	return drawMap(found.Page.Postings, found.List.Query().Near, label, name, link)
}

// drawMap draws a map. name returns the name of a posting's location. link returns the address to which the
// dot of a place leads, or ""; nil: the map has no links.
func drawMap(
	postings []jobmirror.Posting, near jobboard.GeoLocation, label string,
	name func(*jobmirror.Posting, jobboard.Location) string, link func(place string, of []*jobmirror.Posting) string,
) template.HTML {
	const size, margin, gather = 320, 24, 6
	var (
		points []worldmap.Point
		at     []*jobmirror.Posting // the postings at points
	)
	for i := range postings {
		p := &postings[i]
		for _, l := range p.Locations {
			// Locations beyond the circle would make the circle small.
			if latitude, longitude, ok := l.Coordinates(); ok && (near.IsZero() || l.DistanceKm(near) <= near.RadiusKm) {
				points = append(points, worldmap.Point{Latitude: latitude, Longitude: longitude, Name: shown(name(p, l))})
				at = append(at, p)
			}
		}
	}
	if near.IsZero() && len(points) == 0 {
		return ""
	}
	var b strings.Builder
	role := "img"
	if link != nil {
		role = "group" // of an image a screen reader reads no links
	}
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="%s" aria-label="%s">`, size, size, role, template.HTMLEscapeString(label))
	view := worldmap.Around(near.Latitude, near.Longitude, near.RadiusKm*size/(size-2*margin), size, size)
	if near.IsZero() {
		view = worldmap.Over(points, size, size, size, margin, 0.05)
	} else {
		fmt.Fprintf(&b, `<path class="area" d="%s"/>`, view.Circle(near.Latitude, near.Longitude, near.RadiusKm))
	}
	dots := view.Gather(points, gather)
	radius := func(d worldmap.Dot) float64 { return min(4+float64(len(d.Points)), 9) }
	labels := worldmap.Labels{Width: size, Height: size}
	for _, d := range dots {
		labels.TakeDot(d.X, d.Y, radius(d))
	}
	for _, d := range dots {
		drawDot(&b, d, radius(d), at, link)
	}
	for _, d := range dots { // drawn after all dots, to lie above them
		width := 7*float64(utf8.RuneCountInString(d.Name)) + 2
		if l, room := labels.Beside(d.X, d.Y, radius(d), width); room && d.Name != "" {
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, l.X, l.Y, l.Anchor, template.HTMLEscapeString(d.Name))
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // all texts are escaped
}

// drawDot draws the dot of the jobs at one place.
func drawDot(b *strings.Builder, d worldmap.Dot, radius float64, at []*jobmirror.Posting, link func(string, []*jobmirror.Posting) string) {
	var (
		titles []string
		of     []*jobmirror.Posting
	)
	for _, i := range d.Points {
		titles = append(titles, shown(at[i].Posting.Title))
		of = append(of, at[i])
	}
	title := template.HTMLEscapeString(cmp.Or(d.Name, "–") + ": " + strings.Join(titles, "; "))
	address := ""
	if link != nil {
		address = link(d.Name, of)
	}
	if address != "" {
		fmt.Fprintf(b, `<a href="%s" aria-label="%s">`, template.HTMLEscapeString(address), title)
	}
	fmt.Fprintf(b, `<circle class="job" cx="%.1f" cy="%.1f" r="%s"><title>%s</title></circle>`, d.X, d.Y,
		strconv.FormatFloat(radius, 'f', -1, 64), title)
	if address != "" {
		b.WriteString("</a>")
	}
}

// distance returns a distance as text, such as "3 km".
func distance(km float64) string {
	if km < 1 {
		return "< 1 km"
	}
	return strconv.Itoa(int(km+0.5)) + " km"
}
