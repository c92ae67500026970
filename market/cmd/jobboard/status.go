package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp"
)

func newStatusCommand(p *cli.Program) *cobra.Command {
	var f statusFlags
	cmd := &cobra.Command{
		Use:   "status [JOB]",
		Short: "Say whether the applicant may apply to a job, and why",
		Long: `status asks the job information, the applied check and the application lookup,
and decides from the answers. It needs an applicant's token.

It ends with 0 where the applicant may apply, with 4 where not: applied already,
closed, not visible, gone. If too few of the calls are answered to decide, it
ends with the code of the failure.`,
		Example:           "  jobboard status --fake\n  JOBBOARD_USER_TOKEN=... jobboard status 2797227",
		Args:              cli.AtMost(1),
		ValidArgsFunction: cli.Nothing,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := p.Board(cmd)
			if err != nil {
				return err
			}
			return runStatus(cmd.Context(), &p.Console, b, args, f)
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print decision and sources as JSON")
	cmd.Flags().BoolVar(&f.nationalities, "nationalities", false, "print the job's nationalities, too, with --json")
	return cmd
}

func runStatus(ctx context.Context, c *term.Console, b *setup.Board, args []string, f statusFlags) error {
	if f.nationalities && !f.json {
		return setup.Usage("--nationalities is for --json").Next("jobboard info says how many there are, and lists them with --json")
	}
	p, undecided := b.Precheck(ctx, args)
	if p.Job == 0 || ctx.Err() != nil {
		return cmp.Or(ctx.Err(), undecided)
	}
	if p.Decision == jobboard.DecisionNotFound {
		gone := cmp.Or(p.InformationErr, p.AppliedErr)
		if !errors.Is(gone, jobboard.ErrNotFound) {
			gone = p.AppliedErr
		}
		if meant := postingMeant(ctx, b, args, "status", gone); meant != nil {
			return meant
		}
	}
	var err error
	if f.json {
		err = term.WriteJSON(c.Out, statusOf(p, f.nationalities), true)
	} else {
		printStatus(c, p)
	}
	switch p.Decision {
	case jobboard.DecisionMayApply:
		return err
	case jobboard.DecisionUnknown:
		return undecided
	}
	return &setup.Error{Code: setup.ExitNo}
}

type statusFlags struct {
	json          bool
	nationalities bool
}

// statusJSON is what --json prints: the decision in words, and for each source its value or the text of
// its error.
type statusJSON struct {
	Job              jobboard.JobID           `json:"job"`
	Decision         jobboard.Decision        `json:"decision"`
	Information      *jobboard.JobInformation `json:"information,omitempty"`
	Nationalities    int                      `json:"nationalitiesLeftOut,omitempty"` // of Information
	InformationError string                   `json:"informationError,omitempty"`
	Applied          *bool                    `json:"applied,omitempty"`
	AppliedError     string                   `json:"appliedError,omitempty"`
	ApplicationID    jobboard.ApplicationID   `json:"applicationId,omitempty"`
	ApplicationError string                   `json:"applicationError,omitempty"`
}

// statusOf returns what --json prints, without the job's nationalities unless they are asked for: there are hundreds,
// the same for each job of a language.
func statusOf(p jobboard.PrecheckResult, nationalities bool) statusJSON {
	text := func(err error) string {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	s := statusJSON{
		Job: p.Job, Decision: p.Decision,
		Information: p.Information, InformationError: text(p.InformationErr),
		AppliedError:  text(p.AppliedErr),
		ApplicationID: p.ApplicationID, ApplicationError: text(p.ApplicationErr),
	}
	if info := p.Information; info != nil && !nationalities {
		short := *info
		short.Nationalities = nil
		s.Information, s.Nationalities = &short, len(info.Nationalities)
	}
	if p.AppliedErr == nil {
		s.Applied = &p.Applied
	}
	return s
}

func printStatus(c *term.Console, p jobboard.PrecheckResult) {
	w := c.Out
	colour := term.Red
	if p.Decision == jobboard.DecisionMayApply {
		colour = term.Green
	}
	w.Line("job %s: %s", p.Job, c.OutTerminal.Paint(colour, jobmcp.Meaning(p.Decision)))
	switch {
	case p.InformationErr != nil:
		w.Pair("lookup", c.ErrorText(p.InformationErr))
	case p.Information.ApplyPossible:
		w.Pair("lookup", fmt.Sprintf("%s: applying is possible, %d questions", p.Information.JobTitle,
			len(p.Information.Questions)))
	default:
		w.Pair("lookup", p.Information.JobTitle+": applying is not possible")
	}
	switch {
	case p.AppliedErr != nil:
		w.Pair("applied check", c.ErrorText(p.AppliedErr))
	case p.Applied:
		w.Pair("applied check", "has applied")
	default:
		w.Pair("applied check", "has not applied")
	}
	switch {
	case p.ApplicationID != "":
		w.Pair("application", string(p.ApplicationID))
	case errors.Is(p.ApplicationErr, jobboard.ErrApplicationNotFound):
		w.Pair("application", "none")
	case p.ApplicationErr != nil:
		w.Pair("application", c.ErrorText(p.ApplicationErr))
	}
}
