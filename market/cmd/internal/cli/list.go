package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/internal/typo"
)

// Field is a value of each entry in a list: a column of a table or CSV, or a member in
// JSON.
type Field[T any] struct {
	Name   string
	Flex   int // as in term.Column, as are Least and Yields
	Least  int
	Yields int
	Value  func(T) any // returns a text, a number or a bool; nil or an empty text for no value
}

// ListFlags are the flags that choose the entries and fields of a list.
type ListFlags struct {
	Limit  int // most entries; 0: all
	fields string
}

// AddListFlags adds the flags to a command whose list has these fields.
func AddListFlags[T any](l *ListFlags, cmd *cobra.Command, fields []Field[T]) {
	names := fieldNames(fields)
	cmd.Flags().IntVar(&l.Limit, "limit", 0, "show at most this `number`; 0: all")
	cmd.Flags().StringVar(&l.fields, "fields", "", "show these `fields`, with commas: "+strings.Join(names, ", "))
	Complete(cmd, "limit", OneOf("10", "50", "100"))
	Complete(cmd, "fields", completeFields(names))
}

// completeFields completes the last name in a comma-separated list.
func completeFields(names []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		var all []cobra.Completion
		for _, name := range names {
			all = append(all, before+name)
		}
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
	}
}

func fieldNames[T any](fields []Field[T]) (names []string) {
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// Chosen returns the fields that --fields names, in that order, or nil without
// the flag.
func Chosen[T any](l *ListFlags, all []Field[T]) ([]Field[T], error) {
	if l.Limit < 0 {
		return nil, setup.Usage("--limit is negative").Next("--limit 0 gives all")
	}
	if l.fields == "" {
		return nil, nil
	}
	var chosen []Field[T]
	names := fieldNames(all)
	for name := range strings.SplitSeq(l.fields, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		found := false
		for _, f := range all {
			if f.Name == name {
				chosen, found = append(chosen, f), true
			}
		}
		if found {
			continue
		}
		wrong := setup.Usage("--fields: there is no field %.60q", name)
		if meant := typo.Closest(name, names); meant != "" {
			wrong = setup.Usage("--fields: there is no field %.60q; is it %s?", name, meant)
		}
		return nil, wrong.Next("the fields are " + strings.Join(names, ", "))
	}
	return chosen, nil
}

// Named returns the fields with the given names. It panics on an unknown name.
func Named[T any](all []Field[T], names ...string) []Field[T] {
	chosen, err := Chosen(&ListFlags{fields: strings.Join(names, ",")}, all)
	if err != nil {
		panic(err) // a mistake in the program
	}
	return chosen
}

// WriteTable writes a table with a line per entry, below the names of the fields in capitals.
// It notes on standard error which fields it left out because the terminal is narrow.
func WriteTable[T any](c *term.Console, fields []Field[T], entries []T) {
	columns := make([]term.Column, len(fields))
	for i, f := range fields {
		head := strings.ToUpper(strings.ReplaceAll(f.Name, "_", " "))
		columns[i] = term.Column{Head: head, Flex: f.Flex, Least: f.Least, Yields: f.Yields}
	}
	rows := make([][]string, len(entries))
	for i, e := range entries {
		for _, f := range fields {
			rows[i] = append(rows[i], text(f.Value(e)))
		}
	}
	if leftOut := term.WriteTable(c.Out, c.OutTerminal, columns, rows); len(leftOut) > 0 {
		c.Note("%s left out of a table of %d columns; --fields names what to show",
			strings.ToLower(strings.Join(leftOut, ", ")), c.OutTerminal.Width)
	}
}

func text(v any) string {
	if v == nil {
		return ""
	}
	return term.Printable(fmt.Sprint(v))
}

// CSV writes entries as CSV lines, after a line with the names of the fields.
type CSV[T any] struct {
	fields []Field[T]
	w      *csv.Writer
}

// NewCSV writes the first line. Flush returns an error of this write.
func NewCSV[T any](w io.Writer, fields []Field[T]) *CSV[T] {
	c := &CSV[T]{fields, csv.NewWriter(w)}
	_ = c.w.Write(fieldNames(fields))
	return c
}

// Write writes the line of an entry. It puts a ' before text that a spreadsheet would
// take for a formula.
func (c *CSV[T]) Write(entry T) error {
	row := make([]string, len(c.fields))
	for i, f := range c.fields {
		row[i] = text(f.Value(entry))
		if _, foreign := f.Value(entry).(string); foreign && row[i] != "" && strings.ContainsRune("=+-@", rune(row[i][0])) {
			row[i] = "'" + row[i]
		}
	}
	return c.w.Write(row)
}

// Flush writes the buffered lines, and returns the first error of any write.
func (c *CSV[T]) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

// WriteCSV writes a list as CSV.
func WriteCSV[T any](w io.Writer, fields []Field[T], entries []T) error {
	lines := NewCSV(w, fields)
	for _, e := range entries {
		_ = lines.Write(e) // Flush returns the error
	}
	return lines.Flush()
}

// Object returns fields of an entry as a JSON object, in the order of fields.
func Object[T any](fields []Field[T], entry T) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	separator := "{"
	for _, f := range fields {
		fmt.Fprintf(&b, "%s%q:", separator, f.Name)
		if err := enc.Encode(f.Value(entry)); err != nil {
			return nil, err
		}
		separator = ","
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
