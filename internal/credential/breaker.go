package credential

import "net/http"

// Verdict says what a call does whose token was rejected and replaced.
type Verdict int

// The verdicts.
const (
	Taken   Verdict = iota + 1 // the service takes the new token: the call repeats its request
	Refused                    // it does not: the call ends
	Probe                      // nobody knows yet: the call repeats first, and then calls EndProbe
)

// trial holds what is known of the last token that a Keeper kept. The Keeper has
// it, and not an Authorization, because a source that is not ours may give the same
// token again and again.
type trial struct {
	secret  string
	verdict Verdict       // Taken, Refused, or zero: nobody knows
	inDoubt bool          // it came after another one was rejected, and was not taken yet
	probed  bool          // one call is the probe
	changed chan struct{} // closed when those who wait must look again; nil: nobody waits
}

// Await waits until a call may know what to do about the token that replaced its
// own, and returns that with the authorization to repeat with. Calls for which it
// returns Probe come one after the other, until one of them or any other call
// learns whether the service takes the token. Await returns the error of the
// waiter's context if that ends first.
func (a *Authorization) Await(w Waiter) (*Authorization, Verdict, error) {
	k := a.keeper
	for {
		auth, verdict, changed := k.judge(a)
		if verdict != 0 {
			return auth, verdict, nil
		}
		ctx := w.WaitContext()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
	}
}

// judge returns the verdict on a token, or the channel that is closed when there
// may be one. If another token has taken its place, the verdict is on that one.
func (k *Keeper) judge(a *Authorization) (*Authorization, Verdict, <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := &k.trial
	if a.Secret != t.secret {
		if k.kept == nil {
			return nil, Refused, nil
		}
		a = k.kept
	}
	switch {
	case t.verdict != 0:
		return a, t.verdict, nil
	case !t.probed:
		t.probed = true
		return a, Probe, nil
	case t.changed == nil:
		t.changed = make(chan struct{})
	}
	return nil, 0, t.changed
}

// EndProbe ends the probe of the token. If the service has not taken it, and did
// not refuse it either, the next call that waits becomes the probe.
func (a *Authorization) EndProbe(refused bool) {
	k := a.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.trial.secret == a.Secret {
		k.trial.probed = false
		k.decide(refused)
	}
}

// Answered ends the doubt about a token and its keeper if the status of an answer
// says that the service took the token: 2xx, or 4xx other than 401 and 429.
func (a *Authorization) Answered(status int) {
	k := a.keeper
	if k == nil || a.taken.Load() && !k.doubt.Load() {
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
	if k.trial.secret == a.Secret { // an older one says nothing about it
		k.trial.verdict, k.trial.inDoubt = Taken, false
		k.doubt.Store(false)
		k.decide(false)
	}
	a.taken.Store(true)
}

// decide wakes the calls that wait for a verdict, so that they ask again what it is. If
// refused is set, and there was no verdict, it is Refused from now on. The caller holds
// k.mu.
func (k *Keeper) decide(refused bool) {
	if refused && k.trial.verdict == 0 {
		k.trial.verdict = Refused
	}
	if k.trial.changed != nil {
		close(k.trial.changed)
		k.trial.changed = nil
	}
}

// try begins the trial of a token that is kept from now on. One that replaces a
// token in doubt is not worth a probe. The caller holds k.mu.
func (k *Keeper) try(secret string) {
	if secret != k.trial.secret {
		k.decide(false)
		k.trial = trial{secret: secret}
		if k.hopeless {
			k.trial.verdict = Refused
		}
	}
	k.trial.inDoubt = k.doubt.Load()
	k.hopeless = false
}
