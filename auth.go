package jobboard

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go/internal/transport"
	"golang.org/x/oauth2"
)

// authorization is what one request is sent with. nil: nothing.
type authorization struct {
	values []string // of the Authorization header
	secret string   // in them
}

func (a *authorization) header() []string {
	if a == nil {
		return nil
	}
	return a.values
}

// credential is what a slot sends (section 5). The zero value sends none. Its
// parts are functions, so that no printer that follows fields finds a secret.
type credential struct {
	// header gives what a request is sent with.
	header func(c *call) (*authorization, error)
	// renew replaces the rejected token; nil where nothing can.
	renew func(c *call, rejected string) error
	// constant says that header always gives the same.
	constant bool
}

// basic is HTTP Basic with the client identifier and an empty password: the
// colon after the identifier is part of it.
func basic(clientID string) credential {
	secret := base64.StdEncoding.EncodeToString([]byte(clientID + ":"))
	auth := &authorization{[]string{"Basic " + secret}, secret}
	return credential{header: func(c *call) (*authorization, error) {
		c.keepSecret(clientID)
		return auth, nil
	}, constant: true}
}

// bearer asks the source for every attempt. A caller never waits for it longer
// than its own time: a source of this package leaves with the context, any
// other runs in a goroutine, at most one a source.
func bearer(source oauth2.TokenSource, fetches *tokenFetches) credential {
	switch s := source.(type) {
	case staticToken:
		auth, err := bearerOf(&oauth2.Token{AccessToken: s.token()}, nil)
		return credential{header: func(*call) (*authorization, error) { return auth, err }, constant: err == nil}
	case renewingToken:
		return credential{
			header: func(c *call) (*authorization, error) { return bearerOf(s.get(c.waitContext(), "")) },
			renew: func(c *call, rejected string) error {
				_, err := s.get(c.waitContext(), rejected)
				return err
			},
		}
	}
	key := sourceKey(source)
	token := func(context.Context) (*oauth2.Token, error) { return source.Token() }
	return credential{
		header: func(c *call) (*authorization, error) {
			return bearerOf(fetches.do(c.waitContext(), key, token))
		},
		renew: func(c *call, rejected string) error {
			r, ok := source.(Renewer)
			if !ok {
				return nil // asked once more, as for every attempt
			}
			_, err := fetches.do(c.waitContext(), renewKey{key, rejected}, func(ctx context.Context) (*oauth2.Token, error) {
				return r.Renew(ctx, rejected)
			})
			return err
		},
	}
}

type renewKey struct {
	source   any
	rejected string
}

// sourceKey makes two uses of one source known as one.
func sourceKey(source oauth2.TokenSource) any {
	if reflect.ValueOf(source).Comparable() {
		return source
	}
	return new(byte)
}

// bearerOf returns the authorization for a token that a source gave.
func bearerOf(token *oauth2.Token, err error) (*authorization, error) {
	if err == nil {
		err = checkToken(token)
	}
	if err != nil {
		return nil, err
	}
	return &authorization{[]string{"Bearer " + token.AccessToken}, token.AccessToken}, nil
}

// authorize returns what the next request is sent with. A credential goes to
// its own origin and to nothing else: oauth2.Transport would send it wherever
// a redirect leads.
func (c *call) authorize(req *http.Request) (*authorization, error) {
	if auth := c.fresh; auth != nil {
		c.fresh = nil
		return auth, nil
	}
	if c.slot.credential.header == nil {
		return nil, nil //nolint:nilnil // a slot without a credential
	}
	if !c.slot.origin.Is(req.URL) {
		return nil, invalid("a credential of %s goes nowhere else", c.slot.origin.Host)
	}
	auth, err := c.slot.credential.header(c)
	if err != nil {
		return nil, err
	}
	c.keepSecret(auth.secret)
	return auth, nil
}

// tokenCause is what may be said and handed out of a token source's error. An
// OAuth2 client's error holds the whole answer of the token endpoint, and a
// URL's may hold the secret in it.
func tokenCause(err error) (detail string, cause error) {
	var retrieve *oauth2.RetrieveError
	if errors.As(err, &retrieve) {
		detail = "the token endpoint refused"
		if retrieve.ErrorCode != "" {
			detail += ": " + clean(retrieve.ErrorCode, 60)
		} else if retrieve.Response != nil {
			detail += " with status " + strconv.Itoa(retrieve.Response.StatusCode)
		}
		return detail, nil
	}
	var u *url.Error
	if errors.As(err, &u) {
		return "the token endpoint was not reached: " + clean(transport.CauseText(err), maxErrorCause), transport.SafeCause(err)
	}
	return clean(err.Error(), maxErrorCause), err
}
