package jobfeed

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
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
	opts   WriterOptions
	begun  bool
	closed bool
	err    error
}

// NewWriter returns a Writer to w. Close ends the feed; it does not close w.
func NewWriter(w io.Writer, opts *WriterOptions) *Writer {
	fw := &Writer{w: bufio.NewWriterSize(w, 64<<10)}
	if opts != nil {
		fw.opts = *opts
	}
	if fw.opts.Root == "" {
		fw.opts.Root = "PositionOpenings"
	}
	return fw
}

// Write writes an entry, which must have a JobID; what is empty is left out. The
// entry's Position is not written, and of PostingVersions what Links say. An error is that of the io.Writer, or
// tells of an entry that cannot be written; the latter leaves the feed as it was.
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
	w.end(w.opts.Root)
	w.str("\n")
	if err := w.w.Flush(); w.err == nil {
		w.err = err
	}
	return w.err
}

func (w *Writer) begin() {
	if w.begun {
		return
	}
	w.begun = true
	w.str(xml.Header)
	var attrs []string
	if w.opts.Namespace != "" {
		name := "xmlns"
		if w.opts.Prefix != "" {
			name += ":" + w.opts.Prefix
		}
		attrs = []string{name, w.opts.Namespace}
	}
	w.start(w.opts.Root, attrs...)
	w.str("\n")
}

func (w *Writer) entry(e *Entry) {
	var lang []string
	if e.Language != "" {
		lang = []string{"xml:lang", e.Language}
	}
	w.start("PositionOpening")

	w.start("PositionRecordInfo")
	w.start("Id")
	w.leaf("IdValue", e.JobID.String())
	w.end("Id")
	w.leaf("Status", e.Status)
	w.end("PositionRecordInfo")

	w.postings(e)

	w.start("PositionProfile", lang...)
	w.start("PositionDetail")
	if e.Company != "" {
		w.start("Company")
		w.leaf("Name", e.Company)
		w.end("Company")
	}
	for _, l := range e.Locations {
		w.location(l)
	}
	w.leaf("PositionTitle", e.Title)
	w.end("PositionDetail")
	w.links(e, LinkApply)
	w.end("PositionProfile")

	w.end("PositionOpening")
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
	w.start("PositionPostings")
	for i, name := range names {
		w.start("PositionPosting")
		var dates []string
		if e.ValidFrom != "" && i == 0 {
			dates = append(dates, "validFrom", string(e.ValidFrom))
		}
		if e.ValidTo != "" && i == 0 {
			dates = append(dates, "validTo", string(e.ValidTo))
		}
		w.start("Id", dates...)
		w.leaf("IdValue", name)
		w.end("Id")
		if i == 0 {
			w.links(e, LinkPosting)
		}
		w.end("PositionPosting")
	}
	w.end("PositionPostings")
}

func (w *Writer) location(l Location) {
	w.start("PhysicalLocation")
	w.leaf("Name", l.Name)
	w.start("PostalAddress")
	w.leaf("CountryCode", l.Country)
	w.leaf("PostalCode", l.PostalCode)
	w.leaf("Region", l.Region)
	w.leaf("Municipality", l.City)
	if l.Street != "" {
		w.start("DeliveryAddress")
		w.leaf("StreetName", l.Street)
		w.end("DeliveryAddress")
	}
	w.end("PostalAddress")
	w.end("PhysicalLocation")
}

func (w *Writer) links(e *Entry, kind LinkKind) {
	for _, l := range e.Links {
		if l.Kind != kind {
			continue
		}
		if kind == LinkPosting {
			w.leaf("Link", l.URL)
			continue
		}
		w.start("HowToApply")
		w.start("ApplicationMethod")
		w.leaf("InternetWebAddress", l.URL)
		w.end("ApplicationMethod")
		w.end("HowToApply")
	}
}

// start writes a start tag with attributes, name and value in turn.
func (w *Writer) start(name string, attrs ...string) {
	w.str("<")
	w.name(name)
	for i := 0; i < len(attrs); i += 2 {
		w.str(" ")
		w.str(attrs[i])
		w.str(`="`)
		w.text(attrs[i+1])
		w.str(`"`)
	}
	w.str(">")
}

func (w *Writer) end(name string) {
	w.str("</")
	w.name(name)
	w.str(">")
}

// leaf writes an element with text, unless that is empty.
func (w *Writer) leaf(name, text string) {
	if text == "" {
		return
	}
	w.start(name)
	w.text(text)
	w.end(name)
}

func (w *Writer) name(name string) {
	if w.opts.Prefix != "" {
		w.str(w.opts.Prefix)
		w.str(":")
	}
	if w.opts.LowerCase {
		w.str(strings.ToLower(name[:1]))
		name = name[1:]
	}
	w.str(name)
}

func (w *Writer) text(s string) {
	if w.err == nil {
		w.err = xml.EscapeText(w.w, []byte(s))
	}
}

func (w *Writer) str(s string) {
	if w.err == nil {
		_, w.err = w.w.WriteString(s)
	}
}
