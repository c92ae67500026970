package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"golang.org/x/oauth2"
)

// roads are the three transports of a client, with what each is to send as
// Authorization.
func roads(t *testing.T, cfg jobboard.Config) map[string]http.RoundTripper {
	anonymous := rig.Client(t, cfg)
	cfg.TokenSource = jobboard.StaticToken("clients")
	c := rig.Client(t, cfg)
	return map[string]http.RoundTripper{
		"Bearer clients": c.Transport(), "Bearer applicants": c.Applicant(jobboard.StaticToken("applicants")).Transport(),
		"own": anonymous.Transport(),
	}
}

// Over real servers the transport passes on a request and its answer unchanged, with the
// endpoint's credential: two methods for each status, by a seed, and all of them in the whole
// tests.
func TestTransportOverSockets(t *testing.T) {
	methods := []string{"GET", "HEAD", "POST", "PATCH", "PROPFIND"}
	tried, seed := len(methods), 0
	if !testenv.Whole() {
		tried, seed = 2, int(testenv.Seed(t)%5)
	}
	for _, kind := range []string{"HTTP/1.1", "HTTP/2"} {
		t.Run(kind, func(t *testing.T) {
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				w.Header().Set("Trailer", "X-End")
				w.Header().Add("Set-Cookie", "a=b")
				w.Header()["X-Seen"] = []string{r.Method, r.URL.RequestURI(), string(body), r.Header.Get("Authorization"), r.Header.Get("X-Own"), r.Proto}
				status := 200
				_, _ = fmt.Sscan(r.Header.Get("X-Status"), &status)
				w.WriteHeader(status)
				if status != 204 && status != 304 {
					_, _ = io.WriteString(w, strings.Repeat("body ", 50_000))
				}
				w.Header().Set("X-End", "end")
			}))
			server.EnableHTTP2 = kind == "HTTP/2"
			server.StartTLS()
			defer server.Close()
			cfg := jobboard.Config{BaseURL: server.URL + "/api", JobDBURL: server.URL + "/db", HTTPClient: server.Client(), Retry: jobboard.RetryPolicy{MaxAttempts: 1}}
			for auth, road := range roads(t, cfg) {
				client := &http.Client{Transport: road, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
				for i, status := range []int{200, 201, 204, 301, 302, 304, 400, 401, 404, 410, 429, 500, 503} {
					for j := range tried {
						method := methods[(seed+i+j)%len(methods)]
						req, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/other/pa%2Fth?q=1&q=2", strings.NewReader("sent"))
						if err != nil {
							t.Fatal(err)
						}
						req.Header = http.Header{"Authorization": {"own"}, "X-Own": {"x"}, "X-Status": {fmt.Sprint(status)}}
						if status == 302 {
							req.Header.Set("Location", "%zz")
						}
						before := req.Header.Clone()
						resp, err := client.Do(req)
						if err != nil {
							t.Fatal(status, method, err)
						}
						if err := iotest.TestReader(resp.Body, wantBody(method, status)); err != nil {
							t.Error(status, method, err)
						}
						if err := resp.Body.Close(); err != nil {
							t.Error(err)
						}
						want := []string{method, "/other/pa%2Fth?q=1&q=2", "sent", auth, "x", resp.Proto}
						if got := resp.Header["X-Seen"]; fmt.Sprint(got) != fmt.Sprint(want) || resp.StatusCode != status || resp.Request != req {
							t.Errorf("%d: sent %q, want %q; status %d", status, got, want, resp.StatusCode)
						}
						if fmt.Sprint(req.Header) != fmt.Sprint(before) || req.Host != strings.TrimPrefix(server.URL, "https://") {
							t.Errorf("the request is changed: %v", req.Header)
						}
						if len(resp.Cookies()) != 1 || len(wantBody(method, status)) > 0 && resp.Trailer.Get("X-End") != "end" {
							t.Errorf("%d %s: cookies %v, trailer %v", status, method, resp.Cookies(), resp.Trailer)
						}
					}
				}
			}
		})
	}
}

func wantBody(method string, status int) []byte {
	if method == "HEAD" || status == 204 || status == 304 {
		return nil
	}
	return []byte(strings.Repeat("body ", 50_000))
}

// What does not go to the origin is refused before anything is sent, and its body is
// closed.
func TestTransportRefuses(t *testing.T) {
	sent := 0
	client := withTransport(t, jobboard.Config{BaseURL: base + "/api", TokenSource: jobboard.StaticToken("clients")}, func(r *http.Request) (*http.Response, error) {
		sent++
		return answer(r, 200, ""), nil
	})
	for name, change := range map[string]func(*http.Request){
		"another host":      func(r *http.Request) { r.URL.Host = "elsewhere.example"; r.Host = "" },
		"a host within it":  func(r *http.Request) { r.URL.Host = "x." + r.URL.Host; r.Host = "" },
		"another port":      func(r *http.Request) { r.URL.Host += ":8443"; r.Host = "" },
		"another scheme":    func(r *http.Request) { r.URL.Scheme = "http" },
		"a user":            func(r *http.Request) { r.URL, _ = r.URL.Parse("//me:x17secret@jobs.example/") },
		"another Host":      func(r *http.Request) { r.Host = "elsewhere.example" },
		"an opaque address": func(r *http.Request) { r.URL.Opaque = "//elsewhere.example/x" },
		"no URL":            func(r *http.Request) { r.URL = nil },
		"an ended context": func(r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			cancel()
			*r = *r.WithContext(ctx)
		},
	} {
		closed := 0
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/x?x17secret", closeCounter{strings.NewReader("x"), &closed})
		if err != nil {
			t.Fatal(err)
		}
		change(req)
		resp, err := client.Transport().RoundTrip(req)
		var e *jobboard.Error
		if !errors.As(err, &e) || resp != nil || e.Path != "" || e.Attempts != 0 || strings.Contains(fmt.Sprintf("%v %#v", err, e), "x17secret") ||
			!errors.Is(err, jobboard.ErrInvalidInput) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if sent != 0 || closed != 1 {
			t.Errorf("%s: %d requests, the body is closed %d times", name, sent, closed)
		}
	}
	lookups := rig.Client(t, jobboard.Config{JobDBURL: jobDB})
	if _, err := lookups.Transport().RoundTrip(httptest.NewRequest(http.MethodGet, base, http.NoBody)); !errors.Is(err, jobboard.ErrInvalidInput) {
		t.Errorf("without an address: %v", err)
	}
	// The same origin, written otherwise, is the same.
	for _, address := range []string{"https://JOBS.example:443/x", "https://jobs.example"} {
		req := httptest.NewRequest(http.MethodGet, address, http.NoBody) // has a RequestURI, as a proxy's
		resp, err := client.Transport().RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
}

// A caller's request names its own program, or else the one that the client names.
func TestTransportNamesTheProgram(t *testing.T) {
	var got []string
	client := withTransport(t, jobboard.Config{BaseURL: base, UserAgent: "client/1", ClientID: "10"}, func(r *http.Request) (*http.Response, error) {
		got = r.Header["User-Agent"]
		return answer(r, 200, ""), nil
	})
	for want, header := range map[string]http.Header{
		"client/1 jobboard-go ": nil, "program/2 ": {"User-Agent": {"program/2"}}, "": {"User-Agent": nil}, // net/http sends none then
	} {
		req := httptest.NewRequest(http.MethodGet, base, http.NoBody)
		req.Header = header
		resp, err := client.Transport().RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if text := strings.Join(append(got, ""), " "); text != want {
			t.Errorf("%v: User-Agent is %q, want %q", header, text, want)
		}
	}
}

// How often a request is sent depends on its method, its body, and what happens.
func TestTransportRepeats(t *testing.T) {
	type failing func(r *http.Request) (*http.Response, error)
	status := func(n int, header ...string) failing {
		return func(r *http.Request) (*http.Response, error) { return answer(r, n, "words", header...), nil }
	}
	lost := func(*http.Request) (*http.Response, error) { return nil, io.EOF }
	for _, c := range []struct {
		name    string
		fails   failing
		methods string // that are repeated
	}{
		{"503", status(503), "GET HEAD OPTIONS PUT DELETE"},
		{"lost", lost, "GET HEAD OPTIONS PUT DELETE"},
		{"429", status(429), "GET HEAD OPTIONS PUT DELETE POST PATCH PROPFIND"},
		{"401", status(401, "WWW-Authenticate", `Bearer error="invalid_token"`), "GET HEAD OPTIONS PUT DELETE POST PATCH PROPFIND"},
		{"404", status(404), ""},
		{"302", status(302), ""},
		{"401, unexplained", status(401), "GET HEAD OPTIONS PUT DELETE"},
		{"403", status(403), ""},
	} {
		for _, method := range []string{"", "GET", "HEAD", "OPTIONS", "PUT", "DELETE", "POST", "PATCH", "PROPFIND"} {
			for _, body := range []string{"none", "with GetBody", "without"} {
				inBubble(t, c.name+" "+method+" "+body, func(t *testing.T) {
					var bodies []string
					var end *jobboard.CallEnd
					fetches := 0
					cfg := jobboard.Config{TokenSource: numbered(&fetches), Observer: &jobboard.Observer{
						Call: func(context.Context, jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
							return nil, func(e jobboard.CallEnd) { end = &e }
						},
					}}
					client := withTransport(t, cfg, func(r *http.Request) (*http.Response, error) {
						read := ""
						if r.Body != nil {
							b, _ := io.ReadAll(r.Body)
							_ = r.Body.Close()
							read = string(b)
						}
						if bodies = append(bodies, read); len(bodies) == 1 {
							return c.fails(r)
						}
						return answer(r, 200, "good"), nil
					})
					req := rig.Must(http.NewRequestWithContext(t.Context(), method, base+"/x", http.NoBody))
					switch body {
					case "with GetBody":
						req = rig.Must(http.NewRequestWithContext(t.Context(), method, base+"/x", strings.NewReader("body")))
					case "without":
						req.Body = io.NopCloser(strings.NewReader("body"))
						req.GetBody, req.ContentLength = nil, -1
					}
					repeated := strings.Contains(c.methods, method) && c.methods != "" && body != "without"
					resp, err := client.Transport().RoundTrip(req)
					if c.name == "lost" && !repeated {
						var e *jobboard.Error
						if !errors.As(err, &e) || !errors.Is(err, jobboard.ErrTransport) || e.Stopped != jobboard.StopNotIdempotent || e.Op != "Transport" || len(bodies) != 1 {
							t.Errorf("%v after %q", err, bodies)
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					if end != nil {
						t.Errorf("the call ended before its body: %+v", end)
					}
					text := string(rig.Must(io.ReadAll(resp.Body)))
					want, sent := "good", 2
					if !repeated {
						want, sent = "words", 1
					}
					if text != want || len(bodies) != sent || body != "none" && (bodies[0] != "body" || bodies[sent-1] != "body") {
						t.Errorf("%d %q after %q", resp.StatusCode, text, bodies)
					}
					failed := resp.StatusCode >= 400
					if end == nil || (end.Err != nil) != failed || end.Attempts != sent || end.StatusCode != resp.StatusCode {
						t.Fatalf("the observer is told %+v", end)
					}
					stopped := jobboard.StopNotIdempotent
					if strings.HasPrefix(c.name, "40") && (c.methods == "" || c.name == "401, unexplained" && !strings.Contains(c.methods, method)) {
						stopped = jobboard.StopFinal
					}
					if failed && (end.Err.Stopped != stopped || end.Err.Path != "" || end.Err.StatusCode != resp.StatusCode) {
						t.Errorf("the observer is told %+v, want %s", end.Err, stopped)
					}
					_ = resp.Body.Close()
				})
			}
		}
	}
}

// An answer is compressed on the wire and plain for the caller, as net/http has it,
// unless the caller wants it otherwise.
func TestTransportCompression(t *testing.T) {
	zipped := rig.Zip([]byte("plain text"))
	for _, status := range []int{200, 401, 404} {
		for asked, want := range map[string]string{"": "plain text", "gzip": string(zipped), "br": string(zipped)} {
			client := served(t, jobboard.Config{TokenSource: jobboard.StaticToken("t")}, func(r *http.Request) *http.Response {
				if got := r.Header.Get("Accept-Encoding"); got != asked && (asked != "" || got != "gzip") {
					t.Errorf("asked for %q, want %q", got, asked)
				}
				resp := answer(r, status, string(zipped), "Content-Encoding", "gzip", "Content-Length", fmt.Sprint(len(zipped)))
				resp.ContentLength = int64(len(zipped))
				return resp
			})
			req := rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/x", http.NoBody))
			if asked != "" {
				req.Header.Set("Accept-Encoding", asked)
			}
			resp, err := client.Transport().RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			body := rig.Must(io.ReadAll(resp.Body))
			if string(body) != want || resp.Uncompressed != (asked == "") || (resp.Header.Get("Content-Encoding") == "") != (asked == "") ||
				(resp.ContentLength == -1) != (asked == "") {
				t.Errorf("%d, asked for %q: %q, %v, %v", status, asked, body, resp.Header, resp.ContentLength)
			}
		}
	}
}

// After a 401 the header alone says whether the token is renewed, and where it says nothing, the method.
func TestTransportRenews(t *testing.T) {
	const inBody = `{"error":"invalid_token"}`
	for _, c := range []struct {
		challenge, body string
		methods         string // that are sent again
	}{
		{`Bearer error="invalid_token"`, "", "GET PUT POST PATCH"},
		{`Bearer realm="board", error="expired_token"`, "", "GET PUT POST PATCH"},
		{`Bearer error="invalid_token", error_description="User token required"`, "", ""},
		{`Bearer error_description="user token required"`, inBody, ""},
		{`Bearer error="insufficient_scope"`, inBody, ""},
		{`Bearer error="invalid_request"`, inBody, ""},
		{`Bearer realm="board"`, "", "GET PUT"},
		{"", "", "GET PUT"},
		{"", inBody, "GET PUT"},
		{"", `{"error":"invalid_token","error_description":"user token required"}`, "GET PUT"}, // nobody reads it
	} {
		for _, method := range []string{"GET", "PUT", "POST", "PATCH"} {
			var sent []string
			fetches := 0
			client := served(t, jobboard.Config{TokenSource: numbered(&fetches)}, func(r *http.Request) *http.Response {
				if sent = append(sent, bearerOf(r)); bearerOf(r) != "token1" {
					return answer(r, 200, "")
				}
				if c.challenge == "" {
					return answer(r, 401, c.body)
				}
				return answer(r, 401, c.body, "WWW-Authenticate", c.challenge)
			})
			resp, err := client.Transport().RoundTrip(rig.Must(http.NewRequestWithContext(t.Context(), method, base+"/x", strings.NewReader("sent"))))
			if err != nil {
				t.Fatal(err)
			}
			body, want, all := string(rig.Must(io.ReadAll(resp.Body))), c.body, "[token1]"
			if strings.Contains(c.methods, method) {
				want, all = "", "[token1 token2]"
			}
			if fmt.Sprint(sent) != all || body != want {
				t.Errorf("%s, %s %q: sent %v, got %d %q", method, c.challenge, c.body, sent, resp.StatusCode, body)
			}
			_ = resp.Body.Close()
		}
	}
}

// Bytes and stalls bound the body, not the time of an attempt or of a call; the errors of its
// reads are an *Error.
func TestTransportBody(t *testing.T) {
	const piece = "0123456789"
	drip := func(every time.Duration, pieces int, end error) func() io.Reader {
		return func() io.Reader {
			n := 0
			return bodyFunc(func(p []byte) (int, error) {
				if n++; n > pieces {
					return 0, end
				}
				time.Sleep(every)
				return copy(p, piece), nil
			})
		}
	}
	for name, c := range map[string]struct {
		body func() io.Reader
		read int
		err  error
	}{
		"slow":     {drip(9*time.Second, 30, io.EOF), 300, nil},
		"cut off":  {drip(0, 3, io.ErrUnexpectedEOF), 30, jobboard.ErrTransport},
		"too long": {drip(0, 101, io.EOF), 1000, jobboard.ErrResponseTooLarge},
		"broken":   {drip(0, 0, errors.New("x17secret")), 0, jobboard.ErrTransport},
	} {
		for _, status := range []int{200, 302} {
			inBubble(t, fmt.Sprint(name, " ", status), func(t *testing.T) {
				sent := 0
				var end *jobboard.CallEnd
				client := withTransport(t, jobboard.Config{
					MaxBodyBytes: 1000, TokenSource: jobboard.StaticToken("x17secret"), Observer: &jobboard.Observer{
						Call: func(context.Context, jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
							return nil, func(e jobboard.CallEnd) { end = &e }
						},
					},
				}, func(r *http.Request) (*http.Response, error) {
					sent++
					return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(c.body()), ContentLength: -1, Request: r}, nil
				})
				resp, err := client.Transport().RoundTrip(rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/x", http.NoBody)))
				if err != nil {
					t.Fatal(err)
				}
				b, err := io.ReadAll(resp.Body)
				_, again := resp.Body.Read(make([]byte, 1))
				var e *jobboard.Error
				switch {
				case c.err == nil && (err != nil || again != io.EOF):
					t.Error(err, again)
				case c.err != nil && (!errors.Is(err, c.err) || !errors.As(err, &e) || e.StatusCode != status || again != err || end.Err != e || strings.Contains(err.Error(), "x17secret")):
					t.Errorf("%v, then %v; the observer is told %+v", err, again, end)
				}
				if len(b) != c.read || sent != 1 || end == nil {
					t.Errorf("%d bytes of %d requests", len(b), sent)
				}
				_ = resp.Body.Close()
			})
		}
	}
}

// A stalled body ends after Retry.StallTimeout, with its caller's context, and with a
// Close from another goroutine.
func TestTransportBodyEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end   func(cancel func(), body io.Closer)
		is    error
		after time.Duration
	}{
		"stalled":  {func(func(), io.Closer) {}, jobboard.ErrTimeout, 10 * time.Second},
		"canceled": {func(cancel func(), _ io.Closer) { cancel() }, context.Canceled, time.Second},
		"closed":   {func(_ func(), body io.Closer) { _ = body.Close() }, http.ErrBodyReadAfterClose, time.Second},
	} {
		for _, status := range []int{200, 404} {
			inBubble(t, fmt.Sprint(name, " ", status), func(t *testing.T) {
				network, transport, stop := rig.Run(func(x *rig.Exchange) {
					x.Stall(fmt.Sprintf("HTTP/1.1 %d OK\r\nContent-Length: 1000000\r\n\r\n%s", status, strings.Repeat("x", 70<<10)))
				})
				defer stop()
				client := rig.Client(t, jobboard.Config{BaseURL: "http://127.0.0.1", HTTPClient: &http.Client{Transport: transport}})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				resp, err := client.Transport().RoundTrip(rig.Must(http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/x", http.NoBody)))
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				time.AfterFunc(time.Second, func() { c.end(cancel, resp.Body) })
				b, err := io.ReadAll(resp.Body)
				var e *jobboard.Error
				if len(b) != 70<<10 || !errors.Is(err, c.is) || time.Since(start) != c.after || name != "closed" && !errors.As(err, &e) {
					t.Errorf("%d bytes, %v after %v", len(b), err, time.Since(start))
				}
				_ = resp.Body.Close()
				synctest.Wait()
				if _, open, _ := network.State(); open != 0 {
					t.Errorf("%d connections are open", open)
				}
			})
		}
	}
}

// A body that was read to its end, or closed, leaves its connection for the next call.
func TestTransportReusesConnections(t *testing.T) {
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/404" {
			w.WriteHeader(404)
		}
		_, _ = io.WriteString(w, "body")
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := &http.Client{Transport: rig.Client(t, jobboard.Config{BaseURL: server.URL}).Transport()}
	for _, path := range []string{"/200", "/404", "/404", "/200"} {
		resp, err := client.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// Whatever ends a call before its request is sent, the request's body is closed.
func TestTransportClosesTheBody(t *testing.T) {
	for name, cfg := range map[string]jobboard.Config{
		"no token":      {TokenSource: jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) { return nil, errNoToken })},
		"limiter":       {TokenSource: jobboard.StaticToken("t"), Limiter: limiterFunc(func(context.Context) error { return errLimited })},
		"a good answer": {TokenSource: jobboard.StaticToken("t")},
		"a panic":       {TokenSource: jobboard.StaticToken("t"), Limiter: limiterFunc(func(context.Context) error { panic("limiter") })},
	} {
		closed := 0
		client := withTransport(t, cfg, func(r *http.Request) (*http.Response, error) {
			_ = r.Body.Close() // as every transport must
			return answer(r, 200, ""), nil
		})
		req := rig.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/x", closeCounter{strings.NewReader("x"), &closed}))
		func() {
			defer func() { _ = recover() }()
			_, _ = client.Transport().RoundTrip(req)
		}()
		if closed != 1 {
			t.Errorf("%s: closed %d times", name, closed)
		}
	}
}

// If a limiter refuses a repeat, the answer before is gone, and the error has its status.
func TestTransportLimiterRefusesARepeat(t *testing.T) {
	inBubble(t, "503", func(t *testing.T) {
		client := answering(t, jobboard.Config{TokenSource: jobboard.StaticToken("t"), Limiter: &countingLimiter{most: 1}}, 503, "words")
		resp, err := client.Transport().RoundTrip(rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/x", http.NoBody)))
		var e *jobboard.Error
		if resp != nil || !errors.Is(err, jobboard.ErrServer) || !errors.As(err, &e) || e.StatusCode != 503 || e.Stopped != jobboard.StopDeadline {
			t.Errorf("%v, %v", resp, err)
		}
	})
}

// An answer is passed on at once, and may trickle in for as long as it takes.
func TestTransportOfATrickle(t *testing.T) {
	for _, status := range []int{200, 302, 404} {
		inBubble(t, fmt.Sprint(status), func(t *testing.T) {
			client := served(t, jobboard.Config{TokenSource: jobboard.StaticToken("t")}, func(r *http.Request) *http.Response {
				return &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: -1, Request: r, Body: trickle{r.Context()}}
			})
			begin := time.Now()
			resp, err := client.Transport().RoundTrip(rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/x", http.NoBody)))
			if took := time.Since(begin); took != 0 || err != nil {
				t.Fatalf("after %v, %v", took, err)
			}
			if n, err := io.CopyN(io.Discard, resp.Body, 30); n != 30 || err != nil {
				t.Errorf("%d bytes are passed on, %v", n, err)
			}
			_ = resp.Body.Close()
		})
	}
}

// trickle gives a byte every 5 s, until its context ends.
type trickle struct{ ctx context.Context }

func (d trickle) Read(p []byte) (int, error) {
	select {
	case <-time.After(5 * time.Second):
		return copy(p, "x"), nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

func (d trickle) Close() error { return nil }

// The bodies of the transport below are closed, each once, whatever becomes of the call.
func TestTransportClosesAnswers(t *testing.T) {
	t.Run("whose Observer panics", func(t *testing.T) {
		closed := 0
		cfg := jobboard.Config{TokenSource: jobboard.StaticToken("t"), Observer: &jobboard.Observer{
			Attempt: func(ctx context.Context, _ jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
				return ctx, func(jobboard.AttemptEnd) { panic("observer") }
			},
		}}
		client := served(t, cfg, func(r *http.Request) *http.Response {
			return &http.Response{
				StatusCode: 200, Header: http.Header{}, ContentLength: -1, Request: r, Body: closeCounter{strings.NewReader("words"), &closed},
			}
		})
		defer func() {
			if p := recover(); p != "observer" || closed != 1 {
				t.Errorf("the caller gets %v, the body is closed %d times", p, closed)
			}
		}()
		resp, err := client.Transport().RoundTrip(rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/x", http.NoBody)))
		t.Error(err, resp.Body.Close())
	})
	leave := func(body io.ReadCloser) { _ = body.Close() }
	readAll := func(body io.ReadCloser) { _, _ = io.Copy(io.Discard, body) }
	for name, c := range map[string]struct {
		statuses []int // of the answers
		end      error // of their bodies
		use      func(io.ReadCloser)
	}{
		"read to its end":          {[]int{200}, io.EOF, readAll},
		"not read":                 {[]int{200}, io.EOF, leave},
		"closed twice":             {[]int{200}, io.EOF, func(body io.ReadCloser) { leave(body); leave(body) }},
		"read, then closed":        {[]int{200}, io.EOF, func(body io.ReadCloser) { readAll(body); leave(body) }},
		"broken":                   {[]int{200}, io.ErrUnexpectedEOF, readAll},
		"refused":                  {[]int{404}, io.EOF, leave},
		"refused, and broken":      {[]int{404}, io.ErrUnexpectedEOF, leave},
		"a redirect":               {[]int{302}, io.EOF, leave},
		"repeated, then good":      {[]int{503, 200}, io.EOF, leave},
		"repeated, then not again": {[]int{503, 503, 503}, io.EOF, leave},
		"without a body":           {[]int{204}, io.EOF, leave},
	} {
		inBubble(t, name, func(t *testing.T) {
			closed := make([]int, len(c.statuses))
			sent := 0
			cfg := jobboard.Config{TokenSource: jobboard.StaticToken("t"), Retry: jobboard.RetryPolicy{MaxAttempts: len(c.statuses)}}
			client := served(t, cfg, func(r *http.Request) *http.Response {
				body := io.MultiReader(strings.NewReader("words"), iotest.ErrReader(c.end))
				if c.statuses[sent] == 204 {
					body = strings.NewReader("")
				}
				sent++
				return &http.Response{
					StatusCode: c.statuses[sent-1], Header: http.Header{}, ContentLength: -1, Request: r,
					Body: closeCounter{body, &closed[sent-1]},
				}
			})
			resp, err := client.Transport().RoundTrip(rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/x", http.NoBody)))
			if err != nil {
				t.Fatal(err)
			}
			c.use(resp.Body)
			for i, n := range closed {
				if n != 1 || sent != len(closed) {
					t.Errorf("the body of answer %d of %d is closed %d times", i+1, sent, n)
				}
			}
			_ = resp.Body.Close()
		})
	}
}

// A service may repeat what it was sent. What the caller's headers and cookies hold does not
// reach errors, the log and the observer; headers that only describe the wanted answer do, in the
// answer's header, and so does the path.
func TestTransportHidesTheHeadersOfItsCaller(t *testing.T) {
	hidden := map[string]string{ // header values, and the parts of them that must be hidden
		"X-Api-Key": "key-8f2c61", "X-Token": "Custom token-77aa", "x-low": "low-case-1", "Tracestate": "state-17=x",
		"Authorization": "Bearer a1b", "Proxy-Authorization": "p2q9zz", "Cookie": "sid=session-4711; lang=de", "Acces-Key": "acces-123",
	}
	shown := map[string]string{
		"Accept": "text/accept1", "Accept-Profile": "profile-99", "Content-Type": "application/content2", "Content-Language": "language3",
		"User-Agent": "program/4444444", "Range": "bytes=5-5555", "If-Match": "etag-666666", "Prefer": "return=minimal7", "Cache-Control": "max-age=88888",
		"Traceparent": "00-99999999", "X-Request-Id": "request-10", "X-Short": "seven-b",
	}
	var log strings.Builder
	var seen []string
	client := withTransport(t, jobboard.Config{
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Observer: &jobboard.Observer{
			Call: func(context.Context, jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
				return nil, func(e jobboard.CallEnd) {
					seen = append(seen, fmt.Sprintf("%v %+v %s", e.Err, e.Err, e.Err.Body))
				}
			},
			Attempt: func(context.Context, jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
				return nil, func(e jobboard.AttemptEnd) { seen = append(seen, fmt.Sprintf("%+v", e)) }
			},
		},
	}, func(r *http.Request) (*http.Response, error) {
		text := fmt.Sprint(r.Header, " sid session-4711 is over, token token-77aa too, a1b", r.URL.Path)
		return answer(r, 400, text, "X-Echo", text, "X-Correlation-Id", r.Header.Get("X-Api-Key")), nil
	})
	req := rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/path-shown", http.NoBody))
	for _, headers := range []map[string]string{hidden, shown} {
		for name, value := range headers {
			req.Header[name] = []string{value}
		}
	}
	resp, err := client.Transport().RoundTrip(req) // has no credential: the caller's stays
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	for i, text := range append(seen, log.String()) {
		for name, value := range hidden {
			_, secret, _ := strings.Cut(value, " ")
			for _, s := range []string{value, secret, "session-4711"} {
				if s != "" && s != "lang=de" && strings.Contains(text, s) {
					t.Errorf("%q of %s is shown: %s", s, name, text)
				}
			}
		}
		for name, value := range shown {
			if i == 0 && (!strings.Contains(text, value) || !strings.Contains(text, "/path-shown")) {
				t.Errorf("%s is not shown: %s", name, text)
			}
		}
	}
	if len(seen) != 2 || log.Len() == 0 {
		t.Errorf("%d ends, log %q", len(seen), log.String())
	}
}
