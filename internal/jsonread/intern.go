package jsonread

import "hash/maphash"

// An interner keeps short strings that occur often. It has a fixed size: a new string takes the
// place of an older string.
type interner struct{ known [256]string }

const maxInterned = 64

func (in *interner) get(b []byte) string {
	if len(b) > maxInterned {
		return string(b)
	}
	// Each hash has two places. A new string goes to the first place, and the string that was there
	// moves to the second.
	first := maphash.Bytes(seed, b) % 128 * 2
	second := first + 1
	if s := in.known[first]; s == string(b) {
		return s
	}
	if s := in.known[second]; s == string(b) {
		return s
	}
	in.known[second] = in.known[first]
	in.known[first] = string(b)
	return in.known[first]
}

var seed = maphash.MakeSeed()
