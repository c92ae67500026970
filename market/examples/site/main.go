// Command site serves a marketplace of jobs as a partner runs it: jobs near a
// place, a job's page, an applicant's sign-in, and the form of a job in its
// language. Its lists come from a mirror, so they work when the board is down.
//
//	go -C market/examples/site run .
//
// It prints its address and serves until it is interrupted. Without settings it
// shows the jobs of the mock server, with applicants to sign in as. Settings are
// those of the other examples, and JOBBOARD_FEED, JOBBOARD_CLIENT_SECRET,
// JOBBOARD_AUTHORIZE_URL and JOBBOARD_TOKEN_URL for the sign-in.
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
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

func main() {
	log.SetFlags(0)
	addr := flag.String("addr", "127.0.0.1:8090", "`host:port` to listen on")
	origin := flag.String("origin", "", "`address` under which visitors reach the site; empty: that of -addr")
	database := flag.String("database", "", "`file` or postgres address of the mirror; empty: a temporary file")
	monitor := flag.String("monitor", "", "`host:port` to serve Prometheus's page /metrics at; empty: nowhere")
	var announcing jobpublish.AnnouncerConfig
	flag.StringVar(&announcing.Key, "indexnow", "", "`key` by which search engines are told of pages that change; empty: they are not")
	flag.StringVar(&announcing.Endpoint, "indexnow-endpoint", "", "`address` that takes announcements; empty: IndexNow's own")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *origin, *database, *monitor, announcing); err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends here
	}
}

func run(ctx context.Context, addr, origin, database, monitor string, announcing jobpublish.AnnouncerConfig) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	origin = strings.TrimRight(cmp.Or(origin, "http://"+listener.Addr().String()), "/")
	b := boardOf(origin)
	if b.fake != nil {
		defer b.fake.Close()
	}
	if database == "" {
		folder, err := os.MkdirTemp("", "site")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }()
		database = filepath.Join(folder, "jobs.db")
	}
	measured := metric.NewManualReader()
	b.mirror.MeterProvider = metric.NewMeterProvider(metric.WithReader(measured))
	mirror, err := jobmirror.Open(ctx, database, b.mirror)
	if err != nil {
		return err
	}
	defer func() { _ = mirror.Close() }()
	s, err := newSite(b, mirror, origin)
	if err != nil {
		return err
	}
	var announcer *jobpublish.Announcer // nil: search engines are told of nothing
	if announcing.Key != "" {
		if announcer, err = s.announcer(announcing); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	running := make(chan error, 1)
	go func() { running <- mirror.Run(ctx) }()
	if announcer != nil {
		go func() { _ = s.jobs.Announce(ctx, announcer) }() // ends with ctx
	}

	server := &http.Server{
		Handler: s, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second,
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(grace)
	}()
	log.Print(origin + "/")
	if monitor != "" {
		if err := serveMetrics(ctx, monitor, measured); err != nil {
			log.Print(err)
		}
	}
	err = server.Serve(listener)
	stop()
	<-answered // running pages still use the database
	mirrored := <-running
	if errors.Is(err, http.ErrServerClosed) && errors.Is(mirrored, context.Canceled) {
		return nil
	}
	return errors.Join(err, mirrored)
}

// board holds the settings of the board with the jobs.
type board struct {
	config jobboard.Config
	mirror jobmirror.Options
	oauth  oauth2.Config
	fake   *jobboardtest.Server // nil: a real board
}

// boardOf reads the settings. If none is set, it starts the mock server.
func boardOf(origin string) board {
	b := board{config: jobboard.Config{
		BaseURL:  os.Getenv("JOBBOARD_BASE_URL"),
		JobDBURL: os.Getenv("JOBBOARD_JOBDB_URL"),
		ClientID: os.Getenv("JOBBOARD_CLIENT_ID"),
	}}
	b.oauth = oauth2.Config{
		ClientID: b.config.ClientID, ClientSecret: os.Getenv("JOBBOARD_CLIENT_SECRET"),
		Endpoint: oauth2.Endpoint{AuthURL: os.Getenv("JOBBOARD_AUTHORIZE_URL"), TokenURL: os.Getenv("JOBBOARD_TOKEN_URL")},
	}
	channel, feed := os.Getenv("JOBBOARD_CHANNEL"), os.Getenv("JOBBOARD_FEED")
	if b.config.BaseURL == "" {
		b.fake = jobboardtest.NewServer(jobboardtest.WithDemo())
		demo := b.fake.Demo
		b.config = jobboard.Config{BaseURL: b.fake.BaseURL, JobDBURL: b.fake.JobDBURL, ClientID: demo.ClientID}
		channel, feed = demo.Channel, b.fake.FeedURL
		b.oauth.ClientID = demo.ClientID
		b.oauth.Endpoint = oauth2.Endpoint{AuthURL: b.fake.AuthURL, TokenURL: b.fake.TokenURL}
	}
	b.mirror = jobmirror.Options{
		Config: b.config, RefreshEvery: 5 * time.Minute,
		Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(channel), Languages: []string{"de", "en"}}},
	}
	if feed != "" {
		b.mirror.Feeds = []jobmirror.Feed{{Address: feed}}
	}
	return b
}

// site answers visitors.
type site struct {
	http.Handler
	client *jobboard.Client
	jobs   *jobsite.Site
	mirror *jobmirror.Mirror
	signIn *jobsite.SignIn // nil: the settings name no sign-in of the board
	origin string
	files  *http.ServeMux // files that caches may keep, served without a session
}

//go:embed pages style.css suggest.js icon.svg
var files embed.FS

var pages = func() map[string]*template.Template {
	all := map[string]*template.Template{}
	for _, name := range []string{"list", "job", "apply", "message"} {
		all[name] = template.Must(template.ParseFS(files, "pages/layout.html", "pages/"+name+".html"))
	}
	return all
}()

func newSite(b board, mirror *jobmirror.Mirror, origin string) (*site, error) {
	client, err := jobboard.NewClient(b.config)
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(origin)
	if err != nil {
		return nil, err
	}
	s := &site{client: client, mirror: mirror, origin: origin}
	s.jobs, err = jobsite.New(mirror, jobsite.Config{
		URL: origin, Languages: []string{german.Lang, english.Lang}, Failed: s.failed, Logger: slog.Default(),
	})
	if err != nil {
		return nil, err
	}
	own := http.NewServeMux() // the pages with a visitor's session
	for pattern, handle := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /{$}":                  s.list,
		"GET /suggest":              s.suggest,
		"GET /job/{job}/{words...}": s.job,
		"GET /apply/{job}":          s.apply, "POST /apply/{job}": s.apply,
		"GET /signin": func(http.ResponseWriter, *http.Request) error { return statusError(http.StatusNotImplemented) },
	} {
		own.HandleFunc(pattern, s.jobs.Handle(handle))
	}
	mux := http.NewServeMux()
	s.files = mux
	mux.Handle("GET /style.css", http.FileServerFS(files))
	mux.Handle("GET /icon.svg", http.FileServerFS(files))
	mux.Handle("GET /suggest.js", http.FileServerFS(files))
	if err := s.publish(mux, address.Host, b.mirror.Channels[0].ID); err != nil {
		return nil, err
	}
	visited := s.jobs.Pages(own)
	if b.oauth.Endpoint.AuthURL != "" {
		if s.signIn, err = s.newSignIn(b.oauth); err != nil {
			return nil, err
		}
		visited = s.signIn.Handler(visited)
	}
	mux.Handle("/", visited)
	s.Handler = s.headers(http.NewCrossOriginProtection().Handler(mux))
	return s, nil
}

// newSignIn lets applicants sign in at the board. Their sessions are in memory; after a
// restart, signing in again takes one click.
func (s *site) newSignIn(board oauth2.Config) (*jobsite.SignIn, error) {
	return jobsite.NewSignIn(jobsite.SignInConfig{
		Client: s.client, Copy: s.jobs.Client(), URL: s.origin, OAuth2: board, Logger: slog.Default(), Failed: s.failed,
	})
}

// visitor returns the signed-in visitor of a request.
func (s *site) visitor(r *http.Request) (*jobsite.Visitor, bool) {
	if s.signIn == nil {
		return nil, false
	}
	return s.signIn.Visitor(r)
}

// precheck asks the board whether the visitor may apply.
func (s *site) precheck(r *http.Request, id jobboard.JobID, w words) jobsite.Outcome {
	if s.signIn == nil {
		return jobsite.Outcome{
			Situation: jobsite.SignInFirst, Text: w.texts.Situation(jobsite.SignInFirst), Status: http.StatusForbidden,
		}
	}
	return s.signIn.Precheck(r, id, w.texts)
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
	_ = s.render(w, status, "message", message{s.page(r), s.jobs.Instead(w, r, status)})
}

// page holds the data that every template needs.
type page struct {
	W        words
	SignedIn bool
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
	_, signedIn := s.visitor(r)
	query := jobsite.ReadQuery(r)
	list, _ := jobsite.ParseList(query)
	p := page{W: s.words(r), SignedIn: signedIn, Path: r.URL.Path, query: query}
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
		if key != "after" && key != "code" && key != "state" {
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
