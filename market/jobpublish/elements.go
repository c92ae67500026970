package jobpublish

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html/atom"
)

// A kind names the role of an element within the element around it.
type kind uint8

const (
	nothing kind = iota
	flow         // paragraphs, lists, tables; who holds them holds phrases too
	phrases      // emphasis, links, text
	items        // of a list
	terms        // and descriptions
	groups       // of rows
	rows
	cells
)

// An element describes a kind of element that is kept, and how.
type element struct {
	atom  atom.Atom
	name  string
	kind  kind
	holds kind // what no parser moves elsewhere. HTML allows more, and that is repaired without a change
	// alone: a parser opens it again in every block that follows, where it was
	// not closed. Above 0 in these, each with its own number.
	alone      int
	attributes map[string]*regexp.Regexp // which may stay, with which values
}

// skipped stands for the elements whose content nobody reads. The tokenizer
// takes it for one piece of text.
var skipped = &element{name: "script and the like"}

// styled stands for span, which is written as what its style asks for.
var styled = &element{name: "span", kind: phrases, holds: phrases}

// headings are the elements of headings by level, the first of level 1.
var headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// renamed are the elements that stand for a kept one, so that their words stay
// apart from those around them.
var renamed = map[atom.Atom][]atom.Atom{
	atom.Div: {
		atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Aside, atom.Nav, atom.Center, atom.Address,
		atom.Figure, atom.Figcaption, atom.Details, atom.Summary, atom.Fieldset, atom.Legend, atom.Form, atom.Option,
		atom.Dialog, atom.Hgroup,
	},
	atom.Ul:   {atom.Menu, atom.Dir},
	atom.S:    {atom.Strike, atom.Del},
	atom.U:    {atom.Ins},
	atom.Code: {atom.Tt, atom.Kbd, atom.Samp},
}

// A policy lists what may stay in an ad.
type policy struct {
	elements  map[atom.Atom]*element // what is not here goes, and its content stays
	sanitizer *bluemonday.Policy     // the same rules, and the last to look at an ad
}

var (
	textOnly   = newPolicy(false)
	withImages = newPolicy(true)
)

func newPolicy(images bool) *policy {
	p := &policy{elements: map[atom.Atom]*element{}, sanitizer: bluemonday.NewPolicy()}
	p.keep(flow, phrases, headings...)
	p.keep(flow, phrases, atom.P, atom.Pre)
	p.keep(flow, flow, atom.Div, atom.Blockquote)
	p.keep(flow, nothing, atom.Hr)
	p.keep(flow, items, atom.Ul, atom.Ol)
	p.keep(items, flow, atom.Li)
	p.keep(flow, terms, atom.Dl)
	p.keep(terms, phrases, atom.Dt)
	p.keep(terms, flow, atom.Dd)
	p.keep(flow, groups, atom.Table)
	p.keep(groups, phrases, atom.Caption)
	p.keep(groups, rows, atom.Thead, atom.Tbody, atom.Tfoot)
	p.keep(rows, cells, atom.Tr)
	p.keep(cells, flow, atom.Th, atom.Td)
	p.keep(phrases, phrases, atom.Sub, atom.Sup, atom.A)
	p.keep(phrases, nothing, atom.Br)
	alone := []atom.Atom{atom.B, atom.Strong, atom.I, atom.Em, atom.U, atom.S, atom.Small, atom.Code}
	p.keep(phrases, phrases, alone...)
	for i, a := range alone {
		p.elements[a].alone = i + 1
	}

	const number = `^[1-9][0-9]?$` // no ad has more than 99 columns, rows of a cell or items
	p.allow("colspan", number, atom.Td, atom.Th)
	p.allow("rowspan", number, atom.Td, atom.Th)
	p.allow("start", number, atom.Ol)
	p.allow("type", `^[1aAiI]$`, atom.Ol)
	p.allow("value", `^-?[0-9]{1,4}$`, atom.Li)
	p.allow("scope", `^(?:row|col|rowgroup|colgroup)$`, atom.Th)
	p.allow("dir", `^(?:ltr|rtl|auto)$`, headings...)
	p.allow("dir", `^(?:ltr|rtl|auto)$`,
		atom.P, atom.Div, atom.Ul, atom.Ol, atom.Li, atom.Table, atom.Td, atom.Th)
	// Every browser takes a value that begins like this for an address of that scheme.
	p.allow("href", `^(?:https?://|mailto:|tel:)`, atom.A)
	p.sanitizer.AllowURLSchemes("http", "https", "mailto", "tel")
	p.sanitizer.RequireNoFollowOnLinks(true)
	p.sanitizer.RequireNoReferrerOnLinks(true)
	if images {
		const size = `^[1-9][0-9]{0,3}$`
		p.keep(phrases, nothing, atom.Img)
		p.allow("src", `^https?://`, atom.Img)
		p.allow("alt", `^[^<>\x00-\x1f\x7f]*$`, atom.Img)
		p.allow("width", size, atom.Img)
		p.allow("height", size, atom.Img)
		p.allow("loading", `^lazy$`, atom.Img)
		p.allow("referrerpolicy", `^no-referrer$`, atom.Img)
	}
	p.elements[atom.Span] = styled
	for a, others := range renamed {
		for _, other := range others {
			p.elements[other] = p.elements[a]
		}
	}
	for _, a := range []atom.Atom{
		atom.Script, atom.Style, atom.Title, atom.Textarea, atom.Xmp, atom.Iframe, atom.Noembed, atom.Noframes,
		atom.Noscript, atom.Plaintext,
	} {
		p.elements[a] = skipped
	}
	return p
}

// keep lets elements stay. is tells which kind of element they are, and holds which kind
// they may contain.
func (p *policy) keep(is, holds kind, elements ...atom.Atom) {
	for _, a := range elements {
		p.elements[a] = &element{atom: a, name: a.String(), kind: is, holds: holds}
		if a != atom.A && a != atom.Img { // they are nothing without an address
			p.sanitizer.AllowNoAttrs().OnElements(a.String())
		}
	}
}

// allow lets an attribute stay on elements, with the values that match.
func (p *policy) allow(key, values string, elements ...atom.Atom) {
	value := regexp.MustCompile(values)
	for _, a := range elements {
		e := p.elements[a]
		if e.attributes == nil {
			e.attributes = map[string]*regexp.Regexp{}
		}
		e.attributes[key] = value
		p.sanitizer.AllowAttrs(key).Matching(value).OnElements(e.name)
	}
}
