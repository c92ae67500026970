package jsonread

import (
	"strconv"
	"testing"
	"unsafe"
)

// Any two strings that come in turn are kept, wherever their hashes put them.
func TestInternerKeepsTwo(t *testing.T) {
	for i := range 20_000 {
		var in interner
		a, b := []byte("a"+strconv.Itoa(i)), []byte("b"+strconv.Itoa(i))
		keptA, keptB := in.get(a), in.get(b)
		if unsafe.StringData(in.get(a)) != unsafe.StringData(keptA) || unsafe.StringData(in.get(b)) != unsafe.StringData(keptB) {
			t.Fatalf("%s and %s push each other out", a, b)
		}
	}
}
