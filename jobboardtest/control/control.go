package control

import (
	"context"
	"crypto/rand"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// Path holds the path of the control interface below {base_url}, where Mount serves it.
// No path of the interface begins with it.
const Path = "/_fake"

// Control is the control interface of one server, an http.Handler for the paths
// of its OpenAPI document.
type Control struct {
	srv    *jobboardtest.Server
	inside inside
	hosts  []string // further host names that requests may use
	mux    *http.ServeMux
	cross  *http.CrossOriginProtection
	// instance identifies this server, so that a page notices that a new server
	// runs at its address.
	instance string
	url      atomic.Pointer[string]

	ending context.Context // ends at the server's shutdown, and with it waits

	writing  sync.Mutex  // held during a change, so that changes which read the state first are atomic
	setClock bool        // guarded by writing
	stopped  atomic.Bool // the clock stands still
}

// New returns the control interface of a server, to be served below a path that
// is stripped (http.StripPrefix), or at the root of a listener of its own.
//
// It answers requests whose Host is an IP address, a name without a dot such as
// localhost or a container's, or a name ending in .localhost, .internal or
// .test. It refuses any other name, unless it is one of hosts: a web page could
// point such a name at this machine, and drive the mock server through its
// visitor's browser.
func New(srv *jobboardtest.Server, hosts ...string) *Control {
	ending, end := context.WithCancel(context.Background())
	c := &Control{
		srv: srv, inside: reach(srv), hosts: hosts, mux: http.NewServeMux(), cross: http.NewCrossOriginProtection(),
		ending: ending, instance: rand.Text(),
	}
	c.inside.OnShutdown(end)
	c.SetURL("")
	for _, r := range c.routes() {
		c.mux.Handle(r.method+" "+r.path, c.handler(r))
	}
	return c
}

// Mount serves the control interface of a server at Path of its base address,
// and returns the address of the page. The path / of the base address leads
// there. hosts are further names that it answers to; see New.
func Mount(srv *jobboardtest.Server, hosts ...string) string {
	c := New(srv, hosts...)
	url := srv.BaseURL + Path + "/"
	c.SetURL(url)
	c.inside.Mount(Path, http.StripPrefix(Path, c))
	c.inside.Mount("/", http.RedirectHandler(url, http.StatusFound))
	return url
}

// Listen serves the control interface of a server at a host:port of its own until the
// server shuts down, and returns the address of the page. The path / of the base
// address leads there. hosts are further names that it answers to; see New.
func Listen(srv *jobboardtest.Server, addr string, hosts ...string) (string, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", err
	}
	at := l.Addr().String()
	if every, err := netip.ParseAddrPort(at); err == nil && every.Addr().IsUnspecified() {
		// A URL needs one address, not "every address".
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), every.Port()).String()
	}
	url := "http://" + at + "/"
	c := New(srv, hosts...)
	c.SetURL(url)
	c.inside.Mount("/", http.RedirectHandler(url, http.StatusFound))
	s := &http.Server{Handler: c, ReadHeaderTimeout: 30 * time.Second}
	go func() { _ = s.Serve(l) }()
	c.inside.OnShutdown(func() {
		_ = l.Close() // the closing server accepts no more requests
		go func() {
			ending, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			_ = s.Shutdown(ending) // answers that run longer end with the program
		}()
	})
	return url, nil
}

// SetURL sets the address of the control interface that the call info returns. Mount
// sets it by itself.
func (c *Control) SetURL(url string) { c.url.Store(&url) }

// ServeHTTP implements http.Handler.
func (c *Control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if r.Body != http.NoBody { // an embedding server may not support deadlines; net/http clears them
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	}
	if err := c.admit(r); err != nil {
		writeFailure(w, err)
		return
	}
	if r.URL.Path == "" { // the page's address ends in a slash
		p, _, _ := strings.Cut(r.RequestURI, "?")
		h.Set("Location", path.Base(p)+"/")
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	if path.Clean(r.URL.Path) != r.URL.Path { // ServeMux would redirect to a path without the stripped prefix
		writeFailure(w, noPath())
		return
	}
	if _, pattern := c.mux.Handler(r); pattern == "" {
		writeFailure(w, c.lost(w, r))
		return
	}
	c.mux.ServeHTTP(w, r)
}

// lost returns the error for a request without a route: status 405 if the path
// has routes for other methods, status 404 otherwise.
func (c *Control) lost(w http.ResponseWriter, r *http.Request) error {
	var allowed []string
	for _, m := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		try := r.Clone(r.Context())
		try.Method = m
		if _, pattern := c.mux.Handler(try); pattern != "" {
			allowed = append(allowed, m)
		}
	}
	if len(allowed) == 0 {
		return noPath()
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return refuse(http.StatusMethodNotAllowed, "this path takes %s, not %s",
		strings.Join(allowed, " and "), clip(r.Method))
}

func noPath() error { return notFound("there is no such path; openapi.json lists them") }
