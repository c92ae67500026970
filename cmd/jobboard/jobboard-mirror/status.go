package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/term"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

func newStatusCommand(p *cli.Program, db *database) *cobra.Command {
	o := &opening{p: p, db: db}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell how old the copy is, what is waiting and what fails",
		Long:  "status tells of each source how old its copy is and what fails, how many lookups are due, and which processes share the work.",
		Args:  cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.with(cmd, func(ctx context.Context, m *copied) error { return runStatus(ctx, &p.Console, m, asJSON) })
		},
	}
	o.fake.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
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
	{Name: "problem", Flex: 3, Value: func(s jobmirror.SourceStatus) any { return s.Problem }},
}

func runStatus(ctx context.Context, c *term.Console, m *copied, asJSON bool) error {
	s, err := m.Status(ctx)
	if err != nil {
		return err
	}
	w := c.Out
	if asJSON {
		return term.WriteJSON(w, s, true)
	}
	cli.WriteTable(c, sourceFields, s.Sources)
	w.Line("")
	w.Line("%d postings, of which %d have no place that a radius finds and %d are not indexed yet",
		s.Postings, s.Unplaced, s.Unindexed)
	if s.Adless > 0 {
		w.Line("%d postings are too large for their advertisement, and shown without it", s.Adless)
	}
	for _, state := range slices.Sorted(maps.Keys(s.Jobs)) {
		w.Line("%d jobs %s", s.Jobs[state], state)
	}
	since := ""
	if !s.DueSince.IsZero() {
		since = ", the first since " + ago(s.DueSince)
	}
	w.Line("%d lookups are due%s; %d did not answer the last time", s.Due, since, s.Failing)
	for _, process := range s.Processes {
		w.Line("%s: %s since %s, %d lookups, seen %s", term.Printable(process.Name+" "+process.Version),
			term.Printable(process.Doing), process.Started.Local().Format(time.DateTime), process.LookedUp, ago(process.Seen))
		for _, lease := range process.Leases {
			doing := fmt.Sprintf("looks up %d jobs", lease.Jobs)
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
	return w.Err
}

func ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return time.Since(t).Truncate(time.Second).String() + " ago"
}
