package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// Set holds queries under keys, and tells which of them find a document: those that would find it in
// the index, where nothing is corrected. The zero value holds none. Several goroutines may call its
// methods at the same time.
//
// For each stemmer a Set notes every query under a few tokens, one of which a document must have to be
// found. So a document is compared only with those queries that have one of its tokens, and not with
// the thousands that ask for something else.
type Set struct {
	mu        sync.Mutex
	of        map[string]*saved   // by key
	same      map[string]*saved   // by what they ask for
	noted     map[string]*noted   // by stemmer, of documents that came
	synonyms  *words.Synonyms     // of the index that was asked last
	tokenizer *words.Tokenizer    // of documents
	tokens    map[string]struct{} // of a document
}

// saved is a query with its keys.
type saved struct {
	parsed
	name string // the query's name in same
	keys map[string]struct{}
	in   map[string]words.Expr // by stemmer, once a document with a token of it came
}

// noted holds the queries of a Set as documents with a stemmer are compared with them.
type noted struct {
	under map[string][]*saved // by tokens, one of which a document must have
	rest  map[*saved]struct{} // that any document may match
}

// setPieces are the pieces of words by which a Set compares. Other pieces would give the same
// answers.
const setPieces = words.LongOnly

// Put puts a query under a key, in place of another one.
func (s *Set) Put(key string, q Query) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of, s.same, s.noted = map[string]*saved{}, map[string]*saved{}, map[string]*noted{}
		s.tokenizer = &words.Tokenizer{Pieces: setPieces}
	}
	name := fmt.Sprintf("%q", []any{q.Text, q.Literal, q.Near.String(), q.Tags, q.Hidden})
	one := s.same[name]
	if one != nil && s.of[key] == one {
		return
	}
	s.remove(key)
	if one == nil {
		one = &saved{name: name, keys: map[string]struct{}{}}
		one.read(q, s.synonyms)
		s.same[name] = one
		for stemmer, n := range s.noted {
			n.add(one, stemmer)
		}
	}
	one.keys[key] = struct{}{}
	s.of[key] = one
}

// read reads what a query asks for.
func (one *saved) read(q Query, synonyms *words.Synonyms) {
	one.parsed, one.in = read(q), map[string]words.Expr{}
	one.text = one.text.WithSynonyms(synonyms)
}

// use has the queries ask for synonyms as well.
func (s *Set) use(synonyms *words.Synonyms) {
	if synonyms.Sum() == s.synonyms.Sum() {
		return
	}
	s.synonyms, s.noted = synonyms, map[string]*noted{}
	for _, one := range s.same {
		one.read(one.q, synonyms)
	}
}

// Remove removes the query of a key, if there is one.
func (s *Set) Remove(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(key)
}

func (s *Set) remove(key string) {
	one := s.of[key]
	if one == nil {
		return
	}
	delete(s.of, key)
	if delete(one.keys, key); len(one.keys) > 0 {
		return
	}
	delete(s.same, one.name)
	for stemmer, n := range s.noted {
		n.remove(one, stemmer)
	}
}

// Len returns the number of keys.
func (s *Set) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.of)
}

// Matching returns the keys of those queries of a set that would find a document in the index, in
// order. If the document lacks some of its texts, Matching returns only queries that certainly find
// it, whatever the missing texts say.
func (x *Index) Matching(s *Set, d *Document, whole bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.use(x.Synonyms)
	var keys []string
	for one := range s.found(d, whole) {
		keys = slices.AppendSeq(keys, maps.Keys(one.keys))
	}
	slices.Sort(keys)
	return keys
}

// found returns the queries that find a document.
func (s *Set) found(d *Document, whole bool) map[*saved]struct{} {
	if len(s.of) == 0 {
		return nil
	}
	stemmer := words.Stemmer(d.Languages...)
	n := s.noted[stemmer]
	if n == nil {
		n = &noted{map[string][]*saved{}, map[*saved]struct{}{}}
		for _, one := range s.same {
			n.add(one, stemmer)
		}
		s.noted[stemmer] = n
	}
	s.read(d, stemmer)
	seen, found := map[*saved]struct{}{}, map[*saved]struct{}{}
	look := func(one *saved) {
		if _, again := seen[one]; again {
			return
		}
		seen[one] = struct{}{}
		if one.finds(d, stemmer, s.tokens, whole) {
			found[one] = struct{}{}
		}
	}
	for token := range s.tokens {
		for _, one := range n.under[token] {
			look(one)
		}
	}
	for one := range n.rest {
		look(one)
	}
	return found
}

// read makes tokens those of a document, and the beginnings of its pieces of words.
func (s *Set) read(d *Document, stemmer string) {
	list, _ := s.tokenizer.Tokens(d.texts(), stemmer)
	s.tokens = make(map[string]struct{}, 2*len(list))
	for _, token := range append(list, d.others(stemmer, d.facets())...) {
		s.tokens[token] = struct{}{}
		for beginning := range words.Beginnings(token) {
			s.tokens[beginning] = struct{}{}
		}
	}
}

// finds reports whether a query finds a document with a stemmer and tokens. If texts are missing, it
// does not find by a query that leaves words out.
func (one *saved) finds(d *Document, stemmer string, tokens map[string]struct{}, whole bool) bool {
	e, ok := one.in[stemmer]
	if !ok {
		e = one.by(stemmer)
		one.in[stemmer] = e
	}
	return (whole || !one.text.LeavesOut()) && holds(&e, tokens) && d.isIn(one.q) &&
		(!one.text.Quoted() || one.text.Matches(d.texts(), stemmer))
}

// by returns the expression for documents of a stemmer.
func (one *saved) by(stemmer string) words.Expr {
	return one.expr(func() words.Expr { return one.text.In(stemmer, setPieces).All() })
}

// holds reports whether a document with tokens has what an expression asks for.
func holds(e *words.Expr, tokens map[string]struct{}) bool {
	switch e.Op {
	case words.And:
		for i := range e.Of {
			if !holds(&e.Of[i], tokens) {
				return false
			}
		}
		return true
	case words.Or:
		for i := range e.Of {
			if holds(&e.Of[i], tokens) {
				return true
			}
		}
		return len(e.Of) == 0
	case words.Less:
		for i := range e.Of[1:] {
			if holds(&e.Of[i+1], tokens) {
				return false
			}
		}
		return holds(&e.Of[0], tokens)
	}
	_, ok := tokens[e.Text]
	return ok
}

func (n *noted) add(one *saved, stemmer string) {
	tokens, ok := needed(one.by(stemmer))
	if !ok {
		n.rest[one] = struct{}{}
	}
	for _, token := range tokens {
		n.under[token] = append(n.under[token], one)
	}
}

func (n *noted) remove(one *saved, stemmer string) {
	delete(n.rest, one)
	tokens, _ := needed(one.by(stemmer))
	for _, token := range tokens {
		n.under[token] = slices.DeleteFunc(n.under[token], func(other *saved) bool { return other == one })
		if len(n.under[token]) == 0 {
			delete(n.under, token)
		}
	}
}

// needed returns tokens, one of which every document with the expression must have: those of the
// fewest documents, as far as needed can guess; false: a document may have none of the expression's tokens.
func needed(e words.Expr) (tokens []string, ok bool) {
	switch e.Op {
	case words.Less:
		return needed(e.Of[0])
	case words.Or:
		if len(e.Of) == 0 {
			return nil, false
		}
		for _, of := range e.Of {
			list, ok := needed(of)
			if !ok {
				return nil, false
			}
			tokens = append(tokens, list...)
		}
		slices.Sort(tokens)
		return slices.Compact(tokens), true
	case words.And:
		best := -1
		for _, of := range e.Of {
			if list, has := needed(of); has && rarity(list) >= best { // places come last of the tags
				tokens, ok, best = list, true, rarity(list)
			}
		}
		return tokens, ok
	}
	return []string{e.Text}, true
}

// rarity guesses how few documents have one of some tokens: the longer the shortest word or piece of
// a word is, the fewer. Tags come before short words alone, because many documents share a tag.
func rarity(tokens []string) int {
	const ofTag = 4
	rarest := 1 << 10
	for _, token := range tokens {
		n := utf8.RuneCountInString(token)
		switch {
		case strings.HasPrefix(token, "_x"), strings.HasPrefix(token, "_l"):
			n = ofTag
		case token == textindex.None:
			n = 1 << 10
		}
		rarest = min(rarest, n)
	}
	return rarest
}
