package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
)

// Facets counts all documents that a query finds. Several searches may share one: it is not to be changed.
type Facets struct {
	Total     int
	Counts    map[Tag]int
	CountedAt int64 // when Counts were counted, in milliseconds since the epoch
}

// Facets counts all documents that the page's query finds, on whichever page. If its text has words
// in quotes, and more than 300 documents have these words in some form, documents with another
// form count as well. It runs in the transaction of Find. Where the index changed lately Counts may be of before:
// see Index.StaleFor. Total never is.
func (p *Page) Facets() (*Facets, error) { return p.finder.facets() }

// facets counts all hits, unless that was done before. A text with words in quotes finds fewer than the index is asked
// for, and is counted each time.
func (f *finder) facets() (*Facets, error) {
	if err := f.findMistakes(); err != nil {
		return nil, err
	}
	if f.finds == no {
		return &Facets{Counts: map[Tag]int{}, CountedAt: f.t.Now}, nil
	}
	if f.text.Quoted() || f.q.Among != nil {
		return f.count()
	}
	state, err := f.t.state()
	if err != nil {
		return nil, err
	}
	question := f.all
	if near := f.q.Near; !near.IsZero() { // the index is asked for cells, which many circles share
		question += textindex.Question(fmt.Sprintf("\x00%v %v %v", near.Latitude, near.Longitude, near.RadiusKm))
	}
	known, same := f.t.counted.get(question, state, f.t.StaleFor)
	if same {
		return known, nil
	}
	if known != nil {
		return f.withTotal(*known)
	}
	out, err := f.count()
	if err != nil {
		f.t.counted.giveUp(question)
		return nil, err
	}
	f.t.counted.keep(question, state, out)
	return out, nil
}

// withTotal returns earlier facets with the number of hits that there are now.
func (f *finder) withTotal(earlier Facets) (*Facets, error) {
	var err error
	if f.q.Near.IsZero() {
		earlier.Total, err = f.index.Count(f.t.Tx, f.all)
		return &earlier, err
	}
	found, err := f.t.allHits(f.questions)
	earlier.Total = len(found)
	return &earlier, err
}

// count counts all hits.
func (f *finder) count() (out *Facets, err error) {
	out = &Facets{Counts: map[Tag]int{}, CountedAt: f.t.Now}
	add := func(scan func(...any) error) error {
		var (
			tag Tag
			n   int
		)
		err := scan(&tag.Kind, &tag.Value, &n)
		out.Counts[tag] += n
		return err
	}
	whole := f.q.Near.IsZero() && f.q.Among == nil
	if whole {
		if out.Total, err = f.index.Count(f.t.Tx, f.all); err != nil {
			return nil, err
		}
	}
	if whole && (!f.text.Quoted() || out.Total > maxRead) {
		if f.index.TableFrom != "" {
			return out, f.countListed(out)
		}
		query := "SELECT c.kind, c.value, count(*) FROM " + f.index.Table +
			" JOIN facets c ON c.document = h.id GROUP BY c.kind, c.value"
		return out, f.t.Rows(query, []any{string(f.all)}, add)
	}
	found, err := f.t.allHits(f.questions)
	out.Total = len(found)
	for part := range slices.Chunk(found, facetPart) {
		if err == nil {
			err = f.countPart(store.IDs(part), out, add)
		}
	}
	return out, err
}

// countPart counts the facets of some documents. In a circle it counts the places that are inside,
// and the places without known coordinates.
func (f *finder) countPart(rows string, out *Facets, add func(scan func(...any) error) error) error {
	const query = "SELECT kind, value, count(*) FROM facets WHERE document IN @ids GROUP BY kind, value"
	if f.q.Near.IsZero() {
		return f.t.Rows(query, []any{rows}, add)
	}
	err := f.t.Rows("SELECT kind, value, count(*) FROM facets WHERE document IN @ids AND kind <> '"+PlaceKind+"' GROUP BY kind, value",
		[]any{rows}, add)
	if err != nil {
		return err
	}
	type named struct {
		row  int64
		name string
	}
	counted := map[named]bool{}
	return f.t.Rows(`SELECT c.document, c.value, l.latitude, l.longitude FROM facets c
		LEFT JOIN places l ON l.document = c.document AND l.name = c.value
		WHERE c.document IN @ids AND c.kind = '`+PlaceKind+`'`, []any{rows}, func(scan func(...any) error) error {
		var (
			n                   named
			latitude, longitude *float64
		)
		if err := scan(&n.row, &n.name, &latitude, &longitude); err != nil {
			return err
		}
		inside := latitude == nil || Place{Latitude: *latitude, Longitude: *longitude}.isIn(f.q.Near)
		if inside && !counted[n] {
			counted[n] = true
			out.Counts[Tag{PlaceKind, n.name}]++
		}
		return nil
	})
}

// facetPart bounds the documents whose facets are counted at a time.
const facetPart = 10_000

// countListed counts the facets of all hits on SQLite, which would sort every facet to count
// them by groups. Part by part of the hits it makes one text of their facets: each is its kind, a
// space and its value, and between two stands a NUL, which no value has.
func (f *finder) countListed(out *Facets) error {
	query := "SELECT coalesce(group_concat(c.kind || ' ' || c.value, char(0)), ''), max(h.id) FROM " + f.index.TableFrom +
		" LEFT JOIN facets c ON c.document = h.id"
	counts := map[string]int{} // by kind and value of the facet
	for last, left := int64(0), out.Total; left > 0; left -= facetPart {
		var list string
		if err := f.t.Row(query, []any{string(f.all), last, facetPart}, &list, &last); err != nil {
			return err
		}
		for facet := range strings.SplitSeq(list, "\x00") {
			counts[facet]++
		}
	}
	for facet, n := range counts {
		if kind, value, ok := strings.Cut(facet, " "); ok {
			out.Counts[Tag{kind, value}] = n
		}
	}
	return nil
}
