package swar

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestValid holds Valid against utf8.Valid: every two bytes, every third and
// fourth byte behind those that matter, at every place in a word.
func TestValid(t *testing.T) {
	check := func(text []byte) {
		t.Helper()
		for at := range 9 {
			for _, after := range []string{"", "x", "é", "0123456789€ and 🚀"} {
				b := append([]byte("12345678"[:at]), text...)
				b = append(b, after...)
				if got, want := Valid(b), utf8.Valid(b); got != want {
					t.Fatalf("%q: %v, want %v", b, got, want)
				}
			}
		}
	}
	edges := []byte{0, 'a', 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF}
	for c := range 256 {
		for _, d := range edges {
			check([]byte{byte(c), d})
			check([]byte{d, byte(c)})
			for _, e := range edges[2:9] {
				check([]byte{byte(c), d, e})
			}
		}
	}
	for _, c := range edges[9:] {
		for _, d := range edges {
			for _, e := range edges {
				check([]byte{c, d, e, 0x80})
				check([]byte{c, d, e, 0xC3})
			}
		}
	}
}

// TestValidLong holds Valid against utf8.Valid for texts of one length of
// character, long enough to be checked in blocks, in which one byte is another,
// or two that stand side by side.
func TestValidLong(t *testing.T) {
	for _, text := range []string{
		"0123456789abcdef0123456789abcdef0123", "приносите опыт работаете самост", "Persönlichkeit für Kündigung über Nächte",
		"我们正在为我们的团队寻找一位充满", "ความรู้เกี่ยวกับ", "서울특별시힣퓨하하하하", "हम खोज रहे हैं", "，。、！？：；（）「」", "aé€🚀aé€🚀aé€🚀aé€🚀",
	} {
		b := []byte(text)
		for at := range b {
			for c := range 256 {
				was := b[at]
				b[at] = byte(c)
				if got, want := Valid(b), utf8.Valid(b); got != want {
					t.Fatalf("%q: %v, want %v", b, got, want)
				}
				if at+1 < len(b) {
					next := b[at+1]
					for _, d := range []byte{0x7F, 0x80, 0x9F, 0xA0, 0xBF, 0xC0} {
						b[at+1] = d
						if got, want := Valid(b), utf8.Valid(b); got != want {
							t.Fatalf("%q: %v, want %v", b, got, want)
						}
					}
					b[at+1] = next
				}
				b[at] = was
			}
		}
	}
}

// TestStops holds the arithmetic on words against the table of bytes, for each
// pair of bytes that stand side by side.
func TestStops(t *testing.T) {
	var w [8]byte
	for at := range 7 {
		for i := range w {
			w[i] = 'a'
		}
		for c := range 256 {
			for d := range 256 {
				w[at], w[at+1] = byte(c), byte(d)
				word := binary.LittleEndian.Uint64(w[:])
				want := 8
				for i := 7; i >= 0; i-- {
					if IsStop(w[i]) {
						want = i
					}
				}
				if got := bits.TrailingZeros64(Stops(word)&High) >> 3; got != want {
					t.Fatalf("%q stops at %d, want %d", w, got, want)
				}
			}
		}
	}
}

func TestVerbatim(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, `"`: 0, `abc"`: 3, `abc`: 3, `a\n`: 1, "a\x00": 1, `0123456789abcdef"`: 16, `0123456789abcdef0123\"`: 20,
		`ü"`: 2, `long enough: € and more of it"`: 31, `€`: 3,
		"\xff\"": 0, "0123456789\xc3\"": 0, "0123456789\xc3": 0, "ü\x1f": 2, "0123456789\xff\"123456": 0, `ü\u00fc`: 2,
	} {
		if got := Verbatim([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestEight holds eight against what it says: one wrong byte, and one wrong byte after it, at
// every place. If it refused valid text, Chinese would be read as slowly as elsewhere, and no
// other test would notice.
func TestEight(t *testing.T) {
	want := func(b []byte) bool {
		for len(b) > 0 {
			_, n := utf8.DecodeRune(b)
			if n != 3 {
				return false
			}
			b = b[3:]
		}
		return true
	}
	for _, text := range []string{"我们正在为我们的", "ความรู้เ", "서울특별시힣퓨하", "ࠀ਀\uffff\ue000\ud7ff\u1000\u0fff。"} {
		b := [24]byte([]byte(text))
		for at := range len(b) - 1 {
			was := [2]byte(b[at:])
			for c := range 256 {
				for d := range 256 {
					b[at], b[at+1] = byte(c), byte(d)
					if got, want := eight(&b), want(b[:]); got != want {
						t.Fatalf("%q: %v, want %v", b, got, want)
					}
				}
			}
			copy(b[at:], was[:])
		}
	}
}

// TestFirst marks one byte, with every noise above it and in the bits that mean
// nothing.
func TestFirst(t *testing.T) {
	for at := range Block {
		for noise := range Block {
			var b [Block]byte
			for i := range b {
				b[i] = 0x7F
			}
			b[at] |= 0x80
			b[max(at, noise)] |= 0x80
			w := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
			if got := First(w(0), w(1), w(2), w(3)); got != at {
				t.Fatalf("%x: %d, want %d", b, got, at)
			}
		}
	}
}

// TestPlain puts a byte at every place before, at and behind the end of a run.
func TestPlain(t *testing.T) {
	for n := range 24 {
		for at := range n + 2 {
			for _, c := range []byte{0, 0x1F, ' ', '"', '\\', 'a', 0x7F, 0x80, 0xC3, 0xFF} {
				b := []byte(strings.Repeat("x", n) + "\"é and more than eight bytes\"")
				b[at] = c
				length, ascii := 0, true
				for ; length < len(b) && !IsStop(b[length]); length++ {
					ascii = ascii && b[length] < utf8.RuneSelf
				}
				if gotLength, gotASCII := Plain(b); gotLength != length || gotASCII != ascii {
					t.Fatalf("%q: %d, %v, want %d, %v", b, gotLength, gotASCII, length, ascii)
				}
			}
		}
	}
}

func TestSpaces(t *testing.T) {
	for n := range 40 {
		for after := range 20 {
			b := make([]byte, n, n+after)
			for i := range b {
				b[i] = ' '
			}
			b = append(b, "!\x00 other text, long"[:after]...)
			if got := Spaces(b); got != n && (got > n || len(b)-got >= 8) {
				t.Errorf("%q: %d, want %d", b, got, n)
			}
		}
	}
}

// TestCutOff cuts text anywhere.
func TestCutOff(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 0, "é": 0, "€": 0, "🚀": 0, "a\xc3": 1, "\xc3": 1, "é\xe2\x82": 2, "\xe2": 1,
		"\xf0\x9f\x9a": 3, "x\xf0\x9f": 2, "x\xf0": 1, "\x80\x80\x80\x80": 0, "\xff": 0, "\xe2a": 0, "\x82": 0,
	} {
		if got := CutOff([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
