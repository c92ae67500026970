package words

import (
	"strings"
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

// Stemmer returns the name of the stemmer of texts in a language: two letters, of the first
// of the tags whose language has a stemmer, "" where none has.
func Stemmer(tags ...string) string {
	for _, tag := range tags {
		primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
		if _, ok := stemmers[primary]; ok {
			return primary
		}
	}
	return ""
}

// stemmer reduces the words of one language to their stems.
type stemmer struct {
	name   string
	reduce func(*snowballstem.Env) bool // nil: words stay as they are
	env    *snowballstem.Env
}

func newStemmer(name string) *stemmer {
	return &stemmer{name: name, reduce: stemmers[name], env: snowballstem.NewEnv("")}
}

// stem returns the stem of a word. In German both genders of a job title have one.
func (s *stemmer) stem(word string) string {
	if s.reduce == nil || !utf8.ValidString(word) {
		return word
	}
	if s.name == "de" {
		word = masculine(word)
	}
	s.env.SetCurrent(word)
	s.reduce(s.env)
	if stem := s.env.Current(); stem != "" {
		return stem
	}
	return word
}
