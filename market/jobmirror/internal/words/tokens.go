package words

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
)

// Texts holds the texts of one posting.
type Texts struct {
	Title string
	Short []string // its categories, places and companies
	Other []string // of HTML what Text returns
	// Remote says that the posting has a field that calls it remote work. The words for that find it, whether its texts
	// have them or not.
	Remote bool
}

// Tokenizer finds the tokens of postings. It remembers words, of which the next posting has
// most again. Its methods must not be called concurrently.
type Tokenizer struct {
	Pieces Pieces // of words

	lexicons map[string]*lexicon // by the names of their stemmers
	words    int                 // that it remembers
	posting  int                 // the number of the current posting, so that each word and each token is taken once
}

// maxLexicon bounds the words that a Tokenizer remembers, with some 200 bytes each. Beyond
// that it forgets all.
const maxLexicon = 1 << 14

// lexicon has words of texts with the same stemmer.
type lexicon struct {
	stem   *stemmer
	pieces Pieces
	words  map[string]*lexeme
	tokens map[string]*token
}

// lexeme is a word with its tokens in any text, and its further tokens in the texts of a scope,
// nil: not needed yet.
type lexeme struct {
	word     string
	forms    forms
	anywhere []*token
	further  map[place][]*token
	noted    bool // a mistyped word may have meant it
	posting  int  // the last that had it
}

// place says where a word stands, and whether it is joined of several there: then parts of it are not looked for.
type place struct {
	scope  scope
	joined bool
}

type token struct {
	text    string
	posting int // the last that had it
}

// Tokens returns the tokens by which a posting is found, each once, and those of its words
// that a mistyped one may have meant. The stemmer is one that Stemmer returned.
//
// A token is the key of a word's stem as it stands, or begins with an underscore, which no word
// has, and a letter for what it says. Most words have the same plain and spelled key.
//
//	key                        a word whose two keys are the same, in any text
//	_ukey, _vkey               the plain and the spelled key of a word whose two differ, in any text
//	_t_key, _tu_key, _tv_key   the same three of a word of the title
//	_m_key, _mu_key, _mv_key   the same three of a word of the other short texts
//	_bpiece                    a piece of a word of the title: four to six letters from a place where a
//	                           part may begin; see Pieces
//	_cpiece, _dpiece           a piece of the plain and of the spelled key of such a word whose two differ
//	_epiece, _fpiece, _gpiece  the same three of a word of the other short texts
//	_hsum                      a sum in place of a token of the first three lines that is long; see short
//	_r                         of a posting with Texts.Remote
//
// What is joined in the title or the other short texts, such as Full-Stack, has the tokens of one word
// as well, but no pieces; a word with signs, such as C++, has the tokens of the word that stands for
// it.
func (x *Tokenizer) Tokens(t Texts, stemmer string) (tokens, noted []string) {
	if x.words > maxLexicon {
		x.lexicons, x.words = nil, 0
	}
	if x.lexicons == nil {
		x.lexicons = map[string]*lexicon{}
	}
	l := x.lexicons[stemmer]
	if l == nil {
		l = &lexicon{stem: newStemmer(stemmer), pieces: x.Pieces, words: map[string]*lexeme{}, tokens: map[string]*token{}}
		x.lexicons[stemmer] = l
	}
	before := len(l.words)
	x.posting++
	take := func(list []*token) {
		for _, one := range list {
			if one.posting != x.posting {
				one.posting = x.posting
				tokens = append(tokens, one.text)
			}
		}
	}
	add := func(text string, s scope) {
		for word := range split(normal(text)) {
			w := l.lexeme(word)
			if w.posting != x.posting {
				w.posting = x.posting
				take(w.anywhere)
				if w.noted {
					noted = append(noted, w.word)
				}
			}
			if s != anywhere {
				take(l.in(w, place{s, false}))
			}
		}
	}
	add(t.Title, inTitle)
	for _, text := range t.Short {
		add(text, inShort)
	}
	for _, text := range t.Other {
		add(text, anywhere)
	}
	join := func(text string, s scope) {
		for word := range joined(normal(text)) {
			w := l.lexeme(word)
			take(w.anywhere)
			take(l.in(w, place{s, true}))
		}
	}
	join(t.Title, inTitle)
	for _, text := range t.Short {
		join(text, inShort)
	}
	x.words += len(l.words) - before
	if t.Remote {
		tokens = append(tokens, remoteToken)
	}
	return tokens, noted
}

func (l *lexicon) lexeme(word string) *lexeme {
	w, ok := l.words[word]
	if !ok {
		word = strings.Clone(word) // it is part of a text
		w = &lexeme{word: word, forms: l.stem.formsOf(word), noted: noted(word)}
		w.anywhere = l.ofForms(nil, w.forms, anywhere)
		l.words[word] = w
	}
	return w
}

// in returns the further tokens of a word in the texts of a scope.
func (l *lexicon) in(w *lexeme, at place) []*token {
	tokens, ok := w.further[at]
	if !ok {
		tokens = l.ofForms(nil, w.forms, at.scope)
		if !at.joined {
			tokens = l.ofPieces(tokens, w.word, at.scope)
		}
		if w.further == nil {
			w.further = map[place][]*token{}
		}
		w.further[at] = tokens
	}
	return tokens
}

// token returns the token that has a text.
func (l *lexicon) token(text string) *token {
	one, ok := l.tokens[text]
	if !ok {
		one = &token{text: text}
		l.tokens[text] = one
	}
	return one
}

func (l *lexicon) ofForms(list []*token, f forms, s scope) []*token {
	for text := range f.tokens(s) {
		list = append(list, l.token(text))
	}
	return list
}

func (l *lexicon) ofPieces(list []*token, word string, s scope) []*token {
	if isSigned(word) {
		return list
	}
	kinds := s.pieces()
	add := func(kind, key string) {
		for piece := range l.pieces.of(key) {
			list = append(list, l.token(kind+piece))
		}
	}
	if k := keyOf(word); k.plain == k.spelled {
		add(kinds.same, k.plain)
	} else {
		add(kinds.plain, k.plain)
		add(kinds.spelled, k.spelled)
	}
	return list
}

// scope says in which texts a form stands.
type scope string

const (
	anywhere scope = ""
	inTitle  scope = "_t"
	inShort  scope = "_m"
)

// pieceKinds has what stands before the pieces of words in a scope: of a word whose two keys are the
// same, and of either key.
type pieceKinds struct{ same, plain, spelled string }

// pieces returns the kinds of the pieces of a scope's words.
func (s scope) pieces() pieceKinds {
	if s == inTitle {
		return pieceKinds{"_b", "_c", "_d"}
	}
	return pieceKinds{"_e", "_f", "_g"}
}

// summed is the prefix of tokens that are stored as hashes.
const summed = "_h"

// token returns the token of a key in a scope. kind is "u" or "v" for a plain or a spelled
// key, and empty if a word has the same for both; see Tokens.
func (s scope) token(kind, key string) string {
	switch {
	case s != anywhere:
		return short(string(s) + kind + "_" + key)
	case kind != "":
		return short("_" + kind + key)
	}
	return short(key)
}

// maxToken is the number of bytes of the longest token that stands in an index as it is: one
// that begins with summed and has 45 bits of a sum is as long.
const maxToken = len(summed) + 9

// short returns a token, or a sum of it where it is long. Most tokens of an index have only a
// few postings each, so their letters would take as much room as the lists of these postings.
// Words with the same sum find each other's postings. With a million words, the chance that a
// given word shares its sum with another word is 1 in 35 million; the chance that any two words
// share one is 1 in 70.
func short(token string) string {
	if len(token) <= maxToken {
		return token
	}
	sum := sha256.Sum256([]byte(token))
	return summed + lowerCase.EncodeToString(sum[:])[:maxToken-len(summed)]
}

// lowerCase writes bytes in letters that no index takes for others.
var lowerCase = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// tokens yields the tokens under which a word with these forms is indexed.
func (f forms) tokens(s scope) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if f.same() {
			for _, k := range f.plain {
				if !yield(s.token("", k)) {
					return
				}
			}
			return
		}
		for _, k := range f.plain {
			if !yield(s.token("u", k)) {
				return
			}
		}
		for _, k := range f.spelled {
			if !yield(s.token("v", k)) {
				return
			}
		}
	}
}

// queryTokens returns the tokens of a query's word: any one of them proves that a posting has the
// word.
func (f forms) queryTokens(s scope) []string {
	var all []string
	for _, k := range f.plain {
		all = append(all, s.token("", k), s.token("u", k))
	}
	for _, k := range f.spelled {
		all = append(all, s.token("", k), s.token("v", k))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
