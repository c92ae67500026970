package jobboard

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

const maxRedirects = 3

// RoundTrip makes one attempt; the loop calls it. Its error is a *failedAttempt.
func (c *call) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, failed := c.attempt(req)
	c.endProbe(false) // it got no answer
	if failed != nil {
		failed.call = c
		return nil, failed
	}
	c.succeeded(time.Now())
	c.watch.endAttempt(AttemptEnd{})
	return resp, nil
}

// attempt waits for permission, gets a credential, sends one request, follows
// redirects within the origin, and reads the answer to its end. accept has read
// a good answer, so nobody reads the body of the response that attempt returns.
func (c *call) attempt(req *http.Request) (*http.Response, *failedAttempt) {
	if !c.cost.Settle(time.Now()) {
		return nil, c.lastAttempt(StopBudget)
	}
	if err := c.stepIn(); err != nil {
		return nil, c.notAllowed(err)
	}
	if err := c.allow(); err != nil {
		return nil, c.notAllowed(err)
	}
	auth, failed := c.authorize(req)
	if failed != nil {
		return nil, failed
	}
	a := &c.first
	if c.last != nil {
		a = new(answer)
	}
	a.c = c
	resp, err := c.send(a, req, auth)
	if err != nil {
		return nil, c.notAnswered(a.exchange, err)
	}
	c.judge(auth, resp.StatusCode)
	a.resp = resp
	switch {
	case c.given != nil:
		resp, failed = passedAnswer, c.pass(a)
	default:
		if failed = c.read(a); failed == nil && c.op.stream {
			return resp, nil // whoever reads the stream closes it
		}
		a.Close()
	}
	if failed != nil && failed.outcome == expired && !c.renewedOnce {
		failed = c.renew(auth, failed)
	}
	return resp, failed
}

// stepIn waits for a place among the calls of a bulk call.
func (c *call) stepIn() error {
	if c.request.turn == nil {
		return nil
	}
	return c.untimed(c.request.turn.StepIn)
}

// allow asks Config.Limiter for one request. In a bulk call its wait does not count
// towards the minute of one job, because many other jobs may be let through first.
func (c *call) allow() (err error) {
	limiter := c.endpoint.config.Limiter
	switch {
	case limiter == nil:
		return nil
	case c.request.turn != nil:
		err = c.untimed(limiter.Wait)
	default:
		err = limiter.Wait(c.WaitContext())
	}
	if err != nil {
		return &limiterError{err}
	}
	return nil
}

// untimed makes a wait that does not count towards the time of a call without a
// deadline of its own.
func (c *call) untimed(wait func(context.Context) error) error {
	began := time.Now()
	err := wait(c.ctx)
	if _, own := c.ctx.Deadline(); !own {
		c.deadline = c.deadline.Add(time.Since(began))
	}
	return err
}

// authorize returns the authorization of the next request. A credential goes to
// its own origin and to nothing else: oauth2.Transport would send it wherever
// a redirect leads.
func (c *call) authorize(req *http.Request) (*credential.Authorization, *failedAttempt) {
	own := c.endpoint.credential
	if own.Header == nil {
		return &c.endpoint.anonymous, nil
	}
	if !c.endpoint.origin.Is(req.URL) {
		return nil, &failedAttempt{err: invalid("a credential of %s goes nowhere else", c.endpoint.origin.Host)}
	}
	if c.last != nil && c.last.fresh != nil {
		return c.last.fresh, nil
	}
	auth, err := own.Header(c)
	if err != nil {
		return nil, c.noToken(err)
	}
	c.secrets.Add(auth.Secret, auth.Client)
	return auth, nil
}

// send sends one request within its limits of time, or two where it is hedged. The
// exchange of a is then that of the answer.
func (c *call) send(a *answer, req *http.Request, auth *credential.Authorization) (*http.Response, error) {
	ctx, observed := c.watch.startAttempt(c.ctx, AttemptStart{Number: c.attempts + 1})
	x, limits := &a.first, c.limits(c.endpoint.config.Retry.AttemptTimeout)
	a.exchange = x
	x.Connections = c.endpoint.connections
	x.Begin(ctx, limits, c.endpoint.standard, !c.op.safe())
	sent := req.WithContext(x.Context())
	// Only net/http's own transport gets a header that other requests share: it
	// keeps the rule that a transport changes nothing.
	sent.Header = c.endpoint.headers.Whole(observed, c.request.kind, c.request.language, auth, c.endpoint.standard)
	if c.given != nil {
		sent.Header = c.headerGiven(observed, auth)
		if err := c.given.bodyGiven(x, sent); err != nil {
			_ = x.Close()
			return nil, err
		}
	}
	c.attempts++
	second := c.startHedge(x, req, auth, limits)
	answered := false
	defer func() {
		if !answered { // also where the limiter panics before a redirect is followed
			second.abandon()
			_ = x.Close()
		}
	}()
	resp, err := c.follow(x, sent)
	if second != nil {
		x, resp, err = second.settle(resp, err)
		a.exchange = x
	}
	if err != nil {
		return nil, x.Cause(err)
	}
	answered = true
	x.Receive(resp, c.op.stream && (resp.StatusCode == http.StatusOK || c.given != nil))
	c.watch.answered(resp, &c.secrets)
	tellHeader(c.ctx, sent.URL, resp.Header)
	return resp, nil
}

// limits returns the limits of an exchange that has some time left: those of its
// attempt, or of its call where that ends sooner.
func (c *call) limits(left time.Duration) transport.Limits {
	limits := transport.Limits{
		End: time.Now().Add(left), Cause: errAttemptTimeout, Stall: c.endpoint.config.Retry.StallTimeout,
	}
	if _, own := c.ctx.Deadline(); !own && c.deadline.Before(limits.End) { // the caller's context ends by itself
		limits.End, limits.Cause = c.deadline, errCallTimeout
	}
	return limits
}

// follow follows at most three redirects of a GET to the same origin.
func (c *call) follow(x *transport.Exchange, req *http.Request) (*http.Response, error) {
	for hops := 0; ; hops++ {
		resp, err := c.endpoint.next(req)
		if err == nil {
			err = transport.Complete(resp)
		}
		if err != nil {
			return nil, err
		}
		if c.given != nil { // its caller follows
			return resp, nil
		}
		target := c.endpoint.origin.Redirect(req.URL, resp)
		if target == nil || hops == maxRedirects || !c.op.safe() {
			return resp, nil
		}
		transport.Discard(resp.Body)
		if err := x.Pause(c.allow, c.limits); err != nil {
			return nil, err
		}
		next := *req
		next.URL = target
		req = &next
	}
}

// answer reads a response inside its attempt, within its bounds.
type answer struct {
	transport.Body
	exchange *transport.Exchange // of the response
	first    transport.Exchange
	c        *call
	resp     *http.Response
	whole    []byte // what bytes read
}

// bytes reads a small answer whole. It is valid until the call returns.
func (a *answer) bytes() ([]byte, error) {
	if a.c.buffer == nil {
		a.c.buffer = bodyBuffers.Get().(*bytes.Buffer)
	}
	a.c.buffer.Reset()
	_, err := a.c.buffer.ReadFrom(a)
	a.whole = a.c.buffer.Bytes()
	return a.whole, err
}

// read reads an answer inside its attempt, so that one that is cut off counts
// as failed. It returns nil for one that accept took.
func (c *call) read(a *answer) *failedAttempt {
	err := a.Open(a.exchange.Context(), a.resp, cmp.Or(c.endpoint.config.MaxBodyBytes, c.op.limit, smallAnswer))
	if a.resp.StatusCode > 299 { // transport.Complete refuses those under 200
		return c.refused(a, err)
	}
	if err == nil {
		err = c.take(a)
	}
	if err == nil {
		return nil
	}
	return c.unusable(a, err)
}

// take calls accept. If the call is watched, it measures the time that accept
// spends on other things than waiting for bytes.
func (c *call) take(a *answer) error {
	w := c.watch
	if w == nil {
		return c.accept(a)
	}
	start, before := time.Now(), a.exchange.Waited() // for the beginning of gzip
	err := c.accept(a)
	w.decode += time.Since(start) - (a.exchange.Waited() - before)
	return err
}
