package jsonscan

import (
	"bytes"

	"github.com/jobboard-sdk/jobboard-go/internal/window"
)

// Ahead returns the bytes of the object that comes next, and consumes none of them but the white
// space before it. It returns nil if no object comes, or if the object is longer than n bytes or
// the window. It checks no syntax and only finds the closing brace: compare the bytes with an
// object that was parsed before. They are valid until the next call.
func (s *Scanner) Ahead(n int) []byte {
	if s.Peek() != '{' {
		return nil
	}
	var end ending
	for {
		before := end.at
		size := end.in(s.Buf[s.Pos:])
		s.steps += int64(end.at - before)
		if size > 0 {
			if size > n {
				return nil
			}
			return s.Buf[s.Pos : s.Pos+size]
		}
		if have := len(s.Buf) - s.Pos; have > n || have >= window.Size || !s.Fill() {
			return nil
		}
	}
}

// ending finds the end of a value. Call in again with a longer b until it finds the end.
type ending struct {
	at     int  // bytes before at have been looked at
	depth  int  // open objects and arrays
	inText bool // at is inside a string
}

// in returns the length of the value at the start of b, or 0 if b does not hold its end. The work
// is linear: only backslashes before a quote are looked at twice.
func (e *ending) in(b []byte) int {
	for e.at < len(b) {
		if e.inText {
			quote := bytes.IndexByte(b[e.at:], '"')
			if quote < 0 {
				e.at = len(b)
				break
			}
			e.at += quote
			e.inText = backslashes(b[:e.at])%2 == 1
			e.at++
			continue
		}
		switch b[e.at] {
		case '"':
			e.inText = true
		case '{', '[':
			e.depth++
		case '}', ']':
			e.depth--
		}
		e.at++
		if e.depth == 0 {
			return e.at
		}
	}
	return 0
}
