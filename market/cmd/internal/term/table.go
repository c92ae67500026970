package term

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Column describes a column of a table. If the terminal is too narrow, columns with
// Yields are left out, and cells of flexible columns are cut; other columns keep their width.
type Column struct {
	Head   string
	Flex   int // share of the remaining width; 0: as wide as the cells
	Least  int // width that a flexible column keeps if its cells need it; 0: 3
	Yields int // the column with the highest number is left out first; 0: it stays
}

// gap is the space between two columns.
const gap = 2

// WriteTable writes rows of printable texts, one line each, no wider than the
// terminal: cut cells end with an ellipsis. In a file or pipe all cells are
// whole. It returns the heads of the columns that it left out.
func WriteTable(w io.Writer, t Terminal, columns []Column, rows [][]string) (leftOut []string) {
	columns, rows, leftOut = yield(t, columns, rows)
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
	return leftOut
}

// yield leaves out columns, one after the other, until the others have the widths that
// they keep.
func yield(t Terminal, columns []Column, rows [][]string) (_ []Column, _ [][]string, leftOut []string) {
	for t.Width > 0 {
		first, needed := -1, gap*(len(columns)-1)
		for i, c := range columns {
			needed += leastWidth(c, wholeWidth(columns, rows, i))
			if c.Yields > 0 && (first < 0 || c.Yields > columns[first].Yields) {
				first = i
			}
		}
		if needed <= t.Width || first < 0 {
			break
		}
		leftOut = append(leftOut, columns[first].Head)
		columns = slices.Delete(slices.Clone(columns), first, first+1)
		narrower := make([][]string, len(rows))
		for i, row := range rows {
			narrower[i] = slices.Delete(slices.Clone(row), first, first+1)
		}
		rows = narrower
	}
	return columns, rows, leftOut
}

// wholeWidth returns the width of a column in which no cell is cut.
func wholeWidth(columns []Column, rows [][]string, i int) int {
	width := runewidth.StringWidth(columns[i].Head)
	for _, row := range rows {
		width = max(width, runewidth.StringWidth(row[i]))
	}
	return width
}

// leastWidth returns the width that a column keeps on every terminal.
func leastWidth(c Column, whole int) int {
	if c.Flex == 0 {
		return whole
	}
	return min(whole, max(c.Least, 3))
}

// columnWidths distributes the terminal's width among the columns.
func columnWidths(t Terminal, columns []Column, rows [][]string) []int {
	widths := make([]int, len(columns))
	for i := range columns {
		widths[i] = wholeWidth(columns, rows, i)
	}
	if t.Width <= 0 {
		return widths
	}
	left, shares := t.Width-gap*(len(columns)-1), 0
	open := map[int]bool{} // the columns whose width is not decided
	for i, c := range columns {
		if open[i] = c.Flex > 0; open[i] {
			shares += c.Flex
		} else {
			left -= widths[i]
		}
	}
	settle := func(i, width int) {
		open[i], widths[i] = false, width
		left -= width
		shares -= columns[i].Flex
	}
	// A column that needs less than its share leaves the rest to the others, and a column whose
	// share is below its least width takes width from them.
	for again := true; again; {
		again = false
		for i, c := range columns {
			switch least := leastWidth(c, widths[i]); {
			case !open[i]:
			case widths[i] <= left*c.Flex/shares:
				settle(i, widths[i])
				again = true
			case left*c.Flex/shares < least:
				settle(i, least)
				again = true
			}
		}
	}
	for i, c := range columns {
		if open[i] {
			widths[i] = left * c.Flex / shares
		}
	}
	return widths
}
