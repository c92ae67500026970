// Package jsonscan pulls JSON (RFC 8259) out of a reader, one token at a time,
// through a window of fixed size.
//
// The caller knows the shape it wants and asks for it: an object, its next
// key, a string, an integer, or that a value be skipped. Nothing is kept
// unless it is asked for, so a value of any length that nobody wants costs no
// memory; every byte is checked all the same. There is no reflection, and no
// tree is built.
//
// What it accepts is what encoding/json accepts, with these differences: one
// byte order mark may precede the document, nesting ends at [MaxDepth], and a
// key that is not skipped is at most [MaxKey] bytes long. As there, invalid
// UTF-8 and lone surrogates become U+FFFD.
//
// The first error stays: every later call does nothing and gives zero values,
// and [Scanner.Err] gives that error. So a caller may look once, at the end of
// an object.
package jsonscan

import (
	"errors"
	"fmt"
	"io"
)

const (
	// MaxDepth is how deep arrays and objects may be nested.
	MaxDepth = 64
	// MaxKey is how many bytes the key of a member that is looked at may have.
	MaxKey = 64 << 10
	// HeadSize is how many bytes of the start of a document are kept for
	// [Scanner.Head].
	HeadSize = 512

	windowSize = 64 << 10
	noLimit    = 1<<63 - 1
)

// ErrTooLarge is the error of a document, or of a part of it, over its bound.
var ErrTooLarge = errors.New("jsonscan: input over its bound")

// Error says where and why a document is not JSON, or not the JSON that was
// asked for. It holds nothing of the document.
type Error struct {
	Offset int64 // of the byte at which it was noticed, from 0
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("jsonscan: %s at byte %d", e.Reason, e.Offset)
}

const (
	reasonEarlyEnd = "ends early"
	reasonSyntax   = "not JSON"
	reasonDepth    = "nested too deeply"
	reasonKey      = "key too long"
	reasonTrailing = "bytes after the value"
)

// A Scanner reads one document. [Scanner.Reset] and [Scanner.ResetBytes] make
// it ready, again and again, and keep the window. The zero value reads an
// empty document.
type Scanner struct {
	buf    []byte // what is in the window; window[:n], or the whole input
	pos    int    // the next byte of buf
	off    int64  // where buf[0] is in the document
	first  bool   // no member or element of the innermost container was seen
	depth  int
	window []byte
	src    io.Reader // nil: nothing but buf
	srcErr error     // what src said beside its last bytes
	err    error
	errOff int64
	max    int64 // the document's bound
	mark   int64 // where the part being bounded ends at the latest
	head   [HeadSize]byte
	nhead  int
	key    []byte // a key that could not be given out of the window
}

// Reset makes s read a document of at most maxBytes bytes from r; 0 is no
// bound. It does not read yet.
func (s *Scanner) Reset(r io.Reader, maxBytes int64) {
	if s.window == nil {
		s.window = make([]byte, windowSize)
	}
	s.reset(r, s.window[:0], maxBytes)
}

// ResetBytes makes s read the document b, which must not change meanwhile.
func (s *Scanner) ResetBytes(b []byte) {
	s.reset(nil, b, 0)
	s.nhead = copy(s.head[:], b)
	s.skipBOM()
}

func (s *Scanner) reset(r io.Reader, buf []byte, maxBytes int64) {
	if maxBytes <= 0 {
		maxBytes = noLimit
	}
	s.buf, s.pos, s.off = buf, 0, 0
	s.first, s.depth = false, 0
	s.src, s.srcErr = r, nil
	s.err, s.errOff = nil, 0
	s.max, s.mark = maxBytes, noLimit
	s.nhead = 0
}

// Release lets go of the reader, the input and the error.
func (s *Scanner) Release() { s.reset(nil, nil, 0) }

// Err is the first error: an [*Error], [ErrTooLarge], or what the reader said,
// as it said it.
func (s *Scanner) Err() error { return s.err }

// Offset is how many bytes of the document were consumed, or where its error
// is.
func (s *Scanner) Offset() int64 {
	if s.err != nil {
		return s.errOff
	}
	return s.off + int64(s.pos)
}

// Head is what was read of the first [HeadSize] bytes of the document. It is
// valid until s is made ready for another one.
func (s *Scanner) Head() []byte { return s.head[:s.nhead] }

// Bound gives an [ErrTooLarge] to a part of the document that starts here and
// is longer than n bytes; [Scanner.Unbound] ends it. Reading stops at most a
// window after the bound.
func (s *Scanner) Bound(n int) { s.mark = s.Offset() + int64(n) }

// Unbound ends the part that [Scanner.Bound] began.
func (s *Scanner) Unbound() {
	if s.err == nil && s.Offset() > s.mark {
		s.fail(ErrTooLarge)
	}
	s.mark = noLimit
}

// Fail makes reason the error of the document, here, unless it has one.
func (s *Scanner) Fail(reason string) {
	if s.err == nil {
		s.fail(&Error{Offset: s.Offset(), Reason: reason})
	}
}

// FailTooLarge makes [ErrTooLarge] the error of the document, here, unless it
// has one.
func (s *Scanner) FailTooLarge() {
	if s.err == nil {
		s.fail(ErrTooLarge)
	}
}

// fail stops all reading: with nothing in the window and no source, every
// method takes its slow way and ends there.
func (s *Scanner) fail(err error) {
	s.errOff = s.Offset()
	s.err = err
	s.buf, s.pos, s.src = nil, 0, nil
}

// fill puts at least one more byte behind what is unread, and says whether
// there was one. At the end of the document it fails nothing.
func (s *Scanner) fill() bool {
	if s.err != nil {
		return false
	}
	if s.off+int64(s.pos) > s.mark {
		s.fail(ErrTooLarge)
		return false
	}
	if s.src == nil {
		return false
	}
	n := copy(s.window, s.buf[s.pos:])
	s.off += int64(s.pos)
	s.pos = 0
	s.buf = s.window[:n]
	for range 100 {
		if s.srcErr != nil {
			break
		}
		free := s.window[n:]
		if left := s.max - s.off - int64(n); int64(len(free)) > left {
			// One byte more than allowed tells a document that is too
			// large from one that is just as large as it may be.
			free = free[:left+1]
		}
		var m int
		m, s.srcErr = s.src.Read(free)
		if int64(m) > s.max-s.off-int64(n) {
			m = int(s.max - s.off - int64(n))
			s.srcErr = ErrTooLarge
		}
		if m > 0 {
			if s.nhead < HeadSize {
				s.nhead += copy(s.head[s.nhead:], free[:m])
			}
			s.buf = s.window[:n+m]
			return true
		}
	}
	switch s.srcErr {
	case io.EOF:
		s.src = nil
	case nil:
		s.fail(io.ErrNoProgress)
	default:
		s.fail(s.srcErr)
	}
	return false
}

// have reports whether n bytes are in the window behind pos, reading no more
// than it takes.
func (s *Scanner) have(n int) bool {
	for len(s.buf)-s.pos < n {
		if !s.fill() {
			return false
		}
	}
	return true
}

// skipBOM skips a byte order mark, at the start of the document.
func (s *Scanner) skipBOM() bool {
	for i, c := range [...]byte{0xEF, 0xBB, 0xBF} {
		if !s.have(i+1) || s.buf[s.pos+i] != c {
			return false
		}
	}
	s.pos += 3
	return true
}

// Peek skips white space and returns the byte after it, which begins a value:
// '{', '[', '"', 't', 'f', 'n', '-' or a digit. Anything else is not checked
// here; 0 is an error or the end of the document.
func (s *Scanner) Peek() (c byte) {
	if s.pos < len(s.buf) {
		c = s.buf[s.pos]
	}
	if c > ' ' {
		return
	}
	return s.peek()
}

func (s *Scanner) peek() byte {
	for {
		for s.pos < len(s.buf) {
			switch c := s.buf[s.pos]; c {
			case ' ', '\t', '\n', '\r':
				s.pos++
			case 0:
				s.Fail(reasonSyntax)
				return 0
			case 0xEF:
				if s.off == 0 && s.pos == 0 && s.skipBOM() {
					continue
				}
				return c
			default:
				return c
			}
		}
		if !s.fill() {
			return 0
		}
	}
}

// wrong is the error of a byte c that cannot stand here.
func (s *Scanner) wrong(c byte, reason string) {
	if c == 0 {
		reason = reasonEarlyEnd
	}
	s.Fail(reason)
}

// Object begins an object. It reports false, with an error, if none comes.
func (s *Scanner) Object() bool { return s.open('{', "not an object") }

// Array begins an array. It reports false, with an error, if none comes.
func (s *Scanner) Array() bool { return s.open('[', "not an array") }

func (s *Scanner) open(c byte, reason string) bool {
	if got := s.Peek(); got != c {
		s.wrong(got, reason)
		return false
	}
	if s.depth == MaxDepth {
		s.Fail(reasonDepth)
		return false
	}
	s.depth++
	s.pos++
	s.first = true
	return true
}

// Next reports whether the array has another element, which comes next.
func (s *Scanner) Next() bool {
	c := s.Peek()
	if s.first {
		s.first = false
		if c != ']' && c != 0 {
			return true
		}
	} else if c == ',' {
		s.pos++
		return true
	}
	if c != ']' {
		s.wrong(c, reasonSyntax)
		return false
	}
	s.pos++
	s.depth--
	return false
}

// NextKey returns the key of the object's next member, whose value comes next,
// or false at the object's end. The key is valid until the next call.
func (s *Scanner) NextKey() (key []byte, ok bool) {
	c := s.Peek()
	if s.first {
		s.first = false
		if c == '}' {
			s.pos++
			s.depth--
			return nil, false
		}
	} else {
		if c == '}' {
			s.pos++
			s.depth--
			return nil, false
		}
		if c != ',' {
			s.wrong(c, reasonSyntax)
			return nil, false
		}
		s.pos++
		c = s.Peek()
	}
	if c != '"' {
		s.wrong(c, reasonSyntax)
		return nil, false
	}
	b := s.buf[s.pos+1:]
	if n := plainKey(b); n+1 < len(b) && b[n] == '"' && b[n+1] == ':' {
		s.pos += n + 3
		return b[:n], true
	}
	return s.slowKey()
}

// OpenIs begins an array or an object if it has the spelling of guess, which
// goes up to its first value, or into its first string, for [Scanner.Text]:
// `{"id":` or `["`. Otherwise it reports false and does nothing. A guess costs
// little, and [Scanner.Object] and [Scanner.Array] read whatever is there.
func (s *Scanner) OpenIs(guess string) bool {
	if s.depth < MaxDepth && s.Is(guess) {
		s.depth++
		s.first = false
		return true
	}
	return false
}

// Is consumes what has the spelling of guess, such as `,"label":` where
// [Scanner.NextKey] might be asked. Otherwise it reports false and does
// nothing.
func (s *Scanner) Is(guess string) bool {
	if end := s.pos + len(guess); end <= len(s.buf) && string(s.buf[s.pos:end]) == guess {
		s.pos = end
		return true
	}
	return false
}

// CloseIs ends an array or an object if it has the spelling of guess, which
// begins where its next element or member might. Otherwise it reports false
// and does nothing.
func (s *Scanner) CloseIs(guess string) bool {
	if s.Is(guess) {
		s.depth--
		return true
	}
	return false
}

// slowKey is NextKey, at the quote, for a key with an escape or a byte beyond
// ASCII, for one with white space behind it, and for one at the window's end.
func (s *Scanner) slowKey() ([]byte, bool) {
	s.pos++
	s.key = s.key[:0]
	for {
		var done bool
		if s.key, done = s.Text(s.key); done {
			break
		}
		if len(s.key) >= MaxKey {
			s.Fail(reasonKey)
			return nil, false
		}
		s.key = append(s.key, make([]byte, len(s.key)+64)...)[:len(s.key)]
	}
	if c := s.Peek(); c != ':' {
		s.wrong(c, reasonSyntax)
		return nil, false
	}
	s.pos++
	return s.key, true
}

// Null reports whether null comes next, and consumes it.
func (s *Scanner) Null() bool {
	if s.Peek() != 'n' {
		return false
	}
	return s.null()
}

func (s *Scanner) null() bool {
	s.literal("null")
	return s.err == nil
}

// Bool reads true or false.
func (s *Scanner) Bool() bool {
	switch c := s.Peek(); c {
	case 't':
		s.literal("true")
		return s.err == nil
	case 'f':
		s.literal("false")
	default:
		s.wrong(c, "not true or false")
	}
	return false
}

func (s *Scanner) literal(word string) {
	for i := range len(word) {
		if !s.have(i + 1) {
			s.Fail(reasonEarlyEnd)
			return
		}
		if s.buf[s.pos+i] != word[i] {
			s.Fail(reasonSyntax)
			return
		}
	}
	s.pos += len(word)
}

// End reads to the end of the document, where only white space may be.
func (s *Scanner) End() {
	if c := s.Peek(); c != 0 {
		s.Fail(reasonTrailing)
	}
}

// Rest is what was not consumed of the input of [Scanner.ResetBytes]. Of a
// reader's document it is what is in the window.
func (s *Scanner) Rest() []byte { return s.buf[s.pos:] }

// Advance consumes n bytes of [Scanner.Rest], which must be one whole value.
func (s *Scanner) Advance(n int) { s.pos += n }

// Elements consumes n bytes of [Scanner.Rest], which must be whole elements of
// an array, each but its first one with the comma in front.
func (s *Scanner) Elements(n int) {
	s.pos += n
	s.first = false
}
