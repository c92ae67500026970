package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/boardcheck"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

type checkFlags struct {
	plan, wrong, like, json, quote bool
	save, junit, feed              string
	rate                           float64
	within                         time.Duration
	target                         conformance.Target // the board's records, from flags
	files                          map[string]*string // paths of files with secrets, by field of the target
}

// targetFlag is a flag for a field of the target that check cannot find itself, or may
// find differently.
type targetFlag struct{ field, help string }

var targetFlags = []targetFlag{
	{"OpenJob", "`job` that the applicant may apply to and has not"},
	{"AppliedJob", "`job` that the applicant has applied to"},
	{"WithdrawnJob", "`job` whose application the applicant has withdrawn"},
	{"InactiveJob", "deactivated `job`"},
	{"DeletedJob", "deleted `job`"},
	{"UnknownJob", "`job` that never was"},
	{"UnpublishedJob", "`job` without a posting"},
	{"InternalJob", "`job` for internal applicants, which this one is not"},
	{"OtherCompanyJob", "`job` of a company whose jobs the applicant cannot access"},
	{"ClosedJob", "active `job` that takes no more applications"},
	{"ApplicationID", "`identifier` of the application to --applied-job"},
	{"FailingChannel", "`channel` whose search ends in an error"},
	{"SearchText", "`text` that finds some postings and not all"},
	{"Languages", "two `languages` that some posting is localized to, such as en,de"},
	{"Near", "`circle` with some postings but not all, such as 52.52::13.405::50"},
	{"AdditionalNear", "`circle` with an additional location of --additional-posting alone"},
	{"AdditionalPosting", "`posting` with an additional location in --additional-near"},
	{"UnlocatedPosting", "`posting` without a geolocation"},
}

// secretFlags are flags for files with further tokens.
var secretFlags = []targetFlag{
	{"InternalToken", "`file` with the token of another applicant, who sees --internal-job"},
	{"ExpiredToken", "`file` with a token of the applicant that has expired"},
	{"LookupToken", "`file` with a token for the job information lookup, where that wants one"},
}

// namedOtherwise lists the flags whose names differ from their fields' names.
var namedOtherwise = map[string]string{
	"BaseURL": "--base-url", "JobDBURL": "--jobdb-url", "ClientID": "--client-id", "ClientToken": "--token-file",
	"ApplicantToken": "--user-token-file", "ApplicationID": "--application-id", "FeedURL": "--feed",
	"ClientSecret": "--client-secret-file",
}

// flagOf returns the flag that sets a field of the target.
func flagOf(field string) string {
	if flag, ok := namedOtherwise[field]; ok {
		return flag
	}
	var b strings.Builder
	b.WriteString("-")
	for _, r := range field {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	if strings.HasSuffix(field, "Token") {
		b.WriteString("-file")
	}
	return b.String()
}

func newCheckCommand(p *cli.Program) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Tell whether the board still is what it was",
		Long: `check asks a live board, read-only and with at most 200 requests, judges the
rules of the interface, and compares the shape of the answers with the shape of
last time: the members and their forms, the statuses, codes and content types.
It finds jobs, places, a text and languages by itself, and names a flag for each
value that it cannot find. --plan lists the requests and sends none.

--save FILE keeps the shape, without any value of the board, and merges later
runs into it. --like prints the switches that make a mock server behave like the
board; jobboard-fake -like FILE starts such a server. Only --wrong-credentials
sends credentials that the board refuses, which may raise an alarm there.

The exit code is 8 if the board changed, and 7 if a rule is broken that was not
broken in the file, or if a request had no good answer.`,
		Example: `  jobboard check --fake
  jobboard check --plan
  jobboard check --save board.json --junit check.xml`,
		Args: cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := p.Board(cmd)
			if err != nil {
				return err
			}
			return runCheck(cmd.Context(), &p.Console, b, &f)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.plan, "plan", false, "say what would be sent, and send nothing")
	fl.StringVar(&f.save, "save", "", "compare with the shape in a `file`, and keep it there")
	fl.BoolVar(&f.like, "like", false, "print the switches of a mock server like the board")
	fl.BoolVar(&f.wrong, "wrong-credentials", false, "send credentials that the board refuses, too")
	fl.BoolVar(&f.json, "json", false, "print the report as JSON")
	fl.StringVar(&f.junit, "junit", "", "write the report as JUnit's XML to a `file`")
	fl.BoolVar(&f.quote, "quote", false, "show of broken rules what the board says, which may be personal")
	fl.StringVar(&f.feed, "feed", "", "`address` of a feed, to find jobs in")
	fl.Float64Var(&f.rate, "rate", 5, "most `requests` a second")
	fl.DurationVar(&f.within, "within", 10*time.Minute, "longest `time` for all")
	cmd.MarkFlagsMutuallyExclusive("plan", "like")
	_ = cmd.MarkFlagFilename("save", "json")
	_ = cmd.MarkFlagFilename("junit", "xml")
	f.addTarget(cmd)
	for _, name := range []string{"feed", "rate", "within"} {
		cli.Complete(cmd, name, cli.Nothing)
	}
	return cmd
}

func (f *checkFlags) addTarget(cmd *cobra.Command) {
	target := reflect.ValueOf(&f.target).Elem()
	for _, t := range targetFlags {
		name := strings.TrimPrefix(flagOf(t.field), "--")
		switch v := target.FieldByName(t.field).Addr().Interface().(type) {
		case *int64:
			cmd.Flags().Int64Var(v, name, 0, t.help)
		case *string:
			cmd.Flags().StringVar(v, name, "", t.help)
		case *[]string:
			cmd.Flags().StringSliceVar(v, name, nil, t.help)
		}
		cli.Complete(cmd, name, cli.Nothing)
	}
	f.files = map[string]*string{}
	for _, t := range secretFlags {
		name := strings.TrimPrefix(flagOf(t.field), "--")
		f.files[t.field] = cmd.Flags().String(name, "", t.help)
		_ = cmd.MarkFlagFilename(name)
	}
}

// readSecrets reads the files of secretFlags into the fields of a target.
func (f *checkFlags) readSecrets(target *conformance.Target) error {
	for field, file := range f.files {
		if *file == "" {
			continue
		}
		data, err := os.ReadFile(*file)
		if err != nil {
			return setup.Usage("%s: %w", flagOf(field), err)
		}
		reflect.ValueOf(target).Elem().FieldByName(field).SetString(strings.TrimSpace(string(data)))
	}
	return nil
}

// board builds the boardcheck.Board from the settings and the flags.
func (f *checkFlags) board(b *setup.Board) (boardcheck.Board, error) {
	out := boardcheck.Board{Target: f.target, FeedURL: f.feed, WrongCredentials: f.wrong, Timeout: f.within}
	if f.rate <= 0 {
		return out, setup.Usage("--rate is not above 0")
	}
	if f.within <= 0 {
		return out, setup.Usage("--within is no time such as 10m")
	}
	if len(f.target.Languages) != 0 && len(f.target.Languages) != 2 {
		return out, setup.Usage("--languages names %d, and two are wanted, such as en,de", len(f.target.Languages))
	}
	if _, err := b.NewClient(jobboard.Config{}); err != nil { // only to refuse wrong settings
		return out, err
	}
	if err := f.readSecrets(&out.Target); err != nil {
		return out, err
	}
	t := &out.Target
	t.BaseURL, t.JobDBURL, t.Channel = b.Get(setup.BaseURL), b.Get(setup.JobDBURL), b.Get(setup.Channel)
	t.ApplicantToken = b.Get(setup.UserToken)
	switch b.Credential() {
	case setup.Token:
		t.ClientToken = b.Get(setup.Token)
	case setup.ClientSecret:
		t.ClientID, out.ClientSecret, out.TokenURL = b.Get(setup.ClientID), b.Get(setup.ClientSecret), b.Get(setup.TokenURL)
	case setup.ClientID:
		t.ClientID = b.Get(setup.ClientID)
	}
	if b.Fake != nil && out.FeedURL == "" {
		out.FeedURL = b.Fake.FeedURL
	}
	next, err := b.Transport()
	if err != nil {
		return out, err
	}
	t.HTTPClient = &http.Client{Transport: next}
	out.Limiter = b.Limiter
	if out.Limiter == nil {
		out.Limiter = rate.NewLimiter(rate.Limit(f.rate), 1)
	}
	return out, nil
}

func runCheck(ctx context.Context, c *term.Console, b *setup.Board, f *checkFlags) error {
	board, err := f.board(b)
	if err != nil {
		return err
	}
	if f.plan {
		steps, err := board.Plan()
		if err != nil {
			return setup.Usage("%w", err)
		}
		return f.printPlan(c, steps)
	}
	known, err := f.load()
	if err != nil {
		return err
	}
	knew := maps.Clone(known.Rules)
	report, err := boardcheck.Check(ctx, board)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return setup.Usage("%w", err)
	}
	newly := 0
	for _, r := range report.Rules {
		if r.State == boardcheck.Broken && knew[r.Name] != boardcheck.Broken {
			newly++
		}
	}
	report.Since(known)
	if err := f.write(c, report, known); err != nil {
		return err
	}
	switch {
	case report.Changed():
		return &setup.Error{Code: setup.ExitChanged}
	case len(report.Profile.Rules) == 0:
		return &setup.Error{
			Code: setup.ExitNetwork, Err: errors.New("the board gave no good answer"),
			Hint: "jobboard doctor says what is wrong with the set-up",
		}
	case newly > 0 || len(report.Troubles) > 0:
		return &setup.Error{Code: setup.ExitIncomplete}
	}
	return nil
}

// load returns the profile in the file of --save, or an empty profile if the
// file does not exist. It fails if the files of the flags cannot be written, which would
// otherwise be found once the board was asked, and its answers were lost.
func (f *checkFlags) load() (*boardcheck.Profile, error) {
	if err := f.canWrite(); err != nil {
		return nil, err
	}
	if f.save == "" {
		return &boardcheck.Profile{}, nil
	}
	known, err := boardcheck.Load(f.save)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &boardcheck.Profile{}, nil
	case err != nil:
		return nil, setup.Usage("--save: %w", err)
	}
	return known, nil
}

// canWrite returns a usage error if a file of --save or --junit cannot be written. Both stay as they are.
func (f *checkFlags) canWrite() error {
	if f.save != "" { // a new file takes its place
		tried, err := os.CreateTemp(filepath.Dir(f.save), ".jobboard-*")
		if err == nil {
			err = errors.Join(tried.Close(), os.Remove(tried.Name()))
		}
		if err != nil {
			return setup.Usage("--save: %w", err)
		}
	}
	if f.junit != "" {
		_, err := os.Stat(f.junit)
		missing := errors.Is(err, fs.ErrNotExist)
		file, err := os.OpenFile(f.junit, os.O_WRONLY|os.O_CREATE, 0o666)
		if err == nil {
			err = file.Close()
		}
		if err == nil && missing {
			err = os.Remove(f.junit)
		}
		if err != nil {
			return setup.Usage("--junit: %w", err)
		}
	}
	return nil
}

func (f *checkFlags) write(c *term.Console, r *boardcheck.Report, known *boardcheck.Profile) error {
	if f.save != "" {
		if err := known.Save(f.save); err != nil {
			return fmt.Errorf("--save: %w", err)
		}
	}
	if f.junit != "" {
		file, err := os.Create(f.junit)
		if err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
		if err := errors.Join(r.WriteJUnit(file), file.Close()); err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
	}
	switch {
	case f.like && f.json:
		return term.WriteJSON(c.Out, likeOf(known), true)
	case f.like:
		f.printLike(c, known)
	case f.json:
		return term.WriteJSON(c.Out, r, true)
	default:
		f.print(c, r)
	}
	return c.Out.Err
}
