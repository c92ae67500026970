package main

import (
	"strconv"

	"github.com/jobboard-sdk/jobboard-go/boardcheck"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

func printPlan(c *term.Console, steps []boardcheck.Step) error {
	total := 0
	rows := make([][]string, len(steps))
	for i, s := range steps {
		total += s.AtMost
		rows[i] = []string{strconv.Itoa(s.AtMost), s.Call, s.Request}
	}
	columns := []term.Column{{Head: "AT MOST"}, {Head: "CALL"}, {Head: "REQUEST", Flex: 3}}
	term.WriteTable(c.Out, c.OutTerminal, columns, rows)
	c.Out.Line("")
	c.Out.Line("%d calls at most, five requests a second; with repeats and redirects %d requests. Nothing is changed.",
		total, boardcheck.MaxRequests)
	return c.Out.Err
}

// printReport writes the report as text: what changed, and what says nothing about the board.
func printReport(c *term.Console, r *boardcheck.Report) {
	printFindings(c, "What changed", r.Changes)
	printFindings(c, "No judgement", r.Unjudged)
	c.Out.Line("%s", r.Summary())
}

func printFindings(c *term.Console, title string, found []boardcheck.Finding) {
	if len(found) == 0 {
		return
	}
	c.Out.Line("%s", c.OutTerminal.Paint(term.Bold, title+":"))
	for _, x := range found {
		c.Out.Line("  %s", c.OutTerminal.Wrapped(x.String(), 2))
	}
	c.Out.Line("")
}
