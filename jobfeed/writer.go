package jobfeed

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WriterOptions say how a Writer spells a feed; nil stands for the zero value.
type WriterOptions struct {
	Namespace string // of all elements; empty: none
	Prefix    string // of all elements, declared for Namespace; empty: none
	Root      string // the element around the entries; empty means "PositionOpenings"
	LowerCase bool   // positionOpening, idValue and so on instead of PositionOpening, IdValue
}

// Writer writes feeds that a Reader reads, for tests and for programs that play
// the board. The feed is well-formed UTF-8; characters that XML does not have
// become U+FFFD.
type Writer struct {
	w      *bufio.Writer
	xml    *xml.Encoder // to w
	opts   WriterOptions
	begun  bool
	closed bool
	err    error
}

// NewWriter returns a Writer to w. Close ends the feed; it does not close w.
func NewWriter(w io.Writer, opts *WriterOptions) *Writer {
	buffered := bufio.NewWriter(w)
	fw := &Writer{w: buffered, xml: xml.NewEncoder(buffered)}
	if opts != nil {
		fw.opts = *opts
	}
	if fw.opts.Root == "" {
		fw.opts.Root = "PositionOpenings"
	}
	return fw
}

// Write writes an entry, which must have a JobID; what is empty is left out. It
// does not write the entry's Position, and PostingVersions only as far as Links
// name them. Its error is that of the io.Writer, or tells of an entry that
// cannot be written; the latter leaves the feed as it was.
func (w *Writer) Write(e *Entry) error {
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return errors.New("jobfeed: Write after Close")
	case e.JobID < 1:
		return fmt.Errorf("jobfeed: writing job %d: %w", e.JobID, ErrBadJobID)
	}
	for _, l := range e.Links {
		if l.Kind != LinkPosting && l.Kind != LinkApply {
			return fmt.Errorf("jobfeed: writing job %d: unknown kind of link %q", e.JobID, l.Kind)
		}
	}
	w.begin()
	w.entry(e)
	return w.err
}

// Close ends the feed and flushes it. A feed without entries is one, too.
func (w *Writer) Close() error {
	if w.closed || w.err != nil {
		return w.err
	}
	w.begin()
	w.closed = true
	w.token(xml.EndElement{Name: w.name(w.opts.Root)})
	w.str("\n")
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

func (w *Writer) begin() {
	if w.begun {
		return
	}
	w.begun = true
	w.str(xml.Header)
	declaration := "xmlns"
	if w.opts.Prefix != "" {
		declaration += ":" + w.opts.Prefix
	}
	w.token(xml.StartElement{Name: w.name(w.opts.Root), Attr: attrs(declaration, w.opts.Namespace)})
	w.str("\n")
}

func (w *Writer) entry(e *Entry) {
	w.in("PositionOpening", nil, func() {
		w.in("PositionRecordInfo", nil, func() {
			w.in("Id", nil, func() { w.leaf("IdValue", e.JobID.String()) })
			w.leaf("Status", e.Status)
		})
		w.in("PositionPostings", nil, func() { w.postings(e) })
		w.in("PositionProfile", attrs("xml:lang", e.Language), func() {
			w.in("PositionDetail", nil, func() {
				if e.Company != "" {
					w.in("Company", nil, func() { w.leaf("Name", e.Company) })
				}
				for _, l := range e.Locations {
					w.location(l)
				}
				w.leaf("PositionTitle", e.Title)
			})
			for _, url := range e.urls(LinkApply) {
				w.in("HowToApply", nil, func() {
					w.in("ApplicationMethod", nil, func() { w.leaf("InternetWebAddress", url) })
				})
			}
		})
	})
	w.str("\n")
}

// postings writes one PositionPosting for each posting that the entry names. The
// first has the dates and the links. Without any, its identifier is one that is
// no number, so that a reader that takes it for the job's is found out.
func (w *Writer) postings(e *Entry) {
	names := []string{"posting-" + e.JobID.String()}
	for i, id := range e.Postings {
		names = append(names[:i], strconv.FormatInt(int64(id), 10))
	}
	dates := attrs("validFrom", string(e.ValidFrom), "validTo", string(e.ValidTo))
	links := e.urls(LinkPosting)
	for _, name := range names {
		w.in("PositionPosting", nil, func() {
			w.in("Id", dates, func() { w.leaf("IdValue", name) })
			for _, url := range links {
				w.leaf("Link", url)
			}
		})
		dates, links = nil, nil
	}
}

func (w *Writer) location(l Location) {
	w.in("PhysicalLocation", nil, func() {
		w.leaf("Name", l.Name)
		w.in("PostalAddress", nil, func() {
			w.leaf("CountryCode", l.Country)
			w.leaf("PostalCode", l.PostalCode)
			w.leaf("Region", l.Region)
			w.leaf("Municipality", l.City)
			if l.Street != "" {
				w.in("DeliveryAddress", nil, func() { w.leaf("StreetName", l.Street) })
			}
		})
	})
}

// urls returns the addresses of the links of a kind.
func (e *Entry) urls(kind LinkKind) (urls []string) {
	for _, l := range e.Links {
		if l.Kind == kind {
			urls = append(urls, l.URL)
		}
	}
	return urls
}

// attrs returns the attributes of pairs of a name and a value, without those
// whose value is empty.
func attrs(pairs ...string) (attrs []xml.Attr) {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			attrs = append(attrs, xml.Attr{Name: xml.Name{Local: pair[0]}, Value: pair[1]})
		}
	}
	return attrs
}

// in writes an element around what inside writes.
func (w *Writer) in(name string, attrs []xml.Attr, inside func()) {
	start := xml.StartElement{Name: w.name(name), Attr: attrs}
	w.token(start)
	inside()
	w.token(start.End())
}

// leaf writes an element with text, unless that is empty.
func (w *Writer) leaf(name, text string) {
	if text != "" {
		w.in(name, nil, func() { w.token(xml.CharData(text)) })
	}
}

// name returns an element's name as the options spell it.
func (w *Writer) name(name string) xml.Name {
	if w.opts.LowerCase {
		name = strings.ToLower(name[:1]) + name[1:]
	}
	if w.opts.Prefix != "" {
		name = w.opts.Prefix + ":" + name
	}
	return xml.Name{Local: name}
}

// token writes a token, unless an error came before.
func (w *Writer) token(t xml.Token) {
	if w.err == nil {
		w.err = w.xml.EncodeToken(t)
	}
}

// str writes what stands between the elements.
func (w *Writer) str(s string) {
	if w.err == nil {
		_, w.err = w.w.WriteString(s)
	}
}
