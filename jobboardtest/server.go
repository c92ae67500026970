package jobboardtest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Server is a running fake. BaseURL and JobDBURL are the two addresses of the
// interface, without a slash at the end.
type Server struct {
	BaseURL  string
	JobDBURL string

	// Demo says what WithDemo put in; zero without that option.
	Demo DemoInfo

	cfg     config
	ctx     context.Context // ends at Close
	cancel  context.CancelFunc
	ending  context.Context // ends at Shutdown, for what would never end by itself
	end     context.CancelFunc
	servers []*http.Server
	serving sync.WaitGroup // the Serve loops
	client  *http.Client
	base    endpointRoot
	jobDB   endpointRoot

	mu       sync.RWMutex
	st       *state
	initial  State // what Reset goes back to
	variants atomic.Pointer[Variants]
	saver    saver

	clockMu sync.Mutex
	clock   func() time.Time
	ahead   time.Duration

	faults  faults
	journal journal
	mounts  mounts

	closing  sync.Mutex
	closed   bool
	inflight sync.WaitGroup
}

// endpointRoot is the host and path prefix of one address.
type endpointRoot struct{ host, prefix string }

func (r endpointRoot) url() string { return "http://" + r.host + r.prefix }

type config struct {
	base, jobDB             net.Listener // nil: a free port of 127.0.0.1
	basePrefix, jobDBPrefix string
	noSockets               bool
	strict                  bool
	demo                    bool
	state                   *State
	variants                Variants
	clock                   func() time.Time
	report                  func(violation string)
	log                     func(refusal string)
}

// Option changes how a Server starts.
type Option func(*config)

// WithoutSockets serves over in-memory connections, which only Client and
// Transport reach. Inside a testing/synctest bubble an idle server made so is
// durably blocked, and Close ends every goroutine of it.
func WithoutSockets() Option { return func(c *config) { c.noSockets = true } }

// WithStrict sets whether a request outside the interface is refused, with
// status 400, 404 or 405 and a sentence that names the rule and its section, or
// answered as well as it can be. The default is true for New, where such a
// request also fails the test, and false for NewServer.
func WithStrict(strict bool) Option { return func(c *config) { c.strict = strict } }

// WithListeners serves the two addresses on listeners of your own, which the
// server closes. In place of a nil one, and without this option, it listens on a
// free port of 127.0.0.1. A listener on every address, such as "0.0.0.0:8080", is
// 127.0.0.1 in the URLs.
func WithListeners(base, jobDB net.Listener) Option {
	return func(c *config) { c.base, c.jobDB = base, jobDB }
}

// WithPrefix sets the path prefixes of the two addresses. The default is
// "/board" and "/info".
func WithPrefix(base, jobDB string) Option {
	return func(c *config) { c.basePrefix, c.jobDBPrefix = base, jobDB }
}

// WithVariants sets the switches at the start.
func WithVariants(v Variants) Option { return func(c *config) { c.variants = v } }

// WithClock sets the clock at the start; see [Server.SetClock].
func WithClock(now func() time.Time) Option { return func(c *config) { c.clock = now } }

// WithState sets the state at the start. It counts more than WithDemo. The state's
// switches hold too, unless WithVariants sets others.
func WithState(in State) Option { return func(c *config) { c.state = &in } }

// NewServer starts a fake. The caller closes it. It panics where it cannot listen or
// use an option: an unknown variant, a state that contradicts itself, a prefix that
// is no path.
func NewServer(opts ...Option) *Server {
	s, err := start(opts)
	if err != nil {
		panic(err)
	}
	return s
}

func start(opts []Option) (*Server, error) {
	cfg := config{basePrefix: "/board", jobDBPrefix: "/info", report: func(string) {}, log: func(string) {}}
	for _, o := range opts {
		o(&cfg)
	}
	for _, p := range []*string{&cfg.basePrefix, &cfg.jobDBPrefix} {
		if *p = strings.Trim(*p, "/"); *p != "" {
			*p = "/" + *p
		}
		if (&url.URL{Path: *p}).EscapedPath() != *p {
			return nil, fmt.Errorf("jobboardtest: the prefix %q is not a plain path", *p)
		}
	}
	if err := cfg.variants.Check(); err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, st: newState(), saver: saver{dirty: make(chan struct{}, 1)},
		mounts: mounts{at: map[string]http.Handler{}}, journal: journal{counts: map[Operation]int{}},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.ending, s.end = context.WithCancel(s.ctx)
	s.SetClock(cfg.clock)
	s.variants.Store(&cfg.variants)
	s.Mount(feedPath, http.HandlerFunc(s.serveFeed))
	err := s.fill()
	if err == nil {
		err = s.listen()
	}
	if err != nil {
		s.cancel()
		return nil, err
	}
	return s, nil
}

// listen begins to serve both addresses.
func (s *Server) listen() error {
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	s.client = &http.Client{Transport: transport}
	base, jobDB := s.cfg.base, s.cfg.jobDB
	if s.cfg.noSockets {
		// The ports are made up: nothing listens there, so that a client without this
		// server's transport is refused instead of finding something else.
		in := pipes{newPipeListener("127.0.0.1:1"), newPipeListener("127.0.0.1:2")}
		base, jobDB, transport.DialContext = in[0], in[1], in.dial
	}
	base, err := orLocal(base)
	if err != nil {
		return err
	}
	jobDB, err = orLocal(jobDB)
	if err != nil {
		base.Close()
		return err
	}
	s.base = endpointRoot{reachable(base.Addr()), s.cfg.basePrefix}
	s.jobDB = endpointRoot{reachable(jobDB.Addr()), s.cfg.jobDBPrefix}
	s.BaseURL, s.JobDBURL = s.base.url(), s.jobDB.url()
	s.serveOn(base, baseAddress)
	s.serveOn(jobDB, jobDBAddress)
	return nil
}

// orLocal returns a listener that was given, or one on a free port.
func orLocal(given net.Listener) (net.Listener, error) {
	if given != nil {
		return given, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("jobboardtest: %w", err)
	}
	return l, nil
}

func (s *Server) serveOn(l net.Listener, at address) {
	srv := &http.Server{ //nolint:gosec // time-outs below, where time is not virtual
		Handler:     s.handler(at),
		BaseContext: func(net.Listener) context.Context { return s.ctx },
		ErrorLog:    log.New(io.Discard, "", 0), // what is broken here is broken on purpose
	}
	if !s.cfg.noSockets {
		srv.ReadHeaderTimeout, srv.ReadTimeout, srv.IdleTimeout = bodyTimeout, 10*bodyTimeout, 10*bodyTimeout
	}
	s.servers = append(s.servers, srv)
	s.serving.Go(func() { _ = srv.Serve(l) })
}

// reachable returns a listener's host and port for a URL: the loopback's where it
// listens on every address.
func reachable(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return a.String()
}

// Client returns an http.Client that reaches both addresses, with sockets or
// without. It shares its connections with no other server's.
func (s *Server) Client() *http.Client { return s.client }

// Handler serves both addresses at one place, for a server of your own: with
// the path prefixes, whatever the host. Where both prefixes are empty the paths
// tell the two apart.
func (s *Server) Handler() http.Handler { return s.handler(anyAddress) }

func (s *Server) handler(at address) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(at, w, r) })
}

// Mount serves a path of {base_url}, and all paths below it, with a handler of
// your own, which sees the path without the prefix. Such requests are no part of
// the interface: no fault hits them, and the journal leaves them out. Of two paths
// that fit, the longer one counts; "/" is that path alone. A nil handler takes a
// path away.
func (s *Server) Mount(path string, h http.Handler) {
	s.mounts.mu.Lock()
	defer s.mounts.mu.Unlock()
	s.mounts.at["/"+strings.Trim(path, "/")] = h
}

type mounts struct {
	mu sync.RWMutex
	at map[string]http.Handler // nil ones were taken away
}

// find returns the handler of the longest path that p is or is below of; nil:
// there is none.
func (m *mounts) find(p string) http.Handler {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for at := p; at != ""; at = at[:strings.LastIndexByte(at, '/')] {
		if h := m.at[at]; h != nil && (at != "/" || p == "/") {
			return h
		}
	}
	return nil
}

// enter counts a request in, unless the server is closed.
func (s *Server) enter() bool {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.closed {
		return false
	}
	s.inflight.Add(1)
	return true
}

// joined returns a context that ends when either does.
func joined(a, b context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(a)
	stop := context.AfterFunc(b, cancel)
	return ctx, func() { stop(); cancel() }
}

// Close ends the server and everything it still serves, waits until all its
// goroutines have ended, and saves if it was asked to. It may be called twice.
func (s *Server) Close() {
	s.closing.Lock()
	s.closed = true
	s.closing.Unlock()
	s.cancel()
	for _, srv := range s.servers {
		srv.Close()
	}
	s.serving.Wait()
	s.inflight.Wait()
	s.client.CloseIdleConnections()
	s.saver.mu.Lock()
	defer s.saver.mu.Unlock()
	s.saver.leave()
}

// Shutdown lets the requests that are being served finish until the context ends,
// and then closes the server. Answers that a fault stalls or makes endless are
// broken off at once. The error is the context's, or that of the last saving.
func (s *Server) Shutdown(ctx context.Context) error {
	s.end()
	var late error
	for _, srv := range s.servers {
		if err := srv.Shutdown(ctx); err != nil {
			late = err
		}
	}
	s.Close()
	return cmp.Or(s.SaveError(), late)
}

// OnShutdown calls f once, when Shutdown begins or, without it, at Close. It is for
// a mounted handler whose answers would not end by themselves and keep Shutdown
// waiting.
func (s *Server) OnShutdown(f func()) { context.AfterFunc(s.ending, f) }
