// Package jsonread reads objects of known kinds out of JSON, with few
// allocations and within a budget of memory.
//
// An [Object] describes a kind of object: the names of its members, and for each a function that
// reads the member's value. A [Cursor] walks over the members of one object, for a caller that
// reads members one at a time. A [Reader] yields the tokens, and counts allocations against a
// budget.
//
// While an item such as a posting is read, a [Text] collects its strings. The complete Text is
// copied to one Go string, and the item's strings are slices of it. So an item takes a handful of
// allocations, and its strings never refer to a buffer.
package jsonread

import (
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
	"github.com/jobboard-sdk/jobboard-go/internal/window"
)

// A Reader scans a document, records the path of an error and counts down a
// budget of allocations. The zero value may allocate nothing.
type Reader struct {
	jsonscan.Scanner
	Budget int64  // bytes that may still be allocated
	Spare  int64  // bytes that may still be allocated for unknown members
	Stop   int64  // offset in the document after which texts are not kept; 0: none
	Path   string // path of the value with the error, such as results[3].title
	Flaw   Flaw   // why the item that was read last cannot be used; see Object.Lenient
	names  interner
}

// A Flaw says why an item of a list cannot be used although it is JSON. The zero value says
// nothing.
type Flaw struct {
	Member string // the member's name or path; empty: the item itself
	Reason jsonscan.Error
}

// Note keeps a flaw of the item, unless the item has one already.
func (r *Reader) Note(member string, reason jsonscan.Error) {
	if r.Flaw.Reason == "" {
		r.Flaw = Flaw{member, reason}
	}
}

// Allow sets the budget to n bytes, and Spare, for unknown members, to a quarter of n.
func (r *Reader) Allow(n int64) { r.Budget, r.Spare = n, n/4 }

// Within puts name in front of the path of the error.
func (r *Reader) Within(name string) {
	if r.Path != "" && r.Path[0] != '[' {
		name += "."
	}
	r.Path = name + r.Path
}

// WithinIndex puts an index in front of the path of the error.
func (r *Reader) WithinIndex(i int) { r.Within("[" + strconv.Itoa(i) + "]") }

// Charge takes n bytes out of the budget, before they are allocated. If the budget is too
// small, it fails the reader and reports false.
func (r *Reader) Charge(n int) bool {
	r.Budget -= int64(n)
	if r.Budget < 0 {
		r.Fail(window.ErrTooLarge)
		return false
	}
	return true
}

// Return puts n bytes back into the budget.
func (r *Reader) Return(n int64) { r.Budget += min(n, math.MaxInt64-max(r.Budget, 0)) }

// Append appends e to s and charges r for a larger array.
func Append[E any](r *Reader, s []E, e E) []E {
	if len(s) == cap(s) {
		s = grown(r, s)
	}
	return append(s, e)
}

func grown[E any](r *Reader, s []E) []E {
	n := max(16, 2*cap(s))
	var e E
	if !r.Charge(n*int(unsafe.Sizeof(e))) && cap(s) > 0 {
		// r has failed, so nobody will use s: elements appended until the caller notices may
		// overwrite the old ones.
		return s[:0]
	}
	// slices.Grow could allocate up to half more than was charged.
	larger := make([]E, len(s), n)
	copy(larger, s)
	return larger
}

// Make returns a slice of n elements and charges r for it. If r has failed it returns nil.
func Make[E any](r *Reader, n int) []E {
	var e E
	if r.Err() != nil || !r.Charge(n*int(unsafe.Sizeof(e))) {
		return nil
	}
	return make([]E, n)
}

// Reuse returns s emptied, with its elements cleared so that they keep no memory
// alive; nil if s is large.
func Reuse[S ~[]E, E any](s S) S {
	if cap(s) > 4096 {
		return nil
	}
	clear(s[:cap(s)])
	return s[:0]
}

// A Piece marks a string inside a Text by its first byte and its end. Join makes the Text a Go
// string, and In returns the marked part.
type Piece struct{ Lo, Hi uint32 }

// In returns the part of s that the piece marks.
func (p Piece) In(s string) string { return s[p.Lo:p.Hi] }

// A Text collects text in several buffers, which never move.
type Text struct {
	full [][]byte
	cur  []byte
	base int // length of the text in full
}

const (
	firstText = 32 << 10
	maxText   = 1 << 20
)

// Len returns the length of t in bytes.
func (t *Text) Len() int { return t.base + len(t.cur) }

// Reset empties t and keeps its first buffer.
func (t *Text) Reset() {
	if len(t.full) > 0 {
		t.cur = t.full[0]
		t.full = nil
	}
	t.cur = t.cur[:0]
	t.base = 0
}

// extend makes room for more text.
func (r *Reader) extend(t *Text) bool {
	n := min(max(firstText, t.Len()/2), maxText)
	if t.Len() > math.MaxInt32 || !r.Charge(n) {
		r.Fail(window.ErrTooLarge)
		return false
	}
	if t.cur != nil {
		t.base += len(t.cur)
		t.full = append(t.full, t.cur)
	}
	t.cur = make([]byte, 0, n)
	return true
}

// Past reports whether the reader has passed Stop.
func (r *Reader) Past() bool { return r.Stop > 0 && r.Offset() > r.Stop }

// cut shortens t to n bytes, and returns the freed buffers to the budget.
func (r *Reader) cut(t *Text, n int) {
	for t.base > n {
		r.Return(int64(cap(t.cur)))
		last := len(t.full) - 1
		t.cur, t.full = t.full[last], t.full[:last]
		t.base -= len(t.cur)
	}
	t.cur = t.cur[:n-t.base]
}

// Join returns a copy of the whole text of t.
func (r *Reader) Join(t *Text) string {
	if r.Err() != nil || !r.Charge(t.Len()) {
		return ""
	}
	var b strings.Builder
	b.Grow(t.Len())
	for _, c := range t.full {
		b.Write(c)
	}
	b.Write(t.cur)
	return b.String()
}

// Add appends b to t.
func (r *Reader) Add(t *Text, b []byte) Piece {
	lo := t.Len()
	for len(b) > 0 && (len(t.cur) < cap(t.cur) || r.extend(t)) {
		n := min(len(b), cap(t.cur)-len(t.cur))
		t.cur = append(t.cur, b[:n]...)
		b = b[n:]
	}
	return Piece{uint32(lo), uint32(t.Len())}
}

// String reads a string to the end of t.
func (r *Reader) String(t *Text) Piece {
	// Most strings have no white space before them. Without this shortcut a job information takes a
	// tenth longer.
	if !r.Is(`"`) && !r.Quote() {
		return Piece{}
	}
	return r.RestOfString(t)
}

// RestOfString reads a string that has begun to the end of t.
func (r *Reader) RestOfString(t *Text) Piece {
	lo := t.Len()
	for {
		var done bool
		t.cur, done = r.Scanner.Text(t.cur)
		if !done && r.Past() {
			r.cut(t, lo)
			r.SkipText()
			done = true
		}
		if done || !r.extend(t) {
			return Piece{uint32(lo), uint32(t.Len())}
		}
	}
}

// maxScalar bounds the text of a number that is read as a text, in bytes.
const maxScalar = 64

// TryText reads a string to the end of t, or a number, true or false as its text: some services
// send as numbers what others send as strings. It skips any other value, also null and a number of
// more than 64 bytes, and reports false.
func (r *Reader) TryText(t *Text) (p Piece, ok bool) {
	if r.Is(`"`) {
		return r.RestOfString(t), true
	}
	var text []byte
	switch c := r.Peek(); {
	case c == '"':
		return r.String(t), true
	case c == 't':
		r.Bool()
		text = []byte("true")
	case c == 'f':
		r.Bool()
		text = []byte("false")
	case c == '-', '0' <= c && c <= '9':
		text = r.Number()
	default:
		r.Skip()
	}
	if len(text) == 0 || len(text) > maxScalar {
		return Piece{}, false
	}
	return r.Add(t, text), true
}

// OptText reads a text as TryText does, or null for "". It fails for any other value.
func (r *Reader) OptText(t *Text) (p Piece) {
	switch r.Peek() {
	case '{', '[':
		r.Quote() // fails
	case 'n':
		r.Null()
	default:
		var ok bool
		if p, ok = r.TryText(t); !ok {
			r.Fail(jsonscan.Error("number too long"))
		}
	}
	return p
}

// Shared returns b as a string. A short string that occurred before is not allocated again.
func (r *Reader) Shared(b []byte) string {
	r.Charge(len(b) + 8)
	return r.names.get(b)
}
