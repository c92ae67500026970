package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/redact"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// process is what the program has of its process. A test can be any.
type process struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	outTerminal, errTerminal terminal

	getenv        func(string) string
	now           func() time.Time
	defaultConfig string                                // path of the configuration file; empty: none
	memory        string                                // path of what the last search told, for completion; empty: none
	askSecret     func(question string) (string, error) // for a line that is not shown; nil: nobody to ask
	showInput     func()                                // ends that

	startFake func() *jobboardtest.Server // nil: with sockets and the demo
	transport http.RoundTripper           // nil: the library's
}

// app is one run of the program.
type app struct {
	process

	flags    flagValues
	settings settings
	client   func() (*jobboard.Client, error) // of the settings, always the same one
	limiter  jobboard.Limiter                 // of that client
	out      *output                          // standard output
	secrets  *secretList                      // that must not be shown
	fake     *jobboardtest.Server
	began    bool // the command line was understood

	endsItself atomic.Bool // the command has a bound of its own for what it does when it is to end
}

// run is the program; it gives the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	defer a.close()
	a.secrets = &secretList{}
	a.out = &output{w: a.stdout}
	root := a.command()
	root.SetArgs(args)
	called, err := a.execute(ctx, root)
	code, hint := exitOf(err)
	switch {
	case called == nil:
		code = exitInterrupted
	case err == nil && a.out.err == nil:
		return exitOK
	case a.out.err != nil:
		// The error of a failed write may be lost on the way here, as cobra's help loses it.
		err = fmt.Errorf("the output cannot be written: %w", a.out.err)
		code, hint = exitUnexpected, ""
	case !a.began:
		code, hint = exitUsage, cmp.Or(hint, called.CommandPath()+" --help")
	}
	var quiet *exitError
	switch {
	case errors.As(err, &quiet) && quiet.err == nil:
	case code == exitInterrupted || ctx.Err() != nil:
		var word string
		code, word = interruption(ctx)
		fmt.Fprintln(a.stderr, "jobboard:", word)
	default:
		a.complain(err, hint)
	}
	return code
}

// maxEnding is how long a command may go on after ctx ended. What it reads or writes
// may keep it for ever, such as standard input from a program that says nothing.
const maxEnding = 2 * time.Second

// execute runs the command. It returns nil for one that did not end when it was to.
func (a *app) execute(ctx context.Context, root *cobra.Command) (*cobra.Command, error) {
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
			if !a.endsItself.Load() {
				enough = time.After(maxEnding)
			}
		case <-enough:
			return nil, nil
		}
	}
}

// complain writes an error and the next step to standard error.
func (a *app) complain(err error, hint string) {
	prefix := "jobboard: "
	for line := range strings.SplitSeq(strings.TrimPrefix(err.Error(), prefix), "\n") {
		if line = a.masked(printable(line)); line == "" {
			continue
		}
		a.errTerminal.say(a.stderr, prefix, line)
		prefix = strings.Repeat(" ", len(prefix))
	}
	if hint == "" {
		return
	}
	start := "next: "
	for sentence := range strings.SplitSeq(hint, "\n") {
		sentence = start + a.errTerminal.wrapped(sentence, len(start))
		for line := range strings.SplitSeq(sentence, "\n") {
			fmt.Fprintln(a.stderr, a.errTerminal.paint(faint, line))
		}
		start = strings.Repeat(" ", len(start))
	}
}

// note tells on standard error what went on beside the output.
func (a *app) note(format string, args ...any) {
	a.errTerminal.say(a.stderr, "jobboard: ", fmt.Sprintf(format, args...))
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

  jobboard search --fake --near Berlin --radius 50`,
		Version:           version(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.ValidateFlagGroups() != nil {
				return exclusive(cmd.Flags())
			}
			a.began = true
			return nil
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.out)
	root.SetErr(a.stderr)
	root.SetVersionTemplate("jobboard {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	root.SetUsageFunc(printUsage)
	a.addSettingsFlags(root.PersistentFlags())
	const ask, setUp, beside = "ask", "set up", "beside"
	root.AddGroup(
		&cobra.Group{ID: ask, Title: "Ask the service:"},
		&cobra.Group{ID: setUp, Title: "Set up:"},
		&cobra.Group{ID: beside, Title: "Beside it:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	doctor := a.doctorCommand()
	asking := []*cobra.Command{
		a.searchCommand(), a.feedCommand(), a.watchCommand(), a.infoCommand(), a.statusCommand(), a.applyFormCommand(),
	}
	for _, c := range append(asking, doctor) {
		c.PreRunE = a.readSettings
	}
	add(ask, asking...)
	add(setUp, a.initCommand(), doctor, a.completionCommand(), a.versionCommand())
	add(beside, a.fakeCommand(), a.mcpCommand())
	for _, p := range programs {
		add(beside, a.programCommand(p))
	}
	root.AddCommand(helpTopics(root.PersistentFlags())...)
	a.completeSettings(root)
	return root
}

// atMost refuses what a command has no use for.
func atMost(n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > n {
			return usage("one argument too many: %q", args[n])
		}
		return nil
	}
}

// exclusive names the flags of a line that exclude each other.
func exclusive(flags *pflag.FlagSet) error {
	var names []string
	flags.Visit(func(f *pflag.Flag) {
		if f.Annotations["cobra_annotation_mutually_exclusive"] != nil {
			names = append(names, "--"+f.Name)
		}
	})
	return usage("%s exclude each other", strings.Join(names, " and "))
}

// valueKinds are the kinds of a flag's value that can be written wrong.
var valueKinds = map[string]string{
	"bool": "true or false", "int": "a whole number", "float64": "a number", "duration": "a time such as 10s",
}

// flagError says what is wrong with a flag, which one may be meant, and why there
// is none for a secret.
func flagError(cmd *cobra.Command, err error) error {
	failed := &exitError{code: exitUsage, err: err}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		flag := invalid.GetFlag()
		failed.err = fmt.Errorf("--%s: %q is not %s", flag.Name, invalid.GetValue(), valueKinds[flag.Value.Type()])
		return failed
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return failed
	}
	// Cobra compares the names of commands with what was typed, and not of flags.
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	name := unknown.GetSpecifiedName()
	for _, secret := range []string{"token", "secret", "password"} {
		if strings.Contains(name, secret) {
			failed.hint = "secrets have no flag, because a command line can be read by others: set JOBBOARD_TOKEN, JOBBOARD_USER_TOKEN or JOBBOARD_CLIENT_SECRET, or name a file with --token-file, --user-token-file or --client-secret-file"
			return failed
		}
	}
	if similar := names.SuggestionsFor(name); len(similar) > 0 && len(name) > 1 {
		failed.err = fmt.Errorf("%w; is it --%s?", err, strings.Join(similar, " or --"))
	}
	return failed
}

// logger writes the library's records to standard error where --debug asks.
func (a *app) logger() *slog.Logger {
	if !a.flags.debug {
		return nil
	}
	return slog.New(slog.NewTextHandler(maskedWriter{a}, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// secretList holds the secrets that must not be shown. Several goroutines may use it.
type secretList struct {
	mu      sync.Mutex
	set     []string // by the settings
	fetched []string // the newest last
}

// mostFetched bounds the tokens that a server for an assistant remembers: it may run
// for weeks.
const mostFetched = 1000

func (l *secretList) addSet(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if secret != "" && !slices.Contains(l.set, secret) {
		l.set = append(l.set, secret)
	}
}

func (l *secretList) addFetched(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if token != "" && !slices.Contains(l.fetched, token) {
		l.fetched = append(l.fetched[max(0, len(l.fetched)+1-mostFetched):], token)
	}
}

func (l *secretList) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Concat(l.set, l.fetched)
}

// maskedWriter writes to standard error without the secrets in hand, should the
// service have put one where nobody expects it.
type maskedWriter struct{ a *app }

func (w maskedWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.a.stderr, w.a.masked(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// masked returns a text without the secrets in hand, however they are quoted there.
func (a *app) masked(s string) string { return redact.Hide(s, a.secrets.all()) }
