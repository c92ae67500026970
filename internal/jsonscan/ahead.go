package jsonscan

import (
	"bytes"

	"github.com/jobboard-sdk/jobboard-go/internal/window"
)

// Ahead returns the bytes of the object that comes next, and consumes none of them but the
// white space before it. It returns nil where none comes, and where the object is longer
// than n bytes or does not fit into the window. It looks for the object's end alone, so
// that the bytes are an object only if they equal those of one that was read before. They
// are valid until the next call.
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

// ending finds where a value ends, in bytes of which more are there at each call.
type ending struct {
	at     int  // what is before was looked at
	depth  int  // of objects and arrays that have not ended
	inText bool // at is in a text
}

// in returns how long the value at the beginning of b is, or 0 where it ends later. Each
// byte is looked at once, but for backslashes before a quote.
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
