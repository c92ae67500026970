package jobmirror

import (
	"slices"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// findOnce finds at most n hits behind a position as search.Index.Find does, of each job the first alone.
func (t searchTx) findOnce(in *store.Tx, query search.Query, after search.Position, n int) (*search.Page, error) {
	var out *search.Page
	var hits []search.Position
	for {
		page, err := t.db.search.Find(in, query, after, n+1)
		if err != nil {
			return nil, err
		}
		firsts, err := t.firsts(page)
		if err != nil {
			return nil, err
		}
		hits = append(hits, firsts...)
		if out == nil {
			out = page
		} else if out.Corrected == nil {
			out.Corrected = page.Corrected
		}
		if len(hits) > n || !page.More {
			out.Hits, out.More = hits[:min(n, len(hits))], len(hits) > n
			return out, nil
		}
		after = page.Hits[len(page.Hits)-1]
	}
}

// firsts returns the hits of a page before which no other of the same job comes in the search, on whichever page.
// Postings without a known job are the same where their identifier is.
func (t searchTx) firsts(page *search.Page) (list []search.Position, err error) {
	of, err := t.samePostings(page.Hits)
	if err != nil {
		return nil, err
	}
	var others []int64
	for _, rows := range of {
		others = append(others, rows...)
	}
	positions, err := page.Positions(others)
	for _, hit := range page.Hits {
		isBefore := func(row int64) bool {
			other, ok := positions[row]
			return ok && page.Compare(other, hit) < 0
		}
		if !slices.ContainsFunc(of[hit.Row], isBefore) {
			list = append(list, hit)
		}
	}
	return list, err
}

// preferred returns which rows to show in place of hits: postings of the same job, or else with the same identifier,
// that the query finds too and that are in a language.
func (t searchTx) preferred(page *search.Page, language string) (map[int64]int64, error) {
	of, err := t.samePostings(page.Hits)
	if err != nil {
		return nil, err
	}
	var all []int64
	for _, rows := range of {
		all = append(all, rows...)
	}
	positions, err := page.Positions(all)
	if err != nil {
		return nil, err
	}
	for _, hit := range page.Hits {
		all = append(all, hit.Row)
	}
	inLanguage, err := t.Numbers("SELECT id FROM postings WHERE id IN @ids AND language = ?", store.IDs(all), storable(language))
	instead := map[int64]int64{}
	for _, hit := range page.Hits {
		if slices.Contains(inLanguage, hit.Row) {
			continue
		}
		for _, row := range of[hit.Row] {
			if _, ok := positions[row]; ok && slices.Contains(inLanguage, row) {
				instead[hit.Row] = row
			}
		}
	}
	return instead, err
}

// samePostings returns the rows of the other postings of each hit's job, by the hit's row.
func (t searchTx) samePostings(hits []search.Position) (map[int64][]int64, error) {
	rows := store.IDsOf(hits, func(p search.Position) int64 { return p.Row })
	of := map[int64][]int64{}
	const query = `SELECT h.id, o.id FROM postings h JOIN postings o ON o.job = h.job AND o.id <> h.id WHERE h.id IN @ids
		UNION ALL SELECT h.id, o.id FROM postings h JOIN postings o ON o.posting = h.posting AND o.id <> h.id AND o.job IS NULL
		WHERE h.job IS NULL AND h.id IN @ids`
	err := t.Rows(query, []any{rows, rows}, func(scan func(...any) error) error {
		var hit, other int64
		err := scan(&hit, &other)
		of[hit] = append(of[hit], other)
		return err
	})
	return of, err
}
