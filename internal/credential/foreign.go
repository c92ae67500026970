package credential

import (
	"context"
	"reflect"
	"sync"

	"golang.org/x/oauth2"
)

// Foreign makes credentials of token sources that are not ours. It recognizes a
// source, so that the Applicants made of one source share its token. The zero
// value is ready.
type Foreign struct {
	mu    sync.Mutex
	known map[oauth2.TokenSource]Credential
}

// Of returns the credential of a source.
func (f *Foreign) Of(source oauth2.TokenSource) Credential {
	if reflect.TypeOf(source).Kind() != reflect.Pointer && !reflect.ValueOf(source).Comparable() {
		return keeperOf(source).Credential()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	cred, ok := f.known[source]
	if !ok {
		if f.known == nil {
			f.known = map[oauth2.TokenSource]Credential{}
		}
		if len(f.known) >= maxKept {
			for other := range f.known { // any one: what it kept is fetched again
				delete(f.known, other)
				break
			}
		}
		cred = keeperOf(source).Credential()
		f.known[source] = cred
	}
	return cred
}

// keeperOf returns the keeper of a source that is not ours.
func keeperOf(source oauth2.TokenSource) *Keeper {
	return &Keeper{fetch: func(ctx context.Context, rejected string) (*oauth2.Token, error) {
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
