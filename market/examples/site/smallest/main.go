// Command smallest serves a whole marketplace from one file, without a design: a search
// by text, town and radius, a job's page with its right status, sign-in, the form of a
// job, sitemap and feed. Its copy of the board keeps itself up to date. The command site
// beside it has a design.
//
//	go -C market/examples/site run ./smallest
//
// It prints its address, and serves the mock server until it is interrupted.
package main

import (
	"context"
	"errors"
	"html/template"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/sync/errgroup"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, "127.0.0.1:8091"); err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends
	}
}

func run(ctx context.Context, addr string) error {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo()) // with a real board, use its addresses here
	defer fake.Close()
	config := jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID}
	endpoint := oauth2.Endpoint{AuthURL: fake.AuthURL, TokenURL: fake.TokenURL}
	signIn := oauth2.Config{ClientID: config.ClientID, Endpoint: endpoint}
	folder, err := os.MkdirTemp("", "smallest") // a real site keeps the copy
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	mirror, err := jobmirror.Open(ctx, filepath.Join(folder, "jobs.db"), jobmirror.Options{
		Config:   config,
		Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(fake.Demo.Channel), Languages: []string{"de", "en"}}},
		Feeds:    []jobmirror.Feed{{Address: fake.FeedURL}},
	})
	if err != nil {
		return err
	}
	defer func() { _ = mirror.Close() }()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	origin := "http://" + listener.Addr().String()
	handler, err := newMarketplace(origin, config, signIn, mirror)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second}
	working, ctx := errgroup.WithContext(ctx)
	working.Go(func() error { return mirror.Run(ctx) })
	working.Go(func() error { return server.Serve(listener) })
	working.Go(func() error { <-ctx.Done(); return server.Shutdown(context.WithoutCancel(ctx)) })
	log.Print(origin + "/")
	if err := working.Wait(); !errors.Is(err, context.Canceled) && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// marketplace holds the jobs and the sign-in for the pages.
type marketplace struct {
	jobs   *jobsite.Site
	signIn *jobsite.SignIn
}

func newMarketplace(origin string, board jobboard.Config, signIn oauth2.Config, mirror *jobmirror.Mirror) (http.Handler, error) {
	client, err := jobboard.NewClient(board)
	if err != nil {
		return nil, err
	}
	m := &marketplace{}
	m.jobs, err = jobsite.New(mirror, jobsite.Config{URL: origin, Languages: []string{"de", "en"}, Logger: slog.Default()})
	if err != nil {
		return nil, err
	}
	m.signIn, err = jobsite.NewSignIn(jobsite.SignInConfig{Client: client, URL: origin, OAuth2: signIn})
	if err != nil {
		return nil, err
	}
	feeds, err := jobpublish.NewFeeds(jobpublish.Config{
		URL: origin + "/", Title: "Stellen", Language: "de", Jobs: m.jobs.Jobs,
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", m.jobs.Handle(m.list))
	mux.HandleFunc("GET /job/{job}/{words...}", m.jobs.Handle(m.job))
	mux.HandleFunc("/apply/{job}", m.jobs.Handle(m.apply))
	mux.Handle("GET /sitemap.xml", feeds.Sitemap("/sitemap.xml"))
	mux.Handle("GET /jobs.feed.json", feeds.DataFeed("/jobs.feed.json"))
	return m.signIn.Handler(mux), nil
}

// page holds the data of a template.
type page struct {
	Texts   jobsite.Texts
	Found   *jobsite.Results
	Path    string // path of this page, to return to after signing in
	Job     *jobsite.JobPage
	Outcome jobsite.Outcome
	Form    jobsite.FormPage
}

func (m *marketplace) list(w http.ResponseWriter, r *http.Request) error {
	found, err := m.jobs.Search(r)
	if err != nil {
		return err
	}
	return pages.ExecuteTemplate(w, "list", page{Texts: m.jobs.Texts(r), Found: found})
}

func (m *marketplace) job(w http.ResponseWriter, r *http.Request) (err error) {
	p := page{Texts: m.jobs.Texts(r), Path: r.URL.Path}
	if p.Job, err = m.jobs.Job(r); err != nil {
		return err
	}
	p.Outcome = m.signIn.Precheck(r, p.Job.Job, p.Texts)
	return pages.ExecuteTemplate(w, "job", p)
}

// apply asks the questions of a job. The interface has no call that sends an
// application, so the page ends with a link to the board's own form.
func (m *marketplace) apply(w http.ResponseWriter, r *http.Request) (err error) {
	p := page{Texts: m.jobs.Texts(r)}
	if p.Job, err = m.jobs.Job(r); err != nil {
		return err
	}
	rules := jobboard.AnswerRules{MaxText: 200, MaxTextArea: 2000, RequireNationality: true}
	if p.Form, err = m.signIn.Form(r, p.Job.Job, p.Texts, rules); err != nil {
		return err
	}
	p.Form.WriteHeader(w)
	return pages.ExecuteTemplate(w, "apply", p)
}

var pages = template.Must(template.New("").Parse(`
{{define "head"}}<!DOCTYPE html><html lang="{{.Texts.Language}}">{{end}}
{{define "list"}}{{template "head" .}}<title>Stellen</title><h1>Stellen</h1>
<form><label>Was <input name="text" value="{{.Found.List.Text}}"></label>
<label>Wo <input name="near" value="{{.Found.List.Near}}"></label>
<label>km <input name="radius" value="{{with .Found.List.Radius}}{{.}}{{end}}"></label> <button>Suchen</button></form>
{{range .Found.Problems}}<p>{{$.Texts.ListProblem .}}</p>{{end}}<p>{{.Found.Page.Facets.Total}}</p>
<ul>{{range .Found.Cards}}<li lang="{{.Language}}">
{{if .Path}}<a href="{{.Path}}">{{.Title}}</a>{{else}}{{.Title}}{{end}}
{{.Company}} {{.Place}} {{.Distance}}<br>{{.Excerpt}}</li>{{end}}</ul>
{{with .Found.List.Next .Found.Page}}<a href="{{.}}">Weiter</a>{{end}}</html>{{end}}
{{define "job"}}{{template "head" .}}<title>{{.Job.Title}}</title><link rel="canonical" href="{{.Job.URL}}">
{{with .Job.Data}}<script type="application/ld+json">{{.}}</script>{{end}}
<h1 lang="{{.Job.Language}}">{{.Job.Title}}</h1><p>{{.Job.Company}} {{.Job.Place}}</p><p>{{.Outcome.Text}}</p>
{{if .Outcome.MayApply}}<a href="/apply/{{.Job.Job}}">Bewerben</a>
{{else}}<a href="/signin?next={{.Path}}">Anmelden</a>{{end}}
<article lang="{{.Job.Language}}">{{.Job.Advertisement}}</article></html>{{end}}
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
