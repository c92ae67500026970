package budget

import "time"

// Repeats pays for the repeats of one call out of a Budget. The zero value with a Budget
// has paid for nothing. It is not safe for concurrent use, as a call is not.
type Repeats struct {
	Budget *Budget // nil: repeats cost nothing

	paid    bool      // a token is spent on the request under way, or the next that is sent
	owed    float64   // tokens for the next repeat, which are paid when its wait is over; 0: none
	since   time.Time // when the request was lost for whose repeat they are owed
	excused bool      // the one repeat that is free after such a loss is used
}

// Charge takes a token for a repeat, and one more where net/http has made a repeat by itself
// that was lost as well. It reports whether there were as many.
func (r *Repeats) Charge(now time.Time, resent bool) bool {
	return r.Budget == nil || r.take(now, price(resent))
}

// Owe puts off the charge for the repeat after a loss without a byte of an answer. Settle
// makes it.
func (r *Repeats) Owe(now time.Time, resent bool) {
	if r.Budget != nil {
		r.owed, r.since = price(resent), now
	}
}

// Settle makes the charge that Owe has put off, once the wait before the repeat is over, and
// reports whether the repeat may be sent. The first one is free if the service has answered
// another request since the loss: then not the service is down but one server, such as one
// that is restarted, and what it lost at that moment may be more than the budget holds.
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

// BeginProbe is that of the Budget, and pays for the request that is the probe.
func (r *Repeats) BeginProbe(now time.Time) (allowed bool, ended <-chan struct{}) {
	allowed, paid, ended := r.Budget.BeginProbe(now)
	r.paid = r.paid || paid
	return allowed, ended
}

// Free lets the next repeat cost nothing: no token that was paid before comes back for it.
func (r *Repeats) Free() { r.paid = false }

// Succeeded books an attempt that was answered: the token comes back that was paid for it, or
// else it counts as a first attempt.
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
