package setup

import (
	"slices"
	"sync"

	"github.com/jobboard-sdk/jobboard-go/internal/redact"
)

// Secrets holds the secrets that must not be shown. Several goroutines may use it.
type Secrets struct {
	mu      sync.Mutex
	set     []string // by the settings
	fetched []string // the newest last
}

// mostFetched bounds the tokens that a server for an assistant remembers: it may run
// for weeks.
const mostFetched = 1000

func (l *Secrets) addSet(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if secret != "" && !slices.Contains(l.set, secret) {
		l.set = append(l.set, secret)
	}
}

func (l *Secrets) addFetched(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if token != "" && !slices.Contains(l.fetched, token) {
		l.fetched = append(l.fetched[max(0, len(l.fetched)+1-mostFetched):], token)
	}
}

// Mask returns a text without the secrets in hand, however they are quoted there.
func (l *Secrets) Mask(s string) string {
	l.mu.Lock()
	all := slices.Concat(l.set, l.fetched)
	l.mu.Unlock()
	return redact.Hide(s, all)
}
