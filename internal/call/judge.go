package call

import (
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/refusal"
)

// outcome classes the ends of an attempt by the attempt that may follow.
type outcome int

const (
	final       outcome = iota // another attempt cannot help
	unsent                     // nothing reached the service
	limited                    // 429
	renewed                    // 401, and there is another token
	interrupted                // no answer, or a truncated answer without a good status
	failing                    // 500, 503 and others, see outcomeOf
	cutOff                     // a truncated answer with a good status

	expired // final, but a 401 that calls the token expired: the source may have another
	silent  // interrupted before the first byte of the answer to a GET, HEAD or OPTIONS
)

// isFinal reports whether no other attempt can help.
func (o outcome) isFinal() bool { return o == final || o == expired }

// repeatRules lists, for each outcome, the methods that are repeated after it.
// The table of docs/retries.md is generated from it.
var repeatRules = [...]struct {
	what           string
	get, put, post bool // put: and DELETE
}{
	unsent:      {"no connection: refused, no route, no answer of the name service, handshake cut off, GOAWAY", true, true, true},
	limited:     {"429", true, true, true},
	renewed:     {"401 that calls the token expired, and the source has another: once", true, true, true},
	interrupted: {"reset, closed or no answer in time, before a good status", true, true, false},
	failing:     {"408, 425, 500, 502, 503, 504, 520 to 530", true, true, false},
	cutOff:      {"answer cut off or stalled after a good status", true, false, false},
	final:       {"anything else, such as an unknown name, a failed TLS handshake, a certificate that is missing, garbage", false, false, false},
}

func (o outcome) repeats(method string) bool {
	switch o { // expired is a kind of final, silent a kind of interrupted
	case expired:
		o = final
	case silent:
		o = interrupted
	}
	rule := repeatRules[o]
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return rule.get
	case http.MethodPut, http.MethodDelete:
		return rule.put
	}
	return rule.post
}

// outcomeOf returns the outcome of an attempt that was answered with a status.
func outcomeOf(status int) outcome {
	switch status {
	case http.StatusTooManyRequests:
		return limited
	case http.StatusRequestTimeout, http.StatusTooEarly,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return failing
	}
	if status >= 520 && status <= 530 { // proxies answer so for a service that they cannot reach
		return failing
	}
	return final
}

// judge finds the outcome of a refused answer. That of a lost one send and read have found.
func (c *Call) judge(f *Failure) {
	f.RetryAfter = refusal.RetryAfter(f.Header(), time.Now())
	if !c.owner.Judge(f) {
		f.outcome = outcomeOf(f.Status())
		f.MayHaveExecuted = f.outcome == failing && !c.request.safe()
	}
	if f.Status() == http.StatusUnauthorized && c.endpoint.Credential.Renew != nil && c.mayBeExpired(&f.Words) {
		f.outcome = expired
	}
}

// mayBeExpired reports whether another token may help after a 401 with these words. The answer to a
// given request is not read: if its header names no error, the token may have expired, and only a
// request that may be executed twice is sent again.
func (c *Call) mayBeExpired(w *refusal.Words) bool {
	unexplained := c.request.Given != nil && w.AuthError == "" && !w.WrongKind()
	return w.TokenExpired() || unexplained && interrupted.repeats(c.request.Method)
}

// bound returns what forbids a repeat after f, but for the budget: the outcome, the method, the
// caller's context, or a number of the policy. If nothing does, it also returns the wait before the
// repeat.
func (c *Call) bound(f *Failure, now time.Time) (wait time.Duration, stop Stop) {
	policy, repeats := c.endpoint.Policy, f.outcome.repeats(c.request.Method)
	byPolicy := f.outcome != renewed // a renewed token goes out at once, and is no attempt of MaxAttempts
	if byPolicy {
		wait = policy.wait(c.history.repeats, f.RetryAfter)
	}
	switch {
	case c.clock.ctx.Err() != nil && !f.outcome.isFinal():
		f.Also = c.clock.ctx.Err()
		return 0, Canceled
	case f.outcome.isFinal(), f.outcome == cutOff && !repeats:
		return 0, Final
	case !repeats, c.request.Given != nil && !c.request.Given.canRepeat():
		return 0, NotIdempotent
	case f.RetryAfter > policy.MaxRetryAfter:
		return 0, RetryAfter
	case byPolicy && c.history.repeats+1 >= policy.MaxAttempts:
		return 0, Attempts
	case !now.Add(wait).Before(c.clock.end):
		return 0, Deadline
	}
	return wait, Going
}
