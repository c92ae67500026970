package main

import (
	"strconv"

	"github.com/jobboard-sdk/jobboard-go/boardcheck"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

func (f *checkFlags) printPlan(c *term.Console, steps []boardcheck.Step) error {
	if f.json {
		return term.WriteJSON(c.Out, steps, true)
	}
	total := 0
	rows := make([][]string, len(steps))
	for i, s := range steps {
		total += s.AtMost
		rows[i] = []string{strconv.Itoa(s.AtMost), s.Call, s.Request}
	}
	columns := []term.Column{{Head: "AT MOST"}, {Head: "CALL"}, {Head: "REQUEST", Flex: 3}}
	term.WriteTable(c.Out, c.OutTerminal, columns, rows)
	c.Out.Line("")
	c.Out.Line("%d calls at most, %g requests a second; with repeats and redirects %d requests. Nothing is changed.",
		total, f.rate, boardcheck.MaxRequests)
	return c.Out.Err
}

// print writes the report as text: what changed, and what says nothing about the board.
func (f *checkFlags) print(c *term.Console, r *boardcheck.Report) {
	f.section(c, "What changed", r.Changes)
	f.section(c, "No judgement", r.Unjudged)
	c.Out.Line("%s", r.Summary())
}

func (f *checkFlags) section(c *term.Console, title string, found []boardcheck.Finding) {
	if len(found) == 0 {
		return
	}
	c.Out.Line("%s", c.OutTerminal.Paint(term.Bold, title+":"))
	for _, x := range found {
		c.Out.Line("  %s", c.OutTerminal.Wrapped(x.String(), 2))
	}
	c.Out.Line("")
}
