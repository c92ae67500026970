package jobboard_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// One budget serves a client and its applicants for an origin: tokens spent by one of them are
// missing for the others.
func TestBudgetIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests, status := 0, 0
		cfg := jobboard.Config{
			BaseURL: "https://jobs.example/board", JobDBURL: "https://jobs.example/db", ClientID: "id",
			Retry: jobboard.RetryPolicy{Budget: 10},
		}
		budget := rig.WatchBudget(&cfg)
		client := served(t, cfg, func(r *http.Request) *http.Response {
			requests++
			return answer(r, status, "true")
		})
		search := func() error { return errOf(client.Search(t.Context(), "1", jobboard.Query{})) }
		lookup := func() error { return errOf(client.JobInformation(t.Context(), 1)) }
		applied := func() error { return errOf(withToken(client).HasApplied(t.Context(), 1)) }
		for i, step := range []struct {
			status  int
			call    func() error
			sends   int
			stopped jobboard.StopReason // "": success
			tokens  float64
		}{
			{503, search, 5, jobboard.StopAttempts, 6},
			{503, applied, 5, jobboard.StopAttempts, 2},
			{503, lookup, 3, jobboard.StopBudget, 0},
			{503, applied, 1, jobboard.StopBudget, 0},
			{503, search, 1, jobboard.StopBudget, 0},
			{200, applied, 1, "", 0.3},
			{200, applied, 1, "", 0.6},
			{404, applied, 1, jobboard.StopFinal, 0.9}, // an answer: the service works
			{501, applied, 1, jobboard.StopFinal, 0.9},
			{503, lookup, 1, jobboard.StopBudget, 0.9},
			{200, applied, 1, "", 1.2},
			{503, search, 2, jobboard.StopBudget, 0.2},
		} {
			requests, status = 0, step.status
			err := step.call()
			var e *jobboard.Error
			switch {
			case step.stopped == "" && err != nil:
				t.Fatalf("step %d: %v", i, err)
			case step.stopped != "" && (!errors.As(err, &e) || e.Stopped != step.stopped || e.Attempts != step.sends):
				t.Fatalf("step %d: %v, want %d attempts, stopped: %s", i, err, step.sends, step.stopped)
			}
			if requests != step.sends {
				t.Fatalf("step %d: %d requests, want %d", i, requests, step.sends)
			}
			if left := budget(); left < step.tokens-1e-9 || left > step.tokens+1e-9 {
				t.Fatalf("step %d: %v tokens, want %v", i, left, step.tokens)
			}
		}
	})
}

// Two origins have separate budgets, and a policy can have none.
func TestBudgetOfEachOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		down := func(r *http.Request) *http.Response {
			requests++
			return answer(r, 503, "")
		}
		config := jobboard.Config{JobDBURL: "https://db.example", Retry: jobboard.RetryPolicy{Budget: 3, MaxAttempts: 3}}
		budget := rig.WatchBudget(&config)
		client := served(t, config, down)
		lookup := func() { _, _ = client.JobInformation(t.Context(), 1) }
		applied := func() { _, _ = withToken(client).HasApplied(t.Context(), 1) }
		for i, step := range []struct {
			call func()
			left float64
		}{{lookup, 1}, {lookup, 0}, {lookup, 0}, {applied, 1}} {
			if step.call(); budget() != step.left {
				t.Errorf("step %d: %v tokens, want %v", i, budget(), step.left)
			}
		}

		config.Retry = jobboard.RetryPolicy{Budget: -1}
		client = served(t, config, down)
		requests = 0
		for range 20 {
			_, _ = client.JobInformation(t.Context(), 1)
		}
		if requests != 100 || budget() != 0 {
			t.Errorf("%d requests, want 100, and %v tokens are left, want 0", requests, budget())
		}
	})
}

// A repeat that is moved by the crowd still fits the caller's time.
func TestBudgetSpreadKeepsTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		applicant := withToken(answering(t, jobboard.Config{Retry: jobboard.RetryPolicy{Budget: 1000}}, 503, ""))
		const callers, limit = 150, 300 * time.Millisecond
		start := time.Now()
		var all sync.WaitGroup
		var repeated atomic.Int64
		for range callers {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				_, err := applicant.HasApplied(ctx, 1)
				if e, ok := errors.AsType[*jobboard.Error](err); !ok || !errors.Is(err, jobboard.ErrServer) || e.Stopped != jobboard.StopDeadline {
					t.Errorf("%v, want the last answer", err)
				} else if e.Attempts >= 2 {
					repeated.Add(1)
				}
			})
		}
		all.Wait()
		if d := time.Since(start); d >= limit {
			t.Errorf("the calls took %v of %v", d, limit)
		}
		if n := repeated.Load(); n != callers {
			t.Errorf("%d of %d callers repeated", n, callers)
		}
	})
}

// A token pays for one request that is sent: an attempt without a connection leaves the token
// for the next attempt, and the token is given back once.
func TestTokenOutlastsAnAttemptThatIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var script []int // statuses; 0: no connection
		cfg := jobboard.Config{Retry: jobboard.RetryPolicy{Budget: 5, MaxAttempts: 4}}
		budget := rig.WatchBudget(&cfg)
		client := withTransport(t, cfg, func(r *http.Request) (*http.Response, error) {
			status := script[0]
			if script = script[1:]; status == 0 {
				return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
			}
			return answer(r, status, "true"), nil
		})
		for i, step := range []struct {
			script []int
			tokens float64
		}{
			{[]int{503, 503, 503, 503}, 2}, // three repeats failed
			{[]int{503, 0, 0, 200}, 2},     // one was sent, and succeeded
			{[]int{503, 0, 503, 200}, 1},   // two were sent, and one succeeded
			{[]int{503, 0, 404}, 1},        // one was sent, and answered
		} {
			script = step.script
			_, _ = withToken(client).HasApplied(t.Context(), 1)
			if len(script) != 0 || budget() != step.tokens {
				t.Errorf("step %d: %v tokens, want %v; not asked for: %v", i, budget(), step.tokens, script)
			}
		}
	})
}

// A Retry-After as long as the policy allows is waited for.
func TestLongestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		a := withToken(served(t, jobboard.Config{}, func(r *http.Request) *http.Response {
			if requests++; requests == 1 {
				return answer(r, 503, "", "Retry-After", "30")
			}
			return answer(r, 200, "true")
		}))
		start := time.Now()
		succeeds(t, a)
		if waited := time.Since(start); waited < 30*time.Second {
			t.Errorf("repeated after %v", waited)
		}
	})
}

// Calls that fail together repeat one after the other. Calls with a renewed token repeat at
// once, all together.
func TestCrowdIsSpread(t *testing.T) {
	for _, status := range []int{503, 401} {
		synctest.Test(t, func(t *testing.T) {
			var requests atomic.Int64
			var mu sync.Mutex
			moments := map[time.Time]int{}
			const callers = 50
			cfg := jobboard.Config{Retry: jobboard.RetryPolicy{Budget: 1000, MinWait: 1, MaxWait: 1}}
			client := served(t, cfg, func(r *http.Request) *http.Response {
				res := answer(r, 200, "true")
				if requests.Add(1) <= callers {
					res = answer(r, status, "", "WWW-Authenticate", "Bearer error=invalid_token")
				} else {
					mu.Lock()
					moments[time.Now()]++
					mu.Unlock()
				}
				time.Sleep(time.Second) // so that all calls fail at one moment
				return res
			})
			fetches := 0
			applicant := client.Applicant(numbered(&fetches))
			var all sync.WaitGroup
			for range callers {
				all.Go(func() { succeeds(t, applicant) })
			}
			all.Wait()
			if spread := len(moments) > callers*3/4; spread != (status == 503) || status == 401 && len(moments) != 1 {
				t.Errorf("%d: the repeats come at %d moments", status, len(moments))
			}
		})
	}
}

// What counts as the service working earns tokens: answers below 500, except 429 and a 401 for
// a renewable token.
func TestWhatEarns(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		header http.Header
		body   string
		err    error
		earns  bool
	}{
		"success":        {status: 200, body: "true", earns: true},
		"garbage":        {status: 200, body: "garbage", earns: true},
		"a condition":    {status: 404, body: "no posting", earns: true},
		"a refusal":      {status: 401, earns: true},
		"the last":       {status: 499, earns: true},
		"an end":         {status: 401, header: http.Header{"Www-Authenticate": {"Bearer error=invalid_token"}}},
		"a limit":        {status: 429, header: http.Header{"Retry-After": {"3600"}}},
		"a failure":      {status: 501},
		"no such name":   {err: &net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}},
		"a stop of work": {status: 503, header: http.Header{"Retry-After": {"3600"}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			spending := true
			cfg := jobboard.Config{Retry: jobboard.RetryPolicy{Budget: 3, MaxAttempts: 2}}
			budget := rig.WatchBudget(&cfg)
			client := withTransport(t, cfg, func(r *http.Request) (*http.Response, error) {
				if spending {
					return answer(r, 503, ""), nil
				}
				res := answer(r, test.status, test.body)
				res.Header = test.header
				return res, test.err
			})
			// The source can be asked to renew, but has no other token.
			applicant := client.Applicant(rig.Renewing("token"))
			_, _ = applicant.HasApplied(t.Context(), 1)
			spending = false
			_, _ = applicant.HasApplied(t.Context(), 1)
			want := 2.0
			if test.earns {
				want = 2.3
			}
			if got := budget(); got != want {
				t.Errorf("%s: %v tokens, want %v", name, got, want)
			}
		})
	}
}
