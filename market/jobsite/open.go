package jobsite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2/clientcredentials"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/baseurl"
	"github.com/jobboard-sdk/jobboard-go/market/internal/clienttoken"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
)

// Settings describes a whole site to Open. Board and Channels are required, and Addr or
// Site.URL.
type Settings struct {
	// Board has the addresses of the board and the site's credential. Unlike in [jobboard.NewClient], ClientID
	// may stand beside TokenSource, which then counts alone: the ClientID may be that of the site's sign-in.
	Board        jobboard.Config
	ClientSecret string // the secret of Board.ClientID, for tokens in place of the identifier
	// TokenURL gives a token for ClientSecret; empty: /api/rest/oauth/frontend/token below Board.BaseURL.
	TokenURL string

	Channels []jobboard.ChannelID // channels of the site's postings, copied in the languages of Site
	Feeds    []string             // job feeds, which tell the jobs of the postings: files or addresses
	// Database is the file or the postgres address of the copy. Empty: a temporary file,
	// which Close removes, so that the next start copies everything anew.
	Database string

	Addr string // host:port on which Run listens, such as "127.0.0.1:8080"; empty: Run does not serve
	Name string // name of the site, for the head of its pages and the title of its feeds; empty: the host of its address
	Logo string // path of the site's logo, for the head of its pages; empty: it has none
	// Site describes the pages. Without URL it is http and the address of the listener, so a
	// site behind a proxy sets it. Languages without an element are "de" and "en".
	Site Config

	EditMirror func(*jobmirror.Options) // changes the options of the copy; nil: nothing
	EditFeeds  func(*jobpublish.Config) // changes the feeds; nil: nothing
	Logger     *slog.Logger             // logs failures of all parts, and the address; nil: slog.Default()
}

// hidden is printed in place of a credential, as the client prints it.
const hidden = "[hidden]"

// Format prints the settings without their credentials and without the address of the database,
// which may hold a password.
func (s Settings) Format(f fmt.State, verb rune) {
	type plain Settings // the same fields without the method Format
	if s.ClientSecret != "" {
		s.ClientSecret = hidden
	}
	if s.Database != "" {
		s.Database = hidden
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), plain(s))
}

// Marketplace is a whole site that Open has opened: the parts, which a program may also use by
// themselves, and a server of its pages. Several goroutines may call its methods at the same time.
type Marketplace struct {
	URL    string            // address of the site, without a slash at its end
	Name   string            // name of the site
	Logo   string            // path of its logo; empty: it has none
	Client *jobboard.Client  // asks the board
	Mirror *jobmirror.Mirror // the copy
	Site   *Site             // the pages of its jobs
	Feeds  *jobpublish.Feeds // serves the sitemap, the feeds and others that are added to Mux
	// Mux serves what is the same for every visitor: files, tools of assistants, metrics. Its
	// answers set no cookie. It comes before the pages, so its patterns name paths.
	Mux *http.ServeMux
	// Middleware goes around the pages of Page alone, such as the sessions of a sign-in; nil: nothing does.
	// Set it before Run or Handler.
	Middleware func(http.Handler) http.Handler
	// Server is the server of Run. Run sets its Handler if that is nil.
	Server *http.Server

	pages, built *http.ServeMux // the pages of Page; sitemap, feeds, robots.txt, health
	listener     net.Listener   // nil: Run does not serve
	readOnly     bool           // another process refreshes the copy
	temporary    string         // folder of the database, to remove; empty: none
	logger       *slog.Logger
	ending       atomic.Bool // Run is draining
	closing      sync.Once
	closed       error
}

// Open opens a site: a client of the board, the copy of its jobs, their pages, and sitemap
// and feeds. It listens on Settings.Addr, which Run then serves; Close releases everything.
// Its error joins a *ConfigError for each mistake in the settings that Open itself finds, or is
// the error of the part that refuses its settings, such as [jobmirror.Open].
//
//	site, err := jobsite.Open(ctx, settings)
//	if err != nil {
//		return err
//	}
//	site.Page("GET /{$}", func(w http.ResponseWriter, r *http.Request) error {
//		found, err := site.Site.Search(r)
//		if err != nil {
//			return err // the status, Retry-After and a sentence
//		}
//		return list.Execute(w, found)
//	})
//	return site.Run(ctx)
func Open(ctx context.Context, s Settings) (m *Marketplace, err error) {
	if err := s.complete(); err != nil {
		return nil, err
	}
	m = &Marketplace{
		Mux: http.NewServeMux(), pages: http.NewServeMux(), built: http.NewServeMux(), logger: s.Logger,
		Server: &http.Server{
			ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second,
			IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(s.Logger.Handler(), slog.LevelError),
		},
	}
	if err := m.open(ctx, &s); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// complete checks the settings and fills in their defaults.
func (s *Settings) complete() error {
	sentTo := s.TokenURL != "" // a secret, or the code of an applicant by a sign-in of the caller's
	s.setDefaults()
	var wrong []error
	add := func(field, reason string) { wrong = append(wrong, &ConfigError{"Settings." + field, reason}) }
	if s.Site.URL == "" && s.Addr == "" {
		add("Addr", "is empty, and so is Settings.Site.URL: the site has no address")
	}
	if s.ClientSecret != "" && s.Board.ClientID == "" {
		add("ClientSecret", "is set without Settings.Board.ClientID")
	}
	sentTo = sentTo || s.ClientSecret != "" && s.TokenURL != ""
	if sentTo && !confidential(s.TokenURL) && !s.Board.AllowInsecure {
		add("TokenURL", "is not https, and its host is not this machine: a secret would be readable on the way")
	}
	return errors.Join(wrong...)
}

func (s *Settings) setDefaults() {
	if s.Logger == nil {
		s.Logger = slog.Default()
	}
	if s.Site.Logger == nil {
		s.Site.Logger = s.Logger
	}
	if len(s.Site.Languages) == 0 {
		s.Site.Languages = []string{"de", "en"}
	}
	if s.TokenURL == "" && s.Board.BaseURL != "" {
		if base, ok := baseurl.Parse(s.Board.BaseURL, "/api/rest"); ok { // else NewClient says what is wrong with it
			s.TokenURL = base.String() + "/api/rest/oauth/frontend/token"
		}
	}
}

// confidential reports whether a request to an address is protected on its way: the address is
// https, or its host is loopback. The client sends credentials by the same rule.
func confidential(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	ip, err := netip.ParseAddr(host)
	return u.Scheme == "https" || u.Scheme == "http" && (host == "localhost" || err == nil && ip.Unmap().IsLoopback())
}

func (m *Marketplace) open(ctx context.Context, s *Settings) (err error) {
	if s.Addr != "" {
		if m.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", s.Addr); err != nil {
			return err
		}
		s.Site.URL = cmp.Or(s.Site.URL, "http://"+visited(m.listener.Addr().String()))
	}
	site, ok := siteURL(s.Site.URL)
	if !ok {
		return &ConfigError{"Settings.Site.URL", noSiteURL}
	}
	m.URL = site.Scheme + "://" + site.Host
	m.Name, m.Logo = cmp.Or(s.Name, site.Hostname()), s.Logo
	s.setToken()
	if m.Client, err = jobboard.NewClient(s.Board); err != nil {
		return err
	}
	if err = m.openMirror(ctx, s); err != nil {
		return err
	}
	if m.Site, err = New(m.Mirror, s.Site); err != nil {
		return err
	}
	return m.publish(s)
}

// visited returns the address under which a browser on this machine reaches a listener.
func visited(listens string) string {
	if at, err := netip.ParseAddrPort(listens); err == nil && at.Addr().IsUnspecified() {
		return fmt.Sprintf("localhost:%d", at.Port())
	}
	return listens
}

// Transport returns the transport for requests to a board that are not calls of a client, such as one
// for a token: that of its HTTPClient, or net/http's with its settings of TLS. It notices an HTTP/2
// connection that went silent, on which all later requests would wait.
func Transport(board *jobboard.Config) http.RoundTripper {
	if h := board.HTTPClient; h != nil && h.Transport != nil {
		return h.Transport
	}
	next, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport // a program's own
	}
	next = next.Clone()
	next.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second}
	if board.TLS != nil {
		next.TLSClientConfig = board.TLS.Clone()
	}
	return next
}

// setToken sets the source of tokens for an identifier with a secret. NewClient refuses an
// identifier beside a source, so setToken removes it.
func (s *Settings) setToken() {
	if s.Board.TokenSource == nil && s.ClientSecret == "" {
		return
	}
	if s.Board.TokenSource == nil {
		cc := clientcredentials.Config{ClientID: s.Board.ClientID, ClientSecret: s.ClientSecret, TokenURL: s.TokenURL}
		s.Board.TokenSource = clienttoken.Source(cc, Transport(&s.Board), nil)
	}
	s.Board.ClientID = ""
}

func (m *Marketplace) openMirror(ctx context.Context, s *Settings) (err error) {
	opts := jobmirror.Options{Config: s.Board, Logger: s.Logger}
	for _, id := range s.Channels {
		opts.Channels = append(opts.Channels, jobmirror.Channel{ID: id, Languages: s.Site.Languages})
	}
	for _, address := range s.Feeds {
		opts.Feeds = append(opts.Feeds, jobmirror.Feed{Address: address})
	}
	if s.EditMirror != nil {
		s.EditMirror(&opts)
	}
	if m.readOnly = opts.ReadOnly; len(opts.Channels) == 0 && !m.readOnly {
		return &ConfigError{"Settings.Channels", "is empty: the site would have no jobs"}
	}
	database := s.Database
	if database == "" {
		if m.temporary, err = os.MkdirTemp("", "jobsite-"); err != nil {
			return err
		}
		database = filepath.Join(m.temporary, "jobs.db")
	}
	m.Mirror, err = jobmirror.Open(ctx, database, opts)
	return err
}

// publish opens the feeds, and registers them and what else every site serves.
func (m *Marketplace) publish(s *Settings) (err error) {
	cfg := jobpublish.Config{
		URL: m.URL + "/", Title: m.Name, Language: s.Site.Languages[0], Jobs: m.Site.Jobs, Logger: s.Logger,
	}
	if s.EditFeeds != nil {
		s.EditFeeds(&cfg)
	}
	if m.Feeds, err = jobpublish.NewFeeds(cfg); err != nil {
		return err
	}
	m.built.Handle("GET /sitemap.xml", m.Feeds.Sitemap("/sitemap.xml"))
	m.built.Handle("GET /jobs.rss", m.Feeds.RSS("/jobs.rss"))
	m.built.Handle("GET /jobs.atom", m.Feeds.Atom("/jobs.atom"))
	// An importer that knows the address of a feed that the site had shall forget it.
	m.built.HandleFunc("GET /jobs.feed.json", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "This feed is gone. The jobs are in /jobs.rss, /jobs.atom and /sitemap.xml.", http.StatusGone)
	})
	m.built.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintf(w, "User-agent: *\nAllow: /\nSitemap: %s/sitemap.xml\n", m.URL)
	})
	m.built.HandleFunc("GET /live", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		_, _ = io.WriteString(w, "live\n")
	})
	m.built.HandleFunc("GET /ready", m.ready)
	return nil
}
