// Package swar looks at text eight bytes at a time ("SIMD within a register"). It
// finds where a run of plain text ends, at a quote, a backslash or a control
// character of JSON, and checks that text is UTF-8.
package swar

import (
	"encoding/binary"
	"math/bits"
)

const (
	// High has the high bit of every byte.
	High = 0x8080808080808080
	// Block holds the number of bytes that [First] looks at.
	Block = 32

	lsb = 0x0101010101010101
)

// Stops sets the high bit of every byte of w that ends a run of plain text: a quote, a backslash or
// a control character. The lowest mark is exact, higher marks may be wrong, and the other bits are
// meaningless.
//
// A quote is 0x22 and the controls end at 0x1F: with bit 1 flipped they are
// just the bytes below 0x21.
func Stops(w uint64) uint64 {
	return (((w ^ lsb*0x02) - lsb*0x21) | ((w ^ lsb*'\\') - lsb)) &^ w
}

// IsStop reports whether a byte ends a run of plain text.
func IsStop(c byte) bool { return c < ' ' || c == '"' || c == '\\' }

// First returns the index of the first marked byte of a block, of which at least one is
// marked. It has no branch, because the processor could not predict it.
func First(m0, m1, m2, m3 uint64) int {
	// The product moves the high bits of the eight bytes to the highest byte.
	const gather = 0x0002040810204081
	return bits.TrailingZeros64(
		m0&High*gather>>56 |
			m1&High*gather>>56<<8 |
			m2&High*gather>>56<<16 |
			m3&High*gather>>56<<24)
}

// Plain returns how many bytes at the start of b are neither a quote, a backslash nor a control
// character, and reports whether all these bytes are ASCII.
func Plain(b []byte) (n int, ascii bool) {
	var high uint64
	for ; len(b)-n >= 8; n += 8 {
		w := binary.LittleEndian.Uint64(b[n:])
		if m := Stops(w) & High; m != 0 {
			high |= w & (m&-m - 1)
			return n + bits.TrailingZeros64(m)>>3, high&High == 0
		}
		high |= w
	}
	for ; n < len(b) && !IsStop(b[n]); n++ {
		high |= uint64(b[n])
	}
	return n, high&High == 0
}

// Verbatim returns the length of the text at the start of b that needs no decoding in a JSON
// string: up to a quote, an escape or a control character. It returns 0 for text that is not UTF-8.
func Verbatim(b []byte) int {
	if len(b) >= 16 { // most texts are short and ASCII
		two := (*[16]byte)(b)
		w0, w1 := binary.LittleEndian.Uint64(two[:]), binary.LittleEndian.Uint64(two[8:])
		if m0, m1 := Stops(w0), Stops(w1); (m0|m1)&High != 0 && (w0|w1)&High == 0 {
			return First(m0, m1, 0, 0)
		}
	}
	n, ascii := Plain(b)
	if !ascii && !Valid(b[:n]) {
		return 0
	}
	return n
}

// Spaces returns how many spaces are at the start of b. It may return fewer
// near the end of b.
func Spaces(b []byte) (n int) {
	for len(b)-n >= 8 {
		w := binary.LittleEndian.Uint64(b[n:]) ^ lsb*' '
		if w != 0 {
			return n + bits.TrailingZeros64(w)>>3
		}
		n += 8
	}
	return n
}
