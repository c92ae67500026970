package jobfeed

import (
	"bytes"
	"io"
)

// window is the part of the text that is in memory. Indexes into it stay good
// while more is read and begin anew when its beginning is discarded.
type window struct {
	src  io.Reader
	text []byte
	buf  []byte // holds text, and room behind it
	err  error  // why src gives no more; io.EOF at its end
	left int64  // bytes src may still give; negative: no bound

	steps int64 // bytes that were looked at, once for each time: a test that the work is linear counts them

	start Position // of the window's beginning

	searched [sectionKinds]searched
}

const minWindow = 64 << 10

// more makes the window longer; false: it cannot be.
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

// makeRoom moves a text that reaches the end of the buffer to its beginning, or
// to a larger buffer if it takes half of this.
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
func (w *window) discard(n int) { w.start, w.text = w.at(n), w.text[n:] }

// discardTo discards what stands before the first such text, and reports whether
// there is one, and whether the other text stands before it.
func (w *window) discardTo(text, other []byte) (found, passed bool) {
	for {
		end := w.index(0, text)
		if found = end >= 0; !found {
			end = max(0, len(w.text)-len(text)+1) // the rest may belong to the text
		}
		passed = passed || bytes.Contains(w.text[:end], other)
		if found {
			w.discard(end)
			return true, passed
		}
		w.discard(max(0, end-max(0, len(other)-1))) // or to the other one
		if !w.more() {
			return false, passed
		}
	}
}

var newline = []byte{'\n'}

// at returns the position of the byte at i.
func (w *window) at(i int) Position {
	b := w.looked(w.text[:i])
	p := w.start
	p.Offset += int64(i)
	p.Column += i
	if lines := bytes.Count(b, newline); lines > 0 {
		p.Line += lines
		p.Column = i - bytes.LastIndexByte(b, '\n')
	}
	return p
}

// looked counts bytes that are looked at.
func (w *window) looked(b []byte) []byte {
	w.steps += int64(len(b))
	return b
}

// index returns where the first such text from i on is in the window, or -1.
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
