package main

import (
	_ "embed"
	"errors"
	"html/template"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
)

//go:embed applyform.html
var applyFormHTML string

var applyFormTemplate = template.Must(template.New("form").Funcs(template.FuncMap{
	"printable": printable,
	"kind":      kindText,
	"choice": func(q jobboard.Question) bool {
		return len(q.Answers) > 0 && q.Type != jobboard.QuestionText && q.Type != jobboard.QuestionTextArea
	},
	"radio": func(q jobboard.Question) bool { return q.Type == jobboard.QuestionYesNo && len(q.Answers) <= 3 },
	"area":  func(q jobboard.Question) bool { return q.Type == jobboard.QuestionTextArea },
	"known": func(q jobboard.Question) bool { return kinds[q.Type] != "" },
}).Parse(applyFormHTML))

func (a *app) applyFormCommand() *cobra.Command {
	var (
		flags  outputFlags
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
		Args:              atMost(1),
		ValidArgsFunction: a.completeJob,
		RunE: func(cmd *cobra.Command, args []string) error {
			form, err := flags.form()
			if err != nil {
				return err
			}
			if err := checkAction(action); err != nil {
				return err
			}
			info, err := a.lookUp(cmd.Context(), args)
			if err != nil {
				return err
			}
			if !info.ApplyPossible {
				return &exitError{code: exitNo, err: errors.New("the job takes no applications: applying is not possible")}
			}
			return a.writeTo(&flags, func(to *output) error {
				if form == "text" {
					to.form(info)
					return nil
				}
				return applyFormTemplate.Execute(to, formPage(info, action))
			})
		},
	}
	flags.add(cmd, form{"html", "html", "print the form as an HTML page, as without it"},
		form{"text", "txt", "print the form as text"})
	cmd.Flags().StringVar(&action, "action", "", "`address` that the HTML form is sent to")
	complete(cmd, "action", nothing)
	cmd.MarkFlagsMutuallyExclusive("text", "action")
	return cmd
}

func checkAction(action string) error {
	u, err := url.Parse(action)
	if err != nil || u.Host != "" && u.Scheme == "" || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return usage("--action is neither an http or https address nor a path")
	}
	return nil
}

// form writes the form as text.
func (o *output) form(info *jobboard.JobInformation) {
	o.line("%s", printable(info.JobTitle))
	o.questions(info)
	if n := len(info.Nationalities); n > 0 {
		o.line("")
		o.line("  Nationality: one of %d (jobboard info --json lists them)", n)
	}
	if link := usable(info.DataSecurityURL()); link != "" {
		o.line("")
		o.line("  Privacy statement: %s", printable(link))
	}
}

type page struct {
	*jobboard.JobInformation
	Action   string
	Language string
	Of       string // company and place
	Privacy  string
}

func formPage(info *jobboard.JobInformation, action string) page {
	return page{
		JobInformation: info, Action: action, Language: info.JobLanguage, Privacy: usable(info.DataSecurityURL()),
		Of: strings.Trim(printable(info.CompanyName)+", "+printable(info.Location.GeoCity), ", "),
	}
}
