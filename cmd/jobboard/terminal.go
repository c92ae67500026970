package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
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

// column is one of a table. The cells of a flexible one are wrapped where the
// terminal is too narrow; the others keep their width.
type column struct {
	head string
	flex int // share of what is left; 0: as wide as its cells
}

// writeTable writes rows of printable texts, not wider than the terminal.
func writeTable(w io.Writer, t terminal, columns []column, rows [][]string) {
	tw := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.Options{DoNotColorBordersAndSeparators: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	tw.SetStyle(style)

	widths := columnWidths(t, columns, rows)
	configs := make([]table.ColumnConfig, len(columns))
	head := make(table.Row, len(columns))
	for i, c := range columns {
		configs[i] = table.ColumnConfig{Number: i + 1, WidthMax: widths[i], WidthMaxEnforcer: text.WrapSoft}
		head[i] = t.paint(bold, c.head)
	}
	tw.SetColumnConfigs(configs)
	tw.AppendHeader(head)
	for _, r := range rows {
		row := make(table.Row, len(columns))
		for i := range columns {
			row[i] = r[i]
		}
		tw.AppendRow(row)
	}
	for line := range strings.SplitSeq(tw.Render(), "\n") {
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// columnWidths shares the terminal's width out; 0 stands for no bound.
func columnWidths(t terminal, columns []column, rows [][]string) []int {
	const padding, least = 2, 8
	widths := make([]int, len(columns))
	if t.width <= 0 {
		return widths
	}
	natural := make([]int, len(columns))
	left, shares := t.width, 0
	for i, c := range columns {
		natural[i] = text.StringWidthWithoutEscSequences(c.head)
		for _, r := range rows {
			natural[i] = max(natural[i], text.StringWidthWithoutEscSequences(r[i]))
		}
		left -= padding
		if c.flex == 0 {
			left -= natural[i]
		}
		shares += c.flex
	}
	left += padding // the last column's padding is cut off
	// A column that needs less than its share leaves the rest to the others.
	for again := true; again && shares > 0; {
		again = false
		for i, c := range columns {
			if c.flex > 0 && widths[i] == 0 && natural[i] <= left*c.flex/shares {
				widths[i] = natural[i]
				left -= natural[i]
				shares -= c.flex
				again = true
				break
			}
		}
	}
	for i, c := range columns {
		if c.flex > 0 && widths[i] == 0 {
			widths[i] = max(left*c.flex/shares, least)
		}
	}
	return widths
}
