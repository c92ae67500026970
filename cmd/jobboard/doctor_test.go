package main

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// Each prepared misconfiguration is named by one check, with its next step, and
// nothing that works is blamed.
func TestDoctorNamesWhatIsWrong(t *testing.T) {
	srv := demo(t)
	d := srv.Demo
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(elsewhere.Close)
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, srv.BaseURL+r.URL.Path+"?canary=1", http.StatusMovedPermanently)
	}))
	t.Cleanup(moved.Close)
	secure := httptest.NewUnstartedServer(srv.Handler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail on purpose
	secure.StartTLS()
	t.Cleanup(secure.Close)
	unknownHost := roundTrip(func(req *http.Request) (*http.Response, error) {
		if req.URL.Host == "jobdb.invalid" {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: req.URL.Host, IsNotFound: true}}
		}
		return http.DefaultTransport.RoundTrip(req)
	})
	loginPage := http.Header{"Content-Type": {"text/html"}}
	toLogin := http.Header{"Location": {"https://sso.example/login?return=canary"}}

	fail := func(check, detail, next string) finding { return finding{check, verdictFail, detail, next} }
	warn := func(check, detail, next string) finding { return finding{check, verdictWarn, detail, next} }
	for _, test := range []struct {
		name      string
		env       env
		fault     jobboardtest.Fault
		variants  jobboardtest.Variants
		transport http.RoundTripper
		want      finding
		blames    int // findings that fail or warn; 0: this one alone
	}{
		// Settings.
		{name: "http with a credential", env: env{"BASE_URL": "http://jobs.example"}, want: fail(checkSettings, "http to a host that is not loopback", "use the https address")},
		{name: "no scheme", env: env{"BASE_URL": "jobs.example/board"}, want: fail(checkSettings, "base_url", "with its scheme, such as https://")},
		{
			name: "credential in the address", env: env{"BASE_URL": strings.Replace(srv.BaseURL, "//", "//canary:canary@", 1)},
			want: fail(checkSettings, "user part", "take name and password out of the address"),
		},
		{name: "token and identifier", env: env{"TOKEN": d.ClientToken}, want: fail(checkSettings, "exclude each other", "keep one")},

		// The base address and what is on the way to it.
		{name: "wrong base path", env: env{"BASE_URL": srv.BaseURL + "/v2"}, want: fail(checkBase, "404", "stands before /api/rest")},
		{name: "no base path", env: env{"BASE_URL": strings.TrimSuffix(srv.BaseURL, "/board")}, want: fail(checkBase, "404", "has a path too many, lacks one")},
		{name: "addresses swapped", env: env{"BASE_URL": srv.JobDBURL, "JOBDB_URL": srv.BaseURL}, want: fail(checkBase, "404", "another host's"), blames: 2},
		{name: "nothing listens", env: env{"BASE_URL": "http://127.0.0.1:1"}, want: fail(checkBase, "the connection was refused", "check host and port")},
		{
			name: "login page", fault: jobboardtest.Fault{Header: loginPage, Body: "<!DOCTYPE html><title>Sign in</title>"},
			want: fail(checkBase, "HTML page (200)", "login page of a proxy"), blames: 2,
		},
		{
			name: "proxy that does not get through", fault: jobboardtest.Fault{Status: 502, Header: http.Header{"Via": {"1.1 squid"}}},
			want: fail(checkBase, "(502), it calls itself 1.1 squid", "HTTPS_PROXY"), blames: 2,
		},
		{name: "redirecting host", env: env{"BASE_URL": moved.URL}, want: fail(checkRedirects, "redirects (301) to http://127.0.0.1", "set JOBBOARD_BASE_URL to that address")},
		{name: "redirect to a login", fault: jobboardtest.Fault{Status: 302, Header: toLogin}, want: fail(checkRedirects, "https://sso.example/login", "wants you to sign in"), blames: 2},
		{
			name: "redirect to nowhere", fault: jobboardtest.Fault{Status: 302, Operation: jobboardtest.OpJobInformation},
			want: fail(checkLookup, "redirects (302) to nowhere", "check JOBBOARD_JOBDB_URL"),
		},
		{name: "unknown authority", env: env{"BASE_URL": secure.URL + "/board"}, want: fail(checkTLS, "an authority that this machine does not know", "--ca-file")},
		{
			name: "certificate of another name", env: env{"BASE_URL": strings.Replace(secure.URL, "127.0.0.1", "localhost", 1) + "/board", "CA_FILE": caOf(t, secure)},
			want: fail(checkTLS, "for another name", "use the name that the certificate is for"),
		},
		{name: "https to a server without TLS", env: env{"BASE_URL": strings.Replace(srv.BaseURL, "http:", "https:", 1)}, want: fail(checkTLS, "does not speak TLS", "check the port")},
		{name: "clock far off", fault: jobboardtest.Fault{Skew: 2 * time.Hour}, want: fail(checkClock, "clock is 2h0m0s behind the service's", "NTP")},
		{name: "clock a little off", fault: jobboardtest.Fault{Skew: -2 * time.Minute}, want: warn(checkClock, "ahead of the service's", "NTP")},

		// Credentials, channel and language.
		{name: "no credential", env: env{"CLIENT_ID": "", "USER_TOKEN": ""}, want: fail(checkCredential, "none is set", "set JOBBOARD_CLIENT_ID")},
		{name: "unknown client", env: env{"CLIENT_ID": "99"}, want: fail(checkCredential, "without a secret (Basic)", "check JOBBOARD_CLIENT_ID")},
		{name: "confidential client without its secret", env: env{"CLIENT_ID": d.ConfidentialClient}, want: fail(checkCredential, "without a secret (Basic)", "set JOBBOARD_CLIENT_SECRET too")},
		{
			name: "wrong secret", env: env{"CLIENT_ID": d.ConfidentialClient, "CLIENT_SECRET": "canary-secret"},
			want: fail(checkCredential, "with its secret (OAuth2)", "check JOBBOARD_CLIENT_ID and JOBBOARD_CLIENT_SECRET"),
		},
		{
			name: "wrong token address", env: env{"CLIENT_ID": d.ConfidentialClient, "CLIENT_SECRET": d.ConfidentialSecret, "TOKEN_URL": srv.BaseURL + "/nowhere"},
			want: fail(checkCredential, "OAuth2", "set JOBBOARD_TOKEN_URL"),
		},
		{name: "expired token", env: env{"CLIENT_ID": "", "TOKEN": d.ExpiredToken}, want: fail(checkCredential, "invalid_token", "get a new one for JOBBOARD_TOKEN")},
		{name: "scope missing", env: env{"CLIENT_ID": "", "TOKEN": d.NarrowToken}, want: fail(checkCredential, "insufficient_scope", "scope")},
		{name: "search fails", fault: jobboardtest.Fault{Status: 500, Body: "boom", Operation: jobboardtest.OpSearch}, want: fail(checkCredential, "500", "try again later")},
		{name: "client's token as the applicant's", env: env{"USER_TOKEN": d.ClientToken}, want: fail(checkApplicant, "the token is a client's", "a client's belongs in JOBBOARD_TOKEN")},
		{name: "expired applicant's token", env: env{"USER_TOKEN": d.ExpiredToken}, want: fail(checkApplicant, "expired", "sign in again")},
		{name: "no channel", env: env{"CHANNEL": ""}, want: warn(checkChannel, "none is set", "set JOBBOARD_CHANNEL")},
		{
			name: "unknown channel", env: env{"CHANNEL": "27828_EXTERN"}, variants: jobboardtest.Variants{UnknownChannel: 404},
			want: fail(checkChannel, "does not know 27828_EXTERN (404)", "upper and lower case count"),
		},
		{name: "empty channel", env: env{"CHANNEL": "1_nobody"}, want: warn(checkChannel, "has no postings, or does not exist", "27828_extern")},
		{name: "no language", env: env{"LANGUAGE": "german-please-now"}, want: fail(checkLanguage, "names no language", "such as de")},

		// The lookup.
		{name: "no lookup", env: env{"JOBDB_URL": ""}, want: warn(checkLookup, "no lookup address", "set JOBBOARD_JOBDB_URL")},
		{name: "lookup at a router that does not know it", env: env{"JOBDB_URL": elsewhere.URL}, want: fail(checkLookup, "has no lookup there (404)", "/jobdb/public/apply/external")},
		{name: "lookup at the base address", env: env{"JOBDB_URL": srv.BaseURL}, want: fail(checkLookup, "404", "another address than JOBBOARD_BASE_URL")},
		{name: "no such host", env: env{"JOBDB_URL": "http://jobdb.invalid"}, transport: unknownHost, want: fail(checkLookup, "name is not known", "misspelt")},
		{name: "job that is gone", env: env{"JOB": fmt.Sprint(d.UnknownJob)}, want: warn(checkLookup, "job unavailable", "take a job from a feed")},
	} {
		t.Run(test.name, func(t *testing.T) {
			srv.SetVariants(test.variants)
			defer srv.LiftFaults()
			if !isZeroFault(test.fault) {
				srv.Fail(test.fault)
			}
			p := newProcess().pointAt(srv).with(test.env)
			p.transport = test.transport
			bundle := filepath.Join(t.TempDir(), "bundle.json")
			want := exitOK
			if test.want.Verdict == verdictFail {
				want = exitIncomplete
			}
			r := p.run(t, "doctor", "--json", "--bundle", bundle).want(t, want).without(t, "canary")
			blamed, named := 0, false
			for _, f := range decode[[]finding](t, r.out) {
				if f.Verdict == verdictWarn || f.Verdict == verdictFail {
					blamed++
					if f.Next == "" {
						t.Errorf("no next step: %+v", f)
					}
				}
				if f.Check == test.want.Check && f.Verdict == test.want.Verdict && strings.Contains(f.Detail, test.want.Detail) && strings.Contains(f.Next, test.want.Next) {
					named = true
				}
			}
			if !named || blamed != max(test.blames, 1) {
				t.Errorf("named: %t, %d findings are not ok:\n%s", named, blamed, r.out)
			}
			if body := read(t, bundle); !json.Valid([]byte(body)) || strings.Contains(body, "canary") {
				t.Error(body)
			}
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// caOf is a file with the certificate of a server.
func caOf(t *testing.T, srv *httptest.Server) string {
	t.Helper()
	return file(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})), 0o644)
}

func TestDoctorOverTLS(t *testing.T) {
	srv := demo(t)
	secure := httptest.NewTLSServer(srv.Handler())
	t.Cleanup(secure.Close)
	p := newProcess().pointAt(srv).set("BASE_URL", secure.URL+"/board/api/rest/").set("JOBDB_URL", secure.URL+"/info").set("CA_FILE", caOf(t, secure)).set("LANGUAGE", "de")
	p.run(t, "doctor").want(t, exitOK, "TLS 1.3, certificate valid until 20", "10 ok, 0 warnings", "de: 17 of 42 titles differ")
	p.run(t, "search").want(t, exitOK, "42 of 42")
	p.set("CA_FILE", file(t, "x", "nothing", 0o600)).run(t, "doctor").want(t, exitIncomplete, "fail  settings", "PEM")
	p.run(t, "search").want(t, exitUsage)
}

func TestDoctorWithoutAnySetting(t *testing.T) {
	newProcess().run(t, "doctor").want(t, exitIncomplete, "fail  settings", "no address is set", "--fake")
}

func TestDoctorAsksOnlyHarmlessThings(t *testing.T) {
	srv := demo(t)
	newProcess().pointAt(srv).run(t, "doctor").want(t, exitOK)
	for _, r := range srv.Requests() {
		if r.Method != "GET" {
			t.Errorf("doctor sent %s", r)
		}
	}
	if n := srv.Count(); n > 8 {
		t.Errorf("doctor sent %d requests", n)
	}
}

// A sentence that two checks have is said once.
func TestDoctorSaysNothingTwice(t *testing.T) {
	nobody := httptest.NewServer(http.NotFoundHandler())
	nobody.Close()
	for _, p := range []*testProcess{
		newProcess(),
		newProcess().set("BASE_URL", nobody.URL).set("JOBDB_URL", nobody.URL).set("CLIENT_ID", "10").set("USER_TOKEN", "canary"),
		newProcess().set("BASE_URL", "http://jobs.example").set("CLIENT_ID", "10"),
		newProcess().pointAt(demo(t)).set("CLIENT_ID", "99"),
		newProcess().pointAt(demo(t)).set("TOKEN", "both").set("CLIENT_ID", "10"),
	} {
		r := p.run(t, "doctor").want(t, exitIncomplete)
		said := map[string]bool{}
		for line := range strings.Lines(r.out) {
			if len(line) <= 24 {
				continue
			}
			sentence := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line[24:]), "next: "))
			if strings.HasPrefix(sentence, "as above, ") {
				continue
			}
			for earlier := range said {
				if strings.Contains(earlier, sentence) || strings.Contains(sentence, earlier) {
					t.Errorf("%q is said again:\n%s", sentence, r.out)
				}
			}
			said[sentence] = true
		}
	}
}

func TestDoctorWrapsOnATerminal(t *testing.T) {
	p := newProcess().set("BASE_URL", "http://jobs.example").set("CLIENT_ID", "10")
	p.outTerminal = terminal{tty: true, width: 60}
	r := p.run(t, "doctor").want(t, exitIncomplete, "fail  settings", "next: use the https")
	for line := range strings.SplitSeq(r.out, "\n") {
		if len(line) > 60 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

func TestBundleMasks(t *testing.T) {
	srv := demo(t)
	p := newProcess().pointAt(srv).set("CLIENT_ID", "canary-client").set("LANGUAGE", "de")
	p.env["HTTPS_PROXY"] = "http://canary:canary@proxy.example"
	r := p.run(t, "doctor", "--bundle", "-").want(t, exitIncomplete).without(t, "canary", srv.Demo.ApplicantToken)
	bundle := decode[struct {
		Program  string
		Settings map[string]struct{ Value, Source string }
		Proxies  map[string]string
		Findings []finding
		Answers  []struct{ Status int }
	}](t, r.out)
	if s := bundle.Settings; s["user_token"].Value != "set" || s["client_id"].Value != "set" || s["base_url"].Value != srv.BaseURL || s["language"].Source != "environment" {
		t.Errorf("%v", s)
	}
	if !strings.HasPrefix(bundle.Program, "jobboard ") || bundle.Proxies["HTTPS_PROXY"] != "set" || len(bundle.Findings) < 9 || len(bundle.Answers) != 2 || bundle.Answers[0].Status != 401 {
		t.Errorf("%s", r.out)
	}
}
