// Package foreign prepares texts of others for a language model: it removes
// markup and invisible characters, and bounds the length. It does not change
// the meaning of the words, so mark them as data.
package foreign

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Line returns a text on one line of at most limit characters, including the ellipsis
// of a cut text.
func Line(s string, limit int) string {
	line, _ := shorten(strings.Join(strings.Fields(visible(bounded(s, limit))), " "), limit)
	return line
}

// Text returns the words of HTML with a line for each paragraph, in at most
// limit characters including the ellipsis of a cut text, and reports whether it
// cut the text. It leaves out comments, scripts, styles and attributes.
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
		if b.Len() > utf8.UTFMax*limit { // more than limit characters
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
	atom.Wbr: true, 0: true, // unknown elements
}

// words returns the text of HTML, with a line break for each element that ends a
// line.
func words(ad string) string {
	var b strings.Builder
	var quiet silence
	tokens := html.NewTokenizer(strings.NewReader(ad))
	for {
		kind := tokens.Next()
		switch kind {
		case html.ErrorToken:
			return b.String() // the end, because reading a string cannot fail
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

// silence tracks whether a silent element is open.
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

// opens reports whether a tag opens an element. Self-closing tags close only SVG
// and MathML elements.
func opens(kind html.TokenType, tag atom.Atom) bool {
	return kind == html.StartTagToken || kind == html.SelfClosingTagToken && tag != atom.Svg && tag != atom.Math
}

// visible removes characters that are invisible or reorder their neighbours,
// because they can hide text: control and format characters, fillers, variation
// selectors, tags and unassigned characters. It turns all white space but line
// breaks into spaces, and angle brackets into ‹ and ›, so that nothing looks like
// a tag.
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

// bounded returns the beginning of a text that can contribute to limit visible
// characters.
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

// Token returns an identifier or code word unchanged. It returns "" for text that
// a model could read as a sentence, because it has characters besides ASCII
// letters, digits and -_.:, or more than 64 characters.
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
