package jobboard

import (
	"cmp"
	"context"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/call"
	"github.com/jobboard-sdk/jobboard-go/internal/refusal"
)

// How a request is sent: endpoint.do makes an invocation of it, and call.Run of internal/call makes
// the attempts, see the comment of that package. The four functions by which the engine asks what
// the interface knows are the methods Begin and End (observe.go), Accept (here) and Judge
// (conditions.go). At the end invocation.fail (failure.go) makes the *Error.

// request holds what differs between two calls of an operation.
type request struct {
	call.Request
	hide    []string  // the caller's values in Query, which no error may show
	channel ChannelID // the channel in path or query, for the log; empty: none
}

// invocation is one public call: the engine's state of it, and what the engine does not know.
type invocation struct {
	call.Call
	op       *operation
	endpoint *endpoint
	channel  ChannelID
	accept   func(answer) error // reads a good answer
	watch    *watch             // nil: nobody watches
	began    time.Time          // when the request under way was logged; zero: the Logger wants no such records
}

// answer is a good answer, and its call.
type answer struct {
	*call.Answer
	call *invocation
}

// do sends the request, repeats it by the policy, and hands the first successful answer to
// accept. Every failure is an *Error. No operation reaches the network by other code.
func (e *endpoint) do(ctx context.Context, op *operation, req request, accept func(answer) error) error {
	if ctx == nil {
		return e.refuse(ctx, op, errNoContext)
	}
	if e.mistake != nil {
		return e.refuse(ctx, op, e.mistake)
	}
	c := e.start(ctx, op)
	c.channel, c.accept = req.channel, accept
	c.Secrets.Add(req.hide...)
	req.Method, req.Stream, req.Endless = op.method, op.stream, op.stream
	if failed := c.run(req.Request); failed != nil {
		return c.fail(failed)
	}
	if !op.stream {
		c.end(nil)
	}
	return nil
}

// run makes the attempts of a call, and returns the last one if it failed.
func (c *invocation) run(req call.Request) *call.Failure {
	c.Secrets.Add(c.endpoint.hide()...)
	req.Limit = cmp.Or(c.endpoint.config.MaxBodyBytes, c.op.limit, smallAnswer)
	return c.Run(c, &c.endpoint.Endpoint, req)
}

// errNoContext refuses a call without a context.
var errNoContext = invalid("the context is nil: give the request's, or context.Background()")

// refuse returns the error of a call that cannot be sent. ctx may be nil.
func (e *endpoint) refuse(ctx context.Context, op *operation, err error) error {
	if ctx == nil {
		ctx = context.Background() // for the Observer and the Logger
	}
	return e.start(ctx, op).fail(&call.Failure{Condition: err})
}

// start returns a call of op, and tells the observer that it starts.
func (e *endpoint) start(ctx context.Context, op *operation) *invocation {
	start := CallStart{
		Op: op.name, Method: op.method, Path: op.path,
		Scheme: e.Origin.Scheme, Host: e.Origin.Host, Port: e.Origin.Port,
	}
	c := &invocation{op: op, endpoint: e}
	c.watch, ctx = e.observer.startCall(ctx, start)
	c.Start(ctx)
	return c
}

// Accept reads a good answer. For an Observer it measures how long that takes, without the time that
// it waits for bytes.
func (c *invocation) Accept(a *call.Answer) error {
	w := c.watch
	if w == nil {
		return c.accept(answer{a, c})
	}
	start, before := time.Now(), a.Waited() // the engine has waited for the header of gzip
	err := c.accept(answer{a, c})
	w.decode += time.Since(start) - (a.Waited() - before)
	return err
}

// end tells the observer that the call ended; err is nil for success.
func (c *invocation) end(err *Error) {
	end := CallEnd{Err: err, Attempts: c.Attempts()}
	if c.endpoint.Budget != nil && c.watch != nil {
		end.Budget, _ = c.endpoint.Budget.State(time.Now())
	}
	c.watch.endCall(end)
}

// told is what an answer with a good status says by words instead: a condition of the interface.
type told struct {
	condition error
	words     refusal.Words
}

func (t *told) Error() string { return t.condition.Error() }
