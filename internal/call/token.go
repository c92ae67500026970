package call

import (
	"net/url"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/credential"
)

// token is what a call knows of the credential that it sends.
type token struct {
	sent    *credential.Authorization // with the last request
	fresh   *credential.Authorization // the renewed token for the next attempt; nil: none
	renewed bool                      // the call has renewed its token, which it may do once
}

// authorize returns the authorization of the next request. It refuses a request to another origin
// than the credential's: oauth2.Transport would send the credential wherever a redirect leads.
func (c *Call) authorize(target *url.URL) (*credential.Authorization, *Failure) {
	own := &c.endpoint.Credential
	if own.Header == nil {
		return &c.endpoint.Anonymous, nil
	}
	if !c.endpoint.Origin.Is(target) {
		return nil, &Failure{Kind: Elsewhere}
	}
	if auth := c.token.fresh; auth != nil {
		c.token.fresh = nil
		return auth, nil
	}
	auth, err := own.Header(&c.clock)
	if err != nil {
		return nil, c.noToken(err)
	}
	c.Secrets.Add(auth.Secret, auth.Client)
	return auth, nil
}

// noToken returns the failure of a request that has no token to send.
func (c *Call) noToken(err error) *Failure {
	if cause := c.clock.ctx.Err(); cause != nil {
		return ended(cause, false)
	}
	return &Failure{Kind: NoToken, Err: err, Late: !time.Now().Before(c.clock.end)}
}

// answered notes what the status of an answer says about the token, for its source and for the
// origin.
func (c *Call) answered(auth *credential.Authorization, status int) {
	c.token.sent = auth
	switch auth.Answered(status) {
	case credential.Accepted:
		c.endpoint.Budget.SetCredentialsRefused(false)
	case credential.Refused:
		c.endpoint.Budget.SetCredentialsRefused(true)
	}
}

// renew asks the token source, once in a call, for a token in place of the one that f calls expired.
// If the source gives a different token, the next attempt sends it, unless the service is likely to
// refuse that token too: a service that refuses every token should get hardly more than one request
// a call. The call then ends with its 401, and the next call's first attempt sends the new token.
func (c *Call) renew(f *Failure) {
	if c.token.renewed {
		return
	}
	c.token.renewed = true
	rejected := c.token.sent
	fresh, err := c.endpoint.Credential.Renew(&c.clock, rejected.Secret)
	switch {
	case c.clock.ctx.Err() != nil:
		f.Answer.Close()
		*f = *ended(c.clock.ctx.Err(), !c.request.safe())
		f.call = c
	case err != nil:
		f.Kind, f.Err = NotRenewed, err
	case fresh.Secret != rejected.Secret && !fresh.Withheld(c.endpoint.Budget.CredentialsRefused()):
		c.Secrets.Add(fresh.Secret)
		c.token.fresh, f.outcome = fresh, renewed
	}
}
