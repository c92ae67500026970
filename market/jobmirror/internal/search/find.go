package jobmirror

import (
	"slices"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// finder reads the hits of a query: tier by tier, and in each in the order of their rows.
type finder struct {
	*questions
	t    *tx
	at   position        // where page began to read the tier that it is at
	scan *textindex.Scan // of the tier of at; nil: the tier is yet to be begun
	// readSoFar has the rows that page has read so far, of all tiers, where it began with the first
	// hit; nil where it goes on after a hit of an earlier page. The index then cannot be asked for
	// a tier and those above it, because nobody knows which rows of these were given already.
	readSoFar map[int64]bool
	positions []position // of the hits that page returned

	typed     int // how many tiers are of the text as it was typed; 0: it is not to be corrected
	corrected []Correction
}

// position says where a hit stands in the order of a query. The zero position is before
// the first hit.
type position struct {
	tier      int
	row       int64
	corrected []Correction // of the text by which the hit was found
}

// finder returns a finder that begins after a hit of its query, or before the first one. It
// corrects typing errors, as was done for the page with that hit.
func (t *tx) finder(q Query, after position) (*finder, error) {
	asked, err := t.questions(q, words.Parse)
	if err != nil {
		return nil, err
	}
	f := &finder{questions: asked, t: t, at: after, typed: len(asked.tiers)}
	f.correct(after.corrected)
	if after.tier >= len(f.tiers) {
		return nil, ErrPageCursor
	}
	if after.row == 0 {
		f.readSoFar = map[int64]bool{}
	}
	return f, nil
}

// page reads hits until there are n. Those of a text that is corrected come last. It is called
// once: rows that it read beyond n are lost.
func (f *finder) page(n int) (out []hit, err error) {
	for len(out) < n {
		if f.at.tier == len(f.tiers) {
			if err := f.findMistakes(); err != nil {
				return nil, err
			}
		}
		if f.at.tier == len(f.tiers) {
			break // nothing was mistyped
		}
		rows, more, err := f.next(n - len(out))
		if err != nil {
			return nil, err
		}
		hits, err := f.some(f.notRead(rows), n-len(out))
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			f.positions = append(f.positions, position{f.at.tier, h.row, f.corrected})
		}
		out = append(out, hits...)
		if !more {
			f.at, f.scan = position{tier: f.at.tier + 1}, nil
		}
	}
	return out[:min(n, len(out))], nil
}

// next reads the next rows of a tier from the index, where a page needs n hits. Some of the
// rows may be out of the circle, lack what is in quotes, or be of a tier above. more reports
// whether the tier may have more of them.
func (f *finder) next(n int) (rows []int64, more bool, err error) {
	if f.scan == nil {
		orAbove := f.readSoFar != nil // notRead leaves out what is read once more
		f.scan = &textindex.Scan{
			Question: f.tiers[f.at.tier](orAbove), Ascending: f.q.Order == Oldest, After: f.at.row,
			Few: f.q.Order == Relevance && !f.q.Near.IsZero(), // in a circle
		}
	}
	want := n + len(f.readSoFar) // the next rows may be those that were read of the tiers above
	if !f.q.Near.IsZero() || f.text.Quoted() {
		want = textindex.Chunk // the page may leave out most of them
	}
	return f.index.Next(f.t.Tx, f.scan, min(want, textindex.Chunk))
}

// notRead returns those of some rows that were not read so far, and notes them as read.
func (f *finder) notRead(rows []int64) []int64 {
	if f.readSoFar == nil {
		return rows // the index was asked to leave out the tiers above
	}
	var fresh []int64
	for _, row := range rows {
		if !f.readSoFar[row] {
			f.readSoFar[row] = true
			fresh = append(fresh, row)
		}
	}
	return fresh
}

// some reads the first of some rows that are hits, at least n where there are so many.
func (f *finder) some(rows []int64, n int) (out []hit, err error) {
	inside, err := f.t.within(rows, f.q.Near)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(inside, n) {
		hits, err := f.t.postings(part, f.text)
		if out = append(out, hits...); err != nil || len(out) >= n {
			return out, err
		}
	}
	return out, nil
}

// allHits returns the rows of every hit, in ascending order.
func (t *tx) allHits(a *questions) (found []int64, err error) {
	if a.q.Near.IsZero() {
		found, err = a.index.All(t.Tx, a.all)
		slices.Sort(found)
	} else {
		found, err = t.inside(a.all, a.q.Near)
	}
	if err != nil || !a.text.Quoted() || len(found) > maxRead {
		return found, err
	}
	var matching []int64
	for part := range slices.Chunk(found, pagePart) {
		hits, err := t.postings(part, a.text)
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			matching = append(matching, h.row)
		}
	}
	return matching, nil
}

// maxRead bounds the hits of a text with words in quotes that are read to count those that
// have them as they are written.
const maxRead = 300
