// Package cli runs a program of commands: it reads the command line, stops on signals,
// reports errors with the next step and an exit code, and provides help and completion.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	EndsItself atomic.Bool // the command bounds its work after the end of its context itself

	began bool // the command line was parsed
}

// New returns a program on the streams of this process. It writes its name before
// each sentence on standard error.
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

// terminalOf describes the terminal behind a stream of this process, if any.
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

// UntilSignal returns a context that ends on SIGINT, or with the cause
// setup.ErrTerminated on SIGTERM. A second signal ends the process at once.
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

// Run runs the program with its arguments and returns the exit code. commands makes the
// commands, below a root command prepared by Root.
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
		// Cobra's help drops the error of a failed write, so take it from the output.
		err = fmt.Errorf("the output cannot be written: %w", p.Out.Err)
		code, hint = setup.ExitUnexpected, "check the disk, or what reads the output"
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
		p.Complain(err, cmp.Or(hint, nextStep(called, code, err)))
	}
	return code
}

// nextStep returns the next step after an error that brings none of its own.
func nextStep(cmd *cobra.Command, code int, err error) string {
	var wrong *setup.Error
	var file *fs.PathError
	switch {
	case errors.As(err, &file):
		return "check the path, and who may read and write there"
	case errors.As(err, &wrong) && wrong.Settings:
		return cmd.Root().Name() + " help settings"
	case code == setup.ExitUsage:
		return cmd.CommandPath() + " --help"
	case code == setup.ExitNetwork:
		return "check the address and the network, and try again later"
	}
	return ""
}

// MaxEnding bounds the time that a command may go on after its context has ended: a read
// or write may block for ever, for example on a silent standard input.
const MaxEnding = 2 * time.Second

// execute runs the command. It returns a nil command if the command is still running
// MaxEnding after its context has ended.
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

// Root prepares the root command with the parts that both programs share: the flags of
// the settings, error messages and the help.
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
	completeSettings(root)
	return root
}

// Group is a heading of the help with its commands.
type Group struct {
	Title    string
	Commands []*cobra.Command
}

// AddGroups adds commands under their headings, and the topics of the help, which list
// the flags of every command: the program adds its own before.
func AddGroups(root *cobra.Command, groups ...Group) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.Title, Title: g.Title})
		for _, c := range g.Commands {
			c.GroupID = g.Title
			root.AddCommand(c)
		}
	}
	root.AddCommand(helpTopics(root.PersistentFlags())...)
}
