package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

type changesFlags struct {
	since  string
	follow bool
}

func newChangesCommand(p *cli.Program, db *database) *cobra.Command {
	o := &opening{p: p, db: db}
	var f changesFlags
	cmd := &cobra.Command{
		Use:   "changes",
		Short: "Tell what changed, as a line of JSON each",
		Long: `changes prints the log of changes, a line of JSON each. With --follow it waits
for further ones until it is interrupted.`,
		Example: "  jobboard-mirror changes --db jobs.db --follow",
		Args:    cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.with(cmd, func(ctx context.Context, m *copied) error {
				if f.follow && p.Settings.UsesFake() {
					go func() { _ = m.Run(ctx) }() // refresh the copy, so that there are changes to follow
				}
				return runChanges(ctx, p.Out, m, &f)
			})
		},
	}
	cmd.Flags().StringVar(&f.since, "since", "", "`cursor` after which changes are told; empty: all that the log has")
	cmd.Flags().BoolVar(&f.follow, "follow", false, "wait for further changes")
	cli.Complete(cmd, "since", cli.Nothing)
	return cmd
}

func runChanges(ctx context.Context, out *term.Output, m *copied, f *changesFlags) error {
	all := m.Changes
	if f.follow {
		all = m.Follow
	}
	for change, err := range all(ctx, jobmirror.Cursor(f.since)) {
		if f.follow && errors.Is(err, context.Canceled) {
			return nil // --follow ends when it is interrupted
		}
		if errors.Is(err, jobmirror.ErrCursor) {
			return setup.Usage("--since: %w", setup.Plain{Cause: err}).Next("give the cursor of a change of this database; without --since all changes come that the log has")
		}
		if err == nil {
			err = term.WriteJSON(out, change, false)
		}
		if err != nil {
			return err
		}
	}
	return out.Err
}
