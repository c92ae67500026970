package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
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

// wrapped breaks a text at its spaces so that it fits beside an indent, and leaves
// it whole where the stream has no width.
func (t terminal) wrapped(s string, indent int) []string {
	if t.width == 0 {
		return []string{s}
	}
	if lines := wrapWords(s, max(t.width-indent, 20)); len(lines) > 0 {
		return lines
	}
	return []string{""}
}

// say writes a sentence after its prefix, which the lines it is broken into are
// indented by.
func (t terminal) say(w io.Writer, prefix, s string) {
	indent := runewidth.StringWidth(prefix)
	for i, line := range t.wrapped(s, indent) {
		if i > 0 {
			prefix = strings.Repeat(" ", indent)
		}
		fmt.Fprintln(w, prefix+line)
	}
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

// printable is a text of the service, or of a file, fit for a terminal: one
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

// safeJSON is JSON with the same meaning in which every character that a
// terminal would act on is escaped. Outside of strings JSON has none.
func safeJSON(b []byte) []byte {
	if !bytes.ContainsFunc(b, needsEscape) {
		return b
	}
	out := make([]byte, 0, len(b)+64)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case !needsEscape(r):
			out = append(out, b[:n]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		b = b[n:]
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
