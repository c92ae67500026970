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
	"github.com/jobboard-sdk/jobboard-go/market/internal/filters"
	"github.com/jobboard-sdk/jobboard-go/market/internal/towns"
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
	Company  string               // parameter company: its name
	Remote   string               // parameter remote: a status of remote work, such as FULLY_REMOTE
	Since    int                  // parameter since: days since which the postings are there, to 90; 0: any
	Order    jobmirror.Order      // parameter order: "newest" or, around a town, "nearest"; else relevance
	Language string               // parameter lang: language of the postings
	After    jobmirror.PageCursor // parameter after: cursor to the page after another; empty: the first page
	// Back, the parameter back, has the cursors of the earlier pages after the first, joined by full stops; of many pages
	// the last ones. Previous uses it.
	Back string

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

// ListReason is the reason why a value is wrong.
type ListReason string

// The reasons.
const (
	UnknownTown  ListReason = "unknown town"  // no town of that name, or no such postal code; see Results.Meant
	SeveralTowns ListReason = "several towns" // a postal code of Austria and of Switzerland; see Results.Meant
	OtherTown    ListReason = "other town"    // a postal code that does not lie in the town beside it: the list is around the code
	NoRadius     ListReason = "no radius"     // not a number from 1 to MaxRadius
	NoOrder      ListReason = "no order"      // neither newest nor nearest
	TextTooLong  ListReason = "text too long"
	NoTown       ListReason = "no town" // a country, a federal state or the word anywhere
	NoDays       ListReason = "no days" // not a number of days from 1 to 90
)

var orders = map[jobmirror.Order]string{jobmirror.Newest: "newest", jobmirror.Nearest: "nearest"}

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
		Text: text("text"), Near: text("near"), Language: text("lang"),
		After: jobmirror.PageCursor(values.Get("after")), Country: country,
	}
	chosen, err := filters.Parse(values)
	if err != nil {
		wrong("since", NoDays)
	}
	l = l.narrowed(chosen)
	if l.After != "" {
		l.Back = lastCursors(values.Get("back"))
	}
	if len(l.Text) > maxText {
		wrong("text", TextTooLong)
		l.Text = ""
	}
	if towns.NoTown(l.Near) {
		wrong("near", NoTown)
		l.Near = ""
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
	if l.Order == jobmirror.Nearest && l.Near == "" { // the form's field may still have the order of an earlier town
		l.Order = jobmirror.Relevance
	}
	return l, problems
}

const (
	maxBack        = 20  // pages that List.Back leads to
	betweenCursors = "." // which no cursor has
)

// lastCursors returns the last maxBack of some cursors.
func lastCursors(back string) string {
	all := strings.Split(back, betweenCursors)
	return strings.Join(all[max(len(all)-maxBack, 0):], betweenCursors)
}

// chosen returns what the filters narrow the list to.
func (l *List) chosen() filters.Chosen {
	return filters.Chosen{Category: l.Category, Place: l.Place, Company: l.Company, Remote: l.Remote, Since: l.Since}
}

// narrowed returns the first page of the list that filters narrow.
func (l List) narrowed(c filters.Chosen) List {
	l.Category, l.Place, l.Company, l.Remote, l.Since = c.Category, c.Place, c.Company, c.Remote, c.Since
	return l
}

// first returns the first page of the list.
func (l List) first() List {
	l.After, l.Back = "", ""
	return l
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
	chosen := l.chosen()
	for _, name := range chosen.Names() {
		set(name, chosen.Get(name))
	}
	set("order", orders[l.Order])
	set("lang", l.Language)
	set("after", string(l.After))
	set("back", l.Back)
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
	l = l.first()
	l.Near = near
	if _, ok := l.Town(); ok || near == "" || towns.NoTown(near) {
		return nil
	}
	var names []string
	for _, code := range postal.Find(l.Near, l.Country) {
		names = append(names, code.String())
	}
	const most = 3
	if !postal.Looks(l.Near) {
		meant := places.Search(l.Near, most)
		if len(meant) == 0 {
			meant = places.Alike(l.Near, most)
		}
		for _, town := range meant {
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
		Text: l.Text, Category: l.Category, Place: l.Place, Company: l.Company, Remote: jobboard.RemoteStatus(l.Remote),
		Since: l.Since, Language: l.Language, Order: l.Order, After: l.After, Facets: true, CountSince: true,
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
	if l.After != "" {
		l.Back = lastCursors(strings.TrimPrefix(l.Back+betweenCursors+string(l.After), betweenCursors))
	}
	l.After = page.Next
	return l.link()
}

// Previous returns the link to the page before, or "" before the first page.
func (l List) Previous() template.URL {
	if l.After == "" {
		return ""
	}
	end := strings.LastIndex(l.Back, betweenCursors)
	l.After, l.Back = jobmirror.PageCursor(l.Back[end+1:]), l.Back[:max(end, 0)]
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

// facets returns the values of a filter, first the chosen one.
func facets(counts map[string]int, chosen string, limit int, name func(string) (string, bool), with func(string) List) []Facet {
	var all []Facet
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
