// Package cli runs a program of commands: it reads the command line, ends with signals,
// tells what went wrong with the next step and the exit code, and explains and completes
// commands and flags.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// Program is one run of a program.
type Program struct {
	term.Console

	Settings   setup.Reader
	EndsItself atomic.Bool // the command has a bound of its own for what it does when it is to end

	began bool // the command line was understood
}

// New returns a program of this process, which writes its name before its sentences.
func New(name string) *Program {
	p := &Program{
		Console: term.Console{
			Name: name, In: os.Stdin, Out: &term.Output{W: os.Stdout}, Err: os.Stderr,
			OutTerminal: terminalOf(os.Stdout), ErrTerminal: terminalOf(os.Stderr), Now: time.Now,
		},
		Settings: setup.Reader{UserAgent: name, Getenv: os.Getenv, Environ: os.Environ},
	}
	if dir, err := os.UserConfigDir(); err == nil {
		p.Settings.DefaultConfig = filepath.Join(dir, "jobboard", "config.toml")
	}
	return p
}

// terminalOf describes where a stream of this process leads.
func terminalOf(f *os.File) term.Terminal {
	fd := int(f.Fd())
	if !xterm.IsTerminal(fd) {
		return term.Terminal{}
	}
	t := term.Terminal{TTY: true, Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := xterm.GetSize(fd); err == nil {
		t.Width = width
	}
	if t.Width <= 0 {
		t.Width = 80
	}
	return t
}

// UntilSignal returns a context that ends with SIGINT or SIGTERM, which is its cause
// then. A second signal ends the process at once.
func UntilSignal() context.Context {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-signals
		signal.Stop(signals)
		if s == syscall.SIGTERM {
			end(setup.ErrTerminated)
		}
		end(nil)
	}()
	return ctx
}

// Board reads the settings for a command, and writes warnings about them to standard error.
func (p *Program) Board(cmd *cobra.Command) (*setup.Board, error) {
	b, err := p.Settings.Read(cmd.Flags())
	if err != nil {
		return nil, err
	}
	for _, w := range b.Warnings {
		p.Note("warning: %s", w)
	}
	return b, nil
}

// Run runs the program with its arguments and returns the exit code. commands makes its
// commands, below one that Root has prepared.
func (p *Program) Run(ctx context.Context, args []string, commands func(*Program) *cobra.Command) int {
	defer p.Settings.Close()
	p.Mask, p.Settings.Log = p.Settings.Secrets.Mask, p.Err
	root := commands(p)
	root.SetArgs(args)
	called, err := p.execute(ctx, root)
	code, hint := setup.ExitOf(err)
	switch {
	case called == nil:
		code = setup.ExitInterrupted
	case err == nil && p.Out.Err == nil:
		return setup.ExitOK
	case p.Out.Err != nil:
		// The error of a failed write may be lost on the way here, as cobra's help loses it.
		err = fmt.Errorf("the output cannot be written: %w", p.Out.Err)
		code, hint = setup.ExitUnexpected, ""
	case !p.began:
		code, hint = setup.ExitUsage, cmp.Or(hint, called.CommandPath()+" --help")
	}
	var quiet *setup.Error
	switch {
	case errors.As(err, &quiet) && quiet.Err == nil:
	case code == setup.ExitInterrupted || ctx.Err() != nil:
		var word string
		code, word = setup.Interruption(ctx)
		fmt.Fprintln(p.Err, p.Name+":", word)
	default:
		p.Complain(err, hint)
	}
	return code
}

// MaxEnding bounds how long a command may go on after its context ended: a read or a write
// may block for ever, such as one of standard input from a program that writes nothing.
const MaxEnding = 2 * time.Second

// execute runs the command. It returns a nil command if that has not ended MaxEnding after
// its context.
func (p *Program) execute(ctx context.Context, root *cobra.Command) (*cobra.Command, error) {
	var called *cobra.Command
	ended := make(chan error, 1)
	go func() {
		var err error
		called, err = root.ExecuteContextC(ctx)
		ended <- err
	}()
	toEnd := ctx.Done()
	var enough <-chan time.Time
	for {
		select {
		case err := <-ended:
			return called, err
		case <-toEnd:
			toEnd = nil
			if !p.EndsItself.Load() {
				enough = time.After(MaxEnding)
			}
		case <-enough:
			return nil, nil
		}
	}
}

// Root prepares the command above all others with what every program has: the flags of
// settings, the words about mistakes, the help and its topics.
func (p *Program) Root(root *cobra.Command) *cobra.Command {
	root.Version = Version()
	root.SilenceErrors, root.SilenceUsage = true, true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.ValidateFlagGroups() != nil {
			return exclusive(cmd.Flags())
		}
		p.began = true
		return nil
	}
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	root.SetVersionTemplate(p.Name + " {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	root.SetUsageFunc(printUsage)
	p.Settings.AddFlags(root.PersistentFlags())
	root.AddCommand(helpTopics(root.PersistentFlags())...)
	return root
}

// Group is a heading of the help with its commands.
type Group struct {
	Title    string
	Commands []*cobra.Command
}

// AddGroups adds commands under their headings.
func AddGroups(root *cobra.Command, groups ...Group) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.Title, Title: g.Title})
		for _, c := range g.Commands {
			c.GroupID = g.Title
			root.AddCommand(c)
		}
	}
}

// AskSecret returns two functions: ask asks on the terminal for a line, which is not shown
// while it is typed; showInput gives the terminal its state back if the program ends in the
// middle of that. Both are nil if standard input is no terminal.
func AskSecret() (ask func(question string) (string, error), showInput func()) {
	in := int(os.Stdin.Fd())
	before, err := xterm.GetState(in)
	if err != nil {
		return nil, nil
	}
	showInput = func() { _ = xterm.Restore(in, before) } // the program ends anyway
	return func(question string) (string, error) {
		state, err := xterm.MakeRaw(in)
		if err != nil {
			return "", err
		}
		line, err := xterm.NewTerminal(struct {
			io.Reader
			io.Writer
		}{os.Stdin, os.Stderr}, "").ReadPassword(question)
		if errors.Is(err, io.EOF) {
			err = context.Canceled // Ctrl-C, which is a key like others meanwhile
		}
		return line, errors.Join(err, xterm.Restore(in, state))
	}, showInput
}
