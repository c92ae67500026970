package textindex

import (
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// Question is an expression in the language of an index. It is a parameter of Index.Table.
type Question string

// Question writes an expression in the index's language.
func (x *Index) Question(e words.Expr) Question {
	var b strings.Builder
	x.write(&b, e)
	return Question(b.String())
}

func (x *Index) write(b *strings.Builder, e words.Expr) {
	between := x.and
	switch e.Op {
	case words.Token, words.Begins:
		b.WriteString(x.quote + strings.ReplaceAll(e.Text, x.quote, x.quote+x.quote) + x.quote)
		if e.Op == words.Begins {
			b.WriteString(x.begins)
		}
		return
	case words.Or:
		between = x.or
	case words.Less:
		between = x.less
	}
	if len(e.Of) == 0 { // every posting
		x.write(b, words.Expr{Text: Every})
		return
	}
	b.WriteByte('(')
	for i, of := range e.Of {
		if i > 0 {
			b.WriteString(between)
		}
		x.write(b, of)
	}
	b.WriteByte(')')
}
