package jobmirror

import (
	"slices"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// otherHits has the other hits of the jobs of some hits, by the rows of these, on whichever page they are. Postings
// without a known job are the same where their identifier is.
type otherHits map[int64][]search.Position

// findOnce finds at most n hits behind a position as search.Index.Find does, of each job the first alone.
func (t searchTx) findOnce(query search.Query, after search.Position, n int) (*search.Page, otherHits, error) {
	var out *search.Page
	var hits []search.Position
	all := otherHits{}
	for {
		page, err := t.db.search.Find(t.Tx, query, after, n+1)
		if err != nil {
			return nil, nil, err
		}
		if err := t.addOthers(all, page); err != nil {
			return nil, nil, err
		}
		for _, hit := range page.Hits {
			isBefore := func(other search.Position) bool { return page.Compare(other, hit) < 0 }
			if !slices.ContainsFunc(all[hit.Row], isBefore) {
				hits = append(hits, hit)
			}
		}
		if out == nil {
			out = page
		} else if out.Corrected == nil {
			out.Corrected = page.Corrected
		}
		if len(hits) > n || !page.More {
			out.Hits, out.More = hits[:min(n, len(hits))], len(hits) > n
			return out, all, nil
		}
		after = page.Hits[len(page.Hits)-1]
	}
}

// addOthers adds the other hits of the jobs of a page's hits.
func (t searchTx) addOthers(all otherHits, page *search.Page) error {
	rows := store.IDsOf(page.Hits, func(p search.Position) int64 { return p.Row })
	same := map[int64][]int64{}
	var others []int64
	const query = `SELECT h.id, o.id FROM postings h JOIN postings o ON o.job = h.job AND o.id <> h.id WHERE h.id IN @ids
		UNION ALL SELECT h.id, o.id FROM postings h JOIN postings o ON o.posting = h.posting AND o.id <> h.id AND o.job IS NULL
		WHERE h.job IS NULL AND h.id IN @ids`
	err := t.Rows(query, []any{rows, rows}, func(scan func(...any) error) error {
		var hit, other int64
		err := scan(&hit, &other)
		same[hit], others = append(same[hit], other), append(others, other)
		return err
	})
	if err != nil {
		return err
	}
	positions, err := page.Positions(others)
	for hit, list := range same {
		for _, other := range list {
			if position, ok := positions[other]; ok { // the query finds it
				all[hit] = append(all[hit], position)
			}
		}
	}
	return err
}

// inLanguage returns the rows of hits, each with that of another hit of its job in its place which is in a language,
// unless it is in that itself.
func (t searchTx) inLanguage(hits []search.Position, others otherHits, language string) ([]int64, error) {
	var all, list []int64
	for _, hit := range hits {
		all = append(all, hit.Row)
		for _, other := range others[hit.Row] {
			all = append(all, other.Row)
		}
	}
	in, err := t.Numbers("SELECT id FROM postings WHERE id IN @ids AND language = ?", store.IDs(all), storable(language))
	for _, hit := range hits {
		for _, candidate := range append([]search.Position{hit}, others[hit.Row]...) {
			if slices.Contains(in, candidate.Row) {
				hit = candidate
				break
			}
		}
		list = append(list, hit.Row)
	}
	return list, err
}
