package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// A report holds the results of one run.
type report struct {
	notes   []string
	tables  []*table
	targets []target
	ratios  map[string]float64 // speed relative to another contender, by name
	panels  []panel            // panels of the chart
}

// A table is printed as Markdown.
type table struct {
	title string
	lead  string
	head  []string
	rows  [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// A target is a promised figure.
type target struct {
	name  string
	value float64
	limit float64
	most  bool // limit is an upper bound; false: a lower bound
	unit  string
}

func (t target) met() bool {
	if t.most {
		return t.value <= t.limit
	}
	return t.value >= t.limit
}

func (t target) String() string {
	bound, verdict := "at least", "met"
	if t.most {
		bound = "at most"
	}
	if !t.met() {
		verdict = fmt.Sprintf("MISSED by %.0f %%", 100*math.Abs(t.value-t.limit)/t.limit)
	}
	return fmt.Sprintf("%s: %s, %s %s wanted: %s", t.name, number(t.value)+t.unit, bound, number(t.limit)+t.unit, verdict)
}

func (r *report) atLeast(name string, value, limit float64, unit string) {
	r.targets = append(r.targets, target{name: name, value: value, limit: limit, unit: unit})
}

func (r *report) atMost(name string, value, limit float64, unit string) {
	r.targets = append(r.targets, target{name: name, value: value, limit: limit, unit: unit, most: true})
}

// ratio adds a ratio that holdFloor compares with the last accepted one.
func (r *report) ratio(name string, value float64) {
	if r.ratios == nil {
		r.ratios = make(map[string]float64)
	}
	r.ratios[name] = value
}

func (r *report) table(title, lead string, head ...string) *table {
	t := &table{title: title, lead: lead, head: head}
	r.tables = append(r.tables, t)
	return t
}

func (r *report) print(w io.Writer) {
	for _, note := range r.notes {
		fmt.Fprintf(w, "- %s\n", note)
	}
	for _, t := range r.tables {
		t.print(w)
	}
}

// print writes the table as Markdown with padded columns, readable as plain
// text.
func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "\n### %s\n\n", t.title)
	if t.lead != "" {
		fmt.Fprintf(w, "%s\n\n", t.lead)
	}
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	line := func(row []string) {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-len([]rune(cell)))
			if i == 0 {
				b.WriteString("| " + cell + pad)
			} else {
				b.WriteString(" | " + pad + cell)
			}
		}
		fmt.Fprintln(w, b.String()+" |")
	}
	line(t.head)
	var b strings.Builder
	for i, n := range width {
		if i == 0 {
			b.WriteString("|" + strings.Repeat("-", n+2))
		} else {
			b.WriteString("|" + strings.Repeat("-", n+1) + ":")
		}
	}
	fmt.Fprintln(w, b.String()+"|")
	for _, row := range t.rows {
		line(row)
	}
}

// The marks around the tables in a file. Each engine of encoding/json has its
// own tables.
func beginMark() string { return "<!-- begin of the tables, " + engine() + " -->\n" }
func endMark() string   { return "<!-- end of the tables, " + engine() + " -->" }

// putInto replaces the text between the marks in a file by the tables.
func (r *report) putInto(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), beginMark())
	_, after, ended := strings.Cut(rest, endMark())
	if !ok || !ended {
		return fmt.Errorf("%s does not hold the marks of the %s", name, engine())
	}
	var b strings.Builder
	b.WriteString(before + beginMark())
	r.print(&b)
	b.WriteString("\n### Promised figures\n\n```\n")
	r.check(&b)
	b.WriteString("```\n" + endMark() + after)
	return os.WriteFile(name, []byte(b.String()), 0o644)
}

// check prints the targets, missed ones last, and reports whether all are met.
func (r *report) check(w io.Writer) bool {
	missed := 0
	for _, t := range r.targets {
		if t.met() {
			fmt.Fprintf(w, "ok    %s\n", t)
		} else {
			missed++
		}
	}
	for _, t := range r.targets {
		if !t.met() {
			fmt.Fprintf(w, "FAIL  %s\n", t)
		}
	}
	fmt.Fprintf(w, "%d of %d targets met\n", len(r.targets)-missed, len(r.targets))
	return missed == 0
}

// number formats v with three significant digits.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "?"
	case a >= 10000:
		s := fmt.Sprintf("%.0f", v)
		return s[:len(s)-3] + " " + s[len(s)-3:]
	case a >= 100, v == math.Trunc(v):
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func times(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return number(v) + "x"
}

// duration formats nanoseconds in a fitting unit.
func duration(ns float64) string {
	switch {
	case math.IsNaN(ns):
		return "?"
	case ns >= 1e6:
		return number(ns/1e6) + " ms"
	case ns >= 1e3:
		return number(ns/1e3) + " µs"
	}
	return number(ns) + " ns"
}

func size(bytes float64) string {
	if bytes >= 1<<20 {
		return number(bytes/(1<<20)) + " MB"
	}
	return number(bytes/1024) + " KB"
}
