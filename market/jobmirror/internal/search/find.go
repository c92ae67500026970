package search

import (
	"errors"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// finder reads the hits of a query: tier by tier, and within a tier in the order of the rows.
type finder struct {
	*questions
	t    *tx
	at   Position        // where page began to read the tier that it is at
	scan *textindex.Scan // of the tier of at; nil: that tier has not begun
	// readSoFar has the rows that page has read so far, of all tiers, where it began with the first
	// hit; nil where it goes on after a hit of an earlier page. The index then cannot be asked for
	// a tier and those above it, because nobody knows which rows of these were given already.
	readSoFar map[int64]bool

	found     bool         // the text finds something as it was typed
	finds     answer       // whether it does so, or, once it is corrected, whether the corrected text does
	asTyped   int          // how many tiers are of the text as it was typed
	corrected []Correction // nil: findMistakes has not looked; empty: it found none
}

// ErrPosition says that a position is not of the query.
var ErrPosition = errors.New("search: the position is not of this query")

// Page holds documents that follow each other in the order of a query.
type Page struct {
	Hits []Position
	More bool // there are more behind them
	// Corrected has the mistyped words, each with the words that were looked for as well. Their hits
	// come after what the text finds as it was typed, and Corrected is nil as long as
	// that fills the page.
	Corrected []Correction

	finder *finder
}

// Find returns at most n documents that a query finds, from 1 on: the documents behind a
// position, in the query's order. It corrects typing errors, as was done for the page with the
// position. Its error is ErrPosition for a position that no hit of the query has.
func (x *Index) Find(in *store.Tx, q Query, after Position, n int) (*Page, error) {
	t := &tx{in, x}
	if q.Order == Nearest {
		return t.findNearest(q, after, n)
	}
	f, err := t.finder(q, after)
	if err != nil {
		return nil, err
	}
	hits, err := f.page(n + 1)
	if err != nil {
		return nil, err
	}
	p := &Page{Hits: hits[:min(n, len(hits))], More: len(hits) > n, finder: f}
	if len(f.corrected) > 0 && (!p.More || p.Hits[n-1].Tier >= f.asTyped) {
		p.Corrected = f.corrected
	}
	return p, nil
}

// Snippet returns at most so many letters of a text around the first word that the page's query
// finds in it, and what it finds there. languages are the text's, as in Document.
func (p *Page) Snippet(text string, letters int, languages ...string) words.Snippet {
	return p.finder.text.Snippet(text, words.Stemmer(languages...), letters)
}

// finder returns a finder that begins after a hit of its query, or before the first one.
func (t *tx) finder(q Query, after Position) (*finder, error) {
	asks, err := t.questions(q)
	if err != nil {
		return nil, err
	}
	f := &finder{questions: asks, t: t, at: after, asTyped: len(asks.tiers)}
	f.found = after.Row != 0 && after.Tier < len(asks.tiers)
	if !f.mayLeaveOut(after.Corrected) {
		return nil, ErrPosition
	}
	if len(after.Corrected) > 0 {
		f.correct(after.Corrected)
	}
	if after.Tier >= len(f.tiers) {
		return nil, ErrPosition
	}
	if after.Row == 0 {
		f.readSoFar = map[int64]bool{}
	} else {
		f.finds = yes
	}
	return f, nil
}

// page reads hits until there are n. Those of a text that is corrected come last. It is called
// once: rows that it read beyond n are lost.
func (f *finder) page(n int) (out []Position, err error) {
	for len(out) < n {
		if f.at.Tier == len(f.tiers) {
			if err := f.findMistakes(); err != nil {
				return nil, err
			}
		}
		if f.at.Tier == len(f.tiers) {
			break // nothing was mistyped
		}
		if skips, err := f.skips(); err != nil {
			return nil, err
		} else if skips {
			f.at.Tier = len(f.tiers)
			continue
		}
		rows, more, err := f.next(n - len(out))
		if err != nil {
			return nil, err
		}
		hits, err := f.some(f.notRead(rows), n-len(out))
		if err != nil {
			return nil, err
		}
		if len(hits) > 0 {
			f.found, f.finds = true, yes
		}
		for _, row := range hits {
			out = append(out, Position{f.at.Tier, row, f.corrected})
		}
		if !more {
			f.at, f.scan = Position{Tier: f.at.Tier + 1}, nil
		}
	}
	if len(out) == 0 && f.readSoFar != nil {
		f.finds = no
	}
	return out[:min(n, len(out))], nil
}

// answer is what is known.
type answer int

const (
	unknown answer = iota
	yes
	no
)

// manyWords is the number of words from which on a tier costs so much that it pays to ask first whether any has a hit.
const manyWords = 5

// skips reports whether the tiers that are left are not worth reading, because the text certainly finds nothing: it has
// a word without a document or, if it has many words, no document has all of them. A text of many words is asked about
// before its first tier, another one if that has no hits.
func (f *finder) skips() (bool, error) {
	first, n := 0, f.text.Words()
	if f.corrected != nil {
		first = f.asTyped
	}
	asks := first
	if n < manyWords {
		asks++
	}
	// Of one word the tiers cost as little as to ask.
	if f.finds != unknown || f.q.Among != nil || f.scan != nil || f.at.Tier != asks || len(f.tiers) == first+1 || n < 2 {
		return f.finds == no, nil
	}
	for _, in := range f.in {
		lacks, err := f.lacksAWord(in)
		if err != nil {
			return false, err
		}
		if !lacks && n < manyWords {
			return false, nil
		}
		if !lacks {
			there, err := f.index.Any(f.t.Tx, f.all)
			return !there, err
		}
	}
	return true, nil
}

// lacksAWord reports whether there is a word of the text that no document of a stemmer has.
func (f *finder) lacksAWord(in words.Lookup) (bool, error) {
	for i := range in.Groups() {
		there, err := f.index.Any(f.t.Tx, f.index.Question(in.Group(i, false)))
		if err == nil && !there {
			there, err = f.index.Any(f.t.Tx, f.index.Question(in.Group(i, true)))
		}
		if err != nil || !there {
			return err == nil, err
		}
	}
	return false, nil
}

// next reads the next rows of a tier from the index, where a page needs n hits. Some of the
// rows may lie outside the circle, lack words in quotes, or belong to a tier above. more
// reports whether the tier may have further rows.
func (f *finder) next(n int) (rows []int64, more bool, err error) {
	if f.q.Among != nil {
		rows, err = f.nextAmong()
		return rows, false, err
	}
	if f.scan == nil {
		orAbove := f.readSoFar != nil // notRead leaves out what is read once more
		f.scan = &textindex.Scan{
			Question: f.tiers[f.at.Tier](orAbove), Ascending: f.q.Order == Oldest, After: f.at.Row,
			Few: f.q.Order == Relevance && !f.q.Near.IsZero(), // in a circle
		}
	}
	want := n + len(f.readSoFar) // the next rows may be those that were read of the tiers above
	if !f.q.Near.IsZero() || f.text.Quoted() {
		want = textindex.Chunk // most rows may fall out
	}
	return f.index.Next(f.t.Tx, f.scan, min(want, textindex.Chunk))
}

// nextAmong reads all rows of a tier that are among those of the query. An index that is asked for
// some rows alone looks for each of them as long as for all that match.
func (f *finder) nextAmong() ([]int64, error) {
	rows, err := f.index.All(f.t.Tx, f.tiers[f.at.Tier](f.readSoFar != nil))
	oldest := f.q.Order == Oldest
	rows = slices.DeleteFunc(rows, func(row int64) bool {
		isBehind := f.at.Row == 0 || row != f.at.Row && (row > f.at.Row) == oldest
		return !isBehind || !f.q.isAmong(row)
	})
	slices.Sort(rows)
	if !oldest {
		slices.Reverse(rows)
	}
	return rows, err
}

// isAmong reports whether a row may be looked for.
func (q Query) isAmong(row int64) bool {
	if q.Among == nil {
		return true
	}
	_, ok := slices.BinarySearch(q.Among, row)
	return ok
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

// some returns the first n or more hits among some rows, or all if there are fewer.
func (f *finder) some(rows []int64, n int) (out []int64, err error) {
	inside, err := f.t.within(rows, f.q)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(inside, n) {
		hits, err := f.t.matching(part, f.text)
		if out = append(out, hits...); err != nil || len(out) >= n {
			return out, err
		}
	}
	return out, nil
}

// matching returns those of some rows, in their order, whose documents have what a text has in
// quotes; all rows if nothing is in quotes.
func (t *tx) matching(rows []int64, text words.Query) (found []int64, err error) {
	if !text.Quoted() {
		return rows, nil
	}
	matches := map[int64]bool{}
	for part := range slices.Chunk(rows, readPart) {
		documents, err := t.read(t.Tx, part)
		if err != nil {
			return nil, err
		}
		for i := range documents {
			d := &documents[i]
			matches[d.Row] = text.Matches(d.texts(), words.Stemmer(d.Languages...))
		}
	}
	for _, row := range rows {
		if matches[row] {
			found = append(found, row)
		}
	}
	return found, nil
}

// All returns the rows of all documents that a query finds, in its order, which is Relevance or Newest, and its
// corrections. Where a text has words in quotes and more than 300 documents of a tier have these words in some form, it
// has documents with another form as well.
func (x *Index) All(in *store.Tx, q Query) (ranked []int64, corrected []Correction, err error) {
	t := &tx{in, x}
	f, err := t.finder(q, Position{})
	if err != nil {
		return nil, nil, err
	}
	for tier := 0; ; tier++ {
		if tier == len(f.tiers) {
			f.found = len(ranked) > 0
			if err := f.findMistakes(); err != nil {
				return nil, nil, err
			}
		}
		if tier == len(f.tiers) {
			return ranked, f.corrected, nil
		}
		rows, err := f.index.All(t.Tx, f.tiers[tier](true))
		if err != nil {
			return nil, nil, err
		}
		if rows, err = t.within(f.notRead(rows), q); err != nil {
			return nil, nil, err
		}
		slices.Sort(rows)
		slices.Reverse(rows)
		if len(rows) <= maxRead {
			if rows, err = t.matching(rows, f.text); err != nil {
				return nil, nil, err
			}
		}
		ranked = append(ranked, rows...)
	}
}

// allHits returns the rows of every hit, in ascending order. Of more than maxRead that have words in quotes in some form it
// returns all, unless Query.Among names the documents.
func (t *tx) allHits(a *questions) (found []int64, err error) {
	if a.q.Near.IsZero() {
		found, err = a.index.All(t.Tx, a.all)
		slices.Sort(found)
	} else {
		found, err = t.inside(a.all, a.q)
	}
	found = slices.DeleteFunc(found, func(row int64) bool { return !a.q.isAmong(row) })
	if err != nil || len(found) > maxRead && a.q.Among == nil {
		return found, err
	}
	return t.matching(found, a.text)
}

// allAreHits reports whether all that the index finds are hits.
func (a *questions) allAreHits() bool {
	return a.q.Near.IsZero() && a.q.Among == nil && !a.text.Quoted()
}

const (
	// maxRead bounds the hits of a text with words in quotes that are read to count those that
	// have them as they are written.
	maxRead  = 300
	readPart = 200 // bounds the documents that are read again at a time
)
