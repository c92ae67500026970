package search

import (
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

const (
	maxSuggestions     = 10
	maxSuggestedTitles = 4   // of these
	maxTitles          = 100 // titles in which suggestions are looked for, the newest first
	// maxBefore bounds the words before the one that is completed: the index is asked for all of these as well.
	maxBefore = 8
)

// Suggest returns what may be meant by typed, the beginning or the end of a word that follows the text of a query: words
// of titles, and whole titles, as these write them; ten at most, of each those first that most of the newest titles
// have. Each has documents together with the query's text and tags. Suggest returns none for a typed text of
// less than three letters, or a query's text of more than eight words.
func (x *Index) Suggest(in *store.Tx, q Query, typed string) (list, titles []string, err error) {
	word, ok := words.ReadTyped(typed)
	if !ok {
		return nil, nil, nil
	}
	t := &tx{in, x}
	asks, err := t.questions(q)
	if err != nil || asks.text.Words() > maxBefore {
		return nil, nil, err
	}
	before := asks.forEachStemmer(func(in int) words.Expr { return asks.in[in].All() })
	scan := &textindex.Scan{Question: asks.question(asks.narrow, before, word.Expr(x.text.Pieces))}
	var rows []int64
	for more := true; more && len(rows) < maxTitles; {
		var next []int64
		if next, more, err = x.text.Next(in, scan, min(textindex.Chunk, maxTitles-len(rows))); err != nil {
			return nil, nil, err
		}
		rows = append(rows, next...)
	}
	read := x.read
	if x.Titles != nil {
		read = x.Titles
	}
	documents, err := read(in, rows)
	if err != nil {
		return nil, nil, err
	}
	found := word.Suggestions()
	for i := range documents {
		found.Add(documents[i].Title, words.Stemmer(documents[i].Languages...), asks.text)
	}
	list, titles = found.Best(maxSuggestions, maxSuggestedTitles)
	return list[:min(len(list), maxSuggestions-len(titles))], titles, nil
}
