package jobpublish

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A simplifier rewrites an ad, with only the tags and attributes that a clean ad
// may have and the text between them.
//
// The ad itself must not reach a parser. A parser reopens unclosed elements, with
// all their attributes, in every following block, and so turns a few kilobytes
// into megabytes. It also parses languages such as SVG, which give the same text
// another meaning.
type simplifier struct {
	policy   *policy
	base     *url.URL // base of links; nil: none
	headings int      // level of the first heading; 0: keep all levels
	tokens   *html.Tokenizer
	out      strings.Builder
	open     []*element // the elements around the current place, as long as the ad is well-formed
	alone    [9]int     // open elements by element.alone; only the outermost is written: bold within bold is bold
	broken   bool       // a parser may understand the written ad differently
	above    []int      // original levels of the headings above the current place
	styles   styles
	bullets  bullets
}

// simplify returns the simplified ad, and reports whether it is so well-formed
// that no parser moves anything in it.
func (p *policy) simplify(ad string, base *url.URL, headings int) (simple string, wellFormed bool) {
	s := simplifier{policy: p, base: base, headings: headings, tokens: html.NewTokenizer(strings.NewReader(ad))}
	s.out.Grow(len(ad) + len(ad)/8)
	for {
		switch s.tokens.Next() {
		case html.ErrorToken: // the end of the ad
			s.endBullets()
			return s.out.String(), !s.broken && len(s.open) == 0
		case html.TextToken:
			s.text(s.tokens.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			if bracketed(s.tokens.Raw()) {
				s.text(s.tokens.Raw())
				continue
			}
			name, more := s.tokens.TagName()
			switch e := p.elements[atom.Lookup(name)]; e {
			case nil:
			case skipped:
				skip(s.tokens)
			default:
				s.start(e, more)
			}
		case html.EndTagToken:
			name, _ := s.tokens.TagName()
			if e := p.elements[atom.Lookup(name)]; e != nil && e.holds != nothing {
				s.end(e)
			}
		}
	}
}

// skip skips the content and the end tag of the element whose start tag was
// read last.
func skip(tokens *html.Tokenizer) {
	if tokens.Next() == html.TextToken {
		tokens.Next()
	}
}

// inner returns the kind of content of the innermost open element.
func (s *simplifier) inner() kind {
	if len(s.open) == 0 {
		return flow
	}
	return s.open[len(s.open)-1].holds
}

func (s *simplifier) text(text []byte) {
	if bytes.ContainsFunc(text, unwritten) {
		text = bytes.Map(func(r rune) rune {
			switch {
			case r == '\f': // white space in HTML
				return ' '
			case unwritten(r):
				return -1
			}
			return r
		}, text)
	}
	s.write(s.bulletText(text))
}

// write writes text with the emphasis that styles give it.
func (s *simplifier) write(text []byte) {
	white := len(bytes.Trim(text, " \t\r\n\f")) == 0
	held := s.inner()
	if held == phrases {
		// Parsers drop a line end right after <pre>.
		e := s.open[len(s.open)-1]
		s.broken = s.broken || e.atom == atom.Pre && bytes.HasPrefix(text, []byte("\n"))
	} else if held != flow && !white {
		s.broken = true
	}
	before, after := "", ""
	if !white {
		before, after = s.emphasis()
	}
	s.out.WriteString(before)
	s.out.WriteString(html.EscapeString(string(text)))
	s.out.WriteString(after)
}

// unwritten reports whether a character is invalid in XML, and so in feeds. HTML
// does not need it either.
func unwritten(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f || r == '\uFFFE' || r == '\uFFFF'
}

func (s *simplifier) start(e *element, more bool) {
	attributes, style, ok := s.attributesOf(e, more)
	if e.alone > 0 {
		if style.plain(e) {
			return // its end tag is ignored, too
		}
		if s.alone[e.alone]++; s.alone[e.alone] > 1 {
			return
		}
	}
	if !ok {
		return
	}
	s.styles.start(e, style)
	if e == styled {
		return
	}
	if s.startBullets(e, attributes) {
		return
	}
	s.tag(s.heading(e), attributes)
}

// tag writes a start tag.
func (s *simplifier) tag(e *element, attributes []html.Attribute) {
	s.enter(e)
	s.out.WriteByte('<')
	s.out.WriteString(e.name)
	for _, a := range attributes {
		s.out.WriteString(" " + a.Key + `="` + html.EscapeString(a.Val) + `"`)
	}
	if e.holds == nothing {
		s.out.WriteByte('/')
	}
	s.out.WriteByte('>')
}

// heading returns the heading to write instead of e. The first heading gets the
// level s.headings, and each later heading is at most one level below its
// predecessor.
func (s *simplifier) heading(e *element) *element {
	level := slices.Index(headings, e.atom) + 1
	if level == 0 || s.headings < 1 {
		return e
	}
	for len(s.above) > 0 && s.above[len(s.above)-1] >= level {
		s.above = s.above[:len(s.above)-1]
	}
	s.above = append(s.above, level)
	return s.policy.elements[headings[min(s.headings+len(s.above)-1, len(headings))-1]]
}

// attributesOf returns the attributes to write with the current tag, and the
// emphasis of its style. ok is false for a tag that is not worth writing: a link
// without an address, a picture without a source.
func (s *simplifier) attributesOf(e *element, more bool) (attributes []html.Attribute, asked style, ok bool) {
	if more {
		attributes, asked = s.attributes(e.attributes)
	}
	switch e.atom {
	case atom.A:
		return attributes, asked, has(attributes, "href")
	case atom.Img:
		ok = has(attributes, "src")
		return set(set(attributes, "loading", "lazy"), "referrerpolicy", "no-referrer"), asked, ok
	}
	return attributes, asked, true
}

// enter records that an element opens, and marks the ad as broken if the
// element may not stand there.
func (s *simplifier) enter(e *element) {
	held := s.inner()
	s.broken = s.broken || held != e.kind && (held != flow || e.kind != phrases) || len(s.open) == 100 ||
		e.atom == atom.A && slices.Contains(s.open, e)
	if !s.broken && e.holds != nothing {
		s.open = append(s.open, e)
	}
}

func (s *simplifier) end(e *element) {
	s.styles.end(e)
	if e == styled {
		return
	}
	if e.alone > 0 {
		if s.alone[e.alone] == 0 {
			return
		}
		if s.alone[e.alone]--; s.alone[e.alone] > 0 {
			return
		}
	}
	if s.endOfBullet(e) {
		return
	}
	n := len(s.open)
	if n > 0 && slices.Contains(headings, e.atom) && slices.Contains(headings, s.open[n-1].atom) {
		e = s.open[n-1] // the end tag of any heading ends every other
	}
	s.endTag(e)
}

// endTag writes an end tag.
func (s *simplifier) endTag(e *element) {
	if n := len(s.open); n > 0 && s.open[n-1] == e {
		s.open = s.open[:n-1]
	} else {
		s.broken = true
	}
	s.out.WriteString("</")
	s.out.WriteString(e.name)
	s.out.WriteByte('>')
}

// attributes returns the allowed attributes of the current tag, and the emphasis
// of its style.
func (s *simplifier) attributes(allowed map[string]*regexp.Regexp) (kept []html.Attribute, asked style) {
	for more := true; more; {
		var key, val []byte
		key, val, more = s.tokens.TagAttr()
		if string(key) == "style" {
			asked = readStyle(string(val))
		}
		values := allowed[string(key)]
		if values == nil || has(kept, string(key)) {
			continue
		}
		a := html.Attribute{Key: string(key), Val: strings.TrimSpace(string(val))}
		if a.Key == "href" || a.Key == "src" {
			a.Val = address(a.Val, s.base)
		}
		if values.MatchString(a.Val) {
			kept = append(kept, a)
		}
	}
	return kept, asked
}

func has(attributes []html.Attribute, key string) bool {
	return slices.ContainsFunc(attributes, func(a html.Attribute) bool { return a.Key == key })
}

func set(attributes []html.Attribute, key, value string) []html.Attribute {
	if has(attributes, key) {
		return attributes
	}
	return append(attributes, html.Attribute{Key: key, Val: value})
}
