// Package foreign makes texts that others wrote fit to be handed to a language
// model: words without markup, without characters that a reader does not see,
// and bounded. What the words say stays: mark them as data where they go.
package foreign

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Line returns a text as one line of at most limit characters, an ellipsis at the end
// of one that was cut included.
func Line(s string, limit int) string {
	line, _ := shorten(strings.Join(strings.Fields(visible(bounded(s, limit))), " "), limit)
	return line
}

// Text returns the words of HTML, a line for each paragraph, as at most limit
// characters, an ellipsis at its end included, and reports whether it was cut.
// Comments, scripts, styles and attributes have no words.
func Text(ad string, limit int) (text string, cut bool) {
	var b strings.Builder
	for line := range strings.SplitSeq(visible(words(ad)), "\n") {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
		if b.Len() > utf8.UTFMax*limit { // more than is shown
			break
		}
	}
	return shorten(b.String(), limit)
}

// silent are the elements whose content is not shown.
var silent = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Title: true, atom.Iframe: true, atom.Noembed: true,
	atom.Noframes: true, atom.Noscript: true, atom.Xmp: true, atom.Textarea: true, atom.Svg: true, atom.Math: true,
}

// inline are the elements that do not end a line.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Strong: true, atom.I: true, atom.Em: true, atom.U: true, atom.Span: true,
	atom.Font: true, atom.Small: true, atom.Big: true, atom.Sub: true, atom.Sup: true, atom.Abbr: true, atom.Code: true,
	atom.Mark: true, atom.S: true, atom.Strike: true, atom.Del: true, atom.Ins: true, atom.Q: true, atom.Cite: true,
	atom.Wbr: true, 0: true, // which is no element of HTML
}

// words returns the texts of HTML, with a line break where an element ends a line.
func words(ad string) string {
	var b strings.Builder
	var quiet silence
	tokens := html.NewTokenizer(strings.NewReader(ad))
	for {
		kind := tokens.Next()
		switch kind {
		case html.ErrorToken:
			return b.String() // the end: the reader is a string
		case html.TextToken:
			if quiet.depth == 0 {
				b.WriteString(html.UnescapeString(string(tokens.Raw())))
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, _ := tokens.TagName()
			tag := atom.Lookup(name)
			quiet.see(kind, tag)
			if !inline[tag] {
				b.WriteByte('\n')
			}
		}
	}
}

// silence tells whether a silent element is open.
type silence struct {
	tag   atom.Atom
	depth int
}

func (s *silence) see(kind html.TokenType, tag atom.Atom) {
	switch {
	case s.depth == 0 && silent[tag] && opens(kind, tag):
		s.tag, s.depth = tag, 1
	case s.depth == 0 || tag != s.tag:
	case kind == html.EndTagToken:
		s.depth--
	case opens(kind, tag):
		s.depth++
	}
}

// opens reports whether an element begins. Only foreign elements, in the sense of
// HTML, can close themselves.
func opens(kind html.TokenType, tag atom.Atom) bool {
	return kind == html.StartTagToken || kind == html.SelfClosingTagToken && tag != atom.Svg && tag != atom.Math
}

// visible leaves out what has no glyph or reorders the glyphs around it: control
// and format characters, fillers, variation selectors and tags, in which text can
// be hidden, and what is not assigned. Every white space but a line break is a
// space, and angle brackets become quotation marks of their shape, so that nothing
// reads as the beginning or the end of an element.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == utf8.RuneError || r >= ' ' && r < 0x7f && r != '<' && r != '>':
			return r
		case r == '\u2028' || r == '\u2029' || r == '\u0085' || r == '\r':
			return '\n'
		case unicode.IsSpace(r):
			return ' '
		case r == '<':
			return '‹'
		case r == '>':
			return '›'
		case r == '\u2800', // a pattern of Braille without a dot
			!unicode.IsPrint(r),
			unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// bounded returns so much of a text as can matter for limit characters of it.
func bounded(s string, limit int) string {
	if most := 64 * (limit + 16); len(s) > most {
		return s[:most]
	}
	return s
}

// shorten cuts a text to limit characters.
func shorten(s string, limit int) (string, bool) {
	if utf8.RuneCountInString(s) <= limit {
		return s, false
	}
	if limit <= 0 {
		return "", s != ""
	}
	left := limit - 1
	for i := range s {
		if left == 0 {
			return strings.TrimRight(s[:i], " \n") + "…", true
		}
		left--
	}
	return s, false
}

// Token returns an identifier or a code word as it is, and an empty text for
// one that could be read as more: of anything but ASCII letters, digits and -_.:,
// or of more than 64 characters.
func Token(s string) string {
	if len(s) > 64 {
		return ""
	}
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:", r)) {
			return ""
		}
	}
	return s
}
