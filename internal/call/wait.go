package call

import (
	"math/rand/v2"
	"time"
)

// Policy holds the numbers that bound repeats and attempts. The fields mean what those of
// jobboard.RetryPolicy mean, with the defaults filled in.
type Policy struct {
	MaxAttempts                  int
	MinWait, MaxWait             time.Duration
	MaxRetryAfter                time.Duration
	AttemptTimeout, StallTimeout time.Duration
}

// wait returns the wait before a repeat, with equal jitter. After a Retry-After it returns the time
// asked for and up to 0.5 s more, so that callers with the same Retry-After do not repeat together.
func (p *Policy) wait(repeat int, retryAfter time.Duration) time.Duration {
	if retryAfter > 0 && retryAfter <= p.MaxRetryAfter {
		return retryAfter + rand.N(min(retryAfter/4, 500*time.Millisecond)+1)
	}
	d := p.MaxWait
	if repeat < 30 && p.MinWait < p.MaxWait>>repeat {
		d = p.MinWait << repeat
	}
	return d/2 + rand.N(d/2+1)
}

// wait notes that f is repeated after a wait, and returns how much of it is left once the answer is
// closed. Meanwhile another job of the bulk call runs.
func (c *Call) wait(f *Failure, wait time.Duration) time.Duration {
	if f.outcome != renewed {
		c.history.repeats++
	}
	c.history.reached = c.history.reached || f.outcome != unsent
	c.history.executed = c.history.executed || f.MayHaveExecuted
	c.last = f
	if f.Answer != nil {
		began := time.Now()
		f.Answer.discard(c.clock.end)
		f.Answer, wait = nil, max(wait-time.Since(began), 0)
	}
	c.retryer.RetryWaitMin = wait // what Backoff returns
	if c.request.Turn != nil {
		c.request.Turn.StepOut()
	}
	return wait
}
