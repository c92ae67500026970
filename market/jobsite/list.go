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
)

// List holds what a visitor asks of the list of jobs, read from its address. The zero value
// asks for all jobs.
type List struct {
	Text     string               // text: words to find
	Near     string               // near: a town, as package places finds it
	Radius   int                  // radius: around the town, in km; 0: DefaultRadius
	Category string               // category: a category's identifier
	Place    string               // place: a location's name
	Order    jobmirror.Order      // order: "newest" or "oldest", else by relevance
	Language string               // lang: of the postings
	After    jobmirror.PageCursor // after: of the page before; empty: the first page
}

// DefaultRadius is the radius of a search around a town, in kilometers, where the visitor
// chooses none; MaxRadius is the largest to choose.
const (
	DefaultRadius = 25
	MaxRadius     = 500
)

// maxText is the longest text that a mirror searches for, in bytes.
const maxText = 1000

// ListProblem names what is wrong with a field of a list's address.
type ListProblem struct {
	Field  string // as in the address: "near"
	Value  string // what was there
	Reason ListReason
}

// ListReason says why a value cannot be searched for.
type ListReason string

// The reasons.
const (
	UnknownTown ListReason = "unknown town" // no place of package places has that name
	NoRadius    ListReason = "no radius"    // not a number from 1 to MaxRadius
	NoOrder     ListReason = "no order"     // neither newest nor oldest
	TextTooLong ListReason = "text too long"
)

var orders = map[jobmirror.Order]string{jobmirror.Newest: "newest", jobmirror.Oldest: "oldest"}

// ParseList reads the query of an address, such as ReadQuery returns it. It leaves out a value
// that is wrong and returns a problem for its field; other parameters are ignored.
func ParseList(values url.Values) (List, []ListProblem) {
	var problems []ListProblem
	wrong := func(field string, reason ListReason) {
		problems = append(problems, ListProblem{field, values.Get(field), reason})
	}
	text := func(field string) string {
		return strings.TrimSpace(strings.ToValidUTF8(values.Get(field), "\uFFFD"))
	}
	l := List{
		Text: text("text"), Near: text("near"), Category: text("category"), Place: text("place"), Language: text("lang"),
		After: jobmirror.PageCursor(values.Get("after")),
	}
	if len(l.Text) > maxText {
		wrong("text", TextTooLong)
		l.Text = ""
	}
	if l.Near != "" {
		if _, ok := places.Find(l.Near); !ok {
			wrong("near", UnknownTown)
			l.Near = ""
		}
	}
	if radius := text("radius"); radius != "" {
		n, err := strconv.Atoi(radius)
		if err != nil || n < 1 || n > MaxRadius {
			wrong("radius", NoRadius)
		} else if n != DefaultRadius {
			l.Radius = n
		}
	}
	if order := text("order"); order != "" && order != "relevance" {
		for o, name := range orders {
			if name == order {
				l.Order = o
			}
		}
		if l.Order == jobmirror.Relevance {
			wrong("order", NoOrder)
		}
	}
	return l, problems
}

// Values returns the query of the list's address, without what is not asked for.
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

// Town returns the town that Near names, and false where it names none.
func (l List) Town() (places.Place, bool) { return places.Find(l.Near) }

// Query returns the query for a mirror, with facets. If the town is not known, it asks for
// jobs anywhere.
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

// Next returns the link to the next page, such as "?after=x&text=nurse", and "" where
// there is none.
func (l List) Next(page *jobmirror.Page) template.URL {
	if page.Next == "" {
		return ""
	}
	l.After = page.Next
	return l.link()
}

// link returns the list's address, relative to its page.
func (l List) link() template.URL { return template.URL("?" + l.Values().Encode()) } //nolint:gosec // encoded

// Facet holds a value, such as a place, by which a visitor can narrow the hits down.
type Facet struct {
	Name   string // for the visitor
	Count  int
	Chosen bool
	// Link leads to the list with this facet, or without it where it is chosen, from its
	// first page on: "?place=Berlin".
	Link template.URL
}

// Places returns at most limit places of the hits: the chosen one first, then those with
// the most hits.
func (l List) Places(f *jobmirror.Facets, limit int) []Facet {
	itself := func(place string) (string, bool) { return shown(place), true }
	return facets(f.Places, l.Place, limit, itself, func(place string) List {
		l.Place, l.After = place, ""
		return l
	})
}

// Categories returns the categories of the hits as Places does. The board gives only the
// identifier of a category, which tells a visitor nothing: name returns the site's words
// for it, or false to leave it out.
func (l List) Categories(f *jobmirror.Facets, limit int, name func(category string) (string, bool)) []Facet {
	return facets(f.Categories, l.Category, limit, name, func(category string) List {
		l.Category, l.After = category, ""
		return l
	})
}

func facets(counts map[string]int, chosen string, limit int, name func(string) (string, bool), with func(string) List) []Facet {
	var all []Facet
	if chosen != "" && counts[chosen] == 0 {
		counts = map[string]int{chosen: 0} // nothing is found; it can be taken away
	}
	for value, count := range counts {
		words, ok := name(value)
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
