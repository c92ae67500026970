package term

import (
	"fmt"
	"io"
)

// Output writes until a write fails, and keeps that error.
type Output struct {
	W   io.Writer
	Err error
}

// Write writes to W, or nothing once a write has failed.
func (o *Output) Write(p []byte) (n int, err error) {
	if o.Err == nil {
		n, o.Err = o.W.Write(p)
	}
	return n, o.Err
}

// Line writes a line.
func (o *Output) Line(format string, args ...any) { fmt.Fprintf(o, format+"\n", args...) }

const pairFormat = "  %-14s %s"

// Count returns a number of things in words, such as "1 posting" or "2 postings".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Pair writes what is known under a label, made printable, and nothing where nothing is.
func (o *Output) Pair(label, text string) {
	if text = Printable(text); text != "" {
		o.Line(pairFormat, label, text)
	}
}

// PaintedPair is Pair for a text of the program's own, which may be in colour.
func (o *Output) PaintedPair(label, text string) { o.Line(pairFormat, label, text) }
