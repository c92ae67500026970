// Package credential holds what requests are authorized with, and the headers
// made of it. A [Keeper] keeps the token of one source as long as it is known to
// be valid, fetches another ahead of its end, and replaces one that the service
// rejects.
package credential

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
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

	keeperDoubt *atomic.Bool // the field doubt of its Keeper; nil: it has none
	inDoubt     atomic.Bool  // it replaced a rejected token, and the service has not taken it yet
}

func authorize(token *oauth2.Token) (*Authorization, error) {
	if err := Check(token); err != nil {
		return nil, err
	}
	return &Authorization{values: []string{"Bearer " + token.AccessToken}, Secret: token.AccessToken, token: *token}, nil
}

// InDoubt reports whether the token was fetched after another one was rejected,
// and the service has not taken it yet.
func (a *Authorization) InDoubt() bool { return a.inDoubt.Load() }

// Answered ends the doubt about a token and its keeper if the status of an answer
// says that the service took the token: 2xx, or 4xx other than 401 and 429.
func (a *Authorization) Answered(status int) {
	if a.keeperDoubt == nil || !a.inDoubt.Load() && !a.keeperDoubt.Load() {
		return
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusTooManyRequests:
	case status/100 == 2, status/100 == 4:
		a.inDoubt.Store(false)
		a.keeperDoubt.Store(false)
	}
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
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != ""
}
