package jobboardtest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The kinds of credentials of a request, besides the kinds of tokens.
const (
	credNone           = "none"
	credUnknown        = "unknown" // a bearer token nobody issued, or another scheme
	credBasic          = "basic"
	credBadBasic       = "bad basic"
	credApplication    = "application" // a client's identifier and secret at the token endpoint
	credBadApplication = "bad application"
)

// credential describes the credential of a request, never with its value.
type credential struct {
	kind      string // a constant above, or a kind of token
	says      string // its description in the journal
	clientID  string
	applicant int64
	expired   bool
	narrow    bool
	note      string // why a Basic credential or an application is refused
}

func (c credential) String() string { return c.says }

// identify reads the Authorization header. The lifetime of a user token begins
// anew.
func (s *core) identify(r *http.Request, v Variants) credential {
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	value = strings.TrimSpace(value)
	switch {
	case len(r.Header.Values("Authorization")) == 0:
		return credential{kind: credNone, says: "none"}
	case strings.EqualFold(scheme, "Basic"):
		return s.identifyBasic(value, v)
	}
	c := credential{kind: credUnknown, says: "unknown credential"}
	if !strings.EqualFold(scheme, "Bearer") {
		return c
	}
	now := s.clock.now()
	s.read(func(st *state) {
		if t, ok := st.tokens[value]; ok {
			c = t.credential(now)
			if c.kind == userToken && !c.expired {
				t.use(now)
			}
		}
	})
	return c
}

// credential describes a token at a time, by which it may have expired.
func (t *token) credential(now time.Time) credential {
	c := credential{
		kind: t.Kind, says: t.String(), clientID: t.ClientID, applicant: t.ApplicantID,
		narrow: t.Narrow, expired: !t.alive(now),
	}
	if c.kind == userToken {
		c.says += fmt.Sprintf(" of applicant %d", t.ApplicantID)
	}
	switch {
	case c.expired:
		c.says = "expired " + c.says
	case c.narrow:
		c.says = "narrow " + c.says
	}
	return c
}

func (s *core) identifyBasic(value string, v Variants) credential {
	bad := func(note string) credential {
		return credential{kind: credBadBasic, note: note, says: "bad basic (" + note + ")"}
	}
	id, password, colon, ok := parseBasic(value)
	if !ok {
		return bad("not base64")
	}
	client, known := s.application(id)
	switch {
	case !known:
		return bad("unknown client")
	case !colon && v.BasicNeedsColon:
		return bad("client " + id + " without the colon that section 5 requires")
	case client.Secret != "" && !v.ConfidentialBasic:
		return bad("confidential client " + id + ", which must use tokens")
	case client.Secret != password && client.Secret != "":
		return bad("client " + id + " with a wrong secret")
	case client.Secret != password:
		return bad("client " + id + " with a password, and it has none")
	}
	return credential{kind: credBasic, clientID: id, says: "basic client " + id}
}

// parseBasic reads the value of a Basic credential; without a colon the whole
// is the user name.
func parseBasic(value string) (id, password string, colon, ok bool) {
	raw, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return "", "", false, false
	}
	id, password, colon = strings.Cut(string(raw), ":")
	return id, password, colon, true
}

func (s *core) application(id string) (c ClientApp, known bool) {
	s.read(func(st *state) { c, known = st.clients[id] })
	return c, known
}

func (s *core) hasApplicant(id int64) (ok bool) {
	s.read(func(st *state) { _, ok = st.applicants[id] })
	return ok
}

// identifyApplication returns the client that calls the token endpoint. It
// reads Basic, with both parts form-encoded, or the form's client_id and
// client_secret (RFC 6749, section 2.3.1).
func (s *core) identifyApplication(r *http.Request, form url.Values, v Variants) credential {
	bad := func(note string) credential {
		return credential{kind: credBadApplication, note: note, says: "no client (" + note + ")"}
	}
	id, secret := form.Get("client_id"), form.Get("client_secret")
	plain := secret // before decoding
	if scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Basic") {
		user, password, colon, ok := parseBasic(strings.TrimSpace(value))
		switch {
		case !ok:
			return bad("its Basic credential is not base64")
		case !colon && v.BasicNeedsColon:
			return bad("its Basic credential is without the colon that section 5 requires")
		}
		id, secret, plain = unescaped(user), unescaped(password), password
	}
	client, known := s.application(id)
	if plain == client.Secret {
		secret = plain // many clients, such as curl -u, do not encode it
	}
	switch {
	case id == "":
		return bad("none is named")
	case !known:
		return bad("unknown client")
	case secret == "" && client.Secret != "":
		return bad("client " + id + " without its secret")
	case secret != client.Secret && client.Secret == "":
		return bad("client " + id + " with a secret, and it has none")
	case secret != client.Secret:
		return bad("client " + id + " with a wrong secret")
	}
	return credential{kind: credApplication, clientID: id, says: "client " + id}
}

func unescaped(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

// addToken issues a token and returns its value.
func (s *core) addToken(t Token, lifetime time.Duration) string {
	t.Value, t.Lifetime = newHex(), lifetime.String()
	n := &token{Token: t, lifetime: lifetime}
	n.use(s.clock.now())
	s.change(func(st *state) { st.tokens[t.Value] = n })
	return t.Value
}

func (s *core) tokenLifetime() time.Duration {
	if n := s.variants.Load().TokenSeconds; n > 0 {
		return time.Duration(n) * time.Second
	}
	return time.Hour
}

// codeLifetime leaves time for a redirect and a request.
const codeLifetime = time.Minute

// addCode issues an authorization code and returns its value.
func (s *core) addCode(c Code) string {
	c.Value, c.Expires = newHex(), s.stamp().Add(codeLifetime)
	s.change(func(st *state) { st.codes[c.Value] = c })
	return c.Value
}
