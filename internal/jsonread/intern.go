package jsonread

import "encoding/binary"

// An interner keeps short strings that come again and again. It forgets one
// when it needs its place, so it is of one size whatever it is given.
type interner struct{ known [256]string }

const maxInterned = 64

func (in *interner) get(b []byte) string {
	if len(b) > maxInterned {
		return string(b)
	}
	var h uint64
	if len(b) >= 8 {
		h = binary.LittleEndian.Uint64(b) ^ binary.LittleEndian.Uint64(b[len(b)-8:])*31
	} else {
		for _, c := range b {
			h = h*31 + uint64(c)
		}
	}
	h = (h + uint64(len(b))) * 0x9E3779B97F4A7C15 >> 56
	if s := in.known[h]; s == string(b) {
		return s
	}
	if s := in.known[h^1]; s == string(b) {
		return s
	}
	in.known[h^1] = in.known[h]
	in.known[h] = string(b)
	return in.known[h]
}
