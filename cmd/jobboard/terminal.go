package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// terminal is what is known of where a stream leads. The zero value is a file
// or a pipe: no colour, no bar, lines as long as they are.
type terminal struct {
	tty   bool
	color bool
	width int // columns; 0: no bound
}

func (t terminal) paint(code, s string) string {
	if !t.color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// wrapped breaks a text at its spaces so that it fits beside an indent, which the
// second and further lines have, and leaves it whole where the stream has no width.
func (t terminal) wrapped(s string, indent int) string {
	if t.width == 0 {
		return s
	}
	return strings.Join(wrapWords(s, max(t.width-indent, 20)), "\n"+strings.Repeat(" ", indent))
}

// say writes a sentence after its prefix, which the lines it is broken into are
// indented by.
func (t terminal) say(w io.Writer, prefix, s string) {
	fmt.Fprintln(w, prefix+t.wrapped(s, runewidth.StringWidth(prefix)))
}

// wrapWords breaks a text into lines of at most so many columns, at spaces.
func wrapWords(s string, columns int) []string {
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

const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// printable makes a text of the service, or of a file, fit for a terminal: one
// line, nothing that moves the cursor, changes colours or reorders the line.
func printable(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r == utf8.RuneError || strconv.IsPrint(r):
			return r
		case r == 0xa0 || r == 0x202f || r == 0x2007 || r == 0x3000:
			return ' '
		}
		return -1
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

// safeJSON escapes in JSON every character that a terminal would act on. The meaning
// stays the same. Outside of strings JSON has none.
func safeJSON(b []byte) []byte {
	if !bytes.ContainsFunc(b, needsEscape) {
		return b
	}
	var out []byte
	for _, r := range string(b) {
		if !needsEscape(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

func needsEscape(r rune) bool {
	return r != '\n' && r != utf8.RuneError && !strconv.IsPrint(r)
}

// writeJSON writes v indented, or on one line.
func writeJSON(w io.Writer, v any, indent bool) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(safeJSON(buf.Bytes()))
	return err
}
