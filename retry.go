package jobboard

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryPolicy sets which requests are repeated, when and how often. The zero
// value of each field selects the default in its comment.
//
// GET, PUT and DELETE are repeated after a lost connection, a time-out, 429,
// 500, 502, 503 and 504. PUT and DELETE are not repeated once a good status has
// arrived. POST is repeated only if the service certainly did not execute it:
// no connection, or 429. Lasting failures, such as an unknown name or a failed
// TLS handshake, are not repeated. After a 401 that calls the token expired the
// request is repeated once with another token, without a wait and whatever
// MaxAttempts says. While the service rejects every token in turn, each is
// still replaced, but no request repeated until it takes one.
//
// The wait before repeat n is uniform in [d/2, d] with
// d = min(MinWait * 2^n, MaxWait), or what Retry-After asks for. Calls of one
// client that fail together start their repeats one after the other, up to
// 0.8 s later than that. If a wait does not fit the time that the caller has
// left, the call ends at once with the last answer.
type RetryPolicy struct {
	MaxAttempts      int           // sends in all; 0 means 5, 1 means no repeat
	MinWait, MaxWait time.Duration // 200 ms, 5 s
	MaxRetryAfter    time.Duration // 30 s; a longer demand ends the call at once with the answer
	AttemptTimeout   time.Duration // 15 s to the end of a bounded body; Postings: to its headers
	StallTimeout     time.Duration // 10 s without a byte of body

	// A Client and its Applicants share one budget of tokens per origin. Every
	// repeat takes a token, except one after an attempt that found no
	// connection; without a token the call ends with the last failure. A
	// repeat that succeeds gives its token back, a first attempt that succeeds
	// adds BudgetRatio, time adds nothing. The capacity is
	// max(Budget, min(10, BudgetRatio*S60), BudgetRatio*S10), where S60 and S10
	// are the first attempts of the last 60 and 10 s that succeeded.
	Budget      int     // tokens at the start and least capacity; 0 means 2, negative: no budget
	BudgetRatio float64 // 0 means 0.3
}

// callTimeout bounds a call whose context has no deadline.
const callTimeout = 60 * time.Second

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
			return p, &ConfigError{"Retry." + f.name, "is negative"}
		}
		if *f.value == 0 {
			*f.value = f.zero
		}
	}
	if p.MaxWait < p.MinWait {
		return p, &ConfigError{"Retry.MaxWait", "is less than MinWait"}
	}
	if p.MaxAttempts < 0 {
		return p, &ConfigError{"Retry.MaxAttempts", "is negative"}
	}
	if p.MaxAttempts == 0 {
		p.MaxAttempts = 5
	}
	if p.Budget == 0 {
		p.Budget = 2
	}
	if p.BudgetRatio < 0 || math.IsNaN(p.BudgetRatio) || math.IsInf(p.BudgetRatio, 0) {
		return p, &ConfigError{"Retry.BudgetRatio", "is not a number of at least 0"}
	}
	if p.BudgetRatio == 0 {
		p.BudgetRatio = 0.3
	}
	return p, nil
}

// event classifies the outcome of an attempt by whether another may follow.
type event int

const (
	final   event = iota // another attempt cannot help
	unsent               // nothing reached the service
	limited              // 429
	renewed              // 401, and there is another token
	lost                 // no answer, or a part of one without a good status
	failing              // 500, 502, 503, 504
	cutOff               // a part of an answer with a good status
)

// repeatRules lists, for each event, the methods that are repeated after it.
// The table of docs/retries.md is generated from it.
var repeatRules = [...]struct {
	what           string
	get, put, post bool // put: and DELETE
}{
	unsent:  {"no connection: refused, no route, no answer of the name service, handshake cut off", true, true, true},
	limited: {"429", true, true, true},
	renewed: {"401 that calls the token expired, and the source has another: once", true, true, true},
	lost:    {"reset, closed or no answer in time, before a good status", true, true, false},
	failing: {"500, 502, 503, 504", true, true, false},
	cutOff:  {"answer cut off or stalled after a good status", true, false, false},
	final:   {"anything else, such as an unknown name, a failed TLS handshake, garbage", false, false, false},
}

func (e event) repeats(method string) bool {
	rule := repeatRules[e]
	switch method {
	case http.MethodGet:
		return rule.get
	case http.MethodPost:
		return rule.post
	}
	return rule.put
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
	c.stopped = c.stop(f, time.Now())
	again := c.stopped == ""
	end := AttemptEnd{StatusCode: f.status, Err: f.err, Repeat: again}
	if again {
		c.unclear = c.unclear || f.unclear
		// Most calls never wait: only those that do have a function for it.
		c.retryer.Backoff = func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return c.wait }
		end.Wait = c.wait
		c.last = f
		c.logRepeat(f)
		if c.turn != nil {
			c.turn.StepOut() // another job works while this one waits
		}
	}
	c.endAttempt(end)
	return again, nil
}

// stop books a failed attempt. It returns the reason why no other one follows,
// or returns "" and sets the wait before the next.
func (c *call) stop(f *failedAttempt, now time.Time) StopReason {
	if f.stopped != "" {
		return f.stopped
	}
	if f.event == final && !f.expired && f.status != 0 && f.status < 500 {
		c.succeeded(now) // the service works
	}
	c.wait = 0
	if f.event != renewed {
		c.wait = c.slot.policy.wait(c.repeats, f.retryAfter)
	}
	pausing := c.pause(f, now)
	if reason := c.unrepeatable(f); reason != "" {
		return reason
	}
	if reason := c.exhausted(f, now, pausing); reason != "" {
		return reason
	}
	if f.event != renewed {
		c.repeats++
	}
	return ""
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
	policy := c.slot.policy
	switch {
	case f.retryAfter > policy.MaxRetryAfter && !pausing:
		return StopRetryAfter
	case f.event != renewed && c.repeats+1 >= policy.MaxAttempts:
		return StopAttempts
	case !now.Add(c.wait).Before(c.deadline):
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
	if c.turn == nil || !c.turn.Pause || f.retryAfter <= 0 || f.event != limited && f.event != failing {
		return false
	}
	policy := c.slot.policy
	asked := min(f.retryAfter, policy.MaxRetryAfter)
	c.turn.PauseUntil(now.Add(asked))
	c.wait = policy.wait(c.repeats, asked)
	if _, own := c.ctx.Deadline(); !own {
		c.deadline = c.deadline.Add(c.wait)
	}
	return true
}

// pay takes a token for a repeat out of the budget and reports whether there was
// one. After an attempt that was not sent the repeat costs nothing. If many
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
	if later := b.Spread(now); now.Add(c.wait + later).Before(c.deadline) {
		c.wait += later
	}
	return true
}

// succeeded books an attempt that was answered.
func (c *call) succeeded(now time.Time) {
	switch b := c.slot.budget; {
	case b == nil:
	case c.paid:
		b.Return(now)
	default:
		b.Earn(now)
	}
}

// wait returns the wait before a repeat, with equal jitter. If the service asked
// for a time, it returns that time and a little more, so that callers who were
// told the same time do not return together.
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

func repeatedStatus(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// parseRetryAfter reads Retry-After: seconds, or one of the three forms of an
// HTTP date, measured from the Date header if there is one and from now if not.
// It returns 0 if the header is absent or cannot be used.
func parseRetryAfter(header http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(header.Get("Retry-After"))
	if v == "" {
		return 0
	}
	if strings.Trim(v, "0123456789") == "" {
		seconds, err := strconv.ParseInt(v, 10, 64)
		if err != nil || seconds > int64(maxDemand/time.Second) {
			return maxDemand
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return min(max(at.Sub(now), 0), maxDemand)
}

// maxDemand caps the wait that Retry-After can ask for.
const maxDemand = 100 * 365 * 24 * time.Hour
