package textindex

import (
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// Expressions by short names.
func token(text string) words.Expr  { return words.Expr{Text: text} }
func begins(text string) words.Expr { return words.Expr{Op: words.Begins, Text: text} }

func all(of ...words.Expr) words.Expr  { return words.Expr{Op: words.And, Of: of} }
func one(of ...words.Expr) words.Expr  { return words.Expr{Op: words.Or, Of: of} }
func less(of ...words.Expr) words.Expr { return words.Expr{Op: words.Less, Of: of} }

// A question is written in the language of its index, with each token in quotes.
func TestQuestionsInBothLanguages(t *testing.T) {
	for _, c := range []struct {
		asked     words.Expr
		fts5, gin string
	}{
		{token("koch"), `"koch"`, `'koch'`},
		{token("OR"), `"OR"`, `'OR'`},
		{token(`a"b'c`), `"a""b'c"`, `'a"b''c'`},
		{token(`""''`), `"""""''"`, `'""'''''`},
		{token(""), `""`, `''`},
		{begins("koch"), `"koch"*`, `'koch':*`},
		{begins(`k"'`), `"k""'"*`, `'k"''':*`},
		{all(), `"_p"`, `'_p'`},
		{one(), `"_p"`, `'_p'`},
		{all(token("a")), `("a")`, `('a')`},
		{all(token("a"), token("b"), begins("c")), `("a" AND "b" AND "c"*)`, `('a' & 'b' & 'c':*)`},
		{one(token("a"), token("b"), begins("c")), `("a" OR "b" OR "c"*)`, `('a' | 'b' | 'c':*)`},
		{less(token("a"), token("b"), begins("c")), `("a" NOT "b" NOT "c"*)`, `('a' & !'b' & !'c':*)`},
		{less(all(), one(token("a"), token("b"))), `("_p" NOT ("a" OR "b"))`, `('_p' & !('a' | 'b'))`},
		{
			all(one(token("a"), all(token("b"), token("c"))), less(token("d"), token("e"))),
			`(("a" OR ("b" AND "c")) AND ("d" NOT "e"))`, `(('a' | ('b' & 'c')) & ('d' & !'e'))`,
		},
	} {
		for index, want := range map[*Index]string{&FTS5: c.fts5, &GIN: c.gin} {
			if got := index.Question(c.asked); string(got) != want {
				t.Errorf("%+v is asked as %s, want %s", c.asked, got, want)
			}
		}
	}
}
