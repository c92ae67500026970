package jobsite

import (
	"cmp"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/company"
	"github.com/jobboard-sdk/jobboard-go/market/internal/filters"
	"github.com/jobboard-sdk/jobboard-go/market/internal/towns"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// Group is a filter by which a visitor can narrow a search, with the values that the hits have.
type Group struct {
	Name    string // the parameter of the address, such as "company"
	Heading string // Texts.Filters has it
	Facets  []Facet
}

// Chip is a filter that the search has, or its circle.
type Chip struct {
	Filter string       // the parameter of the address, such as "company", or "near" for the circle
	Words  string       // such as "Company: Lindenhof Gruppe"
	Link   template.URL // to the first page of the list without it
}

// Lead is a link from a list without jobs to one that has some.
type Lead struct {
	Words string
	Link  template.URL
}

// filtered returns the first page of the list with another value of a filter; empty: without it.
func (l List) filtered(name, value string) List {
	return l.first().narrowed(l.chosen().With(name, value))
}

// without returns the first page of the list without some filters, of which near is the circle.
func (l List) without(names ...string) List {
	l = l.first()
	for _, name := range names {
		if name == filters.Near {
			l.Near, l.Radius = "", 0
		} else {
			l = l.filtered(name, "")
		}
	}
	return l
}

// Groups returns the filters with the values of the hits: of each at most limit values, first the chosen one, and then
// those with the most hits; the days in their order. A filter without values is left out.
func (r *Results) Groups(limit int) (groups []Group) {
	if r.Page.Facets == nil {
		return nil
	}
	for _, f := range filters.All {
		g := Group{Name: f.Name, Heading: cmp.Or(r.Texts.Filters[f.Name], f.Name)}
		if f.Name == filters.Place {
			g.Facets = r.Places(limit)
		} else {
			g.Facets = r.facets(f.Name, r.counts(f.Name), limit)
		}
		if len(g.Facets) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

// counts returns how many hits have each value of a filter.
func (r *Results) counts(name string) map[string]int {
	f, counts := r.Page.Facets, map[string]int{}
	switch name {
	case filters.Category:
		return f.Categories
	case filters.Company:
		for name, n := range f.Companies {
			if company.Fold(name) == company.Fold(r.List.Company) {
				name = r.List.Company // as it is chosen
			}
			counts[name] = n
		}
	case filters.Remote:
		for status, n := range f.Remote {
			counts[string(status)] = n
		}
	case filters.Since:
		for days, n := range f.Since {
			if n > 0 {
				counts[strconv.Itoa(days)] = n
			}
		}
	}
	return counts
}

// facets returns the values of a filter.
func (r *Results) facets(name string, counts map[string]int, limit int) []Facet {
	words := func(value string) (string, bool) { return r.value(name, value) }
	chosen := r.List.chosen().Get(name)
	counts = r.withChosen(counts, chosen)
	list := facets(counts, chosen, limit, words, func(value string) List { return r.List.filtered(name, value) })
	if name == filters.Since {
		days := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
		place := func(f Facet) int {
			return slices.IndexFunc(days, func(days string) bool { return r.days(days) == f.Name })
		}
		slices.SortFunc(list, func(a, b Facet) int { return place(a) - place(b) })
	}
	return list
}

// withChosen returns counts with the chosen value, which the visitor must be able to remove. All hits have a value that
// was not counted, such as a number of days that no list offers.
func (r *Results) withChosen(counts map[string]int, chosen string) map[string]int {
	if _, counted := counts[chosen]; counted || chosen == "" {
		return counts
	}
	all := map[string]int{chosen: r.total()}
	maps.Copy(all, counts)
	return all
}

// value returns the words for a value of a filter, and false for a category without words: the board gives only an
// identifier, which tells a visitor nothing.
func (r *Results) value(name, value string) (string, bool) {
	switch name {
	case filters.Category:
		words, ok := r.Texts.Categories[value]
		return words, ok
	case filters.Remote:
		if words := r.Texts.Remote[jobboard.RemoteStatus(value)]; words != "" {
			return words, true
		}
		return shown(strings.ToLower(strings.ReplaceAll(value, "_", " "))), true
	case filters.Since:
		return r.days(value), true
	case filters.Place:
		return shown(r.place(value)), true
	}
	return shown(value), true
}

// days returns the words for a number of days.
func (r *Results) days(n string) string {
	if n == "1" {
		return cmp.Or(r.Texts.SinceDay, n)
	}
	return cmp.Or(strings.ReplaceAll(r.Texts.SinceDays, "{days}", n), n)
}

// place returns the name of a place for the list's reader.
func (r *Results) place(name string) string {
	if known, ok := towns.Named(name); ok {
		if t := r.townsOf()[known]; t != nil {
			return t.name
		}
		if towns.IsGerman(r.Language) {
			return name
		}
	}
	return towns.InLanguage(r.Language, name)
}

// Chips returns what narrows the search, each with a link that drops it: the circle first.
func (r *Results) Chips() (chips []Chip) {
	if _, ok := r.List.Town(); ok {
		chips = append(chips, Chip{filters.Near, r.around(), r.List.without(filters.Near).link()})
	}
	chosen := r.List.chosen()
	for _, name := range chosen.Names() {
		value := chosen.Get(name)
		words, ok := r.value(name, value)
		if !ok || words == "" {
			words = shown(value)
		}
		if name != filters.Since {
			words = cmp.Or(r.Texts.Filters[name], name) + ": " + words
		}
		chips = append(chips, Chip{name, words, r.List.filtered(name, "").link()})
	}
	return chips
}

// around returns the words for the circle.
func (r *Results) around() string {
	return strings.NewReplacer("{km}", strconv.Itoa(cmp.Or(r.List.Radius, DefaultRadius)), "{town}", r.Town()).
		Replace(cmp.Or(r.Texts.Around, "{town}, {km} km"))
}

// Town returns the name of the town around which the list searches, in the reader's language and with its state or
// country where several towns have its name; "" without a circle.
func (r *Results) Town() string {
	town, ok := r.List.Town()
	switch {
	case !ok:
		return ""
	case town.Population == 0: // a postal code
		return shown(r.List.Near)
	case len(towns.Others(r.List.Near, town, 1)) > 0:
		return towns.InLanguage(r.Language, town.Name) + " (" + towns.Area(r.Language, town) + ")"
	}
	return towns.InLanguage(r.Language, town.Name)
}

// OtherTowns returns the towns with the same name as the one around which the list searches, at most four, each with the
// link to the first page of the list around it.
func (r *Results) OtherTowns() (others []Facet) {
	town, ok := r.List.Town()
	if !ok || town.Population == 0 {
		return nil
	}
	for _, other := range towns.Others(r.List.Near, town, 4) {
		l := r.List.first()
		l.Near = other.Name + ", " + towns.Area("de", other)
		if found, ok := l.Town(); !ok || found != other {
			continue // its name tells it from no other
		}
		others = append(others, Facet{Name: other.Name + " (" + towns.Area(r.Language, other) + ")", Link: l.link()})
	}
	return others
}

// Title returns what was searched for and how many jobs were found, for the title of the page and its status.
func (r *Results) Title() string {
	parts := []string{r.Texts.Count(r.total())}
	if r.List.Text != "" {
		parts = append(parts, strings.ReplaceAll(cmp.Or(r.Texts.Quoted, "{text}"), "{text}", shown(r.List.Text)))
	}
	for _, chip := range r.Chips() {
		parts = append(parts, chip.Words)
	}
	return strings.Join(parts, " · ")
}

func (r *Results) total() int {
	if r.Page.Facets == nil {
		return len(r.Page.Postings)
	}
	return r.Page.Facets.Total
}

// Leads returns what would find jobs where the search found none, by Page.Why: the list without a filter, and that in
// another language of the site. It returns none where nothing would; Texts.Everywhere says so.
func (r *Results) Leads() (leads []Lead) {
	if r.Page.Why == nil {
		return nil
	}
	words := map[string]string{}
	for _, chip := range r.Chips() {
		words[chip.Filter] = chip.Words
	}
	for _, without := range r.Page.Why.Without {
		var names []string
		for _, name := range without.Filters {
			names = append(names, words[name])
		}
		leads = append(leads, Lead{
			strings.NewReplacer("{filters}", strings.Join(names, ", "), "{jobs}", r.Texts.Count(without.Hits)).
				Replace(cmp.Or(r.Texts.Without, "{filters}: {jobs}")),
			r.List.without(without.Filters...).link(),
		})
	}
	for _, other := range r.Page.Why.Others {
		if !slices.Contains(r.languages, other.Language) {
			continue
		}
		l := r.List.first()
		l.Language = other.Language
		leads = append(leads, Lead{
			strings.NewReplacer("{language}", cmp.Or(r.Texts.Languages[other.Language], other.Language), "{jobs}", r.Texts.Count(other.Hits)).
				Replace(cmp.Or(r.Texts.InLanguage, "{language}: {jobs}")),
			l.link(),
		})
	}
	return leads
}

// NothingAnywhere returns Texts.Everywhere where the search found nothing and no Leads lead on, else "".
func (r *Results) NothingAnywhere() string {
	if r.Page.Why == nil || len(r.Leads()) > 0 {
		return ""
	}
	return cmp.Or(r.Texts.Everywhere, r.Texts.Other)
}

// newDays is for how many days a job is new.
const newDays = 3

// isNew reports whether a job is new: it was listed, or the copy saw it first, on one of the last days.
func isNew(p *jobmirror.Posting) bool {
	seen := filters.Posting{Config: p.Posting.Config, VersionStart: p.Posting.PostingVersionStartDate, FirstSeen: p.FirstSeen}
	return slices.Contains(filters.Days(time.Now(), newDays), seen.Day())
}
