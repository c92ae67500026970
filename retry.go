package jobboard

import (
	"cmp"
	"context"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/call"
)

// RetryPolicy sets which requests are repeated, when and how often. The zero
// value of each field selects the default in its comment.
//
// GET, PUT and DELETE are repeated after a lost connection, a time-out and the statuses 408, 425,
// 429, 500, 502, 503, 504 and 520 to 530. PUT and DELETE are not repeated if a good status arrived
// before the answer broke off. POST is repeated only if the service certainly did not execute it:
// no connection, or 429. Lasting failures, such as an unknown name or a failed TLS handshake, are
// not repeated.
//
// After a 401 that calls the token expired, the request is repeated once with another token,
// without a wait, without a token of the budget and whatever MaxAttempts says. Calls whose token was
// rejected at the same time share one new token, and each repeats its own request. If the service
// refuses the new token too, calls of that token source are not repeated until the service accepts
// a token of it: they renew the rejected token, at most once a second, and end with their 401, and
// the next call sends the new token first. While the service refuses the renewed tokens of one
// source, the same holds for sources of the same origin of which it has never accepted a token. The service accepts a token
// when it answers with 2xx, or with 4xx other than 401 and 429.
//
// The wait before a repeat is a random time between d/2 and d, where d = min(MinWait * 2^n,
// MaxWait) and n is the number of earlier repeats. After a Retry-After of r the wait is a random
// time between r and r + min(r/4, 0.5 s). Calls of one client that fail together start their
// repeats one after the other, which adds up to 0.8 s. If the caller's time ends before the wait
// would, the call ends at once with the last answer.
type RetryPolicy struct {
	MaxAttempts      int           // the most attempts of a call; 0 means 5, 1 means no repeat
	MinWait, MaxWait time.Duration // bounds of the wait before a repeat; 200 ms, 5 s
	MaxRetryAfter    time.Duration // 30 s; if the service asks for a longer wait, the call ends at once with its answer
	AttemptTimeout   time.Duration // 15 s for one attempt, to the end of its answer; for Postings, to the headers; at least 1 ms
	StallTimeout     time.Duration // 10 s; the longest wait for the next byte of a body

	// A Client and its Applicants share one budget of tokens for each origin. A repeat takes a
	// token, except after an attempt that found no connection. If the budget has no token, the call
	// ends with its last failure. A GET whose connection ended without a byte of an answer takes
	// its token only after the wait. Its first repeat is free if the service answered another
	// request during the wait, for example when servers restart one by one. net/http by itself
	// repeats a request whose idle connection was closed; if that repeat is lost too, it takes a
	// token.
	//
	// A first attempt that succeeds adds 0.3 tokens; a repeat that succeeds gives its token
	// back; time adds nothing. For the budget an attempt succeeds if its status is below 500 and
	// not 408, 425, 429 or a 401 for a token that can be renewed. The budget's capacity is
	// max(Budget, min(10, 0.3*S60), 0.3*S10), where S60 and S10 are the numbers of
	// first attempts that succeeded in the last 60 s and 10 s.
	Budget int // tokens at the start, and the smallest capacity; 0 means 2, negative: no budget
}

// budgetRatio is how many tokens a first attempt that succeeds adds to the budget.
const budgetRatio = 0.3

// Limiter spaces requests out. Wait blocks until the next request may start, and
// returns an error if it may not. It must return when its context ends: a call
// waits for it however long it takes. *rate.Limiter of golang.org/x/time/rate
// implements it.
type Limiter interface {
	Wait(ctx context.Context) error
}

// tooShort is what is wrong with a time limit within which no answer can come.
const tooShort = "is less than a millisecond: was a unit left out, as in 10*time.Second?"

func (p RetryPolicy) withDefaults() (RetryPolicy, error) {
	for _, f := range []struct {
		name  string
		value *time.Duration
		zero  time.Duration
	}{
		{"MinWait", &p.MinWait, 200 * time.Millisecond},
		{"MaxWait", &p.MaxWait, 5 * time.Second},
		{"MaxRetryAfter", &p.MaxRetryAfter, 30 * time.Second},
		{"AttemptTimeout", &p.AttemptTimeout, 15 * time.Second},
		{"StallTimeout", &p.StallTimeout, 10 * time.Second},
	} {
		if *f.value < 0 {
			return p, &ConfigError{"Retry." + f.name, "is negative: 0 means the default"}
		}
		*f.value = cmp.Or(*f.value, f.zero)
	}
	if p.AttemptTimeout < time.Millisecond {
		return p, &ConfigError{"Retry.AttemptTimeout", tooShort}
	}
	if p.StallTimeout < time.Millisecond {
		return p, &ConfigError{"Retry.StallTimeout", tooShort}
	}
	if p.MaxWait < p.MinWait {
		return p, &ConfigError{"Retry.MaxWait", "is less than MinWait"}
	}
	if p.MaxAttempts < 0 {
		return p, &ConfigError{"Retry.MaxAttempts", "is negative: 0 means 5, and 1 no repeat"}
	}
	p.MaxAttempts = cmp.Or(p.MaxAttempts, 5)
	p.Budget = cmp.Or(p.Budget, 2)
	return p, nil
}

// numbers returns the policy for the engine.
func (p *RetryPolicy) numbers() *call.Policy {
	return &call.Policy{
		MaxAttempts: p.MaxAttempts, MinWait: p.MinWait, MaxWait: p.MaxWait, MaxRetryAfter: p.MaxRetryAfter,
		AttemptTimeout: p.AttemptTimeout, StallTimeout: p.StallTimeout,
	}
}
