package words

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minTyped is the least number of letters that are completed.
const minTyped = 3

// Typed is the beginning, or the end, of a word that somebody types.
type Typed struct {
	word   string
	key    key
	mayEnd bool // words may end so: fewer letters have nothing in common with them, as IT and Teamfähigkeit
}

// ReadTyped reads what somebody typed. It reports false for less than three letters, and for several words.
func ReadTyped(text string) (Typed, bool) {
	word := normal(text)
	if !Is(word) || utf8.RuneCountInString(word) < minTyped {
		return Typed{}, false
	}
	k := keyOf(word)
	return Typed{word, k, mayBePart(word, k)}, true
}

// Expr asks a text index that has certain pieces for the postings that may have such a word in the title.
func (t Typed) Expr(pieces Pieces) Expr {
	s := &speller{pieces: pieces}
	p := partOf(t.key)
	return Expr{Op: Or, Of: []Expr{titleOrPart.allPieces(s, p.plain, false), titleOrPart.allPieces(s, p.spelled, true)}}
}

// Suggestions collects what titles suggest to somebody who types a word.
type Suggestions struct {
	typed  Typed
	words  map[string]*suggestion // by their stems
	titles map[string]*suggestion // by their lower case
}

// suggestion is a word, in some forms, or a title.
type suggestion struct {
	titles   int  // that have it
	begins   bool // as what was typed
	writings map[string]int
}

// Suggestions returns a collection without titles.
func (t Typed) Suggestions() *Suggestions {
	return &Suggestions{typed: t, words: map[string]*suggestion{}, titles: map[string]*suggestion{}}
}

// maxSuggested is the number of letters of the longest title that is suggested.
const maxSuggested = 80

// Add adds the title of a posting whose words have a stemmer. It suggests the whole title as well if that matches a query.
func (s *Suggestions) Add(title, stemmer string, q Query) {
	stem := newStemmer(stemmer)
	title = strings.Join(strings.Fields(withoutGenders(title)), " ")
	counted := map[string]bool{}
	begins := false
	for _, word := range s.typed.of(title) {
		name := stem.formsOf(normal(word.text)).plain[0]
		note(s.words, name, word.text, word.begins, !counted[name])
		counted[name], begins = true, begins || word.begins
	}
	title = strings.Trim(title, " -–,;:/|·")
	isPlain := !strings.ContainsAny(title, "\"“”„«»") && !strings.Contains(title, " -") && !slices.Contains(strings.Fields(title), "OR")
	several := strings.ContainsRune(title, ' ')
	if begins && several && isPlain && utf8.RuneCountInString(title) <= maxSuggested && q.Matches(Texts{Title: title}, stemmer) {
		note(s.titles, strings.ToLower(title), title, true, true)
	}
}

func note(to map[string]*suggestion, name, writing string, begins, isNew bool) {
	one := to[name]
	if one == nil {
		one = &suggestion{writings: map[string]int{}}
		to[name] = one
	}
	if isNew {
		one.titles++
	}
	one.begins = one.begins || begins
	one.writings[writing]++
}

// typedWord is a word of a title, which begins as what was typed or ends so.
type typedWord struct {
	text   string
	begins bool
}

// of returns the words of a title that begin as what was typed, or end so, as the title writes them. Of words with a hyphen
// between them those are one from the first that begins so on.
func (t Typed) of(title string) (found []typedWord) {
	const within = "-.+#&'’"
	for chain := range strings.FieldsFuncSeq(title, func(r rune) bool { return !inWord(r) && !strings.ContainsRune(within, r) }) {
		for word := strings.Trim(chain, within[:2]+"&'’"); word != ""; {
			if fits, begins := t.fits(word); fits {
				found = append(found, typedWord{word, begins})
				break
			}
			_, word, _ = strings.Cut(word, "-")
		}
	}
	return found
}

// fits reports whether a word completes what was typed, and whether it begins so.
func (t Typed) fits(word string) (fits, begins bool) {
	lower := normal(word)
	if lower == t.word || isLittle(lower) || !strings.ContainsFunc(lower, unicode.IsLetter) {
		return false, false
	}
	k := keyOf(lower)
	if strings.HasPrefix(k.plain, t.key.plain) || strings.HasPrefix(k.spelled, t.key.spelled) {
		return true, true
	}
	return t.mayEnd && (strings.HasSuffix(k.plain, t.key.plain) || strings.HasSuffix(k.spelled, t.key.spelled)), false
}

// Best returns at most most words, and at most so many titles, those of the most titles first, each as most titles write it.
func (s *Suggestions) Best(mostWords, mostTitles int) (words, titles []string) {
	return best(s.words, mostWords), best(s.titles, mostTitles)
}

func best(all map[string]*suggestion, most int) (list []string) {
	type named struct {
		*suggestion
		writing string
	}
	var found []named
	for _, one := range all {
		writings := slices.SortedFunc(maps.Keys(one.writings), func(a, b string) int {
			return cmp.Or(cmp.Compare(one.writings[b], one.writings[a]), cmp.Compare(a, b))
		})
		found = append(found, named{one, writings[0]})
	}
	atEnd := func(n named) int {
		if n.begins {
			return 0
		}
		return 1
	}
	slices.SortFunc(found, func(a, b named) int {
		return cmp.Or(cmp.Compare(b.titles, a.titles), cmp.Compare(atEnd(a), atEnd(b)), cmp.Compare(len(a.writing), len(b.writing)),
			cmp.Compare(a.writing, b.writing))
	})
	for _, one := range found[:min(len(found), most)] {
		list = append(list, one.writing)
	}
	return list
}
