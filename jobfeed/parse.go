package jobfeed

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
)

// The parser takes one entry that is whole in memory. Package encoding/xml
// reads it; what its elements mean stands in meanings.

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
	tokens *tokens
	open   []element
	text   []byte // of the element whose text is taken
	entry  *Entry

	idSeen   bool   // an IdValue has text
	idFault  *fault // what is wrong with its text
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
	content int      // where it begins
	meaning *meaning // nil: none
	area    string   // of an Area and what is in it: its lower-case type
}

// parse fills in e from the bytes of an entry. On a fault, e.JobID is there if
// it came before.
func parse(raw []byte, maxDepth int, e *Entry) *fault {
	p := &parser{tokens: newTokens(raw), entry: e}
	for {
		at := p.tokens.offset()
		token, f := p.tokens.next()
		if f != nil {
			return f
		}
		switch token := token.(type) {
		case xml.StartElement:
			if len(p.open) == maxDepth {
				return &fault{at, ErrTooDeep, fmt.Sprintf("over %d elements deep", maxDepth)}
			}
			p.begin(token)
		case xml.CharData:
			if top := &p.open[len(p.open)-1]; top.meaning != nil && top.meaning.text != nil {
				p.text = append(p.text, token...)
			}
		case xml.Directive:
			return &fault{at, ErrSyntax, "a declaration inside an entry"}
		case xml.EndElement:
			if top := &p.open[len(p.open)-1]; top.Name != token.Name {
				reason := fmt.Sprintf("element %.40q closed by %.40q", top.Name.Local, token.Name.Local)
				return &fault{at, ErrSyntax, reason}
			}
			p.end()
			if len(p.open) == 0 {
				return p.finish(len(raw))
			}
		}
	}
}

// finish checks and completes the entry of so many bytes, after its end tag.
func (p *parser) finish(length int) *fault {
	e := p.entry
	switch {
	case p.tokens.offset() < length:
		return &fault{p.tokens.offset(), ErrSyntax, "text after the entry's end tag"}
	case !p.idSeen:
		return &fault{0, ErrNoJobID, "no value at PositionRecordInfo > Id > IdValue"}
	case p.idFault != nil:
		return p.idFault
	}
	e.Title = first(e.Title, p.profileName, p.postingTitle)
	e.Company = first(e.Company, p.organization, p.supplier)
	e.Language = first(p.profileLang, p.openingLang, e.Language)
	e.Postings, e.PostingVersions = ascending(e.Postings), ascending(e.PostingVersions)
	for _, d := range [...]dates{p.posting, p.status, p.record} {
		if d != (dates{}) {
			e.ValidFrom, e.ValidTo = d.from, d.to
			break
		}
	}
	return nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// begin opens an element.
func (p *parser) begin(start xml.StartElement) {
	e := element{StartElement: start, content: p.tokens.offset(), meaning: opening}
	if len(p.open) > 0 {
		parent := &p.open[len(p.open)-1]
		e.meaning, e.area = parent.meaning.child(start.Name.Local), parent.area
		p.idNested = p.idNested || parent.meaning == idValue
	}
	p.open = append(p.open, e)
	if e.meaning == nil || e.meaning == inner {
		return
	}
	if e.meaning.text != nil {
		p.text = p.text[:0]
	}
	if e.meaning.begin != nil {
		e.meaning.begin(p, &p.open[len(p.open)-1])
	}
}

// end closes the innermost element.
func (p *parser) end() {
	top := &p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	if top.meaning == nil || top.meaning == inner {
		return
	}
	if top.meaning.text != nil {
		text := strings.TrimSpace(string(p.text))
		p.text = p.text[:0]
		if text != "" || top.meaning == idValue {
			top.meaning.text(p, top, text)
		}
	}
	if top.meaning.end != nil {
		top.meaning.end(p)
	}
}

// identifier takes the text of an IdValue of the job.
func (p *parser) identifier(e *element, text string) {
	if p.idSeen || text == "" && !p.idNested {
		return
	}
	p.idSeen = true
	id, err := jobboard.ParseJobID(text)
	switch {
	case p.idNested:
		p.idFault = &fault{e.content, ErrBadJobID, "an element inside IdValue"}
	case err != nil:
		p.idFault = &fault{e.content, ErrBadJobID, fmt.Sprintf("%.40q is not a positive number", text)}
	default:
		p.entry.JobID = id
	}
}

// validity takes the dates of an element, unless there are some.
func (d *dates) validity(e *element) {
	if *d == (dates{}) {
		*d = dates{Date(attribute(e.Attr, "validfrom")), Date(attribute(e.Attr, "validto"))}
	}
}

func (p *parser) location() *Location { return &p.entry.Locations[len(p.entry.Locations)-1] }

func (p *parser) beginLocation() {
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
func (p *parser) inArea(e *element, text string) {
	l := p.location()
	switch e.area {
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
func set(s *string, text string) { *s = first(*s, text) }

// tokens are those of the bytes of an entry.
type tokens struct {
	d     *xml.Decoder
	raw   []byte
	read  int  // of raw
	ended bool // more was asked for
}

func newTokens(raw []byte) *tokens {
	t := &tokens{raw: raw}
	t.d = xml.NewDecoder(t)
	// The text is UTF-8 by now, whatever a declaration in it says.
	t.d.CharsetReader = func(_ string, src io.Reader) (io.Reader, error) { return src, nil }
	return t
}

func (t *tokens) ReadByte() (byte, error) {
	if t.read == len(t.raw) {
		t.ended = true
		return 0, io.EOF
	}
	t.read++
	return t.raw[t.read-1], nil
}

// Read is there because NewDecoder asks for it. The decoder calls ReadByte.
func (t *tokens) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

func (t *tokens) offset() int { return int(t.d.InputOffset()) }

// next returns the next token, good until the one after it. Its fault is at
// the place up to which was read.
func (t *tokens) next() (xml.Token, *fault) {
	token, err := t.d.RawToken()
	if err == nil {
		return token, nil
	}
	reason := err.Error()
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		reason = syntax.Msg
	}
	if t.ended && strings.HasSuffix(reason, "EOF") {
		return nil, errOpen
	}
	return nil, &fault{t.offset(), ErrSyntax, fmt.Sprintf("%.100s", reason)}
}

// attribute returns the value of the attribute with that lower-case local name.
func attribute(attrs []xml.Attr, name string) string {
	for _, a := range attrs {
		if equalFold([]byte(a.Name.Local), name) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// language returns the value of xml:lang, or of a lang without a prefix.
func language(attrs []xml.Attr) string {
	for _, a := range attrs {
		space := []byte(a.Name.Space)
		if equalFold([]byte(a.Name.Local), "lang") && (len(space) == 0 || equalFold(space, "xml")) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}
