package term

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Column describes a column of a table. If the terminal is too narrow, cells of
// flexible columns are cut; other columns keep their width.
type Column struct {
	Head string
	Flex int // share of the remaining width; 0: as wide as the cells
}

// gap is the space between two columns.
const gap = 2

// WriteTable writes rows of printable texts, one line each, no wider than the
// terminal: cut cells end with an ellipsis. In a file or pipe all cells are
// whole.
func WriteTable(w io.Writer, t Terminal, columns []Column, rows [][]string) {
	widths := columnWidths(t, columns, rows)
	line := func(cells []string, paint string) {
		var b strings.Builder
		for i, cell := range cells {
			cell = runewidth.Truncate(cell, widths[i], "…")
			padding := strings.Repeat(" ", widths[i]-runewidth.StringWidth(cell)+gap)
			if cell != "" && paint != "" {
				cell = t.Paint(paint, cell)
			}
			b.WriteString(cell + padding)
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.Head
	}
	line(heads, Bold)
	for _, row := range rows {
		line(row, "")
	}
}

// columnWidths distributes the terminal's width among the columns.
func columnWidths(t Terminal, columns []Column, rows [][]string) []int {
	const least = 3
	widths := make([]int, len(columns))
	left, shares := t.Width-gap*(len(columns)-1), 0
	for i, c := range columns {
		widths[i] = runewidth.StringWidth(c.Head)
		for _, row := range rows {
			widths[i] = max(widths[i], runewidth.StringWidth(row[i]))
		}
		if c.Flex == 0 {
			left -= widths[i]
		}
		shares += c.Flex
	}
	if t.Width <= 0 {
		return widths
	}
	// A column that needs less than its share leaves the rest to the others.
	narrow := make([]bool, len(columns))
	for again := true; again; {
		again = false
		for i, c := range columns {
			if c.Flex > 0 && !narrow[i] && widths[i] <= left*c.Flex/shares {
				narrow[i], again = true, true
				left -= widths[i]
				shares -= c.Flex
			}
		}
	}
	for i, c := range columns {
		if c.Flex > 0 && !narrow[i] {
			widths[i] = max(left*c.Flex/shares, least)
		}
	}
	return widths
}
