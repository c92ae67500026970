package search

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// Selection is an index in memory of a few documents, for many queries: to ask it takes some ten microseconds, and to
// ask the index of the database for a few of its documents as long as to ask for all. It is for one
// transaction.
type Selection struct {
	index    *Index
	stemmers []string
	rows     []int64          // of the documents, in the order in which they were added
	with     map[string][]int // by token the documents that have it, by their places in rows
	tokens   []string         // of with, in order; nil: they are not sorted yet
}

// Select returns a selection without a document.
func (x *Index) Select(in *store.Tx) (*Selection, error) {
	stemmers, err := (&tx{in, x}).stemmers()
	return &Selection{index: x, stemmers: stemmers, with: map[string][]int{}}, err
}

// Add adds documents, each once.
func (s *Selection) Add(documents []Document) {
	tokenizer := s.index.tokenizer()
	defer s.index.tokenizers.Put(tokenizer)
	for i := range documents {
		d := &documents[i]
		tokens, _ := d.tokens(tokenizer, words.Stemmer(d.Languages...), d.facets())
		for _, token := range tokens {
			s.with[token] = append(s.with[token], len(s.rows))
		}
		s.rows = append(s.rows, d.Row)
	}
	s.tokens = nil
}

// Find returns the rows of all documents of the selection that a query finds, in descending order. The query's text is not
// corrected.
func (s *Selection) Find(in *store.Tx, q Query) ([]int64, error) {
	asks := s.index.questionsIn(s.stemmers, q)
	var rows []int64
	for at := range s.find(asks.whole).each {
		rows = append(rows, s.rows[at])
	}
	if len(rows) == 0 {
		return nil, nil
	}
	slices.Sort(rows)
	slices.Reverse(rows)
	t := &tx{in, s.index}
	rows, err := t.within(rows, q)
	if err != nil {
		return nil, err
	}
	return t.matching(rows, asks.text)
}

// FindAmong returns the rows of all documents of Query.Among that a query finds, in descending order, as
// Selection.Find does.
func (x *Index) FindAmong(in *store.Tx, q Query) ([]int64, error) {
	t := &tx{in, x}
	asks, err := t.questions(q)
	if err != nil {
		return nil, err
	}
	found, err := t.allHits(asks)
	slices.Reverse(found)
	return found, err
}

// set is a set of places in Selection.rows, a bit each.
type set []uint64

func (s *Selection) none() set { return make(set, (len(s.rows)+63)/64) }

func (s *Selection) all() set {
	all := s.none()
	for at := range s.rows {
		all.add(at)
	}
	return all
}

func (o set) add(at int) { o[at/64] |= 1 << (at % 64) }

// each calls yield for each place, in order.
func (o set) each(yield func(at int) bool) {
	for i, part := range o {
		for ; part != 0; part &= part - 1 {
			if !yield(64*i + bits.TrailingZeros64(part)) {
				return
			}
		}
	}
}

// find returns the documents that an expression selects, as textindex.Question asks for them.
func (s *Selection) find(e words.Expr) set {
	switch {
	case e.Op == words.Token && e.Text == textindex.Every:
		return s.all()
	case e.Op == words.Token:
		return s.having(e.Text)
	case e.Op == words.Begins:
		return s.having(s.beginning(e.Text)...)
	case len(e.Of) == 0:
		return s.all()
	}
	found := s.find(e.Of[0])
	for _, of := range e.Of[1:] {
		next := s.find(of)
		for i := range found {
			switch e.Op {
			case words.And:
				found[i] &= next[i]
			case words.Or:
				found[i] |= next[i]
			case words.Less:
				found[i] &^= next[i]
			}
		}
	}
	return found
}

// having returns the documents that have one of some tokens.
func (s *Selection) having(tokens ...string) set {
	found := s.none()
	for _, token := range tokens {
		for _, at := range s.with[token] {
			found.add(at)
		}
	}
	return found
}

// beginning returns the tokens that begin with a text.
func (s *Selection) beginning(text string) []string {
	if s.tokens == nil {
		s.tokens = make([]string, 0, len(s.with))
		for token := range s.with {
			s.tokens = append(s.tokens, token)
		}
		slices.Sort(s.tokens)
	}
	first, _ := slices.BinarySearch(s.tokens, text)
	n := slices.IndexFunc(s.tokens[first:], func(token string) bool { return !strings.HasPrefix(token, text) })
	if n < 0 {
		n = len(s.tokens) - first
	}
	return s.tokens[first : first+n]
}
