package term

import (
	"fmt"
	"io"
)

// Output is a writer that stops at the first error and keeps it in Err.
type Output struct {
	W   io.Writer
	Err error
}

// Write writes to W, unless an earlier write failed.
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

// Pair writes a label and a text made printable, or nothing for an empty text.
func (o *Output) Pair(label, text string) {
	if text = Printable(text); text != "" {
		o.Line(pairFormat, label, text)
	}
}

// PaintedPair is Pair for the program's own text, which may contain colours.
func (o *Output) PaintedPair(label, text string) { o.Line(pairFormat, label, text) }
