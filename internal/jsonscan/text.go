package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

const (
	lsb = 0x0101010101010101
	msb = 0x8080808080808080

	// textSlack is the room that a destination needs beyond the text: a block
	// is stored whole even if only its first byte counts.
	textSlack = block

	// block is how much is looked at in one go where there is that much.
	block = 32
)

// stops has the high bit of each byte of w set that ends a run of text to be
// copied as it is: a quote, a backslash, a control character, a byte beyond
// ASCII. Of those the lowest is exact; above it there may be wrong ones. The
// other bits mean nothing: & msb takes them away.
//
// A quote is 0x22 and the controls end at 0x1F: with bit 1 flipped, a quote
// and the controls are just what is below 0x21. A byte beyond ASCII keeps its
// high bit in one of the differences at least.
func stops(w uint64) uint64 {
	return ((w ^ lsb*0x02) - lsb*0x21) | ((w ^ lsb*'\\') - lsb)
}

// skipStops is stops without the bytes beyond ASCII.
func skipStops(w uint64) uint64 {
	return (((w ^ lsb*0x02) - lsb*0x21) | ((w ^ lsb*'\\') - lsb)) &^ w
}

func first(stop uint64) int { return bits.TrailingZeros64(stop) >> 3 }

// firstOf is which byte of a block stops first, without a branch that nobody
// could predict. At least one must.
func firstOf(m0, m1, m2, m3 uint64) int {
	// The product moves the high bits of the eight bytes to the highest byte.
	const gather = 0x0002040810204081
	return bits.TrailingZeros64(m0&msb*gather>>56 | m1&msb*gather>>56<<8 | m2&msb*gather>>56<<16 | m3&msb*gather>>56<<24)
}

// plain is how many bytes at the start of b are text to be copied as it is.
func plain(b []byte) int {
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		if m := stops(binary.LittleEndian.Uint64(b[n:])) & msb; m != 0 {
			return n + first(m)
		}
	}
	for n < len(b) && class[b[n]] == 0 {
		n++
	}
	return n
}

// plainKey is plain for what is most likely no longer than a block.
func plainKey(b []byte) int {
	if len(b) < block {
		return plain(b)
	}
	from := (*[block]byte)(b)
	m0 := stops(binary.LittleEndian.Uint64(from[0:]))
	m1 := stops(binary.LittleEndian.Uint64(from[8:]))
	m2 := stops(binary.LittleEndian.Uint64(from[16:]))
	m3 := stops(binary.LittleEndian.Uint64(from[24:]))
	if (m0|m1|m2|m3)&msb == 0 {
		return plain(b)
	}
	return firstOf(m0, m1, m2, m3)
}

// class is 0 for the bytes that stops lets through, 1 for those beyond ASCII,
// 2 for the others.
var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c < ' ' || c == '"' || c == '\\':
			t[c] = 2
		case c >= utf8.RuneSelf:
			t[c] = 1
		}
	}
	return t
}()

// unescape is what stands for a backslash and the byte; 0 is no such escape,
// or \u.
var unescape = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// pairs is unescape, and behind it what continues a character of two bytes: 0
// is anything else.
var pairs = func() (t [512]byte) {
	copy(t[:], unescape[:])
	for c := 0x80; c < 0xC0; c++ {
		t[256+c] = byte(c)
	}
	return t
}()

// pairStart is what may begin one of the pairs.
var pairStart = func() (t [256]bool) {
	t['\\'] = true
	for c := 0xC2; c < 0xE0; c++ {
		t[c] = true
	}
	return t
}()

// Quote begins a string, which [Scanner.Text] reads. It reports false, with an
// error, if none comes.
func (s *Scanner) Quote() bool {
	if s.Peek() == '"' {
		s.pos++
		return true
	}
	return s.noQuote()
}

func (s *Scanner) noQuote() bool {
	s.wrong(s.Peek(), "not a string")
	return false
}

// TextRoom is the room in which [Scanner.Text] makes progress.
const TextRoom = textSlack + 16

// Text appends the string that has begun to dst, within the capacity of dst.
// If that is used up, done is false, and Text goes on when it is called again,
// perhaps with another buffer: one with less room than [TextRoom] gets it no
// further. done is true at the end of the string, and at an error.
func (s *Scanner) Text(dst []byte) (_ []byte, done bool) {
	const short = 16
	b := s.buf[s.pos:]
	if len(b) >= short && cap(dst)-len(dst) >= TextRoom {
		// Most texts are short, and need nothing of what text does.
		from := (*[short]byte)(b)
		to := (*[short]byte)(dst[len(dst) : len(dst)+short : len(dst)+short])
		w0 := binary.LittleEndian.Uint64(from[0:])
		w1 := binary.LittleEndian.Uint64(from[8:])
		binary.LittleEndian.PutUint64(to[0:], w0)
		binary.LittleEndian.PutUint64(to[8:], w1)
		m0, m1 := stops(w0), stops(w1)
		n := short
		if (m0|m1)&msb != 0 {
			n = firstOf(m0, m1, 0, 0)
			if from[n&(short-1)] == '"' {
				s.pos += n + 1
				return dst[:len(dst)+n], true
			}
		}
		s.pos += n
		dst = dst[:len(dst)+n]
	}
	return s.text(dst)
}

func (s *Scanner) text(dst []byte) (_ []byte, done bool) {
	for {
		free := cap(dst) - len(dst)
		if free < TextRoom {
			return dst, false
		}
		b := s.buf[s.pos:]
		if len(b) == 0 {
			if !s.fill() {
				s.Fail(reasonEarlyEnd)
				return dst, true
			}
			continue
		}
		if len(b) > free-textSlack {
			b = b[:free-textSlack]
		}
		// What is written is never longer than what was read of b, so d
		// has room for a word behind every byte of it.
		d := dst[len(dst):cap(dst)]
		i, j := 0, 0
	window:
		for {
			if len(b)-i < 8 {
				for i < len(b) && class[b[i]] == 0 {
					d[j] = b[i]
					i++
					j++
				}
				if i == len(b) {
					break window
				}
			} else {
				// A word first, for the many texts that are short, then
				// blocks.
				w := binary.LittleEndian.Uint64(b[i:])
				binary.LittleEndian.PutUint64(d[j:], w)
				if m := stops(w) & msb; m != 0 {
					n := first(m)
					i += n
					j += n
				} else {
					i += 8
					j += 8
					found := false
					for len(b)-i >= block {
						from, to := (*[block]byte)(b[i:i+block:i+block]), (*[block]byte)(d[j:j+block:j+block])
						w0 := binary.LittleEndian.Uint64(from[0:])
						w1 := binary.LittleEndian.Uint64(from[8:])
						w2 := binary.LittleEndian.Uint64(from[16:])
						w3 := binary.LittleEndian.Uint64(from[24:])
						binary.LittleEndian.PutUint64(to[0:], w0)
						binary.LittleEndian.PutUint64(to[8:], w1)
						binary.LittleEndian.PutUint64(to[16:], w2)
						binary.LittleEndian.PutUint64(to[24:], w3)
						m0, m1, m2, m3 := stops(w0), stops(w1), stops(w2), stops(w3)
						if (m0|m1|m2|m3)&msb != 0 {
							n := firstOf(m0, m1, m2, m3)
							i += n
							j += n
							found = true
							break
						}
						i += block
						j += block
					}
					if !found {
						continue
					}
				}
			}
			c := b[i]
			if c == '"' {
				s.pos += i + 1
				return dst[:len(dst)+j], true
			}
			if len(b)-i >= 2 {
				// An escape of two bytes becomes one, a character of two
				// stays as it is: which it is must not be a branch, since
				// nobody can tell the one that comes next.
				next := b[i+1]
				beyond := int(c >> 7)
				if out := pairs[beyond<<8|int(next)]; out != 0 && pairStart[c] {
					d[j] = out ^ (out^c)&-uint8(beyond)
					d[j+1] = next
					i += 2
					j += 1 + beyond
					continue
				}
			}
			switch {
			case c == '\\':
				if len(b)-i >= 6 && b[i+1] == 'u' {
					if r, ok := hex4(b[i+2 : i+6]); ok && (r < 0xD800 || r > 0xDFFF) {
						j += utf8.EncodeRune(d[j:], r)
						i += 6
						continue
					}
				}
			case c >= 0xE0:
				if r, n := utf8.DecodeRune(b[i:]); r != utf8.RuneError {
					j += copy(d[j:], b[i:i+n])
					i += n
					continue
				}
			}
			// Whatever is rare, wrong or cut off.
			s.pos += i
			dst = dst[:len(dst)+j]
			if dst = s.odd(dst); s.err != nil {
				return dst, true
			}
			i, j = 0, 0
			break window
		}
		s.pos += i
		dst = dst[:len(dst)+j]
	}
}

// Verbatim is how many bytes at the start of b are text of a string that stands
// for itself: up to a quote, an escape, or what no string may hold.
func Verbatim(b []byte) int {
	n := plain(b)
	if n == len(b) || b[n] < utf8.RuneSelf {
		return n
	}
	for n < len(b) && class[b[n]] < 2 {
		n++
	}
	if !utf8.Valid(b[:n]) {
		return 0
	}
	return n
}

// odd reads one character of a string at which text stopped, with the room
// for two.
func (s *Scanner) odd(dst []byte) []byte {
	c := s.buf[s.pos]
	switch {
	case c < ' ':
		s.Fail("control character in a string")
	case c == '\\':
		r, ok := s.escape()
		if ok {
			dst = utf8.AppendRune(dst, r)
		}
	default:
		for !utf8.FullRune(s.buf[s.pos:]) {
			if !s.fill() {
				s.Fail(reasonEarlyEnd)
				return dst
			}
		}
		r, n := utf8.DecodeRune(s.buf[s.pos:])
		s.pos += n
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// escape reads one escape, or two that are a pair of surrogates.
func (s *Scanner) escape() (r rune, ok bool) {
	if !s.have(2) {
		s.Fail(reasonEarlyEnd)
		return 0, false
	}
	c := s.buf[s.pos+1]
	if c != 'u' {
		e := unescape[c]
		if e == 0 {
			s.Fail("unknown escape in a string")
			return 0, false
		}
		s.pos += 2
		return rune(e), true
	}
	if !s.have(6) {
		s.Fail(reasonEarlyEnd)
		return 0, false
	}
	r, ok = hex4(s.buf[s.pos+2 : s.pos+6])
	if !ok {
		s.Fail("unknown escape in a string")
		return 0, false
	}
	if r >= 0xD800 && r < 0xDC00 && s.have(7) && s.buf[s.pos+6] == '\\' && s.have(8) && s.buf[s.pos+7] == 'u' && s.have(12) {
		low, ok := hex4(s.buf[s.pos+8 : s.pos+12])
		if ok && low >= 0xDC00 && low < 0xE000 {
			s.pos += 12
			return (r-0xD800)<<10 | (low - 0xDC00) + 0x10000, true
		}
	}
	if r >= 0xD800 && r < 0xE000 {
		r = utf8.RuneError
	}
	if s.err != nil {
		return 0, false
	}
	s.pos += 6
	return r, true
}

func hex4(b []byte) (r rune, ok bool) {
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// skipText reads to the end of a string, behind its first quote.
func (s *Scanner) skipText() {
	const short = 16
	if b := s.buf[s.pos:]; len(b) >= short {
		from := (*[short]byte)(b)
		m0 := skipStops(binary.LittleEndian.Uint64(from[0:]))
		m1 := skipStops(binary.LittleEndian.Uint64(from[8:]))
		n := short
		if (m0|m1)&msb != 0 {
			n = firstOf(m0, m1, 0, 0)
			if from[n&(short-1)] == '"' {
				s.pos += n + 1
				return
			}
		}
		s.pos += n
	}
	s.skipLong()
}

func (s *Scanner) skipLong() {
	for {
		b := s.buf[s.pos:]
		i := 0
	window:
		for {
			if len(b)-i < 8 {
				for i < len(b) && class[b[i]] < 2 {
					i++
				}
				if i == len(b) {
					break window
				}
			} else if m := skipStops(binary.LittleEndian.Uint64(b[i:])) & msb; m != 0 {
				i += first(m)
			} else {
				i += 8
				found := false
				for len(b)-i >= block {
					from := (*[block]byte)(b[i : i+block : i+block])
					m0 := skipStops(binary.LittleEndian.Uint64(from[0:]))
					m1 := skipStops(binary.LittleEndian.Uint64(from[8:]))
					m2 := skipStops(binary.LittleEndian.Uint64(from[16:]))
					m3 := skipStops(binary.LittleEndian.Uint64(from[24:]))
					if (m0|m1|m2|m3)&msb != 0 {
						i += firstOf(m0, m1, m2, m3)
						found = true
						break
					}
					i += block
				}
				if !found {
					continue
				}
			}
			if b[i] == '"' {
				s.pos += i + 1
				return
			}
			if b[i] == '\\' && len(b)-i >= 2 && unescape[b[i+1]] != 0 {
				i += 2
				continue
			}
			s.pos += i
			if b[i] != '\\' {
				s.Fail("control character in a string")
				return
			}
			if _, ok := s.escape(); !ok {
				return
			}
			b, i = s.buf[s.pos:], 0
		}
		s.pos += i
		if !s.fill() {
			s.Fail(reasonEarlyEnd)
			return
		}
	}
}
