package main

import (
	"context"
	_ "embed"
	"errors"
	"html/template"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/term"
	"github.com/jobboard-sdk/jobboard-go/internal/shown"
)

//go:embed applyform.html
var applyFormHTML string

var applyFormTemplate = template.Must(template.New("form").Funcs(template.FuncMap{
	"printable": term.Printable,
	"note": func(f jobboard.FormField) string {
		if _, known := shown.Answering(f.Type); f.Nationality || known {
			return ""
		}
		return kindText(f.Type)
	},
}).Parse(applyFormHTML))

func newApplyFormCommand(p *cli.Program, known *lastSearch) *cobra.Command {
	var (
		flags  cli.OutputFlags
		action string
	)
	cmd := &cobra.Command{
		Use:   "apply-form [JOB]",
		Short: "Print the form that an application to a job has to fill in",
		Long: `apply-form prints the job's questions as an HTML page with a form, or as text.
It shows what must be asked; the interface has no call to send an application,
so the form goes nowhere unless --action names an address of your own. A field's
name is q followed by the question's identifier, and its value an answer's
identifier where there is a list of answers.

A job that takes no applications has no form: the command ends with 4.`,
		Example:           "  jobboard apply-form --fake --output form.html\n  jobboard apply-form 2797227 --text",
		Args:              cli.AtMost(1),
		ValidArgsFunction: known.completeJob,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := p.Board(cmd)
			if err != nil {
				return err
			}
			return runApplyForm(cmd.Context(), &p.Console, b, args, &flags, action)
		},
	}
	flags.Add(cmd, cli.Form{Name: "html", Extension: "html", Help: "print the form as an HTML page (the default)"},
		cli.Form{Name: "text", Extension: "txt", Help: "print the form as text"})
	cmd.Flags().StringVar(&action, "action", "", "`address` that the HTML form is sent to")
	cli.Complete(cmd, "action", cli.Nothing)
	cmd.MarkFlagsMutuallyExclusive("text", "action")
	return cmd
}

func runApplyForm(ctx context.Context, c *term.Console, b *setup.Board, args []string, flags *cli.OutputFlags,
	action string,
) error {
	form, err := flags.Form()
	if err != nil {
		return err
	}
	if err := checkAction(action); err != nil {
		return err
	}
	info, err := b.LookUp(ctx, args)
	if err != nil {
		return postingMeant(ctx, b, args, err)
	}
	if !info.ApplyPossible {
		return &setup.Error{Code: setup.ExitNo, Err: errors.New("the job takes no applications: applying is not possible")}
	}
	return flags.WriteTo(c.Out, func(to *term.Output) error {
		if form == "text" {
			printForm(to, info)
			return nil
		}
		return applyFormTemplate.Execute(to, formPage(info, action))
	})
}

func checkAction(action string) error {
	u, err := url.Parse(action)
	if err != nil || u.Host != "" && u.Scheme == "" || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return setup.Usage("--action is neither an http or https address nor a path")
	}
	return nil
}

// printForm writes the form as text.
func printForm(o *term.Output, info *jobboard.JobInformation) {
	o.Line("%s", term.Printable(info.JobTitle))
	printQuestions(o, info)
	if n := len(info.Nationalities); n > 0 {
		o.Line("")
		o.Line("  Nationality: one of %d (jobboard info --json lists them)", n)
	}
	if link := shown.Link(info.DataSecurityURL()); link != "" {
		o.Line("")
		o.Line("  Privacy statement: %s", term.Printable(link))
	}
}

type page struct {
	*jobboard.JobInformation
	Form     []jobboard.FormField
	Action   string
	Language string
	Of       string // company and place
	Privacy  string
}

func formPage(info *jobboard.JobInformation, action string) page {
	return page{
		JobInformation: info, Form: info.Form(jobboard.Answers{}, jobboard.AnswerRules{}, nil),
		Action: action, Language: info.JobLanguage, Privacy: shown.Link(info.DataSecurityURL()),
		Of: strings.Trim(term.Printable(info.CompanyName)+", "+term.Printable(info.Location.GeoCity), ", "),
	}
}
