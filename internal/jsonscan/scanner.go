// Package jsonscan pulls JSON (RFC 8259) out of a reader, one token at a time,
// through a window of fixed size.
//
// The caller asks for the tokens that it expects: an object, its next key, a string, an integer, or
// to skip a value. A skipped value costs no memory, however long it is, but its syntax is checked.
//
// It accepts what encoding/json accepts, with these differences: one byte
// order mark may precede the document, nesting ends at [MaxDepth], a number is
// at most [MaxNumber] bytes long, and a key that is not skipped at most
// [MaxKey]. As there, invalid UTF-8 and lone surrogates become U+FFFD.
//
// The first error stays: every later call does nothing and returns zero
// values. So a caller may look at [Scanner.Err] once, at the end of an object.
package jsonscan

import (
	"io"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/internal/swar"
	"github.com/jobboard-sdk/jobboard-go/internal/window"
)

const (
	// MaxDepth limits the nesting of arrays and objects.
	MaxDepth = 64
	// MaxKey limits the key of a member that is not skipped, in bytes.
	MaxKey = 64 << 10
	// MaxNumber limits the text of a number, in bytes.
	MaxNumber = 1024
)

// Error reports why a document is not JSON, or not the JSON that the caller asked for. It shows
// nothing of the document; [Scanner.Offset] returns the place.
type Error string

func (e Error) Error() string { return "jsonscan: " + string(e) }

const (
	errEarlyEnd Error = "ends early"
	errSyntax   Error = "not JSON"
	errDepth    Error = "nested too deeply"
	errKey      Error = "key too long"
	errTrailing Error = "bytes after the value"
)

// A Scanner reads one document. [Scanner.Reset] and [Scanner.ResetBytes] make
// it ready, again and again, and keep the window. The zero value reads an
// empty document.
type Scanner struct {
	window.Window
	first bool // no member or element of the innermost container was seen
	depth int
	key   []byte        // buffer of copiedKey
	steps int64         // see Steps
	waste [1 << 10]byte // buffer for skipped texts
}

// Reset makes s read a document of at most maxBytes bytes from r; 0 is no
// bound. It does not read yet.
func (s *Scanner) Reset(r io.Reader, maxBytes int64) {
	s.Window.Reset(r, maxBytes)
	s.first, s.depth = false, 0
}

// ResetBytes makes s read the document b, which must not change meanwhile.
func (s *Scanner) ResetBytes(b []byte) {
	s.Window.ResetBytes(b)
	s.first, s.depth = false, 0
	s.skipBOM()
}

// Steps returns the number of bytes looked at and tokens read since s was made, for tests that
// reading is linear.
func (s *Scanner) Steps() int64 { return s.steps }

// skipBOM skips a byte order mark at the start of the document.
func (s *Scanner) skipBOM() bool {
	if s.Offset() > 0 || !s.Have(3) || string(s.Buf[:3]) != "\xef\xbb\xbf" {
		return false
	}
	s.Pos = 3
	return true
}

// Peek skips white space and returns the byte after it, which begins a value: '{', '[', '"', 't',
// 'f', 'n', '-' or a digit. Peek does not check other bytes; it returns 0 after an error and at the
// end of the document.
func (s *Scanner) Peek() (c byte) {
	if s.Pos < len(s.Buf) {
		c = s.Buf[s.Pos]
	}
	if c > ' ' {
		return
	}
	return s.peek()
}

func (s *Scanner) peek() byte {
	for s.Have(1) {
		s.steps++
		switch c := s.Buf[s.Pos]; c {
		case ' ', '\t', '\n', '\r':
			s.Pos++
			s.Pos += swar.Spaces(s.Buf[s.Pos:])
		case 0:
			s.Fail(errSyntax)
		case 0xEF:
			if !s.skipBOM() {
				return c
			}
		default:
			return c
		}
	}
	return 0
}

// wrong makes reason the error of c, which Peek returned.
func (s *Scanner) wrong(c byte, reason Error) {
	if c == 0 {
		reason = errEarlyEnd
	}
	s.Fail(reason)
}

// expect consumes c, or makes reason the error.
func (s *Scanner) expect(c byte, reason Error) bool {
	if got := s.Peek(); got != c {
		s.wrong(got, reason)
		return false
	}
	s.Pos++
	return true
}

// Object begins an object. It reports false, with an error, if none comes.
func (s *Scanner) Object() bool { return s.open('{', "not an object") }

// Array begins an array. It reports false, with an error, if none comes.
func (s *Scanner) Array() bool { return s.open('[', "not an array") }

func (s *Scanner) open(c byte, reason Error) bool {
	if !s.expect(c, reason) {
		return false
	}
	if s.depth == MaxDepth {
		s.Fail(errDepth)
		return false
	}
	s.depth++
	s.first = true
	return true
}

// Next reports whether the array has another element, which comes next.
func (s *Scanner) Next() bool { return s.more(']') }

// more reports whether the innermost array or object continues, and consumes the comma or the
// closing bracket.
func (s *Scanner) more(end byte) bool {
	c := s.Peek()
	s.steps++
	first := s.first
	s.first = false
	switch {
	case c == end:
		s.Pos++
		s.depth--
		return false
	case first && c != 0:
		return true
	case c == ',':
		s.Pos++
		return true
	}
	s.wrong(c, errSyntax)
	return false
}

// member reports whether the object has another member, and consumes the first
// quote of its key.
func (s *Scanner) member() bool { return s.more('}') && s.expect('"', errSyntax) }

// NextKey returns the key of the object's next member, whose value comes next,
// or false at the object's end. The key is valid until the next call.
//
// guess is empty or the likely next bytes, such as `,"title":`, which one comparison finds. For
// them NextKey returns a nil key.
func (s *Scanner) NextKey(guess string) (key []byte, ok bool) {
	if guess != "" && !s.first && s.Is(guess) {
		return nil, true
	}
	if !s.member() {
		return nil, false
	}
	if guess != "" && s.Is(guess[len(`,"`):]) {
		return nil, true
	}
	b := s.Buf[s.Pos:]
	n, ascii := swar.Plain(b)
	s.steps += int64(n)
	if ascii && n+1 < len(b) && b[n] == '"' && b[n+1] == ':' {
		s.Pos += n + 2
		return b[:n:n], true
	}
	return s.copiedKey()
}

// copiedKey returns a key that NextKey cannot return in place: with an escape, a byte beyond ASCII,
// white space after it, or the window's end inside it.
func (s *Scanner) copiedKey() (key []byte, ok bool) {
	s.key = s.key[:0]
	for {
		var done bool
		if s.key, done = s.Text(s.key); done {
			return s.key, s.expect(':', errSyntax)
		}
		if len(s.key) >= MaxKey {
			s.Fail(errKey)
			return nil, false
		}
		s.key = slices.Grow(s.key, len(s.key)+TextRoom)
	}
}

// Is consumes guess if it comes next, and reports whether it does.
func (s *Scanner) Is(guess string) bool {
	if end := s.Pos + len(guess); end <= len(s.Buf) && string(s.Buf[s.Pos:end]) == guess {
		s.Pos = end
		return true
	}
	return false
}

// OpenIs consumes guess, which opens an array, such as `["`, if it comes next, and reports whether
// it did. After `["` the text of the array's first string comes next.
func (s *Scanner) OpenIs(guess string) bool {
	if s.depth == MaxDepth || !s.Is(guess) {
		return false
	}
	s.depth++
	s.first = false
	return true
}

// Null reports whether null comes next, and consumes it.
func (s *Scanner) Null() bool { return s.Peek() == 'n' && s.literal("null") }

// Bool reads true or false.
func (s *Scanner) Bool() bool {
	switch c := s.Peek(); c {
	case 't':
		return s.literal("true")
	case 'f':
		s.literal("false")
	default:
		s.wrong(c, "not true or false")
	}
	return false
}

func (s *Scanner) literal(word string) bool {
	if !s.Have(len(word)) {
		s.Fail(errEarlyEnd)
	} else if !s.Is(word) {
		s.Fail(errSyntax)
	}
	return s.Err() == nil
}

// Skip reads the value that comes next, whatever it is, and keeps nothing.
func (s *Scanner) Skip() { s.skip((*Scanner).SkipText) }

// Pass skips the value that comes next. Unlike Skip it does not check the contents of strings, and
// only looks for their closing quotes.
func (s *Scanner) Pass() { s.skip((*Scanner).passText) }

func (s *Scanner) skip(text func(*Scanner)) {
	switch s.Peek() {
	case '"':
		s.Pos++
		text(s)
	case '{':
		for s.Object(); s.member(); {
			s.SkipText()
			s.expect(':', errSyntax)
			s.skip(text)
		}
	case '[':
		for s.Array(); s.Next(); {
			s.skip(text)
		}
	case 't', 'f':
		s.Bool()
	case 'n':
		s.Null()
	default:
		s.Number()
	}
}

// End reads to the end of the document, where only white space may be.
func (s *Scanner) End() {
	if s.Peek() != 0 {
		s.Fail(errTrailing)
	}
}

// Rest returns the unread bytes of the input of [Scanner.ResetBytes], or of a reader the unread
// bytes in the window.
func (s *Scanner) Rest() []byte { return s.Buf[s.Pos:] }

// Advance consumes n bytes of [Scanner.Rest], which must be a whole value.
func (s *Scanner) Advance(n int) {
	s.pass(n)
	s.first = false
}
