package jobpublish

import (
	"errors"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Clean returns the part of an advertisement's HTML that is safe to show to
// anybody: headings, paragraphs, lists, tables, emphasis, and links with the
// schemes http, https, mailto and tel, which get rel="nofollow noreferrer".
// It removes everything else: scripts, styles, forms, frames, images, comments, and
// every attribute that a script or a style sheet of the page could refer to.
// The words between them stay.
//
// The result is well-formed whatever came in. Put it into a block element such
// as div, article, li or td, where it changes nothing outside of that element, and
// not into a link, a button or a paragraph. Cleaning it again changes nothing. The
// time grows with the length of ad and no faster. HTML that is nested deeper than
// 500 elements, or grows when it is repaired, comes back as its words with line
// breaks.
func Clean(ad string) string { return textOnly.clean(ad) }

// CleanImages returns what Clean does, with the images whose address has the
// scheme http or https. The reader's browser loads them from there, without a Referer.
func CleanImages(ad string) string { return withImages.clean(ad) }

// rounds is how often HTML is repaired before it is called hopeless. One is
// usual, and few need two.
const rounds = 4

// clean brings an ad into a form that neither a parser nor the sanitizer changes
// any further, so that what is shown is what was checked.
func (p *policy) clean(ad string) string {
	simple, wellFormed := p.simplify(strings.ToValidUTF8(ad, "\uFFFD"))
	for round := 0; !wellFormed; round++ {
		repaired, err := repair(simple, 4*len(ad)+1<<12)
		if err != nil || round == rounds {
			return plain(ad)
		}
		if repaired == simple {
			break
		}
		simple, wellFormed = p.simplify(repaired)
	}
	return p.sanitizer.Sanitize(simple)
}

// plain returns the words of an ad as HTML.
func plain(ad string) string {
	return strings.ReplaceAll(html.EscapeString(Text(ad)), "\n", "<br/>")
}

// repair returns HTML well-formed, as a browser would understand it, in at most
// limit bytes.
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
	out := bounded{left: limit}
	if err := html.Render(&out, ad); err != nil {
		return "", err
	}
	return out.text.String(), nil
}

// adopt puts the items of lists that are in no list into one. Alone they would
// end an item of the page that the ad is shown in.
func adopt(n *html.Node) {
	var list *html.Node // the one that was made for the items before
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch child.DataAtom {
		case atom.Ul, atom.Ol, atom.Dl:
			list = nil // its items are where they belong, whatever lies between
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

var errGrows = errors.New("jobpublish: the ad grows when it is repaired")

// bounded is a text that grows to a length and not further.
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
