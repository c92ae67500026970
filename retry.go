package jobboard

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// RetryPolicy says what is repeated, when and how often. The zero value of
// each field means the default in its comment.
//
// A repeat needs a reason: 429, 500, 502, 503 or 504, a refused or reset
// connection, an answer cut off, or a time-out. GET is repeated for all of
// them; PUT and DELETE for all but 500 and a 503 with Retry-After; POST only where the service certainly
// did not execute it: refused, never connected, or 429. The wait before repeat n
// is uniform in [d/2, d] with d = min(MinWait * 2^n, MaxWait), or what
// Retry-After asks for; calls of one client that fail at one moment start their
// repeats up to 0.8 s later than that, one after the other. No wait is longer than the time the caller has left:
// then the last answer comes back at once.
type RetryPolicy struct {
	MaxAttempts      int           // sends in all; 0 means 5, 1 means no repeat
	MinWait, MaxWait time.Duration // 200 ms, 5 s
	MaxRetryAfter    time.Duration // 30 s; a longer demand ends the call at once with the answer
	AttemptTimeout   time.Duration // 15 s to the end of a bounded body; Postings: to its headers
	StallTimeout     time.Duration // 10 s without a byte of body

	// Every repeat takes a token of the budget that a Client and its
	// Applicants share for an origin; without one the last failure is final.
	// A repeat that succeeds gives its token back, a first attempt that
	// succeeds adds BudgetRatio, time adds nothing.
	Budget      int     // tokens at the start and least capacity; 0 means 10, negative: no budget
	BudgetRatio float64 // 0 means 0.3; the capacity is at most this times the successes of the last 10 s
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
		p.Budget = 10
	}
	if p.BudgetRatio < 0 || math.IsNaN(p.BudgetRatio) || math.IsInf(p.BudgetRatio, 0) {
		return p, &ConfigError{"Retry.BudgetRatio", "is not a number of at least 0"}
	}
	if p.BudgetRatio == 0 {
		p.BudgetRatio = 0.3
	}
	return p, nil
}

// newRetryer is go-retryablehttp with our policy: it runs the loop, the waits
// and the rewinding of bodies; what the call knows decides. There is one per
// call, because Backoff is told nothing of the request it is for.
func (c *call) newRetryer() retryablehttp.Client {
	return retryablehttp.Client{
		HTTPClient:   c.slot.client,
		RetryMax:     math.MaxInt32, // the call counts
		CheckRetry:   checkRetry,
		Backoff:      c.backoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// checkRetry runs after the headers and once more after the answer was read:
// only the second, or a failure to get an answer at all, decides.
func checkRetry(ctx context.Context, _ *http.Response, err error) (bool, error) {
	c := callOf(ctx)
	if err == nil && !c.read {
		return false, nil
	}
	if err != nil && c.outcome == nil {
		c.outcome = c.transportFailure(err)
	}
	again := c.decide(time.Now())
	if c.watch != nil {
		end := AttemptEnd{Repeat: again}
		if again {
			end.Wait = c.wait
		}
		c.endAttempt(end)
	}
	return again, nil
}

// backoff hands over the wait that decide chose.
func (c *call) backoff(_, _ time.Duration, _ int, _ *http.Response) time.Duration {
	c.waiting = true
	return c.wait
}

// outcome is one failed attempt and what may follow it.
type outcome struct {
	err         error
	status      int
	words       words
	body        []byte
	retryAfter  time.Duration
	retryable   bool // another attempt may succeed
	unprocessed bool // the service certainly did not execute the request
	unclear     bool // it may have executed it
	ended       bool // the caller's context ended it
}

// decide books the attempt and says whether there is another one, and after
// what wait.
func (c *call) decide(now time.Time) bool {
	o := c.outcome
	if o != nil && o.ended {
		c.stopped = StopCanceled
		return false
	}
	if o == nil || !o.retryable {
		if c.budget != nil && (o == nil || o.status != 0 && o.status < 500) {
			c.budget.succeeded(now, c.repeats > 0)
		}
		c.stopped = StopFinal
		return false
	}
	wait := c.policy.wait(c.repeats, o.retryAfter)
	switch {
	case c.Err() != nil:
		c.stopped = StopCanceled
	case !o.unprocessed && !c.op.idempotent():
		c.stopped = StopNotIdempotent
	case !o.unprocessed && !c.op.safe() && o.status == http.StatusInternalServerError:
		c.stopped = StopNotIdempotent
	case o.retryAfter > c.policy.MaxRetryAfter:
		c.stopped = StopRetryAfter
	case !o.unprocessed && !c.op.safe() && o.retryAfter > 0:
		// Who asks for time may have begun with it.
		c.stopped = StopNotIdempotent
	case c.repeats+1 >= c.policy.MaxAttempts:
		c.stopped = StopAttempts
	case !now.Add(wait).Before(c.deadline):
		c.stopped = StopDeadline
	case !c.pay(now, wait):
		c.stopped = StopBudget
	default:
		c.repeats++
		c.unclear = c.unclear || o.unclear
		c.logRepeat()
		return true
	}
	return false
}

// pay takes a repeat out of the budget and sets its wait. That is longer than
// the policy's where many calls failed together, if the caller has the time.
func (c *call) pay(now time.Time, wait time.Duration) bool {
	c.wait = wait
	if c.budget == nil {
		return true
	}
	later, ok := c.budget.take(now)
	if now.Add(wait + later).Before(c.deadline) {
		c.wait += later
	}
	return ok
}

// wait is equal jitter, or what the service asked for and a little more, so
// that those who were told the same time do not come back as one.
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

// parseRetryAfter reads seconds or one of the three forms of an HTTP date,
// held against the service's own clock where it tells it. What cannot be used
// is 0: absent.
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

// maxDemand is as long as any demand to wait is taken for.
const maxDemand = 100 * 365 * 24 * time.Hour

// transportFailure says what a failure without a whole answer means. What is
// repeated is an allow-list; everything else, such as a TLS alert or a garbage
// status line, is final.
func (c *call) transportFailure(err error) *outcome {
	if cause := c.Err(); cause != nil {
		return c.contextFailure(cause)
	}
	o := &outcome{}
	var sent bool
	o.retryable, sent = retryableTransport(err)
	if c.conn.known() {
		sent = c.conn.sent()
	}
	o.unprocessed = !sent
	o.unclear = sent && !c.op.safe()
	kind := ErrTransport
	if isTimeout(err) {
		kind = ErrTimeout
	}
	o.err = &failure{kind: kind, detail: clean(c.scrub(causeText(err)), maxErrorCause), cause: safeCause(err)}
	return o
}

// contextFailure is the end of the caller's context.
func (c *call) contextFailure(cause error) *outcome {
	o := &outcome{err: cause, ended: true, unclear: !c.op.safe() && c.attempts > 0 && (!c.conn.known() || c.conn.sent())}
	if errors.Is(cause, context.DeadlineExceeded) {
		o.err = &failure{kind: ErrTimeout, detail: cause.Error(), cause: cause}
	}
	return o
}

// errAttemptTimeout and errStalled end an attempt, not the caller's context.
var (
	errAttemptTimeout error = timeoutError("no whole answer within the attempt's time")
	errStalled        error = timeoutError("no byte of the body for too long")
	errCallTimeout    error = timeoutError("no answer within the time of a call without a deadline")
)

type timeoutError string

func (e timeoutError) Error() string { return string(e) }
func (timeoutError) Timeout() bool   { return true }

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

// retryableTransport says whether a failure may pass, and whether the request
// may have reached the service.
func retryableTransport(err error) (retryable, sent bool) {
	sent = !isDial(err)
	switch {
	case isNameError(err):
		return false, sent
	case isTimeout(err), isRefused(err), isReset(err):
		return true, sent
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe):
		return true, sent
	}
	// net/http does not export these. A change of its words makes the
	// failure final, never a call sent twice.
	text := err.Error()
	for _, passing := range []string{
		"http: server closed idle connection",
		"http2: server sent GOAWAY and closed the connection",
		"http2: client connection lost",
		"stream error: stream ID ",
	} {
		if strings.Contains(text, passing) {
			return true, sent
		}
	}
	return false, sent
}
