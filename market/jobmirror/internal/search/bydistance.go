package search

import (
	"cmp"
	"maps"
	"slices"
)

// correctedTier is the least Tier of a hit of a corrected text in the order Nearest. Below it a Tier is the
// distance in metres: no two places are that far apart.
const correctedTier = 1 << 26

// findNearest is Find in the order Nearest. It measures every document of the circle, as a count of the
// facets does.
func (t *tx) findNearest(q Query, after Position, n int) (*Page, error) {
	asks, err := t.questions(q)
	if err != nil {
		return nil, err
	}
	f := &finder{questions: asks, t: t, asTyped: len(asks.tiers)}
	if !f.mayLeaveOut(after.Corrected) {
		return nil, ErrPosition
	}
	distances, err := f.distances()
	if err != nil {
		return nil, err
	}
	hits, err := f.nearestHits(distances, Position{}, after, n+1)
	if err != nil {
		return nil, err
	}
	f.found = len(hits) > 0 || after.Row != 0 && after.Tier < correctedTier
	if len(hits) <= n {
		if after.Tier >= correctedTier {
			f.correct(after.Corrected)
		} else if err = f.findMistakes(); err != nil {
			return nil, err
		}
		more, err := f.correctedHits(distances, after, n+1-len(hits))
		if err != nil {
			return nil, err
		}
		hits = append(hits, more...)
	}
	p := &Page{Hits: hits[:min(n, len(hits))], More: len(hits) > n, finder: f}
	if len(f.corrected) > 0 && (!p.More || p.Hits[n-1].Tier >= correctedTier) {
		p.Corrected = f.corrected
	}
	return p, nil
}

// correctedHits returns the first n hits of the corrected text, if the text was corrected, that are not hits of
// the text as typed.
func (f *finder) correctedHits(distances map[int64]float64, after Position, n int) ([]Position, error) {
	if len(f.corrected) == 0 {
		return nil, nil
	}
	all, err := f.distances()
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, func(row int64, _ float64) bool {
		_, ok := distances[row]
		return ok
	})
	return f.nearestHits(all, Position{Tier: correctedTier, Corrected: f.corrected}, after, n)
}

// distances returns the distance of every document in the circle from its middle.
func (f *finder) distances() (map[int64]float64, error) {
	all, err := f.t.measureAll(f.all, f.q)
	km := make(map[int64]float64, len(all))
	for row, m := range all {
		if m.isIn() && f.q.isAmong(row) {
			km[row] = m.km
		}
	}
	return km, err
}

// nearestHits returns the first n of some documents behind a position, as positions that begin at another
// one.
func (f *finder) nearestHits(km map[int64]float64, first, after Position, n int) (hits []Position, err error) {
	for row, km := range km {
		p := Position{first.Tier + int(km*1000), row, first.Corrected}
		if after.Row == 0 || compareNearest(p, after) > 0 {
			hits = append(hits, p)
		}
	}
	slices.SortFunc(hits, compareNearest)
	var found []Position
	for part := range slices.Chunk(hits, readPart) {
		rows := make([]int64, len(part))
		for i, p := range part {
			rows[i] = p.Row
		}
		matching, err := f.t.matching(rows, f.text)
		if err != nil {
			return nil, err
		}
		for _, p := range part {
			if slices.Contains(matching, p.Row) {
				found = append(found, p)
			}
		}
		if len(found) >= n {
			break
		}
	}
	return found[:min(n, len(found))], nil
}

// compareNearest orders positions by distance, and among equals the newest first.
func compareNearest(a, b Position) int {
	return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(b.Row, a.Row))
}
