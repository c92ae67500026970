package jobsite

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

func TestLocal(t *testing.T) {
	for address, want := range map[string]string{
		"":                                "/",
		"/jobs/1/apply":                   "/jobs/1/apply",
		"/signin":                         "/",
		"/signin/callback?code=x&state=y": "/",
		"/signin/../signin?next=/signin":  "/",
		"/signing-bonus":                  "/signing-bonus",
		"/?text=a&near=K%C3%B6ln":         "/?text=a&near=K%C3%B6ln",
		"//evil.example":                  "/",
		"/\t/evil.example":                "/",
		"/\n/evil.example":                "/",
		"/\x00//evil.example":             "/",
		`/\evil.example`:                  "/%5Cevil.example",
		"/.//evil.example":                "/evil.example",
		"/%2F/evil.example":               "/evil.example",
		"/%09/evil.example":               "/%09/evil.example",
		"/%5C/evil.example":               "/%5C/evil.example",
		"https://evil.example/":           "/",
		"javascript:alert(1)":             "/",
		"evil.example":                    "/evil.example",
		// The escaped form, which a cookie keeps, has six bytes for each letter here.
		"/" + strings.Repeat("ü", 189):        "/" + strings.Repeat("%C3%BC", 189),
		"/" + strings.Repeat("ü", 190):        "/",
		"/?text=" + strings.Repeat("x", 1800): "/?text=" + strings.Repeat("x", 1800),
		"/?text=" + strings.Repeat("x", 1900): "/",
	} {
		if got := local(address); got != want {
			t.Errorf("%.40q: %q, want %q", address, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for km, want := range map[float64]string{0: "< 1 km", 0.99: "< 1 km", 1: "1 km", 2.4: "2 km", 2.6: "3 km"} {
		if got := distance(km); got != want {
			t.Errorf("%g: %s, want %s", km, got, want)
		}
	}
}

// A form waits five seconds for the board, a job's page half a second, and the sign-in ten for a token, whatever the
// client of the site would do. Nothing that a sign-in starts outlives its requests: the
// test could not end.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stalled := &http.Client{Transport: stalls{}}
		client, err := jobboard.NewClient(jobboard.Config{
			BaseURL: "https://board.example", JobDBURL: "https://board.example", ClientID: "10", HTTPClient: stalled,
			Retry: jobboard.RetryPolicy{MaxAttempts: 1, AttemptTimeout: time.Hour},
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSignIn(SignInConfig{
			Client: client, URL: "https://jobs.example", HTTPClient: stalled,
			OAuth2: oauth2.Config{Endpoint: oauth2.Endpoint{AuthURL: "https://board.example/a", TokenURL: "https://board.example/t"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var page func(r *http.Request)
		h := s.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { page(r) }))
		takes := func(want time.Duration, r *http.Request) {
			t.Helper()
			began := time.Now()
			h.ServeHTTP(httptest.NewRecorder(), r)
			if took := time.Since(began); took != want {
				t.Errorf("%s took %s, not %s", r.URL.Path, took, want)
			}
		}
		page = func(r *http.Request) {
			s.sessions.Put(r.Context(), sessionKey, stored{"token", "session", time.Now()})
			if o := s.Precheck(r, 1, English()); o.Situation != AppliedUnknown {
				t.Errorf("%+v", o)
			}
		}
		takes(500*time.Millisecond, httptest.NewRequest("GET", "/visitor", nil))
		sent := httptest.NewRequest("POST", "/nobody", strings.NewReader("q9=x"))
		sent.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		page = func(r *http.Request) {
			if _, err := s.Form(r, 1, English(), prescreen.Rules{}); !errors.Is(err, jobboard.ErrTimeout) {
				t.Error(err)
			}
		}
		takes(5*time.Second, sent)
		callback := httptest.NewRequest("GET", "/signin/callback?code=x&state=y", nil)
		callback.AddCookie(&http.Cookie{Name: "__Host-signin", Value: "state=y&verifier=z"})
		takes(10*time.Second, callback)
	})
}

// A job's page has what the copy knows, and waits for the board's applied check alone, as long as the site
// lets it. The form asks the board, and takes the copy's questions if that gives none.
func TestPageOfTheCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var board, copied []string
		var signIn *SignIn
		var page func(r *http.Request)
		made := func(wait time.Duration, answers map[string]string) {
			t.Helper()
			var clients []*jobboard.Client
			for _, from := range []http.RoundTripper{&tells{answers, &board}, &tells{map[string]string{"external": openJob}, &copied}} {
				client, err := jobboard.NewClient(jobboard.Config{
					BaseURL: "https://board.example", JobDBURL: "https://board.example", ClientID: "10", HTTPClient: &http.Client{Transport: from},
					Retry: jobboard.RetryPolicy{MaxAttempts: 1, AttemptTimeout: time.Hour},
				})
				if err != nil {
					t.Fatal(err)
				}
				clients = append(clients, client)
			}
			var err error
			signIn, err = NewSignIn(SignInConfig{
				Client: clients[0], Copy: clients[1], AppliedWait: wait, URL: "https://jobs.example",
				OAuth2: oauth2.Config{Endpoint: oauth2.Endpoint{AuthURL: "https://board.example/a", TokenURL: "https://board.example/t"}},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		takes := func(want time.Duration, r *http.Request) {
			t.Helper()
			began := time.Now()
			board, copied = nil, nil
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			signIn.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				signIn.sessions.Put(r.Context(), sessionKey, stored{"token", "session", time.Now().Add(-time.Hour)})
				page(r)
			})).ServeHTTP(httptest.NewRecorder(), r)
			if took := time.Since(began); took != want {
				t.Errorf("%s %s took %s, not %s", r.Method, r.URL.Path, took, want)
			}
		}
		get := func() *http.Request { return httptest.NewRequest("GET", "/", nil) }
		post := func() *http.Request {
			return httptest.NewRequest("POST", "/", strings.NewReader("q9=55.000&session=session"))
		}

		var o Outcome
		precheck := func(r *http.Request) { o = signIn.Precheck(r, 1, English()) }
		for answer, want := range map[string]Situation{"false": MayApply, "true": AlreadyApplied} {
			made(0, map[string]string{"applied": answer})
			page = precheck
			if takes(0, get()); o.Situation != want || o.Status != 200 || o.Check.Information == nil {
				t.Errorf("applied is %s: %+v", answer, o)
			}
			if !slices.Equal(board, []string{"applied"}) || !slices.Equal(copied, []string{"external"}) {
				t.Errorf("the board is asked %v, the copy %v", board, copied)
			}
		}
		for set, want := range map[time.Duration]time.Duration{0: 500 * time.Millisecond, 2 * time.Second: 2 * time.Second} {
			made(set, nil)
			page = precheck
			takes(want, get())
			if o.Situation != AppliedUnknown || o.Status != 200 || !o.MayApply() || o.Check.Information == nil || !errors.Is(o.Err, jobboard.ErrTimeout) {
				t.Errorf("%+v", o)
			}
		}
		made(0, map[string]string{"applied": "401"})
		page = func(r *http.Request) {
			precheck(r)
			if _, in := signIn.Visitor(r); in {
				t.Error("the session goes on")
			}
		}
		if takes(0, get()); o.Situation != SignInAgain {
			t.Errorf("%+v", o)
		}

		var p FormPage
		form := func(r *http.Request) {
			var err error
			if p, err = signIn.Form(r, 1, English(), prescreen.Rules{}); err != nil {
				t.Error(err)
			}
		}
		shown := func(what string, situation Situation, status int, value string) {
			t.Helper()
			if p.Situation != situation || p.Status != status || !p.Show || len(p.Fields) != 1 || p.Fields[0].Value != value {
				t.Errorf("%s: %q, status %d, %+v", what, p.Situation, p.Status, p.Fields)
			}
		}
		// Nothing is answered; the applied check is, the lookup not.
		made(0, nil)
		page = form
		takes(5*time.Second, get())
		shown("opened", NotChecked, 504, "")
		takes(5*time.Second, post())
		shown("sent", NotChecked, 504, "55.000")
		made(0, map[string]string{"applied": "false", "external": "503"})
		takes(0, get())
		shown("opened, lookup down", MayApply, 200, "")
		if takes(0, post()); !p.Complete {
			t.Errorf("sent, lookup down: %+v", p)
		}
		if !slices.Contains(board, "external") {
			t.Error("the form does not ask the board")
		}
		// What the board says of the job counts before what the copy knows.
		made(0, map[string]string{"applied": "false", "external": `{"code":"ERROR_JOB_INACTIVE"}`})
		if takes(0, get()); p.Situation != Closed || p.Show || len(copied) > 0 {
			t.Errorf("%+v, and the copy is asked %v", p, copied)
		}
	})
}

// The answers of a copy and of the board decide by the rows of a precheck. Of a job that nobody has asked about
// for the applicant, the source that was not asked has an error.
func TestDecide(t *testing.T) {
	open, closed := &jobboard.JobInformation{ApplyPossible: true}, &jobboard.JobInformation{}
	late := context.DeadlineExceeded
	for _, test := range []struct {
		p    jobboard.PrecheckResult
		want jobboard.Decision
	}{
		{jobboard.PrecheckResult{Information: open}, jobboard.DecisionMayApply},
		{jobboard.PrecheckResult{Information: open, AppliedErr: late}, jobboard.DecisionUnknown},
		{jobboard.PrecheckResult{InformationErr: late}, jobboard.DecisionUnknown},
		{jobboard.PrecheckResult{Information: closed, AppliedErr: late}, jobboard.DecisionClosed},
		{jobboard.PrecheckResult{InformationErr: jobboard.ErrJobInactive}, jobboard.DecisionClosed},
		{jobboard.PrecheckResult{Information: closed, Applied: true}, jobboard.DecisionAlreadyApplied},
		{jobboard.PrecheckResult{InformationErr: late, AppliedErr: late, ApplicationID: "a-1"}, jobboard.DecisionAlreadyApplied},
		{jobboard.PrecheckResult{Information: open, AppliedErr: jobboard.ErrPostingNotAccessible}, jobboard.DecisionNotVisible},
		{jobboard.PrecheckResult{InformationErr: jobboard.ErrJobUnavailable, AppliedErr: late}, jobboard.DecisionNotFound},
		{jobboard.PrecheckResult{Information: open, AppliedErr: late, ApplicationErr: jobboard.ErrPostingNotFound}, jobboard.DecisionNotFound},
		{jobboard.PrecheckResult{InformationErr: jobboard.ErrPostingUnavailable}, jobboard.DecisionUnknown},
	} {
		if got := decide(test.p); got != test.want {
			t.Errorf("%+v: %v, want %v", test.p, got, test.want)
		}
	}
}

const openJob = `{"jobId":1,"jobTitle":"Nurse","applyPossible":true,"questions":[{"id":"9","type":"TEXT","label":"Why?"}]}`

// tells answers requests by the last element of their path, with a body or a status, and notes them. It does
// not answer the others.
type tells struct {
	answers map[string]string
	asked   *[]string
}

func (s *tells) RoundTrip(r *http.Request) (*http.Response, error) {
	name := path.Base(r.URL.Path)
	*s.asked = append(*s.asked, name)
	answer, ok := s.answers[name]
	if !ok {
		return stalls{}.RoundTrip(r)
	}
	w := httptest.NewRecorder()
	if status, err := strconv.Atoi(answer); err == nil {
		w.WriteHeader(status)
	} else {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.WriteString(answer)
	}
	return w.Result(), nil
}

// stalls answers no request before it is given up.
type stalls struct{}

func (stalls) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// Unset options have a bound, and set ones are kept.
func TestDefaultsOfSignIn(t *testing.T) {
	for set, want := range map[time.Duration]time.Duration{0: 12 * time.Hour, time.Hour: time.Hour} {
		s := &SignIn{cfg: SignInConfig{Lifetime: set}}
		s.setDefaults()
		if s.cfg.Lifetime != want || s.cfg.HTTPClient.Timeout != 10*time.Second {
			t.Errorf("a session has %s, a token %s", s.cfg.Lifetime, s.cfg.HTTPClient.Timeout)
		}
	}
}

// Wherever a visitor is sent stays on the site, as a browser reads it.
func FuzzLocal(f *testing.F) {
	for _, seed := range []string{"/a", "//x", `/\x`, "/%2f/x", "/\t//x", "\u3000//x", "/..//x", "?x", "#x", "/a:b", "a:b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		w := httptest.NewRecorder()
		http.Redirect(w, httptest.NewRequest("GET", "/signin", nil), local(address), http.StatusSeeOther)
		at := w.Header().Get("Location")
		if !strings.HasPrefix(at, "/") || len(at) > 1 && strings.ContainsAny(at[1:2], "/\\\t\n\r") || local(at) != at {
			t.Errorf("%q leads to %q", address, at)
		}
	})
}

// Sessions in memory are found until they expire, and take no room afterwards.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{sessions: map[string]remembered{}}
		keep := func(token string, lifetime time.Duration) {
			if err := m.Commit(token, []byte(token), time.Now().Add(lifetime)); err != nil {
				t.Fatal(err)
			}
		}
		found := func(token string, want bool) {
			t.Helper()
			if data, ok, err := m.Find(token); ok != want || ok && string(data) != token || err != nil {
				t.Errorf("%s: %q %t %v", token, data, ok, err)
			}
		}
		keep("short", time.Minute)
		keep("long", time.Hour)
		keep("ended", time.Hour)
		if err := m.Delete("ended"); err != nil {
			t.Error(err)
		}
		found("short", true)
		found("long", true)
		found("ended", false)
		found("unknown", false)
		time.Sleep(time.Minute)
		found("short", false)
		found("long", true)
		if keep("new", time.Hour); len(m.sessions) != 2 {
			t.Errorf("%d sessions are kept", len(m.sessions))
		}
	})
}
