package faults_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// fleet is clients that each call a service at a steady rate, whatever becomes
// of their calls, first in calm and then in trouble.
type fleet struct {
	clients       int
	every         time.Duration // between two calls of a client
	calm, trouble time.Duration
	requests      float64 // at most so many a call in trouble
	fetches       int     // at most so many of a client; 0: not counted
}

// form is the fleet against a service that answers so in trouble.
func (f fleet) form(name string, configure func(*trial), serve func(*exchange)) form {
	return form{
		name: name, only: A | J | subscribe | confirm, configure: configure, drive: f.drive,
		serve: func(x *exchange) {
			if time.Since(x.trial.start) < f.calm {
				x.good()
				return
			}
			serve(x)
		},
	}
}

func (f fleet) drive(t *trial, c cell) {
	t.start = time.Now()
	t.cfg.Retry.Budget = 0 // the default
	calls := 0
	var wg sync.WaitGroup
	for i := range f.clients {
		if t.form.configure != nil && i > 0 {
			t.form.configure(t) // a source of its own
		}
		t.cfg.UserAgent = strconv.Itoa(i)
		if !t.connect() {
			return
		}
		client, applicant := t.client, t.applicant
		for at := time.Duration(i) * f.every / time.Duration(f.clients); at < f.calm+f.trouble; at += f.every {
			calm := at < f.calm
			if !calm {
				calls++
			}
			wg.Go(func() {
				<-time.After(at)
				_, err := t.op.Call(context.Background(), client, applicant)
				switch e := asError(err); {
				case calm && err == nil:
				case calm || mismatch(err, c.err) != "" || e.MayHaveExecuted != c.executed:
					t.problem("client %d, after %v: %v", i, at, err)
				}
			})
		}
	}
	wg.Wait()
	requests := 0
	for _, q := range t.seen() {
		if q.at.Sub(t.start) >= f.calm {
			requests++
		}
	}
	ratio, most := float64(requests)/float64(calls), f.requests
	if t.op.Column == subscribe && c.err == jobboard.ErrServer {
		most = 1
	}
	if ratio < 1 || ratio > most {
		t.problem("%.3f requests a call, want at most %v", ratio, most)
	}
	if f.fetches > 0 {
		fetchedAtMost(f.fetches*f.clients)(t, nil)
	}
	for _, b := range t.client.RetryBudgets() {
		if b.Tokens < 0 || b.Tokens > b.Capacity {
			t.problem("a budget of %v of %v", b.Tokens, b.Capacity)
		}
	}
}

// outages are fleets that find a service down.
func outages() []form {
	const minute, outage = time.Minute, 45 * time.Second
	down := answers(form{status: 503})
	return []form{
		fleet{1, 20 * time.Millisecond, 10 * time.Second, outage, 1.10, 0}.form("50 callers of one client", nil, down),
		fleet{20, time.Second, minute, outage, 1.25, 0}.form("1 call a second", nil, down),
		fleet{20, time.Second, minute, 5 * time.Second, 3.0, 0}.form("1 call a second, 5 s", nil, down),
		fleet{50, 10 * time.Second, 0, outage, 3.0, 0}.form("0.1 calls a second", nil, down),
		fleet{50, 10 * time.Second, minute, outage, 3.0, 0}.form("0.1 calls a second, after a calm minute", nil, down),
		fleet{50, 50 * time.Second, 0, outage, 3.0, 0}.form("0.02 calls a second", nil, down),
		fleet{1000, time.Hour, 0, time.Hour, 3.0, 0}.form("a thousand clients of one call each", nil, down),
	}
}

// refusals are fleets whose tokens are renewed, and refused all the same.
func refusals() []form {
	refusal := answers(each([]int{401}, files("401_invalid_token.json")...)[0])
	const outage = 45 * time.Second
	return []form{
		fleet{1, 20 * time.Millisecond, 0, outage, 1.10, 46}.form("one client", freshSource, refusal),
		fleet{50, time.Second, 0, outage, 1.10, 46}.form("many clients", freshSource, refusal),
	}
}

// freshSource gives another token each time.
func freshSource(t *trial) {
	t.credential(renewing(t.source(func(n int) (*oauth2.Token, error) {
		return token(rig.FreshToken.Secret + strconv.Itoa(n)), nil
	})))
	if t.expectAuth == nil { // the service reads it while further clients begin
		t.expectAuth = func(int) string { return anyAuth }
	}
}

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
