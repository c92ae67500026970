// Package feedtest writes job feeds for tests: an entry as package jobfeed reads it becomes
// XML in a spelling of your choice.
package feedtest

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// Options sets how a Writer spells a feed; nil means the zero value.
type Options struct {
	Namespace string // namespace of all elements; empty: none
	Prefix    string // prefix of all elements, declared for Namespace; empty: none
	Root      string // the element around the entries; empty means "PositionOpenings"
	LowerCase bool   // positionOpening, idValue and so on instead of PositionOpening, IdValue
}

// Writer writes feeds for a jobfeed.Reader. The feed is well-formed UTF-8;
// characters that XML forbids become U+FFFD.
type Writer struct {
	w      *bufio.Writer // keeps the first error of the io.Writer
	xml    *xml.Encoder  // to w
	opts   Options
	closed bool
}

// NewWriter returns a Writer to w. Close ends the feed; it does not close w.
func NewWriter(w io.Writer, opts *Options) *Writer {
	buffered := bufio.NewWriterSize(w, 64<<10)
	fw := &Writer{w: buffered, xml: xml.NewEncoder(buffered)}
	if opts != nil {
		fw.opts = *opts
	}
	fw.opts.Root = cmp.Or(fw.opts.Root, "PositionOpenings")
	declaration := "xmlns"
	if fw.opts.Prefix != "" {
		declaration += ":" + fw.opts.Prefix
	}
	fw.text(xml.Header)
	fw.token(xml.StartElement{Name: fw.name(fw.opts.Root), Attr: attrs(declaration, fw.opts.Namespace)})
	fw.text("\n")
	return fw
}

// Write writes an entry, which must have a JobID; it leaves out empty fields. It does not write
// Position, and writes PostingVersions only inside Links. It returns the error of the io.Writer, or
// refuses an entry that cannot be written; after a refusal the feed is unchanged.
func (w *Writer) Write(e *jobfeed.Entry) error {
	err := w.err()
	switch {
	case err != nil:
		return err
	case w.closed:
		return errors.New("feedtest: Write after Close")
	case e.JobID < 1:
		return fmt.Errorf("feedtest: writing job %d: %w", e.JobID, jobfeed.ErrBadJobID)
	}
	for _, l := range e.Links {
		if l.Kind != jobfeed.LinkPosting && l.Kind != jobfeed.LinkApply {
			return fmt.Errorf("feedtest: writing job %d: unknown kind of link %q", e.JobID, l.Kind)
		}
	}
	w.entry(e)
	return w.err()
}

// Close ends the feed and flushes it. Without entries the feed is valid too.
func (w *Writer) Close() error {
	if !w.closed {
		w.closed = true
		w.token(xml.EndElement{Name: w.name(w.opts.Root)})
		w.text("\n")
	}
	return w.w.Flush()
}

// err returns the first error of the io.Writer.
func (w *Writer) err() error {
	_, err := w.w.Write(nil)
	return err
}

func (w *Writer) entry(e *jobfeed.Entry) {
	w.in("PositionOpening", nil, func() {
		w.in("PositionRecordInfo", nil, func() {
			w.leaf(e.JobID.String(), "Id", "IdValue")
			w.leaf(e.Status, "Status")
		})
		w.in("PositionPostings", nil, func() { w.postings(e) })
		w.in("PositionProfile", attrs("xml:lang", e.Language), func() {
			w.in("PositionDetail", nil, func() {
				w.leaf(e.Company, "Company", "Name")
				for _, l := range e.Locations {
					w.location(l)
				}
				w.leaf(e.Title, "PositionTitle")
			})
			for _, url := range urls(e, jobfeed.LinkApply) {
				w.leaf(url, "HowToApply", "ApplicationMethod", "InternetWebAddress")
			}
		})
	})
	w.text("\n")
}

// postings writes one PositionPosting for each posting that the entry names. The first
// PositionPosting has the dates and the links. For an entry without postings it writes an
// identifier that is not a number, to expose a reader that takes it for the job's identifier.
func (w *Writer) postings(e *jobfeed.Entry) {
	var ids []string
	for _, id := range e.Postings {
		ids = append(ids, fmt.Sprint(id))
	}
	if ids == nil {
		ids = []string{"posting-" + e.JobID.String()}
	}
	dates := attrs("validFrom", string(e.ValidFrom), "validTo", string(e.ValidTo))
	links := urls(e, jobfeed.LinkPosting)
	for _, id := range ids {
		w.in("PositionPosting", nil, func() {
			w.in("Id", dates, func() { w.leaf(id, "IdValue") })
			for _, url := range links {
				w.leaf(url, "Link")
			}
		})
		dates, links = nil, nil
	}
}

func (w *Writer) location(l jobfeed.Location) {
	w.in("PhysicalLocation", nil, func() {
		w.leaf(l.Name, "Name")
		w.in("PostalAddress", nil, func() {
			w.leaf(l.Country, "CountryCode")
			w.leaf(l.PostalCode, "PostalCode")
			w.leaf(l.Region, "Region")
			w.leaf(l.City, "Municipality")
			w.leaf(l.Street, "DeliveryAddress", "StreetName")
		})
	})
}

// urls returns the addresses of an entry's links of a kind.
func urls(e *jobfeed.Entry, kind jobfeed.LinkKind) (urls []string) {
	for _, l := range e.Links {
		if l.Kind == kind {
			urls = append(urls, l.URL)
		}
	}
	return urls
}

// attrs makes attributes from pairs of name and value, and leaves out empty values.
func attrs(pairs ...string) (attrs []xml.Attr) {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			attrs = append(attrs, xml.Attr{Name: xml.Name{Local: pair[0]}, Value: pair[1]})
		}
	}
	return attrs
}

// in writes an element whose content inside writes.
func (w *Writer) in(name string, attrs []xml.Attr, inside func()) {
	start := xml.StartElement{Name: w.name(name), Attr: attrs}
	w.token(start)
	inside()
	w.token(start.End())
}

// leaf writes a text in elements of these names, unless it is empty.
func (w *Writer) leaf(text string, names ...string) {
	switch {
	case text == "":
	case len(names) == 0:
		w.token(xml.CharData(text))
	default:
		w.in(names[0], nil, func() { w.leaf(text, names[1:]...) })
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

// token writes a token. It fails only as w.w does.
func (w *Writer) token(t xml.Token) { _ = w.xml.EncodeToken(t) }

// text writes text between elements.
func (w *Writer) text(s string) { _, _ = w.w.WriteString(s) }
