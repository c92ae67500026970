package jobmirror

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// Both indexes answer whatever expression as the tokens of the postings say, all at once and
// page by page in either order: words that their languages have as signs, too.
func TestIndexesAnswerExpressions(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		r := rand.New(rand.NewPCG(5, 6))
		vocabulary := []string{
			"koch", "kochen", "kochte", "ko", "_ukoch", "_t_koch", "_ekoch", "and", "or", "not", "near", "null", "größe", "ёлка", "看護", "1234", "_c0f", "a", "b",
			"_hkoch0123456", "handel",
		}
		some := func(n int) (list []string) {
			for range r.IntN(n) {
				list = append(list, vocabulary[r.IntN(len(vocabulary))])
			}
			slices.Sort(list)
			return slices.Compact(list)
		}
		postings := map[int64][]string{}
		do(t, m, func(t *tx) error {
			for id := range int64(400) {
				postings[id+1] = some(9)
				if err := textindex.Of(t.db.DB).Put(t.Tx, id+1, slices.Clone(postings[id+1])); err != nil {
					return err
				}
			}
			for id := int64(1); id <= 400; id += 7 { // written again, and taken out
				postings[id] = some(5)
				if err := textindex.Of(t.db.DB).Put(t.Tx, id, slices.Clone(postings[id])); err != nil {
					return err
				}
				delete(postings, id+3)
				if err := textindex.Of(t.db.DB).Remove(t.Tx, id+3); err != nil {
					return err
				}
			}
			return nil
		})
		var holds func(e words.Expr, tokens []string) bool
		holds = func(e words.Expr, tokens []string) bool {
			in := func(e words.Expr) bool { return holds(e, tokens) }
			switch {
			case e.Op == words.Token:
				return e.Text == textindex.Every || slices.Contains(tokens, e.Text)
			case e.Op == words.Begins:
				return slices.ContainsFunc(tokens, func(token string) bool { return len(token) >= len(e.Text) && token[:len(e.Text)] == e.Text })
			case len(e.Of) == 0:
				return true
			case e.Op == words.Or:
				return slices.ContainsFunc(e.Of, in)
			case e.Op == words.Less:
				return in(e.Of[0]) && !slices.ContainsFunc(e.Of[1:], in)
			}
			return !slices.ContainsFunc(e.Of, func(e words.Expr) bool { return !in(e) })
		}
		var expression func(depth int) words.Expr
		expression = func(depth int) words.Expr {
			e := words.Expr{Op: words.Op(r.IntN(2)), Text: vocabulary[r.IntN(len(vocabulary))]}
			if depth > 0 && r.IntN(4) > 0 {
				e = words.Expr{Op: words.And + words.Op(r.IntN(3))}
				for range 1 + r.IntN(3) {
					e.Of = append(e.Of, expression(depth-1))
				}
			}
			return e
		}
		questions := []words.Expr{
			{},
			{Op: words.And},
			{Text: textindex.Every},
			{Text: textindex.None},
			{Op: words.Begins, Text: "_"},
			{Op: words.Less, Of: []words.Expr{{Op: words.And}, {Text: "koch"}}},
			{Op: words.Less, Of: []words.Expr{{Text: textindex.Every}, {Text: textindex.None}}},
		}
		questions[0].Text = "nobody"
		for range 60 {
			questions = append(questions, expression(3))
		}
		for _, asked := range questions {
			var want []int64
			for id, tokens := range postings {
				if asked.Op == words.Begins && asked.Text == "_" || holds(asked, tokens) {
					want = append(want, id)
				}
			}
			slices.Sort(want)
			err := m.db.view(t.Context(), func(t *tx) error {
				return indexFinds(t, textindex.Of(t.db.DB).Question(asked), want, 1+r.IntN(textindex.Chunk))
			})
			if err != nil {
				t.Fatalf("%+v: %v", asked, err)
			}
		}
	})
}

// indexFinds returns an error unless the index finds for a question what is wanted.
func indexFinds(t *tx, q textindex.Question, want []int64, page int) error {
	index := textindex.Of(t.db.DB)
	all, err := index.All(t.Tx, q)
	if err != nil {
		return err
	}
	slices.Sort(all)
	n, err := index.Count(t.Tx, q)
	if err != nil {
		return err
	}
	found, err := index.Any(t.Tx, q)
	if err != nil {
		return err
	}
	if !slices.Equal(all, want) || n != len(want) || found != (n > 0) {
		return errors.New("it finds others, or counts them wrongly")
	}
	for _, scan := range []textindex.Scan{{}, {Few: true}, {Ascending: true}, {Ascending: true, Few: true}} {
		scan.Question = q
		var read []int64
		for more := true; more; {
			var rows []int64
			if rows, more, err = index.Next(t.Tx, &scan, page); err != nil {
				return err
			}
			read = append(read, rows...)
			if more && len(rows) == 0 || len(rows) > textindex.Chunk || len(read) > len(want) {
				return errors.New("a page has none, or more than it may")
			}
		}
		if !scan.Ascending {
			slices.Reverse(read)
		}
		if !slices.Equal(read, want) {
			return errors.New("its pages have others, or in another order")
		}
	}
	return nil
}
