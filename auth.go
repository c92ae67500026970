package jobboard

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// credential is what a slot sends (section 5). The zero value sends none. Its
// parts are functions, so that no printer that follows fields finds a secret.
type credential struct {
	// header gives the Authorization values and the secret in them.
	header func(c *call) (values []string, secret string, err error)
	// renew replaces the rejected token; nil where nothing can.
	renew func(c *call, rejected string) error
}

// basic is HTTP Basic with the client identifier and an empty password: the
// colon after the identifier is part of it.
func basic(clientID string) credential {
	secret := base64.StdEncoding.EncodeToString([]byte(clientID + ":"))
	values := []string{"Basic " + secret}
	return credential{header: func(c *call) ([]string, string, error) {
		c.secrets = append(c.secrets, clientID)
		return values, secret, nil
	}}
}

// bearer asks the source for every attempt. A caller never waits for it longer
// than its own time: a source of this package leaves with the context, any
// other runs in a goroutine, at most one a source.
func bearer(source oauth2.TokenSource, fetches *tokenFetches) credential {
	switch s := source.(type) {
	case staticToken:
		token, values := s.token, []string{"Bearer " + s.token()}
		err := checkToken(&oauth2.Token{AccessToken: token()})
		return credential{header: func(*call) ([]string, string, error) { return values, token(), err }}
	case renewingToken:
		return credential{
			header: func(c *call) ([]string, string, error) { return c.authorization(s.get(c.waitContext(), "")) },
			renew: func(c *call, rejected string) error {
				_, err := s.get(c.waitContext(), rejected)
				return err
			},
		}
	}
	key := sourceKey(source)
	token := func(context.Context) (*oauth2.Token, error) { return source.Token() }
	return credential{
		header: func(c *call) ([]string, string, error) {
			return c.authorization(fetches.do(c.waitContext(), key, token))
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

// authorization is the header for a token that a source gave.
func (c *call) authorization(token *oauth2.Token, err error) ([]string, string, error) {
	if err == nil {
		err = checkToken(token)
	}
	if err != nil {
		return nil, "", err
	}
	return []string{"Bearer " + token.AccessToken}, token.AccessToken, nil
}

// waitContext bounds the wait for a token by the caller's context, and by the
// time of a call where that has no deadline.
func (c *call) waitContext() context.Context {
	if _, ok := c.Deadline(); ok || c.op.stream {
		return c.Context
	}
	var ctx context.Context
	if c.cancel != nil {
		c.cancel()
	}
	ctx, c.cancel = context.WithDeadlineCause(c.Context, c.deadline, errCallTimeout)
	return ctx
}

// slotTransport adds a slot's credential to what goes to the slot's origin,
// and to nothing else. oauth2.Transport would send it wherever a redirect
// leads.
type slotTransport struct {
	origin origin
	credential
	next roundTrip
}

// roundTrip is a transport that nobody can look into.
type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip is one attempt: one request, and one more where the service says
// that the token expired and there is another.
func (t *slotTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	c := callOf(req.Context())
	c.begin()
	values, secret, err := t.authorize(c, req)
	if err != nil {
		return nil, err
	}
	resp, err := t.send(c, req, values)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || t.renew == nil {
		return resp, err
	}

	body, err := keepBody(resp)
	if err != nil || !readWords(c.op, resp.StatusCode, resp.Header, body).tokenExpired() || c.renewed {
		return resp, nil
	}
	c.renewed = true
	fresh, err := t.another(c, req, secret)
	switch {
	case c.Err() != nil:
		_ = resp.Body.Close()
		return nil, c.Err()
	case err != nil || fresh == nil:
		c.outcome = nil // the 401 is the answer
		return resp, nil
	}
	_ = resp.Body.Close()
	return t.send(c, req, fresh)
}

// another gives the header with another token than the rejected one, or nil
// where there is none, and makes the request ready to be sent again.
func (t *slotTransport) another(c *call, req *http.Request, rejected string) ([]string, error) {
	if err := t.renew(c, rejected); err != nil {
		return nil, err
	}
	values, secret, err := t.authorize(c, req)
	if err != nil || secret == rejected {
		return nil, err
	}
	if req.GetBody != nil {
		req.Body, err = req.GetBody()
	}
	return values, err
}

func (t *slotTransport) authorize(c *call, req *http.Request) ([]string, string, error) {
	if t.header == nil {
		return nil, "", nil
	}
	if !t.origin.is(req.URL) {
		c.outcome = &outcome{err: invalid("a credential of %s goes nowhere else", t.origin.host)}
		return nil, "", c.outcome.err
	}
	values, secret, err := t.header(c)
	if err != nil {
		c.outcome = c.tokenFailure(err)
		return nil, "", err
	}
	c.secrets = append(c.secrets, secret)
	return values, secret, nil
}

// tokenFailure is the outcome where there is nothing to send with.
func (c *call) tokenFailure(err error) *outcome {
	if cause := c.Err(); cause != nil {
		return c.contextFailure(cause)
	}
	kind := ErrToken
	if !time.Now().Before(c.deadline) {
		kind = ErrTimeout
	}
	detail, cause := tokenCause(err)
	return &outcome{err: &failure{kind: kind, detail: c.scrub(detail), cause: cause}}
}

// keepBody reads the bounded beginning of an answer and puts it back. What it
// gives is decompressed.
func keepBody(resp *http.Response) ([]byte, error) {
	body, whole, err := readBounded(resp.Body, maxErrorBody)
	rest := io.Reader(bytes.NewReader(body))
	if !whole {
		rest = io.MultiReader(rest, resp.Body)
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{rest, resp.Body}
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		if z, e := gzip.NewReader(bytes.NewReader(body)); e == nil {
			body, _, _ = readBounded(z, maxErrorBody)
		}
	}
	return body, err
}
