// Package call makes one call of a service: it sends a request until there is an answer or until
// another attempt would not help. It knows no type of the interface. Its two chains, attempt and
// decide, can each be read from top to bottom, and the order of their stages is the order below. The
// loop of go-retryablehttp calls the first as RoundTrip and the second as CheckRetry, then it waits.
//
// An attempt either hands a good answer to the owner, or ends as a [Failure], which says what
// happened and carries what was seen. Settle, place and limit may hand back the last Failure with
// another reason to stop. The decision reads the Failure and says whether another
// attempt follows. What the call needs of the rest of the library are the numbers of a [Policy] and
// four functions, those of an [Owner]: begin an attempt, accept an answer, judge a refusal, end an
// attempt. All stages share the request, the deadline, how many attempts there were, the secrets
// that no text may show, and the last failure. What else a stage remembers is its own.
//
// Settle (internal/budget) takes the token that a silent loss owes, now that the wait is over: the
// repeat is free if the service has answered another request meanwhile.
//
// Place (permit.go) takes the job's place in a bulk call again, which the job gave to another one
// during its wait. The job took its first place in internal/gate, before the call.
//
// Limit (permit.go) asks the Limiter for one request.
//
// Authorize (token.go) gets the authorization of the request, from the token source if need be, and
// refuses a request to another origin.
//
// Send (send.go) sends the request within the time limits of an attempt, follows up to
// three redirects of a GET to the same origin, each after asking the Limiter, and returns the answer with its header. What is lost on the way is told by the phase
// of the exchange: whether it reached the service, and whether it may pass by itself.
//
// Answered (token.go) notes what the status says of the token, for its source and for the origin.
//
// Read (answer.go) reads the answer: a good one by Owner.Accept, a refused one up to 64 KiB. An
// answer to a request of the caller's own (given.go) is not read.
//
// Judge (judge.go) finds the outcome of a refused answer by its status, unless Owner.Judge says that
// no repeat changes what it means. After a 401 it says whether the token may have expired.
//
// Renew (token.go) asks the token source for another token, once in a call, and says whether it goes
// out with a repeat.
//
// Credit (pay.go) notes that the service works, if the refused answer is final and below 500, and no
// expired token is its reason. A good answer is credited in RoundTrip.
//
// Bound (judge.go) holds the outcome against the caller's context, the method and the numbers of the
// policy: cancelled, final, method, Retry-After, attempts, deadline, in this order. It also sets the
// wait.
//
// Pay (pay.go) takes a token of the budget for the repeat, or notes after a silent loss that settle
// will. It makes the wait longer where many calls failed together.
//
// Wait (wait.go) notes the repeat, hands the wait to the loop, and gives the place in a bulk call to
// another job, unless too many jobs wait already.
//
// In the table of faults (internal/suite/faults), send decides about lost connections, time-outs and
// which redirects are followed; read and Owner.Accept about bodies; judge about statuses, the other
// redirects among them; judge and renew about the end of a token; bound about deadlines, methods and
// Retry-After; pay and settle about outages.
package call

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
	"github.com/jobboard-sdk/jobboard-go/internal/address"
	"github.com/jobboard-sdk/jobboard-go/internal/budget"
	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/gate"
	"github.com/jobboard-sdk/jobboard-go/internal/redact"
)

// Network holds what the calls to all addresses of a client share.
type Network struct {
	// Next sends a request. It is a function and no http.RoundTripper, because a transport's
	// buffers hold the bytes of recent requests, and fmt's %v would print them.
	Next      func(*http.Request) (*http.Response, error)
	Standard  bool // Next is net/http's own, which changes no header
	Headers   credential.Headers
	UserAgent string                   // of the requests that the caller gives
	Anonymous credential.Authorization // sent where there is no credential
	Limiter   Limiter                  // nil: none
}

// Limiter spaces requests out. Wait returns when the next request may start, or why it may not.
type Limiter interface {
	Wait(ctx context.Context) error
}

// Endpoint holds one address with the credential that belongs to it.
type Endpoint struct {
	*Network
	Base       *url.URL // path without a trailing slash
	Origin     address.Origin
	Credential credential.Credential
	Budget     *budget.Budget // nil: none
	Policy     *Policy
	Added      func() http.Header // added to each request; a function, because fmt's %v would print the values
}

// Request holds what is sent, and how its answer is read.
type Request struct {
	Method string
	Path   string // decoded, without the base address's path
	Raw    string // the escaped path; empty: Path needs no escape
	Query  string // encoded
	Body   []byte // nil: none

	Kind     credential.Kind
	Language string     // Accept-Language; empty: the client's
	Turn     *gate.Turn // the job's turn in a bulk call; nil: a single call

	Limit   int64 // bounds the decompressed answer, in bytes
	Stream  bool  // the owner reads a good answer after the call
	Endless bool  // no limit of time but the caller's

	Given *Given // the caller's own request, instead of all the above but Method and Limit; nil: none
}

// safe reports whether the request changes nothing at the service.
func (r *Request) safe() bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
}

// Owner is the part of the library that makes a call, and knows what it is about.
type Owner interface {
	// Begin runs before each request, with its number. It returns the context of the attempt, and
	// header fields to add.
	Begin(ctx context.Context, number int) (context.Context, http.Header)
	// Accept reads a good answer, or says why it is none. It may keep the answer of a stream and of
	// a given request, which it then closes.
	Accept(a *Answer) error
	// Judge sets Words and Condition of a refused answer. It reports whether the condition is final:
	// no repeat changes it, whatever the status.
	Judge(f *Failure) (final bool)
	// End runs when an attempt has ended.
	End(end End)
}

// End describes the end of an attempt.
type End struct {
	Answer  *Answer       // nil: none
	Failure *Failure      // nil: success
	Repeat  bool          // another attempt follows
	Wait    time.Duration // the wait before it
}

// Call holds the state of one call. Each call has its own http.Client, whose transport is the call,
// so each attempt can leave its results in the call. Its parts are values, so that a call that
// needs one attempt allocates once.
type Call struct {
	// What all stages share.
	owner    Owner
	endpoint *Endpoint
	request  Request
	clock    clock
	history  history
	last     *Failure       // the previous attempt, which failed; nil: none
	Secrets  redact.Secrets // the texts that no error may show

	// The state of the stages.
	payment payment       // Settle, credit and pay
	token   token         // authorize and renew
	first   Answer        // send and read: the answer to the first attempt
	current *Answer       // send and read: the answer of the attempt under way; nil: none yet
	buffer  *bytes.Buffer // read: for small answers, from the pool

	// The loop, and what it sends.
	url     url.URL
	sent    retryablehttp.Request
	client  http.Client
	retryer retryablehttp.Client
}

// history counts what was sent.
type history struct {
	attempts int  // requests sent
	repeats  int  // attempts that were repeats by policy
	reached  bool // a request may have reached the service
	executed bool // the service may have executed a request
}

// Start gives the call the context of its caller, before anything else.
func (c *Call) Start(ctx context.Context) { c.clock.ctx = ctx }

// Context returns the context of the caller.
func (c *Call) Context() context.Context { return c.clock.ctx }

// Attempts returns how many requests were sent. Followed redirects do not count.
func (c *Call) Attempts() int { return c.history.attempts }

// MayHaveExecuted reports whether the service may have executed an attempt that was repeated.
func (c *Call) MayHaveExecuted() bool { return c.history.executed }

// Given returns the caller's own request, or nil.
func (c *Call) Given() *Given { return c.request.Given }

// Sent returns the request as the loop sends it, or nil if Run was not called.
func (c *Call) Sent() *http.Request { return c.sent.Request }

// Run sends the request and repeats it by the policy, until the owner has accepted an answer or an
// attempt has failed for good. It returns the last attempt if it failed, else nil. It keeps e and
// owner.
func (c *Call) Run(owner Owner, e *Endpoint, r Request) *Failure {
	c.owner, c.endpoint, c.request = owner, e, r
	c.clock = newClock(c.clock.ctx, r.Endless, time.Now())
	c.payment.Budget = e.Budget
	if err := c.clock.ctx.Err(); err != nil {
		return ended(err, false)
	}
	c.prepare()
	returned := false
	defer func() {
		if !returned { // code of the owner panicked
			c.current.Close()
		}
		c.release()
	}()
	failed := c.loop()
	returned = true
	return failed
}

// loop makes the attempts.
func (c *Call) loop() *Failure {
	c.client = http.Client{Transport: c}
	c.retryer = retryablehttp.Client{
		HTTPClient:   &c.client,
		RetryMax:     math.MaxInt32, // the call counts
		CheckRetry:   checkRetry,
		Backoff:      func(wait, _ time.Duration, _ int, _ *http.Response) time.Duration { return wait },
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	_, err := c.retryer.Do(&c.sent) //nolint:bodyclose // the attempt or the owner closes the answer
	if err == nil {
		return nil
	}
	var failed *Failure
	if !errors.As(err, &failed) { // the context ended during a wait
		failed = c.endedBetween(err)
	}
	return failed
}

// taken is what the loop gets in place of an answer, so that the loop and its http.Client neither
// read, repeat nor redirect because of it.
var taken = &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}

// RoundTrip makes one attempt; the loop calls it. Its error is a *Failure.
func (c *Call) RoundTrip(req *http.Request) (*http.Response, error) {
	if failed := c.attempt(req); failed != nil {
		failed.call = c
		return nil, failed
	}
	c.payment.Succeeded(time.Now())
	c.owner.End(End{Answer: c.received()})
	return taken, nil
}

// attempt sends one request and reads its answer. By then the owner has accepted a good answer. It
// returns nil if it has.
func (c *Call) attempt(req *http.Request) *Failure {
	c.current = nil
	if !c.payment.Settle(time.Now()) {
		return c.last.again(Budget)
	}
	if err := place(c.request.Turn, &c.clock); err != nil {
		return c.notAllowed(err)
	}
	if err := c.limit(); err != nil {
		return c.notAllowed(err)
	}
	auth, failed := c.token.authorize(c.endpoint, &c.clock, req.URL)
	if failed != nil {
		return failed
	}
	c.Secrets.Add(auth.Secret, auth.Client)
	answer, failed := c.send(req, auth)
	if failed != nil {
		return failed
	}
	c.token.answered(c.endpoint, auth, answer.Response.StatusCode)
	return c.read(answer)
}

func (c *Call) limit() error {
	return limit(c.endpoint.Limiter, c.request.Turn != nil, &c.clock)
}

// notAllowed returns the failure of an attempt that got no place or no permission. If the call had
// an earlier attempt, the failure of that attempt is returned.
func (c *Call) notAllowed(err error) *Failure {
	if cause := c.clock.ctx.Err(); cause != nil {
		return c.endedBetween(cause)
	}
	if c.last != nil {
		return c.last.again(Deadline)
	}
	return &Failure{Kind: NotAllowed, Err: err}
}

// checkRetry reports whether another attempt follows. The loop calls it once after each attempt; a
// *Failure in err names the call.
func checkRetry(_ context.Context, _ *http.Response, err error) (bool, error) {
	f, failed := errors.AsType[*Failure](err)
	return failed && f.call.decide(f), nil
}

// decide reports whether another attempt follows f, or sets why none does.
func (c *Call) decide(f *Failure) (again bool) {
	if f.Kind == Refused && f.Stopped == Going {
		c.judge(f)
	}
	if f.outcome == expired {
		c.renew(f)
	}
	now, wait := time.Now(), time.Duration(0)
	if f.Stopped == Going {
		c.payment.credit(f, now)
		wait, f.Stopped = c.bound(f, now)
	}
	if f.Stopped == Going {
		wait, f.Stopped = c.payment.pay(f, wait, now, c.clock.end)
	}
	end := End{Answer: c.received(), Failure: f}
	if f.Stopped == Going {
		end.Repeat, end.Wait = true, c.wait(f, wait)
	}
	c.owner.End(end)
	return end.Repeat
}

// received returns the answer of the attempt under way, or nil.
func (c *Call) received() *Answer {
	if c.current == nil || c.current.Response == nil {
		return nil
	}
	return c.current
}

// renew renews the token that f calls expired, and notes in f what came of it.
func (c *Call) renew(f *Failure) {
	again, err := c.token.renew(c.endpoint, &c.clock)
	switch {
	case c.clock.ctx.Err() != nil:
		f.Answer.Close()
		*f = *ended(c.clock.ctx.Err(), !c.request.safe())
		f.call = c
	case err != nil:
		f.Kind, f.Err = NotRenewed, err
	case again:
		f.outcome = renewed
	}
}

// template holds the fields that all requests share. An attempt sets the headers.
var template = &http.Request{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}}

// prepare fills in the request that the loop sends.
func (c *Call) prepare() {
	if c.request.Given != nil {
		c.sent.Request = c.request.Given.forLoop(c.clock.ctx)
		return
	}
	base, req := c.endpoint.Base, &c.request
	c.url = *base
	c.url.Path, c.url.RawPath, c.url.RawQuery = base.Path+req.Path, "", req.Query
	if req.Raw != "" || base.RawPath != "" {
		c.url.RawPath = base.EscapedPath() + cmp.Or(req.Raw, req.Path)
	}
	r := &c.sent
	r.Request = template.WithContext(c.clock.ctx)
	r.Method, r.URL, r.Host = req.Method, &c.url, c.url.Host
	if req.Body != nil {
		_ = r.SetBody(req.Body) // SetBody fails only for a reader that it cannot rewind
	}
}

var bodyBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// release ends the contexts of waits and returns the buffer to its pool.
func (c *Call) release() {
	c.clock.stop()
	if c.buffer != nil && c.buffer.Cap() <= 1<<20 {
		bodyBuffers.Put(c.buffer)
	}
	c.buffer = nil
}
