package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
)

func (a *app) infoCommand() *cobra.Command {
	var flags outputFlags
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
			form, err := flags.form()
			if err != nil {
				return err
			}
			info, err := a.lookUp(cmd.Context(), args)
			if err != nil {
				return err
			}
			if form == "" {
				a.printInfo(info)
				return nil
			}
			return a.writeTo(&flags, func(to *output) error { return writeJSON(to, info, true) })
		},
	}
	flags.add(cmd, form{"json", "json", "print the job information as JSON"})
	return cmd
}

// lookUp asks for the information about the job of args, or of the settings.
func (a *app) lookUp(ctx context.Context, args []string) (*jobboard.JobInformation, error) {
	id, err := a.settings.needJob(args)
	if err != nil {
		return nil, err
	}
	c, err := a.clientFor(jobDBURL)
	if err != nil {
		return nil, err
	}
	return c.JobInformation(ctx, id)
}

func (a *app) printInfo(info *jobboard.JobInformation) {
	w := a.out
	w.line("%s", a.outTerminal.paint(bold, printable(info.JobTitle)))
	w.pair("job", info.JobID.String())
	w.pair("company", info.CompanyName)
	label := "location"
	for _, text := range locationTexts(info) {
		w.pair(label, text)
		label = "also in"
	}
	w.pair("language", info.JobLanguage)
	if info.ApplyPossible {
		w.line(pairFormat, "applying", a.outTerminal.paint(green, "possible"))
	} else {
		w.line(pairFormat, "applying", a.outTerminal.paint(red, "not possible"))
	}
	if link := usable(info.DataSecurityURL()); link != "" {
		w.pair("privacy", link)
	} else if info.DataSecurityLink != "" {
		w.pair("privacy", "(not a usable link) "+info.DataSecurityLink)
	}
	w.pair("nationalities", fmt.Sprint(len(info.Nationalities)))
	if !info.Timestamp.IsZero() {
		w.pair("as of", info.Timestamp.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	w.pair("questions", fmt.Sprint(len(info.Questions)))
	w.questions(info)
}

// locationTexts returns where the job is, the main location first.
func locationTexts(info *jobboard.JobInformation) []string {
	texts := []string{locationText(info.Location)}
	for _, l := range info.AdditionalLocations {
		texts = append(texts, locationText(l))
	}
	return texts
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

const pairFormat = "  %-14s %s"

// pair writes what is known under a label, and nothing where nothing is.
func (o *output) pair(label, text string) {
	if text = printable(text); text != "" {
		o.line(pairFormat, label, text)
	}
}

func (o *output) questions(info *jobboard.JobInformation) {
	for i, q := range info.Questions {
		o.line("")
		o.line("  %d. %s", i+1, printable(q.Label))
		o.line("     %s, question %s", kindText(q.Type), printable(q.ID))
		for _, answer := range q.Answers {
			o.line("     - %s (%s)", printable(answer.Label), printable(answer.ID))
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
