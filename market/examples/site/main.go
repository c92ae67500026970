// Command site serves a marketplace of jobs as a partner runs it: jobs near a
// place, a job's page that ends at the board's page to apply, and a sign-in for
// visitors who want to know whether they may. Its lists come from a mirror, so
// they work when the board is down.
//
//	go -C market/examples/site run .
//
// It prints its address and serves until it is interrupted. Without settings it
// shows the jobs of the mock server, with applicants to sign in as. Settings are
// those of the other examples, and JOBBOARD_FEED, JOBBOARD_CLIENT_SECRET,
// JOBBOARD_AUTHORIZE_URL and JOBBOARD_TOKEN_URL for the sign-in; without the
// first the site offers none.
package main

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"flag"
	"html/template"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

func main() {
	log.SetFlags(0)
	addr := flag.String("addr", "127.0.0.1:8090", "`host:port` to listen on")
	origin := flag.String("origin", "", "`address` under which visitors reach the site; empty: that of -addr")
	database := flag.String("database", "", "`file` or postgres address of the mirror; empty: a temporary file")
	monitor := flag.String("monitor", "", "`host:port` to serve Prometheus's page /metrics at; empty: nowhere")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *origin, *database, *monitor); err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends here
	}
}

func run(ctx context.Context, addr, origin, database, monitor string) error {
	settings, authURL, fake, err := read(os.Getenv)
	if err != nil {
		return err
	}
	if fake != nil {
		defer fake.Close()
	}
	settings.Addr, settings.Site.URL = addr, origin
	settings.Database = cmp.Or(database, settings.Database)
	measured := metric.NewManualReader()
	settings.EditMirror = func(opts *jobmirror.Options) {
		opts.RefreshEvery = 5 * time.Minute
		opts.MeterProvider = metric.NewMeterProvider(metric.WithReader(measured))
	}
	s, err := open(ctx, settings, authURL)
	if err != nil {
		return err
	}
	log.Print(s.URL + "/")
	if monitor != "" {
		if err := serveMetrics(ctx, monitor, measured); err != nil {
			log.Print(err)
		}
	}
	return s.Run(ctx)
}

// read returns the settings of the site, and the address of the board's page to sign in. If the environment names no
// board, it starts the mock server.
func read(getenv func(string) string) (settings jobsite.Settings, authURL string, fake *jobboardtest.Server, err error) {
	settings, err = jobsite.ReadEnv(getenv)
	if err != nil || settings.Board.BaseURL != "" {
		authURL = getenv("JOBBOARD_AUTHORIZE_URL")
		if authURL != "" && (settings.Board.ClientID == "" || settings.TokenURL == "") {
			err = errors.Join(err, errors.New("JOBBOARD_AUTHORIZE_URL needs JOBBOARD_CLIENT_ID and JOBBOARD_TOKEN_URL beside it"))
		}
		return settings, authURL, nil, err
	}
	fake = jobboardtest.NewServer(jobboardtest.WithDemo())
	settings.Board = jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID}
	settings.TokenURL, settings.Feeds = fake.TokenURL, []string{fake.FeedURL}
	settings.Channels = []jobboard.ChannelID{jobboard.ChannelID(fake.Demo.Channel)}
	return settings, fake.AuthURL, fake, nil
}

// site has the pages of the marketplace.
type site struct {
	*jobsite.Marketplace

	signIn *signIn // nil: the site offers none
}

//go:embed pages style.css suggest.js icon.svg
var files embed.FS

var pages = func() map[string]*template.Template {
	all := map[string]*template.Template{}
	for _, name := range []string{"list", "job", "message", "overview", "text"} {
		all[name] = template.Must(template.ParseFS(files, "pages/layout.html", "pages/"+name+".html"))
	}
	return all
}()

// open opens the site of settings, and adds its pages, with those of the sign-in unless authURL is empty.
func open(ctx context.Context, settings jobsite.Settings, authURL string) (*site, error) {
	s := &site{}
	settings.Name, settings.Logo = cmp.Or(settings.Name, "Stellenmarkt"), "/icon.svg"
	settings.Site.Failed = s.failed
	settings.Site.Languages = []string{german.Lang, english.Lang}
	m, err := jobsite.Open(ctx, settings)
	if err != nil {
		return nil, err
	}
	s.Marketplace = m
	m.Page("GET /{$}", s.list)
	m.Page("GET /suggest", s.suggest)
	m.Page("GET /overview", s.overview)
	m.Page("GET /imprint", s.text(func(w words) (string, []string) { return w.Imprint, w.ImprintText }))
	m.Page("GET /privacy", s.text(func(w words) (string, []string) { return w.PrivacyPage, w.PrivacyText }))
	m.Page("GET /job/{job}/{words...}", s.job)
	if authURL != "" {
		s.signIn = newSignIn(m.Client, m.URL, oauth2.Config{
			ClientID: settings.Board.ClientID, ClientSecret: settings.ClientSecret,
			Endpoint: oauth2.Endpoint{AuthURL: authURL, TokenURL: settings.TokenURL},
		}, jobsite.Transport(&settings.Board))
		s.signIn.addTo(m)
	}
	for _, file := range []string{"/style.css", "/icon.svg", "/suggest.js"} {
		m.Mux.Handle("GET "+file, http.FileServerFS(files))
	}
	m.Mux.HandleFunc("GET /robots.txt", s.robots)
	m.Mux.Handle("/mcp", s.assistants(settings.Channels[0]))
	// A proxy may ask for pages with its own Host, while a browser's Origin header names the site.
	own := http.NewCrossOriginProtection()
	if err := own.AddTrustedOrigin(m.URL); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	m.Server.Handler = s.headers(own.Handler(m.Handler()))
	return s, nil
}

// headers sets security headers: pages may load only files of this site.
func (s *site) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// statusError is an error of the site itself, with its status.
type statusError int

func (e statusError) Error() string   { return http.StatusText(int(e)) }
func (e statusError) HTTPStatus() int { return int(e) }

// failed answers with an error page in the visitor's language.
func (s *site) failed(w http.ResponseWriter, r *http.Request, status int) {
	_ = s.render(w, status, "message", message{s.page(r), s.Site.Instead(w, r, status)})
}

// page holds the data that every template needs.
type page struct {
	Name     string // of the site
	Logo     string
	W        words
	SignedIn bool
	Offered  bool         // the site offers a sign-in
	Listed   jobsite.Head // for search engines
	Path     string       // path of this page, to return to after signing in
	Search   template.URL // the visitor's search as a query, kept in links to a job's page and back
	query    url.Values
}

type message struct {
	page

	Instead jobsite.Instead
}

func (s *site) page(r *http.Request) page {
	signedIn := s.signIn.token(r) != ""
	query := jobsite.ReadQuery(r)
	list, _ := jobsite.ParseList(query)
	p := page{Name: s.Name, Logo: s.Logo, W: s.words(r), SignedIn: signedIn, Offered: s.signIn != nil, Path: r.URL.Path, query: query}
	if search := list.Values().Encode(); search != "" {
		p.Path += "?" + search
		p.Search = template.URL("?" + search) //nolint:gosec // encoded as a query
	}
	return p
}

// LangQuery returns the query of this page in another language.
func (p page) LangQuery(lang string) template.URL {
	q := url.Values{}
	for key, values := range p.query {
		if key != "after" && key != "back" && key != "code" && key != "state" {
			q[key] = values
		}
	}
	q.Set("lang", lang)
	return template.URL(q.Encode()) //nolint:gosec // encoded as a query
}

// render writes a whole page, or nothing if the template fails.
func (s *site) render(w http.ResponseWriter, status int, name string, data any) error {
	var b bytes.Buffer
	if err := pages[name].ExecuteTemplate(&b, name+".html", data); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "private, no-store") // the page depends on the visitor
	w.WriteHeader(status)
	_, err := b.WriteTo(w)
	if err != nil {
		log.Print(err)
	}
	return nil
}
