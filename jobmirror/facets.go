package jobmirror

import (
	"slices"

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
	from := matcherOf(f.t.db).from
	if f.q.Near.IsZero() {
		if out.Total, err = f.t.countHits(f.all); err != nil {
			return nil, err
		}
	}
	if f.q.Near.IsZero() && (!f.text.Quoted() || out.Total > maxRead) {
		query := "SELECT c.kind, c.value, count(*) FROM " + from +
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
