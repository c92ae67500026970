package jobsite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// A rig is a site of one page beside the mock server, and a browser without a screen.
type rig struct {
	*http.Client
	t      *testing.T
	fake   *jobboardtest.Server
	signIn *jobsite.SignIn
	origin string
	log    bytes.Buffer
	page   func(w http.ResponseWriter, r *http.Request)
}

func newRig(t *testing.T, changes ...func(*jobsite.SignInConfig)) *rig {
	t.Helper()
	s := &rig{t: t, fake: jobboardtest.New(t, jobboardtest.WithDemo())}
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: s.fake.BaseURL, JobDBURL: s.fake.JobDBURL, ClientID: s.fake.Demo.ClientID,
		Retry: jobboard.RetryPolicy{MaxAttempts: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	s.origin = server.URL
	cfg := jobsite.SignInConfig{
		Client: client, URL: server.URL, Logger: slog.New(slog.NewTextHandler(&s.log, nil)),
		OAuth2: oauth2.Config{ClientID: s.fake.Demo.ClientID, Endpoint: oauth2.Endpoint{AuthURL: s.fake.AuthURL, TokenURL: s.fake.TokenURL}},
	}
	for _, change := range changes {
		change(&cfg)
	}
	if s.signIn, err = jobsite.NewSignIn(cfg); err != nil {
		t.Fatal(err)
	}
	s.page = func(w http.ResponseWriter, r *http.Request) {
		if v, ok := s.signIn.Visitor(r); ok {
			fmt.Fprint(w, "signed in ", v.Session)
		} else {
			fmt.Fprint(w, "nobody")
		}
	}
	handler = s.signIn.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.page(w, r) }))
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Client = &http.Client{Jar: jar, Timeout: 20 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return s
}

// send returns the status and the body of an answer, and where it leads.
func (s *rig) send(method, address string, form url.Values, header ...string) (int, string, *http.Response) {
	s.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = s.origin + address
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp
}

// begin goes the way of a sign-in up to the address of the callback, with its code.
func (s *rig) begin(next string, applicant int64) string {
	s.t.Helper()
	_, _, resp := s.send("GET", "/signin?back=/canceled&next="+url.QueryEscape(next), nil)
	_, _, resp = s.send("POST", resp.Header.Get("Location"), url.Values{"applicant": {fmt.Sprint(applicant)}})
	callback := resp.Header.Get("Location")
	if !strings.HasPrefix(callback, s.origin+"/signin/callback?") || !strings.Contains(callback, "code=") {
		s.t.Fatalf("the board leads to %s", callback)
	}
	return callback
}

func (s *rig) enter() {
	s.t.Helper()
	if status, body, _ := s.send("GET", s.begin("/", s.fake.Demo.Applicant), nil); status != http.StatusSeeOther {
		s.t.Fatalf("%d %s", status, body)
	}
}

func (s *rig) get(path string) string {
	s.t.Helper()
	_, body, _ := s.send("GET", path, nil)
	return body
}

func TestSignIn(t *testing.T) {
	s := newRig(t)
	if got := s.get("/"); got != "nobody" {
		t.Errorf("at first %q", got)
	}
	status, _, resp := s.send("GET", "/signin?next="+url.QueryEscape("/jobs/1?a=b"), nil)
	at, err := url.Parse(resp.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	q := at.Query()
	if status != http.StatusSeeOther || !strings.HasPrefix(at.String(), s.fake.AuthURL) || q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 ||
		len(q.Get("state")) < 20 || q.Get("redirect_uri") != s.origin+"/signin/callback" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d to %s", status, at)
	}
	callback := s.begin("/jobs/1?a=b", s.fake.Demo.Applicant)
	status, _, resp = s.send("GET", callback, nil)
	if status != http.StatusSeeOther || resp.Header.Get("Location") != "/jobs/1?a=b" {
		t.Errorf("back with %d to %s", status, resp.Header.Get("Location"))
	}
	var cookies []string
	for _, c := range resp.Cookies() {
		cookies = append(cookies, fmt.Sprintf("%s%s %t %t %t %d", c.Name, c.Path, c.HttpOnly, c.SameSite == http.SameSiteLaxMode, c.Secure, c.MaxAge))
	}
	if got := strings.Join(cookies, ", "); got != "signin/ true true false -1, session/ true true false 0" {
		t.Errorf("cookies %s", got)
	}
	first := s.get("/")
	if !strings.HasPrefix(first, "signed in ") {
		t.Errorf("then %q", first)
	}
	if again := s.get("/"); again != first {
		t.Errorf("again %q", again)
	}
	// The answer counts once.
	if status, _, _ := s.send("GET", callback, nil); status != http.StatusBadRequest {
		t.Errorf("the same callback again: %d", status)
	}
	s.enter()
	if second := s.get("/"); second == first {
		t.Error("another sign-in has the same session")
	}
	status, _, resp = s.send("POST", "/signout", url.Values{"next": {"/jobs/1"}})
	if status != http.StatusSeeOther || resp.Header.Get("Location") != "/jobs/1" || s.get("/") != "nobody" {
		t.Errorf("signed out: %d to %s, then %q", status, resp.Header.Get("Location"), s.get("/"))
	}
}

// The session that a visitor had before counts no more, whoever knows it.
func TestNewIdentifier(t *testing.T) {
	s := newRig(t)
	s.enter()
	site, _ := url.Parse(s.origin)
	old := s.Jar.Cookies(site)
	s.enter()
	fresh := s.Jar.Cookies(site)
	if old[0].Value == fresh[0].Value {
		t.Fatal("the session kept its identifier")
	}
	s.Jar.SetCookies(site, old)
	if got := s.get("/"); got != "nobody" {
		t.Errorf("with the old identifier %q", got)
	}
	// One that was made up is never taken over.
	s.Jar.SetCookies(site, []*http.Cookie{{Name: "session", Value: "made-up", Path: "/"}})
	s.enter()
	if got := s.Jar.Cookies(site)[0].Value; got == "made-up" {
		t.Error("the session has an identifier that somebody chose")
	}
}

// Over https no cookie leaves it, and no other host can set one of these names.
func TestSecureCookies(t *testing.T) {
	s := newRig(t, func(c *jobsite.SignInConfig) { c.URL = "https://jobs.example/" })
	w := httptest.NewRecorder()
	s.signIn.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/signin", nil))
	c := w.Result().Cookies()[0]
	if c.Name != "__Host-signin" || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Domain != "" || c.MaxAge != 600 {
		t.Errorf("%+v", c)
	}
	if at, _ := w.Result().Location(); at.Query().Get("redirect_uri") != "https://jobs.example/signin/callback" {
		t.Errorf("the board is to lead back to %s", at.Query().Get("redirect_uri"))
	}
}

// What a sign-in over https ends with: a session whose cookie no other host can set and that
// no cache keeps.
func TestSecureSession(t *testing.T) {
	s := newRig(t, func(c *jobsite.SignInConfig) { c.URL = "https://jobs.example" })
	s.fake.AddClient(jobboardtest.ClientApp{ID: s.fake.Demo.ClientID, RedirectURIs: []string{"https://jobs.example/signin/callback"}})
	site := s.signIn.Handler(http.NotFoundHandler())
	begun := httptest.NewRecorder()
	site.ServeHTTP(begun, httptest.NewRequest("GET", "/signin?next=/jobs/1", nil))
	_, _, board := s.send("POST", begun.Header().Get("Location"), url.Values{"applicant": {fmt.Sprint(s.fake.Demo.Applicant)}})
	callback := httptest.NewRequest("GET", board.Header.Get("Location"), nil)
	callback.AddCookie(begun.Result().Cookies()[0])
	w := httptest.NewRecorder()
	if site.ServeHTTP(w, callback); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/jobs/1" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%d, %v", w.Code, w.Header())
	}
	var names []string
	for _, c := range w.Result().Cookies() {
		if !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
			t.Errorf("%+v", c)
		}
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "__Host-signin __Host-session" {
		t.Errorf("cookies %s", got)
	}
}

// The address to come back to may have a semicolon that is not escaped.
func TestSemicolonInAddress(t *testing.T) {
	s := newRig(t)
	w := httptest.NewRecorder()
	s.signIn.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/signin?back=/b;c&next=/?text=a;b", nil))
	begun, err := url.ParseQuery(w.Result().Cookies()[0].Value)
	if err != nil || begun.Get("next") != "/?text=a;b" || begun.Get("back") != "/b;c" {
		t.Errorf("%v, %v", begun, err)
	}
}

// A browser keeps a cookie of at most 4096 bytes: the longest addresses fit in.
func TestLongAddresses(t *testing.T) {
	s := newRig(t, func(c *jobsite.SignInConfig) { c.URL = "https://jobs.example/" })
	for _, letter := range []string{"x", "%", "ü", "語", "/x"} {
		longest, to := 0, ""
		for n := 0; n < 2000; n += 20 {
			address := url.QueryEscape("/?q=" + strings.Repeat(letter, n))
			w := httptest.NewRecorder()
			s.signIn.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/signin?next="+address+"&back="+address, nil))
			c := w.Result().Cookies()[0]
			if size := len(c.Name) + len(c.Value); size > longest {
				longest, to = size, address
			}
		}
		if longest > 4096 || longest < 3000 {
			t.Errorf("a cookie of %d bytes with twice %.40s", longest, to)
		}
	}
}

// Behind a proxy that asks for the pages under another host, the site's own pages may
// still change something, in a browser too that does not send Sec-Fetch-Site.
func TestProxyWithAnotherHost(t *testing.T) {
	for site, own := range map[string]string{
		"https://Jobs.Example/": "https://jobs.example", "https://jobs.example:443": "https://jobs.example", "http://jobs.example:80": "http://jobs.example",
		"https://jobs.example:8443": "https://jobs.example:8443", "http://jobs.example:443": "http://jobs.example:443", "https://[2001:DB8::1]:443": "https://[2001:db8::1]",
		"https://jobs.Bücher.example": "https://jobs.xn--bcher-kva.example", "https://jobs.bücher.example:443": "https://jobs.xn--bcher-kva.example",
	} {
		s := newRig(t, func(c *jobsite.SignInConfig) { c.URL = site })
		for origin, want := range map[string]int{
			"": http.StatusSeeOther, own: http.StatusSeeOther, "https://evil.example": http.StatusForbidden,
			"ftp://jobs.example": http.StatusForbidden, own + "0": http.StatusForbidden, "null": http.StatusForbidden,
		} {
			r := httptest.NewRequest("POST", "http://backend:8080/signout", nil)
			if origin != "" {
				r.Header.Set("Origin", origin)
			}
			w := httptest.NewRecorder()
			if s.signIn.Handler(http.NotFoundHandler()).ServeHTTP(w, r); w.Code != want {
				t.Errorf("%s, from %q: %d, want %d", site, origin, w.Code, want)
			}
		}
	}
}

func TestForeignCallbacks(t *testing.T) {
	s := newRig(t)
	callback := s.begin("/x", s.fake.Demo.Applicant)
	state := callback[strings.Index(callback, "state="):]
	for _, address := range []string{"/signin/callback", "/signin/callback?code=x", "/signin/callback?code=x&state=", strings.Replace(callback, "state=", "state=x", 1)} {
		if status, _, _ := s.send("GET", address, nil); status != http.StatusBadRequest {
			t.Errorf("%s: %d", address, status)
		}
	}
	other := newRig(t)
	if status, _, _ := other.send("GET", strings.Replace(callback, s.origin, other.origin, 1), nil); status != http.StatusBadRequest {
		t.Errorf("in another browser: %d", status)
	}
	// The visitor cancels at the board.
	status, _, resp := s.send("GET", "/signin/callback?error=access_denied&"+state, nil)
	if status != http.StatusSeeOther || resp.Header.Get("Location") != "/canceled" || s.get("/") != "nobody" {
		t.Errorf("canceled: %d to %s", status, resp.Header.Get("Location"))
	}
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
		if status, _, _ := s.send("POST", "/signout", url.Values{}, header...); status != http.StatusForbidden {
			t.Errorf("from another site with %q: %d", header, status)
		}
	}
}

// What the board answers to a code decides about the page, and stands in no log.
func TestExchange(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s reached another host", r.Method)
	}))
	defer elsewhere.Close()
	for answer, want := range map[int]int{400: 400, 401: 502, 403: 502, 429: 503, 500: 502, 503: 502, 307: 502, 200: 502} {
		s := newRig(t, func(c *jobsite.SignInConfig) { c.OAuth2.ClientSecret = "the-secret" })
		callback := s.begin("/", s.fake.Demo.Applicant)
		s.fake.Fail(jobboardtest.Fault{
			Operation: jobboardtest.OpToken, Status: answer, Body: "you sent " + callback + " the-secret",
			Header: http.Header{"Location": {elsewhere.URL}},
		})
		status, body, _ := s.send("GET", callback, nil)
		code, _ := url.Parse(callback)
		// Visitors can send codes that the board refuses as many as they like: no line for those.
		if said := s.log.String() + body; status != want || (s.log.Len() == 0) != (answer == 400) || strings.Contains(said, code.Query().Get("code")) || strings.Contains(said, "the-secret") {
			t.Errorf("%d gives %d, want %d: %s", answer, status, want, said)
		}
		if got := s.get("/"); got != "nobody" {
			t.Errorf("after %d %q", answer, got)
		}
	}
	s := newRig(t, func(c *jobsite.SignInConfig) { c.OAuth2.ClientSecret = "wrong" })
	callback := s.begin("/", s.fake.Demo.Applicant)
	s.fake.Fail(jobboardtest.Fault{
		Operation: jobboardtest.OpToken, Status: 400, Body: `{"error":"invalid_client"}`, Header: http.Header{"Content-Type": {"application/json"}},
	})
	if status, _, _ := s.send("GET", callback, nil); status != http.StatusBadGateway {
		t.Errorf("a visitor of a site whose secret is refused gets %d", status)
	}
	s = newRig(t, func(c *jobsite.SignInConfig) {
		c.HTTPClient = &http.Client{Timeout: 50 * time.Millisecond}
		c.OAuth2.Endpoint.TokenURL += "?key=the-secret"
	})
	callback = s.begin("/", s.fake.Demo.Applicant)
	s.fake.Fail(jobboardtest.Fault{Operation: jobboardtest.OpToken, Delay: time.Minute})
	if status, _, _ := s.send("GET", callback, nil); status != http.StatusBadGateway {
		t.Errorf("no answer gives %d", status)
	}
	if strings.Contains(s.log.String(), "the-secret") {
		t.Errorf("the log has %s", &s.log)
	}
}

// Whoever gets a token that cannot be sent is told at once, and is not signed in.
func TestTokenThatCannotBeSent(t *testing.T) {
	for _, token := range []string{" ", `hush\r\nX: y`, `hush\u0000`, "hush токен", `hush\u2028`} {
		s := newRig(t)
		callback := s.begin("/", s.fake.Demo.Applicant)
		s.fake.Fail(jobboardtest.Fault{
			Operation: jobboardtest.OpToken, Status: 200, Body: `{"access_token":"` + token + `","token_type":"bearer"}`,
			Header: http.Header{"Content-Type": {"application/json"}},
		})
		status, body, _ := s.send("GET", callback, nil)
		if said := s.log.String() + body; status != http.StatusBadGateway || !strings.Contains(said, "no header may hold") || strings.Contains(said, "hush") {
			t.Errorf("%s: %d %s", token, status, said)
		}
		if got := s.get("/"); got != "nobody" {
			t.Errorf("%s: %s", token, got)
		}
	}
}

// A session ends when the board refuses its token, and for nothing else.
func TestRefused(t *testing.T) {
	own := func(op string, err error) error { return &jobboard.Error{Op: op, Err: err} }
	s := newRig(t)
	s.enter()
	s.page = func(w http.ResponseWriter, r *http.Request) {
		for _, err := range []error{
			nil, jobboard.ErrUnauthorized, own("JobInformation", jobboard.ErrUnauthorized), own("Search", jobboard.ErrUnauthorized),
			own("HasApplied", jobboard.ErrTimeout), own("HasApplied", jobboard.ErrRateLimited), own("HasApplied", jobboard.ErrForbidden), context.Canceled,
			errors.Join(own("HasApplied", jobboard.ErrServer), own("JobInformation", jobboard.ErrUnauthorized)),
		} {
			if s.signIn.EndIfRefused(r, err) {
				t.Errorf("%v ends the session", err)
			}
		}
		if _, ok := s.signIn.Visitor(r); !ok {
			t.Error("nobody is signed in any more")
		}
		err := fmt.Errorf("page: %w", errors.Join(own("JobInformation", jobboard.ErrTimeout), own("HasApplied", jobboard.ErrUnauthorized)))
		if !s.signIn.EndIfRefused(r, err) {
			t.Errorf("%v does not end the session", err)
		}
		_, ok := s.signIn.Visitor(r)
		fmt.Fprint(w, ok)
	}
	// In the same browser somebody signs in anew while the page is made.
	site, _ := url.Parse(s.origin)
	if _, body, resp := s.send("GET", "/", nil); body != "false" || len(resp.Cookies()) != 0 {
		t.Errorf("%s, and the cookies %v, which may be another session's by now", body, resp.Cookies())
	}
	if len(s.Jar.Cookies(site)) != 1 {
		t.Errorf("cookies %v", s.Jar.Cookies(site))
	}
	s.page = func(w http.ResponseWriter, r *http.Request) { _, ok := s.signIn.Visitor(r); fmt.Fprint(w, ok) }
	if got := s.get("/"); got != "false" {
		t.Errorf("the next page: %s", got)
	}
}

// A page that is made while its visitor signs out does not bring the session back.
func TestSignedOutMeanwhile(t *testing.T) {
	s := newRig(t)
	s.enter()
	begun, finish := make(chan bool), make(chan bool)
	plain := s.page
	s.page = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			begun <- true
			<-finish
		}
		plain(w, r)
	}
	done := make(chan bool)
	go func() { defer close(done); s.get("/slow") }()
	<-begun
	site, _ := url.Parse(s.origin)
	had := s.Jar.Cookies(site)
	s.send("POST", "/signout", url.Values{})
	close(finish)
	<-done
	s.Jar.SetCookies(site, had)
	if got := s.get("/"); got != "nobody" {
		t.Errorf("after it %q", got)
	}
}

type brokenStore struct{}

var errStore = errors.New("store")

func (brokenStore) Delete(string) error                    { return errStore }
func (brokenStore) Find(string) ([]byte, bool, error)      { return nil, false, errStore }
func (brokenStore) Commit(string, []byte, time.Time) error { return errStore }

// Without its store a site knows no visitors, and says that it is not well.
func TestBrokenStore(t *testing.T) {
	s := newRig(t, func(c *jobsite.SignInConfig) {
		c.Store = brokenStore{}
		c.Failed = func(w http.ResponseWriter, _ *http.Request, status int) { http.Error(w, "our page", status) }
	})
	if got := s.get("/"); got != "nobody" {
		t.Errorf("without a cookie %q", got)
	}
	status, body, _ := s.send("GET", "/", nil, "Cookie", "session=x")
	if status != http.StatusServiceUnavailable || body != "our page\n" || !strings.Contains(s.log.String(), "store") {
		t.Errorf("%d %q %s", status, body, &s.log)
	}
}

// keepingStore is a store that forgets nothing that it is told to delete.
type keepingStore struct{ agingStore }

func (*keepingStore) Delete(string) error { return errStore }

// Where a store does not delete, nobody is told that they have signed out, no session goes
// over to another applicant, and one whose token was refused counts no more for the page.
func TestStoreThatKeeps(t *testing.T) {
	s := newRig(t, func(c *jobsite.SignInConfig) { c.Store = &keepingStore{} })
	s.enter()
	first := s.get("/")
	told := func(what string) {
		t.Helper()
		if !strings.Contains(s.log.String(), "store") {
			t.Errorf("%s, and the log says %q", what, &s.log)
		}
		s.log.Reset()
	}
	if status, _, _ := s.send("POST", "/signout", url.Values{}); status != http.StatusServiceUnavailable {
		t.Errorf("signed out with %d", status)
	}
	told("not signed out")
	if got := s.get("/"); got != first {
		t.Errorf("the session is %q now", got)
	}
	ordinary := s.page
	var refused, visits bool
	s.page = func(_ http.ResponseWriter, r *http.Request) {
		refused = s.signIn.EndIfRefused(r, &jobboard.Error{Op: "HasApplied", Err: jobboard.ErrUnauthorized})
		_, visits = s.signIn.Visitor(r)
	}
	if s.get("/"); !refused || visits {
		t.Errorf("refused %t, still a visitor %t", refused, visits)
	}
	told("a session is still stored")
	s.page = ordinary
	if status, _, _ := s.send("GET", s.begin("/", s.fake.Demo.InternalApplicant), nil); status != http.StatusServiceUnavailable {
		t.Errorf("signed in over another session with %d", status)
	}
	told("not signed in")
	if got := s.get("/"); got != "nobody" {
		t.Errorf("after another failed to sign in: %q", got)
	}
	// Nothing is logged where nobody asks for it.
	silent := newRig(t, func(c *jobsite.SignInConfig) { c.Store, c.Logger = brokenStore{}, nil })
	if status, body, _ := silent.send("GET", "/", nil, "Cookie", "session=x"); status != http.StatusServiceUnavailable || body != "Service Unavailable\n" {
		t.Errorf("without a logger: %d %q", status, body)
	}
}

func TestSignInConfig(t *testing.T) {
	good := jobsite.SignInConfig{
		Client: new(jobboard.Client), URL: "https://jobs.example",
		OAuth2: oauth2.Config{Endpoint: oauth2.Endpoint{AuthURL: "https://a.example", TokenURL: "https://a.example"}},
	}
	s, err := jobsite.NewSignIn(good)
	if err != nil {
		t.Fatal(err)
	}
	for field, change := range map[string]func(*jobsite.SignInConfig){
		"Client": func(c *jobsite.SignInConfig) { c.Client = nil }, "URL": func(c *jobsite.SignInConfig) { c.URL = "https://jobs.example/jobs" },
		"OAuth2": func(c *jobsite.SignInConfig) { c.OAuth2.Endpoint.AuthURL = "" }, "Lifetime": func(c *jobsite.SignInConfig) { c.Lifetime = -1 },
	} {
		bad := good
		change(&bad)
		_, err := jobsite.NewSignIn(bad)
		if wrong, ok := errors.AsType[*jobsite.ConfigError](err); !ok || wrong.Field != "SignInConfig."+field {
			t.Errorf("%s: %v", field, err)
		}
	}
	// A request that did not come through the handler has no visitor.
	r := httptest.NewRequest("GET", "/", nil)
	if _, ok := s.Visitor(r); ok || s.EndIfRefused(r, &jobboard.Error{Op: "HasApplied", Err: jobboard.ErrUnauthorized}) {
		t.Error("a request from nowhere has a visitor")
	}
}

// answer returns the status and the body with which a handler answers GET.
func answer(h http.Handler, path string) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return fmt.Sprintf("%d %s", w.Code, strings.TrimSpace(w.Body.String()))
}

// A sign-in served among another sign-in's pages sees no visitor: the session belongs to the
// other one, and its token may be for another board.
func TestSignInWithinAnother(t *testing.T) {
	s := newRig(t)
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: "https://other.example", ClientID: "10"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := jobsite.NewSignIn(jobsite.SignInConfig{
		Client: client, URL: s.origin,
		OAuth2: oauth2.Config{Endpoint: oauth2.Endpoint{AuthURL: "https://other.example/a", TokenURL: "https://other.example/t"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.page = func(w http.ResponseWriter, r *http.Request) {
		_, outside := s.signIn.Visitor(r)
		other.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, inside := other.Visitor(r)
			fmt.Fprint(w, outside, inside)
		})).ServeHTTP(w, r)
	}
	s.enter()
	if got := s.get("/"); got != "true false" {
		t.Errorf("outside and inside: %s", got)
	}
}

// Who signs out may send a form of any type, and nothing of a long one stays on the disk.
func TestSignOutKeepsNothing(t *testing.T) {
	s := newRig(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for size, next := range map[int]string{0: "/bye", 40 << 20: "/"} {
		s.enter()
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		file, err := w.CreateFormFile("file", "file")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.WriteField("next", "/bye"), w.Close()); err != nil {
			t.Fatal(err)
		}
		req := httptest.NewRequest("POST", s.origin+"/signout", &form)
		req.RequestURI = ""
		req.Header.Set("Content-Type", w.FormDataContentType())
		resp, err := s.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if at := resp.Header.Get("Location"); at != next {
			t.Errorf("a form with a file of %d bytes leads to %q", size, at)
		}
		if got := s.get("/"); got != "nobody" {
			t.Errorf("a form with a file of %d bytes: %s", size, got)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// However a sign-in and its configuration are printed or logged, the site's credentials are
// not in it.
func TestPrintsNoCredential(t *testing.T) {
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: "https://board.example", ClientID: "hush-board"})
	if err != nil {
		t.Fatal(err)
	}
	cfg := jobsite.SignInConfig{Client: client, URL: "https://jobs.example", OAuth2: oauth2.Config{
		ClientID: "hush-id", ClientSecret: "hush-secret", Endpoint: oauth2.Endpoint{AuthURL: "https://board.example/a", TokenURL: "https://board.example/t"},
	}}
	s, err := jobsite.NewSignIn(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for what, v := range map[string]any{"the sign-in": s, "its value": *s, "the configuration": cfg, "a pointer to it": &cfg} {
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("text", "v", v)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("json", "v", v)
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			fmt.Fprintf(&log, verb+"\n", v)
		}
		if strings.Contains(log.String(), "hush") {
			t.Errorf("%s: %s", what, &log)
		}
	}
	if told := fmt.Sprintf("%+v", cfg); !strings.Contains(told, "https://jobs.example") {
		t.Error(told)
	}
}
