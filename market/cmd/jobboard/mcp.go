package main

import (
	"context"
	_ "embed"
	"errors"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/doctor"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

// The bounds of the requests that an assistant causes.
const (
	requestRate = 5 // requests a second, after a burst of requestMost
	requestMost = 20
)

func newAssistantCommand(p *cli.Program) *cobra.Command {
	var state string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an assistant, which may then search and look up",
		Long: `mcp serves the Model Context Protocol on standard input and output, for the
program of an assistant to start. The assistant gets tools that only read:
search jobs, job information, may I apply, check answers, what changed, doctor;
and two pages: what their results mean, and the settings. None of them changes
anything.

Credentials come from the settings as for the other commands. The assistant
never sees them. Texts of advertisements and questions are handed over as plain
text, cut, and marked as what others wrote.

Settings are read when the first tool is used, and again after they lacked
something, a credential was refused or doctor was used. Standard output carries
the protocol alone; --debug logs to standard error. It ends with its input, or
at a line that is no message, and first answers what it was asked.`,
		Example: "  jobboard mcp --fake",
		Args:    cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p.Settings.Limiter = rate.NewLimiter(requestRate, requestMost)
			b := &assistantBoard{read: func() (*setup.Board, error) { return p.Board(cmd) }}
			return runAssistant(cmd.Context(), p, b, state)
		},
	}
	cmd.Flags().StringVar(&state, "state", "", "`file` of jobboard watch --state, for what changed since; it is not written")
	return cmd
}

// runAssistant answers until the input or ctx ends, and then returns nil. Before the first
// tool call it neither reads settings nor sends requests.
func runAssistant(ctx context.Context, p *cli.Program, b *assistantBoard, state string) error {
	server := jobmcp.NewServer(nil, jobmcp.Options{
		Version: cli.Version(), Logger: p.Settings.Logger(), Mask: p.Mask, Pages: pages(),
		Rate:   -1, // the client has a limiter, which also counts retries
		Open:   b.open,
		Failed: b.failed,
		NextStep: func(err error) string {
			if errors.Is(err, jobmcp.ErrNoChannel) {
				err = setup.Missing(setup.Channel)
			}
			_, next := setup.ExitOf(err)
			return next
		},
		SignIn: "for a certain answer a person sets JOBBOARD_USER_TOKEN, or names a file with JOBBOARD_USER_TOKEN_FILE",
		Kept:   func() (*snapshot.Snapshot, error) { return loadState(state) },
		Doctor: func(ctx context.Context) ([]jobmcp.Finding, error) {
			board, err := b.board()
			if err != nil {
				return nil, err
			}
			report, err := doctor.Examine(ctx, &p.Console, board)
			if err != nil {
				return nil, err
			}
			b.forget() // the person may correct the settings after this report
			var findings []jobmcp.Finding
			for _, f := range report.Findings {
				findings = append(findings, jobmcp.Finding{
					Check: f.Check, Verdict: string(f.Verdict), Detail: f.Detail, Next: f.Next,
				})
			}
			return findings, nil
		},
	})
	return server.Serve(ctx, p.In, p.Out)
}

// assistantBoard reads the settings for an assistant's tools once, and again after forget.
type assistantBoard struct {
	read func() (*setup.Board, error)

	mu      sync.Mutex
	current *setup.Board // nil: read the settings at the next call
}

func (a *assistantBoard) board() (*setup.Board, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.current != nil {
		return a.current, nil
	}
	b, err := a.read()
	if err == nil {
		a.current = b
	}
	return b, err
}

func (a *assistantBoard) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.current = nil
}

// failed forgets the settings after an error about missing settings or a refused
// credential: before the next call a person may have added the missing value to a file.
func (a *assistantBoard) failed(err error) {
	var lacking *setup.Error
	code, _ := setup.ExitOf(err)
	incomplete := errors.As(err, &lacking) && lacking.Settings || errors.Is(err, jobmcp.ErrNoChannel)
	if code == setup.ExitCredential || incomplete {
		a.forget()
	}
}

// open returns the board for a tool call. It fails if the settings are wrong or lack a
// value that the tool needs.
func (a *assistantBoard) open(_ context.Context, need jobmcp.Need) (jobmcp.Board, error) {
	b, err := a.board()
	if err != nil {
		return jobmcp.Board{}, err
	}
	needed := []string{setup.JobDBURL}
	signedIn := b.Get(setup.UserToken) != ""
	switch {
	case need == jobmcp.NeedSearch:
		needed = []string{setup.BaseURL}
	case need == jobmcp.NeedApplicant && signedIn:
		needed = append(needed, setup.BaseURL)
	}
	c, err := b.ClientFor(needed...)
	if err != nil {
		return jobmcp.Board{}, err
	}
	board := jobmcp.Board{Client: c, Channel: jobboard.ChannelID(b.Get(setup.Channel))}
	if signedIn {
		board.Applicant = b.Applicant(c)
	}
	if need == jobmcp.NeedSearch {
		if _, err := b.Searches(c); err != nil {
			return board, err
		}
		board.SearchAsApplicant = b.Credential() == setup.UserToken
	}
	return board, nil
}

//go:embed README.md
var readme string

//go:embed applying.md
var applying string

// pages returns what an applicant's assistant reads: what the results mean, and how the
// person sets up the command.
func pages() []jobmcp.Page {
	return []jobmcp.Page{
		{URI: "jobboard://applying", Name: "applying", Text: applying},
		{URI: "jobboard://command", Name: "command", Text: readme},
	}
}
