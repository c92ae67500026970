// Package credential holds what requests are authorized with, and the headers
// made of it. A [Cache] keeps the token of one source as long as it is known to
// be valid, fetches another ahead of its end, and replaces one that the service
// rejects. A token's way: a Cache asks the source, authorize makes an
// [Authorization] of the token, and [Headers.Whole] puts that into a header.
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

// Waiter bounds a wait for a token by a context, which a call makes only where it
// has to wait.
type Waiter interface{ WaitContext() context.Context }

// Credential gives requests their authorization (section 5). In the zero value
// Header is nil: requests are sent without one. Its parts are functions, so that no
// printer that follows fields finds a secret.
type Credential struct {
	// Header returns what a request is sent with.
	Header func(w Waiter) (*Authorization, error)
	// Renew returns another than the rejected one; nil where nothing can.
	Renew func(w Waiter, rejected string) (*Authorization, error)
}

// Basic returns HTTP Basic with the client identifier and an empty password: the
// encoded text includes the colon after the identifier.
func Basic(clientID string) Credential {
	secret := base64.StdEncoding.EncodeToString([]byte(clientID + ":"))
	return always(&Authorization{values: []string{"Basic " + secret}, Secret: secret, Client: clientID}, nil)
}

// Bearer returns the credential of one token, which nothing can renew. If the token
// cannot be sent, Header returns the error of Check.
func Bearer(token *oauth2.Token) Credential { return always(authorize(token)) }

func always(auth *Authorization, err error) Credential {
	return Credential{Header: func(Waiter) (*Authorization, error) { return auth, err }}
}

// Authorization holds what a request is sent with, and the headers made of it.
// The zero value sends nothing.
type Authorization struct {
	Secret string // in the Authorization header
	Client string // the identifier that Secret was made of, and as secret; empty: none

	values []string     // of the Authorization header; nil: none
	token  oauth2.Token // where they came from
	until  time.Time    // known to be valid, apart from what the service says
	ahead  time.Time    // when another is to be fetched in the background; zero: never
	whole  wholeHeaders

	cache *Cache      // nil: it has none
	taken atomic.Bool // the service has taken the token
}

func authorize(token *oauth2.Token) (*Authorization, error) {
	if err := Check(token); err != nil {
		return nil, err
	}
	return &Authorization{values: []string{"Bearer " + token.AccessToken}, Secret: token.AccessToken, token: *token}, nil
}

// Put puts the authorization in the place of any that a header has. It changes nothing
// if there is none.
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
		return errors.New("the token source gave none")
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

// Headers holds a header for each kind of request. Nothing changes them.
type Headers [kinds]http.Header

// NewHeaders returns the headers of a client; language may be empty.
func NewHeaders(agent, language string, compressed bool) (all Headers) {
	encoding := "gzip"
	if !compressed {
		encoding = "identity" // without a word net/http would ask for gzip itself
	}
	all[Plain] = http.Header{
		"Accept":          {"application/json, text/plain;q=0.9, */*;q=0.8"},
		"Accept-Encoding": {encoding},
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

// wholeHeaders keeps, for one credential, a complete header of each kind.
type wholeHeaders [kinds]atomic.Pointer[wholeHeader]

// wholeHeader holds a complete header that is the same from one call to the
// next.
type wholeHeader struct {
	of     *Headers // of the client: several may have one credential
	header http.Header
}

// Whole returns the header of a request, made of the observer's, the kind's and
// the credential's, where the later replaces the earlier. With share it returns
// one header for all requests that observe nothing and give no language, so that
// theirs is the client's; a transport must not change that header.
func (all *Headers) Whole(observed http.Header, kind Kind, language string, auth *Authorization, share bool) http.Header {
	share = share && observed == nil && language == ""
	if share {
		if w := auth.whole[kind].Load(); w != nil && w.of == all {
			return w.header
		}
	}
	h := make(http.Header, len(observed)+len(all[kind])+2)
	maps.Copy(h, observed)
	maps.Copy(h, all[kind])
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
