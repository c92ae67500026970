package jsonscan

// Skip reads the value that comes next, whatever it is, and keeps nothing.
func (s *Scanner) Skip() {
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
			s.skipText()
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
