package jobmirror

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

// stemmedIn returns the language by which the words of a posting are stemmed:
// the first of the tags whose language has a stemmer, "" where none has.
func stemmedIn(tags ...string) string {
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

// words gathers the stems of texts, each once.
type words struct {
	language string
	set      map[string]struct{}
	env      *snowballstem.Env
}

func newWords(language string) *words {
	return &words{language: language, set: map[string]struct{}{}, env: snowballstem.NewEnv("")}
}

// add takes the words of a text: runs of letters, marks and digits.
func (w *words) add(text string) {
	text = strings.ReplaceAll(strings.ToLower(norm.NFKC.String(text)), "i\u0307", "i") // of a capital I with a dot
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		w.addRun(run)
	}
}

// addRun takes the words of a run of letters. Where the writing has no spaces between
// words, each character counts as one, and each two that follow each other.
func (w *words) addRun(run string) {
	begin, before := 0, ""
	for i, r := range run {
		if !unspaced(r) {
			before = ""
			continue
		}
		w.addWord(run[begin:i])
		character := string(r)
		w.addWord(character)
		if before != "" {
			w.addWord(before + character)
		}
		begin, before = i+len(character), character
	}
	w.addWord(run[begin:])
}

func (w *words) addWord(word string) {
	if word != "" && len(word) <= maxWord {
		w.set[w.stem(word)] = struct{}{}
	}
}

// unspaced reports whether a character is of a writing without spaces between words.
func unspaced(r rune) bool {
	const prolonged = '\u30fc' // of Katakana, and to Unicode of no writing
	return r == prolonged || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func (w *words) stem(word string) string {
	stem, ok := stemmers[w.language]
	if !ok || !utf8.ValidString(word) {
		return word
	}
	w.env.SetCurrent(word)
	stem(w.env)
	return cmp.Or(w.env.Current(), word)
}

// addHTML takes the words of a page: its text, without markup and scripts.
func (w *words) addHTML(page string) {
	if !strings.ContainsAny(page, "<&") {
		w.add(page)
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
				w.add(string(z.Text()))
			}
		}
	}
}

func (w *words) sorted() []string { return slices.Sorted(maps.Keys(w.set)) }

// wordsOf returns the stems by which a posting is found: those of its title and of
// every text of its config.
func wordsOf(r *PostingRecord, ads map[string][]string, language string) []string {
	w := newWords(language)
	w.add(r.Title)
	for key, values := range joinAds(r.Config, ads).All() {
		for _, value := range values {
			if strings.HasSuffix(key, adSuffix) {
				w.addHTML(value)
			} else {
				w.add(value)
			}
		}
	}
	return w.sorted()
}

// queryWords returns the stems that a posting in a language must have.
func queryWords(text, language string) []string {
	w := newWords(language)
	w.add(text)
	return w.sorted()
}
