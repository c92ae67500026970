// Command jobboard asks a job board from the terminal: it searches a channel,
// says what an application to a job needs and whether one is possible, looks up
// a whole feed, watches a channel for changes, and finds out why a set-up does
// not work. With --fake every command runs against an embedded stand-in of the
// service, with nothing set up:
//
//	jobboard search --fake --near Berlin --radius 50
//	jobboard doctor --fake
//
// README.md beside it lists the settings and the exit codes.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/term"
)

func main() {
	if dir, err := os.Getwd(); err == nil {
		if shell := standing(dir, os.Getenv("PWD")); shell != "" {
			_ = os.Chdir(shell) // else the program goes on where it is
		}
	}
	a := &app{process: process{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		outTerminal: newTerminal(os.Stdout), errTerminal: newTerminal(os.Stderr),
		getenv: os.Getenv, now: time.Now,
	}}
	if dir, err := os.UserConfigDir(); err == nil {
		a.defaultConfig = filepath.Join(dir, "jobboard", "config.toml")
	}
	if dir, err := os.UserCacheDir(); err == nil {
		a.memory = filepath.Join(dir, "jobboard", "last-search.json")
	}
	if state, err := term.GetState(int(os.Stdin.Fd())); err == nil {
		a.askSecret = askSecret
		a.showInput = func() { _ = term.Restore(int(os.Stdin.Fd()), state) } // the program ends anyway
	}
	os.Exit(a.run(untilSignal(), os.Args[1:]))
}

// untilSignal returns a context that ends with SIGINT or SIGTERM, which is its cause
// then. A second signal ends the program at once.
func untilSignal() context.Context {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-signals
		signal.Stop(signals)
		if s == syscall.SIGTERM {
			end(errTerminated)
		}
		end(nil)
	}()
	return ctx
}

// newTerminal returns what a stream of this process leads to.
func newTerminal(f *os.File) terminal {
	fd := int(f.Fd())
	if !term.IsTerminal(fd) {
		return terminal{}
	}
	t := terminal{tty: true, color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(fd); err == nil {
		t.width = width
	}
	if t.width <= 0 {
		t.width = 80
	}
	return t
}

// askSecret asks on the terminal for a line, and shows none of it. Nothing is shown
// from before the question on.
func askSecret(question string) (string, error) {
	in := int(os.Stdin.Fd())
	state, err := term.MakeRaw(in)
	if err != nil {
		return "", err
	}
	line, err := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{os.Stdin, os.Stderr}, "").ReadPassword(question)
	if errors.Is(err, io.EOF) {
		err = context.Canceled // Ctrl-C, which is a key like others meanwhile
	}
	return line, errors.Join(err, term.Restore(in, state))
}
