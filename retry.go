package jobboard

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

// RetryPolicy sets which requests are repeated, when and how often. The zero
// value of each field selects the default in its comment.
//
// GET, PUT and DELETE are repeated after a lost connection, a time-out and the statuses 408, 425,
// 429, 500, 502, 503, 504 and 520 to 530. PUT and DELETE are not repeated if a good status arrived
// before the answer broke off. POST is repeated only if the service certainly did not execute it:
// no connection, or 429. Lasting failures, such as an unknown name or a failed TLS handshake, are
// not repeated.
//
// After a 401 that calls the token expired, the request is repeated once with another token,
// without a wait, without a token of the budget and whatever MaxAttempts says. Calls whose token was
// rejected at the same time share one new token, and each repeats its own request. If the service
// refuses the new token too, calls of that token source are not repeated until the service accepts
// a token of it: they renew the rejected token, at most once a second, and end with their 401, and
// the next call sends the new token first. While the service so refuses one source, the same holds
// for sources of the same origin of which it has never accepted a token. The service accepts a token
// when it answers with 2xx, or with 4xx other than 401 and 429.
//
// The wait before a repeat is a random time between d/2 and d, where d = min(MinWait * 2^n,
// MaxWait) and n is the number of earlier repeats. After a Retry-After of r the wait is a random
// time between r and r + min(r/4, 0.5 s). Calls of one client that fail together start their
// repeats one after the other, which adds up to 0.8 s. If the caller's time ends before the wait
// would, the call ends at once with the last answer.
type RetryPolicy struct {
	MaxAttempts      int           // the most attempts of a call; 0 means 5, 1 means no repeat
	MinWait, MaxWait time.Duration // bounds of the wait before a repeat; 200 ms, 5 s
	MaxRetryAfter    time.Duration // 30 s; if the service asks for a longer wait, the call ends at once with its answer
	AttemptTimeout   time.Duration // 15 s for one attempt, to the end of its answer; for Postings, to the headers; at least 1 ms
	StallTimeout     time.Duration // 10 s; the longest wait for the next byte of a body

	// A Client and its Applicants share one budget of tokens for each origin. A repeat takes a
	// token, except after an attempt that found no connection. If the budget has no token, the call
	// ends with its last failure. A GET whose connection ended without a byte of an answer takes
	// its token only after the wait. Its first repeat is free if the service answered another
	// request during the wait, for example when servers restart one by one. net/http by itself
	// repeats a request whose idle connection was closed; if that repeat is lost too, it takes a
	// token.
	//
	// A first attempt that succeeds adds 0.3 tokens; a repeat that succeeds gives its token
	// back; time adds nothing. For the budget an attempt succeeds if its status is below 500 and
	// not 408, 425, 429 or a 401 for a token that can be renewed. The budget's capacity is
	// max(Budget, min(10, 0.3*S60), 0.3*S10), where S60 and S10 are the numbers of
	// first attempts that succeeded in the last 60 s and 10 s.
	Budget int // tokens at the start, and the smallest capacity; 0 means 2, negative: no budget
}

// budgetRatio is how many tokens a first attempt that succeeds adds to the budget.
const budgetRatio = 0.3

// Limiter spaces requests out. Wait blocks until the next request may start, and
// returns an error if it may not. It must return when its context ends: a call
// waits for it however long it takes. *rate.Limiter of golang.org/x/time/rate
// implements it.
type Limiter interface {
	Wait(ctx context.Context) error
}

// callTimeout bounds a call whose context has no deadline.
const callTimeout = 60 * time.Second

// The causes of a time-out that the caller's context did not set.
var (
	errAttemptTimeout error = transport.Timeout("no whole answer within the time of one attempt (Retry.AttemptTimeout or HTTPClient.Timeout)")
	errCallTimeout    error = transport.Timeout("no answer within 60 s, the limit of a call whose context has no deadline")
)

// tooShort is what is wrong with a time limit within which no answer can come.
const tooShort = "is less than a millisecond: was a unit left out, as in 10*time.Second?"

func (p RetryPolicy) withDefaults() (RetryPolicy, error) {
	for _, f := range []struct {
		name  string
		value *time.Duration
		zero  time.Duration
	}{
		{"MinWait", &p.MinWait, 200 * time.Millisecond},
		{"MaxWait", &p.MaxWait, 5 * time.Second},
		{"MaxRetryAfter", &p.MaxRetryAfter, 30 * time.Second},
		{"AttemptTimeout", &p.AttemptTimeout, 15 * time.Second},
		{"StallTimeout", &p.StallTimeout, 10 * time.Second},
	} {
		if *f.value < 0 {
			return p, &ConfigError{"Retry." + f.name, "is negative: 0 means the default"}
		}
		*f.value = cmp.Or(*f.value, f.zero)
	}
	if p.AttemptTimeout < time.Millisecond {
		return p, &ConfigError{"Retry.AttemptTimeout", tooShort}
	}
	if p.StallTimeout < time.Millisecond {
		return p, &ConfigError{"Retry.StallTimeout", tooShort}
	}
	if p.MaxWait < p.MinWait {
		return p, &ConfigError{"Retry.MaxWait", "is less than MinWait"}
	}
	if p.MaxAttempts < 0 {
		return p, &ConfigError{"Retry.MaxAttempts", "is negative: 0 means 5, and 1 no repeat"}
	}
	p.MaxAttempts = cmp.Or(p.MaxAttempts, 5)
	p.Budget = cmp.Or(p.Budget, 2)
	return p, nil
}

// outcome classes the ends of an attempt by the attempt that may follow.
type outcome int

const (
	final   outcome = iota // another attempt cannot help
	unsent                 // nothing reached the service
	limited                // 429
	renewed                // 401, and there is another token
	lost                   // no answer, or a truncated answer without a good status
	failing                // 500, 503 and others, see outcomeOf
	cutOff                 // a truncated answer with a good status

	expired // final, but a 401 that calls the token expired: the source may have another
	silent  // lost before the first byte of the answer to a GET, HEAD or OPTIONS
)

// isFinal reports whether no other attempt can help.
func (o outcome) isFinal() bool { return o == final || o == expired }

// repeatRules lists, for each outcome, the methods that are repeated after it.
// The table of docs/retries.md is generated from it.
var repeatRules = [...]struct {
	what           string
	get, put, post bool // put: and DELETE
}{
	unsent:  {"no connection: refused, no route, no answer of the name service, handshake cut off, GOAWAY", true, true, true},
	limited: {"429", true, true, true},
	renewed: {"401 that calls the token expired, and the source has another: once", true, true, true},
	lost:    {"reset, closed or no answer in time, before a good status", true, true, false},
	failing: {"408, 425, 500, 502, 503, 504, 520 to 530", true, true, false},
	cutOff:  {"answer cut off or stalled after a good status", true, false, false},
	final:   {"anything else, such as an unknown name, a failed TLS handshake, a certificate that is missing, garbage", false, false, false},
}

func (o outcome) repeats(method string) bool {
	switch o { // expired is a kind of final, silent a kind of lost
	case expired:
		o = final
	case silent:
		o = lost
	}
	rule := repeatRules[o]
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return rule.get
	case http.MethodPut, http.MethodDelete:
		return rule.put
	}
	return rule.post
}

// wait returns the wait before a repeat, with equal jitter. After a Retry-After it returns the time
// asked for and up to 0.5 s more, so that callers with the same Retry-After do not repeat together.
func (p *RetryPolicy) wait(repeat int, retryAfter time.Duration) time.Duration {
	if retryAfter > 0 && retryAfter <= p.MaxRetryAfter {
		return retryAfter + rand.N(min(retryAfter/4, 500*time.Millisecond)+1)
	}
	d := p.MaxWait
	if repeat < 30 && p.MinWait < p.MaxWait>>repeat {
		d = p.MinWait << repeat
	}
	return d/2 + rand.N(d/2+1)
}

// outcomeOf returns the outcome of an attempt that was answered with a status.
func outcomeOf(status int) outcome {
	switch status {
	case http.StatusTooManyRequests:
		return limited
	case http.StatusRequestTimeout, http.StatusTooEarly,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return failing
	}
	if status >= 520 && status <= 530 { // proxies answer so for a service that they cannot reach
		return failing
	}
	return final
}

// checkRetry reports whether another attempt follows. The loop calls it once
// after each attempt; a *failedAttempt in err names the call and its failure.
func checkRetry(_ context.Context, _ *http.Response, err error) (bool, error) {
	f, failed := errors.AsType[*failedAttempt](err)
	if !failed {
		return false, nil
	}
	c := f.call
	c.reached = c.reached || f.outcome != unsent
	f.stopped = c.stop(f, time.Now())
	if f.stopped != "" {
		c.watch.endAttempt(AttemptEnd{Err: f.err})
		return false, nil
	}
	if f.outcome != renewed {
		c.repeats++
	}
	c.mayHaveExecuted = c.mayHaveExecuted || f.mayHaveExecuted
	c.last = f
	f.drop()
	c.retryer.RetryWaitMin = f.wait // what Backoff returns
	c.logRepeat(f)
	if c.request.turn != nil {
		c.request.turn.StepOut() // another job runs during the wait
	}
	c.watch.endAttempt(AttemptEnd{Err: f.err, Repeat: true, Wait: f.wait})
	return true, nil
}

// stop decides whether an attempt follows f. It returns the reason why none does, or "" and sets
// f.wait.
func (c *call) stop(f *failedAttempt, now time.Time) StopReason {
	if f.outcome == final && f.status != 0 && f.status < 500 {
		c.succeeded(now) // the service works
	}
	if f.stopped != "" {
		return f.stopped
	}
	if f.outcome != renewed {
		f.wait = c.endpoint.retry.wait(c.repeats, f.retryAfter)
	}
	if reason := c.unrepeatable(f); reason != "" {
		return reason
	}
	return c.exhausted(f, now)
}

// unrepeatable returns why the outcome or the method forbids a repeat, or "". It looks at neither
// time nor budget.
func (c *call) unrepeatable(f *failedAttempt) StopReason {
	repeats := f.outcome.repeats(c.op.method)
	switch {
	case c.ctx.Err() != nil && !f.outcome.isFinal():
		f.endedToo(c.ctx.Err())
		return StopCanceled
	case f.outcome.isFinal(), f.outcome == cutOff && !repeats:
		return StopFinal
	case !repeats, c.given != nil && !c.given.canRepeat():
		return StopNotIdempotent
	}
	return ""
}

// exhausted returns which bound of the policy forbids a repeat. If it returns "", the repeat is
// paid for.
func (c *call) exhausted(f *failedAttempt, now time.Time) StopReason {
	policy := c.endpoint.retry
	switch {
	case f.retryAfter > policy.MaxRetryAfter:
		return StopRetryAfter
	case f.outcome != renewed && c.repeats+1 >= policy.MaxAttempts:
		return StopAttempts
	case !now.Add(f.wait).Before(c.deadline):
		return StopDeadline
	case f.outcome != renewed && !c.pay(f, now):
		return StopBudget
	}
	return ""
}

// pay takes a token for a repeat out of the budget and reports whether it had one. A repeat after
// an attempt that did not reach the service costs nothing: a first attempt costs no token, and a
// repeat that was not sent has left its token. After a silent loss the next attempt pays when it
// begins. If many calls failed together, pay delays the repeat so that they start one after the
// other, as far as the caller has the time.
func (c *call) pay(f *failedAttempt, now time.Time) bool {
	b := c.endpoint.budget
	if b == nil || f.outcome == unsent {
		return true
	}
	if f.outcome == silent {
		c.cost.Owe(now, f.resent)
	} else if !c.cost.Charge(now, f.resent) {
		return false
	}
	if later := b.Spread(now); now.Add(f.wait + later).Before(c.deadline) {
		f.wait += later
	}
	return true
}

// succeeded credits the budget with an attempt that the service answered.
func (c *call) succeeded(now time.Time) { c.cost.Succeeded(now) }
