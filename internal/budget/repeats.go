package budget

import "time"

// Repeats pays for the repeats of one call out of a Budget. The zero value with a Budget has paid
// for nothing. Repeats is not safe for concurrent use.
type Repeats struct {
	Budget *Budget // nil: repeats cost nothing

	paid    bool      // the current or next request has been paid for
	owed    float64   // tokens that Settle takes for the next repeat; 0: none
	since   time.Time // when the request was lost
	excused bool      // the call has had its free repeat
}

// Charge takes a token for a repeat, and reports whether the budget had enough. If net/http had
// already sent the lost request twice by itself, Charge takes two tokens.
func (r *Repeats) Charge(now time.Time, resent bool) bool {
	return r.Budget == nil || r.take(now, price(resent))
}

// Owe postpones the charge for a repeat until Settle. Call it after a connection ended without a
// byte of an answer.
func (r *Repeats) Owe(now time.Time, resent bool) {
	if r.Budget != nil {
		r.owed, r.since = price(resent), now
	}
}

// Settle takes the tokens that Owe postponed, after the wait before the repeat, and reports whether
// the repeat may be sent. The call's first such repeat is free if the service has answered another
// request since the loss. Then only one server is down, for example during a restart, and may have
// lost more requests at once than the budget has tokens.
func (r *Repeats) Settle(now time.Time) bool {
	owed := r.owed
	if owed == 0 {
		return true
	}
	r.owed = 0
	if !r.paid && !r.excused && r.Budget.SucceededSince(r.since) {
		r.excused = true
		return true
	}
	return r.take(now, owed)
}

// Succeeded credits the Budget after an answered attempt. For a repeat it returns the token that the repeat took; for a
// first attempt it adds the ratio.
func (r *Repeats) Succeeded(now time.Time) {
	switch {
	case r.Budget == nil:
	case r.paid:
		r.Budget.Return(now)
	default:
		r.Budget.Earn(now)
	}
}

func (r *Repeats) take(now time.Time, tokens float64) bool {
	paid := r.Budget.Pay(now, tokens)
	r.paid = r.paid || paid
	return paid
}

func price(resent bool) float64 {
	if resent {
		return 2
	}
	return 1
}
