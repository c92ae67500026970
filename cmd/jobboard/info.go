package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
)

func (a *app) infoCommand() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "info [JOB]",
		Short: "Say what an application to a job needs",
		Long: `info prints the job information: whether applying is possible, the questions
with their answers, the privacy statement, and how many nationalities are
offered.`,
		Example:           "  jobboard info --fake\n  jobboard info 2797227 --json",
		Args:              atMost(1),
		ValidArgsFunction: a.completeJob,
		RunE: func(cmd *cobra.Command, args []string) error {
			form, err := output.form()
			if err != nil {
				return err
			}
			info, err := a.lookUp(cmd.Context(), args)
			if err != nil {
				return err
			}
			if form == "" {
				return a.printInfo(info)
			}
			to, err := a.destination(&output)
			if err != nil {
				return err
			}
			return to.close(writeJSON(to, info, true))
		},
	}
	output.add(cmd, form{"json", "json", "print the job information as JSON"})
	return cmd
}

func (a *app) lookUp(ctx context.Context, args []string) (*jobboard.JobInformation, error) {
	id, err := a.settings.needJob(args)
	if err != nil {
		return nil, err
	}
	if err := a.settings.needLookup(); err != nil {
		return nil, err
	}
	c, err := a.client(jobboard.RetryPolicy{}, nil)
	if err != nil {
		return nil, err
	}
	return c.JobInformation(ctx, id)
}

func (a *app) printInfo(info *jobboard.JobInformation) error {
	w := &lines{w: a.stdout}
	w.line("%s", a.outTerminal.paint(bold, printable(info.JobTitle)))
	w.pair("job", info.JobID.String())
	w.pair("company", info.CompanyName)
	for i, l := range append([]jobboard.Location{info.Location}, info.AdditionalLocations...) {
		label := "location"
		if i > 0 {
			label = "also in"
		}
		w.pair(label, locationText(l))
	}
	w.pair("language", info.JobLanguage)
	if info.ApplyPossible {
		w.line(pairFormat, "applying", a.outTerminal.paint(green, "possible"))
	} else {
		w.line(pairFormat, "applying", a.outTerminal.paint(red, "not possible"))
	}
	if link, err := info.DataSecurityURL(); err == nil {
		w.pair("privacy", link.String())
	} else if info.DataSecurityLink != "" {
		w.pair("privacy", "(not a usable link) "+info.DataSecurityLink)
	}
	w.pair("nationalities", fmt.Sprint(len(info.Nationalities)))
	if !info.Timestamp.IsZero() {
		w.pair("as of", info.Timestamp.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	w.pair("questions", fmt.Sprint(len(info.Questions)))
	w.questions(info)
	return w.err
}

func locationText(l jobboard.Location) string {
	if l.GeoName != "" {
		return l.GeoName
	}
	var parts []string
	for _, s := range []string{l.GeoStreet, strings.TrimSpace(l.GeoZip + " " + l.GeoCity), l.GeoState, l.GeoCountry} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

// lines writes lines until one cannot be written.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) line(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
}

const pairFormat = "  %-14s %s"

// pair writes what is known under a label, and nothing where nothing is.
func (l *lines) pair(label, text string) {
	if text = printable(text); text != "" {
		l.line(pairFormat, label, text)
	}
}

func (l *lines) questions(info *jobboard.JobInformation) {
	for i, q := range info.Questions {
		l.line("")
		l.line("  %d. %s", i+1, printable(q.Label))
		l.line("     %s, question %s", kindText(q.Type), printable(q.ID))
		for _, answer := range q.Answers {
			l.line("     - %s (%s)", printable(answer.Label), printable(answer.ID))
		}
	}
}

// kinds says how a question of a type is answered.
var kinds = map[jobboard.QuestionType]string{
	jobboard.QuestionYesNo:    "yes or no",
	jobboard.QuestionText:     "one line of text",
	jobboard.QuestionTextArea: "text",
	jobboard.QuestionCatalog:  "one of a list",
}

const kindUnknown = "of a kind this program does not know"

func kindText(t jobboard.QuestionType) string {
	return cmp.Or(kinds[t], kindUnknown+" ("+printable(string(t))+")")
}

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

func (a *app) status(ctx context.Context, args []string, asJSON bool) error {
	s := &a.settings
	id, err := s.needJob(args)
	if err != nil {
		return err
	}
	for _, need := range []func() error{s.needBase, s.needLookup} {
		if err := need(); err != nil {
			return err
		}
	}
	user, err := s.user()
	if err != nil {
		return err
	}
	c, err := a.client(jobboard.RetryPolicy{}, nil)
	if err != nil {
		return err
	}
	p, undecided := c.Applicant(user).Precheck(ctx, id)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if asJSON {
		if err := writeJSON(a.stdout, p, true); err != nil {
			return err
		}
	} else if err := a.printStatus(p); err != nil {
		return err
	}
	switch p.Decision {
	case jobboard.DecisionMayApply:
		return nil
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

func (a *app) printStatus(p jobboard.Precheck) error {
	w := &lines{w: a.stdout}
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
	return w.err
}

// errorText is an error for people: the library's line without its name.
func (a *app) errorText(err error) string {
	return a.masked(printable(strings.TrimPrefix(err.Error(), "jobboard: ")))
}
