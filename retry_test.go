package jobboard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"
)

// switchTransport answers every request as it is told.
type switchTransport struct {
	status   atomic.Int64
	requests atomic.Int64
}

func (s *switchTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	s.requests.Add(1)
	return &http.Response{
		StatusCode: int(s.status.Load()), Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader("true")),
	}, nil
}

func (s *switchTransport) client(t *testing.T, cfg Config) *Client {
	t.Helper()
	cfg.HTTPClient = &http.Client{Transport: s}
	c, err := NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// One budget serves a client and its applicants for an origin: what one of them
// spends, the others do not have.
func TestBudgetIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &switchTransport{}
		next.status.Store(http.StatusServiceUnavailable)
		client := next.client(t, Config{
			BaseURL: "https://jobs.example/board", JobDBURL: "https://jobs.example/db", ClientID: "id",
			Retry: RetryPolicy{Budget: 10},
		})
		ctx := context.Background()
		search := func() error { _, err := client.Search(ctx, "1", Query{}); return err }
		lookup := func() error { _, err := client.JobInformation(ctx, 1); return err }
		applied := func() error {
			_, err := client.Applicant(StaticToken("token")).HasApplied(ctx, 1)
			return err
		}
		for i, step := range []struct {
			status  int
			call    func() error
			sends   int64
			stopped StopReason // "": success
			tokens  float64
		}{
			{503, search, 5, StopAttempts, 6},
			{503, applied, 5, StopAttempts, 2},
			{503, lookup, 3, StopBudget, 0},
			{503, applied, 1, StopBudget, 0},
			{503, search, 1, StopBudget, 0},
			{200, applied, 1, "", 0.3},
			{200, applied, 1, "", 0.6},
			{404, applied, 1, StopFinal, 0.9}, // an answer: the service works
			{501, applied, 1, StopFinal, 0.9},
			{503, lookup, 1, StopBudget, 0.9},
			{200, applied, 1, "", 1.2},
			{503, search, 2, StopBudget, 0.2},
		} {
			next.status.Store(int64(step.status))
			next.requests.Store(0)
			err := step.call()
			var e *Error
			switch {
			case step.stopped == "" && err != nil:
				t.Fatalf("step %d: %v", i, err)
			case step.stopped != "" && (!errors.As(err, &e) || e.Stopped != step.stopped || int64(e.Attempts) != step.sends):
				t.Fatalf("step %d: %v, want %d attempts, stopped: %s", i, err, step.sends, step.stopped)
			}
			if n := next.requests.Load(); n != step.sends {
				t.Fatalf("step %d: %d requests, want %d", i, n, step.sends)
			}
			state := client.RetryBudgets()
			if len(state) != 1 || state[0].Origin != "https://jobs.example:443" || state[0].Capacity != 10 ||
				state[0].Tokens < step.tokens-1e-9 || state[0].Tokens > step.tokens+1e-9 {
				t.Fatalf("step %d: %+v, want %v tokens of 10", i, state, step.tokens)
			}
		}
	})
}

// Two origins have a budget each, and a policy can have none.
func TestBudgetOfEachOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &switchTransport{}
		next.status.Store(http.StatusServiceUnavailable)
		config := Config{BaseURL: "https://jobs.example", JobDBURL: "https://db.example", Retry: RetryPolicy{Budget: 3}}
		client := next.client(t, config)
		_, _ = client.JobInformation(context.Background(), 1)
		got := client.RetryBudgets()
		want := []RetryBudget{{"https://jobs.example:443", 3, 3}, {"https://db.example:443", 0, 3}}
		if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%+v, want %+v", got, want)
		}

		config.Retry.Budget = -1
		client = next.client(t, config)
		next.requests.Store(0)
		for range 20 {
			_, _ = client.JobInformation(context.Background(), 1)
		}
		if n := next.requests.Load(); n != 100 || len(client.RetryBudgets()) != 0 {
			t.Errorf("%d requests, want 100, with budgets %v, want none", n, client.RetryBudgets())
		}
	})
}

// A repeat that is moved by the crowd still fits the caller's time.
func TestBudgetSpreadKeepsTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &switchTransport{}
		next.status.Store(http.StatusServiceUnavailable)
		client := next.client(t, Config{BaseURL: "https://jobs.example", Retry: RetryPolicy{Budget: 1000}})
		applicant := client.Applicant(StaticToken("token"))
		const callers, limit = 150, 300 * time.Millisecond
		start := time.Now()
		var all sync.WaitGroup
		var repeated atomic.Int64
		for range callers {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), limit)
				defer cancel()
				_, err := applicant.HasApplied(ctx, 1)
				if e, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, ErrServer) || e.Stopped != StopDeadline {
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

// repeatTable is the rule of repeats as docs/retries.md shows it.
func repeatTable() string {
	var b strings.Builder
	b.WriteString("| what happened | GET | PUT, DELETE | POST |\n|---|---|---|---|\n")
	says := map[bool]string{true: "repeated", false: "not repeated"}
	for _, rule := range slices.Concat(repeatRules[1:], repeatRules[:1]) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", rule.what, says[rule.get], says[rule.put], says[rule.post])
	}
	return b.String()
}

func TestRepeatTableIsDocumented(t *testing.T) {
	text, err := os.ReadFile("docs/retries.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := repeatTable(); !strings.Contains(string(text), want) {
		t.Errorf("docs/retries.md does not have the table of repeatRules:\n%s", want)
	}
}

// A token pays for one request that is sent: after an attempt without a
// connection it is still there for the next, and is given back once.
func TestTokenOutlastsAnAttemptThatIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var script []int // statuses; 0: no connection
		client, err := NewClient(Config{
			BaseURL: "https://jobs.example", Retry: RetryPolicy{Budget: 5, MaxAttempts: 4},
			HTTPClient: &http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				status := script[0]
				if script = script[1:]; status == 0 {
					return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
				}
				return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("true")), Request: r}, nil
			})},
		})
		if err != nil {
			t.Fatal(err)
		}
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
			_, _ = client.Applicant(StaticToken("token")).HasApplied(t.Context(), 1)
			if budget := client.RetryBudgets()[0]; len(script) != 0 || budget.Tokens != step.tokens {
				t.Errorf("step %d: %v tokens, want %v; not asked for: %v", i, budget.Tokens, step.tokens, script)
			}
		}
	})
}

// A Retry-After as long as the policy allows is waited for.
func TestLongestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		client, err := NewClient(Config{
			BaseURL: "https://jobs.example",
			HTTPClient: &http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				requests++
				res := &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("true")), Request: r}
				if requests == 1 {
					res.StatusCode = http.StatusServiceUnavailable
					res.Header.Set("Retry-After", "30")
				}
				return res, nil
			})},
		})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = client.Applicant(StaticToken("token")).HasApplied(t.Context(), 1)
		if waited := time.Since(start); err != nil || waited < 30*time.Second {
			t.Errorf("after %v: %v", waited, err)
		}
	})
}

// The defaults that RetryPolicy promises, and the edges of what it takes.
func TestRetryDefaults(t *testing.T) {
	want := RetryPolicy{
		MaxAttempts: 5, MinWait: 200 * time.Millisecond, MaxWait: 5 * time.Second, MaxRetryAfter: 30 * time.Second,
		AttemptTimeout: 15 * time.Second, StallTimeout: 10 * time.Second, Budget: 2, BudgetRatio: 0.3,
	}
	if got, err := (RetryPolicy{}).withDefaults(); got != want || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	own := RetryPolicy{
		MaxAttempts: 1, MinWait: 1, MaxWait: 1, MaxRetryAfter: 1, AttemptTimeout: 1, StallTimeout: 1, Budget: -1, BudgetRatio: math.SmallestNonzeroFloat64,
	}
	if got, err := own.withDefaults(); got != own || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	own.MinWait = 2
	if _, err := own.withDefaults(); !errors.Is(err, ErrInvalidInput) {
		t.Errorf("MinWait above MaxWait: %v", err)
	}
}

// A wait doubles up to the longest, and has at least half of itself for sure. What
// the service asks for comes with at most a quarter more, and half a second.
func TestWaits(t *testing.T) {
	p := RetryPolicy{MinWait: 200, MaxWait: 5000, MaxRetryAfter: time.Minute}
	for _, test := range []struct {
		repeat          int
		asked, from, to time.Duration
	}{
		{0, 0, 100, 200},
		{1, 0, 200, 400},
		{4, 0, 1600, 3200},
		{5, 0, 2500, 5000},
		{100, 0, 2500, 5000},
		{100, 100, 100, 125},
		{0, time.Second, time.Second, 1250 * time.Millisecond},
		{0, time.Minute, time.Minute, time.Minute + 500*time.Millisecond},
		{0, time.Minute + 1, 100, 200},
	} {
		least, most := time.Duration(math.MaxInt64), time.Duration(0)
		for range 1000 {
			wait := p.wait(test.repeat, test.asked)
			least, most = min(least, wait), max(most, wait)
		}
		spread := (test.to - test.from) / 20
		if least < test.from || most > test.to || least > test.from+spread || most < test.to-spread {
			t.Errorf("repeat %d, asked for %v: %v to %v, want %v to %v", test.repeat, test.asked, least, most, test.from, test.to)
		}
	}
	own := RetryPolicy{MinWait: 3, MaxWait: 4}
	if wait := own.wait(1, 0); wait < 2 || wait > 4 {
		t.Errorf("3 ns doubled, but at most 4: %v", wait)
	}
}

// Calls that fail together repeat one after the other. A repeat with a renewed token
// does not wait for its turn.
func TestCrowdIsSpread(t *testing.T) {
	for _, status := range []int{503, 401} {
		synctest.Test(t, func(t *testing.T) {
			var requests atomic.Int64
			var mu sync.Mutex
			moments := map[time.Time]int{}
			const callers = 50
			client, err := NewClient(Config{
				BaseURL: "https://jobs.example", Retry: RetryPolicy{Budget: 1000, MinWait: 1, MaxWait: 1},
				HTTPClient: &http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
					res := &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("true")), Request: r}
					if requests.Add(1) <= callers {
						res.StatusCode = status
						res.Header.Set("WWW-Authenticate", "Bearer error=invalid_token")
					} else {
						mu.Lock()
						moments[time.Now()]++
						mu.Unlock()
					}
					time.Sleep(time.Second) // so that all of them fail at one moment
					return res, nil
				})},
			})
			if err != nil {
				t.Fatal(err)
			}
			tokens := 0
			applicant := client.Applicant(RenewingToken(func(context.Context) (*oauth2.Token, error) {
				tokens++
				return &oauth2.Token{AccessToken: fmt.Sprint("token", tokens)}, nil
			}))
			var all sync.WaitGroup
			for range callers {
				all.Go(func() {
					if _, err := applicant.HasApplied(t.Context(), 1); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if spread := len(moments) > callers*3/4; spread != (status == 503) || status == 401 && len(moments) != 1 {
				t.Errorf("%d: the repeats come at %d moments", status, len(moments))
			}
		})
	}
}

// What counts as the service working earns tokens: an answer below 500, but not 429,
// nor a 401 for a token that can be renewed.
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
			client, err := NewClient(Config{
				BaseURL: "https://jobs.example", Retry: RetryPolicy{Budget: 3, MaxAttempts: 2},
				HTTPClient: &http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
					if spending {
						return &http.Response{StatusCode: 503, Request: r}, nil
					}
					return &http.Response{StatusCode: test.status, Header: test.header, Body: io.NopCloser(strings.NewReader(test.body)), Request: r}, test.err
				})},
			})
			if err != nil {
				t.Fatal(err)
			}
			// It can be asked to renew, and has no other token.
			applicant := client.Applicant(RenewingToken(func(context.Context) (*oauth2.Token, error) { return &oauth2.Token{AccessToken: "token"}, nil }))
			_, _ = applicant.HasApplied(t.Context(), 1)
			spending = false
			_, _ = applicant.HasApplied(t.Context(), 1)
			want := 2.0
			if test.earns {
				want = 2.3
			}
			if got := client.RetryBudgets()[0].Tokens; got != want {
				t.Errorf("%s: %v tokens, want %v", name, got, want)
			}
		})
	}
}
