package main

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/doctor"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
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

	fail := func(check, detail, next string) doctor.Finding {
		return doctor.Finding{Check: check, Verdict: doctor.Fail, Detail: detail, Next: next}
	}
	warn := func(check, detail, next string) doctor.Finding {
		return doctor.Finding{Check: check, Verdict: doctor.Warn, Detail: detail, Next: next}
	}
	for _, test := range []struct {
		name      string
		env       env
		fault     jobboardtest.Fault
		variants  jobboardtest.Variants
		transport http.RoundTripper
		want      doctor.Finding
		blames    int    // findings that fail or warn; 0: this one alone
		not       string // is in no next step
	}{
		// Settings.
		{name: "http with a credential", env: env{"BASE_URL": "http://jobs.example"}, want: fail(doctor.CheckSettings, "http to a host that is not loopback", "use the https address")},
		{name: "no scheme", env: env{"BASE_URL": "jobs.example/board"}, want: fail(doctor.CheckSettings, "base_url", "with its scheme, such as https://")},
		{
			name: "credential in the address", env: env{"BASE_URL": strings.Replace(srv.BaseURL, "//", "//canary:canary@", 1)},
			want: fail(doctor.CheckSettings, "user part", "take name and password out of the address"),
		},
		{name: "token and identifier", env: env{"TOKEN": d.ClientToken}, want: fail(doctor.CheckSettings, "exclude each other", "keep one")},

		// The base address, and the redirects and certificates behind it.
		{name: "wrong base path", env: env{"BASE_URL": srv.BaseURL + "/v2"}, want: fail(doctor.CheckBase, "404", "stands before /api/rest")},
		{name: "no base path", env: env{"BASE_URL": strings.TrimSuffix(srv.BaseURL, "/board")}, want: fail(doctor.CheckBase, "404", "has a wrong path, lacks its path")},
		{name: "addresses swapped", env: env{"BASE_URL": srv.JobDBURL, "JOBDB_URL": srv.BaseURL}, want: fail(doctor.CheckBase, "404", "to another host"), blames: 2},
		{name: "nothing listens", env: env{"BASE_URL": "http://127.0.0.1:1"}, want: fail(doctor.CheckBase, "the connection was refused", "check host and port")},
		{
			name: "login page", fault: jobboardtest.Fault{Header: loginPage, Body: "<!DOCTYPE html><title>Sign in</title>"},
			want: fail(doctor.CheckBase, "HTML page (200)", "login page of a proxy"), blames: 2,
		},
		{
			name: "proxy that does not get through", fault: jobboardtest.Fault{Status: 502, Header: http.Header{"Via": {"1.1 squid"}}},
			want: fail(doctor.CheckBase, "(502), it calls itself 1.1 squid", "HTTPS_PROXY"), blames: 2,
		},
		{name: "redirecting host", env: env{"BASE_URL": moved.URL}, want: fail(doctor.CheckRedirects, "redirects (301) to http://127.0.0.1", "set JOBBOARD_BASE_URL to that address")},
		{name: "redirect to a login", fault: jobboardtest.Fault{Status: 302, Header: toLogin}, want: fail(doctor.CheckRedirects, "https://sso.example/login", "wants you to sign in"), blames: 2},
		{
			name: "redirect to nowhere", fault: jobboardtest.Fault{Status: 302, Operation: jobboardtest.OpJobInformation},
			want: fail(doctor.CheckLookup, "redirects (302) to nowhere", "check JOBBOARD_JOBDB_URL"),
		},
		{name: "unknown authority", env: env{"BASE_URL": secure.URL + "/board"}, want: fail(doctor.CheckTLS, "an authority that this machine does not know", "--ca-file")},
		{
			name: "certificate of another name", env: env{"BASE_URL": strings.Replace(secure.URL, "127.0.0.1", "localhost", 1) + "/board", "CA_FILE": caOf(t, secure)},
			want: fail(doctor.CheckTLS, "names another host", "use the name that the certificate is for"),
		},
		{name: "https to a server without TLS", env: env{"BASE_URL": strings.Replace(srv.BaseURL, "http:", "https:", 1)}, want: fail(doctor.CheckTLS, "does not speak TLS", "check the port")},
		{name: "clock far off", fault: jobboardtest.Fault{Skew: 2 * time.Hour}, want: fail(doctor.CheckClock, "clock is 2h0m0s behind the service's", "NTP")},
		{name: "clock a little off", fault: jobboardtest.Fault{Skew: -2 * time.Minute}, want: warn(doctor.CheckClock, "ahead of the service's", "NTP")},

		// Credentials, channel and language.
		{name: "no credential", env: env{"CLIENT_ID": "", "USER_TOKEN": ""}, want: fail(doctor.CheckCredential, "no credential is set", "set JOBBOARD_CLIENT_ID")},
		{name: "unknown client", env: env{"CLIENT_ID": "99"}, want: fail(doctor.CheckCredential, "without a secret (Basic)", "check JOBBOARD_CLIENT_ID")},
		{name: "confidential client without its secret", env: env{"CLIENT_ID": d.ConfidentialClient}, want: fail(doctor.CheckCredential, "without a secret (Basic)", "set JOBBOARD_CLIENT_SECRET too")},
		{
			name: "wrong secret", env: env{"CLIENT_ID": d.ConfidentialClient, "CLIENT_SECRET": "canary-secret"},
			want: fail(doctor.CheckCredential, "with its secret (OAuth2)", "check JOBBOARD_CLIENT_ID and JOBBOARD_CLIENT_SECRET"),
		},
		{
			name: "wrong token address", env: env{"CLIENT_ID": d.ConfidentialClient, "CLIENT_SECRET": d.ConfidentialSecret, "TOKEN_URL": srv.BaseURL + "/nowhere"},
			want: fail(doctor.CheckCredential, "OAuth2", "set JOBBOARD_TOKEN_URL"),
		},
		{name: "expired token", env: env{"CLIENT_ID": "", "TOKEN": d.ExpiredToken}, want: fail(doctor.CheckCredential, "invalid_token", "get a new one for JOBBOARD_TOKEN")},
		{name: "scope missing", env: env{"CLIENT_ID": "", "TOKEN": d.NarrowToken}, want: fail(doctor.CheckCredential, "insufficient_scope", "scope")},
		{name: "search fails", fault: jobboardtest.Fault{Status: 500, Body: "boom", Operation: jobboardtest.OpSearch}, want: fail(doctor.CheckCredential, "500", "try again later")},
		{name: "client's token as the applicant's", env: env{"USER_TOKEN": d.ClientToken}, want: fail(doctor.CheckApplicant, "the token is a client's", "a client's belongs in JOBBOARD_TOKEN")},
		{name: "expired applicant's token", env: env{"USER_TOKEN": d.ExpiredToken}, want: fail(doctor.CheckApplicant, "expired", "sign in again")},
		{name: "no channel", env: env{"CHANNEL": ""}, want: warn(doctor.CheckChannel, "none is set", "set JOBBOARD_CHANNEL")},
		{
			name: "unknown channel", env: env{"CHANNEL": "27828_EXTERN"}, variants: jobboardtest.Variants{UnknownChannel: 404},
			want: fail(doctor.CheckChannel, "does not know 27828_EXTERN (404)", "upper and lower case count"),
		},
		{name: "empty channel", env: env{"CHANNEL": "1_nobody"}, want: fail(doctor.CheckChannel, "has no postings, or does not exist", "27828_extern")},
		{name: "no language", env: env{"LANGUAGE": "de-germanyplease"}, want: fail(doctor.CheckLanguage, "names no language", "such as de")},
		{name: "no code of a language", env: env{"LANGUAGE": "german"}, want: fail(doctor.CheckSettings, `write "de"`, "help settings")},

		// The lookup.
		{name: "no lookup", env: env{"JOBDB_URL": ""}, want: warn(doctor.CheckLookup, "no lookup address", "set JOBBOARD_JOBDB_URL")},
		{
			name: "lookup at a router that does not know it", env: env{"JOBDB_URL": elsewhere.URL},
			want: fail(doctor.CheckLookup, "leads to no lookup (404)", "check host and path of JOBBOARD_JOBDB_URL"), not: "one host",
		},
		{name: "lookup at the base address", env: env{"JOBDB_URL": srv.BaseURL}, want: fail(doctor.CheckLookup, "404", "another address than JOBBOARD_BASE_URL, and here both have one host")},
		{name: "no such host", env: env{"JOBDB_URL": "http://jobdb.invalid"}, transport: unknownHost, want: fail(doctor.CheckLookup, "name is not known", "misspelt")},
		{name: "job that is gone", env: env{"JOB": fmt.Sprint(d.UnknownJob)}, want: warn(doctor.CheckLookup, "job unavailable", "take a job from a feed")},
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
			want := setup.ExitOK
			if test.want.Verdict == doctor.Fail {
				want = setup.ExitIncomplete
			}
			r := p.run(t, "doctor", "--json", "--bundle", bundle).want(t, want).without(t, "canary")
			blamed, named := 0, false
			for _, f := range decode[[]doctor.Finding](t, r.out) {
				if f.Verdict == doctor.Warn || f.Verdict == doctor.Fail {
					blamed++
					if f.Next == "" {
						t.Errorf("no next step: %+v", f)
					}
				}
				if test.not != "" && strings.Contains(f.Next, test.not) {
					t.Errorf("%s: %q", f.Check, f.Next)
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
	return clitest.WriteFile(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})), 0o644)
}

func TestDoctorOverTLS(t *testing.T) {
	srv := demo(t)
	secure := httptest.NewTLSServer(srv.Handler())
	t.Cleanup(secure.Close)
	p := newProcess().pointAt(srv).set("BASE_URL", secure.URL+"/board/api/rest/").set("JOBDB_URL", secure.URL+"/info").set("CA_FILE", caOf(t, secure)).set("LANGUAGE", "de")
	p.run(t, "doctor").want(t, setup.ExitOK, "TLS 1.3, certificate valid until 20", "10 ok, 0 warnings", "de: 17 of 42 titles differ")
	p.run(t, "search").want(t, setup.ExitOK, "42 of 42")
	p.run(t, "doctor", "--language", "de;q=0.9, en").want(t, setup.ExitOK, "de;q=0.9, en: 19 of 42 titles differ")
	p.set("CA_FILE", clitest.WriteFile(t, "x", "nothing", 0o600)).run(t, "doctor").want(t, setup.ExitIncomplete, "fail  settings", "PEM")
	p.run(t, "search").want(t, setup.ExitUsage)
}

func TestDoctorWithoutAnySetting(t *testing.T) {
	newProcess().run(t, "doctor").want(t, setup.ExitIncomplete, "fail  settings", "no address is set", "--fake")
}

// What a service sends beyond the interface is named: nobody reads it otherwise.
func TestDoctorNamesUnknownMembers(t *testing.T) {
	srv := demo(t)
	more := ""
	for i := range 12 {
		more += fmt.Sprintf(`,"m%02d":0`, i)
	}
	board := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		srv.Handler().ServeHTTP(answer, r)
		body := answer.Body.String()
		switch {
		case strings.HasSuffix(r.URL.Path, "/jobs"):
			body = strings.Replace(body, `{"jobPostingId":`, `{"salary":{"to":1},"jobPostingId":`, 1)
			body = strings.TrimSuffix(strings.TrimSpace(body), "}") + `,"took\u001b[2J":12}`
		case strings.HasSuffix(r.URL.Path, "/external"):
			body = strings.Replace(body, `"type":`, `"scale":7,"type":`, 1)
			body = strings.Replace(body, `"geoCity":`, `"floor":7,"geoCity":`, 2)
			body = strings.TrimSuffix(strings.TrimSpace(body), "}") + more + "}"
		}
		maps.Copy(w.Header(), answer.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.Code)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(board.Close)
	p := newProcess().pointAt(srv).set("BASE_URL", board.URL+"/board/").set("JOBDB_URL", board.URL+"/info")
	p.set("JOB", fmt.Sprint(srv.Demo.OpenJob)).run(t, "doctor", "--json").want(t, setup.ExitOK,
		"has postings; beyond the interface it sends results.salary, {name}\"",
		"beyond the interface it sends additionalLocations.floor, location.floor, m00, ", "m07 and 5 more").without(t, "\x1b")
	newProcess().pointAt(srv).run(t, "doctor").want(t, setup.ExitOK).without(t, "beyond")
}

func TestDoctorAsksOnlyHarmlessThings(t *testing.T) {
	srv := demo(t)
	newProcess().pointAt(srv).run(t, "doctor").want(t, setup.ExitOK)
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
		r := p.run(t, "doctor").want(t, setup.ExitIncomplete)
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
	p.outTerminal = term.Terminal{TTY: true, Width: 60}
	r := p.run(t, "doctor").want(t, setup.ExitIncomplete, "fail  settings", "next: use the https")
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
	r := p.run(t, "doctor", "--bundle", "-").want(t, setup.ExitIncomplete).without(t, "canary", srv.Demo.ApplicantToken)
	bundle := decode[struct {
		Program  string
		Settings map[string]struct{ Value, Source string }
		Proxies  map[string]string
		Findings []doctor.Finding
		Answers  []struct{ Status int }
	}](t, r.out)
	if s := bundle.Settings; s["user_token"].Value != "set" || s["client_id"].Value != "set" || s["base_url"].Value != srv.BaseURL || s["language"].Source != "environment" {
		t.Errorf("%v", s)
	}
	if !strings.HasPrefix(bundle.Program, "jobboard ") || bundle.Proxies["HTTPS_PROXY"] != "set" || len(bundle.Findings) < 9 || len(bundle.Answers) != 2 || bundle.Answers[0].Status != 401 {
		t.Errorf("%s", r.out)
	}
}

// Only its owner may read the bundle, which can be read before it is sent, and a bundle that
// cannot be written is an error.
func TestBundleFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bundle.json")
	r := newProcess().run(t, "doctor", "--fake", "--bundle", file).want(t, setup.ExitOK, "10 ok")
	if want := "jobboard: " + file + " is without secrets; read it before you send it\n"; r.err != want {
		t.Errorf("%q, want %q", r.err, want)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	newProcess().run(t, "doctor", "--fake", "--bundle", filepath.Join(file, "below")).want(t, setup.ExitUnexpected, "10 ok").
		wantErr(t, "jobboard: --bundle: ").without(t, "read it before")
}
