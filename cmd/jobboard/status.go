package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
)

func (a *app) statusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status [JOB]",
		Short: "Say whether the applicant may apply to a job, and why",
		Long: `status asks the job information, the applied check and the application lookup,
and makes one decision of what they say. It needs an applicant's token.

It ends with 0 where the applicant may apply, with 4 where not: applied already,
closed, not visible, gone. Where too little answered, the code is that of the
failure.`,
		Example:           "  jobboard status --fake\n  JOBBOARD_USER_TOKEN=... jobboard status 2797227",
		Args:              atMost(1),
		ValidArgsFunction: a.completeJob,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.status(cmd.Context(), args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print decision and sources as JSON")
	return cmd
}

// precheck asks whether the applicant may apply to the job of args, or of the settings.
// It returns no job where the settings lack something: nobody was asked.
func (a *app) precheck(ctx context.Context, args []string) (p jobboard.PrecheckResult, err error) {
	id, err := a.settings.needJob(args)
	if err != nil {
		return p, err
	}
	c, err := a.clientFor(baseURL, jobDBURL, userToken)
	if err != nil {
		return p, err
	}
	return a.settings.applicant(c).Precheck(ctx, id)
}

func (a *app) status(ctx context.Context, args []string, asJSON bool) error {
	p, undecided := a.precheck(ctx, args)
	if p.Job == 0 || ctx.Err() != nil {
		return cmp.Or(ctx.Err(), undecided)
	}
	var err error
	if asJSON {
		err = writeJSON(a.out, p, true)
	} else {
		a.printStatus(p)
	}
	switch p.Decision {
	case jobboard.DecisionMayApply:
		return err
	case jobboard.DecisionUnknown:
		return undecided
	}
	return &exitError{code: exitNo}
}

var decisionText = map[jobboard.Decision]string{
	jobboard.DecisionUnknown:        "unknown: too little answered",
	jobboard.DecisionMayApply:       "the applicant may apply",
	jobboard.DecisionAlreadyApplied: "the applicant has applied already; there is one application per job, and a withdrawn one counts",
	jobboard.DecisionClosed:         "closed: the job takes no applications",
	jobboard.DecisionNotVisible:     "not visible: the job is not for this applicant",
	jobboard.DecisionGone:           "gone: there is no such job, or no posting of it",
}

func (a *app) printStatus(p jobboard.PrecheckResult) {
	w := a.out
	colour := red
	if p.Decision == jobboard.DecisionMayApply {
		colour = green
	}
	w.line("job %s: %s", p.Job, a.outTerminal.paint(colour, decisionText[p.Decision]))
	switch {
	case errors.Is(p.InformationErr, context.Canceled):
		w.pair("lookup", "not needed")
	case p.InformationErr != nil:
		w.pair("lookup", a.errorText(p.InformationErr))
	case p.Information.ApplyPossible:
		w.pair("lookup", fmt.Sprintf("%s: applying is possible, %d questions", p.Information.JobTitle,
			len(p.Information.Questions)))
	default:
		w.pair("lookup", p.Information.JobTitle+": applying is not possible")
	}
	switch {
	case errors.Is(p.AppliedErr, context.Canceled):
		w.pair("applied check", "not needed")
	case p.AppliedErr != nil:
		w.pair("applied check", a.errorText(p.AppliedErr))
	case p.Applied:
		w.pair("applied check", "has applied")
	default:
		w.pair("applied check", "has not applied")
	}
	switch {
	case p.ApplicationID != "":
		w.pair("application", string(p.ApplicationID))
	case errors.Is(p.ApplicationErr, jobboard.ErrApplicationNotFound):
		w.pair("application", "none")
	case p.ApplicationErr != nil:
		w.pair("application", a.errorText(p.ApplicationErr))
	}
}

// errorText returns an error as people read it: the library's line without its name.
func (a *app) errorText(err error) string {
	return a.masked(printable(plain{err}.Error()))
}
