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
	flow         // paragraphs, lists, tables; an element that holds flow holds phrases too
	phrases      // emphasis, links, text
	items        // of a list
	terms        // and descriptions
	groups       // of rows
	rows
	cells
)

// An element describes an HTML element that a clean ad keeps, and its rules.
type element struct {
	atom  atom.Atom
	name  string
	kind  kind
	holds kind // content that no parser moves elsewhere; HTML allows more, which repair leaves as it is
	// alone is above 0, and a different number each, for elements that a parser
	// reopens in every following block until they are closed.
	alone      int
	attributes map[string]*regexp.Regexp // patterns of the values of allowed attributes
}

// skipped stands for elements such as script, whose content is not shown. The
// tokenizer returns the content as one piece of text.
var skipped = &element{name: "script and the like"}

// styled stands for span, which is replaced by the emphasis of its style.
var styled = &element{name: "span", kind: phrases, holds: phrases}

// headings lists the heading elements by level, from level 1.
var headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// renamed lists, for each kept element, the elements that it replaces, so that
// their words stay apart from the words around them.
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

// A policy lists the elements and attributes that may stay in an ad.
type policy struct {
	elements  map[atom.Atom]*element // other elements are removed, and their content stays
	sanitizer *bluemonday.Policy     // the same rules again, as a last check of the result
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
	// Every browser reads a value with such a beginning as an address with this
	// scheme.
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

// keep allows elements. Their own kind is is, and they may contain elements of the
// kind holds.
func (p *policy) keep(is, holds kind, elements ...atom.Atom) {
	for _, a := range elements {
		p.elements[a] = &element{atom: a, name: a.String(), kind: is, holds: holds}
		if a != atom.A && a != atom.Img { // links and images need an address
			p.sanitizer.AllowNoAttrs().OnElements(a.String())
		}
	}
}

// allow allows an attribute on elements, with values that match the pattern.
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
