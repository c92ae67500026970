package search

import (
	"cmp"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

const (
	maxNearest    = 5  // words for a mistyped one
	maxCandidates = 20 // those whose documents are counted to find them
	maxMistakes   = 4  // words of a text that are corrected; who types more of them means something else
)

// findMistakes looks for the words that are nearest to those that no document has, and adds
// what they find to the tiers of the finder. It does nothing if that was done before, or
// if the text is not to be corrected.
func (f *finder) findMistakes() error {
	if f.typed == 0 || f.corrected != nil {
		return nil
	}
	var unknown []string
	for _, word := range f.text.Mistakable() {
		known, err := f.index.Any(f.t.Tx, f.forms(word, nil))
		if err != nil {
			return err
		}
		if !known {
			unknown = append(unknown, word)
		}
		if len(unknown) > maxMistakes {
			return nil
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	blocks, err := f.t.readVocabulary()
	if err != nil {
		return err
	}
	found := []Correction{}
	for _, word := range unknown {
		nearest, err := f.nearest(blocks, word)
		if err != nil {
			return err
		}
		if len(nearest) > 0 {
			found = append(found, Correction{word, nearest})
		}
	}
	f.correct(found)
	return nil
}

// nearest returns at most maxNearest words that may have been meant by one, of those that
// documents with the tags Query.Meant have: the nearest first, among these those
// that most of these documents have, then in the order of their bytes.
func (f *finder) nearest(blocks []*words.Block, word string) (list []string, err error) {
	type candidate struct {
		words.Near
		documents int
	}
	var candidates []candidate
	scope := narrowed(f.q.Meant, jobboard.GeoLocation{})
	for _, near := range words.Nearest(blocks, word, maxCandidates) {
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
// as it was typed; without corrections none.
func (f *finder) correct(corrections []Correction) {
	f.corrected = corrections
	if len(corrections) == 0 {
		return
	}
	typed := f.in
	instead := map[string][]string{}
	for _, c := range corrections {
		instead[c.Word] = c.Nearest
	}
	f.read(f.text.Corrected(instead))
	f.addTiers(typed)
}
