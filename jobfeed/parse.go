package jobfeed

import (
	"bytes"
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
	begins int // offset of the token that is read
	open   []element
	name   []byte // buffer of lower
	text   []byte // text of the open elements that are taken
	entry  *Entry // position and language around the opening

	openingLang string
	place       place

	now    *job     // takes what is read: own or aside
	own    job      // of the PositionRecordInfo that was read last
	before *content // what stands before the first PositionRecordInfo; nil: nothing
	jobs   []job    // of the earlier ones

	// Elements that the parser does not know may have a PositionRecordInfo each. They count if the
	// opening has none of its own.
	aside     *job
	asideDeep int   // number of open elements of that kind
	asideJobs []job // found in them
}

// job holds what an opening says of one job.
type job struct {
	record
	content
}

// record holds what a PositionRecordInfo says.
type record struct {
	exists      bool
	begins      int // offset of its start tag
	id          jobboard.JobID
	fault       *fault // what is wrong with the job's identifier
	several     bool   // the fault is that there are two numbers
	status      string
	active, ids dates // of Status and Id
}

// content holds what an opening says beside its records.
type content struct {
	title, profileName, postingTitle string
	company, organization, supplier  string
	profileLang                      string
	posting                          dates
	locations                        []Location
	links                            []Link
	postings                         []jobboard.JobPostingID
	versions                         []jobboard.PostingVersionID
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
	begins  int  // offset of its start tag
	content int  // offset of its content
	text    int  // start of the element's text in parser.text
	taken   bool // the element or one around it needs the text
	nested  bool // the element has child elements
}

// result is an entry or its fault.
type result struct {
	entry *Entry
	begin int // offset of the PositionRecordInfo, if the entry is one of several of an opening; else 0
	fault *fault
}

// parse returns what the bytes of an entry say of its jobs: one entry for each PositionRecordInfo. e has
// the position and the language around it, and becomes the first of them. If the bytes cannot be read to
// the end tag, the only result is the fault, and e.JobID is set if the parser read it before.
func parse(raw []byte, maxDepth int, e *Entry) (first result, others []result) {
	p := &parser{xml: newDecoder(raw), length: len(raw), entry: e}
	p.now = &p.own
	if f := p.read(maxDepth); f != nil {
		if len(p.jobs) == 0 && !p.own.several {
			e.JobID = p.own.id
		}
		return result{entry: e, fault: f}, nil
	}
	return p.results()
}

// read reads the entry to its end tag.
func (p *parser) read(maxDepth int) *fault {
	for {
		at := p.offset()
		p.begins = at
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
				return nil
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

// begin opens an element.
func (p *parser) begin(start xml.StartElement) {
	e := element{StartElement: start, meaning: opening, begins: p.begins, content: p.offset(), text: len(p.text)}
	if len(p.open) > 0 {
		around := p.top()
		around.nested = true
		var known bool
		if e.meaning, known = around.meaning.in[string(p.lower(start.Name.Local))]; !known && around.meaning.others != nil {
			e.meaning = *around.meaning.others
		}
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

// identifier takes the text of an IdValue of the job. A number counts before any other text.
func (p *parser) identifier(text string) {
	e, r := p.top(), &p.now.record
	if text == "" && !e.nested {
		return
	}
	id, err := jobboard.ParseJobID(text)
	switch {
	case e.nested:
		r.reject(&fault{e.content, ErrBadJobID, "an element inside IdValue"})
	case err != nil:
		r.reject(&fault{e.content, ErrBadJobID, fmt.Sprintf("%.40q is not a positive number", text)})
	case r.several || r.id == id:
	case r.id != 0:
		r.several = true
		r.fault = &fault{e.content, ErrBadJobID, fmt.Sprintf("two identifiers, %d and %d", r.id, id)}
	default:
		r.id = id
	}
}

// reject notes the first fault of a record's identifiers.
func (r *record) reject(f *fault) {
	if r.fault == nil {
		r.fault = f
	}
}

// postingID takes the text of an IdValue of a posting.
func (p *parser) postingID(text string) {
	if n, err := strconv.ParseUint(text, 10, 63); err == nil && n > 0 {
		p.now.postings = append(p.now.postings, jobboard.JobPostingID(n))
	}
}

// link takes a link and the posting version that it names.
func (p *parser) link(kind LinkKind, url string) {
	if url == "" {
		return
	}
	p.now.links = append(p.now.links, Link{kind, url})
	if _, version := jobboard.JobFromLink(url); version != 0 {
		p.now.versions = append(p.now.versions, version)
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
		p.now.locations = append(p.now.locations, l)
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
