package main

import (
	_ "embed"
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
	"known": func(q jobboard.Question) bool {
		switch q.Type {
		case jobboard.QuestionYesNo, jobboard.QuestionText, jobboard.QuestionTextArea, jobboard.QuestionCatalog:
			return true
		}
		return false
	},
}).Parse(applyFormHTML))

func (a *app) applyFormCommand() *cobra.Command {
	var (
		asText bool
		action string
	)
	cmd := &cobra.Command{
		Use:   "apply-form [JOB]",
		Short: "Print the form that an application to a job has to fill in",
		Long: `apply-form prints the job's questions as an HTML page with a form, or as text.
It shows what must be asked; the interface has no call to send an application, so
the form goes nowhere unless --action names an address of your own. A field's name
is q followed by the question's identifier, and its value an answer's identifier
where there is a list of answers.

A job that takes no applications has no form: the command ends with 4.`,
		Example: "  jobboard apply-form --fake > form.html\n  jobboard apply-form 2797227 --text",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if action != "" {
				u, err := url.Parse(action)
				if err != nil || u.Host != "" && u.Scheme == "" || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
					return usage("--action is neither an http or https address nor a path")
				}
			}
			info, err := a.lookUp(cmd.Context(), args)
			if err != nil {
				return err
			}
			if !info.ApplyPossible {
				return &exitError{code: exitNo, err: errNoForm}
			}
			if asText {
				w := &lines{w: a.stdout}
				w.line("%s", printable(info.JobTitle))
				w.questions(info)
				if n := len(info.Nationalities); n > 0 {
					w.line("")
					w.line("  Nationality: one of %d (jobboard info --json lists them)", n)
				}
				if link, err := info.DataSecurityURL(); err == nil {
					w.line("")
					w.line("  Privacy statement: %s", printable(link.String()))
				}
				return w.err
			}
			return applyFormTemplate.Execute(a.stdout, formPage(info, action))
		},
	}
	cmd.Flags().BoolVar(&asText, "text", false, "print the form as text")
	cmd.Flags().StringVar(&action, "action", "", "`address` that the HTML form is sent to")
	cmd.MarkFlagsMutuallyExclusive("text", "action")
	return cmd
}

var errNoForm = exitMessage("the job takes no applications: applying is not possible")

type exitMessage string

func (m exitMessage) Error() string { return string(m) }

type page struct {
	*jobboard.JobInformation
	Action   string
	Language string
	Of       string // company and place
	Privacy  string
}

func formPage(info *jobboard.JobInformation, action string) page {
	p := page{JobInformation: info, Action: action, Language: info.JobLanguage}
	p.Of = strings.Trim(printable(info.CompanyName)+", "+printable(info.Location.GeoCity), ", ")
	if link, err := info.DataSecurityURL(); err == nil {
		p.Privacy = link.String()
	}
	return p
}
