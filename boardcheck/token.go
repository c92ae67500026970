package boardcheck

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// TokenAnswers notes the answers of a token endpoint, for Board.Tokens. The client of a check does not see them: the token
// source has an HTTP client of its own. The zero value is ready; use it for one check.
type TokenAnswers struct {
	mu   sync.Mutex
	seen []*exchange
}

// Transport returns a transport for the token source's client. nil means http.DefaultTransport.
func (t *TokenAnswers) Transport(next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &tokenTap{next, t}
}

type tokenTap struct {
	next    http.RoundTripper
	answers *TokenAnswers
}

func (t *tokenTap) RoundTrip(r *http.Request) (*http.Response, error) {
	once := &tap{next: t.next, shaped: true}
	began := time.Now()
	resp, err := once.RoundTrip(r)
	t.answers.mu.Lock()
	defer t.answers.mu.Unlock()
	for _, x := range once.exchanges() {
		x.took = time.Since(began)
		t.answers.seen = append(t.answers.seen, x)
	}
	return resp, err
}

const kindToken = "token"

// noteTokens adds the answers of the token endpoint to the night.
func (a *asker) noteTokens() {
	if a.Tokens == nil {
		return
	}
	a.Tokens.mu.Lock()
	defer a.Tokens.mu.Unlock()
	for _, x := range a.Tokens.seen {
		k := a.night.kind(kindToken)
		r := tokenResult(x)
		if r.class == good {
			a.addShape(kindToken, x.shape)
			if x.shape != nil && x.shape.life > 0 {
				a.night.count(countTokenLife, x.shape.life)
			}
		}
		k.asked++
		k.took = append(k.took, x.took)
		o := k.outcome(r)
		o.count++
		o.answers[answerOf([]*exchange{x})]++
	}
}

func tokenResult(x *exchange) result {
	switch {
	case x.status == 0:
		return result{"ErrTransport", trouble}
	case x.status == http.StatusTooManyRequests:
		return result{"ErrRateLimited", trouble}
	case x.status >= 500:
		return result{"ErrServer", trouble}
	case x.status/100 == 2:
		return result{outcomeOK, good}
	}
	return result{"refused with status " + strconv.Itoa(x.status), trouble}
}
