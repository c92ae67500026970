package jobpublish

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// style holds the emphasis that a style attribute sets. nil: the attribute does
// not mention it.
type style struct{ bold, italic *bool }

// readStyle reads a style attribute.
func readStyle(value string) (s style) {
	for declaration := range strings.SplitSeq(strings.ToLower(value), ";") {
		property, value, _ := strings.Cut(declaration, ":")
		words := strings.Fields(strings.ReplaceAll(value, "!important", " "))
		yes := func(names ...string) *bool {
			found := slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, w) })
			return &found
		}
		switch strings.TrimSpace(property) {
		case "font-weight":
			s.bold = yes("bold", "bolder", "600", "700", "800", "900")
		case "font-style":
			s.italic = yes("italic", "oblique")
		case "font":
			s.bold, s.italic = yes("bold", "bolder", "600", "700", "800", "900"), yes("italic", "oblique")
		}
	}
	return s
}

// plain reports whether the style cancels the emphasis of e. Editors put <b
// style="font-weight:normal"> around whole documents.
func (s style) plain(e *element) bool {
	switch e.atom {
	case atom.B, atom.Strong:
		return s.bold != nil && !*s.bold
	case atom.I, atom.Em:
		return s.italic != nil && !*s.italic
	}
	return false
}

// styles tracks the emphasis from the style attributes around the current text. Each
// piece of text gets its own elements b and i, so that no parser reopens them
// elsewhere.
type styles struct {
	around    []emphasis
	depth     int  // number of open elements, without those that hold only phrases
	paragraph bool // within an element that holds only phrases, such as p
	heading   bool // within an element that is bold anyway
}

// emphasis holds the emphasis that an element's style sets, and where it ends.
type emphasis struct {
	bold, italic bool
	span         bool // the element is a span, not a block
	paragraph    bool // it ends with the paragraph
	depth        int  // otherwise it ends when the depth falls below this
}

// start records the start of an element with its style.
func (s *styles) start(e *element, asked style) {
	if e != styled {
		if e.kind == phrases {
			return
		}
		s.endParagraph()
		switch e.holds {
		case nothing:
			return
		case phrases:
			s.paragraph, s.heading = true, slices.Contains(headings, e.atom)
		default:
			s.depth++
		}
	}
	if e != styled && asked == (style{}) {
		return
	}
	now := s.now()
	if asked.bold != nil {
		now.bold = *asked.bold
	}
	if asked.italic != nil {
		now.italic = *asked.italic
	}
	s.around = append(s.around, emphasis{now.bold, now.italic, e == styled, s.paragraph, s.depth})
}

// end records the end of an element.
func (s *styles) end(e *element) {
	switch {
	case e == styled:
		if s.now().span {
			s.around = s.around[:len(s.around)-1]
		}
	case e.kind != phrases:
		s.endParagraph()
		if e.holds != phrases && s.depth > 0 {
			s.depth--
		}
		for s.now().depth > s.depth {
			s.around = s.around[:len(s.around)-1]
		}
	}
}

// endParagraph ends the open paragraph, if any: a paragraph cannot contain the
// block that begins.
func (s *styles) endParagraph() {
	for s.now().paragraph {
		s.around = s.around[:len(s.around)-1]
	}
	s.paragraph, s.heading = false, false
}

// now returns the emphasis at the current place of the ad.
func (s *styles) now() emphasis {
	if len(s.around) == 0 {
		return emphasis{}
	}
	return s.around[len(s.around)-1]
}

// emphasis returns the tags to write before and after a text for its styles,
// unless an open element gives the emphasis already.
func (s *simplifier) emphasis() (before, after string) {
	now, open := s.styles.now(), func(a atom.Atom) bool { return s.alone[s.policy.elements[a].alone] > 0 }
	if now.bold && !s.styles.heading && !open(atom.B) && !open(atom.Strong) {
		before, after = "<b>", "</b>"
	}
	if now.italic && !open(atom.I) && !open(atom.Em) {
		before, after = before+"<i>", "</i>"+after
	}
	return before, after
}
