package credential

import "net/http"

// Verdict is what an answer says about the token that its request carried.
type Verdict int

// The verdicts.
const (
	NoVerdict Verdict = iota
	Accepted          // the token can be renewed, and the service accepted it
	Refused           // the token replaced a rejected one, and the service refused it too
)

// verdicts holds what the service has said about the tokens of one source. A call whose token was
// rejected repeats its request with a new token, unless the service is likely to refuse that one
// too: see Withheld. Cache.mu guards it.
type verdicts struct {
	refused  bool // the service refused the last renewed token, and has accepted no token since
	accepted bool // the service has accepted a token
}

// replaces notes that a call got the token in place of a rejected one.
func (k *Cache) replaces(a *Authorization) {
	k.mu.Lock()
	defer k.mu.Unlock()
	a.renewed = true
}

// Answered notes the status of the answer to a request with the token, and returns what it says.
// The service accepted the token if the status is 2xx, or 4xx other than 401 and 429.
func (a *Authorization) Answered(status int) Verdict {
	k := a.cache
	if k == nil {
		return NoVerdict
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case status == http.StatusUnauthorized:
		// If the service has accepted a, the token has ended. If it has accepted a newer token, the
		// answer came late.
		if !a.renewed || a.accepted || k.cached != nil && k.cached.accepted {
			return NoVerdict
		}
		k.verdicts.refused = true
		return Refused
	case status/100 == 2, status/100 == 4 && status != http.StatusTooManyRequests:
		a.accepted = true
		k.verdicts = verdicts{accepted: true}
		return Accepted
	}
	return NoVerdict
}

// Withheld reports whether a call must not repeat its request with the token: the service refused
// the source's last renewed token or, if it has never accepted a token of the source, that of any
// source of the origin (originRefuses).
func (a *Authorization) Withheld(originRefuses bool) bool {
	k := a.cache
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.verdicts.refused || originRefuses && !k.verdicts.accepted
}
