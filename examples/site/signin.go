package main

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
)

// session is one visitor who signs in or has signed in.
type session struct {
	state, verifier, next string // of a sign-in under way
	user                  oauth2.TokenSource
	seen                  time.Time
}

// sessions keeps the visitors who signed in, in memory: signing in again after
// a restart is one click. A site on several machines keeps them in a database.
type sessions struct {
	mu  sync.Mutex
	all map[string]session
}

const (
	maxSessions     = 10_000
	sessionLifetime = time.Hour // the board's tokens live as long after their last use
)

// put stores s under an identifier that nobody can guess.
func (all *sessions) put(s session) string {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.all == nil || len(all.all) >= maxSessions {
		all.all = map[string]session{} // everybody signs in again; memory stays bounded
	}
	id := rand.Text()
	s.seen = time.Now()
	all.all[id] = s
	return id
}

// get returns the session of an identifier, and counts it as used.
func (all *sessions) get(id string) (session, bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	s, ok := all.all[id]
	if !ok || time.Since(s.seen) > sessionLifetime {
		delete(all.all, id)
		return session{}, false
	}
	s.seen = time.Now()
	all.all[id] = s
	return s, true
}

func (all *sessions) remove(id string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.all, id)
}

const sessionCookie = "session"

func (s *site) setSession(w http.ResponseWriter, r *http.Request, v session) {
	if old, err := r.Cookie(sessionCookie); err == nil {
		s.sessions.remove(old.Value) // a new identifier with every step of a sign-in
	}
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: s.sessions.put(v), Path: "/",
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

// applicant returns the visitor as the board knows them, nil before they
// signed in.
func (s *site) applicant(r *http.Request) *jobboard.Applicant {
	if v, ok := s.session(r); ok && v.user != nil {
		return s.client.Applicant(v.user)
	}
	return nil
}

// signIn sends the visitor to the board's sign-in page.
func (s *site) signIn(w http.ResponseWriter, r *http.Request) error {
	next := r.URL.Query().Get("next")
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.Contains(next, `\`) {
		next = "/" // never to another site
	}
	v := session{state: rand.Text(), verifier: oauth2.GenerateVerifier(), next: next}
	s.setSession(w, r, v)
	http.Redirect(w, r, s.oauth.AuthCodeURL(v.state, oauth2.S256ChallengeOption(v.verifier)), http.StatusFound)
	return nil
}

// signedIn answers the visitor whom the board's sign-in page sends back.
func (s *site) signedIn(w http.ResponseWriter, r *http.Request) error {
	v, ok := s.session(r)
	if !ok || v.state == "" || v.state != r.FormValue("state") {
		return statusError(http.StatusBadRequest) // a sign-in that this visitor did not begin
	}
	if r.FormValue("code") == "" { // the visitor refused
		http.Redirect(w, r, v.next, http.StatusSeeOther)
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
	defer cancel()
	token, err := s.oauth.Exchange(ctx, r.FormValue("code"), oauth2.VerifierOption(v.verifier))
	if err != nil {
		return err
	}
	s.setSession(w, r, session{user: jobboard.StaticToken(token.AccessToken)})
	http.Redirect(w, r, v.next, http.StatusSeeOther)
	return nil
}

func (s *site) signOut(w http.ResponseWriter, r *http.Request) error {
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		s.sessions.remove(cookie.Value)
	}
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.secure})
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}
