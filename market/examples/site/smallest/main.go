// Command smallest serves a whole marketplace from one file, with a sheet of ten lines: a search
// by text, town and radius, a job's page with its right status and the button to the board's
// page to apply, sitemap and feeds. Its copy of the board keeps itself up to date. The command site
// beside it has a design.
//
//	go -C market/examples/site run ./smallest
//
// It prints its address, and serves until it is interrupted: the board of the variables
// JOBBOARD_..., see [jobsite.ReadEnv], or without them the mock server.
package main

import (
	"context"
	"flag"
	"html/template"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
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
		settings.Feeds = []string{fake.FeedURL}
		settings.Channels = []jobboard.ChannelID{jobboard.ChannelID(fake.Demo.Channel)}
	}
	s := &site{}
	settings.Addr, settings.Name, settings.Site.Failed = addr, "Stellen", s.failed
	settings.Site.Languages = []string{"de"} // the language of the pages below
	m, err := jobsite.Open(ctx, settings)
	if err != nil {
		return err
	}
	s.Marketplace = m
	m.Mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = io.WriteString(w, sheet)
	})
	m.Page("GET /{$}", secure(s.list))
	m.Page("GET /job/{job}/{words...}", secure(s.job))
	return m.Run(ctx)
}

// secure lets a page load nothing but what is of this site, and no cache keep it.
func secure(page func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
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
	Job     *jobsite.JobPage
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
	p := page{Texts: s.Site.Texts(r)}
	if p.Job, err = s.Site.Job(r); err != nil {
		return err
	}
	p.Head = p.Job.Head
	p.Head.SetRobots(w.Header())
	return pages.ExecuteTemplate(w, "job", p)
}

const sheet = `:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { max-width: 46rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; background: light-dark(#fff, #121212); }
h1 { font-size: 1.4rem; line-height: 1.25; }
h2 { font-size: 1.2rem; }
a { color: light-dark(#0b57d0, #a8c7fa); }
form { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .5rem; align-items: end; }
input, button { font: inherit; width: 100%; padding: .4rem; }
main > ul { padding: 0; list-style: none; }
main > ul > li { margin: .75rem 0; }
article { border-block: 1px solid; margin: 1rem 0; padding: .5rem 0; }
img { max-width: 100%; height: auto; }
`

var pages = template.Must(template.New("").Parse(`
{{define "head"}}<!DOCTYPE html><html lang="{{.Texts.Language}}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/style.css">
{{with .Head.Description}}<meta name="description" content="{{.}}">{{end}}
{{with .Head.Canonical}}<link rel="canonical" href="{{.}}">{{end}}{{end}}
{{define "list"}}{{template "head" .}}<title>{{.Found.Title}}</title><main><h1>{{.Found.Title}}</h1>
<form><label>Was <input name="text" value="{{.Found.List.Text}}"></label>
<label>Wo <input name="near" value="{{.Found.Near}}"></label>
<label>km <input name="radius" value="{{with .Found.List.Radius}}{{.}}{{end}}"></label> <button>Suchen</button></form>
{{range .Found.Problems}}<p>{{$.Texts.ListProblem .}}</p>{{end}}
{{range .Found.Page.Corrected}}<p>Gesucht {{if .Nearest}}statt „{{.Word}}“ auch{{range .Nearest}} {{.}}{{end}}{{else}}ohne „{{.Word}}“{{end}}.</p>{{end}}
{{with .Found.Meant}}<p>{{$.Texts.DidYouMean}}{{range .}} <a href="{{.Link}}">{{.Name}}</a>{{end}}?</p>{{end}}
{{with .Found.Chips}}<ul>{{range .}}<li><a href="{{.Link}}">{{.Words}} ×</a></li>{{end}}</ul>{{end}}
{{with .Found.Leads}}<ul>{{range .}}<li><a href="{{.Link}}">{{.Words}}</a></li>{{end}}</ul>{{end}}
{{with .Found.NothingAnywhere}}<p>{{.}}</p>{{end}}
<ul>{{range .Found.Cards}}<li lang="{{.Language}}">
{{if .Path}}<a href="{{.Path}}">{{.Title}}</a>{{else}}{{.Title}}{{end}}
{{.Company}} {{.Place}} {{.Distance}}<br>{{.Excerpt}}</li>{{end}}</ul>
{{with .Found.List.Previous}}<a href="{{.}}">Zurück</a> {{end}}{{with .Found.List.Next .Found.Page}}<a href="{{.}}">Weiter</a>{{end}}</main></html>{{end}}
{{define "job"}}{{template "head" .}}<title>{{.Job.Title}}</title>
{{with .Job.Data}}<script type="application/ld+json">{{.}}</script>{{end}}
<main><h1 lang="{{.Job.Language}}">{{.Job.Title}}</h1><p>{{.Job.Company}} {{.Job.Place}}</p>
<article lang="{{.Job.Language}}">{{.Job.Advertisement}}</article>
{{with .Job.Asked}}<h2>Fragen der Stellenbörse</h2><ul>{{range .}}<li lang="{{$.Job.Information.JobLanguage}}">{{.}}</li>{{end}}</ul>{{end}}
{{with .Texts.Unanswered .Job.NoAnswer}}<p>{{.}}</p>{{end}}
{{with .Job.ApplyURL}}<p><a href="{{.}}">Bei der Stellenbörse bewerben</a></p>{{end}}
{{with .Job.PrivacyURL}}<p><a href="{{.}}">Datenschutzerklärung</a></p>{{end}}</main></html>{{end}}
{{define "instead"}}{{template "head" .}}<title>{{.Instead.Text}}</title>
<main>{{with .Instead.Title}}<p lang="{{$.Instead.Language}}">{{.}}</p>{{end}}<h1>{{.Instead.Text}}</h1>
<ul>{{range .Instead.Similar}}<li lang="{{.Language}}">
<a href="{{.Path}}">{{.Title}}</a> {{.Place}} {{.Distance}}</li>{{end}}</ul>
<a href="/{{.Instead.Search}}">Alle Stellen</a></main></html>{{end}}`))
