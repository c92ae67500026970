package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/boardcheck"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

type checkFlags struct {
	plan                      bool
	save, junit, feed         string
	channels, languages, jobs []string
}

// longest bounds the time for all calls of a check.
const longest = 10 * time.Minute

func newCheckCommand(p *cli.Program) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Tell whether programs still read the board as they did",
		Long: `check asks a live board, read-only and with at most 150 requests, as a program
with this SDK does. It compares outcomes and shapes of the answers with those
of earlier nights: what cannot be read any more, statuses and media types,
members and their types, whether text, circle and language still matter.
--plan lists the calls and makes none.

--save FILE keeps what it found, without any value of the board. A change is
told once; then it is part of the file. What is new and harmless is a note on
standard error.

The exit code is 8 if the board changed, 7 if calls say nothing about the
board, such as those of an outage or with a token that has ended, and 6 if no
call was answered.`,
		Example: `  jobboard check --fake
  jobboard check --plan
  jobboard check --save board.json --languages en,de --junit check.xml`,
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
	fl.StringVar(&f.save, "save", "", "compare with earlier nights in a `file`, and add this one to it")
	fl.StringVar(&f.junit, "junit", "", "write the report as JUnit's XML to a `file`")
	fl.StringVar(&f.feed, "feed", "", "`address` of the feed, which is read too")
	fl.StringSliceVar(&f.channels, "channels", nil, "`channels` to search, in place of --channel")
	fl.StringSliceVar(&f.languages, "languages", nil, "`languages` to search in, such as en,de")
	fl.StringSliceVar(&f.jobs, "jobs", nil, "`jobs` to look up in any case")
	_ = cmd.MarkFlagFilename("save", "json")
	_ = cmd.MarkFlagFilename("junit", "xml")
	for _, name := range []string{"feed", "channels", "languages", "jobs"} {
		cli.Complete(cmd, name, cli.Nothing)
	}
	return cmd
}

// board builds the boardcheck.Board from the settings and the flags.
func (f *checkFlags) board(b *setup.Board) (boardcheck.Board, error) {
	out := boardcheck.Board{Languages: f.languages, FeedURL: f.feed}
	if _, err := b.NewClient(jobboard.Config{}); err != nil { // its errors name the settings
		return out, err
	}
	cfg, err := b.Config(jobboard.Config{})
	if err != nil {
		return out, err
	}
	if user := b.Get(setup.UserToken); user != "" && cfg.BaseURL != "" {
		out.Applicant = jobboard.StaticToken(user)
		if b.Credential() == setup.UserToken {
			cfg.TokenSource = out.Applicant
		}
	}
	out.Config = cfg
	channels := f.channels
	if channel := b.Get(setup.Channel); len(channels) == 0 && channel != "" && cfg.BaseURL != "" {
		channels = []string{channel}
	}
	for _, c := range channels {
		out.Channels = append(out.Channels, jobboard.ChannelID(c))
	}
	for _, text := range f.jobs {
		job, err := jobboard.ParseJobID(text)
		if err != nil {
			return out, setup.Usage("--jobs: %w", err)
		}
		out.Jobs = append(out.Jobs, job)
	}
	if b.Fake != nil && out.FeedURL == "" {
		out.FeedURL = b.Fake.FeedURL
	}
	return out, nil
}

func runCheck(ctx context.Context, c *term.Console, b *setup.Board, f *checkFlags) error {
	board, err := f.board(b)
	if err != nil {
		return err
	}
	steps, err := board.Plan()
	if err != nil {
		return setup.Usage("%w", err)
	}
	if f.plan {
		return printPlan(c, steps)
	}
	known, err := f.load()
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	report, err := boardcheck.Check(within, board)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return setup.Usage("%w", err)
	}
	report.Since(known)
	if err := f.write(c, report, known); err != nil {
		return err
	}
	switch {
	case len(report.Changes) > 0:
		return &setup.Error{Code: setup.ExitChanged}
	case !report.Answered:
		return &setup.Error{
			Code: setup.ExitNetwork, Err: errors.New("no call was answered"),
			Hint: "jobboard doctor says what is wrong with the set-up",
		}
	case len(report.Unjudged) > 0:
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
	if f.save != "" && r.Answered {
		if err := known.Save(f.save); err != nil {
			return fmt.Errorf("--save: %w", err)
		}
	}
	if f.junit != "" {
		file, err := os.Create(f.junit)
		if err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
		if err := errors.Join(writeCheckJUnit(file, r), file.Close()); err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
	}
	for _, x := range r.Notes {
		c.Note("note: %s", x)
	}
	printReport(c, r)
	return c.Out.Err
}
