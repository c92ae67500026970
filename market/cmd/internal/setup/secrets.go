package setup

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jobboard-sdk/jobboard-go"
)

// Secrets holds the secrets that must not be shown. Several goroutines may use it.
type Secrets struct {
	mu      sync.Mutex
	set     []string // secrets in the settings
	fetched []string // fetched tokens, newest last
}

// inPlaceOfSecret is the text by which jobboard.HideSecrets replaces a secret.
const inPlaceOfSecret = "[hidden]"

// mostFetched bounds the remembered tokens, because a server for an assistant may
// run for weeks.
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

// Mask hides all known secrets in a text, even if they are quoted or escaped there. A
// short secret that could be part of a word, such as "tok", is hidden only as a whole
// word.
func (l *Secrets) Mask(s string) string {
	l.mu.Lock()
	all := slices.Concat(l.set, l.fetched)
	l.mu.Unlock()
	var hidden []string
	for _, secret := range all {
		if !likeWord.MatchString(secret) {
			hidden = append(hidden, secret)
			continue
		}
		s = withoutWord(s, secret)
		for _, user := range []string{secret + ":", secret} {
			hidden = append(hidden, "Basic "+base64.StdEncoding.EncodeToString([]byte(user)))
		}
	}
	return jobboard.HideSecrets(s, hidden...)
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
			b.WriteString(inPlaceOfSecret)
		} else {
			b.WriteString(secret)
		}
		done = to
	}
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
