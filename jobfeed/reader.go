package jobfeed

import (
	"cmp"
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

	// maxResyncs bounds how often the same text is read again from inside of a
	// section that is taken as not closed; each time costs a look at an entry.
	maxResyncs = 64
)

// Reader reads a feed from beginning to end, once. It must not be used by
// several goroutines at the same time.
type Reader struct {
	src  io.Reader
	win  window
	opts Options

	last  *Entry // whose raw bytes are in the window
	ahead int    // length of what the last item was about, to be discarded
	err   error  // that ended the feed
	done  bool

	element  bool      // there was one
	wrappers []wrapper // the open elements around the entries
	deeper   int       // open elements beyond those
	skipping bool      // in the rest of a broken entry

	resyncEnd int64 // up to where the text was read again; see maxResyncs
	resyncs   int   // how often
}

type wrapper struct{ name, lang string }

// NewReader returns a Reader of the feed in src, plain or compressed. It reads
// nothing yet; later it reads ahead of what it gives.
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
		r.last = nil // from now on it is the caller's alone
	}
	if r.win.src == nil && !r.done {
		r.open()
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

// stop ends the feed because no more can be read, within what is named, if
// anything.
func (r *Reader) stop(within string) error {
	r.done = true
	switch {
	case r.win.err != io.EOF:
		return r.fail(r.win.err)
	case within != "":
		return r.fail(fmt.Errorf("the feed ends inside %s: %w", within, io.ErrUnexpectedEOF))
	case !r.element:
		r.err = fmt.Errorf("jobfeed: %w: no element in it", ErrNotFeed)
	}
	return r.err
}
