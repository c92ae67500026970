package jobmirror

import (
	"cmp"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/words"
)

// Correction tells what a word of a text may have been meant for.
type Correction struct {
	Word    string   // of the text, in lower case
	Nearest []string // the words that were looked for as well, the likeliest first
}

const (
	maxNearest    = 5  // words for a mistyped one
	maxCandidates = 20 // those whose postings are counted to find them
	maxMistakes   = 4  // words of a text that are corrected; who types more of them means something else
)

// findMistakes has the finder look for other words, too, in place of those that no
// posting has, unless it does so already.
func (f *finder) findMistakes() error {
	if f.typed == 0 || f.corrected != nil {
		return nil
	}
	var unknown []string
	for _, word := range f.text.Mistakable() {
		n, err := f.countForms(word, nil)
		if err != nil {
			return err
		}
		if n == 0 {
			unknown = append(unknown, word)
		}
		if len(unknown) > maxMistakes {
			return nil
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	blocks, err := f.t.vocabulary()
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

// nearest returns the words that are nearest to one, of those that postings of the
// query's channel and language have: by distance, by the number of these postings, by
// their bytes.
func (f *finder) nearest(blocks []*words.Block, word string) (list []string, err error) {
	type candidate struct {
		words.Near
		postings int
	}
	var candidates []candidate
	scope := narrowed(Query{Channel: f.q.Channel, Language: f.q.Language})
	for _, near := range words.Nearest(blocks, word, maxCandidates) {
		n, err := f.countForms(near.Word, scope)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			candidates = append(candidates, candidate{near, n})
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(b.postings, a.postings), cmp.Compare(a.Word, b.Word))
	})
	for _, c := range candidates[:min(len(candidates), maxNearest)] {
		list = append(list, c.Word)
	}
	return list, nil
}

// countForms counts the postings that have a form of a word and some tags.
func (f *finder) countForms(word string, tags []words.Expr) (int, error) {
	e := words.Expr{Op: words.And, Of: append(slices.Clone(tags),
		f.inEachLanguage(func(in int) words.Expr { return f.in[in].Form(word) }))}
	return f.t.countHits(matcherOf(f.t.db).text(e))
}

// countHits counts the postings that the index finds.
func (t *tx) countHits(ask string) (n int, err error) {
	err = t.Row("SELECT count(*) FROM "+matcherOf(t.db).from, []any{ask}, &n)
	return n, err
}

// correct adds the tiers of the text with corrections, less what it finds as it was
// typed.
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
	for tier := range f.count() {
		f.tiers = append(f.tiers, f.ask(func(in int) words.Expr {
			return words.Expr{Op: words.Less, Of: []words.Expr{f.tier(tier, in), typed[in].All()}}
		}))
	}
}
