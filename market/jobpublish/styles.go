package jobpublish

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// style holds what an attribute style asks for. nil: it says nothing of that.
type style struct{ bold, italic *bool }

// readStyle reads an attribute style.
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

// plain reports whether the style takes away what e is there for. Editors put
// <b style="font-weight:normal"> around whole documents.
func (s style) plain(e *element) bool {
	switch e.atom {
	case atom.B, atom.Strong:
		return s.bold != nil && !*s.bold
	case atom.I, atom.Em:
		return s.italic != nil && !*s.italic
	}
	return false
}

// styles holds which emphasis the styles around a text ask for. Each piece of text gets
// elements of its own for that, so that no parser opens them again elsewhere.
type styles struct {
	around    []emphasis
	depth     int  // of the elements around, not counting those that hold phrases alone
	paragraph bool // within an element that holds phrases alone, such as p
	heading   bool // within one that is bold anyway
}

// emphasis holds what the style of an element asks for, and where that ends.
type emphasis struct {
	bold, italic bool
	span         bool // rather than a block
	paragraph    bool // it ends with the paragraph
	depth        int  // or where the depth is less
}

// start notes that an element begins.
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

// end notes that an element ends.
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

// endParagraph ends the paragraph around, if there is one: no block is within it.
func (s *styles) endParagraph() {
	for s.now().paragraph {
		s.around = s.around[:len(s.around)-1]
	}
	s.paragraph, s.heading = false, false
}

// now returns the emphasis of what is read now.
func (s *styles) now() emphasis {
	if len(s.around) == 0 {
		return emphasis{}
	}
	return s.around[len(s.around)-1]
}

// emphasis returns the tags to write before and after a text for what styles ask
// for, where no element around does that already.
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
