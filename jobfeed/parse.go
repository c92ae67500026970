package jobfeed

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/jobboard-sdk/jobboard-go"
)

// The parser reads one entry, whole in memory, with package encoding/xml. meanings.go says what to
// do with each element.

// fault describes a mistake in an entry.
type fault struct {
	at     int
	kind   error
	reason string
}

// errOpen is the fault of an entry that ends while elements are open. The Reader replaces it with
// the reason.
var errOpen = &fault{kind: ErrSyntax, reason: "not closed"}

// parser reads one entry.
type parser struct {
	xml    *xml.Decoder
	length int // length of the entry in bytes
	open   []element
	name   []byte // buffer of lower
	text   []byte // text of the open elements that are taken
	entry  *Entry

	idFault *fault // what is wrong with the job's identifier

	profileName, postingTitle, organization, supplier string
	profileLang, openingLang                          string
	posting, status, record                           dates
	place                                             place
}

// dates holds the validFrom and validTo of one element.
type dates struct{ from, to Date }

// place holds a location until its end tag comes.
type place struct {
	Location
	street, building string
	lines            []string
}

// element holds an XML element until its end tag comes.
type element struct {
	xml.StartElement
	meaning meaning
	content int  // offset of its content
	text    int  // start of the element's text in parser.text
	taken   bool // the element or one around it needs the text
	nested  bool // the element has child elements
}

// parse fills in e from the bytes of an entry. After a fault e.JobID is set if the parser read it
// before the fault.
func parse(raw []byte, maxDepth int, e *Entry) *fault {
	p := &parser{xml: newDecoder(raw), length: len(raw), entry: e}
	for {
		at := p.offset()
		token, err := p.xml.RawToken()
		if err != nil {
			return p.syntax(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if len(p.open) == maxDepth {
				return &fault{at, ErrTooDeep, fmt.Sprintf("over %d elements deep", maxDepth)}
			}
			p.begin(token)
		case xml.CharData:
			if p.top().taken {
				p.text = append(p.text, token...)
			}
		case xml.Directive:
			return &fault{at, ErrSyntax, "a declaration inside an entry"}
		case xml.EndElement:
			if open := p.top().Name; open != token.Name {
				reason := fmt.Sprintf("element %.40q closed by %.40q", open.Local, token.Name.Local)
				return &fault{at, ErrSyntax, reason}
			}
			if p.end(); len(p.open) == 0 {
				return p.finish()
			}
		}
	}
}

// newDecoder returns a decoder of UTF-8 text. It ignores the encoding in an XML declaration,
// because the text has been converted.
func newDecoder(text []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(_ string, src io.Reader) (io.Reader, error) { return src, nil }
	return d
}

func (p *parser) offset() int { return int(p.xml.InputOffset()) }

func (p *parser) top() *element { return &p.open[len(p.open)-1] }

// syntax returns a fault for an error of encoding/xml, at the place where the decoder stopped.
func (p *parser) syntax(err error) *fault {
	reason := err.Error()
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		reason = syntax.Msg
	}
	if p.offset() == p.length && strings.HasSuffix(reason, "EOF") {
		return errOpen
	}
	return &fault{p.offset(), ErrSyntax, fmt.Sprintf("%.100s", strings.Map(printable, reason))}
}

// printable returns r, or U+FFFD for a character that could damage a log line.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}

// finish checks and completes the entry after its end tag.
func (p *parser) finish() *fault {
	e := p.entry
	switch {
	case p.idFault != nil:
		return p.idFault
	case e.JobID == 0:
		return &fault{0, ErrNoJobID, "no value at PositionRecordInfo > Id > IdValue"}
	}
	e.Title = cmp.Or(e.Title, p.profileName, p.postingTitle)
	e.Company = cmp.Or(e.Company, p.organization, p.supplier)
	e.Language = cmp.Or(p.profileLang, p.openingLang, e.Language)
	e.Postings, e.PostingVersions = ascending(e.Postings), ascending(e.PostingVersions)
	valid := cmp.Or(p.posting, p.status, p.record)
	e.ValidFrom, e.ValidTo = valid.from, valid.to
	return nil
}

// begin opens an element.
func (p *parser) begin(start xml.StartElement) {
	e := element{StartElement: start, meaning: opening, content: p.offset(), text: len(p.text)}
	if len(p.open) > 0 {
		around := p.top()
		around.nested = true
		e.meaning = around.meaning.in[string(p.lower(start.Name.Local))]
		e.taken = around.taken && !around.meaning.ownText
	}
	e.taken = e.taken || e.meaning.text != nil
	p.open = append(p.open, e)
	if e.meaning.begin != nil {
		e.meaning.begin(p, start.Attr)
	}
}

// lower returns a name with its ASCII letters in lower case. It is valid until the next
// call.
func (p *parser) lower(name string) []byte {
	p.name = append(p.name[:0], name...)
	for i, c := range p.name {
		if c >= 'A' && c <= 'Z' {
			p.name[i] += 'a' - 'A'
		}
	}
	return p.name
}

// end closes the innermost element.
func (p *parser) end() {
	e := p.top()
	if e.meaning.text != nil {
		text := strings.TrimSpace(string(p.text[e.text:]))
		p.text = p.text[:e.text]
		e.meaning.text(p, text)
	}
	if e.meaning.end != nil {
		e.meaning.end(p)
	}
	p.open = p.open[:len(p.open)-1]
}

// identifier takes the text of an IdValue of the job. The first that is not
// empty counts.
func (p *parser) identifier(text string) {
	e := p.top()
	if p.idFault != nil || p.entry.JobID != 0 || text == "" && !e.nested {
		return
	}
	id, err := jobboard.ParseJobID(text)
	switch {
	case e.nested:
		p.idFault = &fault{e.content, ErrBadJobID, "an element inside IdValue"}
	case err != nil:
		p.idFault = &fault{e.content, ErrBadJobID, fmt.Sprintf("%.40q is not a positive number", text)}
	default:
		p.entry.JobID = id
	}
}

// postingID takes the text of an IdValue of a posting.
func (p *parser) postingID(text string) {
	if n, err := strconv.ParseUint(text, 10, 63); err == nil && n > 0 {
		p.entry.Postings = append(p.entry.Postings, jobboard.JobPostingID(n))
	}
}

// link takes a link and the posting version that it names.
func (p *parser) link(kind LinkKind, url string) {
	if url == "" {
		return
	}
	p.entry.Links = append(p.entry.Links, Link{kind, url})
	if _, version := jobboard.JobFromLink(url); version != 0 {
		p.entry.PostingVersions = append(p.entry.PostingVersions, version)
	}
}

// validity sets the dates from an element's attributes, unless they are set.
func (d *dates) validity(attrs []xml.Attr) {
	if *d == (dates{}) {
		*d = dates{Date(attribute(attrs, "validfrom")), Date(attribute(attrs, "validto"))}
	}
}

// endLocation adds the location to the entry, unless it is empty.
func (p *parser) endLocation() {
	l := p.place.Location
	l.Street = strings.TrimSpace(p.place.street + " " + p.place.building)
	if p.place.street == "" && len(p.place.lines) > 0 {
		l.Street = strings.Join(p.place.lines, ", ")
	}
	if l != (Location{}) {
		p.entry.Locations = append(p.entry.Locations, l)
	}
	p.place = place{}
}

func (p *parser) addressLine(line string) {
	if line != "" {
		p.place.lines = append(p.place.lines, line)
	}
}

// inArea takes the value of an Area of the location.
func (p *parser) inArea(text string) {
	around := p.open[len(p.open)-2]
	switch strings.ToLower(attribute(around.Attr, "type")) {
	case "countrycode", "country":
		set(&p.place.Country, text)
	case "region":
		set(&p.place.Region, text)
	case "municipality":
		set(&p.place.City, text)
	case "postalcode":
		set(&p.place.PostalCode, text)
	}
}

// attribute returns the value of the attribute with that lower-case local name.
func attribute(attrs []xml.Attr, name string) string {
	for _, a := range attrs {
		if equalFold(a.Name.Local, name) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// language returns the value of xml:lang, or of a lang without a prefix.
func language(attrs []xml.Attr) string {
	for _, a := range attrs {
		if equalFold(a.Name.Local, "lang") && (a.Name.Space == "" || equalFold(a.Name.Space, "xml")) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// languageOf returns the language of a start tag.
func languageOf(tag []byte) string {
	token, err := newDecoder(tag).RawToken()
	if err != nil {
		return ""
	}
	return language(token.(xml.StartElement).Attr)
}
