// Command apply shows in one file how an applicant gets from a job to a complete application. It
// checks whether the applicant may apply, shows the form in the job's language, and marks wrong
// answers:
//
//	go run ./examples/apply
//
// The interface has no call that sends an application, so a complete form leads to the
// page where the job is applied for. The applicant's token is JOBBOARD_USER_TOKEN here; a
// real site gets a token for each visitor when the visitor signs in.
package main

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		stop()
		log.Fatal(err) //nolint:gocritic // the deferred call was made
	}
}

// run serves until ctx ends, and prints the address first.
func run(ctx context.Context, out io.Writer) error {
	var b board.Board
	if err := b.Open(); err != nil {
		return err
	}
	defer b.Close()
	if b.User == nil || b.Job == 0 {
		return errors.New("set JOBBOARD_USER_TOKEN and JOBBOARD_JOB")
	}
	client, err := jobboard.NewClient(b.Config)
	if err != nil {
		return err
	}
	site := http.NewServeMux()
	site.Handle("/jobs/{job}/apply", apply{client.Applicant(b.User)})
	server := &http.Server{Handler: http.NewCrossOriginProtection().Handler(site), ReadHeaderTimeout: 5 * time.Second}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://%s/jobs/%d/apply\n", listener.Addr(), b.Job)
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// apply answers for one applicant.
type apply struct{ applicant *jobboard.Applicant }

// rules are this form's own: the interface names no bounds.
var rules = prescreen.Rules{MaxText: 200, MaxTextArea: 2000, RequireNationality: true}

func (a apply) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second) // no visitor waits longer
	defer cancel()
	job, err := jobboard.ParseJobID(r.PathValue("job"))
	if err != nil {
		say(w, http.StatusNotFound, "There is no such page.")
		return
	}
	check, err := a.applicant.Precheck(ctx, job)
	switch check.Decision {
	case jobboard.DecisionMayApply:
		a.form(w, r, check.Information)
	case jobboard.DecisionAlreadyApplied:
		say(w, http.StatusConflict, "You have applied for this job already.")
	case jobboard.DecisionClosed:
		say(w, http.StatusGone, "This job takes no more applications.")
	case jobboard.DecisionNotFound, jobboard.DecisionNotVisible:
		say(w, http.StatusNotFound, "There is no such job.")
	case jobboard.DecisionUnknown:
		log.Print(err) // holds no secret
		jobboard.SetRetryAfter(w.Header(), err)
		say(w, jobboard.HTTPStatus(err), "Please try again later.")
	}
}

// form shows the job's questions, and what is wrong with the answers that were sent.
func (a apply) form(w http.ResponseWriter, r *http.Request, job *jobboard.JobInformation) {
	page := formPage{Job: job}
	var given prescreen.Answers
	status := http.StatusOK
	if r.Method == http.MethodPost {
		r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
		if err := r.ParseForm(); err != nil {
			say(w, http.StatusBadRequest, "The form cannot be read.")
			return
		}
		given = prescreen.FromForm(job, r.PostForm)
		_, page.Problems = prescreen.Check(job, given, rules)
		page.Complete = page.Problems == nil
		if !page.Complete {
			status = http.StatusUnprocessableEntity
		}
	}
	page.Fields = prescreen.Fields(job, given, rules, page.Problems)
	if privacy, err := job.DataSecurityURL(); err == nil {
		page.Privacy = privacy.String()
	}
	show(w, status, page)
}

// formPage holds what the page of a form shows.
type formPage struct {
	Job      *jobboard.JobInformation
	Privacy  string
	Fields   []prescreen.Field
	Problems error
	Complete bool
}

func say(w http.ResponseWriter, status int, sentence string) { show(w, status, sentence) }

func show(w http.ResponseWriter, status int, page any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	name := "message"
	if _, ok := page.(formPage); ok {
		name = "form"
	}
	if err := pages.ExecuteTemplate(w, name, page); err != nil {
		log.Print(err) // the visitor has left
	}
}

// pages escapes titles, labels and answers, which come from the service and from
// visitors.
var pages = template.Must(template.New("").Parse(`
{{define "message"}}<!DOCTYPE html><html lang="en"><title>Application</title><main><p>{{.}}</p></main></html>{{end}}

{{define "form"}}<!DOCTYPE html><html lang="{{.Job.JobLanguage}}"><title>{{.Job.JobTitle}}</title><main>
<h1>{{.Job.JobTitle}}</h1>
{{if .Complete}}
<p>Your answers are complete. The application itself is sent on the pages of {{.Job.CompanyName}}.</p>
{{else}}
{{if .Problems}}<p role="alert">Some answers are missing or wrong.</p>{{end}}
<form method="post">
{{range $field := .Fields}}<p><label for="{{.Name}}">{{if .Nationality}}Nationality{{else}}{{.Label}}{{end}}</label>
	{{with .Problem}}<strong id="{{$field.Name}}-problem">{{.Message}}</strong>{{end}}
	{{if eq .Control "textarea"}}
	<textarea id="{{.Name}}" name="{{.Name}}"{{with .MaxLength}} maxlength="{{.}}"{{end}}>{{.Value}}</textarea>
	{{else if .Choices}}
	<select id="{{.Name}}" name="{{.Name}}"><option value=""></option>
		{{range .Choices}}<option value="{{.ID}}"{{if eq .ID $field.Value}} selected{{end}}>{{.Label}}</option>
		{{end}}</select>
	{{else}}
	<input id="{{.Name}}" name="{{.Name}}" value="{{.Value}}"{{with .MaxLength}} maxlength="{{.}}"{{end}}>
	{{end}}</p>
{{end}}
<button>Check the answers</button>
</form>{{end}}
{{with .Privacy}}<p><a href="{{.}}">Privacy</a></p>{{end}}
</main></html>{{end}}`))
