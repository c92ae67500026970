package jobboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// slot is one address with the credential that belongs to it: the base
// address, the lookup's, or the base address for one applicant.
type slot struct {
	base     *url.URL     // path without a trailing slash
	client   *http.Client // its transport is the slot's credential, and then the network
	policy   *RetryPolicy
	budget   *budget // nil: none
	logger   *slog.Logger
	maxBytes int64         // Config.MaxBodyBytes
	template *http.Request // what every request begins with; its headers are the call's
	observer *Observer     // nil: none
	refusal  error         // why nothing may be sent
}

// request is what differs between two calls of an operation.
type request struct {
	path   string // decoded, without the base's
	raw    string // the escaped path, where it differs
	query  string // encoded
	header *http.Header
	body   []byte   // nil: none
	hide   []string // what the caller searches for: no error shows it
}

// call is one public call on its way. It is the context of its requests, so
// that the policy and the transports find it.
type call struct {
	context.Context // the caller's
	op              *operation
	slot            *slot
	policy          *RetryPolicy
	budget          *budget
	url             url.URL
	header          *http.Header // shared by many calls: never changed
	accept          func(*answer) error
	deadline        time.Time // the end of all attempts and waits

	retryer  retryablehttp.Client
	attempts int // requests sent
	repeats  int // attempts that were repeats by policy
	renewed  bool
	read     bool // the current attempt's answer was read
	waiting  bool
	wait     time.Duration
	outcome  *outcome // of the current attempt; nil: success
	unclear  bool     // an earlier attempt may have been executed
	stopped  StopReason
	conn     connTrace
	secrets  []string           // what no error shows
	few      [2]string          // the room of secrets, usually
	cancel   context.CancelFunc // of the wait for a token; usually nil
	buffer   *bytes.Buffer      // for small answers, from the pool
	watch    *watch             // nil: nobody watches
}

type callKey struct{}

// Value finds the call in the context of its own requests.
func (c *call) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.Context.Value(key)
}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// do is the one road to the network. It sends the request, repeats it as the
// policy says, and hands the first successful answer to accept. Whatever fails
// is an *Error.
func (s *slot) do(ctx context.Context, op *operation, req request, accept func(*answer) error) error {
	c := &call{
		Context: ctx, op: op, slot: s, policy: s.policy, budget: s.budget, header: req.header, accept: accept,
		deadline: time.Now().Add(callTimeout),
	}
	c.startCall()
	if op.stream {
		c.deadline = c.deadline.AddDate(100, 0, 0) // the stall bound is the one that counts
	}
	if deadline, ok := ctx.Deadline(); ok {
		c.deadline = deadline
	}
	if s.refusal != nil {
		return c.fail(&outcome{err: s.refusal})
	}
	if err := ctx.Err(); err != nil {
		return c.fail(c.contextFailure(err))
	}
	c.secrets = append(c.few[:0], req.hide...)

	c.url = *s.base
	c.url.Path, c.url.RawPath, c.url.RawQuery = s.base.Path+req.path, "", req.query
	if req.raw != "" || s.base.RawPath != "" {
		c.url.RawPath = s.base.EscapedPath() + cmp.Or(req.raw, req.path)
	}
	r := retryablehttp.Request{Request: s.template.WithContext(c)}
	r.Method, r.URL, r.Host = op.method, &c.url, c.url.Host
	if req.body != nil {
		if err := r.SetBody(req.body); err != nil {
			return c.fail(&outcome{err: err})
		}
	}
	r.SetResponseHandler(c.handle)

	c.retryer = c.newRetryer()
	_, err := c.retryer.Do(&r) //nolint:bodyclose // handle closes it, or the stream that owns it
	c.release()
	switch {
	case err == nil:
		if !op.stream {
			c.endCall(nil)
		}
		return nil
	case c.waiting: // the context ended in a wait
		c.stopped = StopCanceled
		return c.fail(c.contextFailure(err))
	case c.outcome == nil:
		return c.fail(c.transportFailure(err))
	}
	return c.fail(c.outcome)
}

// release gives back what the call used.
func (c *call) release() {
	if c.cancel != nil {
		c.cancel()
	}
	if c.buffer != nil && c.buffer.Cap() <= 1<<20 {
		bodyBuffers.Put(c.buffer)
	}
	c.buffer = nil
}

// begin starts an attempt.
func (c *call) begin() { c.read, c.waiting, c.outcome = false, false, nil }

// handle reads an answer inside its attempt, so that one that is cut off
// counts as failed. It closes the body, unless a stream has taken it over.
func (c *call) handle(resp *http.Response) error {
	c.read = true
	if c.watch != nil {
		c.watch.status = resp.StatusCode
	}
	a := newAnswer(c, resp)
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		err := a.open()
		if err == nil {
			err = c.decode(a)
		}
		if err == nil {
			if !c.op.stream {
				a.close()
			}
			return nil
		}
		c.outcome = a.unusable(err)
	} else {
		c.outcome = a.failed()
	}
	a.close()
	return c.outcome.asError()
}

// asError is the outcome as go-retryablehttp needs it: an error, named or not.
func (o *outcome) asError() error {
	if o.err != nil {
		return o.err
	}
	return errUnnamed
}

var errUnnamed = errors.New("an answer without a named condition")

// fail is the *Error of a call that ended with o.
func (c *call) fail(o *outcome) *Error {
	switch {
	case o.ended:
		c.stopped = StopCanceled
	case c.stopped == "":
		c.stopped = StopFinal
		if c.Err() != nil {
			c.stopped = StopCanceled
		}
	}
	e := &Error{
		Op: c.op.name, Path: c.op.path, StatusCode: o.status, Attempts: c.attempts,
		RetryAfter: o.retryAfter, Stopped: c.stopped, Err: o.err,
		Code:            clean(c.scrub(o.words.errorCode()), 100),
		Message:         clean(c.scrub(o.words.errorMessage()), maxErrorMessage),
		MayHaveExecuted: o.unclear || c.unclear,
	}
	if len(o.body) > 0 {
		e.Body = []byte(c.scrub(string(o.body)))
	}
	c.logFailure(e)
	c.endCall(e)
	return e
}
