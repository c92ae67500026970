package jobsite

import (
	"cmp"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/places"
	"github.com/jobboard-sdk/jobboard-go/places/postal"
)

// List holds a visitor's search, read from the address of the list of jobs. The zero value
// finds all jobs.
type List struct {
	Text     string               // parameter text: words to find
	Near     string               // parameter near: a town that package places knows, or a postal code of package postal
	Radius   int                  // parameter radius: km around the town; 0: DefaultRadius
	Category string               // parameter category: a category's identifier
	Place    string               // parameter place: a location's name
	Order    jobmirror.Order      // parameter order: "newest", "oldest" or, around a town, "nearest"; else relevance
	Language string               // parameter lang: language of the postings
	After    jobmirror.PageCursor // parameter after: cursor to the page after another; empty: the first page

	// Country is the ISO 3166 code of postal codes that are typed without their country. It is no
	// parameter: Site.Search takes it from Config.Country.
	Country string
}

// Attribution names the source of the towns and postal codes. The licence demands this line on
// a site that searches around a town.
const Attribution = "Places and postal codes: geonames.org, CC BY 4.0"

// DefaultRadius is the radius of a search around a town, in kilometers, if the visitor
// chooses none; MaxRadius is the largest radius.
const (
	DefaultRadius = 25
	MaxRadius     = 500
)

// maxText is the longest text that a mirror searches for, in bytes.
const maxText = 1000

// ListProblem describes a wrong value in a list's address.
type ListProblem struct {
	Field  string // parameter of the address, such as "near"
	Value  string // its value
	Reason ListReason
}

// ListReason says why a value is wrong.
type ListReason string

// The reasons.
const (
	UnknownTown  ListReason = "unknown town"  // no town of that name, or no such postal code; see Results.Meant
	SeveralTowns ListReason = "several towns" // a postal code of Austria and of Switzerland; see Results.Meant
	OtherTown    ListReason = "other town"    // a postal code that does not lie in the town beside it: the list is around the code
	NoRadius     ListReason = "no radius"     // not a number from 1 to MaxRadius
	NoOrder      ListReason = "no order"      // neither newest nor oldest nor nearest
	TextTooLong  ListReason = "text too long"
)

var orders = map[jobmirror.Order]string{
	jobmirror.Newest: "newest", jobmirror.Oldest: "oldest", jobmirror.Nearest: "nearest",
}

// ParseList reads the query of an address, such as ReadQuery returns. It leaves out wrong
// values and returns a problem for each; a value with the reason OtherTown is kept. It ignores other parameters.
func ParseList(values url.Values) (List, []ListProblem) { return parseList(values, "") }

func parseList(values url.Values, country string) (List, []ListProblem) {
	var problems []ListProblem
	wrong := func(field string, reason ListReason) {
		problems = append(problems, ListProblem{field, values.Get(field), reason})
	}
	text := func(field string) string {
		return strings.TrimSpace(strings.ToValidUTF8(values.Get(field), "\uFFFD"))
	}
	l := List{
		Text: text("text"), Near: text("near"), Category: text("category"), Place: text("place"), Language: text("lang"),
		After: jobmirror.PageCursor(values.Get("after")), Country: country,
	}
	if len(l.Text) > maxText {
		wrong("text", TextTooLong)
		l.Text = ""
	}
	if _, ok := l.Town(); !ok && l.Near != "" {
		reason := UnknownTown
		if len(postal.Find(l.Near, country)) > 1 {
			reason = SeveralTowns
		}
		wrong("near", reason)
		l.Near = ""
	}
	if _, ok := places.Contradicted(l.Near); ok {
		wrong("near", OtherTown)
	}
	if radius := text("radius"); radius != "" {
		n, err := strconv.Atoi(radius)
		if err != nil || n < 1 || n > MaxRadius {
			wrong("radius", NoRadius)
		} else if n != DefaultRadius {
			l.Radius = n
		}
	}
	var known bool
	if l.Order, known = parseOrder(text("order")); !known {
		wrong("order", NoOrder)
	}
	if l.Order == jobmirror.Nearest && l.Near == "" { // the field of the order may still have it
		l.Order = jobmirror.Relevance
	}
	return l, problems
}

// parseOrder returns the order with a name, and whether there is one; empty: relevance.
func parseOrder(name string) (order jobmirror.Order, ok bool) {
	for o, known := range orders {
		if known == name {
			return o, true
		}
	}
	return jobmirror.Relevance, name == "" || name == "relevance"
}

// Values returns the query of the list's address, without empty fields.
// ParseList reads it back.
func (l List) Values() url.Values {
	values := url.Values{}
	set := func(field, value string) {
		if value != "" {
			values.Set(field, value)
		}
	}
	set("text", l.Text)
	set("near", l.Near)
	if l.Near != "" && l.Radius != 0 && l.Radius != DefaultRadius {
		set("radius", strconv.Itoa(l.Radius))
	}
	set("category", l.Category)
	set("place", l.Place)
	set("order", orders[l.Order])
	set("lang", l.Language)
	set("after", string(l.After))
	return values
}

// Town returns the town that Near names, or a place named by Near's postal code, or false if there
// is none, or if the code is of two countries.
func (l List) Town() (places.Place, bool) {
	if !postal.Looks(l.Near) {
		return places.Find(l.Near)
	}
	found := postal.Find(l.Near, l.Country)
	if len(found) != 1 {
		return places.Place{}, false
	}
	at := found[0]
	return places.Place{Name: at.Code, Country: at.Country, Latitude: at.Latitude, Longitude: at.Longitude}, true
}

// Meant returns the towns that a visitor may have meant by a text that names none, such as Berlin
// for Berlni, or the two postal codes for a code of two countries: at most three, each with the
// link to the first page of the list around it. It returns nil for a text that Town knows as Near.
func (l List) Meant(near string) []Facet {
	l.Near, l.After = near, ""
	if _, ok := l.Town(); ok || near == "" {
		return nil
	}
	var names []string
	for _, code := range postal.Find(l.Near, l.Country) {
		names = append(names, code.String())
	}
	const most = 3
	if !postal.Looks(l.Near) {
		towns := places.Search(l.Near, most)
		if len(towns) == 0 {
			towns = places.Alike(l.Near, most)
		}
		for _, town := range towns {
			name := town.Name
			if found, _ := places.Find(name); found != town {
				name += ", " + town.Country // a smaller town of the same name
			}
			names = append(names, name)
		}
	}
	var meant []Facet
	for _, name := range names {
		l.Near = name
		meant = append(meant, Facet{Name: name, Link: l.link()})
	}
	return meant
}

// Query returns the query for a mirror, with facets. If the town is unknown, the query
// finds jobs anywhere.
func (l List) Query() jobmirror.Query {
	q := jobmirror.Query{
		Text: l.Text, Category: l.Category, Place: l.Place, Language: l.Language,
		Order: l.Order, After: l.After, Facets: true,
	}
	if town, ok := l.Town(); ok {
		q.Near = jobboard.Near(town.Latitude, town.Longitude, float64(cmp.Or(l.Radius, DefaultRadius)))
	}
	return q
}

// Next returns the link to the next page, such as "?after=x&text=nurse", or "" after
// the last page.
func (l List) Next(page *jobmirror.Page) template.URL {
	if page.Next == "" {
		return ""
	}
	l.After = page.Next
	return l.link()
}

// link returns the list's address, relative to its page.
func (l List) link() template.URL { return template.URL("?" + l.Values().Encode()) } //nolint:gosec // encoded

// Facet is a value, such as a place, with which a visitor can narrow the search.
type Facet struct {
	Name   string // text for the visitor
	Count  int
	Chosen bool
	// Link leads to the first page of the list with this facet, such as "?place=Berlin",
	// or without the facet if it is chosen.
	Link template.URL
}

// Places returns at most limit places of the hits: first the chosen place, and then the
// places with the most hits.
func (l List) Places(f *jobmirror.Facets, limit int) []Facet {
	itself := func(place string) (string, bool) { return shown(place), true }
	return facets(f.Places, l.Place, limit, itself, func(place string) List {
		l.Place, l.After = place, ""
		return l
	})
}

// Categories returns the categories of the hits as Places does. The board gives only the
// identifier of a category, which tells a visitor nothing: name returns the site's words
// for it, or false to leave it out. A chosen category without words has its identifier.
func (l List) Categories(f *jobmirror.Facets, limit int, name func(category string) (string, bool)) []Facet {
	return facets(f.Categories, l.Category, limit, name, func(category string) List {
		l.Category, l.After = category, ""
		return l
	})
}

func facets(counts map[string]int, chosen string, limit int, name func(string) (string, bool), with func(string) List) []Facet {
	var all []Facet
	if chosen != "" && counts[chosen] == 0 {
		counts = map[string]int{chosen: 0} // without hits the visitor must still be able to remove the choice
	}
	for value, count := range counts {
		words, ok := name(value)
		if value == chosen && words == "" {
			words, ok = shown(value), true // the visitor must still be able to remove the choice
		}
		if !ok || words == "" || !utf8.ValidString(value) || !utf8.ValidString(words) {
			continue
		}
		f := Facet{Name: words, Count: count, Chosen: value == chosen}
		if f.Chosen {
			value = ""
		}
		f.Link = with(value).link()
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Facet) int {
		if a.Chosen != b.Chosen {
			if a.Chosen {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return all[:min(len(all), limit)]
}
