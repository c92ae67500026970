package jobfeed

import (
	"bytes"
	"io"
)

// window is the part of the feed's text in memory. An index into it stays valid when more text is
// read, and becomes invalid when discard removes text from the start.
type window struct {
	src  io.Reader
	text []byte
	buf  []byte // the memory of text, with room after it
	err  error  // error of src; io.EOF at its end
	left int64  // bytes src may still give; negative: no bound

	steps int64 // counts bytes looked at, for the test that the work is linear

	start Position // position of the window's start

	searched [sectionKinds]searched
}

const minWindow = 64 << 10

// more reads more text into the window; false: src has no more.
func (w *window) more() bool {
	if w.err != nil {
		return false
	}
	w.makeRoom()
	end := len(w.text)
	n, err := w.src.Read(w.text[end:cap(w.text)])
	if w.left >= 0 {
		if int64(n) > w.left {
			n, err = int(w.left), ErrTooLarge
		}
		w.left -= int64(n)
	}
	w.text, w.err = w.text[:end+n], err
	return n > 0
}

// makeRoom makes room after text if it reaches the end of the buffer: it moves text to the start,
// or to a larger buffer if text takes half the buffer.
func (w *window) makeRoom() {
	if len(w.text) < cap(w.text) {
		return
	}
	if 2*len(w.text) >= len(w.buf) {
		w.buf = make([]byte, 2*len(w.text)+minWindow)
	}
	w.text = w.buf[:copy(w.buf, w.text)]
}

// fill reads until there are n bytes or the text ends.
func (w *window) fill(n int) {
	for len(w.text) < n && w.more() {
	}
}

// discard takes n bytes from the beginning.
func (w *window) discard(n int) { w.start, w.text = w.at(w.start, n), w.text[n:] }

// discardTo discards everything before the first occurrence of text. It reports whether it found
// text, and whether other occurs before it.
func (w *window) discardTo(text, other []byte) (found, passed bool) {
	for {
		end := w.index(0, text)
		if found = end >= 0; !found {
			end = max(0, len(w.text)-len(text)+1) // the last bytes may begin text
		}
		passed = passed || bytes.Contains(w.text[:end], other)
		if found {
			w.discard(end)
			return true, passed
		}
		w.discard(max(0, end-max(0, len(other)-1))) // or begin other
		if !w.more() {
			return false, passed
		}
	}
}

var newline = []byte{'\n'}

// at returns the position of the byte at i. p is the position of an earlier byte.
func (w *window) at(p Position, i int) Position {
	from := int(p.Offset - w.start.Offset)
	b := w.looked(w.text[from:i])
	p.Offset += int64(len(b))
	p.Column += len(b)
	if lines := bytes.Count(b, newline); lines > 0 {
		p.Line += lines
		p.Column = len(b) - bytes.LastIndexByte(b, '\n')
	}
	return p
}

// looked adds the length of b to steps.
func (w *window) looked(b []byte) []byte {
	w.steps += int64(len(b))
	return b
}

// index returns the index of the first text at i or later in the window, or -1.
func (w *window) index(i int, text []byte) int {
	b := w.text[min(i, len(w.text)):]
	k := bytes.Index(b, text)
	if k < 0 {
		w.looked(b)
		return -1
	}
	w.looked(b[:k+len(text)])
	return i + k
}
