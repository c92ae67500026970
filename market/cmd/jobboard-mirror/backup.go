package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

func newBackupCommand(p *cli.Program, db *database) *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a whole copy of a SQLite mirror to a new file, while it runs",
		Long: `backup writes a whole copy of a SQLite mirror to a new file, as it is at
one moment, while other processes go on. A copy of the database's file alone
lacks what SQLite keeps in the files beside it. A PostgreSQL server has its own
tools, such as pg_dump.`,
		Example: "  jobboard-mirror backup --db jobs.db jobs-of-today.db",
		Args:    cli.AtMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return setup.Usage("no file is named").Next("jobboard-mirror backup --db jobs.db FILE")
			}
			if err := db.needed(p.Settings.UsesFake()); err != nil {
				return err
			}
			m, err := jobmirror.Open(cmd.Context(), db.address, jobmirror.Options{ReadOnly: true})
			if err != nil {
				return db.openError(err, jobboard.Config{})
			}
			err = errors.Join(m.Backup(cmd.Context(), args[0]), m.Close())
			switch {
			case errors.Is(err, os.ErrExist):
				return setup.Usage("%w", err).Next("name a file that is not there yet")
			case errors.Is(err, errors.ErrUnsupported):
				return setup.Usage("%w", err).Next("a PostgreSQL server has tools of its own, such as pg_dump")
			}
			if err != nil {
				return err
			}
			p.Out.Line("the copy is whole")
			return p.Out.Err
		},
	}
}
