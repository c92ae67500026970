package search

import (
	"cmp"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

const (
	maxSuggestions = 10
	// maxBeginning and maxEnding bound the words of each kind that are counted to find the
	// suggestions, the shortest first.
	maxBeginning, maxEnding = 16, 8
	// maxBefore bounds the words before the one that is completed: counting a suggestion means
	// asking for all of these words as well.
	maxBefore = 8
)

// Suggest returns the words that may be meant by typed, the beginning or the end of a word that
// follows the text of a query: ten at most, those with the most documents first. Each has
// documents together with the query's text and tags. Suggest returns none for a typed text of
// less than two letters, or a query's text of more than eight words.
func (x *Index) Suggest(in *store.Tx, q Query, typed string) ([]string, error) {
	t := &tx{in, x}
	rows, err := t.readVocabulary()
	if err != nil {
		return nil, err
	}
	candidates := words.Completions(rows.blocks, typed, maxBeginning, maxEnding)
	if len(candidates) == 0 {
		return nil, nil
	}
	asks, err := t.questions(q)
	if err != nil || asks.text.Words() > maxBefore {
		return nil, err
	}
	counts := map[string]int{} // how many documents have each word of the list, to sort it
	put := map[textindex.Question]bool{}
	var list []string
	for _, word := range candidates {
		e := asks.forEachStemmer(func(in int) words.Expr {
			return words.Expr{Op: words.And, Of: []words.Expr{asks.in[in].All(), asks.in[in].Form(word)}}
		})
		question := asks.question(asks.narrow, e)
		if put[question] {
			continue // one form of a word is enough
		}
		put[question] = true
		n, err := t.text.Count(t.Tx, question)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			counts[word] = n
			list = append(list, word)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	return list[:min(len(list), maxSuggestions)], nil
}
