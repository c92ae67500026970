package jobboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/redact"
	"golang.org/x/oauth2"
)

// StaticToken is a source that always gives the same access token. No fmt
// verb, log or encoder shows it. It cannot renew: once the service says that
// the token expired, calls end with ErrUnauthorized.
func StaticToken(accessToken string) oauth2.TokenSource {
	// The token lives in a function, where no printer that follows fields
	// finds it.
	return staticToken{token: func() string { return accessToken }}
}

type staticToken struct {
	hidden
	token func() string
}

func (s staticToken) Token() (*oauth2.Token, error) {
	return &oauth2.Token{AccessToken: s.token(), TokenType: "Bearer"}, nil
}

// Renewer is a token source that can replace a token which the service calls
// expired, whatever the clock here says. RenewingToken gives one. Renew returns
// a token other than rejected, at once if another caller has fetched it already.
type Renewer interface {
	Renew(ctx context.Context, rejected string) (*oauth2.Token, error)
}

// RenewingToken is a source that keeps the token fetch gave until it expires
// by the clock, and implements Renewer for the time the service disagrees.
// Stock oauth2 sources cannot renew before their clock says so, which is not
// enough for the sliding hour of a user's token.
//
// Callers at the same time share one fetch. Each waits no longer than its own
// context; the context of fetch ends when all have left. A failure is
// remembered for half a second to a second, so that a broken source is not
// asked once a call. fetch must not be nil; its token must not be empty.
// No fmt verb, log or encoder shows the token.
func RenewingToken(fetch func(ctx context.Context) (*oauth2.Token, error)) oauth2.TokenSource {
	var (
		mu      sync.Mutex
		kept    *oauth2.Token
		fetches tokenFetches
	)
	get := func(ctx context.Context, rejected string) (*oauth2.Token, error) {
		current := func() *oauth2.Token {
			mu.Lock()
			defer mu.Unlock()
			if kept != nil && kept.AccessToken != rejected && kept.Valid() {
				copied := *kept
				return &copied
			}
			return nil
		}
		if token := current(); token != nil {
			return token, nil
		}
		return fetches.do(ctx, nil, func(ctx context.Context) (*oauth2.Token, error) {
			// Somebody may have brought one between the look and the fetch.
			if token := current(); token != nil {
				return token, nil
			}
			token, err := fetch(ctx)
			if err == nil {
				err = checkToken(token)
			}
			if err != nil {
				return nil, err
			}
			copied := *token
			mu.Lock()
			kept = &copied
			mu.Unlock()
			return token, nil
		})
	}
	return renewingToken{get: get}
}

type renewingToken struct {
	hidden
	get func(ctx context.Context, rejected string) (*oauth2.Token, error)
}

func (r renewingToken) Token() (*oauth2.Token, error) { return r.get(context.Background(), "") }

func (r renewingToken) Renew(ctx context.Context, rejected string) (*oauth2.Token, error) {
	return r.get(ctx, rejected)
}

// checkToken says why a token cannot be sent.
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

// isVisible: one or more ASCII characters that print, no space.
func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != ""
}

// tokenFetches runs token sources, one goroutine a source at most, so that a
// caller can leave a source that hangs.
type tokenFetches struct {
	mu      sync.Mutex
	running map[any]*tokenFetch // and failures that are still remembered
}

type tokenFetch struct {
	done    chan struct{}
	token   *oauth2.Token
	err     error
	until   time.Time // a failure is remembered this long
	waiters int
	left    bool // all have gone: the failure is theirs, not the source's
	cancel  context.CancelFunc
}

// do gives what fetch gives, or joins the fetch of the same key that runs.
func (g *tokenFetches) do(ctx context.Context, key any, fetch func(context.Context) (*oauth2.Token, error)) (*oauth2.Token, error) {
	for {
		f := g.join(ctx, key, fetch)
		select {
		case <-f.done:
		default:
			select {
			case <-f.done:
			case <-ctx.Done():
				g.leave(f)
				return nil, ctx.Err()
			}
		}
		if f.err != nil && f.left && ctx.Err() == nil {
			continue // canceled because all before us had left
		}
		if f.err != nil {
			return nil, f.err
		}
		copied := *f.token
		return &copied, nil
	}
}

func (g *tokenFetches) join(ctx context.Context, key any, fetch func(context.Context) (*oauth2.Token, error)) *tokenFetch {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if f := g.running[key]; f != nil && (f.until.IsZero() || now.Before(f.until)) {
		f.waiters++
		return f
	}
	if len(g.running) > 256 { // failures nobody asked about again
		for k, f := range g.running {
			if !f.until.IsZero() && now.After(f.until) {
				delete(g.running, k)
			}
		}
	}
	if g.running == nil {
		g.running = make(map[any]*tokenFetch)
	}
	// The values of the first caller's context, not its end.
	fetchCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &tokenFetch{done: make(chan struct{}), waiters: 1, cancel: cancel}
	g.running[key] = f
	go g.run(fetchCtx, f, key, fetch)
	return f
}

func (g *tokenFetches) run(ctx context.Context, f *tokenFetch, key any, fetch func(context.Context) (*oauth2.Token, error)) {
	token, err := (*oauth2.Token)(nil), errors.New("the token source ended its goroutine")
	defer func() {
		f.cancel()
		g.mu.Lock()
		defer g.mu.Unlock()
		f.token, f.err = token, err
		if err == nil || f.left {
			delete(g.running, key)
		} else {
			f.until = time.Now().Add(500*time.Millisecond + rand.N(500*time.Millisecond))
		}
		close(f.done)
	}()
	token, err = callSource(ctx, fetch)
}

func (g *tokenFetches) leave(f *tokenFetch) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f.waiters--
	if f.waiters == 0 && f.until.IsZero() {
		f.left = true
		f.cancel()
	}
}

// callSource calls foreign code in a goroutine of ours: its panic must not end
// the program.
func callSource(ctx context.Context, fetch func(context.Context) (*oauth2.Token, error)) (token *oauth2.Token, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the token source panicked with a %T", p)
		}
	}()
	token, err = fetch(ctx)
	if err == nil && token == nil {
		err = checkToken(nil)
	}
	return token, err
}

// hidden keeps a value out of everything that prints.
type hidden struct{}

const hiddenText = redact.Hidden

func (hidden) Format(f fmt.State, _ rune)   { _, _ = f.Write([]byte(hiddenText)) }
func (hidden) String() string               { return hiddenText }
func (hidden) LogValue() slog.Value         { return slog.StringValue(hiddenText) }
func (hidden) MarshalText() ([]byte, error) { return []byte(hiddenText), nil }
