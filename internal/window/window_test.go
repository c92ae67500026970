package window

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestFill reads documents to their ends, where it says each time that there is
// no more.
func TestFill(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		src  io.Reader
		most int64
		want string
		err  error
	}{
		"whole":        {strings.NewReader("0123456789"), 0, "0123456789", nil},
		"byte by byte": {iotest.OneByteReader(strings.NewReader("0123456789")), 10, "0123456789", nil},
		"end at once":  {iotest.DataErrReader(strings.NewReader("0123456789")), 10, "0123456789", nil},
		"too large":    {strings.NewReader("0123456789"), 9, "012345678", ErrTooLarge},
		"broken":       {io.MultiReader(strings.NewReader("012"), iotest.ErrReader(broken)), 0, "012", broken},
		"nothing":      {strings.NewReader(""), 0, "", nil},
	} {
		var w Window
		w.Reset(c.src, c.most)
		got := ""
		for w.Fill() {
			if w.Pos == len(w.Buf) {
				t.Fatalf("%s: Fill was to put something in", name)
			}
			got += string(w.Buf[w.Pos:])
			w.Pos = len(w.Buf)
		}
		if got != c.want || w.Err() != c.err || w.Offset() != int64(len(c.want)) || w.Fill() {
			t.Errorf("%s: %q, %v at %d", name, got, w.Err(), w.Offset())
		}
	}
}
