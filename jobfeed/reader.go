package jobfeed

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"iter"

	"github.com/jobboard-sdk/jobboard-go"
)

// Options bound what a Reader takes. The zero value of a field is the default
// in its comment; nil stands for the zero Options.
type Options struct {
	// MaxEntryBytes bounds the length of an entry as UTF-8; 0 means 1 MiB. A
	// longer one is an EntryError with ErrTooLarge.
	MaxEntryBytes int

	// MaxDepth bounds the elements in one another in an entry, itself included;
	// 0 means 64. A deeper one is an EntryError with ErrTooDeep.
	MaxDepth int

	// MaxBytes bounds the length of the feed as UTF-8, after decompression; 0
	// means 16 GiB, negative no bound. A longer feed ends with ErrTooLarge.
	MaxBytes int64

	// Skip, if not nil, is called with the bytes of each entry that has its end
	// tag, from the start tag to that. If it returns true, the entry is not
	// parsed, and the loop gets neither the entry nor an error of it. The bytes
	// are valid only during the call and must not be changed.
	Skip func(raw []byte) bool
}

const (
	defaultEntryBytes = 1 << 20
	defaultDepth      = 64
	defaultBytes      = 16 << 30
	maxDoctype        = 64 << 10
	maxWrappers       = 64 // that are remembered by name

	// maxResyncs bounds how often the same end of a section is taken as not
	// being the end of one more section; each time costs a look at an entry.
	maxResyncs = 64
)

// Reader reads a feed from beginning to end, once. It must not be used by
// several goroutines at the same time.
type Reader struct {
	src      io.Reader
	win      window
	maxEntry int
	maxDepth int
	skip     func(raw []byte) bool

	last  *Entry // whose raw bytes are in the window
	ahead int    // length of what the last item was about, to be discarded
	err   error  // that ended the feed
	done  bool

	markup   bool      // there was some
	element  bool      // there was one
	wrappers []wrapper // the open elements around the entries
	deeper   int       // open elements beyond those
	skipping bool      // in the rest of a broken entry

	resyncEnd int64 // see maxResyncs
	resyncs   int
}

type wrapper struct{ name, lang string }

// NewReader returns a Reader of the feed in src, plain or compressed. It reads
// nothing yet; later it reads ahead of what it gives.
func NewReader(src io.Reader, opts *Options) *Reader {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.MaxEntryBytes <= 0 {
		o.MaxEntryBytes = defaultEntryBytes
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultDepth
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultBytes
	}
	return &Reader{
		src:      src,
		win:      window{left: o.MaxBytes},
		maxEntry: o.MaxEntryBytes,
		maxDepth: o.MaxDepth,
		skip:     o.Skip,
	}
}

// Entries returns the entries in the order of the feed. An item is an entry, or
// an error: an *EntryError for an entry that is broken, anything else as the
// last item. A loop that was left early is continued by the next one, with
// Entries or JobIDs; after the feed has failed, that gives the same error.
func (r *Reader) Entries() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for {
			e, err := r.next()
			if e == nil && err == nil || !yield(e, err) || r.done {
				return
			}
		}
	}
}

// JobIDs returns the job identifier of each entry, and the same errors as
// Entries; beside an error the identifier is 0. Repeats are not removed.
func (r *Reader) JobIDs() iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		for e, err := range r.Entries() {
			var id jobboard.JobID
			if e != nil {
				id = e.JobID
			}
			if !yield(id, err) {
				return
			}
		}
	}
}

// Err returns why the feed was not seen whole: the error that ended it, or
// [ErrUnread] where no loop has come to its end yet. Broken entries are not
// among it. Ask once the loops are over.
func (r *Reader) Err() error {
	if !r.done {
		return fmt.Errorf("jobfeed: %w", ErrUnread)
	}
	return r.err
}

// next returns an entry or an error, or at the end neither.
func (r *Reader) next() (*Entry, error) {
	if r.last != nil {
		r.last.raw = nil
		r.last = nil
	}
	if r.done {
		return nil, r.err
	}
	if r.win.src == nil {
		src, err := text(r.src)
		if err != nil {
			return nil, r.end(err, "")
		}
		r.win.src = src
	}
	r.win.discard(r.ahead)
	r.ahead = 0
	for {
		if err := r.text(); err != nil || r.done {
			return nil, err
		}
		if e, err := r.scan(); e != nil || err != nil || r.done {
			return e, err
		}
	}
}

// end ends the feed. An err of nil or io.EOF is the end of the text, within
// what is named, if anything.
func (r *Reader) end(err error, within string) error {
	r.done = true
	switch {
	case err != nil && err != io.EOF:
		r.err = fmt.Errorf("jobfeed: line %d, offset %d: %w", r.win.line+1, r.win.off, err)
	case !r.element && within == "":
		r.err = fmt.Errorf("jobfeed: %w: no element in it", ErrNotFeed)
	case within != "":
		r.err = fmt.Errorf("jobfeed: line %d, offset %d: the feed ends inside %s: %w",
			r.win.line+1, r.win.off, within, io.ErrUnexpectedEOF)
	}
	return r.err
}

// stop ends the feed because no more can be read.
func (r *Reader) stop(within string) error { return r.end(r.win.err, within) }

// text discards what stands before the next markup.
func (r *Reader) text() error {
	w := &r.win
	for {
		b := w.bytes()
		k := w.index(0, lessThan)
		if k < 0 {
			k = len(b)
		}
		if space := k - len(bytes.TrimLeft(b[:k], " \t\r\n")); !r.markup && space < k {
			w.discard(space)
			for len(w.bytes()) < 64 && w.more() {
				// Fill the window first, so that the error does not depend on read sizes.
			}
			return r.end(fmt.Errorf("%w: it begins with %.20q", ErrNotFeed, w.bytes()), "")
		}
		w.discard(k)
		if k < len(b) {
			r.markup = true
			return nil
		}
		if w.more() {
			continue
		}
		switch {
		case r.skipping:
			return r.stop("an entry")
		case len(r.wrappers) > 0:
			return r.stop(fmt.Sprintf("element %.40q", r.wrappers[0].name))
		}
		return r.stop("")
	}
}

// scan goes beyond the markup at the beginning of the window. It returns the
// entry or the error that stands there, if any.
func (r *Reader) scan() (*Entry, error) {
	w := &r.win
	kind := w.section(0)
	switch {
	case kind >= 0 && r.skipping:
		r.skipSection(kind)
		return nil, nil
	case kind >= 0:
		return nil, r.section(kind)
	case w.has(0, "</"):
		end := w.name(2)
		name := w.bytes()[2:end]
		if isOpening(name) {
			r.skipping = false
		} else if !r.skipping {
			r.leave(name)
		}
		w.discard(end)
		return nil, nil
	case w.has(0, "<!"):
		end := w.name(2)
		if equalFold(w.bytes()[2:end], "doctype") && !r.skipping && len(r.wrappers) == 0 {
			return nil, r.doctype()
		}
		w.discard(2)
		return nil, nil
	}
	end := w.name(1)
	switch name := w.bytes()[1:end]; {
	case isOpening(name):
		r.element = true
		r.skipping = false
		return r.entry()
	case len(name) == 0, r.skipping:
		w.discard(max(1, end))
		return nil, nil
	}
	return nil, r.enter(end)
}

// section skips a comment or the like between entries.
func (r *Reader) section(kind int) error {
	start, what := r.win.at(0), sections[kind].what
	nested, ok := r.win.skipSection(kind)
	switch {
	case !ok:
		return r.stop(fmt.Sprintf("a %s that begins in line %d", what, start.Line))
	case nested && sections[kind].begin == "<!--":
		reason := "a comment that holds the beginning of another; entries in it are lost"
		return &EntryError{Position: start, Entry: start, Err: ErrSyntax, Reason: reason}
	}
	return nil
}

// enter reads the start tag of an element around the entries; its name ends at
// end.
func (r *Reader) enter(end int) error {
	w := &r.win
	if !r.element && equalFold(w.bytes()[1:end], "html") {
		return r.end(fmt.Errorf("%w: a page of HTML", ErrNotFeed), "")
	}
	r.element = true
	n, empty, why := w.tag(r.maxEntry)
	switch {
	case why == ended && w.err != io.EOF:
		return r.end(w.err, "")
	case why == ended:
		return r.end(nil, "a tag")
	case why == long:
		at := w.at(0)
		w.discard(n)
		reason := fmt.Sprintf("a tag of over %d bytes", r.maxEntry)
		return &EntryError{Position: at, Entry: at, Err: ErrTooLarge, Reason: reason}
	case why == whole && !empty && len(r.wrappers) == maxWrappers:
		r.deeper++
	case why == whole && !empty:
		lang := ""
		if token, err := newTokens(w.bytes()[:n]).d.RawToken(); err == nil {
			lang = language(token.(xml.StartElement).Attr)
		}
		if lang == "" && len(r.wrappers) > 0 {
			lang = r.wrappers[len(r.wrappers)-1].lang
		}
		r.wrappers = append(r.wrappers, wrapper{string(w.bytes()[1:end]), lang})
	}
	w.discard(n)
	return nil
}

// leave closes the innermost element of that name, and with it those in it that
// were not closed.
func (r *Reader) leave(name []byte) {
	if r.deeper > 0 {
		r.deeper--
		return
	}
	for i := len(r.wrappers) - 1; i >= 0; i-- {
		if r.wrappers[i].name == string(name) {
			r.wrappers = r.wrappers[:i]
			return
		}
	}
}

// doctype skips the document type declaration at the beginning of the window.
func (r *Reader) doctype() error {
	end, why := r.win.doctype()
	switch why {
	case long:
		return r.end(fmt.Errorf("%w: a document type declaration of over %d bytes", ErrTooLarge, maxDoctype), "")
	case ended:
		return r.stop("a document type declaration")
	}
	r.win.discard(end)
	return nil
}

// skipSection skips a section in the rest of a broken entry, unless it looks as
// if it was never closed; then it goes on inside of it.
func (r *Reader) skipSection(kind int) {
	w := &r.win
	begin := len(sections[kind].begin)
	end, why := w.sectionEnd(0, kind, r.maxEntry)
	if why != whole {
		w.discard(begin)
		return
	}
	content := w.bytes()[begin : end-len(sections[kind].end)]
	if at := w.hidden(content, kind); at >= 0 && r.mayResync(w.off+int64(end)) {
		w.discard(begin + at)
		return
	}
	w.discard(end)
}

// mayResync reports whether a section that ends at the offset may once more be
// taken as not closed.
func (r *Reader) mayResync(end int64) bool {
	if r.resyncEnd != end {
		r.resyncEnd, r.resyncs = end, 0
	}
	r.resyncs++
	return r.resyncs <= maxResyncs
}

// entry reads the entry at the beginning of the window. It returns neither an
// entry nor an error if that is to be skipped.
func (r *Reader) entry() (*Entry, error) {
	w := &r.win
	n, why := w.entry(r.maxEntry)
	raw := w.bytes()[:n:n]
	if why == whole && r.skip != nil && r.skip(raw) {
		w.discard(n)
		return nil, nil
	}
	r.ahead = n
	e := &Entry{Position: w.at(0)}
	if n := len(r.wrappers); n > 0 {
		e.Language = r.wrappers[n-1].lang
	}
	if why == ended && w.err != io.EOF {
		return nil, r.end(w.err, "")
	}
	var f *fault
	if why == long {
		f = &fault{0, ErrTooLarge, fmt.Sprintf("the entry is over %d bytes long", r.maxEntry)}
	} else if f = w.parse(raw, r.maxDepth, e); f == nil && why == whole {
		e.raw = raw
		r.last = e
		return e, nil
	}
	if f == errOpen {
		f = r.notClosed(n, why)
	}
	bad := &EntryError{Position: w.at(f.at), Entry: e.Position, JobID: e.JobID, Err: f.kind, Reason: f.reason}

	begin, end := w.resync(raw)
	switch {
	case begin >= 0 && r.mayResync(w.off+int64(end)):
		r.ahead = begin
	case why == open, why == openLong:
		r.skipping = true
		r.ahead = n + len(sections[w.section(n)].begin)
	case why == long, why == ended: // ended: so that the feed ends inside of an entry
		r.skipping = true
	}
	return nil, bad
}

// notClosed returns the fault of an entry of n bytes whose elements are not all
// closed.
func (r *Reader) notClosed(n int, why cut) *fault {
	f := &fault{n, ErrSyntax, "malformed markup at the entry's end"}
	section := ""
	if why == open || why == openLong {
		section = sections[r.win.section(n)].what
	}
	switch why {
	case broken:
		f.reason = "the entry is not closed where the next one begins"
	case ended:
		f.kind, f.reason = io.ErrUnexpectedEOF, "the feed ends inside the entry"
	case open:
		f.reason = "a " + section + " that is not closed"
	case openLong:
		f.kind = ErrTooLarge
		f.reason = fmt.Sprintf("a %s that is not closed within the %d bytes of an entry", section, r.maxEntry)
	}
	return f
}
