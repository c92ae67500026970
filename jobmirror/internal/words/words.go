// Package words finds the words of texts, and reduces them to their stems.
//
// A posting's texts and what is searched for pass through the same package, so that
// a word finds every form of itself. The package knows no database.
package words

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"
)

// stemmers reduce words to their stems, by the language's two letters. Words
// of other languages are found as they are written.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "de": german.Stem, "en": english.Stem, "es": spanish.Stem, "fi": finnish.Stem,
	"fr": french.Stem,
	"ga": irish.Stem, "hu": hungarian.Stem, "it": italian.Stem, "nb": norwegian.Stem, "nl": dutch.Stem,
	"nn": norwegian.Stem,
	"no": norwegian.Stem, "pt": portuguese.Stem, "ro": romanian.Stem, "ru": russian.Stem, "sv": swedish.Stem,
	"ta": tamil.Stem, "tr": turkish.Stem,
}

// Language returns the language by which words are stemmed: the first of the tags
// whose language has a stemmer, "" where none has.
func Language(tags ...string) string {
	for _, tag := range tags {
		primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
		if _, ok := stemmers[primary]; ok {
			return primary
		}
	}
	return ""
}

// maxWord is the length in bytes from which on a word is not looked at: nobody
// searches for it, and it is mostly encoded data.
const maxWord = 64

// Set gathers the stems of texts, each once.
type Set struct {
	language string
	stems    map[string]struct{}
	env      *snowballstem.Env
}

// NewSet returns an empty set for texts in a language, as Language returns it.
func NewSet(language string) *Set {
	return &Set{language: language, stems: map[string]struct{}{}, env: snowballstem.NewEnv("")}
}

// Add takes the words of a text: runs of letters, marks and digits.
func (s *Set) Add(text string) {
	text = strings.ReplaceAll(strings.ToLower(norm.NFKC.String(text)), "i\u0307", "i") // of a capital I with a dot
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		s.addRun(run)
	}
}

// addRun takes the words of a run of letters. Where the writing has no spaces between
// words, each character counts as one, and each two that follow each other.
func (s *Set) addRun(run string) {
	begin, before := 0, ""
	for i, r := range run {
		if !unspaced(r) {
			before = ""
			continue
		}
		s.addWord(run[begin:i])
		character := string(r)
		s.addWord(character)
		if before != "" {
			s.addWord(before + character)
		}
		begin, before = i+len(character), character
	}
	s.addWord(run[begin:])
}

func (s *Set) addWord(word string) {
	if word != "" && len(word) <= maxWord {
		s.stems[s.stem(word)] = struct{}{}
	}
}

// unspaced reports whether a character is of a writing without spaces between words.
func unspaced(r rune) bool {
	const prolonged = '\u30fc' // of Katakana, and to Unicode of no writing
	return r == prolonged || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func (s *Set) stem(word string) string {
	stem, ok := stemmers[s.language]
	if !ok || !utf8.ValidString(word) {
		return word
	}
	s.env.SetCurrent(word)
	stem(s.env)
	return cmp.Or(s.env.Current(), word)
}

// AddHTML takes the words of a page: its text, without markup and scripts.
func (s *Set) AddHTML(page string) {
	if !strings.ContainsAny(page, "<&") {
		s.Add(page)
		return
	}
	z := html.NewTokenizer(strings.NewReader(page))
	hidden := ""
	for {
		switch z.Next() {
		case html.ErrorToken: // the end
			return
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "script" || string(name) == "style" {
				hidden = string(name)
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == hidden {
				hidden = ""
			}
		case html.TextToken:
			if hidden == "" {
				s.Add(string(z.Text()))
			}
		}
	}
}

// Sorted returns the stems in order.
func (s *Set) Sorted() []string { return slices.Sorted(maps.Keys(s.stems)) }

// Of returns the stems of a text in a language, in order.
func Of(text, language string) []string {
	s := NewSet(language)
	s.Add(text)
	return s.Sorted()
}
