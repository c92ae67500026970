package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// column is one of a table. The cells of a flexible one are cut where the
// terminal is too narrow; the others keep their width.
type column struct {
	head string
	flex int // share of what is left; 0: as wide as its cells
}

// gap is the space between two columns.
const gap = 2

// writeTable writes rows of printable texts, a line each, not wider than the
// terminal: what does not fit ends with an ellipsis. A file or a pipe gets every
// cell whole.
func writeTable(w io.Writer, t terminal, columns []column, rows [][]string) {
	widths := columnWidths(t, columns, rows)
	line := func(cells []string, paint string) {
		var b strings.Builder
		last := len(cells) - 1
		for i, cell := range cells {
			cell = runewidth.Truncate(cell, widths[i], "…")
			padding := strings.Repeat(" ", widths[i]-runewidth.StringWidth(cell)+gap)
			if cell != "" && paint != "" {
				cell = t.paint(paint, cell)
			}
			b.WriteString(cell)
			if i < last {
				b.WriteString(padding)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.head
	}
	line(heads, bold)
	for _, row := range rows {
		line(row, "")
	}
}

// columnWidths shares the terminal's width out.
func columnWidths(t terminal, columns []column, rows [][]string) []int {
	const least = 3
	widths := make([]int, len(columns))
	left, shares := t.width-gap*(len(columns)-1), 0
	for i, c := range columns {
		widths[i] = runewidth.StringWidth(c.head)
		for _, row := range rows {
			widths[i] = max(widths[i], runewidth.StringWidth(row[i]))
		}
		if c.flex == 0 {
			left -= widths[i]
		}
		shares += c.flex
	}
	if t.width <= 0 {
		return widths
	}
	// A column that needs less than its share leaves the rest to the others.
	narrow := make([]bool, len(columns))
	for again := true; again && shares > 0; {
		again = false
		for i, c := range columns {
			if c.flex > 0 && !narrow[i] && widths[i] <= left*c.flex/shares {
				narrow[i], again = true, true
				left -= widths[i]
				shares -= c.flex
			}
		}
	}
	for i, c := range columns {
		if c.flex > 0 && !narrow[i] {
			widths[i] = max(left*c.flex/shares, least)
		}
	}
	return widths
}
