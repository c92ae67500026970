package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// signIn goes the way of a click: to the board's page, which is left out, and back with a code.
func (v *visitor) signIn(fake *jobboardtest.Server, next string) (int, string) {
	v.t.Helper()
	return v.get(strings.TrimPrefix(v.callback(fake, next), v.origin))
}

// callback goes the way of a sign-in up to the address of the callback, with its code.
func (v *visitor) callback(fake *jobboardtest.Server, next string) string {
	v.t.Helper()
	resp := v.once("GET", "/signin?next="+url.QueryEscape(next), nil)
	// The board's page has a form with the applicants.
	resp = v.once("POST", resp.Header.Get("Location"), url.Values{"applicant": {fmt.Sprint(fake.Demo.Applicant)}})
	at := resp.Header.Get("Location")
	if !strings.HasPrefix(at, v.origin+"/signin/callback?") || !strings.Contains(at, "code=") {
		v.t.Fatalf("the board leads to %s", at)
	}
	return at
}

// once sends a request, follows no redirect, and returns the answer without its body.
func (v *visitor) once(method, address string, form url.Values) *http.Response {
	v.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = v.origin + address
	}
	req, err := http.NewRequestWithContext(v.t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	client := *v.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp
}

// signedIn returns whether a page of the site shows a visitor who has signed in.
func (v *visitor) signedIn() bool {
	v.t.Helper()
	_, body := v.get("/")
	return strings.Contains(body, `action="/signout"`)
}

// The way of an applicant: to the board and back to the job, which says whether they may apply.
func TestApplicant(t *testing.T) {
	v, fake := start(t)
	job := fmt.Sprintf("/job/%d/", fake.Demo.OpenJob)
	status, body := v.get(job + "?lang=en")
	want(t, "nobody", status, body, 200, `href="/signin?next=%2fjob%2f`, "Apply at the board</a>")
	status, body = v.signIn(fake, job)
	want(t, "signed in", status, body, 200, "You may apply.", "Apply at the board</a>", `action="/signout"`)
	for id, text := range map[int64]string{fake.Demo.AppliedJob: "You have applied already.", fake.Demo.WithdrawnJob: "You have applied already."} {
		status, body = v.get(fmt.Sprintf("/job/%d/", id))
		if want(t, text, status, body, 200, text); strings.Contains(body, "Apply at the board</a>") {
			t.Errorf("%s, with a button: %s", text, body)
		}
	}
	if status, _ = v.post("/signout", nil); status != 200 || v.signedIn() {
		t.Errorf("signed out: %d", status)
	}
	// Cancelling returns to the job.
	begun := v.once("GET", "/signin?next="+job, nil)
	at, _ := begun.Location()
	back := v.once("GET", "/signin/callback?error=access_denied&state="+at.Query().Get("state"), nil)
	if back.StatusCode != http.StatusSeeOther || back.Header.Get("Location") != strings.TrimSuffix(job, "/") || v.signedIn() {
		t.Errorf("cancelled: %s to %s", back.Status, back.Header.Get("Location"))
	}
}

// The board gets a state and the hash of a verifier, and the browser cookies that scripts and other sites do not get, with
// no token in them.
func TestSignIn(t *testing.T) {
	v, fake := start(t)
	resp := v.once("GET", "/signin?next=/", nil)
	at, err := resp.Location()
	if err != nil {
		t.Fatal(err)
	}
	q := at.Query()
	if resp.StatusCode != http.StatusSeeOther || !strings.HasPrefix(at.String(), fake.AuthURL) || q.Get("code_challenge_method") != "S256" ||
		len(q.Get("code_challenge")) != 43 || len(q.Get("state")) < 20 || q.Get("redirect_uri") != v.origin+"/signin/callback" ||
		!strings.Contains(resp.Header.Get("Cache-Control"), "no-store") {
		t.Errorf("%s to %s", resp.Status, at)
	}
	callback := v.callback(fake, "/?text=a&near=b")
	resp = v.once("GET", callback, nil)
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/?text=a&near=b" {
		t.Errorf("back with %s to %s", resp.Status, resp.Header.Get("Location"))
	}
	var cookies []string
	for _, c := range resp.Cookies() {
		cookies = append(cookies, fmt.Sprintf("%s%s %t %t %t %d", c.Name, c.Path, c.HttpOnly, c.SameSite == http.SameSiteLaxMode, c.Secure, c.MaxAge))
		if len(c.Value) > 64 {
			t.Errorf("the cookie %s has %d bytes", c.Name, len(c.Value))
		}
	}
	if got := strings.Join(cookies, ", "); got != "signin/ true true false -1, session/ true true false 0" || !v.signedIn() {
		t.Errorf("cookies %s", got)
	}
	// The answer counts once.
	if resp = v.once("GET", callback, nil); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("the same callback again: %s", resp.Status)
	}
	// Every sign-in has another session, and the one before counts no more, whoever knows it.
	site, _ := url.Parse(v.origin)
	old := v.client.Jar.Cookies(site)
	v.signIn(fake, "/")
	v.client.Jar.SetCookies(site, old)
	if v.signedIn() {
		t.Error("the session before the last sign-in still counts")
	}
	v.client.Jar.SetCookies(site, []*http.Cookie{{Name: "session", Value: "made-up", Path: "/"}})
	v.signIn(fake, "/")
	for _, c := range v.client.Jar.Cookies(site) {
		if c.Value == "made-up" {
			t.Error("the session has an identifier that somebody chose")
		}
	}
}

// Over https no cookie leaves it, and no other host can set one of these names. A browser that sends no Sec-Fetch-Site may
// use the pages behind a proxy that asks for them with another host, and a page of another site may not.
func TestSecureCookies(t *testing.T) {
	settings, authURL, fake, err := read(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	settings.Site.URL = "https://jobs.example/"
	s, err := open(t.Context(), settings, authURL)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fake.AddClient(jobboardtest.ClientApp{ID: fake.Demo.ClientID, RedirectURIs: []string{"https://jobs.example/signin/callback"}})
	begun := httptest.NewRecorder()
	s.Server.Handler.ServeHTTP(begun, httptest.NewRequest("GET", "/signin?next=/x", nil))
	board := newVisitor(t, "").once("POST", begun.Header().Get("Location"), url.Values{"applicant": {fmt.Sprint(fake.Demo.Applicant)}})
	back := httptest.NewRequest("GET", board.Header.Get("Location"), nil)
	back.AddCookie(begun.Result().Cookies()[0])
	w := httptest.NewRecorder()
	s.Server.Handler.ServeHTTP(w, back)
	var names []string
	for _, c := range append(begun.Result().Cookies(), w.Result().Cookies()...) {
		if !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
			t.Errorf("%+v", c)
		}
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "__Host-signin __Host-signin __Host-session" || w.Header().Get("Location") != "/x" {
		t.Errorf("%d to %q with the cookies %s", w.Code, w.Header().Get("Location"), got)
	}
	for origin, want := range map[string]int{"": 303, "https://jobs.example": 303, "https://evil.example": 403, "null": 403} {
		r := httptest.NewRequest("POST", "http://backend:8080/signout", nil)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		w := httptest.NewRecorder()
		if s.Server.Handler.ServeHTTP(w, r); w.Code != want {
			t.Errorf("from %q: %d, want %d", origin, w.Code, want)
		}
	}
}

// A callback that the browser did not begin is refused, and a visitor is led to no other site.
func TestForeignRequests(t *testing.T) {
	v, fake := start(t)
	callback := strings.TrimPrefix(v.callback(fake, "/"), v.origin)
	stranger := newVisitor(t, v.origin)
	for _, path := range []string{"/signin/callback?code=x&state=guess", "/signin/callback?code=x", "/signin/callback", "/signin/callback?code=x&state=", callback} {
		if status, _ := stranger.get(path); status != 400 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if resp := v.once("GET", strings.Replace(callback, "state=", "state=x", 1), nil); resp.StatusCode != 400 {
		t.Errorf("with another state: %s", resp.Status)
	}
	v.signIn(fake, "/")
	if status, _ := v.post("/signout", nil, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"); status != 403 || !v.signedIn() {
		t.Errorf("signed out by another site: %d", status)
	}
	for _, next := range []string{"//evil.example", "/\t/evil.example", "https://evil.example", `/\evil.example`, "javascript:alert(1)"} {
		resp := newVisitor(t, v.origin)
		if at := resp.once("GET", resp.callback(fake, next), nil).Header.Get("Location"); strings.HasPrefix(at, "http") || !strings.HasPrefix(at, "/") || strings.HasPrefix(at, "//") || strings.HasPrefix(at, `/\`) {
			t.Errorf("%q leads to %s", next, at)
		}
	}
	// Nor back to a failure, for ever.
	status, body := v.signIn(fake, "/signin/callback")
	want(t, "after a failure", status, body, 200, `action="/signout"`)
}

// What the board answers to a code decides about the page, and stands in no log; the site's secret follows no redirect.
func TestExchange(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s reached another host", r.Method)
	}))
	defer elsewhere.Close()
	var logged bytes.Buffer
	settings, authURL, fake, err := read(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	defer server.Close()
	settings.Board.ClientID, settings.ClientSecret = fake.Demo.ConfidentialClient, fake.Demo.ConfidentialSecret
	settings.Site.URL, settings.TokenURL, settings.Logger = server.URL, settings.TokenURL+"?key=the-key", slog.New(slog.NewTextHandler(&logged, nil))
	s, err := open(t.Context(), settings, authURL)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	handler = s.Server.Handler
	unusable := func(token string) jobboardtest.Fault {
		return jobboardtest.Fault{
			Status: 200, Body: `{"access_token":"` + token + `","token_type":"bearer"}`, Header: http.Header{"Content-Type": {"application/json"}},
		}
	}
	type answer struct {
		fault  jobboardtest.Fault
		status int
		silent bool
	}
	all := []answer{
		{jobboardtest.Fault{Status: 400}, 400, true}, // visitors can send any number of codes that the board refuses
		{jobboardtest.Fault{Status: 400, Body: `{"error":"invalid_client"}`, Header: http.Header{"Content-Type": {"application/json"}}}, 502, false},
		{jobboardtest.Fault{Break: jobboardtest.CutBody}, 502, false},
	}
	for status, want := range map[int]int{401: 502, 403: 502, 429: 503, 500: 502, 503: 502, 307: 502, 200: 502} {
		all = append(all, answer{jobboardtest.Fault{Status: status, Header: http.Header{"Location": {elsewhere.URL}}}, want, false})
	}
	for _, token := range []string{" ", `hush\r\nX: y`, `hush\u0000`, "hush токен", `hush\u2028`} {
		all = append(all, answer{unusable(token), 502, false})
	}
	for _, c := range all {
		logged.Reset()
		v := newVisitor(t, server.URL)
		callback := v.callback(fake, "/")
		code, _ := url.Parse(callback)
		if c.fault.Body == "" {
			c.fault.Body = "you sent " + callback + " " + fake.Demo.ConfidentialSecret
		}
		c.fault.Operation = jobboardtest.OpToken
		failing := fake.Fail(c.fault)
		status, body := v.get(strings.TrimPrefix(callback, v.origin))
		failing.Lift()
		said := logged.String() + body
		if status != c.status || (logged.Len() == 0) != c.silent {
			t.Errorf("%d %s gives %d, want %d: %s", c.fault.Status, c.fault.Body, status, c.status, said)
		}
		for _, secret := range []string{code.Query().Get("code"), fake.Demo.ConfidentialSecret, "the-key", "hush"} {
			if strings.Contains(said, secret) {
				t.Errorf("%d %s: %q stands in %s", c.fault.Status, c.fault.Body, secret, said)
			}
		}
		if v.signedIn() {
			t.Errorf("signed in by %d %s", c.fault.Status, c.fault.Body)
		}
	}
}

// A session ends when the board refuses its token, and for nothing else; the cookie stays, for it may be that of a newer
// session by now.
func TestTokenEnds(t *testing.T) {
	v, fake := start(t)
	v.get("/?lang=en")
	job := fmt.Sprintf("/job/%d/", fake.Demo.OpenJob)
	v.signIn(fake, "/")
	for _, fault := range []jobboardtest.Fault{
		{Operation: jobboardtest.OpJobInformation, Status: 401, Body: `{"error":"invalid_token"}`},
		{Operation: jobboardtest.OpApplied, Status: 403},
		{Operation: jobboardtest.OpApplied, Status: 429},
	} {
		fault := fake.Fail(fault)
		v.get(job)
		fault.Lift()
		if !v.signedIn() {
			t.Fatalf("%+v ends the session", fault)
		}
	}
	fake.Fail(jobboardtest.Fault{Operation: jobboardtest.OpApplied, Status: 401, Body: `{"error":"invalid_token"}`})
	resp := v.once("GET", job, nil)
	if len(resp.Cookies()) != 0 {
		t.Errorf("it sets %v", resp.Cookies())
	}
	if v.signedIn() {
		t.Error("the session goes on")
	}
	fake.LiftFaults()
	v.signIn(fake, "/")
	fake.Fail(jobboardtest.Fault{Operation: jobboardtest.OpApplied, Status: 401, Body: `{"error":"invalid_token"}`})
	status, body := v.get(job)
	want(t, "the page that ends it", status, body, 200, "Your sign-in has ended.", `href="/signin?next=`, "Apply at the board</a>")
}

// A page that is made while its visitor signs out does not bring the session back.
func TestSignedOutMeanwhile(t *testing.T) {
	v, fake := start(t)
	v.signIn(fake, "/")
	site, _ := url.Parse(v.origin)
	had := v.client.Jar.Cookies(site)
	asked, slow := make(chan bool), newVisitor(t, v.origin)
	slow.client.Jar.SetCookies(site, had)
	fake.Fail(jobboardtest.Fault{Operation: jobboardtest.OpApplied, Delay: time.Hour})
	go func() { slow.once("GET", fmt.Sprintf("/job/%d/", fake.Demo.OpenJob), nil); close(asked) }()
	for len(fake.Requests(jobboardtest.OpApplied)) == 0 {
		time.Sleep(time.Millisecond)
	}
	v.post("/signout", nil)
	<-asked
	v.client.Jar.SetCookies(site, had)
	if v.signedIn() {
		t.Error("the session is back")
	}
}

// Signing in that is begun and never ended costs the site nothing, and nobody their session.
func TestBegunSignIns(t *testing.T) {
	v, fake := start(t)
	v.signIn(fake, "/")
	stranger := newVisitor(t, v.origin)
	stranger.client.Jar = nil
	for range 1000 {
		resp := stranger.once("GET", "/signin", nil)
		for _, c := range resp.Cookies() {
			if resp.StatusCode != http.StatusSeeOther || c.Name == "session" {
				t.Fatalf("%s with the cookie %s", resp.Status, c.Name)
			}
		}
	}
	if !v.signedIn() {
		t.Error("signed out")
	}
}

// A site without the address of the board's sign-in offers none, and leads to the board's page to apply.
func TestNoSignIn(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	settings := jobsite.Settings{
		Board:      jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID},
		Channels:   []jobboard.ChannelID{jobboard.ChannelID(fake.Demo.Channel)},
		EditMirror: func(opts *jobmirror.Options) { opts.Limit = -1 },
	}
	settings.Site.URL = "https://jobs.example"
	s, err := open(t.Context(), settings, "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Mirror.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.Server.Handler.ServeHTTP(w, httptest.NewRequest("GET", fmt.Sprintf("/job/%d/?lang=en", fake.Demo.OpenJob), nil))
	body := w.Body.String()
	if w.Code != http.StatusOK || strings.Contains(body, "/signin") || !strings.Contains(body, "Apply at the board</a>") {
		t.Errorf("%d: the page of a job leads to a sign-in that is not there, or not to the board: %s", w.Code, body)
	}
	w = httptest.NewRecorder()
	if s.Server.Handler.ServeHTTP(w, httptest.NewRequest("GET", "/signin", nil)); w.Code != http.StatusNotFound {
		t.Errorf("the sign-in's page: %d", w.Code)
	}
}

// A sign-in that lacks half of its settings is a mistake, and not a site without one.
func TestHalfASignIn(t *testing.T) {
	env := map[string]string{
		"JOBBOARD_BASE_URL": "https://board.example", "JOBBOARD_CLIENT_ID": "10",
		"JOBBOARD_AUTHORIZE_URL": "https://board.example/a", "JOBBOARD_TOKEN_URL": "https://board.example/t",
	}
	if _, authURL, _, err := read(func(name string) string { return env[name] }); err != nil || authURL != "https://board.example/a" {
		t.Errorf("%q, %v", authURL, err)
	}
	for _, lacking := range []string{"JOBBOARD_CLIENT_ID", "JOBBOARD_TOKEN_URL"} {
		_, _, _, err := read(func(name string) string {
			if name == lacking {
				return ""
			}
			return env[name]
		})
		if err == nil || !strings.Contains(err.Error(), lacking) {
			t.Errorf("without %s: %v", lacking, err)
		}
	}
}

func TestLocal(t *testing.T) {
	for address, want := range map[string]string{
		"":                                "/",
		"/job/1/apply":                    "/job/1/apply",
		"/signin":                         "/",
		"/signin/callback?code=x&state=y": "/",
		"/signin/../signin?next=/signin":  "/",
		"/signing-bonus":                  "/signing-bonus",
		"/?text=a&near=K%C3%B6ln":         "/?text=a&near=K%C3%B6ln",
		"/?text=a;b":                      "/?text=a;b",
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
