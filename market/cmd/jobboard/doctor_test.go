package main

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
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
	inJSON := http.Header{"Content-Type": {"application/json"}}
	toLogin := http.Header{"Location": {"https://sso.example/login?return=canary"}}

	fail := func(check, detail, next string) doctor.Finding {
		return doctor.Finding{Check: check, Verdict: doctor.Fail, Detail: detail, Next: next}
	}
	warn := func(check, detail, next string) doctor.Finding {
		return doctor.Finding{Check: check, Verdict: doctor.Warn, Detail: detail, Next: next}
	}
	ok := func(check, detail string) doctor.Finding {
		return doctor.Finding{Check: check, Verdict: doctor.OK, Detail: detail}
	}
	for _, test := range []struct {
		name      string
		env       env
		fault     jobboardtest.Fault
		variants  jobboardtest.Variants
		transport http.RoundTripper
		want      doctor.Finding
		blames    int    // findings that fail or warn; 0: this one alone, if it does
		not       string // is in no next step
	}{
		{name: "all is well", want: ok(doctor.CheckSettings, "6 from the environment")},

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
		{name: "no base address", env: env{"BASE_URL": ""}, want: fail(doctor.CheckBase, "no base address is set", "--base-url")},
		{name: "refused without a word", fault: applied(403, ""), want: ok(doctor.CheckBase, "asks for a credential")},
		{name: "its own code", fault: applied(404, `{"code":"get_project_error"}`), want: ok(doctor.CheckBase, "answers")},
		{name: "its own words", fault: applied(400, "No Posting"), want: ok(doctor.CheckBase, "answers")},
		{name: "another's 404", fault: applied(404, "nothing"), want: fail(doctor.CheckBase, "has nothing at /api/rest/v3", "before /api/rest")},
		{name: "open to all", fault: applied(200, "true"), want: fail(doctor.CheckBase, "answers 200 where", "not the job board's")},
		{name: "open to all, without a body", fault: applied(299, ""), want: fail(doctor.CheckBase, "answers 299 where", "not the job board's")},
		{name: "a strange status", fault: applied(418, ""), want: warn(doctor.CheckBase, "answers 418, which the interface does not name", "the checks below")},
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
		{
			name: "secret of an application without one", env: env{"CLIENT_SECRET": "canary-secret"},
			fault: jobboardtest.Fault{Operation: jobboardtest.OpToken, Status: 400, Header: inJSON, Body: `{"error":"unauthorized_client"}`},
			want:  fail(doctor.CheckCredential, "OAuth2", "take JOBBOARD_CLIENT_SECRET away"),
		},
		{
			name: "token address that does not answer", env: env{"CLIENT_SECRET": "canary-secret", "TOKEN_URL": "http://127.0.0.1:1/"},
			want: fail(doctor.CheckCredential, "OAuth2", "set JOBBOARD_TOKEN_URL"),
		},
		{
			name: "token address that fails", env: env{"CLIENT_ID": d.ConfidentialClient, "CLIENT_SECRET": d.ConfidentialSecret},
			fault: jobboardtest.Fault{Operation: jobboardtest.OpToken, Status: 500}, want: fail(doctor.CheckCredential, "OAuth2", "the token address gave no token"),
		},
		{name: "expired token", env: env{"CLIENT_ID": "", "TOKEN": d.ExpiredToken}, want: fail(doctor.CheckCredential, "invalid_token", "get a new one for JOBBOARD_TOKEN")},
		{name: "scope missing", env: env{"CLIENT_ID": "", "TOKEN": d.NarrowToken}, want: fail(doctor.CheckCredential, "insufficient_scope", "scope")},
		{name: "search fails", fault: jobboardtest.Fault{Status: 500, Body: "boom", Operation: jobboardtest.OpSearch}, want: fail(doctor.CheckCredential, "500", "try again later")},
		{name: "a strange answer to a search", fault: searched(0, 418, ""), want: fail(doctor.CheckCredential, "the search failed", "--debug")},
		{name: "no JSON", fault: searched(0, 200, "x"), want: fail(doctor.CheckCredential, "the search failed", "does not come from the interface")},
		{name: "client's token as the applicant's", env: env{"USER_TOKEN": d.ClientToken}, want: fail(doctor.CheckApplicant, "the token is a client's", "a client's belongs in JOBBOARD_TOKEN")},
		{name: "applicant's token of a narrow scope", env: env{"USER_TOKEN": d.NarrowToken}, want: fail(doctor.CheckApplicant, "insufficient_scope", "scope is not enough")},
		{name: "expired applicant's token", env: env{"USER_TOKEN": d.ExpiredToken}, want: fail(doctor.CheckApplicant, "expired", "sign in again")},
		{name: "no channel", env: env{"CHANNEL": ""}, want: warn(doctor.CheckChannel, "none is set", "set JOBBOARD_CHANNEL")},
		{
			name: "unknown channel", env: env{"CHANNEL": "27828_EXTERN"}, variants: jobboardtest.Variants{UnknownChannel: 404},
			want: fail(doctor.CheckChannel, "does not know 27828_EXTERN (404)", "upper and lower case count"),
		},
		{name: "a channel that is a bad request", fault: searched(0, 400, ""), want: fail(doctor.CheckChannel, "does not know 27828_extern (400)", "upper and lower case count")},
		{name: "empty channel", env: env{"CHANNEL": "1_nobody"}, want: fail(doctor.CheckChannel, "has no postings, or does not exist", "27828_extern")},
		{name: "a language", env: env{"LANGUAGE": "de"}, want: ok(doctor.CheckLanguage, "de: 17 of 42 titles differ from those of any language")},
		{name: "languages", env: env{"LANGUAGE": " de;q=0.9,en"}, want: ok(doctor.CheckLanguage, "de;q=0.9,en: 19 of 42 titles differ")},
		{name: "a language that fails", env: env{"LANGUAGE": "de"}, fault: searched(1, 500, ""), want: fail(doctor.CheckLanguage, "a search in de failed", "try without")},
		{
			name: "any language fails", env: env{"LANGUAGE": "de"}, fault: searched(2, 500, ""),
			want: warn(doctor.CheckLanguage, "de works; a search in any language failed", "try again later"),
		},
		{name: "no language", env: env{"LANGUAGE": "de-germanyplease"}, want: fail(doctor.CheckLanguage, "names no language", "such as de")},
		{name: "no code of a language", env: env{"LANGUAGE": "german"}, want: fail(doctor.CheckSettings, `write "de"`, "help settings")},

		// The lookup.
		{name: "no lookup", env: env{"JOBDB_URL": ""}, want: warn(doctor.CheckLookup, "no lookup address", "set JOBBOARD_JOBDB_URL")},
		{
			name: "lookup at a router that does not know it", env: env{"JOBDB_URL": elsewhere.URL},
			want: fail(doctor.CheckLookup, "leads to no lookup (404)", "check host and path of JOBBOARD_JOBDB_URL"), not: "one host",
		},
		{name: "lookup at the base address", env: env{"JOBDB_URL": srv.BaseURL}, want: fail(doctor.CheckLookup, "404", "another address than JOBBOARD_BASE_URL, and here both have one host")},
		{name: "lookup that wants a credential", fault: lookup(401), want: fail(doctor.CheckLookup, "401", "the lookup needs no credential")},
		{name: "lookup that forbids", fault: lookup(403), want: fail(doctor.CheckLookup, "403", "the lookup needs no credential")},
		{name: "lookup that fails", fault: lookup(500), want: fail(doctor.CheckLookup, "the service fails (500)", "what doctor --json says")},
		{
			name: "lookup of something else", fault: jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Body: "x"},
			want: fail(doctor.CheckLookup, "", "check JOBBOARD_JOBDB_URL"),
		},
		{name: "job that is no number", env: env{"JOB": "x"}, want: fail(doctor.CheckLookup, "not a positive number", "a job's identifier")},
		{name: "no job", env: env{"JOB": ""}, want: ok(doctor.CheckLookup, "answers")},
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
			want := setup.ExitOK
			if test.want.Verdict == doctor.Fail {
				want = setup.ExitIncomplete
			}
			r := p.run(t, "doctor", "--json").want(t, want).without(t, "canary")
			blamed, named := 0, false
			verdicts := map[string]doctor.Verdict{}
			for _, f := range decode[struct{ Findings []doctor.Finding }](t, r.out).Findings {
				verdicts[f.Check] = f.Verdict
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
			blames := test.blames
			if blames == 0 && test.want.Verdict != doctor.OK {
				blames = 1
			}
			if !named || blamed != blames {
				t.Errorf("named: %t, %d findings are not ok:\n%s", named, blamed, r.out)
			}
			wantSkipped(t, verdicts)
		})
	}
}

// wantSkipped wants what cannot be judged to be skipped, and all else to be checked.
func wantSkipped(t *testing.T, verdicts map[string]doctor.Verdict) {
	t.Helper()
	if verdicts[doctor.CheckSettings] == doctor.Fail {
		if len(verdicts) > 1 {
			t.Errorf("checked with settings that are wrong: %v", verdicts)
		}
		return
	}
	base := verdicts[doctor.CheckBase] != "" && verdicts[doctor.CheckBase] != doctor.Fail // else it, TLS or a redirect is wrong
	credential := base && verdicts[doctor.CheckCredential] == doctor.OK
	for check, can := range map[string]bool{
		doctor.CheckCredential: base, doctor.CheckChannel: credential, doctor.CheckLanguage: credential && verdicts[doctor.CheckChannel] == doctor.OK,
		doctor.CheckApplicant: base, doctor.CheckLookup: true,
	} {
		noToken := check == doctor.CheckApplicant && verdicts[doctor.CheckCredential] == doctor.Fail // the row may take both credentials away
		if verdicts[check] == "" || !noToken && (verdicts[check] == doctor.Skip) == can {
			t.Errorf("%s is %q: %v", check, verdicts[check], verdicts)
		}
	}
}

// applied is a fault of the request for which doctor has no credential, searched and lookup are faults of an operation; of
// searches the first ones may pass.
func applied(status int, body string) jobboardtest.Fault {
	return jobboardtest.Fault{Path: "/api/rest/v3/frontend/jobs/1/applied", Status: status, Body: body}
}

func searched(skip, status int, body string) jobboardtest.Fault {
	return jobboardtest.Fault{Operation: jobboardtest.OpSearch, Skip: skip, Status: status, Body: body}
}

func lookup(status int) jobboardtest.Fault {
	return jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Status: status}
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
	p := newProcess().pointAt(srv).set("BASE_URL", secure.URL+"/board/api/rest/").set("JOBDB_URL", secure.URL+"/info").set("CA_FILE", caOf(t, secure))
	p.run(t, "doctor").want(t, setup.ExitOK, "TLS 1.3, certificate valid until 20", "10 ok, 0 warnings")
	p.run(t, "search").want(t, setup.ExitOK, "42 of 42")
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

// The JSON has versions, settings, verdicts and answers, for support, and no secret.
func TestDoctorForSupport(t *testing.T) {
	type report struct {
		Program, System string
		Time            time.Time
		Settings        map[string]struct{ Value, Source string }
		Proxies         []string
		Findings        []doctor.Finding
		Answers         []struct{ Status int }
	}
	srv := demo(t)
	p := newProcess().pointAt(srv).set("CLIENT_ID", "canary-client").set("LANGUAGE", "de\x1b").set("CHANNEL", srv.Demo.ApplicantToken)
	p.env["HTTPS_PROXY"], p.env["no_proxy"] = "http://canary:canary@proxy.example", "canary"
	p.now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)) }
	r := p.run(t, "doctor", "--json").want(t, setup.ExitIncomplete).without(t, "canary", srv.Demo.ApplicantToken)
	got := decode[report](t, r.out)
	for name, want := range map[string]string{
		"user_token": "set", "client_id": "set", "base_url": srv.BaseURL, "language": "de", "channel": "[hidden]", "job": fmt.Sprint(srv.Demo.OpenJob),
	} {
		if v := got.Settings[name]; v.Value != want || v.Source != "environment" {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if !strings.HasPrefix(got.Program, "jobboard ") || !strings.Contains(got.System, "/") || !got.Time.Equal(time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC)) ||
		!slices.Equal(got.Proxies, []string{"HTTPS_PROXY", "no_proxy"}) || len(got.Findings) != 1 || len(got.Answers) != 0 {
		t.Errorf("%s", r.out)
	}
	p.set("LANGUAGE", "de")
	if got := decode[report](t, p.run(t, "doctor", "--json").out); len(got.Findings) != 10 || len(got.Answers) != 2 || got.Answers[0].Status != 401 {
		t.Errorf("%+v", got)
	}
	p = newProcess().set("BASE_URL", "https://u:canary@jobs.example/?canary").set("CA_FILE", "/nowhere").set("JOBDB_URL", "canary")
	settings := decode[report](t, p.run(t, "doctor", "--json").want(t, setup.ExitIncomplete).without(t, "canary").out).Settings
	if settings["base_url"].Value != "https://jobs.example/ (and a user part) (and a query)" || settings["ca_file"].Value != "set" || settings["jobdb_url"].Value != "(not an address)" {
		t.Errorf("%v", settings)
	}
}
