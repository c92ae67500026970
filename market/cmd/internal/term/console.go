package term

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/internal/shown"
)

// Console holds the streams that a command reads and writes, and says which are terminals.
type Console struct {
	Name string // name of the program, put before every sentence on standard error

	In  io.Reader
	Out *Output   // standard output
	Err io.Writer // standard error

	OutTerminal, ErrTerminal Terminal

	Now  func() time.Time
	Mask func(string) string // hides known secrets
}

// Note writes a sentence to standard error.
func (c *Console) Note(format string, args ...any) {
	c.ErrTerminal.Say(c.Err, c.Name+": ", fmt.Sprintf(format, args...))
}

// Complain writes an error to standard error, followed by the next step in hint, if any.
func (c *Console) Complain(err error, hint string) {
	prefix := c.Name + ": "
	for line := range strings.SplitSeq(shown.Error(err), "\n") {
		if line = c.Mask(Printable(line)); line == "" {
			continue
		}
		c.ErrTerminal.Say(c.Err, prefix, line)
		prefix = strings.Repeat(" ", len(prefix))
	}
	if hint != "" {
		c.Next(hint)
	}
}

// Next writes a hint for the next step to standard error, each of its lines as a
// sentence.
func (c *Console) Next(hint string) {
	start := "next: "
	for sentence := range strings.SplitSeq(hint, "\n") {
		sentence = start + c.ErrTerminal.Wrapped(sentence, len(start))
		for line := range strings.SplitSeq(sentence, "\n") {
			fmt.Fprintln(c.Err, c.ErrTerminal.Paint(Faint, line))
		}
		start = strings.Repeat(" ", len(start))
	}
}

// ErrorText returns an error's text for people: on one line, without the package's
// name at the beginning and without secrets.
func (c *Console) ErrorText(err error) string {
	return c.Mask(Printable(shown.Error(err)))
}
