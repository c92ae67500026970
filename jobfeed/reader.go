package jobfeed

import (
	"cmp"
	"fmt"
	"io"
	"iter"

	"github.com/jobboard-sdk/jobboard-go"
)

// Options bounds what a Reader accepts. The zero value of a field means the default in its comment;
// nil means the zero Options.
type Options struct {
	// MaxEntryBytes bounds the length of an entry as UTF-8; 0 means 1 MiB. A longer entry gives an
	// EntryError with ErrTooLarge.
	MaxEntryBytes int

	// MaxDepth bounds the depth of nested elements in an entry, itself included; 0 means 64. A
	// deeper entry gives an EntryError with ErrTooDeep.
	MaxDepth int

	// MaxBytes bounds the length of the feed as UTF-8, after decompression; 0
	// means 16 GiB, negative no bound. A longer feed ends with ErrTooLarge.
	MaxBytes int64

	// Skip, if not nil, gets the bytes of each entry that has an end tag, start tag and end tag
	// included. If Skip returns true, the entry is not parsed, and the loop gets neither the entry
	// nor its error. Skip must neither change nor keep the bytes.
	Skip func(raw []byte) bool
}

const (
	defaultEntryBytes = 1 << 20
	defaultDepth      = 64
	defaultBytes      = 16 << 30
	maxDoctype        = 64 << 10
	maxWrappers       = 64 // wrapper elements remembered by name

	// maxResyncs bounds how often the same text is read again from inside a section that seems not
	// closed. Each time the reader looks at a whole entry.
	maxResyncs = 64
)

// Reader reads a feed from beginning to end, once. It is not safe for concurrent use.
type Reader struct {
	src  io.Reader
	win  window
	opts Options

	last   *Entry   // the entry whose raw bytes are in the window
	ahead  int      // bytes of the last entry, to be discarded
	raw    []byte   // these bytes
	others []result // what they say of further jobs
	begun  Position // where the last of their records begins
	err    error    // the error that ended the feed
	done   bool

	element  bool      // the feed has an element
	root     string    // local name of the first element, if it is no entry
	isFeed   bool      // the root or an element of the feed is one of a feed's
	wrappers []wrapper // the open elements around the entries
	deeper   int       // number of open elements beyond maxWrappers
	skipping bool      // in the rest of a broken entry

	resyncEnd int64 // end of the text that was read again; see maxResyncs
	resyncs   int   // how often
}

type wrapper struct{ name, lang string }

// NewReader returns a Reader of the feed in src, plain or compressed. It reads nothing yet. The
// loop reads ahead, so src may be further than the last entry.
func NewReader(src io.Reader, opts *Options) *Reader {
	r := &Reader{src: src}
	if opts != nil {
		r.opts = *opts
	}
	if r.opts.MaxEntryBytes <= 0 {
		r.opts.MaxEntryBytes = defaultEntryBytes
	}
	if r.opts.MaxDepth <= 0 {
		r.opts.MaxDepth = defaultDepth
	}
	r.win.start = Position{Line: 1, Column: 1}
	r.win.left = cmp.Or(r.opts.MaxBytes, defaultBytes)
	return r
}

// Entries returns the entries in the order of the feed. An item is an entry, or an error: an
// *EntryError for an entry that is broken, anything else as the last item. If a loop breaks off,
// the next loop over Entries or JobIDs continues there; after the feed has failed, it gets the same
// error again.
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

// Err returns nil if the whole feed was read, else the error that ended the feed, or [ErrUnread] if
// no loop has reached the end. Broken entries do not count as errors here. Call Err after the loop.
func (r *Reader) Err() error {
	if !r.done {
		return fmt.Errorf("jobfeed: %w", ErrUnread)
	}
	return r.err
}

// next returns an entry or an error; the feed's end gives nil and nil.
func (r *Reader) next() (*Entry, error) {
	if r.last != nil {
		r.last.raw = nil
		r.last = nil // the caller owns the entry now
	}
	if r.win.src == nil && !r.done {
		r.open()
	}
	if len(r.others) > 0 {
		return r.give(r.raw, r.others[0], r.others[1:])
	}
	r.win.discard(r.ahead)
	r.ahead = 0
	for !r.done {
		if e, err := r.scan(); e != nil || err != nil {
			return e, err
		}
	}
	return nil, r.err
}

// fail ends the feed with an error where the reader is.
func (r *Reader) fail(err error) error {
	r.done = true
	r.err = fmt.Errorf("jobfeed: line %d, offset %d: %w", r.win.start.Line, r.win.start.Offset, err)
	return r.err
}

// stop ends the feed because the source has no more bytes. within names the element or section that
// is not closed; empty: none.
func (r *Reader) stop(within string) error {
	r.done = true
	switch {
	case r.win.err != io.EOF:
		return r.fail(r.win.err)
	case within != "":
		return r.fail(fmt.Errorf("the feed ends inside %s: %w", within, io.ErrUnexpectedEOF))
	case !r.element:
		r.err = fmt.Errorf("jobfeed: %w: no element in it", ErrNotFeed)
	case !r.isFeed:
		r.err = fmt.Errorf("jobfeed: %w: its root is %.40q, and no PositionOpening or other element of a feed is in it", ErrNotFeed, r.root)
	}
	return r.err
}
