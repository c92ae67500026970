package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

func newStatusCommand(p *cli.Program, db *database) *cobra.Command {
	o := &opening{p: p, db: db}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell how old the copy is, what is waiting and what fails",
		Long: `status tells for each source how old its copy is and what fails, how many
lookups are due, and which processes share the work.`,
		Example: `  jobboard-mirror status --fake
  jobboard-mirror status --db jobs.db --json`,
		Args: cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.with(cmd, func(ctx context.Context, m *copied) error { return runStatus(ctx, &p.Console, m, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the status as JSON")
	return cmd
}

// sourceFields lists the columns of the table of sources.
var sourceFields = []cli.Field[jobmirror.SourceStatus]{
	{Name: "source", Flex: 2, Value: func(s jobmirror.SourceStatus) any {
		return strings.TrimSpace(s.Kind + " " + s.Name + " " + s.Language)
	}},
	{Name: "rows", Value: func(s jobmirror.SourceStatus) any { return s.Rows }},
	{Name: "held", Value: func(s jobmirror.SourceStatus) any { return s.Held }},
	{Name: "copied", Value: func(s jobmirror.SourceStatus) any { return ago(s.Complete) }},
	{Name: "failures", Value: func(s jobmirror.SourceStatus) any { return s.Failures }},
	{Name: "problem", Flex: 3, Value: func(s jobmirror.SourceStatus) any {
		switch {
		case s.Problem != "":
		case s.Unreadable > 0:
			return term.Count(s.Unreadable, "posting") + " cannot be read: the log says why"
		case s.Empty:
			return "the board shows no posting: is the channel's name right?"
		}
		return s.Problem
	}},
}

func runStatus(ctx context.Context, c *term.Console, m *copied, asJSON bool) error {
	s, err := m.Status(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return term.WriteJSON(c.Out, s, true)
	}
	printStatus(c, s)
	return c.Out.Err
}

func printStatus(c *term.Console, s *jobmirror.Status) {
	w := c.Out
	cli.WriteTable(c, sourceFields, s.Sources)
	w.Line("")
	w.Line("%s; without a place that a radius finds: %d; not indexed yet: %d", term.Count(s.Postings, "posting"), s.Unplaced, s.Unindexed)
	if s.Adless > 0 {
		w.Line("shown without their advertisement, because it makes them too large: %s", term.Count(s.Adless, "posting"))
	}
	for _, state := range slices.Sorted(maps.Keys(s.Jobs)) {
		w.Line("%s %s", term.Count(s.Jobs[state], "job"), state)
	}
	since := ""
	if !s.DueSince.IsZero() {
		since = ", the first since " + ago(s.DueSince)
	}
	w.Line("%s due%s; without an answer the last time: %d", term.Count(s.Due, "lookup"), since, s.Failing)
	if s.Unconfirmed > 0 {
		w.Line("unconfirmed ends of jobs: %d", s.Unconfirmed)
	}
	if s.Unconfirmed > fewUnconfirmed {
		w.Line("these are many: look some up on the board; if they have ended, refresh --accept-removals")
	}
	for _, process := range s.Processes {
		w.Line("%s: %s since %s, %s, seen %s", term.Printable(process.Name+" "+process.Version),
			term.Printable(process.Doing), process.Started.Local().Format(time.DateTime),
			term.Count(int(process.LookedUp), "lookup"), ago(process.Seen))
		for _, lease := range process.Leases {
			doing := "looks up " + term.Count(lease.Jobs, "job")
			if lease.Source != "" {
				doing = "refreshes " + term.Printable(lease.Source)
			}
			w.Line("  %s, begun %s", doing, ago(lease.Since))
		}
	}
	if s.Limit > 0 {
		w.Line("at most %g requests a second", s.Limit)
	}
	if !s.PausedUntil.IsZero() {
		w.Line("the board asked for a pause until %s", s.PausedUntil.Local().Format(time.TimeOnly))
	}
	w.Line("changes from %s to %s", s.Oldest, s.Newest)
}

func ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return time.Since(t).Truncate(time.Second).String() + " ago"
}
