package jobfeed

import (
	"errors"
	"fmt"

	"github.com/jobboard-sdk/jobboard-go"
)

// The faults of an entry; errors.Is finds them in an *EntryError.
var (
	// ErrNoJobID reports that PositionRecordInfo > Id > IdValue is missing or empty.
	ErrNoJobID = errors.New("no job identifier")
	// ErrBadJobID reports that the identifier is not a positive number, or that a record has
	// two different numbers; the reason shows both.
	ErrBadJobID = errors.New("bad job identifier")
	// ErrSyntax reports that the entry is not well-formed.
	ErrSyntax = errors.New("syntax error")
	// ErrTooDeep reports that the entry's elements are nested deeper than
	// Options.MaxDepth.
	ErrTooDeep = errors.New("nested too deep")
	// ErrTooLarge reports that the entry is longer than Options.MaxEntryBytes. As
	// the last error of a feed it reports that the feed is longer than
	// Options.MaxBytes, or its document type declaration longer than 64 KiB.
	ErrTooLarge = errors.New("too large")
)

// Errors that end a feed. Errors of the io.Reader and of compress/gzip, and io.ErrUnexpectedEOF,
// end it too.
var (
	// ErrNotFeed reports that the input is empty, an HTML page, or not XML, such as JSON; or that it is
	// XML of another kind, such as a SOAP fault or RSS: the error then names the root. The
	// package comment says which roots a feed without entries may have.
	ErrNotFeed = errors.New("not a job feed")
	// ErrEncoding reports that the declared encoding is not known.
	ErrEncoding = errors.New("unknown encoding")
)

// ErrUnread reports that nobody has read the feed to its end; see [Reader.Err].
var ErrUnread = errors.New("the feed was not read to its end")

// EntryError reports a broken entry, or markup between entries that may hide an entry. Reading
// continues after it.
type EntryError struct {
	Position                // place of the fault; of a syntax error, the place where the parser noticed it
	Entry    Position       // place of the entry's start tag; equals Position for a fault outside of entries
	JobID    jobboard.JobID // the entry's identifier; 0: not read before the fault
	Reason   string         // one line
	Err      error          // one of the Err values, or io.ErrUnexpectedEOF
}

// Error returns one line with place and reason.
func (e *EntryError) Error() string {
	id := ""
	if e.JobID != 0 {
		id = fmt.Sprintf(" (job %d)", e.JobID)
	}
	return fmt.Sprintf("jobfeed: line %d, column %d, offset %d%s: %v: %s",
		e.Line, e.Column, e.Offset, id, e.Err, e.Reason)
}

// Unwrap returns e.Err.
func (e *EntryError) Unwrap() error { return e.Err }
