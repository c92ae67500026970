package jobpublish

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text returns the words of an advertisement's HTML as plain text, for a mail or
// a terminal: a line for each paragraph, with an empty line around it, and an
// item of a list as a line that begins with a bullet; of plain text the lines stay.
// Scripts, styles and comments have no words. Control characters, and those that
// turn the direction of the text around them, are left out. The time it takes grows
// with the length of ad and no faster.
//
// The result is text and not HTML: escape it for where it goes.
func Text(ad string) string {
	words := layout{room: math.MaxInt}
	words.Grow(len(ad) / 2)
	words.read(markLines(strings.ToValidUTF8(ad, "\uFFFD")))
	return words.String()
}

// Excerpt returns the beginning of an advertisement on one line, for a preview
// or a meta element. It has at most limit characters, the ellipsis at its end
// included, and ends with a whole word where there is one. With a limit of 0 or
// less it is empty. It reads no more of ad than it needs.
//
// The result is text and not HTML: escape it for where it goes.
func Excerpt(ad string, limit int) string {
	if limit <= 0 {
		return ""
	}
	beginning := layout{room: limit}
	beginning.read(ad)
	return cut(strings.Join(strings.Fields(beginning.String()), " "), limit)
}

// Line returns a text of the board that is no HTML, such as a title, on one line of at most
// limit characters, cut as by Excerpt. Control characters, and those that turn the direction
// of the text around them, are left out. With a limit of 0 or less it is empty.
//
// The result is text and not HTML: escape it for where it goes.
func Line(text string, limit int) string {
	if limit <= 0 {
		return ""
	}
	return cut(line(text), limit)
}

// cut returns words on one line as at most limit characters, an ellipsis at the end of those
// that were cut included.
func cut(words string, limit int) string {
	if utf8.RuneCountInString(words) <= limit {
		return words
	}
	end, last := 0, 0 // in bytes: of limit-1 characters, and of the last whole word among them
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
	return strings.TrimRightFunc(words[:last], unicode.IsPunct) + "…"
}

// layout is text that grows by words. What separates them is written when the
// next word comes, so that none is at the beginning or the end.
type layout struct {
	strings.Builder
	room     int // for characters; nothing is read once it is below 0
	newlines int // before the next word
	space    bool
	bullet   bool
}

// read appends the words of an ad, as far as there is room.
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

// tag separates what is before a start or an end tag from what is after it.
func (l *layout) tag(e *element) {
	switch {
	case e == nil, l.bullet, e.kind == phrases && e.atom != atom.Br:
	case e.atom == atom.Br:
		l.newlines = min(l.newlines+1, 2)
	case e.kind == cells:
		l.space = true
	case e.kind == flow && e.atom != atom.Div:
		l.newlines = 2
	default:
		l.newlines = max(l.newlines, 1)
	}
}

// words appends text with each run of white space as one space.
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
	if l.bullet {
		l.WriteString("• ")
		l.room -= 2
	}
	l.newlines, l.space, l.bullet = 0, false, false
	l.WriteString(word)
	l.room -= utf8.RuneCountInString(word)
}

func separates(r rune) bool {
	if r < 0x7f { // most are, and each is asked about
		return r <= ' '
	}
	return unicode.IsSpace(r) || invisible(r)
}

// invisible reports whether a character has no glyph and may change how those
// around it are shown.
func invisible(r rune) bool {
	return unicode.IsControl(r) && !unicode.IsSpace(r) ||
		r >= '\u202A' && r <= '\u202E' || // embeddings and overrides of the direction
		r >= '\u2066' && r <= '\u2069' || // isolates
		r == '\uFEFF'
}
