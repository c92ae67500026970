package credential

import "net/http"

// State is that of the circuit breaker which stands before a new token. A call whose token
// was rejected and replaced learns from it what to do:
//
//	state     what is known                      what the call does
//	Closed    the service took the new token     repeats its request
//	Open      the service refused it             ends with its 401
//	HalfOpen  nothing: no call has sent it yet   repeats first, as the probe; the others wait
//
// A token that replaces one which was taken begins half open. One that replaces a token which
// had itself replaced a rejected one, and was never taken, begins open.
type State int

// The states. The zero value is that of a breaker whose probe is under way.
const (
	Closed State = iota + 1
	Open
	HalfOpen
)

// breaker is the circuit breaker of the token that a Cache fetched last. The Cache has
// it, and not an Authorization, because a source that is not ours may give the same
// token again and again.
type breaker struct {
	secret         string
	state          State         // Closed, Open, or zero: nobody knows
	afterRejection bool          // the token replaced a rejected one, and the service has not taken it yet
	probed         bool          // one call is the probe
	changed        chan struct{} // closed when the waiting calls must look again; nil: no call waits
}

// Await waits until a call may know what to do about the token that replaced its
// own, and returns that with the authorization to repeat with. Calls for which it
// returns HalfOpen come one after the other, until one of them or any other call
// learns whether the service takes the token. Await returns the error of the
// waiter's context if that ends first.
func (a *Authorization) Await(w Waiter) (*Authorization, State, error) {
	k := a.cache
	for {
		auth, state, changed := k.judge(a)
		if state != 0 {
			return auth, state, nil
		}
		ctx := w.WaitContext()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
	}
}

// judge returns the state of a token's breaker, or the channel that is closed when that may
// be known. If another token has taken its place, judge returns that one and its state.
func (k *Cache) judge(a *Authorization) (*Authorization, State, <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := &k.breaker
	if a.Secret != t.secret {
		if k.cached == nil {
			return nil, Open, nil
		}
		a = k.cached
	}
	switch {
	case t.state != 0:
		return a, t.state, nil
	case !t.probed:
		t.probed = true
		return a, HalfOpen, nil
	case t.changed == nil:
		t.changed = make(chan struct{})
	}
	return nil, 0, t.changed
}

// EndProbe ends the probe of the token. If the service has not taken it, and did
// not refuse it either, the next call that waits becomes the probe.
func (a *Authorization) EndProbe(refused bool) {
	k := a.cache
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.breaker.secret == a.Secret {
		k.breaker.probed = false
		k.decide(refused)
	}
}

// Answered closes the breaker of a token if the status of an answer says that the service
// took the token: 2xx, or 4xx other than 401 and 429.
func (a *Authorization) Answered(status int) {
	k := a.cache
	if k == nil || a.taken.Load() && !k.rejecting.Load() {
		return
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusTooManyRequests:
		return
	case status/100 != 2 && status/100 != 4:
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.breaker.secret == a.Secret { // an older one says nothing about it
		k.breaker.state, k.breaker.afterRejection = Closed, false
		k.rejecting.Store(false)
		k.decide(false)
	}
	a.taken.Store(true)
}

// decide wakes the calls that wait for the probe, so that they look at the state again. If
// refused is set, and the state was not known, the breaker is open from now on. The caller
// holds k.mu.
func (k *Cache) decide(refused bool) {
	if refused && k.breaker.state == 0 {
		k.breaker.state = Open
	}
	if k.breaker.changed != nil {
		close(k.breaker.changed)
		k.breaker.changed = nil
	}
}

// guard puts a breaker before a token that is cached from now on. The caller holds k.mu.
func (k *Cache) guard(secret string) {
	if secret != k.breaker.secret {
		k.decide(false)
		k.breaker = breaker{secret: secret}
		if k.nextOpen {
			k.breaker.state = Open
		}
	}
	k.breaker.afterRejection = k.rejecting.Load()
	k.nextOpen = false
}
