package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
)

// session is one visitor who has signed in.
type session struct {
	user oauth2.TokenSource
	form string // sent with each form that is shown in it, and of no use elsewhere
	seen time.Time
	used bool // since the visitor signed in
}

// sessions keeps the visitors who signed in, in memory: signing in again after
// a restart is one click. A site on several machines keeps them in a database.
type sessions struct {
	mu            sync.Mutex
	recent, older map[string]session // older: those not used since recent was full
}

const (
	maxSessions     = 10_000
	sessionLifetime = time.Hour // the board's tokens live as long after their last use
)

// put stores s under an identifier that nobody can guess.
func (all *sessions) put(s session) string {
	all.mu.Lock()
	defer all.mu.Unlock()
	id := rand.Text()
	s.form = rand.Text()
	all.use(id, s)
	return id
}

// use makes a session the one used last. Whoever did not use theirs for the
// longest time sign in again when there are too many.
func (all *sessions) use(id string, s session) {
	if all.recent == nil || len(all.recent) == maxSessions/2 {
		all.recent, all.older = map[string]session{}, all.recent
	}
	s.seen = time.Now()
	all.recent[id] = s
}

// get returns the session of an identifier, and counts it as used.
func (all *sessions) get(id string) (session, bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	s, ok := all.recent[id]
	if !ok {
		s, ok = all.older[id]
	}
	all.forget(id)
	if !ok || time.Since(s.seen) > sessionLifetime {
		return session{}, false
	}
	found := s
	s.used = true
	all.use(id, s)
	return found, true
}

func (all *sessions) remove(id string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.forget(id)
}

func (all *sessions) forget(id string) {
	delete(all.recent, id)
	delete(all.older, id)
}

const (
	sessionCookie = "session"
	signInCookie  = "signin" // of a sign-in under way, which the visitor keeps: it costs the site no memory
)

// setCookie keeps a value with the visitor for so many seconds; 0: until the
// browser is closed, negative: no longer.
func (s *site) setCookie(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.secure,
	})
}

func (s *site) session(r *http.Request) (session, bool) {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return session{}, false
	}
	return s.sessions.get(cookie.Value)
}

// endSession forgets a session: the visitor left, or the board refuses their token.
func (s *site) endSession(r *http.Request) {
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		s.sessions.remove(cookie.Value)
	}
}

const maxAddress = 1000 // a cookie has no room for more

// local returns an address of this site, whatever it is given, and not one of the
// sign-in, which would never end. A browser takes "//", "/\" and "/<tab>/" for the
// beginning of another site's.
func local(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" || len(address) > maxAddress {
		return "/"
	}
	clean := path.Clean("/" + u.Path)
	if clean == "/signin" || strings.HasPrefix(clean, "/signin/") {
		return "/"
	}
	return (&url.URL{Path: clean, RawQuery: u.RawQuery}).String()
}

// signIn sends the visitor to the board's sign-in page.
func (s *site) signIn(w http.ResponseWriter, r *http.Request) error {
	if s.oauth.Endpoint.AuthURL == "" {
		return statusError(http.StatusNotImplemented)
	}
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	underway := url.Values{"state": {state}, "verifier": {verifier}, "next": {local(r.FormValue("next"))}}
	s.setCookie(w, signInCookie, underway.Encode(), 600)
	http.Redirect(w, r, s.oauth.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), http.StatusFound)
	return nil
}

// signedIn answers the visitor whom the board's sign-in page sends back.
func (s *site) signedIn(w http.ResponseWriter, r *http.Request) error {
	cookie, err := r.Cookie(signInCookie)
	if err != nil {
		return statusError(http.StatusBadRequest) // a sign-in that this visitor did not begin
	}
	underway, err := url.ParseQuery(cookie.Value)
	if err != nil || underway.Get("state") == "" || underway.Get("state") != r.FormValue("state") {
		return statusError(http.StatusBadRequest)
	}
	s.setCookie(w, signInCookie, "", -1) // it counts once
	next := local(underway.Get("next"))
	if r.FormValue("code") == "" { // the visitor refused, or the board did; the form would begin anew
		http.Redirect(w, r, strings.TrimSuffix(next, "/apply"), http.StatusSeeOther)
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
	defer cancel()
	token, err := s.oauth.Exchange(ctx, r.FormValue("code"), oauth2.VerifierOption(underway.Get("verifier")))
	if err != nil {
		return exchangeError(err)
	}
	s.endSession(r) // a new identifier with every sign-in
	s.setCookie(w, sessionCookie, s.sessions.put(session{user: jobboard.StaticToken(token.AccessToken)}), 0)
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

// exchangeError logs why the board gave no token, without what it answered, which
// may be a page with the code in it, and returns what the visitor gets.
func exchangeError(err error) error {
	status := http.StatusBadGateway
	if answer, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		if answer.Response.StatusCode < 500 {
			status = http.StatusBadRequest
		}
		err = fmt.Errorf("status %d, %.100q", answer.Response.StatusCode, answer.ErrorCode)
	}
	log.Printf("signing in: %.300q", err)
	return statusError(status)
}

func (s *site) signOut(w http.ResponseWriter, r *http.Request) error {
	s.endSession(r)
	s.setCookie(w, sessionCookie, "", -1)
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}
