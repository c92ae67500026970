package doctor

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// console writes to a buffer, and hides "t0ken".
func console() (*term.Console, *bytes.Buffer) {
	var out bytes.Buffer
	return &term.Console{
		Name: "towns", Out: &term.Output{W: &out}, Now: time.Now,
		Mask: func(s string) string { return strings.ReplaceAll(s, "t0ken", "[hidden]") },
	}, &out
}

// board is what variables set up, which are named without JOBBOARD_.
func board(t *testing.T, environment map[string]string, transport http.RoundTripper) *setup.Board {
	t.Helper()
	r := &setup.Reader{
		Getenv: func(name string) string { return environment[strings.TrimPrefix(name, "JOBBOARD_")] }, Transport: transport,
		Environ: func() (all []string) {
			for name := range environment {
				all = append(all, "JOBBOARD_"+name+"=")
			}
			return all
		},
	}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	r.AddFlags(f)
	if err := f.Parse([]string{"--attempts", "1"}); err != nil {
		t.Fatal(err)
	}
	b, err := r.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// What is not an answer is said in words, with the next step.
func TestNetworkFailures(t *testing.T) {
	wrapped := func(err error) error {
		return &url.Error{Op: "Get", URL: "https://canary", Err: &net.OpError{Op: "dial", Err: err}}
	}
	for _, test := range []struct {
		err        error
		what, next string
		tls        bool
	}{
		{&net.DNSError{IsNotFound: true}, "the host's name is not known", "misspelt host", false},
		{&net.DNSError{IsTimeout: true}, "could not be looked up", "name servers", false},
		{syscall.ECONNREFUSED, "the connection was refused", "check host and port", false},
		{context.DeadlineExceeded, "no answer in time", "a firewall or a proxy is in between (HTTPS_PROXY)", false},
		{syscall.ETIMEDOUT, "no answer in time", "HTTPS_PROXY", false},
		{syscall.ECONNRESET, "closed without an answer", "the port is right", false},
		{io.EOF, "closed without an answer", "the port is right", false},
		{io.ErrUnexpectedEOF, "closed without an answer", "the port is right", false},
		{errors.New("canary"), "the connection failed", "--debug shows the attempts", false},
		{x509.UnknownAuthorityError{}, "an authority that this machine does not know", "--ca-file", true},
		{x509.HostnameError{Certificate: &x509.Certificate{}}, "names another host", "the name that the certificate is for", true},
		{x509.CertificateInvalidError{Reason: x509.Expired}, "expired, or not valid yet", "check this machine's clock", true},
		{x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign, Cert: &x509.Certificate{}}, "the certificate cannot be used: x509: ", "ask the service's operator", true},
		{tls.RecordHeaderError{}, "does not speak TLS", "http may be meant", true},
		{errors.New("http: server gave HTTP response to HTTPS client"), "does not speak TLS", "check the port", true},
		{tls.AlertError(40), "the TLS handshake was refused: tls: handshake failure", "wants a certificate of yours", true},
	} {
		what, next := networkFailure(wrapped(test.err))
		if !strings.Contains(what, test.what) || !strings.Contains(next, test.next) || strings.Contains(what, "canary") {
			t.Errorf("%v: %q, %q", test.err, what, next)
		}
		if what, _ := tlsFailure(wrapped(test.err)); (what != "") != test.tls {
			t.Errorf("%v: of TLS it says %q", test.err, what)
		}
	}
	if what, next := tlsFailure(nil); what+next != "" {
		t.Error(what, next)
	}
}

// What is wrong with an answer at an address is said, with the next step.
func TestMistakes(t *testing.T) {
	to := func(address string) *url.URL {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for _, test := range []struct {
		probe        probe
		detail, next string
	}{
		{probe{Status: 200}, "", ""},
		{probe{Status: 299, Type: "application/json", body: "{}"}, "", ""},
		{probe{Status: 399, redirect: to("https://y/Login"), Location: "https://y/Login"}, "HOST redirects (399) to https://y/Login", "it looks like a login"},
		{probe{Status: 399}, "HOST redirects (399) to nowhere", "check VARIABLE"},
		{probe{Status: 400}, "", ""},
		{probe{Status: 407}, "a proxy wants to know who you are (407)", "HTTPS_PROXY"},
		{probe{Status: 499}, "", ""},
		{probe{Status: 500}, "HOST: the service fails (500)", "what doctor --json says"},
		{probe{Status: 503, Server: "nginx"}, "(503), it calls itself nginx", "HTTPS_PROXY"},
		{probe{Status: 504, Server: "nginx", Via: "squid"}, "(504), it calls itself squid", "HTTPS_PROXY"},
		{probe{Status: 200, Type: "text/html; charset=utf-8"}, "HOST answers with an HTML page (200)", "for VARIABLE"},
		{probe{Status: 401, body: "<HTML>"}, "HTML page (401)", "for VARIABLE"},
		{probe{Status: 200, body: strings.Repeat(" ", 512) + "<html>"}, "", ""},
		{probe{Status: 404, body: "<html>"}, "", ""},
	} {
		detail, next := test.probe.mistake("HOST", "VARIABLE")
		if !strings.Contains(detail, test.detail) || !strings.Contains(next, test.next) || (detail == "") != (test.detail == "") || (next == "") != (test.next == "") {
			t.Errorf("%+v: %q, %q", test.probe, detail, next)
		}
	}
}

// A certificate that ends within two weeks is warned of.
func TestCertificates(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		left    time.Duration // 0: there is no certificate
		verdict Verdict
		detail  string
	}{
		{0, OK, "TLS 1.3"},
		{14 * 24 * time.Hour, OK, "TLS 1.3, certificate valid until 2026-01-15"},
		{14*24*time.Hour - 1, Warn, "TLS 1.3, certificate valid until 2026-01-14"},
	} {
		p := probe{TLS: "TLS 1.3"}
		if test.left > 0 {
			p.cert = &x509.Certificate{NotAfter: now.Add(test.left)}
		}
		v, detail, next := p.tlsText(now)
		if v != test.verdict || detail != test.detail || (next == "") != (v == OK) {
			t.Errorf("%s: %s, %q, %q", test.left, v, detail, next)
		}
	}
}

// The clocks are compared in the middle of the request, and the address with https.
func TestClockAndTransport(t *testing.T) {
	asked := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		ahead  time.Duration // of the service's clock
		want   Verdict
		detail string
	}{
		{0, OK, "agrees with the service's"},
		{30 * time.Second, OK, "agrees with the service's"},
		{31 * time.Second, Warn, "is 31s behind the service's"},
		{-31 * time.Second, Warn, "is 31s ahead of the service's"},
		{5 * time.Minute, Warn, "is 5m0s behind the service's"},
		{5*time.Minute + time.Second, Fail, "is 5m1s behind the service's"},
		{-6 * time.Minute, Fail, "is 6m0s ahead of the service's"},
	} {
		c, _ := console()
		d := &examination{Report: Report{console: c, board: board(t, map[string]string{"BASE_URL": "https://jobs.example"}, nil)}}
		p := &probe{started: asked, answered: asked.Add(5 * time.Second), TLS: "TLS 1.3"}
		p.Date = asked.Add(2*time.Second + test.ahead).Format(http.TimeFormat)
		d.checkTransport(p, "HOST")
		if len(d.Findings) != 3 || d.Findings[0].Check != CheckTLS || d.Findings[1] != (Finding{CheckRedirects, OK, "none", ""}) {
			t.Fatal(d.Findings)
		}
		if f := d.Findings[2]; f.Check != CheckClock || f.Verdict != test.want || !strings.Contains(f.Detail, test.detail) || (f.Next == "") != (f.Verdict == OK) {
			t.Errorf("%s: %+v", test.ahead, f)
		}
	}
	for address, want := range map[string]Finding{
		"http://127.0.0.1:1":  {CheckTLS, OK, "not needed: the service is on this machine", ""},
		"http://jobs.example": {CheckTLS, Warn, "HOST is http: everybody on the way can read what is sent", "use the https address"},
	} {
		c, _ := console()
		d := &examination{Report: Report{console: c, board: board(t, map[string]string{"BASE_URL": address}, nil)}}
		d.checkTransport(&probe{}, "HOST")
		if d.Findings[0] != want || d.Findings[2].Verdict != Warn || !strings.Contains(d.Findings[2].Detail, "does not tell its time") {
			t.Errorf("%s: %+v", address, d.Findings)
		}
	}
}

// Findings stand below each other, and what was said before is not said again.
func TestPrint(t *testing.T) {
	c, out := console()
	r := NewReport(c)
	r.Add("one", Fail, "a t0ken\nis wrong", "mend it")
	r.Add("two", Warn, "a t0ken\nis wrong", "mend it")
	r.Add("three", OK, "fine", "")
	r.Add("four", Skip, "not asked", "")
	_ = r.Write(false, "v1")
	if want := `fail  one               a [hidden] is wrong
                        next: mend it
warn  two               as above, one
                        next: as above, one
ok    three             fine
skip  four              not asked

1 ok, 1 warning, 1 failed, 1 skipped
`; out.String() != want || r.Failure() == nil {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
	c, out = console()
	c.OutTerminal = term.Terminal{TTY: true, Width: 46, Color: true}
	r = NewReport(c)
	r.Add("one", Warn, "a sentence that breaks here", "a step that breaks, too")
	_ = r.Write(false, "v1")
	if want := "\x1b[33mwarn\x1b[0m  one               a sentence that breaks\n                        here\n" +
		"                        \x1b[1mnext:\x1b[0m a step that\n                        breaks, too\n\n0 ok, 1 warning, 0 failed, 0 skipped\n"; out.String() != want || r.Failure() != nil {
		t.Errorf("%q\nwant\n%q", out.String(), want)
	}
}

// A probe follows nothing, reads a little, and says how long it took.
func TestProbe(t *testing.T) {
	var asked []*http.Request
	answer := func(status int, header http.Header, body string) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = append(asked, r)
			return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})
	}
	for _, test := range []struct {
		status   int
		header   http.Header
		body     string
		redirect string
		read     int
	}{
		{200, http.Header{"Server": {"s\x1b"}, "Via": {"v"}, "Date": {"d"}, "Content-Type": {"t"}}, " x\n", "", 1},
		{301, http.Header{"Location": {"/login?canary"}}, strings.Repeat("x", 5<<10), "https://jobs.example/login (and a query)", 4 << 10},
		{302, http.Header{}, "", "", 0},
		{200, http.Header{"Location": {"/login"}}, "", "", 0},
		{302, http.Header{"Location": {"https://\x01"}}, "", "", 0},
	} {
		c, _ := console()
		now := time.Unix(0, 0)
		c.Now = func() time.Time { now = now.Add(time.Second); return now }
		d := &examination{Report: Report{console: c, board: board(t, nil, answer(test.status, test.header, test.body))}, ctx: t.Context()}
		p := d.ask("it", "https://jobs.example/path")
		if p.err != nil || p.Status != test.status || p.Location != test.redirect || (p.redirect != nil) != (test.redirect != "") || len(p.body) != test.read ||
			p.Took != "2s" || !p.answered.Equal(time.Unix(2, 0)) || len(d.probes) != 1 || p.Failure != "" {
			t.Errorf("%+v: %+v", test, p)
		}
		if test.header.Get("Via") != "" && (p.Server != "s" || p.Via != "v" || p.Date != "d" || p.Type != "t") {
			t.Errorf("%+v", p)
		}
	}
	if r := asked[0]; r.Method != http.MethodGet || r.Header.Get("Authorization") != "" || r.Header.Get("User-Agent") != "jobboard" || !strings.HasPrefix(r.Header.Get("Accept"), "application/json") {
		t.Errorf("%v", r)
	}
	c, _ := console()
	d := &examination{Report: Report{console: c, board: board(t, nil, roundTrip(func(*http.Request) (*http.Response, error) { return nil, io.EOF }))}, ctx: t.Context()}
	if p := d.ask("it", "https://jobs.example"); !errors.Is(p.err, io.EOF) || !strings.Contains(p.Failure, "closed without an answer") || p.Took == "" || !p.answered.IsZero() {
		t.Errorf("%+v", p)
	}
	d.board = board(t, map[string]string{"CA_FILE": "/no/such"}, nil)
	if p := d.ask("it", "https://jobs.example"); p.err == nil || p.Took != "" {
		t.Errorf("%+v", p)
	}
	if p := d.ask("it", "https://\x01"); p.err == nil {
		t.Errorf("%+v", p)
	}
	synctest.Test(t, func(t *testing.T) {
		c, _ := console()
		hung := roundTrip(func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() })
		d := &examination{Report: Report{console: c, board: board(t, nil, hung)}, ctx: t.Context()}
		if p := d.ask("it", "https://jobs.example"); p.Took != "15s" || p.Failure != "no answer in time" {
			t.Errorf("%+v", p)
		}
	})
}
