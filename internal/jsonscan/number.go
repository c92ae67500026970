package jsonscan

import (
	"encoding/json"
	"math"
	"strings"
)

// maxInt holds the length of the longest text of an int64, in bytes.
const maxInt = len("-9223372036854775808")

const (
	errNotInt Error = "not an integer"
	errRange  Error = "integer out of range"

	errLongNumber Error = "number too long"
)

// Int reads an integer, which may be quoted.
func (s *Scanner) Int() int64 {
	c := s.Peek()
	if c == '"' {
		return s.quotedInt()
	}
	if c != '-' && !isDigit(c) {
		s.wrong(c, errNotInt)
		return 0
	}
	for {
		b := s.Buf[s.Pos:]
		v, n, reason := parseInt(b)
		if n == len(b) && n <= maxInt && s.Fill() {
			continue // the number may continue after the window
		}
		if n < len(b) && (b[n] == '.' || b[n] == 'e' || b[n] == 'E') {
			reason = errNotInt
		}
		return s.integer(v, n, reason)
	}
}

// TryInt reads an integer as Int does. It skips any other value, and returns why the value is not
// an integer. Only what is not JSON is an error.
func (s *Scanner) TryInt() (v int64, reason Error) {
	c := s.Peek()
	if c == '"' {
		return s.tryQuotedInt()
	}
	if c != '-' && !isDigit(c) {
		s.Skip()
		return 0, errNotInt
	}
	for {
		b := s.Buf[s.Pos:]
		v, n, reason := parseInt(b)
		if n == len(b) && n <= maxInt && s.Fill() {
			continue // the number may continue after the window
		}
		if reason == "" && (n == len(b) || b[n] != '.' && b[n] != 'e' && b[n] != 'E') {
			s.Pos += n
			return v, ""
		}
		text := s.Number()
		if _, n, reason = parseInt(text); n < len(text) || reason == "" {
			reason = errNotInt
		}
		return 0, reason
	}
}

func (s *Scanner) tryQuotedInt() (int64, Error) {
	var buf [maxInt + TextRoom]byte
	s.Pos++
	text, done := s.Text(buf[:0])
	if !done {
		s.SkipText()
	}
	v, n, reason := parseInt(text)
	if n != len(text) {
		reason = errNotInt
	}
	if reason != "" || s.Err() != nil {
		v = 0
	}
	return v, reason
}

func (s *Scanner) quotedInt() int64 {
	var buf [maxInt + TextRoom]byte
	s.Pos++
	text, _ := s.Text(buf[:0]) // a text longer than buf is out of range
	v, n, reason := parseInt(text)
	if n != len(text) {
		reason = errNotInt
	}
	return s.integer(v, 0, reason)
}

// integer consumes n bytes and returns v, or makes reason the error.
func (s *Scanner) integer(v int64, n int, reason Error) int64 {
	if reason != "" {
		s.Fail(reason)
	}
	if s.Err() != nil {
		return 0
	}
	s.Pos += n
	return v
}

// ParseInt reads the text of an integer as JSON spells it. It reports false for any other text, and
// for an integer beyond int64.
func ParseInt[T []byte | string](text T) (int64, bool) {
	v, n, reason := parseInt(text)
	return v, n == len(text) && reason == ""
}

// parseInt reads the integer at the start of b, of n bytes.
func parseInt[T []byte | string](b T) (v int64, n int, reason Error) {
	neg := len(b) > 0 && b[0] == '-'
	if neg {
		n = 1
	}
	start := n
	var u uint64
	for ; n < len(b) && isDigit(b[n]); n++ {
		if u > math.MaxUint64/10-1 {
			reason = errRange
			continue
		}
		u = u*10 + uint64(b[n]-'0')
	}
	switch {
	case n == start, b[start] == '0' && n > start+1:
		return 0, n, errNotInt
	case reason != "":
		return 0, n, reason
	case neg && u <= 1<<63:
		return -int64(u), n, ""
	case u > math.MaxInt64:
		return 0, n, errRange
	}
	return int64(u), n, ""
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// Number returns the text of the number that comes next, which is valid until
// the next call.
func (s *Scanner) Number() []byte {
	s.Peek()
	n := 0
	for s.Have(n+1) && strings.IndexByte("+-.0123456789Ee", s.Buf[s.Pos+n]) >= 0 {
		if n++; n > MaxNumber {
			s.Fail(errLongNumber)
		}
	}
	s.steps += int64(n)
	text := s.Buf[s.Pos:][:min(n, len(s.Buf))]
	if !json.Valid(text) {
		if !s.Have(n + 1) {
			s.Fail(errEarlyEnd)
		}
		s.Fail(errSyntax)
		return nil
	}
	s.Pos += n
	return text
}
