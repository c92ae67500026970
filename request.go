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
	"github.com/jobboard-sdk/jobboard-go/internal/budget"
	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/gate"
	"github.com/jobboard-sdk/jobboard-go/internal/redact"
)

// The way of a request: endpoint.do makes a call of it and starts the loop of
// go-retryablehttp. For each attempt the loop calls call.RoundTrip (attempt.go),
// which sends the request and hands a good answer to the call's accept. Then the
// loop calls checkRetry (retry.go), which decides by the policy whether another
// attempt follows, and waits. At the end call.fail (failure.go) makes the *Error.
//
// The loop knows errors only. So an attempt that fails returns a *failedAttempt as
// its error: checkRetry finds the call in it, and the loop returns the last one to
// endpoint.do.

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
	endpoint *endpoint
	request  request
	accept   func(*answer) error // reads a good answer
	deadline time.Time           // the end of all attempts and waits

	// What the loop sends, and the answer of the first attempt, which is the last of most
	// calls. They stand here to be allocated with the call.
	url     url.URL
	sent    retryablehttp.Request
	client  http.Client
	retryer retryablehttp.Client
	first   answer

	// How far the attempts have come.
	attempts    int            // requests sent
	repeats     int            // attempts that were repeats by policy
	last        *failedAttempt // the attempt before; nil: none
	renewedOnce bool           // the one repeat with another token is used
	cost        budget.Repeats // what its repeats cost
	reached     bool           // a request has reached the service, whatever the answer was

	mayHaveExecuted bool // an attempt before this one

	probe          *credential.Authorization // the token that the call is the probe of; nil: it is none
	probePermitted bool                      // by the budget

	given   *through           // the request of a caller with a road; nil: an operation
	secrets redact.Secrets     // what no error shows
	cancel  context.CancelFunc // of the wait for a token; usually nil
	buffer  *bytes.Buffer      // for small answers, from the pool
	watch   *watch             // nil: nobody watches
}

// do sends the request, repeats it by the policy, and hands the first successful
// answer to accept. Every failure is an *Error. No request takes another way to
// the network.
func (e *endpoint) do(ctx context.Context, op *operation, req request, accept func(*answer) error) error {
	if e.mistake != nil {
		return e.refuse(ctx, op, e.mistake)
	}
	c := e.startCall(ctx, op)
	if err := c.ctx.Err(); err != nil {
		return c.fail(ended(err, false))
	}
	c.request, c.accept, c.deadline = req, accept, c.lastMoment(time.Now())
	c.secrets.Add(req.hide...)
	c.prepare()
	if failed := c.loop(); failed != nil {
		return c.fail(failed)
	}
	if !op.stream {
		c.end(nil)
	}
	return nil
}

// loop makes the attempts of a call, and returns the last one if it failed.
func (c *call) loop() *failedAttempt {
	c.client = http.Client{Transport: c}
	c.retryer = retryablehttp.Client{
		HTTPClient:   &c.client,
		RetryMax:     math.MaxInt32, // the call counts
		CheckRetry:   checkRetry,
		Backoff:      func(wait, _ time.Duration, _ int, _ *http.Response) time.Duration { return wait },
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	defer c.endProbe(false)         // where the loop does not come to the probe, or a panic ends it
	_, err := c.retryer.Do(&c.sent) //nolint:bodyclose // the attempt closes it, or the stream that owns it
	c.release()
	if err != nil {
		var failed *failedAttempt
		if !errors.As(err, &failed) { // the context ended in a wait
			failed = c.endedBetween(err)
		}
		return failed
	}
	return nil
}

// refuse returns the error of a call that cannot be sent.
func (e *endpoint) refuse(ctx context.Context, op *operation, err error) error {
	return e.startCall(ctx, op).fail(&failedAttempt{err: err})
}

// startCall returns a call of op, and tells the observer that it starts.
func (e *endpoint) startCall(ctx context.Context, op *operation) *call {
	start := CallStart{
		Op: op.name, Method: op.method, Path: op.path,
		Scheme: e.origin.Scheme, Host: e.origin.Host, Port: e.origin.Port,
	}
	c := &call{op: op, endpoint: e, cost: budget.Repeats{Budget: e.budget}}
	c.watch, c.ctx = e.config.Observer.startCall(ctx, start)
	return c
}

// end tells the observer that the call ended; err is nil for success.
func (c *call) end(err *Error) {
	end := CallEnd{Err: err, Attempts: c.attempts}
	if c.endpoint.budget != nil && c.watch != nil {
		end.Budget, _ = c.endpoint.budget.State(time.Now())
	}
	c.watch.endCall(end)
}

// lastMoment returns the end of the call. For a stream without a deadline it is
// out of reach: there the stall bound counts.
func (c *call) lastMoment(now time.Time) time.Time {
	if deadline, ok := c.ctx.Deadline(); ok {
		return deadline
	}
	if c.op == opPostings {
		return now.AddDate(100, 0, 0)
	}
	return now.Add(callTimeout)
}

// template holds the fields that all requests share. An attempt sets the headers.
var template = &http.Request{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}}

// prepare fills in the request that the loop sends.
func (c *call) prepare() {
	base, req := c.endpoint.base, &c.request
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

// WaitContext bounds a wait that precedes a request by the caller's context,
// and by the time of a call where that has no deadline.
func (c *call) WaitContext() context.Context {
	if _, ok := c.ctx.Deadline(); ok || c.op == opPostings {
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
