// Package credential makes the Authorization of requests, and their headers. A [Cache] keeps the
// token of one source until shortly before its Expiry, fetches the next token ahead of time, and
// replaces a token that the service rejects. A token takes three steps: a Cache fetches it from
// the source, authorize makes an [Authorization] of it, and [Headers.Whole] puts the
// Authorization into a header.
package credential

import (
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"
)

// Waiter gives the context that bounds a wait for a token. A call makes this context only if it has
// to wait.
type Waiter interface{ WaitContext() context.Context }

// Credential gives requests their authorization (section 5). In the zero value Header is nil:
// requests have no credential. The fields are functions, because fmt cannot print the secrets
// inside functions.
type Credential struct {
	// Header returns the authorization of a request.
	Header func(w Waiter) (*Authorization, error)
	// Renew returns an authorization with a token other than rejected; nil: the credential cannot
	// be renewed.
	Renew func(w Waiter, rejected string) (*Authorization, error)
}

// Basic returns HTTP Basic with the client identifier and an empty password: the
// encoded text includes the colon after the identifier.
func Basic(clientID string) Credential {
	secret := base64.StdEncoding.EncodeToString([]byte(clientID + ":"))
	return always(&Authorization{values: []string{"Basic " + secret}, Secret: secret, Client: clientID}, nil)
}

// Bearer returns the credential of a fixed token. If the token cannot be sent, Header
// returns the error of Check.
func Bearer(token *oauth2.Token) Credential { return always(authorize(token)) }

func always(auth *Authorization, err error) Credential {
	return Credential{Header: func(Waiter) (*Authorization, error) { return auth, err }}
}

// Authorization holds what a request is sent with, and the headers made of it.
// The zero value sends nothing.
type Authorization struct {
	Secret string // the token or the encoded client identifier
	Client string // the client identifier inside Secret, also secret; empty: none

	values []string     // value of the Authorization header; nil: no header
	token  oauth2.Token // the token of the header
	until  time.Time    // the Cache returns the token until then
	ahead  time.Time    // when a background fetch begins; zero: never
	whole  wholeHeaders

	cache    *Cache // nil: a fixed token or client identifier. Its mutex guards the next two.
	renewed  bool   // a call has got the token in place of a rejected one
	accepted bool   // the service has accepted the token
}

func authorize(token *oauth2.Token) (*Authorization, error) {
	if err := Check(token); err != nil {
		return nil, err
	}
	return &Authorization{values: []string{"Bearer " + token.AccessToken}, Secret: token.AccessToken, token: *token}, nil
}

// Put replaces the Authorization of a header. Without a credential it leaves the header unchanged.
func (a *Authorization) Put(h http.Header) {
	if a.values == nil {
		return
	}
	for name := range h {
		if strings.EqualFold(name, "Authorization") {
			delete(h, name)
		}
	}
	h["Authorization"] = a.values
}

// Check returns an error that says why a token cannot be sent, or nil.
func Check(t *oauth2.Token) error {
	switch {
	case t == nil:
		return errors.New("the token source returned no token")
	case t.AccessToken == "":
		return errors.New("the access token is empty")
	case !IsVisible(t.AccessToken):
		return errors.New("the access token has a character that no header may hold")
	case !t.Expiry.IsZero() && !t.Expiry.After(time.Now()):
		return errors.New("the access token is expired")
	}
	return nil
}

// IsVisible reports whether s consists of one or more printable ASCII characters
// without spaces.
func IsVisible(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// Kind names one of the headers that requests share.
type Kind int

// The kinds.
const (
	Plain    Kind = iota
	Search        // with Accept-Language
	WithBody      // with Content-Type
	kinds
)

// Headers holds a header for each kind of request. It is read-only after NewHeaders.
type Headers [kinds]http.Header

// NewHeaders returns the headers of a client; language may be empty.
func NewHeaders(agent, language string) (all Headers) {
	all[Plain] = http.Header{
		"Accept":          {"application/json, text/plain;q=0.9, */*;q=0.8"},
		"Accept-Encoding": {"gzip"},
		"User-Agent":      {agent},
	}
	all[WithBody] = all[Plain].Clone()
	all[WithBody]["Content-Type"] = []string{"application/json"}
	all[Search] = all[WithBody].Clone()
	if language != "" {
		all[Search]["Accept-Language"] = []string{language}
	}
	return all
}

// wholeHeaders caches a complete header of each kind for one credential.
type wholeHeaders [kinds]atomic.Pointer[wholeHeader]

// wholeHeader holds a complete header that many calls share.
type wholeHeader struct {
	of     *Headers // the client's headers: several clients may share a credential
	header http.Header
}

// Whole returns the header of a request: the observer's fields, replaced by the fields of the kind,
// replaced by the added fields, the language and the credential. If share is set, requests without
// fields of an observer, added fields and a language of their own get one shared header, which the
// transport must not change.
func (all *Headers) Whole(
	observed http.Header, kind Kind, added http.Header, language string, auth *Authorization, share bool,
) http.Header {
	share = share && observed == nil && added == nil && language == ""
	if share {
		if w := auth.whole[kind].Load(); w != nil && w.of == all {
			return w.header
		}
	}
	h := make(http.Header, len(observed)+len(all[kind])+len(added)+2)
	maps.Copy(h, observed)
	maps.Copy(h, all[kind])
	maps.Copy(h, added)
	if language != "" {
		h["Accept-Language"] = []string{language}
	}
	delete(h, "Authorization")
	if auth.values != nil {
		h["Authorization"] = auth.values
	}
	if share {
		auth.whole[kind].Store(&wholeHeader{all, h})
	}
	return h
}
