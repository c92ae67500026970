package jobmirror

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

const (
	maxSuggestions = 10
	// maxBeginning and maxEnding bound the words of each kind that are counted to find the
	// suggestions, the shortest first.
	maxBeginning, maxEnding = 16, 8
	// maxBefore bounds the words before the one that is completed: each suggestion is counted
	// together with all of them.
	maxBefore = 8
)

// Suggest returns texts that somebody may mean who is typing Query.Text: the same text,
// with a word of the postings in place of its last word. Such a word begins or ends with
// what was typed, which must be two letters or more. There are at most ten, those with
// the most hits first. Each has hits with the query's Channel, Language, Category and
// Place; the query's other fields are not used. Places are suggested word by word. The
// error is jobboard.ErrInvalidInput for a text of more than 1000 bytes. Nothing is suggested
// where more than eight words stand before the last one.
func (m *Mirror) Suggest(ctx context.Context, q Query) ([]string, error) {
	if len(q.Text) > maxText {
		return nil, fmt.Errorf("%w: the text has more than %d bytes", jobboard.ErrInvalidInput, maxText)
	}
	last := strings.LastIndexFunc(q.Text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`-"`, r) }) + 1
	before, typed := q.Text[:last], q.Text[last:]
	q = Query{Text: before, Channel: q.Channel, Language: q.Language, Category: q.Category, Place: q.Place}
	return fromView(ctx, m.db, func(t *tx) ([]string, error) {
		list, err := t.completions(q, typed)
		for i, word := range list {
			list[i] = before + word
		}
		return list, err
	})
}

// completions returns the words that may be meant by typed, the beginning or the end of a
// word that follows the text of a query.
func (t *tx) completions(q Query, typed string) ([]string, error) {
	blocks, err := t.vocabulary()
	if err != nil {
		return nil, err
	}
	candidates := words.Completions(blocks, typed, maxBeginning, maxEnding)
	if len(candidates) == 0 {
		return nil, nil
	}
	asked, err := t.questions(q, words.Parse)
	if err != nil || asked.text.Words() > maxBefore {
		return nil, err
	}
	counts := map[string]int{} // by the words of the list, to sort it
	put := map[textindex.Question]bool{}
	var list []string
	for _, word := range candidates {
		e := asked.forEachStemmer(func(in int) words.Expr {
			return words.Expr{Op: words.And, Of: []words.Expr{asked.in[in].All(), asked.in[in].Form(word)}}
		})
		question := asked.index.Question(words.Expr{Op: words.And, Of: append(slices.Clone(asked.narrow), e)})
		if put[question] {
			continue // one form of a word is enough
		}
		put[question] = true
		n, err := asked.index.Count(t.Tx, question)
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
