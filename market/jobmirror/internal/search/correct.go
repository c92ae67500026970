package search

import (
	"cmp"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

const (
	maxNearest = 5 // words for a mistyped one
	// maxCandidates bounds the words whose documents are counted to find them, and maxAllCandidates those
	// of all words of a text.
	maxCandidates, maxAllCandidates = 20, 80
	// maxMistakes bounds the words of a text that are corrected: of a text that has more words without a document none is.
	maxMistakes = 12
	maxWishes   = 4 // words of a text that are left out because they only say that somebody looks for a job
)

// findMistakes looks for the words that are nearest to those that no document has, and adds what they
// find to the tiers of the finder. Where the text finds nothing at all as it was typed, it also leaves
// out the words that only say that somebody looks for a job. A second call does nothing, nor does a call
// for a text that needs no correction.
func (f *finder) findMistakes() error {
	if f.corrected != nil {
		return nil
	}
	if f.q.Among != nil {
		f.corrected = []Correction{}
		return nil
	}
	found := []Correction{} // not nil: the words were looked at
	text := f.text
	if !f.found {
		wishes := text.Wishes()
		wishes = wishes[:min(len(wishes), maxWishes)]
		for _, word := range wishes {
			found = append(found, Correction{Word: word})
		}
		text = text.WithoutWishes(wishes)
	}
	mistakes, err := f.mistakes(text)
	if err == nil {
		f.correct(append(found, mistakes...))
	}
	return err
}

// mistakes returns the words of a text that neither a document nor a synonym has, each with the
// nearest known words. Where there are too many it returns none.
func (f *finder) mistakes(text words.Query) (found []Correction, err error) {
	var unknown []string
	for _, word := range text.Mistakable() {
		if f.listed(word) {
			continue
		}
		known, err := f.index.Any(f.t.Tx, f.forms(word, nil))
		if err != nil {
			return nil, err
		}
		if !known {
			unknown = append(unknown, word)
		}
		if len(unknown) > maxMistakes {
			return nil, nil
		}
	}
	if len(unknown) == 0 {
		return nil, nil
	}
	rows, err := f.t.readVocabulary()
	if err != nil {
		return nil, err
	}
	candidates := words.Nearest(rows.blocks, unknown, min(maxCandidates, maxAllCandidates/len(unknown)))
	for i, word := range unknown {
		nearest, err := f.likeliest(candidates[i])
		if err != nil {
			return nil, err
		}
		if len(nearest) > 0 {
			found = append(found, Correction{word, nearest})
		}
	}
	return found, nil
}

// listed reports whether a word is one of the synonyms.
func (f *finder) listed(word string) bool {
	return slices.ContainsFunc(f.in, func(l words.Lookup) bool { return l.Listed(word) })
}

// likeliest returns at most maxNearest of some words that one may have meant, those that
// documents with the tags Query.Meant have: the nearest word comes first, among equally near
// ones the word that most of these documents have, then the order of their bytes.
func (f *finder) likeliest(near []words.Near) (list []string, err error) {
	type candidate struct {
		words.Near
		documents int
	}
	var candidates []candidate
	scope := narrowed(f.q.Meant, jobboard.GeoLocation{})
	for _, near := range near {
		n, err := f.index.Count(f.t.Tx, f.forms(near.Word, scope))
		if err != nil {
			return nil, err
		}
		if n > 0 {
			candidates = append(candidates, candidate{near, n})
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(b.documents, a.documents), cmp.Compare(a.Word, b.Word))
	})
	for _, c := range candidates[:min(len(candidates), maxNearest)] {
		list = append(list, c.Word)
	}
	return list, nil
}

// correct adds the tiers of the corrected text, without the documents that the text finds
// as it was typed. Without corrections it adds none.
func (f *finder) correct(corrections []Correction) {
	f.corrected = corrections
	if len(corrections) == 0 {
		return
	}
	plain := f.in
	instead := map[string][]string{}
	var wishes []string
	for _, c := range corrections {
		if len(c.Nearest) > 0 {
			instead[c.Word] = c.Nearest
		} else {
			wishes = append(wishes, c.Word)
		}
	}
	f.read(f.text.WithoutWishes(wishes).Corrected(instead))
	f.addTiers(plain)
	f.hasHits = f.at.Row != 0
}
