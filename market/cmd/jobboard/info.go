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
	"github.com/jobboard-sdk/jobboard-go/market/internal/shown"
)

func newInfoCommand(p *cli.Program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info [JOB]",
		Short: "Say what an application to a job needs",
		Long: `info prints the job information: whether applying is possible, the questions
with their answers, the privacy statement, and how many nationalities are
offered.`,
		Example:           "  jobboard info --fake\n  jobboard info 2797227 --json",
		Args:              cli.AtMost(1),
		ValidArgsFunction: cli.Nothing,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := p.Board(cmd)
			if err != nil {
				return err
			}
			return runInfo(cmd.Context(), &p.Console, b, args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the job information as JSON")
	return cmd
}

func runInfo(ctx context.Context, c *term.Console, b *setup.Board, args []string, asJSON bool) error {
	info, err := b.LookUp(ctx, args)
	if errors.Is(err, jobboard.ErrNotFound) {
		return cmp.Or(postingMeant(ctx, b, args, "info", err), unknownJob(err))
	}
	if err != nil {
		return err
	}
	if asJSON {
		return term.WriteJSON(c.Out, info, true)
	}
	printInfo(c, info)
	return nil
}

// postingMeant returns the error to show for an unknown job, with the next step: if the identifier belongs
// to a posting of the channel, or to a posting's version, it says so and names the posting's job from its
// link, for the same command. Otherwise, and if the search fails, it returns nil.
func postingMeant(ctx context.Context, b *setup.Board, args []string, command string, gone error) error {
	id, err := b.NeedJob(args)
	if err != nil {
		return nil
	}
	s, ch, err := b.Searcher()
	if err != nil {
		return nil
	}
	for p, err := range s.PostingStream(ctx, ch, jobboard.Query{OmitConfig: []string{jobboard.KeyAdText}}).All() {
		var named string
		switch {
		case err != nil:
			return nil
		case int64(p.JobPostingID) == int64(id):
			named = "a posting"
		case int64(p.PostingVersionID) == int64(id):
			named = "a posting's version"
		default:
			continue
		}
		meant := fmt.Errorf("%d is the identifier of %s, %q, and not of a job: %w",
			id, named, term.Printable(p.Title), setup.Plain{Cause: gone})
		next := "look for its job in the feed"
		if job, ok := p.LinkedJob(); ok {
			next = "its job is " + job.String() + ": jobboard " + command + " " + job.String()
		}
		return &setup.Error{Code: setup.ExitNo, Err: meant, Hint: next}
	}
	return nil
}

// unknownJob adds to the error of an unknown job where there are others.
func unknownJob(gone error) error {
	return &setup.Error{
		Code: setup.ExitNo, Err: setup.Plain{Cause: gone},
		Hint: "jobboard search lists postings with their jobs, and jobboard feed those of a feed; a job that was deleted has no information",
	}
}

func printInfo(c *term.Console, info *jobboard.JobInformation) {
	w := c.Out
	w.Line("%s", c.OutTerminal.Paint(term.Bold, term.Printable(info.JobTitle)))
	w.Pair("job", info.JobID.String())
	w.Pair("company", info.CompanyName)
	label := "location"
	for _, text := range shown.Locations(info) {
		w.Pair(label, text)
		label = "also in"
	}
	w.Pair("language", info.JobLanguage)
	if info.ApplyPossible {
		w.PaintedPair("applying", c.OutTerminal.Paint(term.Green, "possible"))
	} else {
		w.PaintedPair("applying", c.OutTerminal.Paint(term.Red, "not possible"))
	}
	if link := shown.Link(info.DataSecurityURL()); link != "" {
		w.Pair("privacy", link)
	} else if info.DataSecurityLink != "" {
		w.Pair("privacy", "(not a usable link) "+info.DataSecurityLink)
	}
	w.Pair("nationalities", fmt.Sprint(len(info.Nationalities)))
	if !info.Timestamp.IsZero() {
		w.Pair("as of", info.Timestamp.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	w.Pair("questions", fmt.Sprint(len(info.Questions)))
	printQuestions(w, info)
}

func printQuestions(o *term.Output, info *jobboard.JobInformation) {
	for i, q := range info.Questions {
		o.Line("")
		o.Line("  %d. %s", i+1, term.Printable(q.Label))
		o.Line("     %s, question %s", kindText(q.Type), term.Printable(q.ID))
		for _, answer := range q.Answers {
			o.Line("     - %s (%s)", term.Printable(answer.Label), term.Printable(answer.ID))
		}
	}
}

// kindText describes the answers to a type of question. For an unknown type it includes the
// type's name.
func kindText(t jobboard.QuestionType) string {
	text, known := shown.Answering(t)
	if !known {
		text += " (" + term.Printable(string(t)) + ")"
	}
	return text
}
