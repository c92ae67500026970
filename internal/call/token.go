package call

import (
	"net/url"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/credential"
)

// token is what a call knows of the tokens that it sends.
type token struct {
	sent    *credential.Authorization // with the last request
	fresh   *credential.Authorization // the renewed token for the next request; nil: none
	renewed bool                      // the call has renewed its token, which it may do once
}

// authorize returns the authorization of the next request, or the failure of a request that has none.
// It refuses a request to another origin than the credential's: oauth2.Transport would send the
// credential wherever a redirect leads.
func (t *token) authorize(e *Endpoint, k *clock, target *url.URL) (*credential.Authorization, *Failure) {
	if e.Credential.Header == nil {
		return &e.Anonymous, nil
	}
	if !e.Origin.Is(target) {
		return nil, &Failure{Kind: Elsewhere}
	}
	if auth := t.fresh; auth != nil {
		t.fresh = nil
		return auth, nil
	}
	auth, err := e.Credential.Header(k)
	switch {
	case err == nil:
		return auth, nil
	case k.ctx.Err() != nil:
		return nil, ended(k.ctx.Err(), false)
	}
	return nil, &Failure{Kind: NoToken, Err: err, Late: !time.Now().Before(k.end)}
}

// answered notes what the status of an answer says about the token that its request carried, for the
// token's source and for the origin.
func (t *token) answered(e *Endpoint, auth *credential.Authorization, status int) {
	t.sent = auth
	switch auth.Answered(status) {
	case credential.Accepted:
		e.Budget.SetCredentialsRefused(false)
	case credential.Refused:
		e.Budget.SetCredentialsRefused(true)
	}
}

// renew asks the token source, once in a call, for a token in place of the one that an answer called
// expired. It reports whether the next request sends it: that is so if the token is a different one,
// and if the service is not likely to refuse it too, because a service that refuses every token
// should get hardly more than one request a call. Otherwise the call ends with its 401, and the next
// call's first request sends the new token.
func (t *token) renew(e *Endpoint, k *clock) (again bool, err error) {
	if t.renewed {
		return false, nil
	}
	t.renewed = true
	fresh, err := e.Credential.Renew(k, t.sent.Secret)
	if err != nil || fresh.Secret == t.sent.Secret || fresh.Withheld(e.Budget.CredentialsRefused()) {
		return false, err
	}
	t.fresh = fresh
	return true, nil
}
