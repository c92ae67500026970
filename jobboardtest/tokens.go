package jobboardtest

import (
	"sync/atomic"
	"time"
)

// ClientApp describes an application that talks to the service. Without a secret it is
// public and uses Basic with its identifier; with a secret it is confidential and must
// use tokens.
type ClientApp struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"`

	// RedirectURIs lists the addresses that the authorize page may send an applicant
	// back to, compared as texts. If the list is empty, every loopback address is
	// allowed.
	RedirectURIs []string `json:"redirect_uris,omitempty"`
}

// String hides the secret.
func (c ClientApp) String() string { return "client " + c.ID }

// GoString hides the secret.
func (c ClientApp) GoString() string { return c.String() }

// Token holds an access token in a State.
type Token struct {
	Value       string    `json:"value"`
	Kind        string    `json:"kind"` // "client", "user" or "lookup"
	ClientID    string    `json:"client_id,omitempty"`
	ApplicantID int64     `json:"applicant_id,omitempty"`
	Lifetime    string    `json:"lifetime,omitempty"` // such as "1h"; empty: it never expires
	Since       time.Time `json:"since,omitzero"`     // issue, or last use of a user's token; absent: now
	Narrow      bool      `json:"narrow,omitempty"`   // requests with it get 403 and insufficient_scope
	Expired     bool      `json:"expired,omitempty"`
}

// String hides the value.
func (t Token) String() string { return t.Kind + " token" }

// GoString hides the value.
func (t Token) GoString() string { return t.String() }

// Code is an authorization code (RFC 6749, section 4.1), which can be used
// once.
type Code struct {
	Value       string    `json:"value"`
	ClientID    string    `json:"client_id"`
	ApplicantID int64     `json:"applicant_id"`
	Expires     time.Time `json:"expires,omitzero"`         // absent: never
	RedirectURI string    `json:"redirect_uri,omitempty"`   // the address that the code was sent to; absent: any
	Challenge   string    `json:"code_challenge,omitempty"` // of PKCE, S256; absent: no verifier is needed
}

// String hides the value.
func (Code) String() string { return "authorization code" }

// GoString hides the value.
func (c Code) GoString() string { return c.String() }

// The values of Token.Kind.
const (
	clientToken = "client"
	userToken   = "user"
	lookupToken = "lookup"
)

// token is an access token. A client's lives from its issue, a user's from its
// last use.
type token struct {
	Token                  // Since is unused; see the field used
	lifetime time.Duration // 0: never expires
	used     atomic.Int64  // issue or last use, in microseconds since the epoch
}

func (t *token) use(at time.Time) { t.used.Store(at.UnixMicro()) }

// since returns the time of the issue or the last use.
func (t *token) since() time.Time { return time.UnixMicro(t.used.Load()).UTC() }

func (t *token) alive(now time.Time) bool {
	return !t.Expired && (t.lifetime == 0 || now.Sub(t.since()) < t.lifetime)
}
