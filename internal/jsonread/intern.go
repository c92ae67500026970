package jsonread

import "hash/maphash"

// An interner keeps short strings that come again and again. It forgets one
// when it needs its place, so it is of one size whatever it is given.
type interner struct{ known [256]string }

const maxInterned = 64

func (in *interner) get(b []byte) string {
	if len(b) > maxInterned {
		return string(b)
	}
	// A string is in one of two places, which it shares with the strings of the
	// same hash. The one that was missed last is in the first, and what was there
	// is in the second.
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
