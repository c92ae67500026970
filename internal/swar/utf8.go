package swar

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Valid reports whether b is UTF-8, as utf8.Valid does, but with about the same
// speed whatever language b is in: characters of one and two bytes are checked
// eight bytes at a time and without a branch, those of three bytes in pairs.
func Valid(b []byte) bool {
	for len(b) > 0 {
		var ok bool
		if b, ok = validShort(b); !ok {
			return false
		}
		if b, ok = validLong(b); !ok {
			return false
		}
	}
	return true
}

// validShort checks the characters of one and two bytes at the start of b, and
// returns what begins with a longer one. Of all words below only the high bits
// of their bytes count; w<<n has bit 7-n there.
func validShort(b []byte) (rest []byte, ok bool) {
	var bad, owed uint64 // owed: the further byte of a character of the word before
	for ; len(b) >= 16; b = b[16:] {
		w0, w1 := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		lead0, lead1 := w0&High&(w0<<1), w1&High&(w1<<1)
		if lead0&(w0<<2)|lead1&(w1<<2) != 0 {
			break
		}
		bad |= misplaced(w0, lead0, owed) | misplaced(w1, lead1, lead0>>56)
		owed = lead1 >> 56
	}
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b)
		lead := w & High & (w << 1)
		wrong := misplaced(w, lead, owed)
		if long := lead & (w << 2); long != 0 {
			upTo := long ^ (long - 1)
			return b[bits.TrailingZeros64(long)>>3:], (bad|wrong&upTo)&High == 0
		}
		bad |= wrong
		owed = lead >> 56
	}
	if bad&High != 0 || owed != 0 && (len(b) == 0 || utf8.RuneStart(b[0])) {
		return b, false
	}
	b = b[owed>>7:]
	for len(b) > 0 && b[0] < 0xE0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError {
			return b, false
		}
		b = b[n:]
	}
	return b, true
}

// misplaced marks the further bytes of w that have no lead, where owed has the
// last one of the word before, the leads that have none, and C0 and C1, which
// would spell ASCII: with the high bit gone, they alone of all leads are below
// 0x42.
func misplaced(w, lead, owed uint64) uint64 {
	return w&High ^ lead ^ (lead<<8 | owed) | lead&^(w&^High+lsb*(0x80-0x42))
}

// validLong checks the characters of three and four bytes at the start of b, and
// returns what is behind them.
func validLong(b []byte) (rest []byte, ok bool) {
	for len(b) > 0 && b[0] >= 0xE0 {
		for len(b) >= 8 && binary.LittleEndian.Uint64(b)&0xC0C0F0C0C0F0 == 0x8080E08080E0 && // two of three bytes each
			allowed(b[0], b[1]) && allowed(b[3], b[4]) {
			b = b[6:]
		}
		if len(b) >= 4 && binary.LittleEndian.Uint32(b)&0xC0C0F0 == 0x8080E0 && allowed(b[0], b[1]) {
			b = b[3:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			return b, false
		}
		b = b[n:]
	}
	return b, true
}

// allowed reports whether a character of three bytes can begin with c and next:
// below A0, E0 would spell a shorter one, and from there on ED a surrogate.
func allowed(c, next byte) bool {
	return c != 0xE0 && c != 0xED || (c == 0xE0) == (next >= 0xA0)
}

// CutOff returns how many bytes at the end of b begin a character of which more
// is to come.
func CutOff(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if utf8.FullRune(b[len(b)-n:]) {
				break
			}
			return n
		}
	}
	return 0
}
