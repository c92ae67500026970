package credential

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

const (
	fetchTime    = 15 * time.Second // longest wait for a fetch
	maxFetches   = 2                // fetches of one source at the same time
	fetchPause   = time.Second      // between two fetches of one source
	expiryMargin = 10 * time.Second // as in package oauth2; a fifth of the token's life if that is less
	longestBreak = 28 * time.Second // between two attempts to renew ahead of time
	maxCached    = 1024             // foreign sources known to a Client
)

var (
	errSlowSource   = errors.New("the token source did not answer within 15 s")
	errHungSource   = errors.New("the token source still does not answer")
	errRenewedSoon  = errors.New("a token was fetched less than a second ago")
	errSourceExited = errors.New("the token source ended its goroutine")
)

// Cache holds the token of one source. NewCache makes one.
type Cache struct {
	// fetch asks the source, for another token than rejected if that is set.
	fetch func(ctx context.Context, rejected string) (*oauth2.Token, error)
	ours  bool // fetch ends with its context, and a token without an Expiry is kept

	mu          sync.Mutex
	cached      *Authorization
	running     *fetching
	outstanding int // fetches that have not returned, including abandoned fetches
	lastErr     error
	failedUntil time.Time // lastErr is remembered until then
	nextAhead   time.Time // earliest start of the next renewal ahead of time
	asked       time.Time // the last fetch
	replaced    time.Time // the last replacement of a rejected token
	rejected    string    // the last rejected token
	verdicts    verdicts
}

// fetching is a fetch under way.
type fetching struct {
	done       chan struct{} // closed with auth or err set
	auth       *Authorization
	err        error
	cancel     context.CancelFunc
	patience   *time.Timer
	waiters    int
	background bool // renews ahead of time, and continues without a waiting caller
}

// NewCache returns a cache of the tokens that fetch gets. fetch must return when its context ends.
// A token without an Expiry stays until it is rejected.
func NewCache(fetch func(ctx context.Context) (*oauth2.Token, error)) *Cache {
	return &Cache{ours: true, fetch: func(ctx context.Context, _ string) (*oauth2.Token, error) { return fetch(ctx) }}
}

// Credential returns the credential of the tokens.
func (k *Cache) Credential() Credential {
	return Credential{
		Header: func(w Waiter) (*Authorization, error) { return k.get(w, "") },
		Renew: func(w Waiter, rejected string) (*Authorization, error) {
			auth, err := k.get(w, rejected)
			if err == nil && auth.Secret != rejected {
				k.replaces(auth)
			}
			return auth, err
		},
	}
}

type contextWaiter struct{ ctx context.Context }

func (w contextWaiter) WaitContext() context.Context { return w.ctx }

// Token returns the cached token, or fetches a token if the cached token is the rejected one or has
// expired.
func (k *Cache) Token(ctx context.Context, rejected string) (*oauth2.Token, error) {
	auth, err := k.get(contextWaiter{ctx}, rejected)
	if err != nil {
		return nil, err
	}
	token := auth.token
	return &token, nil
}

func (k *Cache) get(w Waiter, rejected string) (*Authorization, error) {
	for {
		auth, f, err := k.join(w, rejected)
		if f == nil {
			return auth, err
		}
		ctx := w.WaitContext() // ask again in each round: a call of WaitContext in join ends the previous context
		select {
		case <-f.done:
		case <-ctx.Done():
			k.leave(f)
			return nil, ctx.Err()
		}
		if !errors.Is(f.err, errSlowSource) || !k.ours {
			return f.auth, f.err
		}
	}
}

// join returns the cached token, the fetch to wait for, or the error that prevents a fetch.
func (k *Cache) join(w Waiter, rejected string) (*Authorization, *fetching, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	if auth := k.cached; auth != nil && auth.Secret != rejected && now.Before(auth.until) {
		k.renewAhead(now)
		return auth, nil, nil
	}
	if f := k.running; f != nil {
		f.waiters++
		return nil, f, nil
	}
	switch {
	case rejected != "" && k.tooSoon(now, rejected):
		return nil, nil, errRenewedSoon
	case now.Before(k.failedUntil):
		return nil, nil, k.lastErr
	case k.outstanding >= maxFetches:
		return nil, nil, errHungSource
	}
	if rejected != "" {
		k.rejected, k.replaced = rejected, now
		k.cached = nil
	}
	// The fetch has the values of the first caller's context, but does not end with it.
	f := k.start(context.WithoutCancel(w.WaitContext()), rejected)
	f.waiters++
	return nil, f, nil
}

// renewAhead starts a fetch in the background if it is time to renew the kept
// token. The caller holds k.mu.
func (k *Cache) renewAhead(now time.Time) {
	if ahead := k.cached.ahead; ahead.IsZero() || now.Before(ahead) || now.Before(k.nextAhead) {
		return
	}
	if k.running == nil && k.outstanding < maxFetches {
		k.nextAhead = now.Add(longestBreak - rand.N(longestBreak/4))
		k.start(context.Background(), "").background = true
	}
}

// tooSoon reports whether a rejected token must not be replaced yet, because of a fetch within the
// last second. A fetch that replaced no token does not count if the rejected token is another than
// the last one and the service has not refused a renewed token: a token may have ended just after it
// was fetched. The caller holds k.mu.
func (k *Cache) tooSoon(now time.Time, rejected string) bool {
	if now.Sub(k.asked) >= fetchPause {
		return false
	}
	return k.rejected == rejected || k.verdicts.refused || now.Sub(k.replaced) < fetchPause
}

// start begins a fetch. The caller holds k.mu.
func (k *Cache) start(ctx context.Context, rejected string) *fetching {
	ctx, cancel := context.WithCancel(ctx)
	f := &fetching{done: make(chan struct{}), cancel: cancel}
	k.running, k.asked = f, time.Now()
	k.outstanding++
	f.patience = time.AfterFunc(fetchTime, func() { k.giveUp(f) })
	go k.run(ctx, f, rejected)
	return f
}

// run asks the source, which is foreign code and may panic or end its goroutine. So run has a
// goroutine of its own, which outlives the callers if the source hangs.
func (k *Cache) run(ctx context.Context, f *fetching, rejected string) {
	auth, err := (*Authorization)(nil), errSourceExited
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the token source panicked with a %T", p)
		}
		f.patience.Stop()
		k.returned(f, auth, err)
	}()
	token, err := k.fetch(ctx, rejected)
	if err == nil {
		auth, err = authorize(token)
	}
}

// giveUp ends the wait for a fetch that has lasted 15 s. The fetch itself may continue: returned
// then takes its result.
func (k *Cache) giveUp(f *fetching) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running == f {
		k.answer(f, nil, errSlowSource)
	}
}

// returned takes the result of a fetch. A failure is remembered, except of a background fetch
// without waiting callers.
func (k *Cache) returned(f *fetching, auth *Authorization, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.outstanding--
	if k.running != f {
		k.returnedLate(auth)
		return
	}
	switch {
	case err == nil:
		k.keep(auth)
	case !f.background || f.waiters > 0:
		k.lastErr, k.failedUntil = err, time.Now().Add(500*time.Millisecond+rand.N(500*time.Millisecond))
	}
	k.answer(f, auth, err)
}

// returnedLate takes the result of an abandoned fetch. The cache keeps the token if it holds no
// valid token. auth is nil if the fetch failed. The caller holds k.mu.
func (k *Cache) returnedLate(auth *Authorization) {
	valid := k.cached != nil && time.Now().Before(k.cached.until)
	if auth != nil && !valid {
		k.keep(auth)
	}
}

// answer ends the running fetch and gives its result to the waiting callers. The caller
// holds k.mu.
func (k *Cache) answer(f *fetching, auth *Authorization, err error) {
	k.running = nil
	f.auth, f.err = auth, err
	close(f.done)
	f.cancel()
}

// keep caches a token until shortly before its Expiry, and for a second at least, so that not every
// call asks the source. Without an Expiry it keeps a foreign source's token for that second, and any
// other token until it is rejected.
func (k *Cache) keep(auth *Authorization) {
	now := time.Now()
	auth.until = now.Add(fetchPause)
	switch expiry := auth.token.Expiry; {
	case !expiry.IsZero():
		life := expiry.Sub(now)
		if end := expiry.Add(-min(expiryMargin, life/5)); end.After(auth.until) {
			auth.until = end
		}
		if k.ours && life > 0 {
			auth.ahead = now.Add(max(fetchPause, life/4*3+rand.N(life/20+1))) // life*3/4 could overflow
		}
	case k.ours:
		auth.until = now.AddDate(100, 0, 0)
	}
	auth.cache = k
	k.cached, k.failedUntil, k.nextAhead = auth, time.Time{}, time.Time{}
}

// leave removes a waiting caller. If no caller is left and fetch heeds its context, leave cancels
// the fetch; the next caller starts another.
func (k *Cache) leave(f *fetching) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f.waiters--
	if k.ours && f.waiters == 0 && !f.background && k.running == f {
		k.running = nil
		f.cancel()
	}
}

// Foreign makes credentials of token sources that are not of this library. Applicants made of the
// same source share its token. The zero value is ready.
type Foreign struct {
	mu    sync.Mutex
	known map[oauth2.TokenSource]Credential
}

// Of returns the credential of a source.
func (f *Foreign) Of(source oauth2.TokenSource) Credential {
	f.mu.Lock()
	defer f.mu.Unlock()
	cred, known, knowable := f.find(source)
	switch {
	case known:
		return cred
	case !knowable:
		return cacheOf(source).Credential()
	case f.known == nil:
		f.known = map[oauth2.TokenSource]Credential{}
	case len(f.known) >= maxCached:
		for other := range f.known { // drop any source: its token can be fetched again
			delete(f.known, other)
			break
		}
	}
	cred = cacheOf(source).Credential()
	f.known[source] = cred
	return cred
}

// find returns the credential of a source that is known, and whether sources of its type can be
// known: a map panics for a key that cannot be compared. Asking package reflect costs four
// allocations.
func (f *Foreign) find(source oauth2.TokenSource) (cred Credential, known, knowable bool) {
	defer func() { knowable = recover() == nil }()
	cred, known = f.known[source]
	return cred, known, true
}

// cacheOf returns a new cache for a foreign source.
func cacheOf(source oauth2.TokenSource) *Cache {
	return &Cache{fetch: func(ctx context.Context, rejected string) (*oauth2.Token, error) {
		if r, ok := source.(renewer); ok && rejected != "" {
			return r.Renew(ctx, rejected)
		}
		return source.Token()
	}}
}

// renewer is jobboard.Renewer.
type renewer interface {
	Renew(ctx context.Context, rejected string) (*oauth2.Token, error)
}
