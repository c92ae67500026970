package setup

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jobboard-sdk/jobboard-go/market/internal/mask"
)

// Secrets holds the secrets that must not be shown. Several goroutines may use it.
type Secrets struct {
	mu      sync.Mutex
	set     []string // secrets in the settings
	fetched []string // fetched tokens, newest last

	masked *mask.Secrets // all but those like words; nil: a secret came since it was made
	words  []string      // those like words
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

// Mask hides all known secrets in a text, even if they are quoted or escaped there. A
// short secret that could be part of a word, such as "tok", is hidden only as a whole
// word.
func (l *Secrets) Mask(s string) string {
	masked, words := l.known()
	for _, word := range words {
		s = withoutWord(s, word)
	}
	return masked.Hide(s)
}

// known returns the secrets, and beside them those that are like words.
func (l *Secrets) known() (masked *mask.Secrets, words []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.masked != nil {
		return l.masked, l.words
	}
	var hidden []string
	l.words = nil
	for _, secret := range slices.Concat(l.set, l.fetched) {
		if !likeWord.MatchString(secret) {
			hidden = append(hidden, secret)
			continue
		}
		l.words = append(l.words, secret)
		for _, user := range []string{secret + ":", secret} {
			hidden = append(hidden, "Basic "+base64.StdEncoding.EncodeToString([]byte(user)))
		}
	}
	l.masked = mask.New(hidden...)
	return l.masked, l.words
}

// likeWord matches secrets that an ordinary word may contain.
var likeWord = regexp.MustCompile(`^[A-Za-z]{3,5}$`)

// beforeWord matches text that ends at the beginning of a word: after no letter or digit,
// except those of an escaped character such as \n, \u0022 or %20.
var beforeWord = regexp.MustCompile(`(^|[^A-Za-z0-9]|\\[a-z]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2})$`)

// withoutWord hides a secret where it is a whole word.
func withoutWord(s, secret string) string {
	var b strings.Builder
	for done := 0; ; {
		i := strings.Index(s[done:], secret)
		if i < 0 {
			b.WriteString(s[done:])
			return b.String()
		}
		from, to := done+i, done+i+len(secret)
		b.WriteString(s[done:from])
		alone := beforeWord.MatchString(s[max(0, from-6):from]) && (to == len(s) || !isWordByte(s[to]))
		if alone {
			b.WriteString(mask.Hidden)
		} else {
			b.WriteString(secret)
		}
		done = to
	}
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
