package credential

import "net/http"

// State is the state of the circuit breaker for a new token. The service rejected the token
// of a call, and the cache fetched a new one. The state tells that call what to do now:
//
//	state     what is known                      what the call does
//	Closed    the service took the new token     repeats its request
//	Open      the service refused it             ends with its 401
//	HalfOpen  nothing: no call has sent it yet   repeats first, as the probe; the others wait
//
// The breaker of a new token begins half open if the service had accepted the rejected token. It
// begins open if the rejected token was itself a replacement that the service never accepted.
type State int

// The states. The zero value is that of a breaker whose probe is under way.
const (
	Closed State = iota + 1
	Open
	HalfOpen
)

// breaker is the circuit breaker of the token that a Cache fetched last. It belongs to the Cache
// and not to an Authorization, because a foreign source may return the same token for many
// Authorizations.
type breaker struct {
	secret         string
	state          State         // Closed, Open, or zero: not known yet
	afterRejection bool          // the token replaced a rejected token, and the service has not accepted it yet
	probed         bool          // a call tries the token
	changed        chan struct{} // closed when the waiting calls must look again; nil: no call waits
}

// Await waits until the breaker tells a call what to do with the new token, and returns the
// breaker's state and the authorization for the repeat. It returns HalfOpen to one call at a time,
// until any call learns whether the service accepts the token. Await returns the error of the
// waiter's context if the context ends first.
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

// judge returns the state of the breaker for token a, or a channel that is closed when the state
// may have changed. If a newer token has replaced a, judge returns the newer token and its state.
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

// EndProbe ends the probe of the token. If the service neither accepted nor refused the token, the
// next waiting call becomes the probe.
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
	if k.breaker.secret == a.Secret { // an older token says nothing about the breaker's
		k.breaker.state, k.breaker.afterRejection = Closed, false
		k.rejecting.Store(false)
		k.decide(false)
	}
	a.taken.Store(true)
}

// decide wakes the calls that wait for the probe, to look at the state again. If refused is set and
// the state is not known yet, decide opens the breaker. The caller holds k.mu.
func (k *Cache) decide(refused bool) {
	if refused && k.breaker.state == 0 {
		k.breaker.state = Open
	}
	if k.breaker.changed != nil {
		close(k.breaker.changed)
		k.breaker.changed = nil
	}
}

// guard makes a new breaker for a token that the cache will hold. The caller holds k.mu.
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
