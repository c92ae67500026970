package jobboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
	header http.Header
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
	header          http.Header // shared by many calls: never changed
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
	unclear  bool     // some attempt may have been executed
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
	c.secrets = c.few[:0]
	c.secrets = append(c.secrets, req.hide...)

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
			err = c.decoding(func() error { return c.accept(a) })
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
	if c.stopped == "" {
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

// scrub takes out of the service's words what it may have been told in
// confidence.
func (c *call) scrub(text string) string {
	for _, secret := range c.secrets {
		if len(secret) >= 3 {
			text = hide(text, secret)
		}
	}
	return text
}

func (c *call) logRepeat() {
	if l := c.slot.logger; l != nil {
		l.LogAttrs(c.Context, slog.LevelInfo, "jobboard: repeat", slog.String("op", c.op.name), slog.String("path", c.op.path),
			slog.Int("attempt", c.attempts), slog.Int("status", c.outcome.status), slog.Duration("wait", c.wait))
	}
}

func (c *call) logFailure(e *Error) {
	if l := c.slot.logger; l != nil {
		condition := "unnamed"
		var f *failure
		switch {
		case errors.As(e.Err, &f):
			condition = f.kind.Error()
		case e.Err != nil:
			condition = clean(e.Err.Error(), maxErrorCause)
		}
		l.LogAttrs(c.Context, slog.LevelDebug, "jobboard: failed", slog.String("op", e.Op), slog.String("path", e.Path),
			slog.Int("attempts", e.Attempts), slog.Int("status", e.StatusCode), slog.String("code", clean(e.Code, 60)),
			slog.String("condition", condition), slog.String("stopped", string(e.Stopped)))
	}
}

// segment escapes one path segment, in the one place where it is done. What
// would leave its segment, or cannot be a name at all, is refused.
func segment(what, s string) (string, error) {
	switch {
	case s == "":
		return "", invalid("%s is empty", what)
	case s == "." || s == "..":
		return "", invalid("%s would leave its place in the path", what)
	case len(s) > 1024:
		return "", invalid("%s is longer than 1024 bytes", what)
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return "", invalid("%s holds a control character", what)
		}
	}
	return url.PathEscape(s), nil
}

// pathOf fills a template's one place with an identifier.
func pathOf(template, what, id string) (path, raw string, err error) {
	escaped, err := segment(what, id)
	if err != nil {
		return "", "", err
	}
	before, rest, _ := strings.Cut(template, "{")
	_, after, _ := strings.Cut(rest, "}")
	path = before + id + after
	if escaped != id {
		raw = before + escaped + after
	}
	return path, raw, nil
}

// jobPath is pathOf for a job identifier, which needs no escaping.
func jobPath(before string, job JobID, after string) (string, error) {
	if job < 1 {
		return "", invalid("job identifier %d is not positive", int64(job))
	}
	b := make([]byte, 0, 64)
	b = append(b, before...)
	b = strconv.AppendInt(b, int64(job), 10)
	b = append(b, after...)
	return string(b), nil
}
