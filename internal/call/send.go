package call

import (
	"errors"
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

// MaxRedirects is how many redirects an attempt follows.
const MaxRedirects = 3

// send sends one request within its time limits, and follows redirects. It returns the answer with
// its header.
func (c *Call) send(req *http.Request, auth *credential.Authorization) (*Answer, *Failure) {
	a := &c.first
	if c.last != nil {
		a = new(Answer)
	}
	a.call = c
	ctx, observed := c.owner.Begin(c.clock.ctx, c.history.attempts+1)
	x := &a.exchange
	x.Begin(ctx, c.limits(c.endpoint.Policy.AttemptTimeout), c.endpoint.Standard, !c.request.safe())
	c.current = a // closed if the limiter panics before a redirect
	sent := req.WithContext(x.Context())
	sent.Header = c.header(observed, auth)
	if g := c.request.Given; g != nil {
		if err := g.setBody(x, sent); err != nil {
			a.Close()
			return nil, c.lost(a, err)
		}
	}
	c.history.attempts++
	resp, err := c.follow(x, sent) //nolint:bodyclose // Answer.Close does
	if err != nil {
		err = x.Cause(err)
		a.Close()
		return nil, c.lost(a, err)
	}
	good := resp.StatusCode == http.StatusOK || c.request.Given != nil
	x.Receive(resp, c.request.Stream && good)
	a.Response, a.At = resp, time.Now()
	return a, nil
}

func (c *Call) limits(left time.Duration) transport.Limits {
	return c.clock.limits(left, c.endpoint.Policy.StallTimeout)
}

// header returns the header of an attempt; observed holds the fields that the owner adds. Only
// net/http's own transport gets a header that other requests share: it keeps the rule that a
// transport changes nothing.
func (c *Call) header(observed http.Header, auth *credential.Authorization) http.Header {
	e := c.endpoint
	if g := c.request.Given; g != nil {
		return g.header(e.Added(), observed, auth, e.UserAgent)
	}
	return e.Headers.Whole(observed, c.request.Kind, e.Added(), c.request.Language, auth, e.Standard)
}

// follow follows at most three redirects of a GET to the same origin.
func (c *Call) follow(x *transport.Exchange, req *http.Request) (*http.Response, error) {
	for hops := 0; ; hops++ {
		resp, err := c.endpoint.Next(req)
		if err == nil {
			err = transport.Complete(resp)
		}
		if err != nil {
			return nil, err
		}
		if c.request.Given != nil { // the user's http.Client follows redirects
			return resp, nil
		}
		target := c.endpoint.Origin.Redirect(req.URL, resp)
		if target == nil || hops == MaxRedirects || !c.request.safe() {
			resp.Request = req // an error says how Location differs from it
			return resp, nil
		}
		transport.Discard(resp.Body)
		if err := x.Pause(c.limit, c.limits); err != nil {
			return nil, err
		}
		next := *req
		next.URL = target
		req = &next
	}
}

// lost returns the failure of a request without a whole answer. The phase of its exchange decides
// what may follow.
func (c *Call) lost(a *Answer, err error) *Failure {
	var denied *limiterError
	if errors.As(err, &denied) {
		return c.notAllowed(denied)
	}
	x := &a.exchange
	loss := x.Loss(err)
	f := &Failure{
		Kind: Lost, Err: err, Late: loss.Timeout, Unsent: loss.Unsent,
		MayHaveExecuted: !c.request.safe() && !loss.Unsent,
	}
	if cause := c.clock.ctx.Err(); cause != nil {
		return ended(cause, f.MayHaveExecuted && x.Phase() != transport.Dialing)
	}
	switch {
	case loss.Passing && loss.Unsent:
		f.outcome = unsent
	case loss.Passing:
		f.outcome, f.resent = interrupted, x.Resent()
		if c.request.safe() && !loss.Timeout && x.Phase() == transport.Sending {
			f.outcome = silent
		}
	}
	return f
}
