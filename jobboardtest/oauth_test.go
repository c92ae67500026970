package jobboardtest_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// signIn goes to an authorize address as a browser does, chooses an applicant
// and returns where it is sent back to.
func signIn(t *testing.T, srv *jobboardtest.Server, address, applicant string) *url.URL {
	t.Helper()
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	browser := &http.Client{Transport: srv.Client().Transport, CheckRedirect: stay}
	res, err := browser.PostForm(address, url.Values{"applicant": {applicant}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	at, err := res.Location()
	if err != nil || res.StatusCode != http.StatusSeeOther {
		t.Fatalf("%s, %v", res.Status, err)
	}
	return at
}

// The whole way of a site that uses x/oauth2, for a client with a secret and for
// one without.
func TestAuthorizationCodeGrant(t *testing.T) {
	for _, client := range []jobboardtest.ClientApp{
		{ID: "11", Secret: "hush-hush", RedirectURIs: []string{"https://site.example/back?from=board"}},
		{ID: "10"},
	} {
		srv := jobboardtest.New(t)
		srv.AddClient(client)
		srv.AddApplicant(jobboardtest.Applicant{ID: 7, Name: "Jana <Beispiel>"})
		publish(srv)
		back := "http://127.0.0.1:4711/back?from=board"
		if len(client.RedirectURIs) > 0 {
			back = client.RedirectURIs[0]
		}
		ctx := context.WithValue(t.Context(), oauth2.HTTPClient, srv.Client())
		site := oauth2.Config{
			ClientID: client.ID, ClientSecret: client.Secret, RedirectURL: back,
			Endpoint: oauth2.Endpoint{AuthURL: srv.AuthURL, TokenURL: srv.TokenURL},
		}
		verifier := oauth2.GenerateVerifier()
		address := site.AuthCodeURL("the state", oauth2.S256ChallengeOption(verifier))
		res, page := get(t, srv, address, "")
		for _, want := range []string{"<p>" + at(back) + " (client " + client.ID + ") asks", `<button name="applicant" value="7">Jana &lt;Beispiel&gt;`, `method="post"`, `value="">Cancel`} {
			if res.StatusCode != 200 || !strings.Contains(string(page), want) {
				t.Errorf("%d: the page lacks %s: %s", res.StatusCode, want, page)
			}
		}
		sentTo := signIn(t, srv, address, "7")
		q := sentTo.Query()
		code := q.Get("code")
		if q.Get("state") != "the state" || q.Get("from") != "board" || code == "" || q.Has("error") {
			t.Fatalf("sent back to %s", sentTo)
		}
		got, err := site.Exchange(ctx, code, oauth2.VerifierOption(verifier))
		if err != nil {
			t.Fatal(err)
		}
		if res, body := get(t, srv, srv.BaseURL+"/api/rest/v3/frontend/jobs/4711/applied", got.AccessToken); res.StatusCode != 200 || string(body) != "false" {
			t.Errorf("with the token: %d %s", res.StatusCode, body)
		}
		if _, err := site.Exchange(ctx, code, oauth2.VerifierOption(verifier)); err == nil {
			t.Error("a code is good twice")
		}
		// The journal says what happened, and no code, token or verifier.
		for _, r := range srv.Requests() {
			r, _ = srv.Inside().Request(r.Number)
			all := strings.Join([]string{r.String(), r.Body, r.Note, r.Response.Body, r.Response.Header.Get("Location")}, "\n")
			for _, secret := range []string{code, got.AccessToken, verifier} {
				if strings.Contains(all, secret) {
					t.Errorf("the journal holds %s: %s", secret, all)
				}
			}
		}
		notes := notesOf(srv, jobboardtest.OpToken)
		if notes[0] != "granted a user token of applicant 7 (authorization_code)" || !strings.Contains(notes[len(notes)-1], "unknown or was used") {
			t.Errorf("%q", notes)
		}
	}
}

// at returns the host of an address.
func at(address string) string {
	u, _ := url.Parse(address)
	return u.Host
}

func notesOf(srv *jobboardtest.Server, op jobboardtest.Operation) (out []string) {
	for _, r := range srv.Requests(op) {
		out = append(out, r.Note)
	}
	return out
}

func TestCodeMustFit(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "11", Secret: "hush-hush"})
	srv.AddApplicant(jobboardtest.Applicant{ID: 7})
	verifier := oauth2.GenerateVerifier()
	site := oauth2.Config{ClientID: "11", RedirectURL: "http://localhost:1/back", Endpoint: oauth2.Endpoint{AuthURL: srv.AuthURL}}
	address := site.AuthCodeURL("s", oauth2.S256ChallengeOption(verifier))
	for name, c := range map[string]struct {
		redirect, verifier string
		later              time.Duration
		status             int
	}{
		"all right":                 {site.RedirectURL, verifier, 59 * time.Second, 200},
		"another redirect_uri":      {"http://localhost:1/other", verifier, 0, 400},
		"no redirect_uri":           {"", verifier, 0, 400},
		"another verifier":          {site.RedirectURL, oauth2.GenerateVerifier(), 0, 400},
		"no verifier":               {site.RedirectURL, "", 0, 400},
		"a minute later":            {site.RedirectURL, verifier, time.Minute, 400},
		"the challenge as verifier": {site.RedirectURL, oauth2.S256ChallengeFromVerifier(verifier), 0, 400},
	} {
		code := signIn(t, srv, address, "7").Query().Get("code")
		srv.Advance(c.later)
		status, m := token(t, srv, "11", "hush-hush", url.Values{
			"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {c.redirect}, "code_verifier": {c.verifier},
		})
		if status != c.status || status == 400 && m["error"] != "invalid_grant" {
			t.Errorf("%s: %d %v", name, status, m)
		}
	}
}

// What the authorize page refuses: an error on the page before it knows the address to return
// to, after that by sending the visitor back.
func TestAuthorizeRefuses(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithStrict(false))
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.AddClient(jobboardtest.ClientApp{ID: "11", Secret: "hush-hush", RedirectURIs: []string{"https://site.example/back", "http://[unread"}})
	srv.AddApplicant(jobboardtest.Applicant{ID: 7})
	good := url.Values{
		"client_id": {"10"}, "redirect_uri": {"http://[::1]:9/"}, "response_type": {"code"},
		"state": {"s"}, "code_challenge": {oauth2.S256ChallengeFromVerifier(oauth2.GenerateVerifier())}, "code_challenge_method": {"S256"},
	}
	with := func(pairs ...string) string {
		q := url.Values{}
		for k, v := range good {
			q[k] = v
		}
		for i := 0; i < len(pairs); i += 2 {
			q.Set(pairs[i], pairs[i+1])
		}
		return srv.AuthURL + "?" + q.Encode()
	}
	for _, address := range []string{
		with("client_id", "12"), with("redirect_uri", ""), with("redirect_uri", "https://elsewhere.example/"),
		with("redirect_uri", "javascript:alert(1)"), with("redirect_uri", "http://127.0.0.1.elsewhere.example/"),
		with("redirect_uri", "http://user@127.0.0.1/"), with("redirect_uri", "//127.0.0.1/"),
		with("client_id", "11", "redirect_uri", "https://site.example/back/"), with("client_id", "11", "redirect_uri", "http://127.0.0.1/"),
		with("redirect_uri", "http://10.0.0.1/"), with("redirect_uri", "ftp://localhost/"), with("redirect_uri", "http://localhost/#here"),
		with("client_id", "11", "redirect_uri", "http://[unread"),
	} {
		res, page := get(t, srv, address, "")
		if res.StatusCode != 400 || res.Header.Get("Location") != "" || !strings.Contains(string(page), "cannot go on") {
			t.Errorf("%s: %d %v", address, res.StatusCode, res.Header)
		}
		if note := lastRequest(srv).Note; !strings.HasPrefix(note, "refused: There is no client \"12\".") && !strings.HasPrefix(note, "refused: redirect_uri is ") {
			t.Errorf("%s: the journal says %q", address, note)
		}
	}
	signIn(t, srv, with("redirect_uri", "https://localhost/"), "7")
	if note := lastRequest(srv).Note; note != "applicant 7 signed in" {
		t.Errorf("the journal says %q", note)
	}
	for _, nobody := range []string{"8", "+7"} {
		res, page := send(t, srv, "POST", with(), formHeader(), "applicant="+url.QueryEscape(nobody))
		if note := lastRequest(srv).Note; res.StatusCode != 400 || note != `refused: There is no applicant "`+nobody+`".` {
			t.Errorf("applicant %s: %d, %q: %s", nobody, res.StatusCode, note, page)
		}
	}
	for address, want := range map[string]string{
		with("response_type", "token"):         "unsupported_response_type",
		with("code_challenge", ""):             "invalid_request",
		with("code_challenge_method", "plain"): "invalid_request",
		with():                                 "access_denied", // nobody is chosen
	} {
		q := signIn(t, srv, address, "").Query()
		if q.Get("error") != want || q.Get("error_description") == "" || q.Get("state") != "s" || q.Has("code") {
			t.Errorf("%s: %v, want %s", address, q, want)
		}
		notes := notesOf(srv, jobboardtest.OpAuthorize)
		if got := notes[len(notes)-1]; got != "refused: "+want+", "+q.Get("error_description") {
			t.Errorf("%s: the journal says %q", address, got)
		}
	}
	// A strict server asks for state and PKCE of everybody.
	p := &probe{TB: t}
	strict := jobboardtest.New(p)
	defer p.end()
	strict.AddClient(jobboardtest.ClientApp{ID: "11", Secret: "hush-hush"})
	get(t, strict, strict.AuthURL+"?client_id=11&response_type=code&redirect_uri=http://127.0.0.1/", "")
	if v := violations(strict); len(v) != 2 || !strings.Contains(v[0], "state is missing") || !strings.Contains(v[1], "code_challenge is missing") {
		t.Errorf("%q", v)
	}
}

// Public applications sign applicants in by their passwords, with the colon and
// without it.
func TestPasswordGrantOfAPublicClient(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.AddApplicant(jobboardtest.Applicant{ID: 7, Username: "jana", Password: "pass word"})
	publish(srv)
	for _, c := range []struct {
		credential string // of Basic, before base64
		colon      bool   // is needed
		status     int
	}{{"10:", false, 200}, {"10", false, 200}, {"10:", true, 200}, {"10", true, 401}, {"10:x", false, 401}, {"", false, 401}} {
		srv.SetVariants(jobboardtest.Variants{BasicNeedsColon: c.colon})
		status, m := tokenBasic(t, srv, c.credential, url.Values{"grant_type": {"password"}, "username": {"jana"}, "password": {"pass word"}})
		if status != c.status {
			t.Errorf("%+v: %d %v", c, status, m)
		}
		if status == 200 {
			if res, body := get(t, srv, srv.BaseURL+"/api/rest/v3/frontend/jobs/4711/applied", m["access_token"].(string)); res.StatusCode != 200 {
				t.Errorf("%+v: %d %s", c, res.StatusCode, body)
			}
		}
	}
	notes := notesOf(srv, jobboardtest.OpToken)
	want := []string{
		"granted a user token of applicant 7 (password)", "granted a user token of applicant 7 (password)", "granted a user token of applicant 7 (password)",
		"refused: its Basic credential is without the colon that section 5 requires",
		"refused: client 10 with a secret, and it has none", "refused: none is named",
	}
	if !slices.Equal(notes, want) {
		t.Errorf("%q", notes)
	}
	for _, r := range srv.Requests(jobboardtest.OpToken) {
		if strings.Contains(r.Body, "pass") && !strings.Contains(r.Body, "password=%5Bmasked%5D") || strings.Contains(r.Body, "pass+word") {
			t.Error(r.Body)
		}
		if r.Status == 200 && r.Credential != "client 10" {
			t.Errorf("a granted request is labelled %q", r.Credential)
		}
	}
}

// The log of a test says why a credential was refused, which the status cannot.
func TestRefusalsAreTold(t *testing.T) {
	p := &probe{TB: t}
	srv := jobboardtest.New(p, jobboardtest.WithDemo())
	// Of an answer that does not come nothing is told.
	srv.Fail(jobboardtest.Fault{Break: jobboardtest.ResetBefore, Execute: true, Times: 1})
	if f := fetch(t.Context(), srv.Transport(), appliedURL(srv), srv.Demo.ExpiredToken); f.err == nil || len(p.logged) > 0 {
		t.Errorf("%+v: %q", f, p.logged)
	}
	for range 30 {
		get(t, srv, appliedURL(srv), srv.Demo.ExpiredToken)
	}
	get(t, srv, appliedURL(srv), srv.Demo.ApplicantToken)
	p.end()
	if len(p.logged) != 20 || !strings.Contains(p.logged[0], "[expired user token of applicant 7] 401: the token has expired") || strings.Contains(p.logged[0], srv.Demo.ExpiredToken) {
		t.Errorf("%d: %q", len(p.logged), p.logged)
	}
	if len(p.take()) > 0 {
		t.Errorf("a refused credential fails the test")
	}
}
