// Package term writes output for terminals, files and pipes: tables, wrapped
// sentences, colours and progress. It makes texts of others harmless for the
// terminal.
package term

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Terminal describes the terminal behind a stream. The zero value is a file or a
// pipe: without colours, progress bars and line breaks.
type Terminal struct {
	TTY   bool
	Color bool
	Width int // columns; 0: no bound
}

// Paint returns a text in a colour, or unchanged if the stream shows no
// colours.
func (t Terminal) Paint(code, s string) string {
	if !t.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Wrapped breaks a text at spaces to fit the terminal's width, and indents all
// lines but the first. Without a width it returns the text unchanged.
func (t Terminal) Wrapped(s string, indent int) string {
	if t.Width == 0 {
		return s
	}
	return strings.Join(WrapWords(s, max(t.Width-indent, 20)), "\n"+strings.Repeat(" ", indent))
}

// Say writes a prefix and a sentence, with further lines indented by the width
// of the prefix.
func (t Terminal) Say(w io.Writer, prefix, s string) {
	fmt.Fprintln(w, prefix+t.Wrapped(s, runewidth.StringWidth(prefix)))
}

// WrapWords breaks a text at spaces into lines of at most columns columns.
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

// Codes for Terminal.Paint.
const (
	Bold   = "1"
	Faint  = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
)

// Printable makes a text of the service or of a file safe for a terminal: on
// one line, without characters that move the cursor, change colours or reorder
// the line.
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
