package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

func newRebuildCommand(p *cli.Program, db *database) *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild",
		Short: "Index all postings anew, after the search index was damaged",
		Long: `rebuild empties the search index and indexes all copied postings anew, after a
disk or a memory module has damaged the index. Until it is done searches find
only what is indexed so far. Other processes may run meanwhile. If it is
interrupted, run, refresh or the next rebuild index what is left.`,
		Example: "  jobboard-mirror rebuild --db jobs.db",
		Args:    cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := db.needed(p.Settings.UsesFake()); err != nil {
				return err
			}
			return runRebuild(cmd.Context(), &p.Console, db)
		},
	}
}

func runRebuild(ctx context.Context, c *term.Console, db *database) error {
	m, err := openThere(ctx, db)
	if err != nil {
		return err
	}
	if err := errors.Join(m.Rebuild(ctx), m.Close()); err != nil {
		return err
	}
	c.Out.Line("the search index is rebuilt")
	return c.Out.Err
}
