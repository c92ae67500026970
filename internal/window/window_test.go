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
		"one byte":     {strings.NewReader("01"), 1, "0", ErrTooLarge},
		"halting":      {&halting{strings.NewReader("0123"), false}, 0, "0123", nil},
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
	// What is unread counts towards the bound.
	var w Window
	w.Reset(iotest.OneByteReader(strings.NewReader("0123456789")), 9)
	if !w.Have(9) || w.Have(10) || w.Err() != ErrTooLarge {
		t.Errorf("10 bytes of at most 9: %v", w.Err())
	}
}

// halting reads nothing every other time.
type halting struct {
	io.Reader
	reads bool
}

func (h *halting) Read(p []byte) (int, error) {
	if h.reads = !h.reads; h.reads {
		return 0, nil
	}
	return h.Reader.Read(p[:1])
}

// A part of a document may be as long as its bound, even if the document ends there. One byte
// more is an error, however much of it is in the window.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		document string
		read     int
		err      error
	}{{"0123456789", 4, nil}, {"012345", 4, nil}, {"0123456789", 5, ErrTooLarge}, {"0123456", 5, ErrTooLarge}} {
		var streamed, whole Window
		streamed.Reset(iotest.OneByteReader(strings.NewReader(c.document)), 0)
		whole.ResetBytes([]byte(c.document))
		for name, w := range map[string]*Window{"streamed": &streamed, "whole": &whole} {
			take := func(n int) {
				for range n {
					if !w.Have(1) {
						t.Fatalf("%s, %+v: it ends at %d: %v", name, c, w.Offset(), w.Err())
					}
					w.Pos++
				}
			}
			take(2)
			w.Bound(4)
			take(c.read)
			if w.Have(1) && name == "streamed" && c.err != nil {
				t.Errorf("%+v: more is read", c)
			}
			w.Unbound()
			if w.Err() != c.err || w.Offset() != int64(2+c.read) {
				t.Errorf("%s, %+v: %v at %d", name, c, w.Err(), w.Offset())
			}
			w.Fail(io.ErrClosedPipe)
			if first := c.err; first != nil && w.Err() != first {
				t.Errorf("%s, %+v: the first error has become %v", name, c, w.Err())
			}
		}
	}
}

// A record ends once: bytes consumed after that belong to no record.
func TestRecordEnds(t *testing.T) {
	for name, read := range map[string]int{"within the window": 3, "beyond it": 9} {
		var w Window
		w.Reset(iotest.OneByteReader(strings.NewReader("0123456789")), 0)
		w.Record(20)
		for range read {
			if !w.Have(1) {
				t.Fatal(w.Err())
			}
			w.Pos++
		}
		if part, ok := w.Recorded(); !ok || string(part) != "0123456789"[:read] {
			t.Errorf("%s: %q, %t", name, part, ok)
		}
		if part, ok := w.Recorded(); ok {
			t.Errorf("%s: it is given once more: %q", name, part)
		}
	}
}
