package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// app is one run of the program. What it has of the process is in fields, so
// that a test can be any process.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	outTerminal, errTerminal terminal

	getenv        func(string) string
	now           func() time.Time
	defaultConfig string // path of the configuration file; empty: none

	startFake func() *jobboardtest.Server // nil: with sockets and the demo
	transport http.RoundTripper           // nil: the library's

	flags    flagValues
	settings settings
	fake     *jobboardtest.Server
	began    bool // the command line was understood
}

// run is the program; it gives the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	defer a.close()
	out := &output{w: a.stdout}
	a.stdout = out
	root := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil && out.err == nil {
		return exitOK
	}
	code, hint := exitOf(err)
	switch {
	case out.err != nil:
		// Not everything that prints says so, least of all help.
		err = fmt.Errorf("the output cannot be written: %w", out.err)
		code, hint = exitUnexpected, ""
	case !a.began:
		code = exitUsage
		if hint == "" {
			hint = "jobboard --help"
		}
	}
	var quiet *exitError
	switch {
	case errors.As(err, &quiet) && quiet.err == nil:
	case code == exitInterrupted || ctx.Err() != nil:
		code = exitInterrupted
		fmt.Fprintln(a.stderr, "jobboard: interrupted")
	default:
		text := strings.TrimPrefix(err.Error(), "jobboard: ")
		for i, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }) {
			start := "jobboard:"
			if i > 0 {
				start = strings.Repeat(" ", len(start))
			}
			fmt.Fprintln(a.stderr, start, a.masked(printable(line)))
		}
		if hint != "" {
			fmt.Fprintln(a.stderr, a.errTerminal.paint(faint, "next: "+hint))
		}
	}
	return code
}

// output is standard output, and remembers the first error.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

func (a *app) close() {
	if a.fake != nil {
		a.fake.Close()
	}
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "jobboard",
		Short: "Ask a job board: search, look up, watch, and find out why it does not work",
		Long: `jobboard asks a recruiting job board: it searches the postings of a channel,
says what an application to a job needs and whether one is possible, looks up
every job of a feed, and watches a channel for changes.

Try it with nothing set up, against the embedded stand-in of the service:

  jobboard search --fake --near 52.52,13.405 --radius 50

` + settingsHelp + "\n\n" + exitHelp,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmd.ValidateFlagGroups(); err != nil {
				return err
			}
			a.began = true
			if !needsSettings(cmd) {
				return nil
			}
			return a.readSettings(cmd)
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetVersionTemplate("jobboard {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		hint := ""
		for _, secret := range []string{"token", "secret", "password"} {
			if strings.Contains(err.Error(), secret) {
				hint = "secrets have no flag, because a command line can be read by others: set JOBBOARD_TOKEN, JOBBOARD_USER_TOKEN or JOBBOARD_CLIENT_SECRET, or name a file with --token-file, --user-token-file or --client-secret-file"
			}
		}
		return &exitError{code: exitUsage, err: err, hint: hint}
	})
	a.addSettingsFlags(root.PersistentFlags())
	root.AddCommand(
		a.searchCommand(), a.infoCommand(), a.statusCommand(), a.applyFormCommand(),
		a.feedCommand(), a.watchCommand(), a.doctorCommand(), a.fakeCommand(), a.mcpCommand(),
	)
	root.InitDefaultCompletionCmd()
	needShell(root)
	return root
}

// needShell makes completion without the name of a shell that it knows a
// mistake, instead of help that ends in somebody's profile.
func needShell(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = cobra.NoArgs
			c.RunE = func(*cobra.Command, []string) error { return usage("name a shell: bash, zsh, fish or powershell") }
		}
	}
}

// needsSettings: help, completion and the fake need no service; mcp reads the
// settings when it needs them.
func needsSettings(cmd *cobra.Command) bool {
	for c := cmd; c != nil; c = c.Parent() {
		switch c.Name() {
		case "completion", "help", "fake", "mcp", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
			return false
		}
	}
	return cmd.HasParent()
}

// version is the module's version and the commit it was built from, as far as
// the build says so.
func version() string {
	v, revision, changed := "(unknown)", "", false
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			v = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value[:min(12, len(s.Value))]
			case "vcs.modified":
				changed = s.Value == "true"
			}
		}
	}
	details := fmt.Sprintf("%s, %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if revision != "" {
		if changed {
			revision += ", changed"
		}
		details = "commit " + revision + ", " + details
	}
	return v + " (" + details + ")"
}

// logger writes the library's records to standard error where --debug asks.
func (a *app) logger() *slog.Logger {
	if !a.flags.debug {
		return nil
	}
	return slog.New(slog.NewTextHandler(maskedWriter{a}, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// maskedWriter is standard error without the secrets in hand, should the
// service have put one where nobody expects it.
type maskedWriter struct{ a *app }

func (w maskedWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.a.stderr, w.a.masked(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// masked is a text without the secrets in hand.
func (a *app) masked(s string) string {
	for _, secret := range a.settings.secrets() {
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, "***")
		}
	}
	return s
}
