package jobpublish

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text returns the words of an advertisement's HTML as plain text, for a mail or a
// terminal: a line for each paragraph, between empty lines, and a line with a
// bullet for each list item. An ad of plain text keeps its lines. Scripts, styles
// and comments are left out. Text also leaves out control characters, and
// characters that change the direction of the text around them. Its running time is
// linear in the length of ad.
//
// The result is text and not HTML: escape it for where it goes.
func Text(ad string) string {
	words := layout{room: math.MaxInt}
	words.Grow(len(ad) / 2)
	words.read(markLines(strings.ToValidUTF8(ad, "\uFFFD")))
	return words.String()
}

// Excerpt returns the beginning of an advertisement on one line, for a preview
// or a meta element, with a bullet after a heading or another block that ends
// without punctuation. It has at most limit characters, including the ellipsis at
// its end, and ends with a whole word if one fits. If limit is 0 or less,
// Excerpt returns "". Excerpt reads only as much of ad as it returns.
//
// The result is text and not HTML: escape it for where it goes.
func Excerpt(ad string, limit int) string {
	if limit <= 0 {
		return ""
	}
	beginning := layout{room: limit, oneLine: true}
	beginning.read(ad)
	return cut(strings.Join(strings.Fields(beginning.String()), " "), limit)
}

// Line returns a plain text of the board, such as a title, on one line of at most limit
// characters, cut like an Excerpt. It leaves out control characters, and characters that
// change the direction of the text around them. If limit is 0 or less, Line returns "".
//
// The result is text and not HTML: escape it for where it goes.
func Line(text string, limit int) string {
	if limit <= 0 {
		return ""
	}
	return cut(line(text), limit)
}

// cut shortens a line to at most limit characters, including the ellipsis at the end of a
// shortened line.
func cut(words string, limit int) string {
	if utf8.RuneCountInString(words) <= limit {
		return words
	}
	end, last := 0, 0 // byte offsets: after limit-1 characters, and after the last whole word before it
	for i, r := range words {
		if limit--; limit == 0 {
			end = i
			if r == ' ' {
				last = i
			}
			break
		}
		if r == ' ' {
			last = i
		}
	}
	if last == 0 {
		last = end
	}
	betweenWords := func(r rune) bool { return unicode.IsPunct(r) || r == ' ' }
	return strings.TrimRightFunc(words[:last], betweenWords) + "…"
}

// layout builds a text from words. It writes a separator only before the next
// word, so that the text neither begins nor ends with a separator.
type layout struct {
	strings.Builder
	room     int // characters left; reading stops below 0
	newlines int // line ends to write before the next word
	space    bool
	bullet   bool // to write before the next word
	oneLine  bool // bullets separate the blocks, because the line ends will be spaces
	block    bool // a block begins with the next word
}

// read appends the words of an ad until the room is used up.
func (l *layout) read(ad string) {
	tokens := html.NewTokenizer(strings.NewReader(ad))
	for l.room >= 0 {
		switch tokens.Next() {
		case html.ErrorToken: // the end of the ad
			return
		case html.TextToken:
			l.words(html.UnescapeString(strings.ToValidUTF8(string(tokens.Raw()), "\uFFFD")))
		case html.StartTagToken, html.SelfClosingTagToken:
			if raw := tokens.Raw(); bracketed(raw) {
				l.words(strings.ToValidUTF8(string(raw), "\uFFFD"))
				continue
			}
			name, _ := tokens.TagName()
			e := textOnly.elements[atom.Lookup(name)]
			if e == skipped {
				skip(tokens)
				continue
			}
			l.tag(e)
			l.bullet = l.bullet || e != nil && e.kind == items
		case html.EndTagToken:
			name, _ := tokens.TagName()
			e := textOnly.elements[atom.Lookup(name)]
			if e != nil && (e.kind == items || e.holds == items) {
				l.bullet = false
			}
			l.tag(e)
		}
	}
}

// tag separates the words before and after a start or end tag, as the element
// demands.
func (l *layout) tag(e *element) {
	switch {
	case e == nil, l.bullet, e.kind == phrases && e.atom != atom.Br:
	case e.atom == atom.Br:
		l.newlines = min(l.newlines+1, 2)
	case e.kind == cells:
		l.space = true
	case e.kind == flow && e.atom != atom.Div:
		l.newlines, l.block = 2, true
	default:
		l.newlines, l.block = max(l.newlines, 1), true
	}
}

// words appends a text, and replaces each run of white space by one space.
func (l *layout) words(text string) {
	for len(text) > 0 && l.room >= 0 {
		word := strings.IndexFunc(text, separates)
		if word < 0 {
			word = len(text)
		}
		if word > 0 {
			l.word(text[:word])
			text = text[word:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		if !invisible(r) {
			l.space = true
		}
		text = text[size:]
	}
}

func (l *layout) word(word string) {
	if l.Len() > 0 && (l.newlines > 0 || l.space) {
		l.room--
	}
	switch {
	case l.newlines > 0 && l.Len() > 0:
		l.WriteString("\n\n"[:l.newlines])
	case l.space && l.Len() > 0:
		l.WriteByte(' ')
	}
	if l.bullet || l.oneLine && l.block && l.unpunctuated() {
		l.WriteString("• ")
		l.room -= 2
	}
	l.newlines, l.space, l.bullet, l.block = 0, false, false, false
	l.WriteString(word)
	l.room -= utf8.RuneCountInString(word)
}

// unpunctuated reports whether the text so far ends in the middle of a sentence, as a heading does.
func (l *layout) unpunctuated() bool {
	last, size := utf8.DecodeLastRuneInString(strings.TrimRight(l.String(), " \n"))
	return size > 0 && !unicode.IsPunct(last)
}

func separates(r rune) bool {
	if r < 0x7f { // fast path: most characters are ASCII
		return r <= ' '
	}
	return unicode.IsSpace(r) || invisible(r)
}

// invisible reports whether a character has no glyph and may change the display
// of the characters around it.
func invisible(r rune) bool {
	return unicode.IsControl(r) && !unicode.IsSpace(r) ||
		r >= '\u202A' && r <= '\u202E' || // embeddings and overrides of the direction
		r >= '\u2066' && r <= '\u2069' || // isolates
		r == '\uFEFF'
}
