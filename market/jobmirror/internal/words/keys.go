package words

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// key is a word in its two spellings.
type key struct{ plain, spelled string }

// keyOf returns the keys of a normal word.
func keyOf(word string) key {
	if ascii(word) {
		return key{word, word}
	}
	return key{bare(word), bare(spellOut.Replace(word))}
}

var spellOut = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue")

// undecomposed has the letters that have a mark, or are two in one, and that Unicode's form
// NFD leaves as they are.
var undecomposed = strings.NewReplacer("ß", "ss", "ø", "o", "ł", "l", "đ", "d", "æ", "ae", "œ", "oe", "ı", "i")

// bare returns a word without marks, or the word itself where it has nothing else.
func bare(word string) string {
	word = undecomposed.Replace(word)
	if ascii(word) {
		return word
	}
	parted := norm.NFD.String(word)
	without := strings.Map(func(r rune) rune {
		if accent(r) {
			return -1
		}
		return r
	}, parted)
	if without == parted || without == "" {
		return word
	}
	return norm.NFC.String(without)
}

// accent reports whether a character is a mark that people leave out when they type:
// of Latin, Greek and Cyrillic letters, and the vowel points of Hebrew and Arabic. In
// other writings a word without its marks is another word.
func accent(r rune) bool {
	return r >= 0x300 && r <= 0x36f || r >= 0x591 && r <= 0x5c7 || r >= 0x64b && r <= 0x65f || r == 0x670
}

func ascii(word string) bool {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// forms has the keys of a word's forms: two words are forms of one another if they share a
// plain key or a spelled key.
type forms struct{ plain, spelled []string }

// same reports whether the plain and the spelled keys are the same.
func (f forms) same() bool { return slices.Equal(f.plain, f.spelled) }

// share reports whether a word is a form of another one.
func (f forms) share(text forms) bool {
	in := func(list []string) func(string) bool {
		return func(k string) bool { return slices.Contains(list, k) }
	}
	return slices.ContainsFunc(f.plain, in(text.plain)) || slices.ContainsFunc(f.spelled, in(text.spelled))
}

// queryWord is a word of a query, as words of texts are compared with it.
type queryWord struct {
	key
	forms
	quoted bool
}

func (s *stemmer) queryWord(word string, quoted bool) queryWord {
	return queryWord{keyOf(word), s.formsOf(word), quoted}
}

// finds reports whether the word finds a word of a text, as it is written where it is in
// quotes, and else as a form of it.
func (q *queryWord) finds(w *textWord) bool {
	if q.quoted {
		return w.key.agree(q.key)
	}
	return q.share(w.forms())
}

// textWord is a word of a text, as words of a query are compared with it.
type textWord struct {
	word  string
	key   key
	stem  *stemmer
	known *forms // nil: not needed yet
	title bool   // it stands in the title
	short bool   // it stands where parts of words are looked for
}

func (s *stemmer) textWord(word string) *textWord {
	return &textWord{word: word, key: keyOf(word), stem: s}
}

func (w *textWord) forms() forms {
	if w.known == nil {
		f := w.stem.formsOf(w.word)
		w.known = &f
	}
	return *w.known
}

// agree reports whether two words are the same but for their spelling.
func (k key) agree(other key) bool { return k.plain == other.plain || k.spelled == other.spelled }

// formsOf returns the keys of a word's forms. A stem is found before marks are taken off,
// because the endings of a language have some; a word typed without its marks is also stemmed
// without them.
func (s *stemmer) formsOf(word string) forms {
	stem := s.stem(word)
	if ascii(word) && ascii(stem) {
		return forms{plain: []string{stem}, spelled: []string{stem}}
	}
	k := keyOf(word)
	f := forms{plain: []string{bare(stem)}, spelled: []string{s.stem(k.spelled)}}
	if unmarked := s.stem(k.plain); unmarked != f.plain[0] {
		f.plain = append(f.plain, unmarked)
	}
	return f
}
