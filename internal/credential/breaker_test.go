package credential

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"
)

// scripted is a cache of tokens that a test gives it; an empty one is a failure.
func scripted(tokens ...string) *Cache {
	return NewCache(func(context.Context) (*oauth2.Token, error) {
		token := tokens[0]
		tokens = tokens[1:]
		if token == "" {
			return nil, errors.New("no token")
		}
		return &oauth2.Token{AccessToken: token}, nil
	})
}

// get asks a cache for a token other than the rejected one; nil: it has none.
func get(t *testing.T, k *Cache, rejected string) *Authorization {
	auth, _ := k.get(contextWaiter{t.Context()}, rejected)
	time.Sleep(2 * time.Second) // another may be fetched
	return auth
}

// await returns the state of a token's breaker, or 0 if a caller would have to wait for it.
func await(t *testing.T, a *Authorization) (*Authorization, State) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	auth, state, err := a.Await(contextWaiter{ctx})
	if (state == 0) != errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("state %d, %v", state, err)
	}
	return auth, state
}

// The rejection of the previous token decides how far a token is trusted.
func TestBreaker(t *testing.T) {
	for name, c := range map[string]struct {
		tokens  []string
		happens func(t *testing.T, k *Cache, one, two *Authorization) *Authorization // returns the token in question
		state   State
		secret  string
	}{
		"nobody knows": {
			happens: func(_ *testing.T, _ *Cache, _, two *Authorization) *Authorization { return two }, state: HalfOpen, secret: "two",
		},
		"another caller is the probe": {happens: func(t *testing.T, _ *Cache, _, two *Authorization) *Authorization {
			await(t, two)
			return two
		}},
		"the probe says nothing": {happens: func(t *testing.T, _ *Cache, _, two *Authorization) *Authorization {
			await(t, two)
			two.EndProbe(false)
			return two
		}, state: HalfOpen, secret: "two"},
		"the probe is refused": {happens: func(t *testing.T, _ *Cache, _, two *Authorization) *Authorization {
			await(t, two)
			two.EndProbe(true)
			return two
		}, state: Open, secret: "two"},
		"it is taken": {happens: func(_ *testing.T, _ *Cache, _, two *Authorization) *Authorization {
			two.Answered(404)
			return two
		}, state: Closed, secret: "two"},
		"it is taken, and a probe of before was refused": {happens: func(t *testing.T, _ *Cache, _, two *Authorization) *Authorization {
			await(t, two)
			two.Answered(200)
			two.EndProbe(true)
			return two
		}, state: Closed, secret: "two"},
		"only the one before it is taken": {happens: func(_ *testing.T, _ *Cache, one, two *Authorization) *Authorization {
			one.Answered(200)
			return two
		}, state: HalfOpen, secret: "two"},
		"a limit says nothing": {happens: func(_ *testing.T, _ *Cache, _, two *Authorization) *Authorization {
			for _, status := range []int{429, 401, 503, 302} {
				two.Answered(status)
			}
			return two
		}, state: HalfOpen, secret: "two"},
		"another call was refused, within a second": {happens: func(t *testing.T, k *Cache, _, two *Authorization) *Authorization {
			k.replaced = time.Now()
			get(t, k, "two")
			return two
		}, state: Open, secret: "two"},
		"another call was refused": {tokens: []string{"one", "two", "three"}, happens: func(t *testing.T, k *Cache, _, two *Authorization) *Authorization {
			get(t, k, "two")
			return two
		}, state: Open},
		"another call was refused, and there is no other": {tokens: []string{"one", "two", ""}, happens: func(t *testing.T, k *Cache, _, two *Authorization) *Authorization {
			get(t, k, "two")
			return two
		}, state: Open},
		"the next after one not taken yet": {tokens: []string{"one", "two", "three"}, happens: func(t *testing.T, k *Cache, _, _ *Authorization) *Authorization {
			return get(t, k, "two")
		}, state: Open, secret: "three"},
		"the next after one not taken yet, which is taken": {tokens: []string{"one", "two", "three"}, happens: func(t *testing.T, k *Cache, _, _ *Authorization) *Authorization {
			three := get(t, k, "two")
			three.Answered(200)
			return three
		}, state: Closed, secret: "three"},
		"the next after one that was taken": {tokens: []string{"one", "two", "three"}, happens: func(t *testing.T, k *Cache, _, two *Authorization) *Authorization {
			two.Answered(200)
			return get(t, k, "two")
		}, state: HalfOpen, secret: "three"},
		"the next after next of one that was taken": {tokens: []string{"one", "two", "three", "four"}, happens: func(t *testing.T, k *Cache, _, _ *Authorization) *Authorization {
			get(t, k, "two").Answered(200)
			return get(t, k, "three")
		}, state: HalfOpen, secret: "four"},
		"the next after a failure": {tokens: []string{"one", "two", "", "three"}, happens: func(t *testing.T, k *Cache, _, two *Authorization) *Authorization {
			two.Answered(200)
			get(t, k, "two")
			return get(t, k, "")
		}, state: HalfOpen, secret: "three"},
		"replaced by a fetch that nobody asked for": {tokens: []string{"one", "two", "three"}, happens: func(t *testing.T, k *Cache, _, two *Authorization) *Authorization {
			k.cached.until = time.Now()
			get(t, k, "")
			return two
		}, state: HalfOpen, secret: "three"},
		"the same again": {tokens: []string{"one", "two", "two", "three"}, happens: func(t *testing.T, k *Cache, _, two *Authorization) *Authorization {
			two.Answered(200)
			get(t, k, "two")
			return get(t, k, "two") // the service has not accepted it yet
		}, state: Open, secret: "three"},
		"the next by its end after one not taken yet, which was taken": {tokens: []string{"one", "two", "three", "four"}, happens: func(t *testing.T, k *Cache, _, _ *Authorization) *Authorization {
			get(t, k, "two").Answered(200)
			k.cached.until = time.Now()
			return get(t, k, "")
		}, state: HalfOpen, secret: "four"},
		"the same again, not taken yet": {tokens: []string{"one", "two", "two"}, happens: func(t *testing.T, k *Cache, _, two *Authorization) *Authorization {
			two.Answered(200)
			return get(t, k, "two")
		}, state: Open, secret: "two"},
		"the same again, and taken by a call of before": {tokens: []string{"one", "two", "two"}, happens: func(t *testing.T, k *Cache, _, two *Authorization) *Authorization {
			two.Answered(200)
			again := get(t, k, "two")
			two.Answered(200)
			return again
		}, state: Closed, secret: "two"},
		"the same again, and taken": {tokens: []string{"one", "two", "two"}, happens: func(t *testing.T, k *Cache, _, two *Authorization) *Authorization {
			two.Answered(200)
			again := get(t, k, "two")
			again.Answered(200)
			return again
		}, state: Closed, secret: "two"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tokens := c.tokens
				if tokens == nil {
					tokens = []string{"one", "two"}
				}
				k := scripted(tokens...)
				one := get(t, k, "")
				auth, state := await(t, c.happens(t, k, one, get(t, k, "one")))
				if state != c.state || c.secret != "" && (auth == nil || auth.Secret != c.secret) {
					t.Errorf("state %d on %v, want %d on %q", state, auth, c.state, c.secret)
				}
			})
		})
	}
}

// A call that waits for a probe learns how the state changes.
func TestWaitingForTheProbe(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(t *testing.T, k *Cache, two *Authorization)
		state   State
		secret  string
	}{
		"taken":    {func(_ *testing.T, _ *Cache, two *Authorization) { two.Answered(200) }, Closed, "two"},
		"refused":  {func(_ *testing.T, _ *Cache, two *Authorization) { two.EndProbe(true) }, Open, "two"},
		"passed":   {func(_ *testing.T, _ *Cache, two *Authorization) { two.EndProbe(false) }, HalfOpen, "two"},
		"rejected": {func(t *testing.T, k *Cache, _ *Authorization) { get(t, k, "two") }, Open, ""},
		"replaced": {func(t *testing.T, k *Cache, _ *Authorization) {
			k.mu.Lock()
			k.cached.until = time.Now()
			k.mu.Unlock()
			get(t, k, "")
		}, HalfOpen, "three"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := scripted("one", "two", "three")
				get(t, k, "")
				two := get(t, k, "one")
				await(t, two)
				go func() {
					time.Sleep(500 * time.Millisecond)
					c.happens(t, k, two)
				}()
				start := time.Now()
				auth, state := await(t, two)
				if state != c.state || c.secret != "" && auth.Secret != c.secret || time.Since(start) != 500*time.Millisecond {
					t.Errorf("state %d on %v after %v, want %d on %s", state, auth, time.Since(start), c.state, c.secret)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}
