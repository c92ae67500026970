package credential

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"
)

// scripted is a keeper of tokens that a test gives it; an empty one is a failure.
func scripted(tokens ...string) *Keeper {
	return NewKeeper(func(context.Context) (*oauth2.Token, error) {
		token := tokens[0]
		tokens = tokens[1:]
		if token == "" {
			return nil, errors.New("no token")
		}
		return &oauth2.Token{AccessToken: token}, nil
	})
}

// get asks a keeper for a token other than the rejected one; nil: it has none.
func get(t *testing.T, k *Keeper, rejected string) *Authorization {
	auth, _ := k.get(contextWaiter{t.Context()}, rejected)
	time.Sleep(2 * time.Second) // another may be fetched
	return auth
}

// await returns the verdict on a token, or 0 if a caller would have to wait for it.
func await(t *testing.T, a *Authorization) (*Authorization, Verdict) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	auth, verdict, err := a.Await(contextWaiter{ctx})
	if (verdict == 0) != errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("verdict %d, %v", verdict, err)
	}
	return auth, verdict
}

// What is known of a token, from the rejection of the one before.
func TestVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		tokens  []string
		happens func(t *testing.T, k *Keeper, one, two *Authorization) *Authorization // returns the token in question
		verdict Verdict
		secret  string
	}{
		"nobody knows": {
			happens: func(_ *testing.T, _ *Keeper, _, two *Authorization) *Authorization { return two }, verdict: Probe, secret: "two",
		},
		"another caller is the probe": {happens: func(t *testing.T, _ *Keeper, _, two *Authorization) *Authorization {
			await(t, two)
			return two
		}},
		"the probe says nothing": {happens: func(t *testing.T, _ *Keeper, _, two *Authorization) *Authorization {
			await(t, two)
			two.EndProbe(false)
			return two
		}, verdict: Probe, secret: "two"},
		"the probe is refused": {happens: func(t *testing.T, _ *Keeper, _, two *Authorization) *Authorization {
			await(t, two)
			two.EndProbe(true)
			return two
		}, verdict: Refused, secret: "two"},
		"it is taken": {happens: func(_ *testing.T, _ *Keeper, _, two *Authorization) *Authorization {
			two.Answered(404)
			return two
		}, verdict: Taken, secret: "two"},
		"it is taken, and a probe of before was refused": {happens: func(t *testing.T, _ *Keeper, _, two *Authorization) *Authorization {
			await(t, two)
			two.Answered(200)
			two.EndProbe(true)
			return two
		}, verdict: Taken, secret: "two"},
		"only the one before it is taken": {happens: func(_ *testing.T, _ *Keeper, one, two *Authorization) *Authorization {
			one.Answered(200)
			return two
		}, verdict: Probe, secret: "two"},
		"a limit says nothing": {happens: func(_ *testing.T, _ *Keeper, _, two *Authorization) *Authorization {
			for _, status := range []int{429, 401, 503, 302} {
				two.Answered(status)
			}
			return two
		}, verdict: Probe, secret: "two"},
		"another call was refused, within a second": {happens: func(t *testing.T, k *Keeper, _, two *Authorization) *Authorization {
			k.replaced = time.Now()
			get(t, k, "two")
			return two
		}, verdict: Refused, secret: "two"},
		"another call was refused": {tokens: []string{"one", "two", "three"}, happens: func(t *testing.T, k *Keeper, _, two *Authorization) *Authorization {
			get(t, k, "two")
			return two
		}, verdict: Refused},
		"another call was refused, and there is no other": {tokens: []string{"one", "two", ""}, happens: func(t *testing.T, k *Keeper, _, two *Authorization) *Authorization {
			get(t, k, "two")
			return two
		}, verdict: Refused},
		"the next after one in doubt": {tokens: []string{"one", "two", "three"}, happens: func(t *testing.T, k *Keeper, _, _ *Authorization) *Authorization {
			return get(t, k, "two")
		}, verdict: Refused, secret: "three"},
		"the next after one in doubt, which is taken": {tokens: []string{"one", "two", "three"}, happens: func(t *testing.T, k *Keeper, _, _ *Authorization) *Authorization {
			three := get(t, k, "two")
			three.Answered(200)
			return three
		}, verdict: Taken, secret: "three"},
		"the next after one that was taken": {tokens: []string{"one", "two", "three"}, happens: func(t *testing.T, k *Keeper, _, two *Authorization) *Authorization {
			two.Answered(200)
			return get(t, k, "two")
		}, verdict: Probe, secret: "three"},
		"the next after next of one that was taken": {tokens: []string{"one", "two", "three", "four"}, happens: func(t *testing.T, k *Keeper, _, _ *Authorization) *Authorization {
			get(t, k, "two").Answered(200)
			return get(t, k, "three")
		}, verdict: Probe, secret: "four"},
		"the next after a failure": {tokens: []string{"one", "two", "", "three"}, happens: func(t *testing.T, k *Keeper, _, two *Authorization) *Authorization {
			two.Answered(200)
			get(t, k, "two")
			return get(t, k, "")
		}, verdict: Probe, secret: "three"},
		"replaced by a fetch that nobody asked for": {tokens: []string{"one", "two", "three"}, happens: func(t *testing.T, k *Keeper, _, two *Authorization) *Authorization {
			k.kept.until = time.Now()
			get(t, k, "")
			return two
		}, verdict: Probe, secret: "three"},
		"the same again": {tokens: []string{"one", "two", "two", "three"}, happens: func(t *testing.T, k *Keeper, _, two *Authorization) *Authorization {
			two.Answered(200)
			get(t, k, "two")
			return get(t, k, "two") // it is in doubt now
		}, verdict: Refused, secret: "three"},
		"the next by its end after one in doubt, which was taken": {tokens: []string{"one", "two", "three", "four"}, happens: func(t *testing.T, k *Keeper, _, _ *Authorization) *Authorization {
			get(t, k, "two").Answered(200)
			k.kept.until = time.Now()
			return get(t, k, "")
		}, verdict: Probe, secret: "four"},
		"the same again, in doubt": {tokens: []string{"one", "two", "two"}, happens: func(t *testing.T, k *Keeper, _, two *Authorization) *Authorization {
			two.Answered(200)
			return get(t, k, "two")
		}, verdict: Refused, secret: "two"},
		"the same again, and taken by a call of before": {tokens: []string{"one", "two", "two"}, happens: func(t *testing.T, k *Keeper, _, two *Authorization) *Authorization {
			two.Answered(200)
			again := get(t, k, "two")
			two.Answered(200)
			return again
		}, verdict: Taken, secret: "two"},
		"the same again, and taken": {tokens: []string{"one", "two", "two"}, happens: func(t *testing.T, k *Keeper, _, two *Authorization) *Authorization {
			two.Answered(200)
			again := get(t, k, "two")
			again.Answered(200)
			return again
		}, verdict: Taken, secret: "two"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tokens := c.tokens
				if tokens == nil {
					tokens = []string{"one", "two"}
				}
				k := scripted(tokens...)
				one := get(t, k, "")
				auth, verdict := await(t, c.happens(t, k, one, get(t, k, "one")))
				if verdict != c.verdict || c.secret != "" && (auth == nil || auth.Secret != c.secret) {
					t.Errorf("verdict %d on %v, want %d on %q", verdict, auth, c.verdict, c.secret)
				}
			})
		})
	}
}

// Whoever waits for the verdict on a token learns of the next one.
func TestWaitingForAVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(t *testing.T, k *Keeper, two *Authorization)
		verdict Verdict
		secret  string
	}{
		"taken":    {func(_ *testing.T, _ *Keeper, two *Authorization) { two.Answered(200) }, Taken, "two"},
		"refused":  {func(_ *testing.T, _ *Keeper, two *Authorization) { two.EndProbe(true) }, Refused, "two"},
		"passed":   {func(_ *testing.T, _ *Keeper, two *Authorization) { two.EndProbe(false) }, Probe, "two"},
		"rejected": {func(t *testing.T, k *Keeper, _ *Authorization) { get(t, k, "two") }, Refused, ""},
		"replaced": {func(t *testing.T, k *Keeper, _ *Authorization) {
			k.mu.Lock()
			k.kept.until = time.Now()
			k.mu.Unlock()
			get(t, k, "")
		}, Probe, "three"},
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
				auth, verdict := await(t, two)
				if verdict != c.verdict || c.secret != "" && auth.Secret != c.secret || time.Since(start) != 500*time.Millisecond {
					t.Errorf("verdict %d on %v after %v, want %d on %s", verdict, auth, time.Since(start), c.verdict, c.secret)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}
