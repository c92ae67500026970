package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// signIn signs applicants in at the board, for a site that tells its visitors whether they may apply: by the
// authorization code flow with state and PKCE. The tokens are in sessions on the server, and never in a cookie. A nil
// signIn stands for a site that offers none.
type signIn struct {
	client   *jobboard.Client
	oauth    oauth2.Config
	http     *http.Client // fetches tokens
	sessions *scs.SessionManager
	prefix   string // of the cookies' names
}

const (
	callbackPath = "/signin/callback"
	tokenKey     = "token" // of a session
	begunCookie  = "signin"
	checkWait    = 500 * time.Millisecond // how long a job's page waits for the board
)

// newSignIn returns the sign-in of a site, whose address is origin. Sessions are in memory: sites on several machines
// set scs's Store to one that they share, and guard it as they guard passwords.
func newSignIn(client *jobboard.Client, origin string, cfg oauth2.Config, transport http.RoundTripper) *signIn {
	s := &signIn{client: client, oauth: cfg, sessions: scs.New(), http: &http.Client{Timeout: 10 * time.Second, Transport: transport}}
	s.oauth.RedirectURL = origin + callbackPath
	// The request carries the site's secret.
	s.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	secure := strings.HasPrefix(origin, "https:")
	if secure {
		s.prefix = "__Host-" // which lets browsers accept the cookie from this host alone
	}
	s.sessions.Lifetime = 12 * time.Hour
	cookie := &s.sessions.Cookie
	cookie.Name, cookie.Persist, cookie.Secure = s.prefix+"session", false, secure
	cookie.HttpOnly, cookie.SameSite = true, http.SameSiteLaxMode
	return s
}

// addTo adds the sign-in's pages to a site, and its sessions to all pages.
func (s *signIn) addTo(m *jobsite.Marketplace) {
	m.Middleware = s.sessions.LoadAndSave
	m.Page("GET /signin", s.begin)
	m.Page("GET "+callbackPath, s.end)
	m.Page("POST /signout", s.signOut)
}

// token returns the token of the visitor of a page, or "" if nobody has signed in.
func (s *signIn) token(r *http.Request) string {
	if s == nil {
		return ""
	}
	return s.sessions.GetString(r.Context(), tokenKey)
}

// remember stores what a sign-in that has begun must know at its end in the visitor's cookie, so that the site needs no
// memory for sign-ins that never end. An age below 0 removes it.
func (s *signIn) remember(w http.ResponseWriter, value string, age time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: s.prefix + begunCookie, Value: value, Path: "/", MaxAge: int(age / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.prefix != "",
	})
}

// begin sends the visitor to the board's page. The parameter next of the address is the page of this site that follows.
func (s *signIn) begin(w http.ResponseWriter, r *http.Request) error {
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	begun := url.Values{"state": {state}, "verifier": {verifier}, "next": {local(jobsite.ReadQuery(r).Get("next"))}}
	s.remember(w, begun.Encode(), 10*time.Minute)
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, s.oauth.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), http.StatusSeeOther)
	return nil
}

// end is where the board sends the visitor back, with a code or, if they cancelled, without.
func (s *signIn) end(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	var begun url.Values
	cookie, err := r.Cookie(s.prefix + begunCookie)
	if err == nil {
		begun, err = url.ParseQuery(cookie.Value)
	}
	query := jobsite.ReadQuery(r)
	if err != nil || begun.Get("state") == "" || begun.Get("state") != query.Get("state") {
		return statusError(http.StatusBadRequest) // this browser did not begin the sign-in
	}
	s.remember(w, "", -time.Second) // the cookie counts once
	if code := query.Get("code"); code != "" {
		token, err := s.exchange(r.Context(), code, begun.Get("verifier"))
		if err != nil {
			return err
		}
		// A new session identifier with every sign-in, so that nobody else knows it.
		if err := errors.Join(s.sessions.Clear(r.Context()), s.sessions.RenewToken(r.Context())); err != nil {
			return err
		}
		s.sessions.Put(r.Context(), tokenKey, token)
	}
	http.Redirect(w, r, local(begun.Get("next")), http.StatusSeeOther)
	return nil
}

// exchange returns the token for a code. Its errors have the status for the visitor, and hold nothing of the request and
// of the board's answer, in which the code and the secret may be.
func (s *signIn) exchange(ctx context.Context, code, verifier string) (string, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, s.http)
	token, err := s.oauth.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if answer, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		status := answer.Response.StatusCode
		why := fmt.Errorf("the board gives no token: status %d, %.100q", status, answer.ErrorCode)
		switch {
		case status == http.StatusTooManyRequests:
			return "", &exchangeError{why, http.StatusServiceUnavailable}
		case status == http.StatusBadRequest && !strings.HasSuffix(answer.ErrorCode, "_client"):
			// The code is old, was used, or was made up. A visitor can send any number of those, so this status, which
			// is not logged. With invalid_client and unauthorized_client the board refuses the site itself.
			return "", &exchangeError{why, http.StatusBadRequest}
		}
		return "", &exchangeError{why, http.StatusBadGateway}
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the request's address
	}
	if err == nil && (token.AccessToken == "" || strings.ContainsFunc(token.AccessToken, isNotInHeader)) {
		// It would make every page fail until the session ends.
		err = errors.New("the board's token cannot be sent")
	}
	if err != nil {
		return "", &exchangeError{fmt.Errorf("no token: %.300q", err.Error()), http.StatusBadGateway}
	}
	return token.AccessToken, nil
}

// isNotInHeader reports whether no header of a request may hold r.
func isNotInHeader(r rune) bool { return r <= ' ' || r >= 0x7f }

// exchangeError is a failure to get a token, with its status.
type exchangeError struct {
	error
	status int
}

func (e *exchangeError) HTTPStatus() int { return e.status }

// signOut ends the session.
func (s *signIn) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.sessions.Destroy(r.Context()); err != nil {
		return err
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

// check asks the board whether the visitor of a job's page may apply. It waits for half a second at most, and ends the
// session if the board refuses the visitor's token in that time. ok reports whether the visitor is signed in.
func (s *signIn) check(r *http.Request, job jobboard.JobID) (check jobboard.PrecheckResult, ok bool) {
	token := s.token(r)
	if token == "" {
		return check, false
	}
	ctx, cancel := context.WithTimeout(r.Context(), checkWait)
	defer cancel()
	check, _ = s.client.Applicant(jobboard.StaticToken(token)).Precheck(ctx, job) // its decision says what the error does
	refused := errors.Is(errors.Join(check.AppliedErr, check.ApplicationErr), jobboard.ErrUnauthorized)
	if refused {
		// The cookie stays: by now it may be that of a newer session.
		_ = s.sessions.Store.Delete(s.sessions.Token(r.Context()))
	}
	return check, !refused
}

// maxAddress is the longest escaped address in a cookie, in bytes. Browsers keep cookies of at most 4096 bytes.
const maxAddress = 1900

// local returns the given address if it is a page of this site, and otherwise "/". It also replaces addresses that are
// too long, and the sign-in's own, which would redirect for ever. A browser takes "//", "/\" and "/<tab>/" for the
// beginning of another site's address.
func local(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" {
		return "/"
	}
	clean := path.Clean("/" + u.Path)
	if clean == "/signin" || strings.HasPrefix(clean, "/signin/") {
		return "/"
	}
	here := (&url.URL{Path: clean, RawQuery: u.RawQuery}).String()
	if len(url.QueryEscape(here)) > maxAddress {
		return "/"
	}
	return here
}
