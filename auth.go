package jobboard

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/redact"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
	"golang.org/x/oauth2"
)

// A token goes from its source to the header here: call.authorize (attempt.go)
// asks the slot's credential; that of a token source is a keeper, which keeps the
// token as long as it is known to be valid, fetches another, and replaces one that
// the service has rejected; an authorization is what a request is sent with.

// StaticToken returns a source that always gives the same access token. No fmt
// verb, log or encoder shows it. It cannot renew: once the service calls the
// token expired, calls end with ErrUnauthorized.
func StaticToken(accessToken string) oauth2.TokenSource {
	// The token lives in functions, where no printer that follows fields
	// finds it.
	auth, err := newAuthorization(&oauth2.Token{AccessToken: accessToken})
	return staticToken{
		token:      func() string { return accessToken },
		credential: credential{header: func(waiter) (*authorization, error) { return auth, err }},
	}
}

type staticToken struct {
	hidden
	token      func() string
	credential credential
}

func (s staticToken) Token() (*oauth2.Token, error) {
	return &oauth2.Token{AccessToken: s.token(), TokenType: "Bearer"}, nil
}

// Renewer replaces a token that the service calls expired, even if its Expiry has
// not come. A token source may implement it; RenewingToken returns one that
// does. Renew returns a token other than rejected, at once if another caller
// has fetched it already. Its context ends after 15 s.
type Renewer interface {
	Renew(ctx context.Context, rejected string) (*oauth2.Token, error)
}

// RenewingToken returns a source that keeps the token of fetch. It implements
// Renewer, because the service can call a token expired before its Expiry, as
// with the sliding hour of a user's token.
//
// If a token has an Expiry, its first use after 75 to 80 % of its life calls
// fetch in the background; if that fails, the source tries again within 30 s.
// Callers that need a token at the same time share one call of fetch, and each
// waits no longer than its own context lasts. The context of fetch ends after
// 15 s, or sooner if another call of fetch takes its place or if no caller waits
// any more. After a failure all callers get its error for 0.5 to 1 s, so that
// not every call asks a broken source. The source replaces a rejected token at
// most once a second. fetch must not be nil; its token must not be empty. No fmt
// verb, log or encoder shows the token.
//
// For client credentials use RenewingToken(cfg.Token) with a
// clientcredentials.Config; the source that cfg.TokenSource returns does none
// of this.
func RenewingToken(fetch func(ctx context.Context) (*oauth2.Token, error)) oauth2.TokenSource {
	k := &keeper{ours: true, fetch: func(ctx context.Context, _ string) (*oauth2.Token, error) { return fetch(ctx) }}
	return renewingToken{get: k.token, credential: k.credential()}
}

type renewingToken struct {
	hidden
	get        func(ctx context.Context, rejected string) (*oauth2.Token, error)
	credential credential
}

func (r renewingToken) Token() (*oauth2.Token, error) { return r.get(context.Background(), "") }

func (r renewingToken) Renew(ctx context.Context, rejected string) (*oauth2.Token, error) {
	return r.get(ctx, rejected)
}

// waiter bounds a wait for a token by a context, which a call makes only where it
// has to wait.
type waiter interface{ waitContext() context.Context }

// credential gives a slot the authorization of its requests (section 5). The
// zero value sends none. Its parts are functions, so that no printer that
// follows fields finds a secret.
type credential struct {
	// header returns what a request is sent with.
	header func(w waiter) (*authorization, error)
	// renew returns another than the rejected one; nil where nothing can.
	renew func(w waiter, rejected string) (*authorization, error)
}

// basic returns HTTP Basic with the client identifier and an empty password: the
// encoded text includes the colon after the identifier.
func basic(clientID string) credential {
	secret := base64.StdEncoding.EncodeToString([]byte(clientID + ":"))
	auth := &authorization{values: []string{"Basic " + secret}, secret: secret, client: clientID}
	return credential{header: func(waiter) (*authorization, error) { return auth, nil }}
}

// authorization holds a credential and the headers made of it.
type authorization struct {
	values []string     // of the Authorization header; nil: none
	secret string       // in them
	client string       // the identifier that the secret was made of, and as secret; empty: none
	token  oauth2.Token // where they came from
	until  time.Time    // known to be valid, apart from what the service says
	ahead  time.Time    // when another is to be fetched in the background; zero: never
	doubt  *atomic.Bool // of its keeper; nil: it has none
	again  atomic.Bool  // it was fetched in doubt, and the service has not taken it
	whole  wholeHeaders
}

func newAuthorization(token *oauth2.Token) (*authorization, error) {
	if err := checkToken(token); err != nil {
		return nil, err
	}
	return &authorization{values: []string{"Bearer " + token.AccessToken}, secret: token.AccessToken, token: *token}, nil
}

// answered ends the doubt about a token and its source if the status of an answer
// says that the service took it.
func (a *authorization) answered(status int) {
	if a.doubt == nil || !a.again.Load() && !a.doubt.Load() {
		return
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusTooManyRequests:
	case status/100 == 2, status/100 == 4:
		a.again.Store(false)
		a.doubt.Store(false)
	}
}

// checkToken returns an error that says why a token cannot be sent, or nil.
func checkToken(t *oauth2.Token) error {
	switch {
	case t == nil:
		return errors.New("the token source gave none")
	case t.AccessToken == "":
		return errors.New("the access token is empty")
	case !isVisible(t.AccessToken):
		return errors.New("the access token has a character that no header may hold")
	case !t.Expiry.IsZero() && !t.Expiry.After(time.Now()):
		return errors.New("the access token is expired")
	}
	return nil
}

// isVisible reports whether s consists of one or more printable ASCII characters
// without spaces.
func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != ""
}

const (
	fetchTime     = 15 * time.Second // of one fetch, and of a wait for a source that is not ours
	maxFetches    = 2                // of one source at one time
	renewalPause  = time.Second      // between two replacements of rejected tokens
	expiryMargin  = 10 * time.Second // as oauth2 has it
	longestBreak  = 28 * time.Second // between two tries to renew ahead of time
	maxKeptTokens = 1024             // of sources that are not ours, in a Client
)

var (
	errSlowSource   = errors.New("the token source did not answer within 15 s")
	errHungSource   = errors.New("the token source still does not answer")
	errRenewedSoon  = errors.New("a token was fetched less than a second ago")
	errSourceExited = errors.New("the token source ended its goroutine")
)

// keeper keeps the token of one source.
type keeper struct {
	// fetch asks the source, for another token than rejected if that is set.
	fetch func(ctx context.Context, rejected string) (*oauth2.Token, error)
	ours  bool // fetch ends with its context, and tokens without an end are kept

	// doubt lasts from the rejection of a token until the service takes another.
	doubt atomic.Bool

	mu          sync.Mutex
	kept        *authorization
	running     *fetching
	outstanding int // fetches that have not returned, also those nobody waits for
	lastErr     error
	failedUntil time.Time // lastErr is remembered until then
	nextAhead   time.Time // no try to renew ahead of time before
	asked       time.Time // the last fetch
	replaced    time.Time // the last replacement of a rejected token
	rejected    string    // the last rejected token
}

// fetching is a fetch under way.
type fetching struct {
	done       chan struct{} // closed with auth or err set
	auth       *authorization
	err        error
	cancel     context.CancelFunc
	patience   *time.Timer
	waiters    int
	background bool // nobody need wait for it
	replacing  bool
}

func (k *keeper) credential() credential {
	return credential{
		header: func(w waiter) (*authorization, error) { return k.get(w, "") },
		renew:  k.get,
	}
}

type contextWaiter struct{ ctx context.Context }

func (w contextWaiter) waitContext() context.Context { return w.ctx }

func (k *keeper) token(ctx context.Context, rejected string) (*oauth2.Token, error) {
	auth, err := k.get(contextWaiter{ctx}, rejected)
	if err != nil {
		return nil, err
	}
	token := auth.token
	return &token, nil
}

// get returns the kept token, or fetches another if the kept one is the rejected
// one or no longer known to be valid.
func (k *keeper) get(w waiter, rejected string) (*authorization, error) {
	for {
		auth, f, err := k.join(w, rejected)
		if f == nil {
			return auth, err
		}
		ctx := w.waitContext() // each time: join may have asked for another, which ends the one before
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

// join returns the kept token, the fetch to wait for, or the error that explains
// why there is neither.
func (k *keeper) join(w waiter, rejected string) (*authorization, *fetching, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	if auth := k.kept; auth != nil && auth.secret != rejected && now.Before(auth.until) {
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
		k.kept = nil
		k.doubt.Store(true)
	}
	// The values of the first caller's context, not its end.
	f := k.start(context.WithoutCancel(w.waitContext()), rejected)
	f.waiters++
	return nil, f, nil
}

// renewAhead starts a fetch in the background if it is time to renew the kept
// token. The caller holds k.mu.
func (k *keeper) renewAhead(now time.Time) {
	if ahead := k.kept.ahead; ahead.IsZero() || now.Before(ahead) || now.Before(k.nextAhead) {
		return
	}
	if k.running == nil && k.outstanding < maxFetches {
		k.nextAhead = now.Add(longestBreak - rand.N(longestBreak/4))
		k.start(context.Background(), "").background = true
	}
}

// tooSoon reports whether a rejected token must not be replaced yet. It then
// keeps that token a moment longer, so that the source is not asked only to
// send the same token again. The caller holds k.mu.
func (k *keeper) tooSoon(now time.Time, rejected string) bool {
	if now.Sub(k.replaced) >= renewalPause && (k.rejected != rejected || now.Sub(k.asked) >= renewalPause) {
		return false
	}
	pause := k.asked.Add(renewalPause)
	if k.kept != nil && k.kept.secret == rejected && k.kept.until.Before(pause) {
		k.kept.until = pause
	}
	return true
}

// start begins a fetch. The caller holds k.mu.
func (k *keeper) start(ctx context.Context, rejected string) *fetching {
	ctx, cancel := context.WithCancel(ctx)
	f := &fetching{done: make(chan struct{}), cancel: cancel, replacing: rejected != ""}
	k.running, k.asked = f, time.Now()
	k.outstanding++
	f.patience = time.AfterFunc(fetchTime, func() { k.end(f, nil, errSlowSource) })
	go k.run(ctx, f, rejected)
	return f
}

// run asks the source. It runs in a goroutine of its own, which outlives its
// callers if the source hangs.
func (k *keeper) run(ctx context.Context, f *fetching, rejected string) {
	token, err := (*oauth2.Token)(nil), errSourceExited
	defer func() {
		f.patience.Stop()
		k.mu.Lock()
		k.outstanding--
		k.mu.Unlock()
		k.end(f, token, err)
	}()
	token, err = callSource(ctx, rejected, k.fetch)
}

// callSource calls fetch, foreign code, and turns a panic into an error.
func callSource(ctx context.Context, rejected string, fetch func(context.Context, string) (*oauth2.Token, error)) (token *oauth2.Token, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the token source panicked with a %T", p)
		}
	}()
	return fetch(ctx, rejected)
}

// end books the result of a fetch. A token that comes too late is still kept if
// there is no valid one.
func (k *keeper) end(f *fetching, token *oauth2.Token, err error) {
	defer f.cancel()
	k.mu.Lock()
	defer k.mu.Unlock()
	var auth *authorization
	if err == nil {
		auth, err = newAuthorization(token)
	}
	waited := k.running == f
	if waited {
		k.running = nil
	}
	stale := k.kept == nil || !time.Now().Before(k.kept.until)
	switch {
	case err == nil && (waited || stale):
		k.keep(auth, f.replacing)
	case err != nil && waited && !f.background && !errors.Is(err, errSlowSource):
		k.lastErr, k.failedUntil = err, time.Now().Add(500*time.Millisecond+rand.N(500*time.Millisecond))
	}
	select {
	case <-f.done:
	default:
		f.auth, f.err = auth, err
		close(f.done)
	}
}

// keep keeps a token as long as it is known to be valid. A token without an
// Expiry from a foreign source is kept only if it replaces a rejected one, so
// that the source is not asked again at once.
func (k *keeper) keep(auth *authorization, replacing bool) {
	now := time.Now()
	switch expiry := auth.token.Expiry; {
	case !expiry.IsZero():
		auth.until = expiry.Add(-expiryMargin)
		if life := expiry.Sub(now); k.ours && life > 0 {
			auth.ahead = now.Add(life*3/4 + rand.N(life/20+1))
		}
	case k.ours:
		auth.until = now.AddDate(100, 0, 0)
	case replacing:
		auth.until = k.replaced.Add(renewalPause)
	}
	auth.doubt = &k.doubt
	auth.again.Store(k.doubt.Load())
	k.kept, k.failedUntil, k.nextAhead = auth, time.Time{}, time.Time{}
}

// leave removes a waiter. If nobody waits any more for a fetch of ours, leave
// cancels it; the next caller begins another.
func (k *keeper) leave(f *fetching) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f.waiters--
	if k.ours && f.waiters == 0 && !f.background && k.running == f {
		k.running = nil
		f.cancel()
	}
}

// sources returns a function that makes a credential of a token source. It
// recognizes a source, so that the Applicants made of one source share its
// token.
func sources() func(oauth2.TokenSource) credential {
	var (
		mu    sync.Mutex
		known = map[oauth2.TokenSource]credential{}
	)
	return func(source oauth2.TokenSource) credential {
		switch s := source.(type) {
		case staticToken:
			return s.credential
		case renewingToken:
			return s.credential
		}
		if reflect.TypeOf(source).Kind() != reflect.Pointer && !reflect.ValueOf(source).Comparable() {
			return newKeeper(source).credential()
		}
		mu.Lock()
		defer mu.Unlock()
		cred, ok := known[source]
		if !ok {
			if len(known) >= maxKeptTokens {
				for other := range known { // any one: what it kept is fetched again
					delete(known, other)
					break
				}
			}
			cred = newKeeper(source).credential()
			known[source] = cred
		}
		return cred
	}
}

// newKeeper returns the keeper of a source that is not ours.
func newKeeper(source oauth2.TokenSource) *keeper {
	return &keeper{fetch: func(ctx context.Context, rejected string) (*oauth2.Token, error) {
		if r, ok := source.(Renewer); ok && rejected != "" {
			return r.Renew(ctx, rejected)
		}
		return source.Token()
	}}
}

// tokenCause returns the text and the cause that an Error may show of a token
// source's error. An OAuth2 client's error holds the whole answer of the token
// endpoint, and a URL's error may hold the secret in the URL.
func tokenCause(err error) (detail string, cause error) {
	var retrieve *oauth2.RetrieveError
	if errors.As(err, &retrieve) {
		detail = "the token endpoint refused"
		if retrieve.ErrorCode != "" {
			detail += ": " + clean(retrieve.ErrorCode, 60)
		} else if retrieve.Response != nil {
			detail += " with status " + strconv.Itoa(retrieve.Response.StatusCode)
		}
		return detail, nil
	}
	var u *url.Error
	if errors.As(err, &u) {
		detail = "the token endpoint was not reached: " + clean(transport.CauseText(err), maxErrorCause)
		return detail, transport.SafeCause(err)
	}
	return clean(err.Error(), maxErrorCause), err
}

// hidden keeps a value out of everything that prints.
type hidden struct{}

const hiddenText = redact.Hidden

func (hidden) Format(f fmt.State, _ rune)   { _, _ = f.Write([]byte(hiddenText)) }
func (hidden) String() string               { return hiddenText }
func (hidden) LogValue() slog.Value         { return slog.StringValue(hiddenText) }
func (hidden) MarshalText() ([]byte, error) { return []byte(hiddenText), nil }
