package jobboardtest

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Client describes an application that talks to the service. Without a secret it is
// public and uses Basic with its identifier; with one it is confidential and
// must use tokens.
type Client struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"`

	// RedirectURIs are where the authorize page may send an applicant back to,
	// compared as texts. Without any it is every address of the loopback.
	RedirectURIs []string `json:"redirect_uris,omitempty"`
}

// String hides the secret.
func (c Client) String() string { return "client " + c.ID }

// GoString hides the secret.
func (c Client) GoString() string { return c.String() }

// AddClient adds or replaces a client.
func (s *Server) AddClient(c Client) Client {
	s.change(func(st *state) { st.addClient(c) })
	return c
}

// HasClient reports whether there is a client.
func (s *Server) HasClient(id string) (ok bool) {
	s.read(func(st *state) { _, ok = st.clients[id] })
	return ok
}

// The kinds of tokens, as a State has them.
const (
	clientToken = "client"
	userToken   = "user"
	lookupToken = "lookup"
)

// token is an access token. A client's lives from its issue, a user's from its
// last use.
type token struct {
	Token                  // its Since is in used
	lifetime time.Duration // 0: never expires
	used     atomic.Int64  // issue or last use, in microseconds since the epoch
}

func (t *token) use(at time.Time) { t.used.Store(at.UnixMicro()) }

// since returns the time of the issue or the last use.
func (t *token) since() time.Time { return time.UnixMicro(t.used.Load()).UTC() }

func (t *token) alive(now time.Time) bool {
	return !t.Expired && (t.lifetime == 0 || now.Sub(t.since()) < t.lifetime)
}

// addToken issues a token and returns its value.
func (s *Server) addToken(t Token, lifetime time.Duration) string {
	t.Value, t.Lifetime = newHex(), lifetime.String()
	n := &token{Token: t, lifetime: lifetime}
	n.use(s.Now())
	s.change(func(st *state) { st.tokens[t.Value] = n })
	return t.Value
}

func (s *Server) tokenLifetime() time.Duration {
	if n := s.Variants().TokenSeconds; n > 0 {
		return time.Duration(n) * time.Second
	}
	return time.Hour
}

// ClientToken issues a client access token. It panics when there is no such
// client.
func (s *Server) ClientToken(clientID string) string {
	s.read(func(st *state) {
		if _, ok := st.clients[clientID]; !ok {
			panic(fmt.Sprintf("jobboardtest: ClientToken: no client %q; add it with AddClient", clientID))
		}
	})
	return s.addToken(Token{Kind: clientToken, ClientID: clientID}, s.tokenLifetime())
}

// UserToken issues a user access token of an applicant. It panics when there is
// no such applicant.
func (s *Server) UserToken(applicant int64) string {
	s.read(func(st *state) {
		if _, ok := st.applicants[applicant]; !ok {
			panic(fmt.Sprintf("jobboardtest: UserToken: no applicant %d; add it with AddApplicant", applicant))
		}
	})
	return s.addToken(Token{Kind: userToken, ApplicantID: applicant}, s.tokenLifetime())
}

// LookupToken issues a token for the job information lookup. The lookup needs none;
// a strict server refuses every other credential there.
func (s *Server) LookupToken() string {
	return s.addToken(Token{Kind: lookupToken}, s.tokenLifetime())
}

// ExpireToken makes a token expired at once; it reports whether there is one.
func (s *Server) ExpireToken(value string) bool {
	return s.updateToken(value, func(t *token) { t.Expired = true })
}

// NarrowToken takes the scope of a token away, so that it is answered with 403
// and insufficient_scope; it reports whether there is one.
func (s *Server) NarrowToken(value string) bool {
	return s.updateToken(value, func(t *token) { t.Narrow = true })
}

func (s *Server) updateToken(value string, f func(*token)) bool {
	var found bool
	s.change(func(st *state) {
		var t *token
		if t, found = st.tokens[value]; found {
			f(t)
		}
	})
	return found
}
