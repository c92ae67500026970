package credential

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"
)

// A fetch that goes on in spite of its context may return when nobody waits for it
// any more.
func TestLateFetch(t *testing.T) {
	type fetch struct {
		takes time.Duration
		token string // empty: it fails
	}
	for _, c := range []struct {
		name     string
		fetches  []fetch
		patience []time.Duration // of the callers, one after the other
		wants    []string        // what they get; empty: the end of their context
		later    string          // what a caller gets after a minute
		asked    int64           // times, in all
	}{
		{
			"its token is kept if there is none",
			[]fetch{{takes: 5 * time.Second, token: "late"}, {token: "another"}},
			[]time.Duration{time.Second},
			[]string{""},
			"late", 1,
		},
		{
			"its token does not take the place of a newer one",
			[]fetch{{takes: 5 * time.Second, token: "late"}, {token: "newer"}},
			[]time.Duration{time.Second, time.Second},
			[]string{"", "newer"},
			"newer", 2,
		},
		{
			"its failure is forgotten",
			[]fetch{{takes: 59900 * time.Millisecond}, {token: "another"}},
			[]time.Duration{time.Second},
			[]string{""},
			"another", 2,
		},
		{
			"its time-out does not end the next",
			[]fetch{{takes: time.Hour, token: "late"}, {takes: 14500 * time.Millisecond, token: "next"}},
			[]time.Duration{time.Second, time.Minute},
			[]string{"", "next"},
			"next", 2,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked atomic.Int64
				k := NewKeeper(func(context.Context) (*oauth2.Token, error) {
					f := c.fetches[asked.Add(1)-1]
					time.Sleep(f.takes)
					if f.token == "" {
						return nil, errors.New("no token")
					}
					return &oauth2.Token{AccessToken: f.token}, nil
				})
				start := time.Now()
				get := func(patience time.Duration, want string) {
					t.Helper()
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					token, err := k.Token(ctx, "")
					switch {
					case want == "" && !errors.Is(err, context.DeadlineExceeded):
						t.Errorf("%v, %v, want the end of the context", token, err)
					case want != "" && (err != nil || token.AccessToken != want):
						t.Errorf("%v, %v, want %s", token, err, want)
					}
				}
				for i, patience := range c.patience {
					get(patience, c.wants[i])
				}
				time.Sleep(time.Minute - time.Since(start))
				get(time.Second, c.later)
				if asked.Load() != c.asked {
					t.Errorf("asked %d times, want %d", asked.Load(), c.asked)
				}
				time.Sleep(time.Hour) // until every fetch has returned
			})
		})
	}
}

// A renewal ahead of time that fails for nobody is forgotten: whoever needs another
// token just after it asks the source.
func TestRenewalAheadThatFailsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		k := NewKeeper(func(context.Context) (*oauth2.Token, error) {
			switch asked++; asked {
			case 1:
				return &oauth2.Token{AccessToken: "one", Expiry: time.Now().Add(time.Minute)}, nil
			case 2:
				return nil, errors.New("no token")
			}
			return &oauth2.Token{AccessToken: "two"}, nil
		})
		for _, pause := range []time.Duration{49 * time.Second, time.Millisecond} { // the second call begins the renewal
			if token, err := k.Token(t.Context(), ""); err != nil || token.AccessToken != "one" {
				t.Fatal(token, err)
			}
			time.Sleep(pause)
		}
		if token, err := k.Token(t.Context(), "one"); err != nil || token.AccessToken != "two" || asked != 3 {
			t.Errorf("%v, %v, asked %d times", token, err, asked)
		}
	})
}
