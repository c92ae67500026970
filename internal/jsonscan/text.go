package jsonscan

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go/internal/swar"
)

// block holds the number of bytes that one step copies.
const block = swar.Block

// TextRoom is the free capacity in bytes that [Scanner.Text] needs to make progress: a block, which
// is stored whole even if only its first byte is text, and some characters.
const TextRoom = block + 16

const (
	errControl Error = "control character in a string"
	errEscape  Error = "unknown escape in a string"
)

// unescape maps the byte after a backslash to the escaped byte; 0 for u and for an invalid escape.
var unescape = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// Quote begins a string, which [Scanner.Text] reads. It reports false, with an
// error, if none comes.
func (s *Scanner) Quote() bool { return s.expect('"', "not a string") }

// Text appends the string that has begun to dst, within the capacity of dst. If dst has less than
// [TextRoom] left, done is false, and the next call continues, perhaps with another buffer. done is
// true after the closing quote, and after an error.
func (s *Scanner) Text(dst []byte) (_ []byte, done bool) {
	const short = 16
	if b := s.Buf[s.Pos:]; len(b) >= short && cap(dst)-len(dst) >= short {
		// A shortcut for the many short texts of plain ASCII.
		from, to := (*[short]byte)(b), (*[short]byte)(dst[len(dst):len(dst)+short])
		w0, w1 := binary.LittleEndian.Uint64(from[0:]), binary.LittleEndian.Uint64(from[8:])
		binary.LittleEndian.PutUint64(to[0:], w0)
		binary.LittleEndian.PutUint64(to[8:], w1)
		if m0, m1 := swar.Stops(w0), swar.Stops(w1); (m0|m1)&swar.High != 0 && (w0|w1)&swar.High == 0 {
			if n := swar.First(m0, m1, 0, 0); from[n&(short-1)] == '"' {
				s.Pos += n + 1
				return dst[:len(dst)+n], true
			}
		}
	}
	for cap(dst)-len(dst) >= TextRoom {
		if s.Pos == len(s.Buf) && !s.Fill() {
			s.Fail(errEarlyEnd)
			return dst, true
		}
		if dst, done = s.segment(dst); done {
			return dst, true
		}
		if dst = s.odd(dst); s.Err() != nil {
			return dst, true
		}
	}
	return dst, false
}

// segment appends the part of a string in the window, as far as dst has room, and reports whether
// it has read the closing quote. It stops for Text at a rare or truncated escape, at a control
// character, and at a truncated character.
func (s *Scanner) segment(dst []byte) (_ []byte, done bool) {
	d := dst[len(dst):cap(dst)]
	b := s.Buf[s.Pos:]
	b = b[:min(len(b), len(d)-block)]
	i, j := 0, 0 // read of b, written to d
	high := uint64(0)
	for {
		if len(b)-i >= block {
			from, to := (*[block]byte)(b[i:i+block:i+block]), (*[block]byte)(d[j:j+block:j+block])
			w0 := binary.LittleEndian.Uint64(from[0:])
			w1 := binary.LittleEndian.Uint64(from[8:])
			w2 := binary.LittleEndian.Uint64(from[16:])
			w3 := binary.LittleEndian.Uint64(from[24:])
			binary.LittleEndian.PutUint64(to[0:], w0)
			binary.LittleEndian.PutUint64(to[8:], w1)
			binary.LittleEndian.PutUint64(to[16:], w2)
			binary.LittleEndian.PutUint64(to[24:], w3)
			high |= w0 | w1 | w2 | w3
			m0, m1, m2, m3 := swar.Stops(w0), swar.Stops(w1), swar.Stops(w2), swar.Stops(w3)
			if (m0|m1|m2|m3)&swar.High == 0 {
				i += block
				j += block
				continue
			}
			n := swar.First(m0, m1, m2, m3)
			i += n
			j += n
		} else {
			for ; i < len(b) && !swar.IsStop(b[i]); i++ {
				d[j] = b[i]
				high |= uint64(b[i])
				j++
			}
			if i == len(b) {
				cut := swar.CutOff(d[:j])
				i, j = i-cut, j-cut
				break
			}
		}
		if b[i] == '"' {
			done = true
			break
		}
		if b[i] != '\\' || len(b)-i < 2 {
			break
		}
		if c := unescape[b[i+1]]; c != 0 {
			d[j] = c
			i, j = i+2, j+1
			continue
		}
		r, ok := unicodeEscape(b[i:])
		if !ok || utf16.IsSurrogate(r) {
			break
		}
		i, j = i+6, j+utf8.EncodeRune(d[j:], r)
	}
	s.steps += int64(i)
	if high&swar.High != 0 && !swar.Valid(d[:j]) {
		return s.repair(dst, s.Pos+i), false
	}
	s.Pos += i
	if done {
		s.Pos++
	}
	return dst[:len(dst)+j], done
}

// odd reads the escape or character at which segment stopped. It does nothing if segment stopped at
// the end of the window or of dst.
func (s *Scanner) odd(dst []byte) []byte {
	if s.Pos == len(s.Buf) || cap(dst)-len(dst) < utf8.UTFMax {
		return dst
	}
	switch c := s.Buf[s.Pos]; {
	case c == '\\':
		dst = utf8.AppendRune(dst, s.escape())
	case c < ' ':
		s.Fail(errControl)
	case c >= utf8.RuneSelf && !utf8.FullRune(s.Buf[s.Pos:]) && !s.Fill():
		s.Fail(errEarlyEnd)
	}
	return dst
}

// repair appends the text up to end, which is in the window and not valid UTF-8, one character at a
// time. Each invalid byte becomes U+FFFD, which takes three bytes, so dst may fill up before end.
func (s *Scanner) repair(dst []byte, end int) []byte {
	for s.Pos < end && cap(dst)-len(dst) >= utf8.UTFMax {
		s.steps++
		if s.Buf[s.Pos] == '\\' {
			dst = utf8.AppendRune(dst, s.escape())
			continue
		}
		r, n := utf8.DecodeRune(s.Buf[s.Pos:end])
		s.Pos += n
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// escape reads an escape, or two escapes that form a surrogate pair. A lone surrogate becomes
// U+FFFD.
func (s *Scanner) escape() rune {
	if !s.Have(2) {
		s.Fail(errEarlyEnd)
		return 0
	}
	c := s.Buf[s.Pos+1]
	if plain := unescape[c]; plain != 0 {
		s.Pos += 2
		return rune(plain)
	}
	if c == 'u' && !s.Have(6) {
		s.Fail(errEarlyEnd)
		return 0
	}
	r, ok := unicodeEscape(s.Buf[s.Pos:])
	if !ok {
		s.Fail(errEscape)
		return 0
	}
	s.Pos += 6
	if !utf16.IsSurrogate(r) {
		return r
	}
	if s.Have(2) && s.Buf[s.Pos] == '\\' && s.Buf[s.Pos+1] == 'u' && s.Have(6) {
		low, ok := unicodeEscape(s.Buf[s.Pos:])
		if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
			s.Pos += 6
			return pair
		}
	}
	return utf8.RuneError
}

// unicodeEscape returns the character of an escape such as \u00fc at the start
// of b.
func unicodeEscape(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[1] != 'u' {
		return 0, false
	}
	var half [2]byte
	_, err := hex.Decode(half[:], b[2:6])
	return rune(half[0])<<8 | rune(half[1]), err == nil
}

// SkipText reads to the end of a string, after its first quote, and keeps nothing.
func (s *Scanner) SkipText() {
	for done := false; !done; {
		_, done = s.Text(s.waste[:0])
	}
}

// passText reads to the end of a string, after its first quote: to the first quote after an even
// number of backslashes.
func (s *Scanner) passText() {
	for {
		b := s.Buf[s.Pos:]
		end := bytes.IndexByte(b, '"')
		if end < 0 {
			s.pass(len(b) - backslashes(b)%2) // the last backslash escapes a byte that is not here yet
			if !s.Fill() {
				s.Fail(errEarlyEnd)
				return
			}
			continue
		}
		s.pass(end + 1)
		if backslashes(b[:end])%2 == 0 {
			return
		}
	}
}

func (s *Scanner) pass(n int) {
	s.steps += int64(n)
	s.Pos += n
}

// backslashes returns how many backslashes are at the end of b.
func backslashes(b []byte) int { return len(b) - len(bytes.TrimRight(b, `\`)) }
