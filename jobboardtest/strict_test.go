package jobboardtest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// probe is a testing.TB that keeps what it is told, so that a test can see New
// fail a test.
type probe struct {
	testing.TB
	mu       sync.Mutex
	errors   []string
	logged   []string
	cleanups []func()
	helped   bool
}

func (p *probe) Helper() { p.helped = true }

func (p *probe) Errorf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errors = append(p.errors, fmt.Sprintf(format, args...))
}

func (p *probe) Logf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logged = append(p.logged, fmt.Sprintf(format, args...))
}

func (p *probe) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func (p *probe) Cleanup(f func()) { p.cleanups = append(p.cleanups, f) }

func (p *probe) end() {
	for i := len(p.cleanups) - 1; i >= 0; i-- {
		p.cleanups[i]()
	}
}

func (p *probe) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.errors
	p.errors = nil
	return e
}

func TestStrictness(t *testing.T) {
	p := &probe{TB: t}
	srv := jobboardtest.New(p, jobboardtest.WithDemo())
	defer p.end()
	if !p.helped {
		t.Error("where New fails, the test's log tells a line of New")
	}
	d := srv.Demo
	search := srv.BaseURL + "/api/rest/v2/frontend/jobboards/" + d.Channel + "/jobs"
	applied := fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%d/applied", srv.BaseURL, d.OpenJob)
	lookup := fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, d.OpenJob)

	for _, c := range []struct {
		name, method, url, credential, body string
		status                              int
		say                                 []string // words of the sentence; none: inside the interface
	}{
		{"search", "GET", search + "?search=x&geoLocation=1::2::3", d.ClientToken, "", 200, nil},
		{"search, escaped", "GET", search + "?geoLocation=1%3A%3A-2.5%3A%3A3.25", "10:", "", 200, nil},
		{"search without a credential", "GET", search, "", "", 401, nil},
		{"applied", "GET", applied, d.ApplicantToken, "", 200, nil},
		{"applied with a client token", "GET", applied, d.ClientToken, "", 401, nil},
		{"lookup", "GET", lookup, "", "", 200, nil},
		{"lookup with its own token", "GET", lookup, srv.LookupToken(), "", 200, nil},

		{"a token, with a query", "POST", srv.TokenURL + "?x=1", "", "", 400, nil},
		{"the other's prefix", "GET", strings.Replace(lookup, "/info/", "/board/", 1), "", "", 404, []string{"path prefix"}},
		{"more than the prefix", "GET", srv.BaseURL + "s/jobabo", "", "", 404, []string{"/boards/jobabo does not begin with the path prefix"}},
		{"unknown path", "GET", srv.BaseURL + "/api/rest/v2/frontend/jobs", "", "", 404, []string{"not a path of the interface", "section 4"}},
		{"doubled", "GET", srv.BaseURL + "/api/rest" + strings.TrimPrefix(search, srv.BaseURL), "", "", 404, []string{"/api/rest twice", "section 4"}},
		{"without prefix", "GET", strings.TrimSuffix(srv.BaseURL, "/board") + "/jobabo", "", "", 404, []string{"path prefix", "section 4"}},
		{"slash at the end", "GET", applied + "/", d.ApplicantToken, "", 404, []string{"ends in a slash", "section 4"}},
		{"empty channel", "GET", srv.BaseURL + "/api/rest/v2/frontend/jobboards//jobs", "10:", "", 404, []string{"empty path segment", "section 4"}},
		{"method", "POST", search, "10:", "", 405, []string{"GET only", "section 4"}},
		{"method of a subscription", "GET", srv.BaseURL + "/jobabo/1", "", "", 405, []string{"PUT and DELETE only"}},
		{"applied at the lookup", "GET", strings.Replace(applied, srv.BaseURL, srv.JobDBURL, 1), "", "", 404, []string{"belongs to {base_url}", "section 4.2"}},
		{"lookup at the base", "GET", strings.Replace(lookup, srv.JobDBURL, srv.BaseURL, 1), "", "", 404, []string{"belongs to {jobdb_url}", "section 4.4"}},
		{"parameter", "GET", search + "?page=2", "10:", "", 400, []string{`"page"`, "search and geoLocation", "section 4.1"}},
		{"parameter of applied", "GET", applied + "?x=1", d.ApplicantToken, "", 400, []string{`no query parameters`, "section 4.2"}},
		{"twice", "GET", search + "?search=a&search=b", "10:", "", 400, []string{"search came 2 times", "section 4.1"}},
		{"geo, two parts", "GET", search + "?geoLocation=1::2", "10:", "", 400, []string{"geoLocation", "2 parts", "section 4.1"}},
		{"geo, exponent", "GET", search + "?geoLocation=1e-7::2::3", "10:", "", 400, []string{"latitude", "not a decimal number", "section 4.1"}},
		{"geo, off the globe", "GET", search + "?geoLocation=91::2::3", "10:", "", 400, []string{"latitude 91", "section 4.1"}},
		{"geo, off the globe", "GET", search + "?geoLocation=1::-180.5::3", "10:", "", 400, []string{"longitude -180.5", "section 4.1"}},
		{"geo, negative", "GET", search + "?geoLocation=1::2::-3", "10:", "", 400, []string{"distance -3", "section 4.1"}},
		{"body", "GET", search, "10:", "x", 400, []string{"a GET has no body", "section 4.1"}},
		{"query", "GET", search + "?search=a;b", "10:", "", 400, []string{"query cannot be read", "section 4.1"}},
		{"job", "GET", srv.BaseURL + "/api/rest/v3/frontend/jobs/abc/applied", d.ApplicantToken, "", 400, []string{"jobDbId", `"abc"`, "section 4.2"}},
		{"no jobid", "GET", srv.JobDBURL + "/jobdb/public/apply/external", "", "", 400, []string{"jobid", "section 4.4"}},
		{"base's client token at the lookup", "GET", lookup, d.ClientToken, "", 400, []string{"client token", "was not given for", "section 4.4", "section 5"}},
		{"base's user token at the lookup", "GET", lookup, d.ApplicantToken, "", 400, []string{"user token of applicant 7", "was not given for", "section 5"}},
		{"basic at the lookup", "GET", lookup, "10:", "", 400, []string{"basic client 10", "section 5"}},
		{"any credential at the lookup", "GET", lookup, "unheard-of-token", "", 400, []string{"shows no credential", "section 5"}},
	} {
		res, body := do(t, srv, c.method, c.url, c.credential, c.body)
		failed := p.take()
		if res.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d: %.200s", c.name, res.StatusCode, c.status, body)
		}
		if allow := res.Header.Get("Allow"); allow != map[string]string{"method": "GET", "method of a subscription": "PUT, DELETE"}[c.name] {
			t.Errorf("%s: it allows %q", c.name, allow)
		}
		if len(c.say) == 0 {
			if len(failed) > 0 {
				t.Errorf("%s is inside the interface, and fails the test with %q", c.name, failed)
			}
			continue
		}
		if len(failed) != 1 {
			t.Errorf("%s: %d failures: %q", c.name, len(failed), failed)
			continue
		}
		for _, w := range c.say {
			if !strings.Contains(failed[0], w) || !strings.Contains(string(body), w) {
				t.Errorf("%s: no %q in %q, or not in the answer %q", c.name, w, failed[0], body)
			}
		}
		if strings.Contains(failed[0]+string(body), "unheard-of") || strings.Contains(failed[0]+string(body), d.ClientToken) {
			t.Errorf("%s: a credential shows: %q %q", c.name, failed[0], body)
		}
	}

	for name, say := range map[string]string{
		"Content-Type": "the header Content-Type is application/json", "Authorization": "the header Authorization came 2 times",
	} {
		header := basicHeader("10:")
		header.Add(name, "text/xml")
		res, _ := send(t, srv, "GET", search, header, "")
		if failed := p.take(); res.StatusCode != 400 || len(failed) != 1 || !strings.Contains(failed[0], say) {
			t.Errorf("%s: %s, %q", name, res.Status, failed)
		}
	}
}

// However much is wrong with a request, it is told within bounds.
func TestViolationsAreBounded(t *testing.T) {
	srv := jobboardtest.NewServer()
	defer srv.Close()
	var query strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&query, "p%d&", n)
	}
	get(t, srv, srv.BaseURL+searchPath+"?"+query.String(), "")
	if n := len(violations(srv)); n != 100 {
		t.Errorf("%d violations", n)
	}
}

func TestTolerant(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	d := srv.Demo
	res, _ := get(t, srv, srv.BaseURL+"/api/rest/v2/frontend/jobboards/"+d.Channel+"/jobs?page=2", "10:")
	if res.StatusCode != 200 {
		t.Errorf("undocumented parameter: %d", res.StatusCode)
	}
	res, _ = get(t, srv, fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, d.OpenJob), d.ClientToken)
	if res.StatusCode != 200 {
		t.Errorf("credential at the lookup: %d", res.StatusCode)
	}
	if v := violations(srv); len(v) != 2 || !strings.Contains(v[0], "page") || !strings.Contains(v[1], "client token") {
		t.Errorf("violations %q", v)
	}
	p := &probe{TB: t}
	strict := jobboardtest.NewServer(jobboardtest.WithStrict(true)) // has no test to fail
	defer strict.Close()
	if res, body := get(t, strict, strict.BaseURL+searchPath+"?page=2", ""); res.StatusCode != 400 || !strings.Contains(string(body), "page") {
		t.Errorf("%d: %s", res.StatusCode, body)
	}
	tolerant := jobboardtest.New(p, jobboardtest.WithStrict(false))
	get(t, tolerant, tolerant.BaseURL+"/nowhere", "")
	p.end()
	if e := p.take(); len(e) != 0 {
		t.Errorf("a tolerant server failed the test: %q", e)
	}
}

// A request that is late, or still running when the test ends, must not touch
// the test, which would panic.
func TestLateRequests(t *testing.T) {
	p := &probe{TB: t}
	srv := jobboardtest.New(p, jobboardtest.WithoutSockets())
	transport := srv.Transport()
	srv.Fail(jobboardtest.Fault{Break: jobboardtest.StallBefore})
	done := make(chan error)
	go func() {
		done <- fetch(context.Background(), transport, srv.BaseURL+"/nowhere", "").err
	}()
	if err := srv.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	p.end()
	if err := <-done; err == nil {
		t.Error("the stalled call came through")
	}
	before := len(p.take())
	if before != 1 {
		t.Errorf("%d failures before the end", before)
	}
	if f := fetch(t.Context(), transport, srv.BaseURL+"/nowhere", ""); f.err == nil {
		t.Error("a closed server answers")
	}
	rec := httptest.NewRecorder()
	srv.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/board/nowhere", http.NoBody))
	if rec.Code != 503 {
		t.Errorf("a closed server's handler answers %d", rec.Code)
	}
	if after := p.take(); len(after) != 0 {
		t.Errorf("a late request failed the test: %q", after)
	}
}
