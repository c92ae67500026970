package jobboard_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// forwardProxy listens on loopback, answers every request with 200, and keeps the
// request lines and Host lines that it gets.
type forwardProxy struct {
	net.Listener
	mu  sync.Mutex
	got []string
}

func newForwardProxy(t *testing.T) *forwardProxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &forwardProxy{Listener: l}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return p
}

// serve reads lines, because a server of net/http would not show what is malformed.
func (p *forwardProxy) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for first := true; ; first = false {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSuffix(line, "\r\n")
		if first || len(line) > 5 && strings.EqualFold(line[:5], "host:") {
			p.mu.Lock()
			p.got = append(p.got, line)
			p.mu.Unlock()
		}
		if line == "" {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			return
		}
	}
}

func (p *forwardProxy) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.got
	p.got = nil
	return got
}

// Behind a forward proxy the address of a request is a text: scheme, host, and what
// url.URL.RequestURI returns. A URL built by hand, for example from a user's text, must not
// change that host.
func TestTransportBehindAForwardProxy(t *testing.T) {
	proxy := newForwardProxy(t)
	cfg := jobboard.Config{
		BaseURL: "http://jobs.example/api", TokenSource: jobboard.StaticToken("t"), AllowInsecure: true,
		HTTPClient: &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: proxy.Addr().String()}), DisableKeepAlives: true,
		}},
		Retry: jobboard.RetryPolicy{MinWait: time.Millisecond, MaxWait: time.Millisecond},
	}
	budget := rig.WatchBudget(&cfg)
	client := rig.Client(t, cfg)
	for name, c := range map[string]struct {
		change func(*http.Request)
		wire   string // what the proxy gets; empty: nothing
	}{
		"a path":                        {func(r *http.Request) { r.URL.Path = "/x" }, "GET http://jobs.example/x HTTP/1.1"},
		"no path":                       {func(r *http.Request) { r.URL.Path = "" }, "GET http://jobs.example/ HTTP/1.1"},
		"a path that holds an @":        {func(r *http.Request) { r.URL.Path = "/@evil.example/x" }, "GET http://jobs.example/@evil.example/x HTTP/1.1"},
		"two slashes":                   {func(r *http.Request) { r.URL.Path = "//evil.example/x" }, "GET http://jobs.example//evil.example/x HTTP/1.1"},
		"a path that holds a line feed": {func(r *http.Request) { r.URL.Path = "/a\nb c" }, "GET http://jobs.example/a%0Ab%20c HTTP/1.1"},
		"an escaped path":               {func(r *http.Request) { r.URL.Path, r.URL.RawPath = "/a/b", "/a%2Fb" }, "GET http://jobs.example/a%2Fb HTTP/1.1"},
		"an escaped path of another":    {func(r *http.Request) { r.URL.Path, r.URL.RawPath = "/a", "@evil.example/x" }, "GET http://jobs.example/a HTTP/1.1"},
		"a query":                       {func(r *http.Request) { r.URL.RawQuery = "q=%20@evil.example/" }, "GET http://jobs.example/x?q=%20@evil.example/ HTTP/1.1"},
		"everything":                    {func(r *http.Request) { r.Method, r.URL.Path = "OPTIONS", "*" }, "OPTIONS http://jobs.example* HTTP/1.1"},

		"an @ without its slash":          {func(r *http.Request) { r.URL.Path = "@evil.example/x" }, ""},
		"a longer host":                   {func(r *http.Request) { r.URL.Path = ".evil.example/x" }, ""},
		"a port":                          {func(r *http.Request) { r.URL.Path = ":81/x" }, ""},
		"an escaped @ without its slash":  {func(r *http.Request) { r.URL.Path, r.URL.RawPath = "@evil.example/x", "%40evil.example/x" }, ""},
		"an escaped slash before an @":    {func(r *http.Request) { r.URL.Path, r.URL.RawPath = "/@evil.example/x", "%2F@evil.example/x" }, ""},
		"a path without its slash":        {func(r *http.Request) { r.URL.Path = "x" }, ""},
		"everything, with GET":            {func(r *http.Request) { r.URL.Path = "*" }, ""},
		"everything, with a query":        {func(r *http.Request) { r.Method, r.URL.Path, r.URL.RawQuery = "OPTIONS", "*", "@evil.example/" }, ""},
		"everything, and more":            {func(r *http.Request) { r.Method, r.URL.Path = "OPTIONS", "*.evil.example" }, ""},
		"an escaped asterisk":             {func(r *http.Request) { r.Method, r.URL.Path, r.URL.RawPath = "OPTIONS", "*", "%2A" }, ""},
		"a query with a space":            {func(r *http.Request) { r.URL.RawQuery = "q=a HTTP/1.1" }, ""},
		"a query with a line feed":        {func(r *http.Request) { r.URL.RawQuery = "q=a\r\nX-Y: z" }, ""},
		"a query with DEL":                {func(r *http.Request) { r.URL.RawQuery = "q=\x7f" }, ""},
		"a host with a space":             {func(r *http.Request) { r.URL.Host = "jobs.example " }, ""},
		"a Host with a space":             {func(r *http.Request) { r.Host = "jobs.example " }, ""},
		"a host with a line feed":         {func(r *http.Request) { r.URL.Host = "jobs.example:80\r\nX: y" }, ""},
		"an opaque address":               {func(r *http.Request) { r.URL.Opaque = "//evil.example/x" }, ""},
		"a user":                          {func(r *http.Request) { r.URL.User = url.UserPassword("u", "p") }, ""},
		"a Host that is folded to ours":   {func(r *http.Request) { r.Host = "job\u017f.example" }, ""},
		"a host that is lowered to ours":  {func(r *http.Request) { r.URL.Host = "\u212aobs.example" }, ""},
		"another Host":                    {func(r *http.Request) { r.Host = "evil.example" }, ""},
		"another Host, as a header":       {func(r *http.Request) { r.Header.Set("Host", "evil.example") }, "GET http://jobs.example/x HTTP/1.1"},
		"another Host, as a header, low":  {func(r *http.Request) { r.Header["host"] = []string{"evil.example"} }, "GET http://jobs.example/x HTTP/1.1"},
		"another Host, as a header, HIGH": {func(r *http.Request) { r.Header["HOST"] = []string{"evil.example"} }, "GET http://jobs.example/x HTTP/1.1"},
	} {
		proxy.take()
		req := rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, "http://jobs.example/x", http.NoBody))
		req.Host = ""
		c.change(req)
		resp, err := client.Transport().RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		got := proxy.take()
		if c.wire != "" {
			if err != nil || strings.Join(got, "\n") != c.wire+"\nHost: jobs.example" {
				t.Errorf("%s: %v, the proxy gets %q", name, err, got)
			}
			continue
		}
		var e *jobboard.Error
		if !errors.As(err, &e) || !errors.Is(err, jobboard.ErrInvalidInput) || e.Attempts != 0 || got != nil {
			t.Errorf("%s: %v, the proxy gets %q", name, err, got)
		}
		if budget() < 2 {
			t.Errorf("%s: %v tokens are left", name, budget())
		}
	}
}

// Letters that become ASCII when they are lowered make another host all the same. A client that
// dials by itself would dial that host.
func TestTransportDialsNoOtherHost(t *testing.T) {
	network, transport, stop := rig.Run(func(x *rig.Exchange) { x.Answer(200, "", "") })
	defer stop()
	client := rig.Client(t, jobboard.Config{
		BaseURL: "https://life.example", TokenSource: jobboard.StaticToken("t"), HTTPClient: &http.Client{Transport: transport},
	})
	for _, host := range []string{"l\u0130fe.example", "li\u0307fe.example", "\u2113ife.example"} {
		req := rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, "https://life.example/x", http.NoBody))
		req.URL.Host, req.Host = host, ""
		resp, err := client.Transport().RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		if dials, _, _ := network.State(); !errors.Is(err, jobboard.ErrInvalidInput) || len(dials) > 0 {
			t.Fatalf("%q: %v, dialed %v", host, err, dials)
		}
	}
}
