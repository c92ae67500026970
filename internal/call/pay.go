package call

import "time"

// credit adds to the budget for an answer that no repeat changes: the service works.
func (c *Call) credit(f *Failure, now time.Time) {
	if f.outcome == final && f.Response != nil && f.Status() < 500 {
		c.cost.Succeeded(now)
	}
}

// pay takes a token for a repeat out of the budget. A repeat after an attempt that did not reach the service costs
// nothing: a first attempt costs no token, and a repeat that was not sent has left its token. After a
// silent loss the next attempt pays when it begins. If many calls failed together, pay delays the
// repeat so that they start one after the other, as far as the caller has the time.
func (c *Call) pay(f *Failure, now time.Time) Stop {
	b := c.endpoint.Budget
	if b == nil || f.outcome == unsent || f.outcome == renewed {
		return Going
	}
	if f.outcome == silent {
		c.cost.Owe(now, f.resent)
	} else if !c.cost.Charge(now, f.resent) {
		return Budget
	}
	if later := b.Spread(now); now.Add(f.wait + later).Before(c.clock.end) {
		f.wait += later
	}
	return Going
}
