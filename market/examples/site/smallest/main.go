// Command smallest serves a whole marketplace from one file, without a design: a search
// by text, town and radius, a job's page with its right status, sign-in, the form of a
// job, sitemap and feeds. Its copy of the board keeps itself up to date. The command site
// beside it has a design.
//
//	go -C market/examples/site run ./smallest
//
// It tells its address, and serves until it is interrupted: the board of the variables
// JOBBOARD_..., see [jobsite.ReadEnv], or without them the mock server.
package main

import (
	"context"
	"flag"
	"html/template"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8091", "`host:port` to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr); err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends
	}
}

func run(ctx context.Context, addr string) error {
	settings, err := jobsite.ReadEnv(os.Getenv)
	if err != nil {
		return err
	}
	if settings.Board.BaseURL == "" {
		fake := jobboardtest.NewServer(jobboardtest.WithDemo())
		defer fake.Close()
		settings.Board = jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID}
		settings.AuthURL, settings.TokenURL, settings.Feeds = fake.AuthURL, fake.TokenURL, []string{fake.FeedURL}
		settings.Channels = []jobboard.ChannelID{jobboard.ChannelID(fake.Demo.Channel)}
	}
	s := &site{}
	settings.Addr, settings.Name, settings.Site.Failed = addr, "Stellen", s.failed
	m, err := jobsite.Open(ctx, settings)
	if err != nil {
		return err
	}
	s.Marketplace = m
	m.Page("GET /{$}", secure(s.list))
	m.Page("GET /job/{job}/{words...}", secure(s.job))
	m.Page("GET /apply/{job}", secure(s.apply))
	m.Page("POST /apply/{job}", secure(s.apply))
	return m.Run(ctx)
}

// secure lets a page load nothing but what is of this site, and no cache keep it.
func secure(page func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		w.Header().Set("Cache-Control", "private, no-store")
		return page(w, r)
	}
}

// site has the pages.
type site struct{ *jobsite.Marketplace }

// page holds the data of a template.
type page struct {
	Texts   jobsite.Texts
	Found   *jobsite.Results
	Path    string // path of this page, to return to after signing in
	Job     *jobsite.JobPage
	Outcome jobsite.Outcome
	Form    jobsite.FormPage
	Instead jobsite.Instead
	Head    jobsite.Head // for search engines
}

// failed writes the page in place of one that there is not.
func (s *site) failed(w http.ResponseWriter, r *http.Request, status int) {
	p := page{Texts: s.Site.Texts(r), Instead: s.Site.Instead(w, r, status)}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = pages.ExecuteTemplate(w, "instead", p) // an error is of a visitor who left
}

func (s *site) list(w http.ResponseWriter, r *http.Request) error {
	found, err := s.Site.Search(r)
	if err != nil {
		return err
	}
	head := s.Site.Head(r)
	head.Description = "Stellen"
	head.SetRobots(w.Header())
	return pages.ExecuteTemplate(w, "list", page{Texts: s.Site.Texts(r), Found: found, Head: head})
}

func (s *site) job(w http.ResponseWriter, r *http.Request) (err error) {
	p := page{Texts: s.Site.Texts(r), Path: r.URL.Path}
	if p.Job, err = s.Site.Job(r); err != nil {
		return err
	}
	p.Head = p.Job.Head
	p.Head.SetRobots(w.Header())
	p.Outcome = s.SignIn.Precheck(r, p.Job.Job, p.Texts)
	return pages.ExecuteTemplate(w, "job", p)
}

// apply asks the questions of a job. The interface has no call that sends an
// application, so the page ends with a link to the board's own form.
func (s *site) apply(w http.ResponseWriter, r *http.Request) (err error) {
	p := page{Texts: s.Site.Texts(r)}
	if p.Job, err = s.Site.Job(r); err != nil {
		return err
	}
	rules := prescreen.Rules{MaxText: 200, MaxTextArea: 2000, RequireNationality: true}
	if p.Form, err = s.SignIn.Form(r, p.Job.Job, p.Texts, rules); err != nil {
		return err
	}
	p.Form.WriteHeader(w)
	return pages.ExecuteTemplate(w, "apply", p)
}

var pages = template.Must(template.New("").Parse(`
{{define "head"}}<!DOCTYPE html><html lang="{{.Texts.Language}}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
{{with .Head.Description}}<meta name="description" content="{{.}}">{{end}}
{{with .Head.Canonical}}<link rel="canonical" href="{{.}}">{{end}}
{{range .Head.Alternates}}<link rel="alternate" hreflang="{{.Language}}" href="{{.URL}}">{{end}}{{end}}
{{define "list"}}{{template "head" .}}<title>Stellen</title><h1>Stellen</h1>
<form><label>Was <input name="text" value="{{.Found.List.Text}}"></label>
<label>Wo <input name="near" value="{{.Found.Near}}"></label>
<label>km <input name="radius" value="{{with .Found.List.Radius}}{{.}}{{end}}"></label> <button>Suchen</button></form>
{{range .Found.Problems}}<p>{{$.Texts.ListProblem .}}</p>{{end}}
{{with .Found.Meant}}<p>{{$.Texts.DidYouMean}}{{range .}} <a href="{{.Link}}">{{.Name}}</a>{{end}}?</p>{{end}}
<p>{{.Found.Page.Facets.Total}}</p>
<ul>{{range .Found.Cards}}<li lang="{{.Language}}">
{{if .Path}}<a href="{{.Path}}">{{.Title}}</a>{{else}}{{.Title}}{{end}}
{{.Company}} {{.Place}} {{.Distance}}<br>{{.Excerpt}}</li>{{end}}</ul>
{{with .Found.List.Next .Found.Page}}<a href="{{.}}">Weiter</a>{{end}}</html>{{end}}
{{define "job"}}{{template "head" .}}<title>{{.Job.Title}}</title>
{{with .Job.Data}}<script type="application/ld+json">{{.}}</script>{{end}}
<h1 lang="{{.Job.Language}}">{{.Job.Title}}</h1><p>{{.Job.Company}} {{.Job.Place}}</p><p>{{.Outcome.Text}}</p>
{{if .Outcome.MayApply}}<a href="/apply/{{.Job.Job}}">Bewerben</a>
{{else if eq .Outcome.Status 403}}<a href="/signin?next={{.Path}}">Anmelden</a>
{{else if eq .Outcome.Status 501}}<a href="{{.Job.ApplyURL}}">Bewerben</a>{{end}}
<article lang="{{.Job.Language}}">{{.Job.Advertisement}}</article></html>{{end}}
{{define "instead"}}{{template "head" .}}<title>{{.Instead.Text}}</title>
{{with .Instead.Title}}<p lang="{{$.Instead.Language}}">{{.}}</p>{{end}}<h1>{{.Instead.Text}}</h1>
<ul>{{range .Instead.Similar}}<li lang="{{.Language}}">
<a href="{{.Path}}">{{.Title}}</a> {{.Place}} {{.Distance}}</li>{{end}}</ul>
<a href="/{{.Instead.Search}}">Alle Stellen</a></html>{{end}}
{{define "apply"}}{{template "head" .}}<title>{{.Job.Title}}</title><h1>{{.Job.Title}}</h1>
<p>{{.Form.Text}}{{if eq .Form.Status 403}}
<a href="/signin?next=/apply/{{.Job.Job}}"{{if .Form.Show}} target="_blank"{{end}}>Anmelden</a>{{end}}</p>
{{if .Form.Complete}}<a href="{{.Job.ApplyURL}}">Bei der Stellenbörse bewerben</a>
{{else if .Form.Show}}<form method="post"><input type="hidden" name="session" value="{{.Form.Session}}">
{{range .Form.Fields}}<p><label for="{{.Name}}">{{.Label}}</label> {{$given := .Value}}
{{if .Choices}}<select id="{{.Name}}" name="{{.Name}}"><option></option>
{{range .Choices}}<option value="{{.ID}}"{{if eq .ID $given}} selected{{end}}>{{.Label}}</option>{{end}}</select>
{{else}}<input id="{{.Name}}" name="{{.Name}}" value="{{.Value}}">{{end}}
{{with .Problem}}<b>{{$.Texts.Problem .}}</b>{{end}}</p>{{end}}<button>Prüfen</button></form>{{end}}</html>{{end}}`))
