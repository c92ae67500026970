// Package term writes for people at a terminal, and for the files and pipes that
// stand in its place: tables, wrapped sentences, colours, progress, and texts of
// others that cannot act on the terminal.
package term

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Terminal describes where a stream leads. The zero value is a file or a pipe: no
// colour, no bar, lines as long as they are.
type Terminal struct {
	TTY   bool
	Color bool
	Width int // columns; 0: no bound
}

// Paint returns a text in a colour, or as it is where the stream shows none.
func (t Terminal) Paint(code, s string) string {
	if !t.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Wrapped breaks a text at its spaces so that it fits beside an indent, which the
// second and further lines have, and leaves it whole where the stream has no width.
func (t Terminal) Wrapped(s string, indent int) string {
	if t.Width == 0 {
		return s
	}
	return strings.Join(WrapWords(s, max(t.Width-indent, 20)), "\n"+strings.Repeat(" ", indent))
}

// Say writes a sentence after its prefix, which the lines it is broken into are
// indented by.
func (t Terminal) Say(w io.Writer, prefix, s string) {
	fmt.Fprintln(w, prefix+t.Wrapped(s, runewidth.StringWidth(prefix)))
}

// WrapWords breaks a text into lines of at most so many columns, at spaces.
func WrapWords(s string, columns int) []string {
	var lines []string
	for word := range strings.FieldsSeq(s) {
		if n := len(lines); n > 0 && runewidth.StringWidth(lines[n-1])+1+runewidth.StringWidth(word) <= columns {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

// Colours and weights, as Terminal.Paint takes them.
const (
	Bold   = "1"
	Faint  = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
)

// Printable makes a text of the service, or of a file, fit for a terminal: one
// line, nothing that moves the cursor, changes colours or reorders the line.
func Printable(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case strconv.IsPrint(r):
			return r
		case r == 0xa0 || r == 0x202f || r == 0x2007 || r == 0x3000:
			return ' '
		}
		return -1
	}, strings.ToValidUTF8(s, "\uFFFD")))
}
