package faults_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// stuckSource has one fetch that never comes back.
func stuckSource(t *trial) oauth2.TokenSource {
	return freshAfter(t, func() { <-t.release })
}

// slowAtFirst has one fetch that takes longer than a call has.
func slowAtFirst(t *trial) oauth2.TokenSource {
	return freshAfter(t, func() { <-time.After(12 * time.Second) })
}

// freshAfter is a source of tokens of an hour whose first fetch waits.
func freshAfter(t *trial, wait func()) oauth2.TokenSource {
	t.expectAuth = func(int) string { return firstThenFresh(2) }
	return t.source(func(n int) (*oauth2.Token, error) {
		if n == 1 {
			wait()
		}
		return &oauth2.Token{AccessToken: rig.FreshToken.Secret, Expiry: time.Now().Add(time.Hour)}, nil
	})
}

// mindfulSource renews, and has one fetch that hangs until its context ends.
func mindfulSource(t *trial) oauth2.TokenSource {
	source := freshAfter(t, func() {})
	var asked atomic.Int64
	return jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
		if asked.Add(1) == 1 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return source.Token()
	})
}

// steady makes a call every so often for some time, of which a share must succeed
// within ten seconds each.
func steady(total, every time.Duration, share float64) func(*trial, cell) {
	return func(t *trial, _ cell) {
		if !t.connect() {
			return
		}
		calls := int(total / every)
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() {
				<-time.After(time.Duration(i) * every)
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				defer cancel()
				_, err := t.call(ctx)
				t.mu.Lock()
				defer t.mu.Unlock()
				if err == nil {
					t.succeeded++
				}
			})
		}
		wg.Wait()
		if float64(t.succeeded) < share*float64(calls) {
			t.problem("%d of %d calls succeed", t.succeeded, calls)
		}
	}
}

// renewedAhead is a token endpoint that is down for ten minutes, from so late in
// the life of the first token, under a call every so often. The token is renewed
// when three quarters to four fifths of its life are over, and while that fails
// it is tried again and again.
func renewedAhead(from, every time.Duration) form {
	const down = 10 * time.Minute
	var tries []time.Duration
	return form{
		name: fmt.Sprintf("after %v, a call every %v", from, every),
		configure: func(t *trial) {
			start := time.Now()
			tries = nil
			t.expectAuth = func(int) string { return firstThenFresh(2) }
			t.credential(renewing(t.source(func(int) (*oauth2.Token, error) {
				at := time.Since(start)
				t.mu.Lock()
				tries = append(tries, at)
				t.mu.Unlock()
				if at >= from && at < from+down {
					return nil, errors.New("the token endpoint is down")
				}
				return &oauth2.Token{AccessToken: rig.FreshToken.Secret, Expiry: time.Now().Add(time.Hour)}, nil
			})))
		},
		drive: func(t *trial, c cell) {
			steady(2*time.Hour, every, 1)(t, c)
			t.mu.Lock()
			tries := slices.Clone(tries)
			t.mu.Unlock()
			if len(tries) < 2 || tries[1] < 45*time.Minute || tries[1] > 48*time.Minute+every {
				t.problem("fetched at %v, want one between 75 and 80 %% of an hour", tries)
				return
			}
			for i := 2; i < len(tries) && tries[i] < from+down; i++ {
				if tries[i]-tries[i-1] > 29*time.Second+every {
					t.problem("no try between %v and %v", tries[i-1], tries[i])
				}
			}
		},
	}
}
