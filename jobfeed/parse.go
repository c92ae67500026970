package jobfeed

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/jobboard-sdk/jobboard-go"
)

// The parser takes one entry that is whole in memory. Package encoding/xml
// reads it; what its elements mean stands in meanings.go.

// fault is what is wrong with an entry.
type fault struct {
	at     int
	kind   error
	reason string
}

// errOpen is the fault of an entry that ends while elements are open. The
// reader knows why it ends.
var errOpen = &fault{kind: ErrSyntax, reason: "not closed"}

// parser reads one entry.
type parser struct {
	xml    *xml.Decoder
	length int // of what it decodes
	open   []element
	path   []byte // of the innermost: "/" and the name of each in the entry, in lower case
	text   []byte // of the elements whose text is taken
	entry  *Entry

	idSeen   bool   // an IdValue has text
	idFault  *fault // what is wrong with its text
	idAt     int    // where the content of the last one begins
	idNested bool   // there is an element in it

	profileName, postingTitle, organization, supplier string
	profileLang, openingLang                          string
	posting, status, record                           dates
	building, street                                  string
	lines                                             []string
}

// dates are a validFrom and a validTo of one element.
type dates struct{ from, to Date }

// element is one that is open.
type element struct {
	xml.StartElement
	parent  int // length of the path of the element around it
	text    int // where its text begins
	meaning meaning
	taken   bool // its text is, as its own or as that of an element around it
}

// parse fills in e from the bytes of an entry. On a fault, e.JobID is there if
// it came before.
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

// newDecoder returns a decoder of text that is UTF-8 by now, whatever a
// declaration in it says.
func newDecoder(text []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(_ string, src io.Reader) (io.Reader, error) { return src, nil }
	return d
}

func (p *parser) offset() int { return int(p.xml.InputOffset()) }

func (p *parser) top() *element { return &p.open[len(p.open)-1] }

// syntax returns the fault of what encoding/xml does not take, at the place up
// to which it has read.
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

// printable returns r, and U+FFFD where it may do something to a line of a log.
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
	case !p.idSeen:
		return &fault{0, ErrNoJobID, "no value at PositionRecordInfo > Id > IdValue"}
	case p.idFault != nil:
		return p.idFault
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
	e := element{StartElement: start, parent: len(p.path), text: len(p.text)}
	if len(p.open) > 0 {
		around := p.top()
		e.taken = around.taken && !around.meaning.ownText
		p.idNested = p.idNested || string(p.path) == idValue
		p.enter(start.Name.Local)
	}
	if len(p.path) <= longestPath {
		e.meaning = meanings[string(p.path)]
	}
	p.open = append(p.open, e)
	if e.meaning.text != nil {
		p.top().taken = true
	}
	if e.meaning.begin != nil {
		e.meaning.begin(p, start.Attr)
	}
}

// enter adds a name to the path. Areas in one another count as one.
func (p *parser) enter(name string) {
	p.path = append(p.path, '/')
	for _, c := range []byte(name) {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		p.path = append(p.path, c)
	}
	if bytes.HasSuffix(p.path, []byte("/area/area")) {
		p.path = p.path[:len(p.path)-len("/area")]
	}
}

// end closes the innermost element.
func (p *parser) end() {
	e := p.top()
	p.open = p.open[:len(p.open)-1]
	p.path = p.path[:e.parent]
	if e.meaning.text != nil {
		text := strings.TrimSpace(string(p.text[e.text:]))
		p.text = p.text[:e.text]
		e.meaning.text(p, text)
	}
	if e.meaning.end != nil {
		e.meaning.end(p)
	}
}

func (p *parser) beginIdentifier([]xml.Attr) { p.idAt, p.idNested = p.offset(), false }

// identifier takes the text of an IdValue of the job.
func (p *parser) identifier(text string) {
	if p.idSeen || text == "" && !p.idNested {
		return
	}
	p.idSeen = true
	id, err := jobboard.ParseJobID(text)
	switch {
	case p.idNested:
		p.idFault = &fault{p.idAt, ErrBadJobID, "an element inside IdValue"}
	case err != nil:
		p.idFault = &fault{p.idAt, ErrBadJobID, fmt.Sprintf("%.40q is not a positive number", text)}
	default:
		p.entry.JobID = id
	}
}

// validity takes the dates of an element, unless there are some.
func (d *dates) validity(attrs []xml.Attr) {
	if *d == (dates{}) {
		*d = dates{Date(attribute(attrs, "validfrom")), Date(attribute(attrs, "validto"))}
	}
}

func (p *parser) location() *Location { return &p.entry.Locations[len(p.entry.Locations)-1] }

func (p *parser) beginLocation([]xml.Attr) {
	p.entry.Locations = append(p.entry.Locations, Location{})
	p.street, p.building, p.lines = "", "", nil
}

// endLocation drops a location that says nothing.
func (p *parser) endLocation() {
	l := p.location()
	l.Street = strings.TrimSpace(p.street + " " + p.building)
	if p.street == "" && len(p.lines) > 0 {
		l.Street = strings.Join(p.lines, ", ")
	}
	if *l == (Location{}) {
		p.entry.Locations = p.entry.Locations[:len(p.entry.Locations)-1]
	}
}

// inArea takes the value of an Area of the location.
func (p *parser) inArea(text string) {
	l := p.location()
	switch strings.ToLower(attribute(p.top().Attr, "type")) {
	case "countrycode", "country":
		set(&l.Country, text)
	case "region":
		set(&l.Region, text)
	case "municipality":
		set(&l.City, text)
	case "postalcode":
		set(&l.PostalCode, text)
	}
}

// set fills a text that is still empty.
func set(s *string, text string) { *s = cmp.Or(*s, text) }

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
