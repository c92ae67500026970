package jobfeed

import (
	"errors"
	"fmt"

	"github.com/jobboard-sdk/jobboard-go"
)

// What is wrong with an entry, for errors.Is on an *EntryError.
var (
	// ErrNoJobID reports that there is no PositionRecordInfo > Id > IdValue, or it is empty.
	ErrNoJobID = errors.New("no job identifier")
	// ErrBadJobID reports that the identifier is not a positive number.
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

// What ends a feed, besides the errors of the io.Reader, of compress/gzip and
// io.ErrUnexpectedEOF.
var (
	// ErrNotFeed reports that this is no XML, such as JSON or nothing at all, or a
	// page of HTML.
	ErrNotFeed = errors.New("not an XML feed")
	// ErrEncoding reports that the declared encoding is not known.
	ErrEncoding = errors.New("unknown encoding")
)

// ErrUnread reports that nobody has read the feed to its end; see [Reader.Err].
var ErrUnread = errors.New("the feed was not read to its end")

// EntryError reports a part of the feed that gives no entry: a broken entry, or
// markup around the entries that may hide one. Reading goes on after it.
type EntryError struct {
	Position                // of the fault; of a syntax error, where the parser was when it found it
	Entry    Position       // of the entry's start tag; of a fault outside of entries, the same as Position
	JobID    jobboard.JobID // the entry's identifier, if it was read before the fault, else 0
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
