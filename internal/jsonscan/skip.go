package jsonscan

import "bytes"

// Skip reads the value that comes next, whatever it is, and keeps nothing.
func (s *Scanner) Skip() { s.skip((*Scanner).skipText) }

// Pass is Skip for a value that nobody is to see: its texts are only looked
// through for their ends, not for what may not stand in a text.
func (s *Scanner) Pass() { s.skip((*Scanner).passText) }

func (s *Scanner) skip(text func(*Scanner)) {
	// One bit for each container that is open: 1 is an object. MaxDepth of
	// them fit.
	var objects uint64
	outer := s.depth
	depth := outer
	for {
		// A value.
		switch c := s.Peek(); c {
		case '"':
			s.pos++
			text(s)
		case '{', '[':
			if depth == MaxDepth {
				s.Fail(reasonDepth)
				return
			}
			depth++
			objects <<= 1
			s.pos++
			if c == '{' {
				objects |= 1
				if s.Peek() != '}' {
					s.skipKey()
					continue
				}
			} else if s.Peek() != ']' {
				continue
			}
			s.pos++
			depth--
			objects >>= 1
		case 't':
			s.literal("true")
		case 'f':
			s.literal("false")
		case 'n':
			s.literal("null")
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			s.number(nil, false)
		default:
			s.wrong(c, reasonSyntax)
		}
		if s.err != nil {
			return
		}
		// What may stand behind it.
		for {
			if depth == outer {
				return
			}
			c := s.Peek()
			if c == ',' {
				s.pos++
				if objects&1 != 0 {
					s.skipKey()
				}
				break
			}
			if c != '}' && objects&1 != 0 || c != ']' && objects&1 == 0 {
				s.wrong(c, reasonSyntax)
				return
			}
			s.pos++
			depth--
			objects >>= 1
		}
	}
}

// skipKey reads a key and its colon.
func (s *Scanner) skipKey() {
	if c := s.Peek(); c != '"' {
		s.wrong(c, reasonSyntax)
		return
	}
	s.pos++
	s.skipText()
	if c := s.Peek(); c != ':' {
		s.wrong(c, reasonSyntax)
		return
	}
	s.pos++
}

// passText reads to the end of a string, behind its first quote: to the first
// quote behind an even number of backslashes.
func (s *Scanner) passText() {
	escaped := false // the window's first byte, by the last of the one before
	for {
		b := s.buf[s.pos:]
		i := 0
		if escaped && len(b) > 0 {
			i = 1
		}
		for {
			end := len(b)
			n := bytes.IndexByte(b[i:], '"')
			if n >= 0 {
				end = i + n
			}
			start := end
			for start > i && b[start-1] == '\\' {
				start--
			}
			odd := (end-start)%2 == 1
			if n < 0 {
				escaped = odd || escaped && len(b) == 0
				break
			}
			i = end + 1
			if !odd {
				s.pos += i
				return
			}
		}
		s.pos += len(b)
		if !s.fill() {
			s.Fail(reasonEarlyEnd)
			return
		}
	}
}
