package jobmirror

import (
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/store"
)

// facets counts all hits.
func (f *finder) facets() (out *Facets, err error) {
	if err := f.findMistakes(); err != nil {
		return nil, err
	}
	out = &Facets{Categories: map[string]int{}, Places: map[string]int{}}
	add := func(scan func(...any) error) error {
		var (
			kind, value string
			n           int
		)
		err := scan(&kind, &value, &n)
		if kind == tagCategory {
			out.Categories[value] += n
		} else {
			out.Places[value] += n
		}
		return err
	}
	index := matcherOf(f.t.db)
	if f.q.Near.IsZero() {
		if out.Total, err = f.t.countHits(f.all); err != nil {
			return nil, err
		}
	}
	if f.q.Near.IsZero() && (!f.text.Quoted() || out.Total > maxRead) {
		if index.listed != "" {
			return out, f.countListed(out)
		}
		query := "SELECT c.kind, c.value, count(*) FROM " + index.from +
			" JOIN facets c ON c.posting = h.id GROUP BY c.kind, c.value"
		return out, f.t.Rows(query, []any{f.all}, add)
	}
	found, err := f.hits()
	out.Total = len(found)
	for part := range slices.Chunk(found, facetPart) {
		if err == nil {
			err = f.t.Rows("SELECT kind, value, count(*) FROM facets WHERE posting IN @ids GROUP BY kind, value",
				[]any{store.IDs(part)}, add)
		}
	}
	return out, err
}

// facetPart bounds the postings whose facets are counted at a time.
const facetPart = 10_000

// countListed counts the facets of all hits, part by part, out of a list of them that the
// database makes of each part.
func (f *finder) countListed(out *Facets) error {
	counts := map[string]int{} // by the kind of a facet and its value
	for last, left := int64(0), out.Total; left > 0; left -= facetPart {
		var list string
		if err := f.t.Row(matcherOf(f.t.db).listed, []any{f.all, last, facetPart}, &list, &last); err != nil {
			return err
		}
		for facet := range strings.SplitSeq(list, "\x00") {
			counts[facet]++
		}
	}
	for facet, n := range counts {
		if value, ok := strings.CutPrefix(facet, tagCategory); ok {
			out.Categories[value] = n
		} else if value, ok := strings.CutPrefix(facet, tagPlace); ok {
			out.Places[value] = n
		}
	}
	return nil
}
