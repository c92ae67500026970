package jobboardtest

import (
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
	"syscall"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/inprocess"
)

// Server is a running mock server of the board, which stands in for the real service
// in tests. Any number of goroutines may call its methods. Its addresses do not end
// in a slash.
type Server struct {
	BaseURL  string // {base_url} of the interface
	JobDBURL string // {jobdb_url} of the interface

	// TokenURL is the address of the token endpoint.
	TokenURL string

	// AuthURL is the address of the page on which an applicant signs in: a person
	// chooses an applicant there, and is sent back to the client with a code.
	// Parameters are those of RFC 6749, section 4.1, with state, and of RFC 7636
	// (S256), which a client without a secret must send; a strict server asks
	// everyone for both.
	AuthURL string

	// FeedURL is the address of a job feed of the server's jobs: XML of the HR-XML
	// family, with the identifier in PositionRecordInfo, Id, IdValue. It holds the
	// jobs that were published and not deleted, the inactive ones too, because a
	// feed of the service lags behind its jobs. An entry names its postings
	// (PositionPosting, Id, IdValue) with their links; Variants takes either away.
	// The feed needs no credential, no fault hits it, and the journal leaves it out.
	FeedURL string

	// Demo names what WithDemo put in; it is zero without that option.
	Demo DemoInfo

	core
	cfg     config
	initial State // the state that inside.Reset restores
	cancel  context.CancelFunc
	end     context.CancelFunc
	servers []*http.Server
	serving sync.WaitGroup // the Serve loops
	endings sync.WaitGroup // running functions of inside.OnShutdown
	client  *http.Client
}

// NewServer starts a server. The caller closes it. It panics if it cannot listen or if
// an option is wrong: an unknown variant, a state that contradicts itself, a prefix
// that is no path.
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
	s := &Server{cfg: cfg, core: core{
		strict: cfg.strict, report: cfg.report, log: cfg.log,
		mounts: mounts{at: map[string]http.Handler{}}, journal: journal{counts: map[Operation]int{}},
	}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.ending, s.end = context.WithCancel(s.ctx)
	s.clock.set(cfg.clock)
	s.mounts.mount(feedPath, http.HandlerFunc(s.serveFeed))
	s.mounts.mount(jobPages, http.HandlerFunc(s.serveApplyPage))
	s.mounts.mount(postingPages, http.HandlerFunc(s.serveApplyPage))
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

// fill makes the server's first state: that of WithState, the demo, or an empty
// state.
func (s *Server) fill() error {
	in := State{}
	switch {
	case s.cfg.state != nil:
		in = *s.cfg.state
	case s.cfg.demo:
		in = demoAt(s.clock.now())
	}
	st, err := in.build(s.clock.now())
	if err != nil {
		return err
	}
	s.st, s.Demo = st, in.Demo
	s.variants.Store(&s.cfg.variants)
	if s.cfg.variants == (Variants{}) {
		s.variants.Store(&in.Variants)
	}
	s.initial = s.Snapshot()
	return nil
}

// listen begins to serve both addresses.
func (s *Server) listen() error {
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	s.client = &http.Client{Transport: transport}
	base, jobDB := s.cfg.base, s.cfg.jobDB
	if s.cfg.noSockets {
		// The ports are made up: nothing listens there, so that a client without this
		// server's transport is refused instead of finding something else.
		in := inprocess.Network{inprocess.Listen("127.0.0.1:1"), inprocess.Listen("127.0.0.1:2")}
		base, jobDB, transport.DialContext = in[0], in[1], in.Dial
	}
	one := base != nil && base == jobDB
	if one && s.cfg.basePrefix == s.cfg.jobDBPrefix {
		return fmt.Errorf("jobboardtest: both addresses are at one listener, and have the one prefix %q", s.cfg.basePrefix)
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
	s.TokenURL, s.AuthURL, s.FeedURL = s.BaseURL+tokenPath, s.BaseURL+authorizePath, s.BaseURL+feedPath
	if one {
		s.serveOn(base, anyAddress)
		return nil
	}
	s.serveOn(base, baseAddress)
	s.serveOn(jobDB, jobDBAddress)
	return nil
}

// orLocal returns the given listener, or a new one on a free port of 127.0.0.1.
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
		ErrorLog:    log.New(io.Discard, "", 0), // errors here come from faults, on purpose
	}
	if !s.cfg.noSockets {
		srv.ReadHeaderTimeout, srv.ReadTimeout, srv.IdleTimeout = bodyTimeout, 10*bodyTimeout, 10*bodyTimeout
	}
	s.servers = append(s.servers, srv)
	s.serving.Go(func() { _ = srv.Serve(l) })
}

// reachable returns a listener's host and port for a URL: 127.0.0.1 if it listens
// on every address.
func reachable(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return a.String()
}

// Client returns an http.Client that reaches both addresses, with sockets or
// without. Clients of different servers share no connections.
func (s *Server) Client() *http.Client { return s.client }

// Handler returns a handler of both addresses, for a server of your own. It
// expects the path prefixes, and ignores the host. If both prefixes are empty,
// the paths tell the two addresses apart.
func (s *Server) Handler() http.Handler { return s.handler(anyAddress) }

func (s *Server) handler(at address) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(at, w, r) })
}

// Transport returns an http.RoundTripper that calls the server's handler
// directly, with no connection between. It refuses requests to hosts other than
// those of BaseURL and JobDBURL. Faults that break connections return the
// errors that a real connection would.
func (s *Server) Transport() http.RoundTripper { return directTransport{s} }

type directTransport struct{ s *Server }

// RoundTrip implements http.RoundTripper.
func (t directTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	at, err := t.s.dial(r)
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	return inprocess.RoundTrip(t.s.ctx, func(w http.ResponseWriter, r *http.Request) { t.s.serve(at, w, r) }, r)
}

// dial returns the address that a request goes to, or the error of a refused
// connection.
func (s *Server) dial(r *http.Request) (address, error) {
	at := baseAddress
	switch r.URL.Host {
	case s.base.host:
		if s.base.host == s.jobDB.host {
			at = anyAddress
		}
	case s.jobDB.host:
		at = jobDBAddress
	default:
		refused := fmt.Errorf("%w: no mock server at this host", syscall.ECONNREFUSED)
		return at, &net.OpError{Op: "dial", Net: "tcp", Err: refused}
	}
	switch {
	case r.URL.Scheme != "http":
		return at, fmt.Errorf("jobboardtest: the mock server speaks http, not %s", r.URL.Scheme)
	case r.Context().Err() != nil:
		return at, r.Context().Err()
	case s.ctx.Err() != nil:
		return at, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	return at, nil
}

// Close ends the server and all requests that it still serves, and waits until all
// its goroutines have ended. It may be called twice.
func (s *Server) Close() {
	s.closing.Lock()
	s.closed = true
	s.closing.Unlock()
	s.cancel()
	for _, srv := range s.servers {
		srv.Close()
	}
	s.serving.Wait()
	s.endings.Wait()
	s.inflight.Wait()
	s.client.CloseIdleConnections()
}

// Shutdown lets the requests that are being served finish until the context ends,
// and then closes the server. Answers that a fault stalls or makes endless are
// broken off at once. The error is the context's.
func (s *Server) Shutdown(ctx context.Context) error {
	s.end()
	var late error
	for _, srv := range s.servers {
		if err := srv.Shutdown(ctx); err != nil {
			late = err
		}
	}
	s.Close()
	return late
}
