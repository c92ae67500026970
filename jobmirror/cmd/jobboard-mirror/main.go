// Command jobboard-mirror keeps a copy of a board's channels and job feeds in a
// database, searches it, tells what changed, and answers in the board's place.
//
//	jobboard-mirror run --fake                                # all of it, with nothing set up
//	jobboard-mirror run -db jobs.db -channel 27828_extern -languages de,en -feed feed.xml -addr 127.0.0.1:8080
//	jobboard-mirror refresh -db jobs.db -channel 27828_extern # once, for a timer
//	jobboard-mirror status -db jobs.db
//	jobboard-mirror search -db jobs.db -near 52.52::13.37::50 nurse
//	jobboard-mirror changes -db jobs.db -follow
//	jobboard-mirror serve -db jobs.db -addr 127.0.0.1:8080    # beside the process that runs
//	jobboard-mirror migrate -db postgres://owner@db/mirror    # by a role that may create tables
//
// The board's addresses and credentials come from JOBBOARD_BASE_URL,
// JOBBOARD_JOBDB_URL, JOBBOARD_CLIENT_ID or JOBBOARD_TOKEN; the database from
// -db or JOBBOARD_MIRROR_DB, so that a password need not stand in a command
// line.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "jobboard-mirror: stopped")
	default:
		fmt.Fprintln(os.Stderr, "jobboard-mirror:", err)
		os.Exit(1)
	}
}

// command is one of the program's.
type command struct {
	name, usage string
	reads       bool // it only reads, beside the process that writes
	opens       bool // it opens the mirror by itself
	run         func(ctx context.Context, p *program) error
}

var commands = []command{
	{"run", "keeps the copy up to date until it is stopped; with -addr it serves it, too", false, false, runMirror},
	{"refresh", "brings the copy up to date once", false, false, refreshMirror},
	{"status", "tells how old the copy is, what is waiting and what fails", true, false, status},
	{"search", "finds postings in the copy: the words that follow", true, false, search},
	{"changes", "tells what changed, as a line of JSON each", true, false, changes},
	{"serve", "answers in the board's place from the copy", true, false, serve},
	{"migrate", "sets up the tables, or brings them up to this version's", false, true, migrate},
}

// run runs the program.
func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	if len(args) > 0 {
		for _, c := range commands {
			if c.name == args[0] {
				return runCommand(ctx, c, args[1:], out, errOut)
			}
		}
	}
	fmt.Fprintln(errOut, "usage: jobboard-mirror COMMAND [FLAG...]")
	for _, c := range commands {
		fmt.Fprintf(errOut, "  %-8s %s\n", c.name, c.usage)
	}
	fmt.Fprintln(errOut, "jobboard-mirror COMMAND -h lists its flags; --fake shows each with nothing set up.")
	if len(args) > 0 && args[0] != "-h" && args[0] != "--help" && args[0] != "help" {
		return fmt.Errorf("no command %q", args[0])
	}
	return flag.ErrHelp
}

func runCommand(ctx context.Context, c command, args []string, out, errOut io.Writer) error {
	p := &program{out: out, errOut: errOut}
	flags := flag.NewFlagSet("jobboard-mirror "+c.name, flag.ContinueOnError)
	flags.SetOutput(errOut)
	p.flags(flags)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errors.New("see -h")
	}
	p.args = flags.Args()
	if c.name != "search" && len(p.args) > 0 {
		return fmt.Errorf("%q: everything is said by flags", p.args[0])
	}
	if !c.opens {
		if err := p.open(ctx, c.reads); err != nil {
			return errors.Join(err, p.close())
		}
	}
	return errors.Join(c.run(ctx, p), p.close())
}
