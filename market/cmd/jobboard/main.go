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
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
)

func main() {
	j := &jobboardProgram{Program: cli.New("jobboard"), memory: memoryPath()}
	j.keyboard.askSecret, j.keyboard.showInput = cli.AskSecret()
	os.Exit(j.Run(cli.UntilSignal(), os.Args[1:], j.commands))
}

// jobboardProgram is one run of the program.
type jobboardProgram struct {
	*cli.Program
	keyboard keyboard
	memory   string // path of the file with the last search, for completion; empty: none
}

// memoryPath returns the path of the file with the last search. It returns "" if the
// system has no cache folder, rather than write into the working directory.
func memoryPath() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "jobboard", "last-search.json")
}

// commands makes the commands.
func (j *jobboardProgram) commands(p *cli.Program) *cobra.Command {
	root := p.Root(&cobra.Command{
		Use:   "jobboard",
		Short: "Ask a job board: search, look up, watch, and find out why it does not work",
		Long: `jobboard asks a recruiting job board: it searches the postings of a channel,
says what an application to a job needs and whether one is possible, looks up
every job of a feed, and watches a channel for changes.

Try it with nothing set up, against the embedded mock server of the service:

  jobboard search --fake --near Berlin --radius 50`,
	})
	const flags = "--fake, --channel"
	known := &lastSearch{path: j.memory, settings: &p.Settings}
	asking := cli.AsksService(flags, newSearchCommand(p, known), newFeedCommand(p), newWatchCommand(p, known),
		newInfoCommand(p, known), newStatusCommand(p, known))
	doctor := cli.AsksService(flags, newDoctorCommand(p), newCheckCommand(p))
	setUp := append([]*cobra.Command{newInitCommand(p, j.keyboard)}, doctor...)
	beside := append([]*cobra.Command{newFakeCommand(p)}, cli.AsksService(flags, newAssistantCommand(p))...)
	cli.AddGroups(root,
		cli.Group{Title: "Ask the service:", Commands: asking},
		cli.Group{Title: "Set up:", Commands: append(setUp, cli.CompletionCommand(&p.Console, completionOffers),
			cli.VersionCommand(&p.Console))},
		cli.Group{Title: "Beside it:", Commands: beside},
	)
	known.completeSettings(root)
	return root
}
