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
	if failed != nil {
		failed.call = c
		return nil, failed
	}
	c.succeeded(time.Now())
	c.watch.endAttempt(AttemptEnd{})
	return resp, nil
}

// attempt waits for permission, gets a credential, sends one request, follows redirects within the
// origin, and reads the answer to its end. By then accept has read a good answer, so the loop must
// not read the response's body.
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
			return resp, nil // PostingStream closes the answer
		}
		a.Close()
	}
	if failed != nil && failed.outcome == expired && !c.renewedOnce {
		failed = c.renew(auth, failed)
	}
	return resp, failed
}

// stepIn waits until fewer than Concurrency jobs of the bulk call run.
func (c *call) stepIn() error {
	if c.request.turn == nil {
		return nil
	}
	return c.untimed(c.request.turn.StepIn)
}

// allow asks Config.Limiter for one request. In a bulk call the time of this wait does not count
// towards callTimeout, because the Limiter may admit many other jobs first.
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

// untimed calls wait and moves the end of the call by the time that wait took, unless the caller's
// context has a deadline.
func (c *call) untimed(wait func(context.Context) error) error {
	began := time.Now()
	err := wait(c.ctx)
	if _, own := c.ctx.Deadline(); !own {
		c.deadline = c.deadline.Add(time.Since(began))
	}
	return err
}

// authorize returns the authorization of the next request. It refuses a request to another origin
// than the credential's: oauth2.Transport would send the credential wherever a redirect leads.
func (c *call) authorize(req *http.Request) (*credential.Authorization, *failedAttempt) {
	own := c.endpoint.credential
	if own.Header == nil {
		return &c.endpoint.anonymous, nil
	}
	if !c.endpoint.origin.Is(req.URL) {
		return nil, &failedAttempt{err: invalid("the credential of %s goes to no other address", c.endpoint.origin.Host)}
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

// send sends one request within its time limits, and sets a.exchange.
func (c *call) send(a *answer, req *http.Request, auth *credential.Authorization) (*http.Response, error) {
	ctx, observed := c.watch.startAttempt(c.ctx, AttemptStart{Number: c.attempts + 1})
	x, limits := &a.first, c.limits(c.endpoint.retry.AttemptTimeout)
	a.exchange = x
	x.Begin(ctx, limits, c.endpoint.standard, !c.op.safe())
	sent := req.WithContext(x.Context())
	// Only net/http's own transport gets a header that other requests share: it
	// keeps the rule that a transport changes nothing.
	sent.Header = c.endpoint.headers.Whole(observed, c.request.kind, c.endpoint.added(), c.request.language, auth, c.endpoint.standard)
	if c.given != nil {
		sent.Header = c.headerGiven(observed, auth)
		if err := c.given.bodyGiven(x, sent); err != nil {
			_ = x.Close()
			return nil, err
		}
	}
	c.attempts++
	a.began = c.logRequest()
	answered := false
	defer func() {
		if !answered { // also if the limiter panics before a redirect
			_ = x.Close()
		}
	}()
	resp, err := c.follow(x, sent)
	if err != nil {
		return nil, x.Cause(err)
	}
	answered = true
	x.Receive(resp, c.op.stream && (resp.StatusCode == http.StatusOK || c.given != nil))
	c.watch.answered(resp, &c.secrets)
	return resp, nil
}

// limits returns the time limits of an exchange: left from now on, or the rest of the call if less
// time remains.
func (c *call) limits(left time.Duration) transport.Limits {
	limits := transport.Limits{
		End: time.Now().Add(left), Cause: errAttemptTimeout, Stall: c.endpoint.retry.StallTimeout,
	}
	if _, own := c.ctx.Deadline(); !own && c.deadline.Before(limits.End) { // ctx ends at the caller's deadline
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
		if c.given != nil { // the user's http.Client follows redirects
			return resp, nil
		}
		target := c.endpoint.origin.Redirect(req.URL, resp)
		if target == nil || hops == maxRedirects || !c.op.safe() {
			resp.Request = req // the error says how Location differs from it
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
	exchange *transport.Exchange // the exchange that received resp
	first    transport.Exchange
	began    time.Time // when the request was logged; zero: the Logger wants no such records
	c        *call
	resp     *http.Response
	whole    []byte // the body that bytes has read
}

// Close ends reading and the exchange, and logs the answer.
func (a *answer) Close() {
	a.Body.Close()
	a.c.logAnswer(a)
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

// read reads the answer during the attempt, so that a truncated answer counts as a failed attempt.
// It returns nil if accept took the answer.
func (c *call) read(a *answer) *failedAttempt {
	err := a.Open(a.exchange.Context(), a.resp, cmp.Or(c.endpoint.config.MaxBodyBytes, c.op.limit, smallAnswer))
	if a.resp.StatusCode > 299 { // transport.Complete refuses a status under 200
		return c.refused(a, err)
	}
	switch {
	case err != nil:
	case a.resp.StatusCode == http.StatusPartialContent: // a part of an identifier looks like a whole one
		err = errUndecodable("only a part of an answer, which nobody asked for")
	default:
		err = c.take(a)
	}
	if err == nil {
		return nil
	}
	return c.unusable(a, err)
}

// take calls accept. For an Observer it measures how long accept decodes, without the time that
// accept waits for bytes.
func (c *call) take(a *answer) error {
	w := c.watch
	if w == nil {
		return c.accept(a)
	}
	start, before := time.Now(), a.exchange.Waited() // Open has waited for the header of gzip
	err := c.accept(a)
	w.decode += time.Since(start) - (a.exchange.Waited() - before)
	return err
}
