package jobboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/gate"
	"github.com/jobboard-sdk/jobboard-go/internal/redact"
)

// The way of a request: slot.do makes a call of it, go-retryablehttp runs the
// loop and the waits, call.RoundTrip (attempt.go) makes one attempt, checkRetry
// decides by the policy (retry.go) whether another follows, and call.fail
// (failure.go) makes the *Error.
//
// The loop knows errors only. So an attempt that fails returns a *failedAttempt as
// its error: checkRetry finds the call in it, the loop returns the last one to
// slot.do, and the one before an attempt says with which token that is sent. A good
// answer goes another way: the attempt itself hands it to the call's accept.

// request holds what differs between two calls of an operation.
type request struct {
	path     string // decoded, without the base's
	raw      string // the escaped path, where it differs
	query    string // encoded
	kind     credential.Kind
	language string     // Accept-Language, where it is not the client's; empty: the client's
	body     []byte     // nil: none
	hide     []string   // the caller's values in query: no error shows them
	turn     *gate.Turn // of a job among many; nil: a call of its own
}

// call holds the state of one public call. It is the transport of an http.Client
// of its own, so that the results of an attempt stay with the call.
type call struct {
	ctx      context.Context // the caller's
	op       *operation
	slot     *slot
	request  request
	accept   func(*answer) error // reads a good answer
	deadline time.Time           // the end of all attempts and waits

	// What the loop sends. It stands here to be allocated with the call.
	url     url.URL
	sent    retryablehttp.Request
	client  http.Client
	retryer retryablehttp.Client

	// How far the attempts have come.
	attempts    int            // requests sent
	repeats     int            // attempts that were repeats by policy
	last        *failedAttempt // the one before; nil: none
	renewedOnce bool           // the one repeat with another token is used
	paid        bool           // a token of the budget is spent on the request under way, or the next that is sent
	sentOnce    bool           // a request has reached the service, whatever the answer was
	unclear     bool           // an earlier attempt may have been executed

	secrets redact.Secrets     // what no error shows
	cancel  context.CancelFunc // of the wait for a token; usually nil
	buffer  *bytes.Buffer      // for small answers, from the pool
	watch   *watch             // nil: nobody watches
}

// do sends the request, repeats it by the policy, and hands the first successful
// answer to accept. Every failure is an *Error. No request takes another way to
// the network.
func (s *slot) do(ctx context.Context, op *operation, req request, accept func(*answer) error) error {
	c := &call{ctx: ctx, op: op, slot: s, request: req, accept: accept}
	c.start()
	c.deadline = c.lastMoment(time.Now())
	if s.mistake != nil {
		return c.fail(&failedAttempt{err: s.mistake})
	}
	if err := c.ctx.Err(); err != nil {
		return c.fail(ended(err, false))
	}
	c.secrets.Add(req.hide...)
	c.prepare()

	c.client = http.Client{Transport: c}
	c.retryer = retryablehttp.Client{
		HTTPClient:   &c.client,
		RetryMax:     math.MaxInt32, // the call counts
		CheckRetry:   checkRetry,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	_, err := c.retryer.Do(&c.sent) //nolint:bodyclose // the attempt closes it, or the stream that owns it
	c.release()
	if err != nil {
		return c.fail(c.lastFailure(err))
	}
	if !op.stream {
		c.end(nil)
	}
	return nil
}

// start tells the observer that the call starts.
func (c *call) start() {
	start := CallStart{Op: c.op.name, Method: c.op.method, Path: c.op.path}
	if c.slot.base != nil {
		start.Scheme, start.Host, start.Port = c.slot.origin.Scheme, c.slot.origin.Host, c.slot.origin.Port
	}
	c.watch, c.ctx = c.slot.config.Observer.startCall(c.ctx, start)
}

// end tells the observer that the call ended; err is nil for success.
func (c *call) end(err *Error) {
	end := CallEnd{Err: err, Attempts: c.attempts}
	if c.slot.budget != nil && c.watch != nil {
		end.Budget, _ = c.slot.budget.State(time.Now())
	}
	c.watch.endCall(end)
}

// lastMoment returns the end of the call. For a stream without a deadline it is
// out of reach: there the stall bound counts.
func (c *call) lastMoment(now time.Time) time.Time {
	if deadline, ok := c.ctx.Deadline(); ok {
		return deadline
	}
	if c.op.stream {
		return now.AddDate(100, 0, 0)
	}
	return now.Add(callTimeout)
}

// template holds the fields that all requests share. An attempt sets the headers.
var template = &http.Request{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}}

// prepare fills in the request that the loop sends.
func (c *call) prepare() {
	base, req := c.slot.base, &c.request
	c.url = *base
	c.url.Path, c.url.RawPath, c.url.RawQuery = base.Path+req.path, "", req.query
	if req.raw != "" || base.RawPath != "" {
		c.url.RawPath = base.EscapedPath() + cmp.Or(req.raw, req.path)
	}
	r := &c.sent
	r.Request = template.WithContext(c.ctx)
	r.Method, r.URL, r.Host = c.op.method, &c.url, c.url.Host
	if req.body != nil {
		_ = r.SetBody(req.body) // bytes can be read again and again
	}
}

// checkRetry reports whether another attempt follows. The loop calls it once
// after each attempt; a *failedAttempt in err names the call and its failure.
func checkRetry(_ context.Context, _ *http.Response, err error) (bool, error) {
	var f *failedAttempt
	if !errors.As(err, &f) {
		return false, nil
	}
	c := f.call
	c.sentOnce = c.sentOnce || f.event != unsent
	if f.stopped == "" {
		f.stopped = c.stop(f, time.Now())
	}
	if f.stopped != "" {
		c.watch.endAttempt(AttemptEnd{StatusCode: f.status, Err: f.err})
		return false, nil
	}
	if f.event != renewed {
		c.repeats++
	}
	c.unclear = c.unclear || f.unclear
	c.last = f
	// Most calls never wait: only those that do have a function for it.
	c.retryer.Backoff = func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return c.last.wait }
	logRepeat(c.ctx, c.slot.config.Logger, c.op, c.attempts, f.status, f.wait)
	if c.request.turn != nil {
		c.request.turn.StepOut() // another job works while this one waits
	}
	c.watch.endAttempt(AttemptEnd{StatusCode: f.status, Err: f.err, Repeat: true, Wait: f.wait})
	return true, nil
}

// stop books a failed attempt. It returns the reason why no other one follows,
// or returns "" and sets the wait before the next.
func (c *call) stop(f *failedAttempt, now time.Time) StopReason {
	if f.event == final && !f.expired && f.status != 0 && f.status < 500 {
		c.succeeded(now) // the service works
	}
	if f.event != renewed {
		f.wait = c.slot.config.Retry.wait(c.repeats, f.retryAfter)
	}
	pausing := c.pause(f, now)
	if reason := c.unrepeatable(f); reason != "" {
		return reason
	}
	return c.exhausted(f, now, pausing)
}

// unrepeatable returns why a call that failed like this is not repeated, however
// much time and budget there is, or nothing.
func (c *call) unrepeatable(f *failedAttempt) StopReason {
	repeats := f.event.repeats(c.op.method)
	switch {
	case f.ended, c.ctx.Err() != nil && f.event != final:
		return StopCanceled
	case f.event == final, f.event == cutOff && !repeats:
		return StopFinal
	case !repeats:
		return StopNotIdempotent
	}
	return ""
}

// exhausted returns which bound of the policy leaves no room for a repeat, or
// nothing and has paid for it.
func (c *call) exhausted(f *failedAttempt, now time.Time, pausing bool) StopReason {
	policy := &c.slot.config.Retry
	switch {
	case f.retryAfter > policy.MaxRetryAfter && !pausing:
		return StopRetryAfter
	case f.event != renewed && c.repeats+1 >= policy.MaxAttempts:
		return StopAttempts
	case !now.Add(f.wait).Before(c.deadline):
		return StopDeadline
	case !pausing && !c.pay(f, now):
		return StopBudget
	}
	return ""
}

// pause makes all jobs of a bulk call wait for as long as the service asks, at
// most MaxRetryAfter, and reports whether it did. The repeat then takes no token
// of the budget, because the pause lowers the load on the service. The pause
// does not count towards the time of a call without a deadline of its own.
func (c *call) pause(f *failedAttempt, now time.Time) bool {
	if c.request.turn == nil || !c.request.turn.Pause || f.retryAfter <= 0 || f.event != limited && f.event != failing {
		return false
	}
	policy := &c.slot.config.Retry
	asked := min(f.retryAfter, policy.MaxRetryAfter)
	c.request.turn.PauseUntil(now.Add(asked))
	c.paid = false
	f.wait = policy.wait(c.repeats, asked)
	if _, own := c.ctx.Deadline(); !own {
		c.deadline = c.deadline.Add(f.wait)
	}
	return true
}

// pay takes a token for a repeat out of the budget and reports whether there was
// one. After an attempt that was not sent the repeat costs nothing, or has been
// paid for: the token that the attempt was to cost is still there. If many
// calls failed together, pay delays the repeat so that they start one after the
// other, as far as the caller has the time.
func (c *call) pay(f *failedAttempt, now time.Time) bool {
	b := c.slot.budget
	if b == nil || f.event == unsent {
		return true
	}
	if !b.Pay(now) {
		return false
	}
	c.paid = true
	if f.event == renewed {
		return true
	}
	if later := b.Spread(now); now.Add(f.wait + later).Before(c.deadline) {
		f.wait += later
	}
	return true
}

// succeeded books an attempt that was answered.
func (c *call) succeeded(now time.Time) {
	switch b := c.slot.budget; {
	case b == nil:
	case c.paid:
		b.Return()
	default:
		b.Earn(now)
	}
}

// lastFailure returns the failed attempt that the loop ended with. The loop
// itself fails only where the context ends in a wait.
func (c *call) lastFailure(err error) *failedAttempt {
	var f *failedAttempt
	if errors.As(err, &f) {
		return f
	}
	return c.endedBetween(err)
}

// WaitContext bounds a wait that precedes a request by the caller's context,
// and by the time of a call where that has no deadline.
func (c *call) WaitContext() context.Context {
	if _, ok := c.ctx.Deadline(); ok || c.op.stream {
		return c.ctx
	}
	var ctx context.Context
	if c.cancel != nil {
		c.cancel()
	}
	ctx, c.cancel = context.WithDeadlineCause(c.ctx, c.deadline, errCallTimeout)
	return ctx
}

var bodyBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// release ends the wait for a token and returns the buffer to its pool.
func (c *call) release() {
	if c.cancel != nil {
		c.cancel()
	}
	if c.buffer != nil && c.buffer.Cap() <= 1<<20 {
		bodyBuffers.Put(c.buffer)
	}
	c.buffer = nil
}
