// Command jobboard asks a job board from the terminal: it searches a channel,
// shows whether one may apply to a job and which questions to answer, looks up
// all jobs of a feed, watches a channel for changes, and diagnoses a broken
// set-up. With --fake every command runs against an embedded mock server of the
// service, with nothing set up:
//
//	jobboard search --fake --near Berlin --radius 50
//	jobboard doctor --fake
//
// README.md beside it lists the settings and the exit codes.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
)

func main() {
	os.Exit(cli.New("jobboard").Run(cli.UntilSignal(), os.Args[1:], commands))
}

// commands makes the commands.
func commands(p *cli.Program) *cobra.Command {
	root := p.Root(&cobra.Command{
		Use:   "jobboard",
		Short: "Ask a job board: search, look up, watch, and find out why it does not work",
		Long: `jobboard asks a recruiting job board: it searches the postings of a channel,
says what an application to a job needs and whether one is possible, looks up
every job of a feed, and watches a channel for changes. With --fake it asks an
embedded mock server of the service, with nothing set up.`,
		Example: `jobboard search --fake --near Berlin --radius 50
jobboard doctor --fake`,
	})
	const flags = "--fake, --channel"
	asking := cli.AsksService(flags, newSearchCommand(p), newFeedCommand(p), newWatchCommand(p), newInfoCommand(p), newStatusCommand(p))
	setUp := cli.AsksService(flags, newDoctorCommand(p), newCheckCommand(p))
	beside := cli.AsksService(flags, newAssistantCommand(p))
	cli.AddGroups(root,
		cli.Group{Title: "Ask the service", Commands: asking},
		cli.Group{Title: "Set up", Commands: append(setUp, cli.CompletionCommand(&p.Console), cli.VersionCommand(&p.Console))},
		cli.Group{Title: "Beside it", Commands: beside},
	)
	return root
}
