package search

import (
	"cmp"
	"slices"
)

// Positions returns where those of some documents stand that the page's query finds, by their rows. Of a query with
// typing errors it leaves out what only the corrected text finds, if the page has only hits of the text as it was
// typed, before which those are not. It runs in the transaction of Find.
func (p *Page) Positions(rows []int64) (map[int64]Position, error) { return p.finder.positions(rows) }

func (f *finder) positions(rows []int64) (map[int64]Position, error) {
	at := make(map[int64]Position, len(rows))
	left, err := f.t.within(slices.Clone(rows), f.q)
	if err == nil {
		left, err = f.t.matching(left, f.text)
	}
	if err != nil {
		return nil, err
	}
	km := map[int64]measured{}
	if f.q.Order == Nearest {
		if km, err = f.t.measureRows(left, f.q); err != nil {
			return nil, err
		}
	}
	for tier := 0; tier < len(f.tiers) && len(left) > 0; tier++ {
		found, err := f.index.Among(f.t.Tx, f.tiers[tier](true), left)
		if err != nil {
			return nil, err
		}
		for _, row := range found {
			p := Position{Tier: tier, Row: row}
			if f.q.Order == Nearest {
				p.Tier = min(tier, 1)*correctedTier + int(km[row].km*1000)
			}
			at[row] = p
		}
		left = slices.DeleteFunc(left, func(row int64) bool { return slices.Contains(found, row) })
	}
	return at, nil
}

// Compare returns a number below 0 if a hit comes before another one in the order of the page's query, and one above 0
// if it comes behind it.
func (p *Page) Compare(a, b Position) int {
	later := cmp.Compare(b.Row, a.Row)
	if p.finder.q.Order == Oldest {
		later = -later
	}
	return cmp.Or(cmp.Compare(a.Tier, b.Tier), later)
}
