package jobpublish

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// marks are the bullet characters that begin a list item written as a
// paragraph. The last two come from symbol fonts.
const marks = "·•▪▫◦‣●○■□➢➤✓✔\uF0B7\uF0A7"

// bullets turns paragraphs that begin with a bullet, as word processors write them,
// into a list. It holds back the start tag of a paragraph until the first words show
// whether it is an item.
type bullets struct {
	list       bool // the list is open
	paragraph  held
	attributes []html.Attribute // attributes of the held-back paragraph
	white      []byte           // white space at its beginning
}

// held says which part of the current paragraph is written.
type held uint8

const (
	noParagraph held = iota
	heldBack         // nothing
	itemBegun        // an item of the list, without words
	inItem
)

// startBullets records the start of an element, and reports whether its start tag is held
// back.
func (s *simplifier) startBullets(e *element, attributes []html.Attribute) bool {
	b := &s.bullets
	switch {
	case e.kind == phrases:
		if b.paragraph == heldBack || b.paragraph == noParagraph {
			s.endBullets()
		}
	case e.atom == atom.P:
		s.endParagraph()
		b.paragraph, b.attributes, b.white = heldBack, attributes, nil
		return true
	default:
		s.endBullets()
	}
	return false
}

// endOfBullet records the end of an element, and reports whether the element was written
// as a list item.
func (s *simplifier) endOfBullet(e *element) bool {
	b := &s.bullets
	switch item := b.paragraph == itemBegun || b.paragraph == inItem; {
	case item && e.kind == phrases:
	case item && e.atom == atom.P:
		s.endParagraph()
		return true
	default:
		s.endBullets()
	}
	return false
}

// bulletText returns the part of a text to write now. It replaces a bullet by the start of a
// list item, and holds white space back with its paragraph.
func (s *simplifier) bulletText(text []byte) []byte {
	b := &s.bullets
	words := bytes.TrimLeftFunc(text, unicode.IsSpace)
	switch {
	case b.paragraph == heldBack && len(words) == 0:
		b.white = append(b.white, text...)
		return nil
	case b.paragraph == heldBack:
		mark, size := utf8.DecodeRune(words)
		after, _ := utf8.DecodeRune(words[size:])
		if !strings.ContainsRune(marks, mark) || len(words) > size && !unicode.IsSpace(after) {
			s.endBullets()
			return text
		}
		if !b.list {
			b.list = true
			s.tag(s.policy.elements[atom.Ul], nil)
		}
		s.tag(s.policy.elements[atom.Li], b.attributes)
		b.paragraph = itemBegun
		words = bytes.TrimLeftFunc(words[size:], unicode.IsSpace)
	case b.paragraph == noParagraph && b.list && len(words) > 0:
		s.endBullets()
	}
	if b.paragraph != itemBegun {
		return text
	}
	if len(words) > 0 {
		b.paragraph = inItem
	}
	return words
}

// endParagraph ends a paragraph that was held back or became an item. The next
// paragraph may continue the list.
func (s *simplifier) endParagraph() {
	b := &s.bullets
	switch b.paragraph {
	case heldBack:
		s.endBullets()
	case itemBegun, inItem:
		b.paragraph = noParagraph
		s.endTag(s.policy.elements[atom.Li])
	}
}

// endBullets ends the list, and writes a held-back paragraph as an ordinary one.
func (s *simplifier) endBullets() {
	b := &s.bullets
	if b.paragraph != heldBack {
		s.endParagraph()
	}
	if b.list {
		b.list = false
		s.endTag(s.policy.elements[atom.Ul])
	}
	if b.paragraph == heldBack {
		b.paragraph = noParagraph
		s.tag(s.policy.elements[atom.P], b.attributes)
		s.write(b.white)
	}
}
