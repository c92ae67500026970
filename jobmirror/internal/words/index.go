package words

import (
	"maps"
	"slices"
	"unicode/utf8"
)

// Texts holds the texts of one posting.
type Texts struct {
	Title string
	Short []string // its categories, places and companies
	Other []string // of HTML what Text returns
}

// Tokens returns the tokens by which a posting in a language is found, in order. The
// language is one that Language returned.
//
// A token is a stem as it stands, or begins with an underscore, which no word has, and
// a letter for what it says:
//
//	_u, _v   a plain and a spelled key of a word whose two differ
//	_t, _m   a word of the title, and of the other short texts
//	_e       an ending of a word of either, and so a place where a part may begin
//	_f, _g   the same of the plain and the spelled key of a word whose two differ
func (t Texts) Tokens(language string) []string {
	x := &index{stem: newStemmer(language), tokens: map[string]struct{}{}, seen: map[string]forms{}}
	x.addShort(t.Title, inTitle)
	for _, text := range t.Short {
		x.addShort(text, inShort)
	}
	for _, text := range t.Other {
		x.add(text)
	}
	return slices.Sorted(maps.Keys(x.tokens))
}

// index gathers the tokens of one posting.
type index struct {
	stem   *stemmer
	tokens map[string]struct{}
	seen   map[string]forms // of words that the posting had before
}

func (x *index) add(text string) {
	for word := range split(normal(text)) {
		if _, again := x.seen[word]; !again {
			x.addForms(anywhere, x.forms(word))
		}
	}
}

func (x *index) addShort(text string, s scope) {
	for word := range split(normal(text)) {
		f := x.forms(word)
		x.addForms(anywhere, f)
		x.addForms(s, f)
		x.addEndings(word)
	}
}

func (x *index) forms(word string) forms {
	f, ok := x.seen[word]
	if !ok {
		f = x.stem.formsOf(word)
		x.seen[word] = f
	}
	return f
}

func (x *index) addForms(s scope, f forms) {
	for token := range f.tokens(s) {
		x.tokens[token] = struct{}{}
	}
}

// minPart is the number of letters from which on a part of a word finds it.
const minPart = 4

func (x *index) addEndings(word string) {
	k := keyOf(word)
	if k.plain == k.spelled {
		x.addEndingsOf(endSame, k.plain)
		return
	}
	x.addEndingsOf(endPlain, k.plain)
	x.addEndingsOf(endSpelled, k.spelled)
}

func (x *index) addEndingsOf(kind, key string) {
	for letters := utf8.RuneCountInString(key); letters >= minPart; letters-- {
		x.tokens[kind+key] = struct{}{}
		_, first := utf8.DecodeRuneInString(key)
		key = key[first:]
	}
}

// scope says in which texts a form stands.
type scope string

const (
	anywhere scope = ""
	inTitle  scope = "_t"
	inShort  scope = "_m"
)

// Kinds of endings: of a word whose two keys are the same, and of either key.
const (
	endSame    = "_e"
	endPlain   = "_f"
	endSpelled = "_g"
)

// token returns a token of a word's form. Whether its keys are the same is told by one
// letter more, which words anywhere, being so many, go without where they can.
func (s scope) token(kind, key string) string {
	if s == anywhere {
		if kind == "" {
			return key
		}
		return "_" + kind + key
	}
	return string(s) + kind + "_" + key
}

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

// asked returns the tokens that a word of a query with these forms may be found by.
func (f forms) asked(s scope) []string {
	var all []string
	for _, k := range f.plain {
		all = append(all, s.token("", k), s.token("u", k))
	}
	for _, k := range f.spelled {
		all = append(all, s.token("", k), s.token("v", k))
	}
	if f.umlauts != "" {
		all = append(all, s.token("u", f.umlauts))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
