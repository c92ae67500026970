package jobfeed

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"github.com/jobboard-sdk/jobboard-go"
)

// Options bound what a Reader takes. The zero value of a field is the default
// in its comment; nil stands for the zero Options.
type Options struct {
	MaxEntryBytes int   // length of an entry as UTF-8; 0 means 1 MiB. A longer one is an EntryError with ErrTooLarge
	MaxDepth      int   // of the elements in an entry, itself included; 0 means 64. A deeper one is an EntryError with ErrTooDeep
	MaxBytes      int64 // length of the feed as UTF-8, after decompression; 0 means 16 GiB, negative no bound. A longer feed ends with ErrTooLarge

	// Skip, unless it is nil, is called with the bytes of each entry that ends
	// where it should, from its start tag to its end tag. Where it returns true
	// the entry is not read, and is no item of the loop even if it is broken.
	// The bytes are good only during the call, and must not be changed.
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
	parser   parser
	maxEntry int
	skip     func(raw []byte) bool

	id    Entry  // what JobIDs reads
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
		parser:   parser{maxDepth: o.MaxDepth},
		maxEntry: o.MaxEntryBytes,
		skip:     o.Skip,
	}
}

// Entries gives the entries in the order of the feed. An item is an entry, or
// an error: an *EntryError for an entry that is broken, anything else as the
// last item. A loop that was left early is continued by the next one, with
// Entries or JobIDs; after the feed has failed, that gives the same error.
func (r *Reader) Entries() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for {
			e, err := r.next(false)
			if e == nil && err == nil || !yield(e, err) || r.done {
				return
			}
		}
	}
}

// JobIDs gives the job identifier of each entry, and the same errors as
// Entries; beside an error the identifier is 0. It is quicker than Entries where
// the rest is not wanted. Repeats are not removed.
func (r *Reader) JobIDs() iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		for {
			e, err := r.next(true)
			if e == nil && err == nil {
				return
			}
			var id jobboard.JobID
			if e != nil {
				id = e.JobID
			}
			if !yield(id, err) || r.done {
				return
			}
		}
	}
}

// Err is why the feed was not seen whole: the error that ended it, or
// [ErrUnread] where no loop has come to its end yet. Broken entries are not
// among it. Ask once the loops are over.
func (r *Reader) Err() error {
	if !r.done {
		return fmt.Errorf("jobfeed: %w", ErrUnread)
	}
	return r.err
}

// next gives an entry or an error, or at the end neither.
func (r *Reader) next(idOnly bool) (*Entry, error) {
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
	r.parser.idOnly = idOnly
	return r.scan()
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
		r.err = fmt.Errorf("jobfeed: line %d, offset %d: the feed ends inside %s: %w", r.win.line+1, r.win.off, within, io.ErrUnexpectedEOF)
	}
	return r.err
}

// stop ends the feed because no more can be read.
func (r *Reader) stop(within string) error { return r.end(r.win.err, within) }

// scan goes through the markup around the entries to the next item.
func (r *Reader) scan() (*Entry, error) {
	w := &r.win
	for {
		b := w.bytes()
		k := bytes.IndexByte(b, '<')
		if k < 0 {
			k = len(b)
		}
		if space := k - len(bytes.TrimLeft(b[:k], " \t\r\n")); !r.markup && space < k {
			w.discard(space)
			for len(w.bytes()) < 64 && w.more() { // the same words however the text comes
			}
			return nil, r.end(fmt.Errorf("%w: it begins with %.20q", ErrNotFeed, w.bytes()), "")
		}
		w.discard(k)
		if k == len(b) {
			if w.more() {
				continue
			}
			switch {
			case r.skipping:
				return nil, r.stop("an entry")
			case len(r.wrappers) > 0:
				return nil, r.stop(fmt.Sprintf("element %.40q", r.wrappers[0].name))
			}
			return nil, r.stop("")
		}
		r.markup = true

		if kind := w.section(0); kind >= 0 {
			if r.skipping {
				r.skipSection(kind)
				continue
			}
			start, what := w.at(0), sections[kind].what
			nested, ok := w.skipSection(kind)
			if !ok {
				return nil, r.stop(fmt.Sprintf("a %s that begins in line %d", what, start.Line))
			}
			if nested && sections[kind].begin == "<!--" {
				return nil, &EntryError{Position: start, Entry: start, Err: ErrSyntax, Reason: "a comment that holds the beginning of another; entries in it are lost"}
			}
			continue
		}
		if w.has(0, "</") {
			end := w.name(2)
			name := w.bytes()[2:end]
			switch {
			case isOpening(name):
				r.skipping = false
			case !r.skipping:
				r.leave(name)
			}
			w.discard(end)
			continue
		}
		if w.has(0, "<!") {
			end := w.name(2)
			if !equalFold(w.bytes()[2:end], "doctype") || r.skipping || len(r.wrappers) > 0 {
				w.discard(2)
				continue
			}
			if err := r.doctype(); err != nil {
				return nil, err
			}
			continue
		}
		end := w.name(1)
		name := w.bytes()[1:end]
		switch {
		case isOpening(name):
			r.element = true
			r.skipping = false
			if e, err := r.entry(); e != nil || err != nil {
				return e, err
			}
			continue // a skipped one
		case len(name) == 0, r.skipping:
			w.discard(max(1, end))
			continue
		}
		if err := r.enter(end); err != nil {
			return nil, err
		}
	}
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
	switch why {
	case ended:
		if err := w.err; err != io.EOF {
			return r.end(err, "")
		}
		return r.end(nil, "a tag")
	case long:
		at := w.at(0)
		w.discard(n)
		return &EntryError{Position: at, Entry: at, Err: ErrTooLarge, Reason: fmt.Sprintf("a tag of over %d bytes", r.maxEntry)}
	case broken:
		w.discard(n)
		return nil
	}
	if !empty {
		if len(r.wrappers) < maxWrappers {
			r.parser.raw = w.bytes()[:n]
			lang := ""
			if _, _, f := r.parser.startTag(0); f == nil {
				lang = r.parser.lang()
			}
			if lang == "" && len(r.wrappers) > 0 {
				lang = r.wrappers[len(r.wrappers)-1].lang
			}
			r.wrappers = append(r.wrappers, wrapper{string(w.bytes()[1:end]), lang})
		} else {
			r.deeper++
		}
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

// doctype skips the declaration at the beginning of the window.
func (r *Reader) doctype() error {
	w := &r.win
	depth := 0
	var quote byte
	for i := 2; ; i++ {
		if i >= maxDoctype {
			return r.end(fmt.Errorf("%w: a document type declaration of over %d bytes", ErrTooLarge, maxDoctype), "")
		}
		if i == w.w-w.r && !w.more() {
			return r.stop("a document type declaration")
		}
		c := w.bytes()[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '<':
			if kind := w.section(i); kind >= 0 {
				end, why := w.sectionEnd(i, kind, maxDoctype)
				switch why {
				case long:
					return r.end(fmt.Errorf("%w: a document type declaration of over %d bytes", ErrTooLarge, maxDoctype), "")
				case ended:
					return r.stop("a document type declaration")
				}
				i = end - 1
			}
		case c == '>' && depth <= 0:
			w.discard(i + 1)
			return nil
		}
	}
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
	if at := hidden(w.bytes()[begin:end-len(sections[kind].end)], kind); at >= 0 && r.mayResync(w.off+int64(end)) {
		w.discard(begin + at)
		return
	}
	w.discard(end)
}

// mayResync tells whether a section that ends at the offset may once more be
// taken as not closed.
func (r *Reader) mayResync(end int64) bool {
	if r.resyncEnd != end {
		r.resyncEnd, r.resyncs = end, 0
	}
	r.resyncs++
	return r.resyncs <= maxResyncs
}

// entry reads the entry at the beginning of the window. It gives neither an
// entry nor an error if that is to be skipped.
func (r *Reader) entry() (*Entry, error) {
	w := &r.win
	n, why := w.entry(r.maxEntry)
	raw := w.bytes()[:n:n]
	if why == whole && r.skip != nil && r.skip(raw) {
		w.discard(n)
		return nil, nil
	}
	e := &r.id
	if !r.parser.idOnly {
		e = new(Entry)
	}
	*e = Entry{Position: w.at(0)}
	if n := len(r.wrappers); n > 0 {
		e.Language = r.wrappers[n-1].lang
	}
	r.ahead = n

	if why == ended && w.err != io.EOF {
		return nil, r.end(w.err, "")
	}
	var f *fault
	if why == long {
		f = &fault{0, ErrTooLarge, fmt.Sprintf("the entry is over %d bytes long", r.maxEntry)}
	} else if f = r.parser.parse(raw, e); f == nil && why == whole {
		e.raw = raw
		r.last = e
		return e, nil
	}
	if f == errOpen {
		f = &fault{n, ErrSyntax, "malformed markup at the entry's end"}
		switch why {
		case broken:
			f.reason = "the entry is not closed where the next one begins"
		case ended:
			f.kind, f.reason = io.ErrUnexpectedEOF, "the feed ends inside the entry"
		case open:
			f.reason = "a " + sections[w.section(n)].what + " that is not closed"
		case openLong:
			f.kind = ErrTooLarge
			f.reason = fmt.Sprintf("a %s that is not closed within the %d bytes of an entry", sections[w.section(n)].what, r.maxEntry)
		}
	}
	bad := &EntryError{Position: w.at(f.at), Entry: e.Position, JobID: e.JobID, Err: f.kind, Reason: f.reason}

	if begin, end := resync(raw); begin >= 0 && r.mayResync(w.off+int64(end)) {
		r.ahead = begin
		return nil, bad
	}
	switch why {
	case open, openLong:
		r.skipping = true
		r.ahead = n + len(sections[w.section(n)].begin)
	case long, ended: // ended: so that the feed ends inside of an entry
		r.skipping = true
	}
	return nil, bad
}
