package words

import (
	"iter"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/unicode/norm"
)

// maxWord is the length in bytes from which on a word is not looked at: nobody
// searches for it, and it is mostly encoded data.
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

// split yields the words of a normal text. Where a writing has no spaces between words,
// each character counts as one, and each two that follow each other.
func split(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return !inWord(r) }) {
			if !splitRun(run, yield) {
				return
			}
		}
	}
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

// inline has the elements that do not end a word: what stands before and behind their
// tags is one.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Code: true, atom.Del: true, atom.Em: true, atom.Font: true,
	atom.I: true, atom.Ins: true, atom.Mark: true, atom.S: true, atom.Small: true, atom.Span: true, atom.Strike: true,
	atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.U: true, atom.Wbr: true,
}

// Text returns the text of a page: without markup and scripts, and with a line break
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
				text.WriteByte('\n')
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
