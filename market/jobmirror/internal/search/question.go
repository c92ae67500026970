package search

import (
	"reflect"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/grid"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// questions holds what the text index is asked for a query: one question for all hits, and one
// for the hits of each tier (see Relevance). They ask for the tokens under which put puts a
// document.
type questions struct {
	parsed
	index    *textindex.Index
	stemmers []string       // of all documents
	in       []words.Lookup // the text's lookups, one for each of stemmers
	whole    words.Expr     // of all hits
	all      textindex.Question
	tiers    []tier
}

// parsed is a query, and what it asks for as expressions of tokens.
type parsed struct {
	q      Query
	text   words.Query
	narrow []words.Expr // tokens that documents must have besides the text's
	hidden []words.Expr // what they must not have
}

// read returns what a query asks for.
func read(q Query) parsed {
	parse := words.Parse
	if q.Literal {
		parse = words.Literal
	}
	hidden := narrowed(q.Hidden, jobboard.GeoLocation{})
	return parsed{q: q, text: parse(q.Text), narrow: q.narrowed(q.Any), hidden: hidden}
}

// narrowed returns what the text index is asked for documents that have the query's tags and one of some others, and
// are in its circle.
func (q *Query) narrowed(anyOf []Tag) []words.Expr {
	all := narrowed(q.Tags, q.Near)
	if len(anyOf) > 0 {
		all = append(all, words.Expr{Op: words.Or, Of: narrowed(anyOf, jobboard.GeoLocation{})})
	}
	return all
}

// expr returns the expression of the tokens that a document must have. of returns the text's
// expression, if the query has a text.
func (a *parsed) expr(of func() words.Expr) words.Expr {
	switch {
	case strings.TrimSpace(a.q.Text) == "":
		return a.shown(a.narrow)
	case a.text.Empty(): // there is nothing but punctuation in it
		return a.shown(a.narrow, words.Expr{Text: textindex.None})
	}
	return a.shown(a.narrow, of())
}

// shown returns the expression for the documents that are not hidden, that tags select, and that all
// of some expressions select too.
func (a *parsed) shown(tags []words.Expr, too ...words.Expr) words.Expr {
	e := words.Expr{Op: words.And, Of: slices.Concat(tags, too)}
	if len(a.hidden) > 0 {
		e = words.Expr{Op: words.Less, Of: slices.Concat([]words.Expr{e}, a.hidden)}
	}
	return e
}

// tier returns the question for the hits of a tier or, with orAbove, for these and some hits of
// the tiers above it, which is less work for the index.
type tier func(orAbove bool) textindex.Question

// questions returns what the index is asked for a query.
func (t *tx) questions(q Query) (*questions, error) {
	if err := t.text.Prepare(t.Tx); err != nil {
		return nil, err
	}
	stemmers, err := t.stemmers()
	return t.questionsIn(stemmers, q), err
}

// questionsIn returns what an index of documents of some stemmers is asked for a query.
func (x *Index) questionsIn(stemmers []string, q Query) *questions {
	a := &questions{parsed: read(q), index: x.text, stemmers: stemmers}
	a.read(a.text.WithSynonyms(x.Synonyms))
	a.addTiers(nil)
	return a
}

// stemmers returns the names of the stemmers of all documents.
func (t *tx) stemmers() (names []string, err error) {
	err = t.Rows("SELECT name FROM stemmers ORDER BY name", nil, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		names = append(names, name)
		return err
	})
	return names, err
}

// narrowed returns what the text index is asked for documents that have tags and are in a circle.
func narrowed(tags []Tag, near jobboard.GeoLocation) []words.Expr {
	var all []words.Expr
	for _, tag := range tags {
		all = append(all, words.Expr{Text: tag.token()})
	}
	if cells := grid.Cover(near); !near.IsZero() && cells != nil {
		around := words.Expr{Op: words.Or}
		for _, c := range cells {
			around.Of = append(around.Of, words.Expr{Text: c})
		}
		all = append(all, around)
	}
	return all
}

// read has the questions that follow ask for a text.
func (a *questions) read(text words.Query) {
	a.text, a.in = text, nil
	for _, name := range a.stemmers {
		a.in = append(a.in, text.In(name, a.index.Pieces))
	}
	a.whole = a.expr(func() words.Expr { return a.forEachStemmer(func(in int) words.Expr { return a.in[in].All() }) })
	a.all = a.index.Question(a.whole)
}

// addTiers adds the tiers of the text: one, unless it has words and Relevance orders the hits.
// Those of a corrected text leave out what it finds as it was typed. Each question is
// made when its turn comes: most pages end before.
func (a *questions) addTiers(without []words.Lookup) {
	text, n := a.in, 1
	if a.q.Order == Relevance && !a.text.Empty() {
		n = a.text.Tiers()
	}
	for i := range n {
		a.tiers = append(a.tiers, func(orAbove bool) textindex.Question {
			return a.ask(func(in int) words.Expr {
				e := text[in].All()
				switch {
				case n > 1 && orAbove:
					e = text[in].TierOrAbove(i)
				case n > 1:
					e = text[in].Tier(i)
				}
				if without != nil && !orAbove {
					e = words.Expr{Op: words.Less, Of: []words.Expr{e, without[in].All()}}
				}
				return e
			})
		})
	}
}

// ask returns the question for the query; of returns
// the text's expression for one of a.stemmers.
func (a *questions) ask(of func(in int) words.Expr) textindex.Question {
	return a.index.Question(a.expr(func() words.Expr { return a.forEachStemmer(of) }))
}

// question returns the question for the documents that are not hidden, that tags select, and that all
// of some expressions select too.
func (a *questions) question(tags []words.Expr, too ...words.Expr) textindex.Question {
	return a.index.Question(a.shown(tags, too...))
}

// forEachStemmer joins what of returns for each of a.stemmers, for the documents of that
// stemmer alone; an expression shared by all stemmers needs no tags.
func (a *questions) forEachStemmer(of func(in int) words.Expr) words.Expr {
	if len(a.stemmers) == 0 { // nothing is indexed yet
		return words.Expr{Text: textindex.None}
	}
	found := words.Expr{Op: words.Or}
	agree := true
	for i, name := range a.stemmers {
		in := of(i)
		agree = agree && (i == 0 || reflect.DeepEqual(found.Of[0].Of[1], in))
		found.Of = append(found.Of, words.Expr{Op: words.And, Of: []words.Expr{{Text: stemmerToken(name)}, in}})
	}
	if agree {
		return found.Of[0].Of[1]
	}
	return found
}

// forms returns the question for the documents that have a form of a word, and that tags
// select too.
func (a *questions) forms(word string, tags []words.Expr) textindex.Question {
	return a.question(tags, a.forEachStemmer(func(in int) words.Expr { return a.in[in].Form(word) }))
}
