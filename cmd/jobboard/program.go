package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// program is one of this project that stands in a module of its own, since it
// needs what most users of the command do not.
type program struct {
	name, short string
	source      string // how it is run in a checkout
	install     string // how it gets onto the PATH
}

var programs = []program{
	{
		name: "mirror", short: "A copy of channels and feeds, kept up to date and searched",
		source:  "go -C jobmirror run ./cmd/jobboard-mirror",
		install: "go install github.com/jobboard-sdk/jobboard-go/jobmirror/cmd/jobboard-mirror@latest",
	},
	{
		name: "site", short: "A marketplace of jobs to look at and to start from",
		source:  "go -C examples/site run .",
		install: "go -C examples/site build -o \"$(go env GOPATH)/bin/jobboard-site\" .",
	},
}

func (p program) binary() string { return "jobboard-" + p.name }

// programCommand runs a program of its own, found as git finds git-NAME.
func (a *app) programCommand(p program) *cobra.Command {
	return &cobra.Command{
		Use:   p.name + " [ARGUMENT...]",
		Short: p.short,
		Long: p.name + " runs " + p.binary() + ` of the PATH with the same arguments and
environment. It is a module of its own. In a checkout it runs with

  ` + p.source + `

and it gets onto the PATH with

  ` + p.install,
		DisableFlagsInUseLine: true,
		DisableFlagParsing:    true,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := exec.LookPath(p.binary())
			if err != nil {
				if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
					return cmd.Help()
				}
				return usage("%s is not on the PATH", p.binary()).
					next("in a checkout: " + p.source + "\njobboard help " + p.name + " says how to install it")
			}
			a.endsItself.Store(true)
			child := exec.CommandContext(cmd.Context(), path, args...)
			child.Stdin, child.Stdout, child.Stderr = a.stdin, a.stdout, a.stderr
			child.Cancel = func() error {
				a.passOn(cmd.Context(), child.Process)
				return os.ErrProcessDone // how it ends is told by its own exit code
			}
			child.WaitDelay = 10 * time.Second
			err = child.Run()
			var ended *exec.ExitError
			if errors.As(err, &ended) && ended.ExitCode() > 0 {
				return &exitError{code: ended.ExitCode()}
			}
			return err
		},
	}
}

// passOn tells a program to end as this one was told. What a terminal interrupts it
// interrupts together; a second signal would end the program at once.
func (a *app) passOn(ctx context.Context, child *os.Process) {
	switch code, _ := interruption(ctx); {
	case code == exitTerminated:
		_ = child.Signal(syscall.SIGTERM) // it may have ended
	case a.askSecret == nil:
		_ = child.Signal(os.Interrupt)
	}
}
