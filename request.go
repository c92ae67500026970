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

// How a request is sent: endpoint.do creates a call and starts the loop of go-retryablehttp. For
// each attempt the loop calls call.RoundTrip (attempt.go), which sends the request and hands a good
// answer to the call's accept. Then the loop calls checkRetry (retry.go), which decides by the
// policy whether another attempt follows, and waits. At the end call.fail (failure.go) makes the
// *Error.
//
// The loop knows errors only. So an attempt that fails returns a *failedAttempt as
// its error: checkRetry finds the call in it, and the loop returns the last one to
// endpoint.do.

// request holds what differs between two calls of an operation.
type request struct {
	path     string // decoded, without the base address's path
	raw      string // the escaped path; empty: path needs no escape
	query    string // encoded
	kind     credential.Kind
	language string     // Accept-Language; empty: Config.Language
	body     []byte     // nil: none
	hide     []string   // the caller's values in query, which no error may show
	channel  ChannelID  // the channel in path or query, for the log; empty: none
	turn     *gate.Turn // the job's turn in a bulk call; nil: a single call
}

// call holds the state of one public call. Each call has its own http.Client, whose Transport is
// the call: so each attempt can leave its results in the call.
type call struct {
	ctx      context.Context // the caller's
	op       *operation
	endpoint *endpoint
	request  request
	accept   func(*answer) error // reads a good answer
	deadline time.Time           // the end of all attempts and waits

	// What the loop sends, and the answer to the first attempt. They are fields, and not pointers,
	// so that a call that needs one attempt allocates once.
	url     url.URL
	sent    retryablehttp.Request
	client  http.Client
	retryer retryablehttp.Client
	first   answer

	// How far the attempts have come.
	attempts    int            // requests sent
	repeats     int            // attempts that were repeats by policy
	last        *failedAttempt // the previous attempt, which failed; nil: none
	renewedOnce bool           // the call has renewed its token, which it may do once
	cost        budget.Repeats // what the call's repeats take from the retry budget
	reached     bool           // a request of the call has reached the service

	mayHaveExecuted bool // the service may have executed an earlier attempt

	given   *through           // the request given to Transport; nil: an operation of the interface
	secrets redact.Secrets     // the texts that no error may show
	cancel  context.CancelFunc // ends the context of WaitContext; usually nil
	buffer  *bytes.Buffer      // for small answers, from the pool
	watch   *watch             // nil: nobody watches
}

// do sends the request, repeats it by the policy, and hands the first successful answer to
// accept. Every failure is an *Error. No operation reaches the network by other code.
func (e *endpoint) do(ctx context.Context, op *operation, req request, accept func(*answer) error) error {
	if ctx == nil {
		return e.refuse(ctx, op, errNoContext)
	}
	if e.mistake != nil {
		return e.refuse(ctx, op, e.mistake)
	}
	c := e.startCall(ctx, op)
	if err := c.ctx.Err(); err != nil {
		return c.fail(ended(err, false))
	}
	c.request, c.accept, c.deadline = req, accept, c.lastMoment(time.Now())
	c.secrets.Add(req.hide...)
	c.secrets.Add(e.hide()...)
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
	_, err := c.retryer.Do(&c.sent) //nolint:bodyclose // the attempt or the stream closes the body
	c.release()
	if err != nil {
		var failed *failedAttempt
		if !errors.As(err, &failed) { // the context ended during a wait
			failed = c.endedBetween(err)
		}
		return failed
	}
	return nil
}

// errNoContext refuses a call without a context.
var errNoContext = invalid("the context is nil: give the request's, or context.Background()")

// refuse returns the error of a call that cannot be sent. ctx may be nil.
func (e *endpoint) refuse(ctx context.Context, op *operation, err error) error {
	if ctx == nil {
		ctx = context.Background() // for the Observer and the Logger
	}
	return e.startCall(ctx, op).fail(&failedAttempt{err: err})
}

// startCall returns a call of op, and tells the observer that it starts.
func (e *endpoint) startCall(ctx context.Context, op *operation) *call {
	start := CallStart{
		Op: op.name, Method: op.method, Path: op.path,
		Scheme: e.origin.Scheme, Host: e.origin.Host, Port: e.origin.Port,
	}
	c := &call{op: op, endpoint: e, cost: budget.Repeats{Budget: e.budget}}
	c.watch, c.ctx = e.observer.startCall(ctx, start)
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

// lastMoment returns when the call must end. A stream whose context has no deadline gets 100 years:
// RetryPolicy.StallTimeout bounds it.
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
		_ = r.SetBody(req.body) // SetBody fails only for a reader that it cannot rewind
	}
}

// WaitContext returns the context for a wait before a request. It ends with the caller's context,
// or after callTimeout if the caller set no deadline.
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

// release ends the context of WaitContext and returns the buffer to its pool.
func (c *call) release() {
	if c.cancel != nil {
		c.cancel()
	}
	if c.buffer != nil && c.buffer.Cap() <= 1<<20 {
		bodyBuffers.Put(c.buffer)
	}
	c.buffer = nil
}
