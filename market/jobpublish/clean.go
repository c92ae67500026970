package jobpublish

import (
	"errors"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Clean returns the part of an advertisement's HTML that is safe to show: headings,
// paragraphs, lists, tables, emphasis, and links with the schemes http, https,
// mailto and tel, which get rel="nofollow noreferrer". It removes everything else:
// scripts, styles, forms, frames, images, comments, and every attribute that a
// script or a style sheet of the page could refer to. It keeps the words between
// removed tags.
//
// Clean keeps the author's clear intentions: a link to www.firma.example or
// //firma.example gets its https://, bold and italic styles become elements,
// paragraphs that begin with a bullet become a list, and the lines and paragraphs
// of plain text stay apart. An address in angle brackets, such as
// <hr@firma.example>, is text.
//
// The result is always well-formed. Put it into a block element such as div,
// article, li or td, where it changes nothing outside of that element, and not
// into a link, a button or a paragraph. Cleaning it again changes nothing. The
// running time is linear in the length of ad. For HTML nested deeper than 500
// elements, or growing too much during repair, Clean returns only the words with
// line breaks.
func Clean(ad string) string { return Cleaner{}.Clean(ad) }

// Cleaner cleans advertisements for one place of a page. The zero value does what
// the function Clean does.
type Cleaner struct {
	// Base is the address against which links without a host are resolved, such as
	// the posting's ApplyOnlineLink. If it is not an http or https address, such
	// links are removed and their words stay.
	Base string
	// Headings is the level of the first heading, 1 to 6; the other levels
	// follow without a gap, so that they fit below the headings of the page. 0
	// keeps all levels.
	Headings int
	// Images keeps images with http or https addresses. The reader's browser loads
	// them from their hosts, without a Referer.
	Images bool
}

// rounds is the most repairs of an ad before Clean falls back to its words.
// Most ads need one repair, and few need two.
const rounds = 4

// Clean cleans an advertisement as the function Clean does, for the place that c describes.
// Neither a parser nor the sanitizer changes the result any further, so that what is shown
// is what was checked.
func (c Cleaner) Clean(ad string) string {
	p, base := textOnly, webBase(c.Base)
	if c.Images {
		p = withImages
	}
	simple, wellFormed := p.simplify(markLines(strings.ToValidUTF8(ad, "\uFFFD")), base, c.Headings)
	limit := 4*len(simple) + 1<<12
	for round := 0; !wellFormed; round++ {
		repaired, err := repair(simple, limit)
		if err != nil || round == rounds {
			return plain(ad)
		}
		if repaired == simple {
			break
		}
		simple, wellFormed = p.simplify(repaired, base, c.Headings)
	}
	if !strings.Contains(simple, "<") { // cleaning the result again would turn its line ends into paragraphs
		simple = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ").Replace(simple)
	}
	return p.sanitizer.Sanitize(simple)
}

// plain returns the words of an ad as HTML with line breaks.
func plain(ad string) string {
	return strings.ReplaceAll(html.EscapeString(Text(ad)), "\n", "<br/>")
}

// repair parses HTML like a browser and returns it well-formed, or an error if
// the result exceeds limit bytes.
func repair(simple string, limit int) (string, error) {
	context := &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: "div"}
	nodes, err := html.ParseFragment(strings.NewReader(simple), context)
	if err != nil {
		return "", err // nested too deep
	}
	ad := &html.Node{Type: html.DocumentNode}
	for _, n := range nodes {
		ad.AppendChild(n)
	}
	adopt(ad)
	if deeper(ad, maxDepth) {
		return "", errDeep
	}
	out := bounded{left: limit}
	if err := html.Render(&out, ad); err != nil {
		return "", err
	}
	return out.text.String(), nil
}

// maxDepth is the deepest nesting of an ad's elements. Parsers allow 512, of
// which the page around the ad needs some.
const maxDepth = 500

// deeper reports whether the elements in n are nested deeper than levels.
func deeper(n *html.Node, levels int) bool {
	for child := range n.ChildNodes() {
		if levels == 0 || deeper(child, levels-1) {
			return true
		}
	}
	return false
}

// adopt puts list items outside of any list into a new list. Without a list
// they would end an item of the page around the ad.
func adopt(n *html.Node) {
	var list *html.Node // the list made for the preceding items
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch child.DataAtom {
		case atom.Ul, atom.Ol, atom.Dl:
			list = nil // the ad's own list: its items need no new one
		case atom.Li, atom.Dt, atom.Dd:
			want := atom.Dl
			if child.DataAtom == atom.Li {
				want = atom.Ul
			}
			if list == nil || list.DataAtom != want {
				list = &html.Node{Type: html.ElementNode, DataAtom: want, Data: want.String()}
				n.InsertBefore(list, child)
			}
			n.RemoveChild(child)
			list.AppendChild(child)
		default:
			if child.Type != html.TextNode || strings.TrimSpace(child.Data) != "" {
				list = nil
			}
			adopt(child)
		}
		child = next
	}
}

var (
	errGrows = errors.New("jobpublish: the ad grows when it is repaired")
	errDeep  = errors.New("jobpublish: the ad is nested too deep")
)

// bounded is a writer that fails beyond a length.
type bounded struct {
	text strings.Builder
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errGrows
	}
	return b.text.Write(p)
}
