package words

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/unicode/norm"
)

// maxWord is the least length of a word that is ignored: nobody searches for such words, mostly
// encoded data.
const maxWord = 64

// normal returns a text in lower case and in Unicode's form NFKC, without characters
// that are invisible inside a word, such as a soft hyphen.
func normal(text string) string {
	text = norm.NFKC.String(text)
	if strings.ContainsFunc(text, invisible) {
		text = strings.Map(func(r rune) rune {
			if invisible(r) {
				return -1
			}
			return r
		}, text)
	}
	return strings.ReplaceAll(strings.ToLower(text), "i\u0307", "i") // of a capital I with a dot
}

// invisible reports whether a character stands inside words without being seen.
func invisible(r rune) bool {
	switch r {
	case '\u00ad', '\u200b', '\u2060', '\ufeff': // soft hyphen, space of no width, joiner, byte order mark
		return true
	}
	return false
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// split yields the words of a normal text, and for one that has signs the word that stands for it:
// see signed. In writings without spaces between words, each character counts as a word, and so do
// each two neighbours.
func split(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		begin := 0
		if mayHaveSigned(text) {
			for i := 0; i < len(text); i++ {
				word, size := signedAt(text, i)
				if size == 0 {
					continue
				}
				if !splitRuns(text[begin:i], yield) || !yield(word) {
					return
				}
				begin, i = i+size, i+size-1
			}
		}
		splitRuns(text[begin:], yield)
	}
}

// splitRuns yields the words of a normal text without words that have signs, until yield returns
// false.
func splitRuns(text string, yield func(string) bool) bool {
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return !inWord(r) }) {
		if !splitRun(run, yield) {
			return false
		}
	}
	return true
}

// maxJoined bounds the words that joined writes as one.
const maxJoined = 3

// joined yields what stands in a normal text with a hyphen or a full stop between its words, as one
// word: "fullstack" for "full-stack", "nodejs" for "node.js". Of three words it yields the first two,
// the last two and all. Words with signs are not joined, nor are numbers.
func joined(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !strings.ContainsAny(text, "-.\u2010") {
			return
		}
		for _, chain := range chains(text) {
			for first := range chain {
				for last := first + 2; last <= min(first+maxJoined, len(chain)); last++ {
					word := strings.Join(chain[first:last], "")
					if len(word) <= maxWord && !yield(word) {
						return
					}
				}
			}
		}
	}
}

// chains returns the words of a normal text that have a hyphen or a full stop between them.
func chains(text string) (found [][]string) {
	var chain []string
	end := func() {
		if len(chain) > 1 {
			found = append(found, chain)
		}
		chain = nil
	}
	for i := 0; i < len(text); {
		if _, size := signedAt(text, i); size > 0 {
			end()
			i += size
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !inWord(r) {
			next, _ := utf8.DecodeRuneInString(text[i+size:])
			if r != '-' && r != '.' && r != '\u2010' || !inWord(next) {
				end()
			}
			i += size
			continue
		}
		run := text[i:]
		if n := strings.IndexFunc(run, func(r rune) bool { return !inWord(r) }); n >= 0 {
			run = run[:n]
		}
		i += len(run)
		if !strings.ContainsFunc(run, unicode.IsLetter) || strings.ContainsFunc(run, unspaced) {
			end()
			continue
		}
		chain = append(chain, run)
	}
	end()
	return found
}

// Is reports whether a text is one word, as split yields it.
func Is(text string) bool {
	n := 0
	for word := range split(normal(text)) {
		if n++; word != text {
			return false
		}
	}
	return n == 1
}

// splitRun yields the words of a run of letters until yield returns false.
func splitRun(run string, yield func(string) bool) bool {
	give := func(word string) bool { return word == "" || len(word) > maxWord || yield(word) }
	begin, before := 0, ""
	for i, r := range run {
		if !unspaced(r) {
			before = ""
			continue
		}
		character := string(r)
		if !give(run[begin:i]) || !give(character) || before != "" && !give(before+character) {
			return false
		}
		begin, before = i+len(character), character
	}
	return give(run[begin:])
}

// unspaced reports whether a character is of a writing without spaces between words.
func unspaced(r rune) bool {
	const firstOfThem = '\u0e00' // the first letters of Thai
	const prolonged = '\u30fc'   // of Katakana, and to Unicode of no writing
	return r >= firstOfThem && (r == prolonged || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// inline has the elements that do not end a word: text before and behind their tags makes one
// word.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Code: true, atom.Del: true, atom.Em: true, atom.Font: true,
	atom.I: true, atom.Ins: true, atom.Mark: true, atom.S: true, atom.Small: true, atom.Span: true, atom.Strike: true,
	atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.U: true, atom.Wbr: true,
}

// blockEnd, which is white space, stands in a Text where a block begins or ends. A line break would
// be mistaken for one that the source has within a sentence.
const blockEnd = '\u2029' // paragraph separator

// Text returns the text of a page: without markup and scripts, and with a paragraph separator
// where an element other than one of emphasis begins or ends.
func Text(page string) string {
	if !strings.ContainsAny(page, "<&") {
		return page
	}
	var text strings.Builder
	z := html.NewTokenizer(strings.NewReader(page))
	hidden := atom.Atom(0)
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken: // the end
			return text.String()
		case html.TextToken:
			if hidden == 0 {
				text.Write(z.Text())
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			element := atom.Lookup(name)
			if !inline[element] {
				text.WriteRune(blockEnd)
			}
			switch {
			case kind == html.StartTagToken && (element == atom.Script || element == atom.Style):
				hidden = element
			case kind == html.EndTagToken && element == hidden:
				hidden = 0
			}
		}
	}
}
