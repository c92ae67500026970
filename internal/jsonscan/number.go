package jsonscan

import "math"

// maxInt is how many bytes the text of an int64 has at most.
const maxInt = len("-9223372036854775808")

const (
	reasonNotInt = "not an integer"
	reasonRange  = "integer out of range"
)

// Int reads an integer, which may be quoted.
func (s *Scanner) Int() int64 {
	c := s.Peek()
	if c == '"' {
		return s.quotedInt()
	}
	if c != '-' && (c < '0' || c > '9') {
		s.wrong(c, reasonNotInt)
		return 0
	}
	for {
		b := s.buf[s.pos:]
		v, n, reason := parseInt(b)
		if n == len(b) && n <= maxInt {
			// It may go on behind the window.
			if s.fill() {
				continue
			}
			if s.err != nil {
				return 0
			}
		} else if reason == "" {
			switch b[n] {
			case '.', 'e', 'E':
				reason = reasonNotInt
			}
		}
		if reason != "" {
			s.Fail(reason)
			return 0
		}
		s.pos += n
		return v
	}
}

func (s *Scanner) quotedInt() int64 {
	var buf [maxInt + TextRoom]byte
	s.pos++
	text, done := s.Text(buf[:0])
	if s.err != nil {
		return 0
	}
	v, reason := int64(0), reasonRange
	if done {
		var n int
		v, n, reason = parseInt(text)
		if n != len(text) {
			reason = reasonNotInt
		}
	} else if !isInt(text) {
		reason = reasonNotInt
	}
	if reason != "" {
		s.Fail(reason)
		return 0
	}
	return v
}

func isInt(b []byte) bool {
	_, n, reason := parseInt(b)
	return n == len(b) && reason != reasonNotInt
}

// ParseInt reads the text of an integer as JSON spells it. It reports false
// for any other text, and for one beyond int64.
func ParseInt[T []byte | string](text T) (int64, bool) {
	v, n, reason := parseInt(text)
	return v, n == len(text) && reason == ""
}

// parseInt reads the integer at the start of b, of n bytes.
func parseInt[T []byte | string](b T) (v int64, n int, reason string) {
	neg := len(b) > 0 && b[0] == '-'
	if neg {
		n = 1
	}
	start := n
	var u uint64
	for ; n < len(b); n++ {
		d := b[n] - '0'
		if d > 9 {
			break
		}
		if u > math.MaxUint64/10-1 {
			reason = reasonRange
			continue
		}
		u = u*10 + uint64(d)
	}
	switch {
	case n == start, b[start] == '0' && n > start+1:
		return 0, n, reasonNotInt
	case reason != "":
		return 0, n, reason
	case neg && u <= 1<<63:
		return -int64(u), n, ""
	case u > math.MaxInt64:
		return 0, n, reasonRange
	}
	return int64(u), n, ""
}

// Number appends the text of the number that comes next to dst, within the
// capacity of dst. It fails if there is no room.
func (s *Scanner) Number(dst []byte) []byte {
	if c := s.Peek(); c != '-' && (c < '0' || c > '9') {
		s.wrong(c, "not a number")
		return dst
	}
	return s.number(dst, true)
}

// number reads a number, which begins here, and keeps it if asked to.
func (s *Scanner) number(dst []byte, keep bool) []byte {
	take := func() bool {
		if keep {
			if len(dst) == cap(dst) {
				s.Fail("number too long")
				return false
			}
			dst = append(dst, s.buf[s.pos])
		}
		s.pos++
		return true
	}
	digits := func() bool {
		n := 0
		for s.have(1) && '0' <= s.buf[s.pos] && s.buf[s.pos] <= '9' {
			if !take() {
				return false
			}
			n++
		}
		if n == 0 {
			if s.have(1) {
				s.Fail(reasonSyntax)
			} else {
				s.Fail(reasonEarlyEnd)
			}
		}
		return n > 0
	}
	is := func(a, b byte) bool {
		return s.have(1) && (s.buf[s.pos] == a || s.buf[s.pos] == b)
	}
	if is('-', '-') && !take() {
		return dst
	}
	if is('0', '0') {
		if !take() {
			return dst
		}
		if s.have(1) && '0' <= s.buf[s.pos] && s.buf[s.pos] <= '9' {
			s.Fail(reasonSyntax)
			return dst
		}
	} else if !digits() {
		return dst
	}
	if is('.', '.') && (!take() || !digits()) {
		return dst
	}
	if is('e', 'E') {
		if !take() || is('+', '-') && !take() {
			return dst
		}
		digits()
	}
	return dst
}
