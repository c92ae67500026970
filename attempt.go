package jobboard

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/refusal"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

const maxRedirects = 3

// failedAttempt describes an attempt without a usable answer, and what may
// follow it. An attempt hands it to the loop as its error.
type failedAttempt struct {
	call       *call
	err        error // the condition, with its cause; nil: an answer the interface does not name
	status     int
	words      refusal.Words
	body       []byte
	retryAfter time.Duration
	event      event
	stopped    StopReason // why there is no other attempt, where that is known already
	expired    bool       // the answer called the token expired, and the source can renew
	unclear    bool       // the service may have executed the call
	ended      bool       // the caller's context ended it
}

func (f *failedAttempt) Error() string {
	if f.err == nil {
		return "an answer without a named condition"
	}
	return f.err.Error()
}

// RoundTrip makes one attempt; the loop calls it. Its error is a *failedAttempt.
func (c *call) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, failed := c.attempt(req)
	if failed != nil {
		failed.call = c
		return nil, failed
	}
	c.succeeded(time.Now())
	c.endAttempt(AttemptEnd{})
	return resp, nil
}

// attempt waits for permission, gets a credential, sends one request, follows
// redirects within the origin, and reads the answer to its end. accept has read
// a good answer, so the response that attempt returns has no body.
func (c *call) attempt(req *http.Request) (*http.Response, *failedAttempt) {
	if c.request.turn != nil {
		if err := c.stepIn(); err != nil {
			return nil, c.notAllowed(err)
		}
	}
	if err := c.allow(); err != nil {
		return nil, c.notAllowed(err)
	}
	auth, err := c.authorize(req)
	if err != nil {
		return nil, c.noToken(err)
	}
	a := &answer{c: c}
	resp, err := c.send(&a.exchange, req, auth)
	if err != nil {
		return nil, c.notAnswered(&a.exchange, err)
	}
	auth.answered(resp.StatusCode)
	a.status, a.header, a.framed = resp.StatusCode, resp.Header, transport.Framed(resp)
	failed := c.read(a, resp)
	resp.Body = http.NoBody
	if failed == nil && c.op.stream {
		return resp, nil // whoever reads the stream closes it
	}
	a.Close()
	if failed != nil && failed.expired && !c.renewed {
		failed = c.renew(auth, failed)
	}
	return resp, failed
}

// stepIn waits for a place among the calls of a bulk call. The wait does not
// count towards the time of a call without a deadline of its own.
func (c *call) stepIn() error {
	began := time.Now()
	err := c.request.turn.StepIn(c.ctx)
	if _, own := c.ctx.Deadline(); !own {
		c.deadline = c.deadline.Add(time.Since(began))
	}
	return err
}

// allow asks Config.Limiter for one request.
func (c *call) allow() error {
	if c.slot.config.Limiter == nil {
		return nil
	}
	return c.slot.config.Limiter.Wait(c.waitContext())
}

// limiterError marks an error of Config.Limiter in the middle of an exchange.
type limiterError struct{ err error }

func (e *limiterError) Error() string { return e.err.Error() }

// notAllowed returns the failed attempt for one that Config.Limiter refused: the
// answer of the attempt before, if there was one.
func (c *call) notAllowed(err error) *failedAttempt {
	if cause := c.ctx.Err(); cause != nil {
		return c.endedBetween(cause)
	}
	if c.last != nil {
		f := *c.last
		f.stopped = StopDeadline
		return &f
	}
	detail := clean("Config.Limiter: "+err.Error(), maxErrorCause)
	return &failedAttempt{err: &failure{kind: ErrRateLimited, detail: detail, cause: err}}
}

// send sends one request within its limits of time.
func (c *call) send(x *transport.Exchange, req *http.Request, auth *authorization) (*http.Response, error) {
	ctx, observed := c.startAttempt()
	now := time.Now()
	policy := &c.slot.config.Retry
	limits := transport.Limits{
		End: now.Add(policy.AttemptTimeout), Cause: errAttemptTimeout, Stall: policy.StallTimeout,
	}
	if _, own := c.ctx.Deadline(); !own && c.deadline.Before(limits.End) { // the caller's context ends by itself
		limits.End, limits.Cause = c.deadline, errCallTimeout
	}
	x.Count(c.slot.connections)
	x.Begin(ctx, limits, c.slot.standard, !c.op.safe())
	if c.watch != nil {
		x.Measure()
	}
	sent := req.WithContext(x.Context())
	sent.Header = c.header(observed, auth)
	c.attempts++
	resp, err := c.follow(x, sent)
	if err != nil {
		err = x.Cause(err)
		_ = x.Close()
		return nil, err
	}
	x.Receive(resp, c.op.stream && resp.StatusCode == http.StatusOK)
	if c.watch != nil {
		c.watch.status = resp.StatusCode
	}
	return resp, nil
}

// header returns the header of a request. Only net/http's own transport gets one
// that other requests share: it keeps the rule that a transport changes nothing.
func (c *call) header(observed http.Header, auth *authorization) http.Header {
	kept := &auth.whole
	if !c.slot.standard {
		kept = nil
	}
	return c.slot.headers.whole(observed, c.request.header, auth.values, kept)
}

// follow follows at most three redirects of a GET to the same origin.
func (c *call) follow(x *transport.Exchange, req *http.Request) (*http.Response, error) {
	for hops := 0; ; hops++ {
		resp, err := c.slot.next(req)
		if err == nil {
			err = transport.Complete(resp)
		}
		if err != nil {
			return nil, err
		}
		if resp.StatusCode < 300 || resp.StatusCode > 399 {
			return resp, nil
		}
		target := c.slot.origin.Redirect(req.URL, resp)
		if target == nil || hops == maxRedirects || !c.op.safe() {
			return resp, nil
		}
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // for the connection's sake
		_ = resp.Body.Close()
		if err := x.Pause(c.allow); err != nil {
			return nil, &limiterError{err}
		}
		next := *req
		next.URL = target
		req = &next
	}
}

// notAnswered returns the failed attempt for a request without the beginning of
// an answer.
func (c *call) notAnswered(x *transport.Exchange, err error) *failedAttempt {
	var denied *limiterError
	if errors.As(err, &denied) {
		return c.notAllowed(denied.err)
	}
	return c.lost(x, err)
}

// lost returns the failed attempt for a request without a whole answer.
func (c *call) lost(x *transport.Exchange, err error) *failedAttempt {
	loss := x.Loss(err)
	if cause := c.ctx.Err(); cause != nil {
		f := c.ended(cause)
		f.unclear = !c.op.safe() && !loss.Unsent && x.Phase() != transport.Dialing
		return f
	}
	f := &failedAttempt{unclear: !c.op.safe() && !loss.Unsent}
	switch {
	case loss.Passing && loss.Unsent:
		f.event = unsent
	case loss.Passing:
		f.event = lost
	}
	kind := ErrTransport
	if loss.Timeout {
		kind = ErrTimeout
	}
	detail := c.scrubHead(transport.CauseText(err), maxErrorCause)
	f.err = &failure{kind: kind, detail: detail, cause: transport.SafeCause(err)}
	return f
}

// The ends of an attempt that is not the end of the caller's context.
var (
	errAttemptTimeout error = transport.Timeout("no whole answer within the time of one attempt (Retry.AttemptTimeout)")
	errCallTimeout    error = transport.Timeout("no answer within 60 s, the limit of a call whose context has no deadline")
)

// answer reads a response inside its attempt, within its bounds.
type answer struct {
	transport.Body
	exchange transport.Exchange
	c        *call
	status   int
	header   http.Header
	framed   bool   // its end is told by more than the end of its connection
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
func (c *call) read(a *answer, resp *http.Response) *failedAttempt {
	limit := c.op.limit
	if c.slot.config.MaxBodyBytes > 0 {
		limit = c.slot.config.MaxBodyBytes
	}
	err := a.Open(resp, limit)
	if a.status < 200 || a.status > 299 {
		return c.refusedBy(a, err)
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
	start := time.Now()
	err := c.accept(a)
	w.decode += time.Since(start) - a.exchange.Waited()
	return err
}

// toldCondition holds a condition that an answer with status 200 carries.
type toldCondition struct {
	condition error
	words     refusal.Words
}

func (t *toldCondition) Error() string { return t.condition.Error() }

// unusable returns the failed attempt for an answer with a good status that
// accept refused or that did not arrive whole. By its status, a call that
// changes something has been executed.
func (c *call) unusable(a *answer, err error) *failedAttempt {
	changes := !c.op.safe()
	if lost := a.Lost(); lost != nil || errors.Is(err, transport.ErrCut) {
		if lost == nil {
			lost = err
		}
		f := c.lost(&a.exchange, lost)
		f.status, f.unclear = a.status, changes
		if f.event != final {
			f.event = cutOff
		}
		return f
	}
	f := &failedAttempt{status: a.status, unclear: changes, body: a.kept()}
	var told *toldCondition
	var large transport.TooLargeError
	switch {
	case errors.As(err, &told):
		f.err, f.words = told.condition, told.words
	case errors.As(err, &large):
		f.err = &failure{kind: ErrResponseTooLarge, detail: large.Error()}
	case errors.Is(err, ErrResponseTooLarge):
		f.err = &failure{kind: ErrResponseTooLarge, detail: c.scrub(detailOf(err))}
	default:
		f.err = &failure{kind: ErrDecode, detail: a.describe(detailOf(err))}
	}
	return f
}

func detailOf(err error) string {
	var f *failure
	if errors.As(err, &f) {
		return f.detail
	}
	var d *decodeError
	if errors.As(err, &d) {
		return strings.TrimPrefix(d.Error(), d.kind.Error()+": ")
	}
	return err.Error()
}

// describe returns the detail of an unusable answer with its content type and
// its beginning, so that a person can tell who sent it.
func (a *answer) describe(detail string) string {
	media, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || media == "" {
		media = "no content type"
	}
	sample := a.c.scrubHead(string(a.Sample()), maxErrorSample)
	return a.c.scrubHead(detail, 120) + " (" + a.c.scrubHead(media, 60) + ", begins " + strconv.Quote(sample) + ")"
}

// kept returns the part of the answer that an Error keeps.
func (a *answer) kept() []byte {
	if a.whole != nil {
		return bytes.Clone(a.whole[:min(len(a.whole), maxErrorBody)])
	}
	return bytes.Clone(a.Sample())
}

// refusedBy returns the failed attempt for an answer whose status is no success.
// It accepts a body that is cut off only if the status alone says enough.
func (c *call) refusedBy(a *answer, err error) *failedAttempt {
	f := &failedAttempt{status: a.status}
	if err == nil {
		f.body, _, err = transport.ReadAtMost(a, maxErrorBody)
		if lost := a.Lost(); err != nil && lost != nil && !repeatedStatus(a.status) {
			f := c.lost(&a.exchange, lost)
			f.status, f.unclear = a.status, !c.op.safe()
			return f
		}
	}
	f.words = readWords(c.op, a.status, a.header, f.body)
	f.retryAfter = parseRetryAfter(a.header, time.Now())
	f.expired = a.status == http.StatusUnauthorized && c.slot.credential.renew != nil && f.words.TokenExpired()
	if condition := classify(c.op, a.status, &f.words); condition != nil {
		f.err = condition
	}
	if f.err != nil && !errors.Is(f.err, ErrServer) && !errors.Is(f.err, ErrRateLimited) {
		return f
	}
	switch {
	case a.status == http.StatusTooManyRequests:
		f.event = limited
	case repeatedStatus(a.status):
		f.event = failing
		f.unclear = !c.op.safe()
	}
	return f
}

// noToken returns the failed attempt for a request that has no token to send.
func (c *call) noToken(err error) *failedAttempt {
	if cause := c.ctx.Err(); cause != nil {
		return c.ended(cause)
	}
	var known *failure
	if errors.As(err, &known) {
		return &failedAttempt{err: known}
	}
	kind := ErrToken
	if !time.Now().Before(c.deadline) {
		kind = ErrTimeout
	}
	detail, cause := tokenCause(err)
	return &failedAttempt{err: &failure{kind: kind, detail: c.scrub(detail), cause: cause}}
}

// renew replaces the token that an answer called expired. If the source has
// another, the next attempt sends it, unless the rejected one was itself such a
// replacement and was never taken: then a third has little hope, and waits for
// the next call.
func (c *call) renew(rejected *authorization, failed *failedAttempt) *failedAttempt {
	c.renewed = true
	fresh, err := c.slot.credential.renew(c, rejected.secret)
	switch {
	case c.ctx.Err() != nil:
		left := c.ended(c.ctx.Err())
		left.unclear = !c.op.safe()
		return left
	case err != nil:
		detail, cause := tokenCause(err)
		failed.err = &failure{kind: ErrUnauthorized, detail: c.scrub("renewing the token failed: " + detail), cause: cause}
	case fresh.secret != rejected.secret:
		c.keepSecret(fresh.secret)
		if !rejected.again.Load() {
			c.fresh, failed.event = fresh, renewed
		}
	}
	return failed
}
