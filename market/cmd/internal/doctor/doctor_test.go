package doctor

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
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
		{probe{err: io.EOF}, "HOST: the connection was closed", "firewall"},
		{probe{Status: 301, redirect: to("https://y/x"), Location: "https://y/x"}, "HOST redirects (301) to https://y/x", "set VARIABLE to that address"},
		{probe{Status: 399, redirect: to("https://y/Login"), Location: "https://y/Login"}, "HOST redirects (399) to https://y/Login", "it looks like a login"},
		{probe{Status: 300}, "HOST redirects (300) to nowhere", "check VARIABLE"},
		{probe{Status: 399}, "HOST redirects (399) to nowhere", "check VARIABLE"},
		{probe{Status: 400}, "", ""},
		{probe{Status: 407}, "a proxy wants to know who you are (407)", "HTTPS_PROXY"},
		{probe{Status: 499}, "", ""},
		{probe{Status: 500}, "HOST: the service fails (500)", "the time and the bundle"},
		{probe{Status: 502}, "does not reach the service (502)", "HTTPS_PROXY"},
		{probe{Status: 503, Server: "nginx"}, "(503), it calls itself nginx", "HTTPS_PROXY"},
		{probe{Status: 504, Server: "nginx", Via: "squid"}, "(504), it calls itself squid", "HTTPS_PROXY"},
		{probe{Status: 200, Type: "text/html; charset=utf-8"}, "HOST answers with an HTML page (200)", "for VARIABLE"},
		{probe{Status: 200, body: "<!DOCTYPE HTML><p>"}, "HTML page (200)", "for VARIABLE"},
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

// What is long is cut, at a letter, and names are listed up to ten.
func TestShort(t *testing.T) {
	for n, want := range map[int]string{99: "", 100: "", 101: "…"} {
		if got := short(strings.Repeat("x", n)); got != strings.Repeat("x", min(n, 100))+want {
			t.Errorf("%d: %s", n, got)
		}
	}
	if got := short(strings.Repeat("x", 99) + "ü\x1b"); got != strings.Repeat("x", 99)+"…" {
		t.Error(got)
	}
	for n, want := range map[int]string{0: "", 1: "m00", 10: "m09", 11: "m09 and 1 more"} {
		f := further{}
		for i := range n {
			f.add("", map[string]json.RawMessage{fmt.Sprintf("m%02d", i): json.RawMessage("1")})
		}
		if got := f.String(); !strings.HasSuffix(got, want) || (got == "") != (n == 0) || n > 0 && !strings.HasPrefix(got, "; beyond the interface it sends m00") {
			t.Errorf("%d: %q", n, got)
		}
	}
	for address, want := range map[string]string{
		"https://jobs.example/a": "https://jobs.example/a", "https://u:p@x/a?b=c#d": "https://x/a (and a user part) (and a query)", "jobs.example": "(not an address)", "https://x/\x01": "(not an address)",
	} {
		if got := maskedAddress(address); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}

// The next step after a refused credential depends on the kind of credential
// and the reason.
func TestRefusals(t *testing.T) {
	c, _ := console()
	d := &examination{Report: Report{console: c, board: board(t, map[string]string{"TOKEN": "x"}, nil)}}
	token := func(text string) error { return fmt.Errorf("%s: %w", text, jobboard.ErrToken) }
	for _, test := range []struct {
		err  error
		next string // of refusal; empty: it is none
	}{
		{nil, ""},
		{jobboard.ErrServer, ""},
		{jobboard.ErrUnauthorized, "get a new one for JOBBOARD_TOKEN"},
		{jobboard.ErrForbidden, "ask the service's operator for the scope"},
		{token("invalid_client"), "check JOBBOARD_CLIENT_ID and JOBBOARD_CLIENT_SECRET"},
		{token("unauthorized_client"), "take JOBBOARD_CLIENT_SECRET away"},
		{token("status 404"), "the token address is wrong"},
		{token("not reached"), "the token address is wrong"},
		{token("status 500"), "the token address gave no token"},
	} {
		if got := d.refusal(test.err); !strings.Contains(got, test.next) || (got == "") != (test.next == "") {
			t.Errorf("%v: %q", test.err, got)
		}
	}
	for err, next := range map[error]string{
		jobboard.ErrDecode: "the answer does not come from the interface", jobboard.ErrRedirect: "set JOBBOARD_BASE_URL to where it leads",
		jobboard.ErrServer: "try again later", jobboard.ErrRateLimited: "try again later", jobboard.ErrTransport: "--debug shows the attempts",
	} {
		if got := searchNext(err); !strings.Contains(got, next) {
			t.Errorf("%v: %q", err, got)
		}
	}
}

// answers is a service that answers as the mock server, but for one operation: from the request of
// that number on, that operation has a status and a body of its own.
func answers(t *testing.T, srv *jobboardtest.Server, path string, from, status int, body string) string {
	t.Helper()
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, path) || asked.Add(1) < int64(from) {
			srv.Handler().ServeHTTP(w, r)
			return
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// Each answer of a service is judged, and what it depends on is skipped.
func TestExamine(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	t.Cleanup(srv.Close)
	const checks = "settings, base address, tls, redirects, clock, credential, channel, language, applicant, lookup host"
	for _, test := range []struct {
		name   string
		path   string // with another answer; empty: none
		from   int    // the number of the request
		status int
		body   string
		set    map[string]string
		want   string // the findings that are not ok
		detail string // the detail of these findings, or of all if all are ok
		next   string
	}{
		{name: "all is well", detail: "6 from the environment"},
		{name: "misspelt", set: map[string]string{"TOKN": "x"}, want: "settings warn", detail: "is it JOBBOARD_TOKEN?", next: "correct the settings"},
		{name: "no base", set: map[string]string{"BASE_URL": ""}, want: "base address fail, credential skip, channel skip, language skip, applicant skip", detail: "no base address is set", next: "--base-url"},
		{name: "refused without a word", path: "/1/applied", status: 403},
		{name: "its own words", path: "/1/applied", status: 404, body: `{"code":"get_project_error"}`},
		{name: "other words", path: "/1/applied", status: 400, body: "No Posting"},
		{name: "no such path", path: "/1/applied", status: 404, want: "base address fail, credential skip, channel skip, language skip, applicant skip", detail: "has nothing at /api/rest/v3", next: "before /api/rest"},
		{name: "open to all", path: "/1/applied", status: 200, body: "true", want: "base address fail, credential skip, channel skip, language skip, applicant skip", detail: "answers 200 where", next: "not the job board's"},
		{name: "open, too", path: "/1/applied", status: 299, want: "base address fail, credential skip, channel skip, language skip, applicant skip", detail: "answers 299 where"},
		{name: "strange", path: "/1/applied", status: 418, want: "base address warn", detail: "answers 418, which the interface does not name", next: "the checks below"},
		{name: "search is bad", path: "/jobs", status: 400, want: "channel fail, language skip", detail: "does not know 27828_extern (400)", next: "upper and lower case"},
		{name: "search is gone", path: "/jobs", status: 404, want: "channel fail, language skip", detail: "does not know 27828_extern (404)"},
		{name: "search is strange", path: "/jobs", status: 418, want: "credential fail, channel skip, language skip", detail: "the search failed", next: "--debug"},
		{name: "no JSON", path: "/jobs", status: 200, body: "x", want: "credential fail, channel skip, language skip", next: "does not come from the interface"},
		{name: "a number in front", path: "/jobs", status: 200, body: `{"totalNumberOfJobs":0,"results":[]}`, want: "channel fail, language skip", detail: "has no postings, or does not exist"},
		{name: "no channel", set: map[string]string{"CHANNEL": ""}, want: "channel warn, language skip", detail: "none is set"},
		{name: "no credential", set: map[string]string{"CLIENT_ID": "", "USER_TOKEN": ""}, want: "credential fail, channel skip, language skip, applicant skip", detail: "no credential is set, and a search needs one"},
		{name: "wrong language", set: map[string]string{"LANGUAGE": "de-germanyplease"}, want: "language fail", detail: "names no language"},
		{name: "language", set: map[string]string{"LANGUAGE": "de"}, detail: "de: 17 of 42 titles differ from those of any language"},
		{name: "languages", set: map[string]string{"LANGUAGE": " de;q=0.9,en"}, detail: "de;q=0.9,en: 19 of 42 titles differ"},
		{name: "no such language", set: map[string]string{"LANGUAGE": "de"}, path: "/jobs", from: 2, status: 500, want: "language fail", detail: "a search in de failed", next: "try without"},
		{name: "no other language", set: map[string]string{"LANGUAGE": "de"}, path: "/jobs", from: 3, status: 500, want: "language warn", detail: "de works; a search in any language failed", next: "try again later"},
		{name: "client as applicant", set: map[string]string{"USER_TOKEN": srv.Demo.ClientToken}, want: "applicant fail", next: "a client's belongs in JOBBOARD_TOKEN"},
		{name: "unknown client", set: map[string]string{"CLIENT_ID": "99"}, want: "credential fail, channel skip, language skip", next: "check JOBBOARD_CLIENT_ID"},
		{name: "no applicant", set: map[string]string{"USER_TOKEN": ""}, want: "applicant skip", detail: "status needs one"},
		{name: "narrow applicant", set: map[string]string{"USER_TOKEN": srv.Demo.NarrowToken}, want: "applicant fail", next: "scope is not enough"},
		{name: "old applicant", set: map[string]string{"USER_TOKEN": srv.Demo.ExpiredToken}, want: "applicant fail", next: "sign in again"},
		{name: "no lookup", set: map[string]string{"JOBDB_URL": ""}, want: "lookup host warn", detail: "do not work"},
		{name: "no job", set: map[string]string{"JOB": ""}},
		{name: "no job's number", set: map[string]string{"JOB": "x"}, want: "lookup host fail", next: "a job's identifier"},
		{name: "job is gone", set: map[string]string{"JOB": fmt.Sprint(srv.Demo.UnknownJob)}, want: "lookup host warn", detail: "job unavailable", next: "a feed of today"},
		{name: "no lookup there", path: "/external", status: 404, want: "lookup host fail", detail: "leads to no lookup (404)", next: "here both have one host"},
		{name: "lookup refuses", path: "/external", status: 401, want: "lookup host fail", next: "the lookup needs no credential"},
		{name: "lookup forbids", path: "/external", status: 403, want: "lookup host fail", next: "the lookup needs no credential"},
		{name: "lookup fails", path: "/external", status: 500, want: "lookup host fail", detail: "the service fails (500)"},
		{name: "lookup is strange", path: "/external", status: 200, body: "x", want: "lookup host fail", next: "check JOBBOARD_JOBDB_URL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			at := answers(t, srv, cmp.Or(test.path, "/nothing-asks-for-this"), test.from, test.status, test.body)
			set := map[string]string{
				"BASE_URL": at + "/board", "JOBDB_URL": at + "/info", "CLIENT_ID": srv.Demo.ClientID, "USER_TOKEN": srv.Demo.ApplicantToken,
				"CHANNEL": srv.Demo.Channel, "JOB": fmt.Sprint(srv.Demo.OpenJob),
			}
			for name, value := range test.set {
				set[name] = value
			}
			c, out := console()
			r, err := Examine(t.Context(), c, board(t, set, nil))
			if err != nil {
				t.Fatal(err)
			}
			var names, wrong []string
			details, next := "", ""
			failed := false
			for _, f := range r.Findings {
				names = append(names, f.Check)
				if test.want == "" {
					details += f.Detail
				}
				if f.Verdict != OK {
					wrong = append(wrong, f.Check+" "+string(f.Verdict))
					details, next = details+f.Detail, next+f.Next
				}
				failed = failed || f.Verdict == Fail
			}
			if got := strings.Join(wrong, ", "); got != test.want || !strings.Contains(details, test.detail) || !strings.Contains(next, test.next) || (r.Failure() != nil) != failed {
				t.Errorf("%s, want %s\n%s\n%s", got, test.want, details, next)
			}
			if got := strings.Join(names, ", "); got != checks && !strings.HasPrefix(test.want, "base address fail") {
				t.Errorf("checked are %s", got)
			}
			if _ = r.Write(false); strings.Count(out.String(), "\n") < len(r.Findings)+2 {
				t.Error(out.String())
			}
		})
	}
	// Of a large channel the titles of fifty postings are compared.
	for range 10 {
		srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Nurse", Language: "de"})
	}
	c, out := console()
	r, err := Examine(t.Context(), c, board(t, map[string]string{"BASE_URL": srv.BaseURL, "CLIENT_ID": "10", "CHANNEL": srv.Demo.Channel, "LANGUAGE": "de"}, nil))
	if _ = r.Write(false); err != nil || !strings.Contains(out.String(), " of 50 titles differ") {
		t.Errorf("%v: %s", err, out)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Examine(ended, c, board(t, map[string]string{"BASE_URL": srv.BaseURL, "CLIENT_ID": "10"}, nil)); !errors.Is(err, context.Canceled) {
		t.Error(err)
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
	_ = r.Write(false)
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
	_ = r.Write(false)
	if want := "\x1b[33mwarn\x1b[0m  one               a sentence that breaks\n                        here\n" +
		"                        \x1b[1mnext:\x1b[0m a step that\n                        breaks, too\n\n0 ok, 1 warning, 0 failed, 0 skipped\n"; out.String() != want || r.Failure() != nil {
		t.Errorf("%q\nwant\n%q", out.String(), want)
	}
}

// The bundle has versions, settings, verdicts and answers, and no secret.
func TestBundle(t *testing.T) {
	c, _ := console()
	c.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)) }
	r := NewReport(c)
	r.board = board(t, map[string]string{
		"BASE_URL": "https://u:canary@jobs.example/?canary", "TOKEN": "canary", "CA_FILE": "/canary", "LANGUAGE": "de\x1b", "CHANNEL": "t0ken",
	}, nil)
	r.Add("one", OK, "fine\u202e", "")
	r.probes = []probe{{What: "base address", Status: 200, Server: "nginx t0ken"}}
	proxies := map[string]string{"HTTPS_PROXY": "canary", "no_proxy": "canary", "OTHER": "canary"}
	body, err := r.Bundle("towns 1", func(name string) string { return proxies[name] })
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Program, System, Time string
		Settings              map[string]struct{ Value, Source string }
		Proxies               map[string]string
		Findings              []Finding
		Answers               []struct {
			What, Server string
			Status       int
		}
	}
	if err := json.Unmarshal(body, &got); err != nil || bytes.Contains(body, []byte("canary")) || bytes.Contains(body, []byte("t0ken")) || !bytes.HasSuffix(body, []byte("}\n")) {
		t.Fatalf("%v\n%s", err, body)
	}
	if got.Program != "towns 1" || !strings.Contains(got.System, "/") || got.Time != "2026-01-02T02:04:05Z" || len(got.Proxies) != 2 || got.Proxies["no_proxy"] != "set" {
		t.Errorf("%s", body)
	}
	for name, want := range map[string]string{
		"base_url": "https://jobs.example/ (and a user part) (and a query)", "token": "set", "ca_file": "set", "language": "de", "channel": "[hidden]",
	} {
		if v := got.Settings[name]; v.Value != want || v.Source != "environment" {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if len(got.Settings) != 5 || len(got.Findings) != 1 || got.Findings[0].Detail != "fine" || len(got.Answers) != 1 || got.Answers[0].Server != "nginx [hidden]" || got.Answers[0].Status != 200 {
		t.Errorf("%s", body)
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
