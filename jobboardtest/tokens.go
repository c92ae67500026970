package jobboardtest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Client is an application that talks to the service. Without a secret it is
// public and uses Basic with its identifier; with one it is confidential and
// must use tokens.
type Client struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"`
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

type tokenKind string

const (
	clientToken tokenKind = "client"
	userToken   tokenKind = "user"
	lookupToken tokenKind = "lookup"
)

// token is an access token. A client's lives from its issue, a user's from its
// last use.
type token struct {
	value     string
	kind      tokenKind
	clientID  string
	applicant int64
	lifetime  time.Duration // 0: never expires
	narrow    bool          // its scope is not enough
	expired   bool          // by ExpireToken
	since     atomic.Int64  // nanoseconds since the epoch: issue or last use
}

type code struct {
	clientID  string
	applicant int64
	expires   time.Time
}

func (t *token) alive(now time.Time) bool {
	return !t.expired && (t.lifetime == 0 || now.UnixNano()-t.since.Load() < int64(t.lifetime))
}

func (s *Server) addToken(t *token) string {
	if t.value == "" {
		t.value = newHex()
	}
	t.since.Store(s.Now().UnixNano())
	s.change(func(st *state) { st.tokens[t.value] = t })
	return t.value
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
	return s.addToken(&token{kind: clientToken, clientID: clientID, lifetime: s.tokenLifetime()})
}

// UserToken issues a user access token of an applicant. It panics when there is
// no such applicant.
func (s *Server) UserToken(applicant int64) string {
	s.read(func(st *state) {
		if _, ok := st.applicants[applicant]; !ok {
			panic(fmt.Sprintf("jobboardtest: UserToken: no applicant %d; add it with AddApplicant", applicant))
		}
	})
	return s.addToken(&token{kind: userToken, applicant: applicant, lifetime: s.tokenLifetime()})
}

// LookupToken issues a token that the job information lookup takes. It needs
// none; a strict server refuses every other credential there.
func (s *Server) LookupToken() string {
	return s.addToken(&token{kind: lookupToken, lifetime: s.tokenLifetime()})
}

// AuthorizationCode makes a code for the token endpoint's authorization_code
// grant. It is good once, for ten minutes.
func (s *Server) AuthorizationCode(clientID string, applicant int64) string {
	value := newHex()
	expires := s.stamp().Add(10 * time.Minute)
	s.change(func(st *state) { st.codes[value] = code{clientID, applicant, expires} })
	return value
}

// ExpireToken makes a token expired at once; it reports whether there is one.
func (s *Server) ExpireToken(value string) bool {
	return s.updateToken(value, func(t *token) { t.expired = true })
}

// NarrowToken takes the scope of a token away, so that it is answered with 403
// and insufficient_scope; it reports whether there is one.
func (s *Server) NarrowToken(value string) bool {
	return s.updateToken(value, func(t *token) { t.narrow = true })
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

// credKind is what a request brought to say who it is.
type credKind int

const (
	credNone credKind = iota
	credBasic
	credBadBasic // unknown client, a password, a confidential client, no colon where it is needed
	credClient
	credUser
	credLookup
	credUnknown // a bearer token nobody issued, or another scheme
)

// credential never holds the value, only what it turned out to be.
type credential struct {
	kind      credKind
	clientID  string
	applicant int64
	expired   bool
	narrow    bool
	note      string // why a Basic credential is bad
}

// String is the form of the journal.
func (c credential) String() string {
	var s string
	switch c.kind {
	case credNone:
		return "none"
	case credBasic:
		s = "basic client " + c.clientID
	case credBadBasic:
		return "bad basic (" + c.note + ")"
	case credClient:
		s = "client token"
	case credUser:
		s = fmt.Sprintf("user token of applicant %d", c.applicant)
	case credLookup:
		s = "lookup token"
	default:
		return "unknown credential"
	}
	switch {
	case c.expired:
		return "expired " + s
	case c.narrow:
		return "narrow " + s
	}
	return s
}

// identify reads the Authorization header, and slides the expiry of a user's
// token when touch is set.
func (s *Server) identify(r *http.Request, v Variants, touch bool) credential {
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	value = strings.TrimSpace(value)
	switch {
	case len(r.Header.Values("Authorization")) == 0:
		return credential{}
	case strings.EqualFold(scheme, "Basic"):
		return s.identifyBasic(value, v)
	case !strings.EqualFold(scheme, "Bearer"):
		return credential{kind: credUnknown}
	}
	now := s.Now()
	c := credential{kind: credUnknown}
	s.read(func(st *state) {
		t, ok := st.tokens[value]
		if !ok {
			return
		}
		c = credential{clientID: t.clientID, applicant: t.applicant, narrow: t.narrow, expired: !t.alive(now)}
		switch t.kind {
		case clientToken:
			c.kind = credClient
		case userToken:
			c.kind = credUser
			if touch && !c.expired {
				t.since.Store(now.UnixNano())
			}
		case lookupToken:
			c.kind = credLookup
		}
	})
	return c
}

func (s *Server) identifyBasic(value string, v Variants) credential {
	bad := func(note string) credential { return credential{kind: credBadBasic, note: note} }
	raw, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return bad("not base64")
	}
	id, password, colon := strings.Cut(string(raw), ":")
	var client Client
	var known bool
	s.read(func(st *state) { client, known = st.clients[id] })
	switch {
	case !known:
		return bad("unknown client")
	case client.Secret != "":
		return bad("confidential client " + id + ", which must use tokens")
	case password != "":
		return bad("client " + id + " with a password")
	case !colon && v.BasicNeedsColon:
		return bad("client " + id + " without the colon")
	}
	return credential{kind: credBasic, clientID: id}
}

// needAny lets a client token, a user token or a public client through.
func (c *call) needAny() (answer, bool) {
	switch c.cred.kind {
	case credNone, credBadBasic:
		return c.v.authAnswer(http.StatusUnauthorized, "", ""), false
	case credUnknown, credLookup:
		return c.v.badToken(), false
	}
	return c.needAlive()
}

// needUser lets a user token through.
func (c *call) needUser() (answer, bool) {
	switch c.cred.kind {
	case credNone, credBadBasic, credBasic:
		return c.v.authAnswer(http.StatusUnauthorized, "", ""), false
	case credUnknown, credLookup:
		return c.v.badToken(), false
	case credClient:
		if !c.cred.expired {
			return c.v.authAnswer(http.StatusUnauthorized, "invalid_token", "user token required, but client token sent"), false
		}
	}
	return c.needAlive()
}

func (c *call) needAlive() (answer, bool) {
	switch {
	case c.cred.expired:
		return c.v.badToken(), false
	case c.cred.narrow:
		return c.v.authAnswer(http.StatusForbidden, "insufficient_scope", "valid token with insufficient scope"), false
	}
	return answer{}, true
}

func (v Variants) badToken() answer {
	return v.authAnswer(http.StatusUnauthorized, "invalid_token", "token expired or otherwise invalid")
}

// authAnswer is a 401 or 403 with its two fields where the switch wants them.
func (v Variants) authAnswer(status int, code, description string) answer {
	if v.InvalidTokenSpace && code == "invalid_token" {
		code = "invalid token"
	}
	a := answer{status: status, header: http.Header{}}
	if v.AuthErrors != AuthInBody {
		h := "Bearer"
		if code != "" {
			h += fmt.Sprintf(` error=%q, error_description=%q`, code, description)
		}
		a.header.Set("WWW-Authenticate", h)
	}
	if v.AuthErrors != "" && code != "" {
		a.contentType, a.body = typeJSON, marshal(wireAuthError{code, description})
	}
	return a
}

// issue is the OAuth2 token endpoint (RFC 6749). It gives no refresh token.
func (c *call) issue() answer {
	form, err := url.ParseQuery(string(c.body))
	if err != nil || mediaType(c.r.Header.Get("Content-Type")) != "application/x-www-form-urlencoded" {
		return oauthError(http.StatusBadRequest, "invalid_request", "the body must be a form")
	}
	id, secret, ok := c.r.BasicAuth()
	if ok { // RFC 6749, section 2.3.1: both are form-encoded first
		if u, err := url.QueryUnescape(id); err == nil {
			id = u
		}
		if u, err := url.QueryUnescape(secret); err == nil {
			secret = u
		}
	} else {
		id, secret = form.Get("client_id"), form.Get("client_secret")
	}
	var client Client
	var known bool
	c.s.read(func(st *state) { client, known = st.clients[id] })
	switch {
	case !known || client.Secret != secret:
		a := oauthError(http.StatusUnauthorized, "invalid_client", "unknown client or wrong secret")
		a.header.Set("WWW-Authenticate", `Basic realm="token"`)
		return a
	case client.Secret == "":
		return oauthError(http.StatusBadRequest, "unauthorized_client", "a client without a secret uses Basic and gets no token")
	}
	t := &token{lifetime: c.s.tokenLifetime()}
	switch form.Get("grant_type") {
	case "client_credentials":
		t.kind, t.clientID = clientToken, id
	case "password":
		t.kind = userToken
		found := false
		c.s.read(func(st *state) {
			for _, a := range st.applicants {
				if a.Username != "" && a.Username == form.Get("username") && a.Password == form.Get("password") {
					t.applicant, found = a.ID, true
				}
			}
		})
		if !found {
			return oauthError(http.StatusBadRequest, "invalid_grant", "unknown user or wrong password")
		}
	case "authorization_code":
		t.kind = userToken
		now := c.s.Now()
		found := false
		c.s.change(func(st *state) {
			got, ok := st.codes[form.Get("code")]
			if !ok {
				return
			}
			delete(st.codes, form.Get("code")) // once, also when it does not fit
			if got.clientID == id && (got.expires.IsZero() || now.Before(got.expires)) {
				t.applicant, found = got.applicant, true
			}
		})
		if !found {
			return oauthError(http.StatusBadRequest, "invalid_grant", "unknown, used or expired code")
		}
	case "":
		return oauthError(http.StatusBadRequest, "invalid_request", "grant_type is missing")
	default:
		return oauthError(http.StatusBadRequest, "unsupported_grant_type", "the grants are client_credentials, password and authorization_code")
	}
	value := c.s.addToken(t)
	a := jsonAnswer(wireToken{AccessToken: value, TokenType: "Bearer", ExpiresIn: int(t.lifetime / time.Second)})
	a.header = http.Header{"Cache-Control": {"no-store"}}
	return a
}

func oauthError(status int, code, description string) answer {
	return answer{
		status: status, contentType: typeJSON, body: marshal(wireAuthError{code, description}),
		header: http.Header{"Cache-Control": {"no-store"}},
	}
}
