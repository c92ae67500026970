package setup

import (
	"slices"
	"sync"

	"github.com/jobboard-sdk/jobboard-go/market/internal/mask"
)

// Secrets holds the secrets that must not be shown. Several goroutines may use it.
type Secrets struct {
	mu      sync.Mutex
	set     []string // secrets in the settings
	fetched []string // fetched tokens, newest last

	masked *mask.Secrets // nil: a secret came since it was made
}

// mostFetched bounds the remembered tokens, because a server for an assistant may
// run for weeks.
const mostFetched = 1000

func (l *Secrets) addSet(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if secret != "" && !slices.Contains(l.set, secret) {
		l.set, l.masked = append(l.set, secret), nil
	}
}

func (l *Secrets) addFetched(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if token != "" && !slices.Contains(l.fetched, token) {
		l.fetched, l.masked = append(l.fetched[max(0, len(l.fetched)+1-mostFetched):], token), nil
	}
}

// Mask hides all known secrets in a text, even if they are quoted or escaped there.
func (l *Secrets) Mask(s string) string { return l.known().Hide(s) }

func (l *Secrets) known() *mask.Secrets {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.masked == nil {
		l.masked = mask.New(slices.Concat(l.set, l.fetched)...)
	}
	return l.masked
}
