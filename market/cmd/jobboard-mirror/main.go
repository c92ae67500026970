// Command jobboard-mirror keeps a copy of a board's channels and job feeds in a
// database, searches it, lists its changes, and answers requests in the board's
// place.
//
//	jobboard-mirror run --fake                             # everything, with nothing set up
//	jobboard-mirror run --db jobs.db --channels 27828_extern --languages de,en --feed feed.xml --addr 127.0.0.1:8080
//	jobboard-mirror refresh --db jobs.db --channels 27828_extern # once, for a timer
//	jobboard-mirror status --db jobs.db
//	jobboard-mirror search --db jobs.db --near Berlin --radius 50 nurse
//	jobboard-mirror changes --db jobs.db --follow
//	jobboard-mirror serve --db jobs.db --addr 127.0.0.1:8080  # beside the process that runs
//	jobboard-mirror migrate --db postgres://owner@db/mirror   # with a role that may create tables
//	jobboard-mirror backup --db jobs.db jobs-of-today.db      # while it runs
//	jobboard-mirror doctor --db jobs.db                       # says what is wrong
//	jobboard-mirror rebuild --db jobs.db                      # indexes all postings anew
//	jobboard-mirror forget --db jobs.db --job 12345           # erases it for good
//
// The board's addresses and credentials are the settings of the command jobboard. The
// database comes from --db or JOBBOARD_MIRROR_DB, so that the command line need not
// contain a password.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
)

func main() {
	p := cli.New("jobboard-mirror")
	os.Exit(p.Run(cli.UntilSignal(), os.Args[1:], commands))
}

// commands makes the commands.
func commands(p *cli.Program) *cobra.Command {
	root := p.Root(&cobra.Command{
		Use:   "jobboard-mirror",
		Short: "Keep a copy of channels and feeds: searched, and kept right",
		Long: `jobboard-mirror keeps a copy of a board's channels and job feeds in a database,
searches it, tells what changed, and answers in the board's place. With --fake
it copies an embedded mock server of the service, with nothing set up.`,
		Example: "jobboard-mirror search --fake --near Berlin --radius 50 nurse",
	})
	const flags = "--db, --fake, --channel, --language"
	db := addDatabaseFlag(root, p.Settings.Getenv)
	cli.AddGroups(root,
		cli.Group{Title: "Keep the copy", Commands: cli.AsksService(flags, newRunCommand(p, db), newRefreshCommand(p, db))},
		cli.Group{Title: "Read it", Commands: cli.AsksService(flags, newSearchCommand(p, db), newChangesCommand(p, db),
			newServeCommand(p, db))},
		cli.Group{Title: "Look after it", Commands: cli.AsksService(flags, newStatusCommand(p, db), newDoctorCommand(p, db),
			newMigrateCommand(p, db), newBackupCommand(p, db), newRebuildCommand(p, db), newForgetCommand(p, db))},
		cli.Group{Title: "Beside it", Commands: []*cobra.Command{
			cli.CompletionCommand(&p.Console), cli.VersionCommand(&p.Console),
		}},
	)
	return root
}
