// Package window reads a document of bounded size from a reader, through a buffer of fixed size, so
// that skipping a long part costs no memory.
package window

import (
	"errors"
	"io"

	"github.com/jobboard-sdk/jobboard-go/internal/steady"
)

const (
	// Size limits the part of a reader's document that is in the window, in bytes.
	Size = 64 << 10

	noLimit = 1<<63 - 1
)

// ErrTooLarge reports that a document, or a part of it, is over its bound.
var ErrTooLarge = errors.New("window: input over its bound")

// A Window shows a part of a document. The first error stays: from then on the
// window is empty, and [Window.Fill] reports false. The zero value shows an
// empty document.
type Window struct {
	Buf []byte // the bytes in the window; after ResetBytes the whole document
	Pos int    // the next byte of Buf; the owner moves it forward

	off     int64         // offset of Buf[0] in the document
	src     steady.Reader // empty: the document is Buf
	srcErr  error         // error that src returned with its last bytes
	err     error
	errOff  int64
	max     int64  // the document's bound
	mark    int64  // offset where the bounded part must have ended
	held    int64  // mark, saved between Aside and Back
	side    int64  // offset of Aside
	storage []byte // the memory of Buf for a reader, Size bytes

	recording bool   // between Record and Recorded
	from      int    // index in Buf where the recorded part begins, or continues
	recorded  []byte // recorded bytes that have left Buf
	room      int    // longest part to record
}

// Reset makes w show a document of at most maxBytes bytes from r; 0 is no
// bound. It does not read yet.
func (w *Window) Reset(r io.Reader, maxBytes int64) {
	if w.storage == nil {
		w.storage = make([]byte, Size)
	}
	if maxBytes <= 0 {
		maxBytes = noLimit
	}
	*w = Window{Buf: w.storage[:0], src: steady.Reader{Reader: r}, max: maxBytes, mark: noLimit, storage: w.storage}
}

// ResetBytes makes w show the document b, which must not change meanwhile.
func (w *Window) ResetBytes(b []byte) { *w = Window{Buf: b, mark: noLimit, storage: w.storage} }

// Err returns the first error: an error given to Fail, [ErrTooLarge], or the reader's error
// unchanged.
func (w *Window) Err() error { return w.err }

// Offset returns how many bytes of the document were consumed, or where its
// error is.
func (w *Window) Offset() int64 {
	if w.err != nil {
		return w.errOff
	}
	return w.off + int64(w.Pos)
}

// Bound makes [ErrTooLarge] the error of a part of the document that starts
// here and is longer than n bytes; [Window.Unbound] ends it. Reading stops at
// most a window after the bound.
func (w *Window) Bound(n int) { w.mark = w.Offset() + int64(n) }

// Unbound ends the part that [Window.Bound] began.
func (w *Window) Unbound() {
	if w.Offset() > w.mark {
		w.Fail(ErrTooLarge)
	}
	w.mark = noLimit
}

// Room returns how many bytes the part that [Window.Bound] began may still have.
func (w *Window) Room() int64 { return w.mark - w.Offset() }

// Aside stops counting bytes towards the bounded part, until [Window.Back], which returns the
// number of bytes consumed meanwhile.
func (w *Window) Aside() { w.side, w.held, w.mark = w.Offset(), w.mark, noLimit }

// Back ends [Window.Aside] and counts bytes towards the bounded part again.
func (w *Window) Back() int64 {
	n := w.Offset() - w.side
	if w.held != noLimit {
		w.mark = w.held + n
	}
	return n
}

// Fail makes err the document's error at the current offset. Only the first error counts.
func (w *Window) Fail(err error) {
	if w.err == nil {
		w.errOff = w.Offset()
		w.err = err
		w.Buf, w.Pos, w.src = nil, 0, steady.Reader{}
	}
}

// Record keeps the bytes consumed from now until [Window.Recorded], at most n bytes.
func (w *Window) Record(n int) {
	w.recording, w.from, w.recorded, w.room = true, w.Pos, w.recorded[:0], n
}

// Recorded returns the bytes consumed since [Window.Record], valid until the window is used again.
// It reports false if they are too many, or if the document has an error.
func (w *Window) Recorded() ([]byte, bool) {
	if w.err != nil || !w.recording {
		return nil, false
	}
	if len(w.recorded) > 0 {
		w.record()
		w.recording = false
		return w.recorded, w.recorded != nil
	}
	w.recording = false
	part := w.Buf[w.from:w.Pos]
	return part, len(part) <= w.room
}

// record copies the consumed bytes out of the window.
func (w *Window) record() {
	part := w.Buf[w.from:w.Pos]
	w.from = 0
	if len(part) > w.room-len(w.recorded) {
		w.recording, w.recorded = false, nil
		return
	}
	w.recorded = append(w.recorded, part...)
}

// Fill reads at least one more byte into the window, and reports whether it could. The end of the
// document is not an error.
func (w *Window) Fill() bool {
	if w.off+int64(w.Pos) > w.mark {
		w.Fail(ErrTooLarge)
	}
	if w.src.Reader == nil {
		return false
	}
	if w.recording {
		w.record()
	}
	n := copy(w.storage, w.Buf[w.Pos:])
	w.off += int64(w.Pos)
	w.Pos = 0
	w.Buf = w.storage[:n]
	left := w.max - w.off - int64(n)
	m := 0
	if w.srcErr == nil {
		m, w.srcErr = w.src.Read(w.storage[n:])
	}
	if int64(m) > left {
		m, w.srcErr = int(left), ErrTooLarge
	}
	if m > 0 {
		w.Buf = w.storage[:n+m]
		return true
	}
	if w.srcErr != io.EOF {
		w.Fail(w.srcErr)
	}
	return false
}

// Have reports whether the window holds n bytes after Pos, and reads until it does.
func (w *Window) Have(n int) bool {
	for len(w.Buf)-w.Pos < n {
		if !w.Fill() {
			return false
		}
	}
	return true
}
