package call

import (
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/budget"
)

// payment is what the repeats of a call take from the retry budget, and its answers add to it. Its
// Settle takes the token that the repeat of a silent loss owes, once the wait is over.
type payment struct{ budget.Repeats }

// credit adds to the budget for an answer that no repeat changes: the service works.
func (p *payment) credit(f *Failure, now time.Time) {
	if f.outcome == final && f.Response != nil && f.Status() < 500 {
		p.Succeeded(now)
	}
}

// pay takes a token for the repeat of f out of the budget. A repeat after an attempt that did not
// reach the service costs nothing: a first attempt costs no token, and a repeat that was not sent has
// left its token. After a silent loss the next attempt pays when it begins. If many calls failed
// together, pay makes the wait longer so that they start one after the other, as far as there is time
// before end. It returns the wait.
func (p *payment) pay(f *Failure, wait time.Duration, now, end time.Time) (time.Duration, Stop) {
	if p.Budget == nil || f.outcome == unsent || f.outcome == renewed {
		return wait, Going
	}
	if f.outcome == silent {
		p.Owe(now, f.resent)
	} else if !p.Charge(now, f.resent) {
		return wait, Budget
	}
	if later := p.Budget.Spread(now); now.Add(wait + later).Before(end) {
		wait += later
	}
	return wait, Going
}
