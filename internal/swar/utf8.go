package swar

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Valid reports whether b is UTF-8, as utf8.Valid does, but with about the same
// speed whatever language b is in: characters of one and two bytes are checked
// sixteen bytes at a time and without a branch, those of three bytes eight at a
// time.
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

// validShort checks the characters of one and two bytes at the start of b, and returns b from the
// first longer character on. In all words below only the high bit of each byte matters; w<<n moves
// bit 7-n there.
func validShort(b []byte) (rest []byte, ok bool) {
	var bad, owed uint64 // owed: the previous word ended with a lead byte
	i := 0
	for ; len(b)-i >= 16; i += 16 {
		two := (*[16]byte)(b[i : i+16 : i+16]) // spares the bounds
		w0, w1 := binary.LittleEndian.Uint64(two[:]), binary.LittleEndian.Uint64(two[8:])
		lead0, lead1 := w0&(w0<<1), w1&(w1<<1)
		if (lead0&(w0<<2)|lead1&(w1<<2))&High != 0 {
			break
		}
		bad |= misplaced(w0, lead0, owed) | misplaced(w1, lead1, lead0>>56)
		owed = lead1 >> 56
	}
	for ; len(b)-i >= 8; i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		lead := w & (w << 1)
		wrong := misplaced(w, lead, owed)
		if long := lead & (w << 2) & High; long != 0 {
			upTo := long ^ (long - 1)
			return b[i+bits.TrailingZeros64(long)>>3:], (bad|wrong&upTo)&High == 0
		}
		bad |= wrong
		owed = lead >> 56
	}
	b = b[i:]
	if owed &= 0x80; bad&High != 0 || owed != 0 && (len(b) == 0 || utf8.RuneStart(b[0])) {
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

// misplaced marks continuation bytes of w without a lead byte, lead bytes without a continuation
// byte, and C0 and C1, which would encode ASCII. owed is set if the previous word ended with a lead
// byte.
func misplaced(w, lead, owed uint64) uint64 {
	return w ^ lead ^ (lead<<8 | owed) | lead&(lsb*0xC1-w&^High)
}

// validLong checks the characters of three and four bytes at the start of b, and single ASCII
// characters between them, such as spaces. It returns the rest of b.
func validLong(b []byte) (rest []byte, ok bool) {
	for len(b) > 0 && b[0] >= 0xE0 || len(b) > 1 && b[0] < utf8.RuneSelf && b[1] >= 0xE0 {
		if b[0] < utf8.RuneSelf {
			b = b[1:]
		}
		if n := triples(b); n > 0 {
			b = b[n:]
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

// triples returns the length of the run of characters of three bytes at the start
// of b. It may return less near the end of b.
func triples(b []byte) (n int) {
	const shape, two = 0x8080E0, 0xC0C0F0 // a lead byte begins with 1110, a continuation byte with 10
	for len(b)-n >= 8 && binary.LittleEndian.Uint64(b[n:])&(two<<24|two) == shape<<24|shape &&
		allowed(b[n], b[n+1]) && allowed(b[n+3], b[n+4]) {
		if n += 6; n == 24 { // there may be more
			for len(b)-n >= 24 && eight((*[24]byte)(b[n:n+24:n+24])) {
				n += 24
			}
		}
	}
	if len(b)-n >= 4 && binary.LittleEndian.Uint32(b[n:])&two == shape && allowed(b[n], b[n+1]) {
		n += 3
	}
	return n
}

// allowed reports whether a character of three bytes can begin with c and next: E0 with next below
// A0 would encode a shorter character, and ED with next from A0 on a surrogate.
func allowed(c, next byte) bool {
	return c != 0xE0 && c != 0xED || (c == 0xE0) == (next >= 0xA0)
}

// eight reports whether b is eight characters of three bytes.
func eight(b *[24]byte) bool {
	w0, w1, w2 := binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	const (
		lead0, lead1, lead2 = 0x00FF0000FF0000FF, 0xFF0000FF0000FF00, 0x0000FF0000FF0000 // where the leads are

		// As in triples.
		bits0, bits1, bits2 = lsb*0xC0 | lead0&(lsb*0x30), lsb*0xC0 | lead1&(lsb*0x30), lsb*0xC0 | lead2&(lsb*0x30)
		are0, are1, are2    = High | lead0&(lsb*0x60), High | lead1&(lsb*0x60), High | lead2&(lsb*0x60)
	)
	if (w0&bits0^are0)|(w1&bits1^are1)|(w2&bits2^are2) != 0 {
		return false
	}
	// As allowed has it, for the leads of the three words together, one in each
	// byte, and the bytes behind them. Bit 4 says whether the lead is other than
	// E0, other than ED, and whether the next byte is below A0.
	const carry = lsb * 0x0F
	low := (w0&lead0 | w1&lead1 | w2&lead2) & carry
	next := w0>>8&lead0 | (w1>>8|w2<<56)&lead1 | w2>>8&lead2
	notE0, notED, below := low+carry, low^lsb*0x0D+carry, ^next>>1
	return (notE0|^below)&(notED|below)&(lsb*0x10) == lsb*0x10
}

// CutOff returns the length of the incomplete character at the end of b, in bytes.
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
