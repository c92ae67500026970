package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"golang.org/x/oauth2"
)

// endingTokens is a service that takes one token at a time: token1, and token2
// once that has ended.
type endingTokens struct {
	mu    sync.Mutex
	good  int      // the number of the token that it takes
	asked int      // times that a source was asked for one
	sent  []string // the tokens of the requests
	// instead answers a request, unless it returns nothing.
	instead func(r *http.Request) (*http.Response, error)
}

const tokenLatency = 100 * time.Millisecond // of an answer

func (s *endingTokens) answer(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.sent = append(s.sent, bearerOf(r))
	s.mu.Unlock()
	if s.instead != nil {
		if resp, err := s.instead(r); resp != nil || err != nil {
			return resp, err
		}
	}
	if err := wait(r.Context(), tokenLatency); err != nil {
		return nil, context.Cause(r.Context())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if bearerOf(r) != fmt.Sprint("token", s.good) {
		return expired(r), nil
	}
	return answer(r, 200, "true"), nil
}

// end ends the token after a while.
func (s *endingTokens) end(after time.Duration) {
	time.AfterFunc(after, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.good++
	})
}

// reset forgets what was sent so far.
func (s *endingTokens) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent, s.asked = nil, 0
}

// source returns a source of its tokens: one of this package, or another kind, whose tokens
// have no expiry.
func (s *endingTokens) source(foreign bool) oauth2.TokenSource {
	given := 0
	fetch := func(context.Context) (*oauth2.Token, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked++
		given++
		if foreign {
			given = s.good
		}
		return &oauth2.Token{AccessToken: fmt.Sprint("token", given)}, nil
	}
	if foreign {
		return funcSource{&fetch}
	}
	return jobboard.RenewingToken(fetch)
}

// had returns how many requests had each token.
func (s *endingTokens) had() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := map[string]int{}
	for _, token := range s.sent {
		count[token]++
	}
	return count
}

// crowd makes calls at one moment, each with an applicant from a function, and
// counts what becomes of them.
func crowd(callers int, applicant func(i int) *jobboard.Applicant) map[string]int {
	errs := make([]error, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { _, errs[i] = applicant(i).HasApplied(context.Background(), 1) })
	}
	all.Wait()
	count := map[string]int{}
	for _, err := range errs {
		var e *jobboard.Error
		switch {
		case err == nil:
			count["ok"]++
		case errors.As(err, &e):
			count[fmt.Sprintf("%d %s after %d", e.StatusCode, e.Stopped, e.Attempts)]++
		default:
			count[err.Error()]++
		}
	}
	return count
}

// At the end of a token no caller in flight fails: one of them renews it, one tries
// the new one, and all others wait for that and then repeat, whatever the retry
// budget holds.
func TestNobodyIsSignedOut(t *testing.T) {
	for _, foreign := range []bool{false, true} {
		for _, callers := range []int{5, 20, 100} {
			for _, good := range []int{0, 1, 11, 101} {
				inBubble(t, fmt.Sprintf("foreign %v, %d callers after %d good calls", foreign, callers, good), func(t *testing.T) {
					s := &endingTokens{good: 1}
					client := withTransport(t, jobboard.Config{}, s.answer)
					source := s.source(foreign)
					applicant := func(int) *jobboard.Applicant { return client.Applicant(source) }
					for range good {
						succeeds(t, applicant(0))
					}
					s.reset()
					s.end(tokenLatency / 2)
					start := time.Now()
					if of := crowd(callers, applicant); of["ok"] != callers {
						t.Errorf("the calls end with %v", of)
					}
					if had := s.had(); had["token1"] != callers || had["token2"] != callers || len(had) != 2 {
						t.Errorf("sent %v", had)
					}
					if want := 1 + min(1, max(0, 1-good)); !foreign && s.asked != want {
						t.Errorf("%d tokens were fetched, want %d", s.asked, want)
					}
					if took := time.Since(start); took != 3*tokenLatency {
						t.Errorf("it took %v", took)
					}
					s.reset()
					succeeds(t, applicant(0))
					if had := s.had(); had["token2"] != 1 {
						t.Errorf("then sent %v", had)
					}
				})
			}
		}
	}
}

// A probe that says nothing about the new token passes to the next caller that
// waits. One that is refused ends the others, unsent.
func TestProbe(t *testing.T) {
	const callers = 20
	ofNew := func(r *http.Request) bool { return bearerOf(r) == "token2" }
	// times lets f answer the first n requests with the new token.
	times := func(n int, f func(r *http.Request) (*http.Response, error)) func(r *http.Request) (*http.Response, error) {
		var seen atomic.Int64
		return func(r *http.Request) (*http.Response, error) {
			if !ofNew(r) || seen.Add(1) > int64(n) {
				return nil, nil //nolint:nilnil // answered as ever
			}
			return f(r)
		}
	}
	status := func(n int) func(r *http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) { return answer(r, n, ""), nil }
	}
	one := jobboard.RetryPolicy{MaxAttempts: 1}
	for _, c := range []struct {
		name    string
		policy  jobboard.RetryPolicy
		instead func(r *http.Request) (*http.Response, error)
		want    map[string]int
		probes  int // requests with the new token that it was not taken with
	}{
		{"lost twice, and repeated", jobboard.RetryPolicy{}, times(2, func(*http.Request) (*http.Response, error) { return nil, io.EOF }), map[string]int{"ok": 20}, 2},
		{"lost 15 times", one, times(15, func(*http.Request) (*http.Response, error) { return nil, io.EOF }), map[string]int{"ok": 5, "0 attempts after 2": 15}, 15},
		{"503", one, times(3, status(503)), map[string]int{"ok": 17, "503 attempts after 2": 3}, 3},
		{"429", one, times(3, status(429)), map[string]int{"ok": 17, "429 attempts after 2": 3}, 3},
		{"a redirect to a sign-in", one, times(3, func(r *http.Request) (*http.Response, error) {
			return answer(r, 302, "", "Location", "https://elsewhere.example"), nil
		}), map[string]int{"ok": 17, "302 final after 2": 3}, 3},
		{"another refusal says that it is taken", one, times(1, status(404)), map[string]int{"ok": 19, "404 final after 2": 1}, 1},
		{"a time-out", jobboard.RetryPolicy{MaxAttempts: 1, AttemptTimeout: time.Second}, times(2, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, context.Cause(r.Context())
		}), map[string]int{"ok": 18, "0 attempts after 2": 2}, 2},
		{"refused", jobboard.RetryPolicy{}, times(100, func(r *http.Request) (*http.Response, error) { return expired(r), nil }), map[string]int{"401 final after 1": 19, "401 final after 2": 1}, 1},
		{"refused without a word", jobboard.RetryPolicy{}, times(100, status(401)), map[string]int{"401 final after 1": 19, "401 final after 2": 1}, 1},
		{"lost and refused", one, func() func(r *http.Request) (*http.Response, error) {
			lost := times(1, func(*http.Request) (*http.Response, error) { return nil, io.EOF })
			return func(r *http.Request) (*http.Response, error) {
				if resp, err := lost(r); resp != nil || err != nil || !ofNew(r) {
					return resp, err
				}
				return expired(r), nil
			}
		}(), map[string]int{"0 attempts after 2": 1, "401 final after 1": 18, "401 final after 2": 1}, 2},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			s := &endingTokens{good: 2, instead: c.instead}
			client := withTransport(t, jobboard.Config{Retry: c.policy}, s.answer)
			source := s.source(false)
			of := crowd(callers, func(int) *jobboard.Applicant { return client.Applicant(source) })
			if !maps.Equal(of, c.want) {
				t.Errorf("the calls end with %v, want %v", of, c.want)
			}
			if had, want := s.had(), c.want["ok"]+c.probes; had["token1"] != callers || had["token2"] != want || s.asked != 2 {
				t.Errorf("sent %v, want %d of the new one; %d fetches", had, want, s.asked)
			}
		})
	}
}

// hanging is a service whose first request with the new token hangs until it is
// released, and an applicant of it.
func hanging(t *testing.T, cfg jobboard.Config) (s *endingTokens, a *jobboard.Applicant, release func()) {
	free := make(chan struct{})
	var probes atomic.Int64
	s = &endingTokens{good: 2}
	s.instead = func(r *http.Request) (*http.Response, error) {
		if bearerOf(r) == "token2" && probes.Add(1) == 1 {
			select {
			case <-free:
			case <-r.Context().Done():
				return nil, context.Cause(r.Context())
			}
		}
		return nil, nil //nolint:nilnil // answered as ever
	}
	return s, withTransport(t, cfg, s.answer).Applicant(s.source(false)), func() { close(free) }
}

// A caller whose own time ends while another one tries the new token is told that,
// and not that its token is no good.
func TestTimeEndsBeforeTheProbe(t *testing.T) {
	for name, c := range map[string]struct {
		ctx     func(context.Context) (context.Context, context.CancelFunc)
		is      []error
		stopped jobboard.StopReason
		after   time.Duration
	}{
		"its deadline": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, time.Second)
			},
			[]error{jobboard.ErrTimeout, context.DeadlineExceeded},
			jobboard.StopCanceled, time.Second,
		},
		"its cancel": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(2*time.Second, cancel)
				return ctx, cancel
			},
			[]error{context.Canceled},
			jobboard.StopCanceled, 2 * time.Second,
		},
		"the minute of a call": {context.WithCancel, []error{jobboard.ErrTimeout}, jobboard.StopDeadline, time.Minute},
	} {
		inBubble(t, name, func(t *testing.T) {
			s, a, release := hanging(t, jobboard.Config{Retry: jobboard.RetryPolicy{AttemptTimeout: time.Hour}})
			var all sync.WaitGroup
			all.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
				defer cancel()
				if _, err := a.HasApplied(ctx, 1); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				time.Sleep(time.Millisecond)
				ctx, cancel := c.ctx(context.Background())
				defer cancel()
				start := time.Now()
				_, err := a.HasApplied(ctx, 1)
				var e *jobboard.Error
				if !errors.As(err, &e) || errors.Is(err, jobboard.ErrUnauthorized) || e.MayHaveExecuted || e.Stopped != c.stopped || e.Attempts != 1 || time.Since(start) != c.after {
					t.Errorf("%v after %v", err, time.Since(start))
				}
				for _, is := range c.is {
					if !errors.Is(err, is) {
						t.Errorf("%v is not %v", err, is)
					}
				}
				release()
			})
			all.Wait()
			if had := s.had(); had["token2"] != 1 {
				t.Errorf("sent %v", had)
			}
		})
	}
}

// Whatever call learns first whether the service takes the new token decides for
// those that wait for the probe.
func TestAnotherCallDecides(t *testing.T) {
	for name, want := range map[string]map[string]int{
		"taken": {"ok": 5}, "refused": {"401 final after 1": 5},
	} {
		inBubble(t, name, func(t *testing.T) {
			s, a, release := hanging(t, jobboard.Config{})
			var all sync.WaitGroup
			all.Go(func() { succeeds(t, a) })
			time.Sleep(time.Millisecond)
			all.Go(func() {
				if of := crowd(5, func(int) *jobboard.Applicant { return a }); !maps.Equal(of, want) {
					t.Errorf("the calls end with %v, want %v", of, want)
				}
			})
			time.Sleep(time.Second)
			if name == "refused" {
				s.end(0)
				time.Sleep(time.Millisecond)
			}
			_, err := a.HasApplied(t.Context(), 1)
			if (err == nil) != (name == "taken") {
				t.Errorf("the call that decides ends with %v", err)
			}
			if name == "refused" {
				s.good = 2
			}
			time.Sleep(time.Second)
			if had := s.had(); had["token2"] != 2+want["ok"] {
				t.Errorf("before the end of the probe %v were sent", had)
			}
			release()
			all.Wait()
		})
	}
}

// Those that wait for the probe hold no place of a bulk call and ask no limiter; the
// probe comes to its place also where as many jobs are away as may be.
func TestWaitersHoldNothing(t *testing.T) {
	inBubble(t, "places", func(t *testing.T) {
		s := &endingTokens{good: 2}
		limiter := &countingLimiter{}
		failing := map[string]int{}
		s.instead = func(r *http.Request) (*http.Response, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if failing[r.URL.Path]++; failing[r.URL.Path] == 1 && len(failing) <= 24 { // 8 times the places
				return answer(r, 503, "", "Retry-After", "20"), nil
			}
			return nil, nil //nolint:nilnil // answered as ever
		}
		c := withTransport(t, jobboard.Config{Limiter: limiter, Retry: jobboard.RetryPolicy{Budget: 1000}}, s.answer)
		var jobs []jobboard.JobID
		for i := range 60 {
			jobs = append(jobs, jobboard.JobID(i+1))
		}
		start := time.Now()
		for result := range c.Applicant(s.source(false)).BulkHasApplied(t.Context(), jobboard.Jobs(jobs...), jobboard.BulkOptions{Concurrency: 3}) {
			if result.Err != nil {
				t.Error(result.Job, result.Err)
			}
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("it took %v", took)
		}
		if limiter.asked != len(s.sent) {
			t.Errorf("the limiter was asked %d times for %d requests", limiter.asked, len(s.sent))
		}
	})
	inBubble(t, "other jobs run meanwhile", func(t *testing.T) {
		s, a, release := hanging(t, jobboard.Config{})
		var done atomic.Int64
		var all sync.WaitGroup
		all.Go(func() {
			for result := range a.BulkHasApplied(t.Context(), jobboard.Jobs(1, 2, 3, 4, 5, 6, 7, 8), jobboard.BulkOptions{Concurrency: 2}) {
				if result.Err != nil {
					t.Error(result.Err)
				}
				done.Add(1)
			}
		})
		time.Sleep(5 * time.Second)
		if had := s.had(); done.Load() != 7 { // all but the probe
			t.Errorf("%d jobs are done, %v were sent", done.Load(), had)
		}
		release()
		all.Wait()
	})
}

// A probe that ends by a panic in the user's code passes to the next, as one that a
// limiter does not let through.
func TestProbeThatIsNotSent(t *testing.T) {
	inBubble(t, "panic", func(t *testing.T) {
		s := &endingTokens{good: 2}
		panicked := false
		cfg := jobboard.Config{Observer: &jobboard.Observer{Attempt: func(ctx context.Context, a jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
			if a.Number == 2 && !panicked {
				panicked = true
				panic("observer")
			}
			return nil, nil
		}}}
		a := withTransport(t, cfg, s.answer).Applicant(s.source(false))
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				defer func() { _ = recover() }()
				succeeds(t, a)
			})
		}
		all.Wait()
		if had := s.had(); !panicked || had["token2"] != 4 {
			t.Errorf("panicked: %v, sent %v", panicked, had)
		}
	})
	inBubble(t, "limiter", func(t *testing.T) {
		s := &endingTokens{good: 2}
		var mu sync.Mutex
		refuse := false
		a := withTransport(t, jobboard.Config{Limiter: limiterFunc(func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			if refuse = !refuse && len(s.had()) == 1 && s.had()["token1"] == 5; refuse {
				return errLimited
			}
			return nil
		})}, s.answer).Applicant(s.source(false))
		want := map[string]int{"ok": 4, "401 deadline after 1": 1}
		if of := crowd(5, func(int) *jobboard.Applicant { return a }); !maps.Equal(of, want) {
			t.Errorf("the calls end with %v", of)
		}
	})
}

type limiterFunc func(context.Context) error

func (f limiterFunc) Wait(ctx context.Context) error { return f(ctx) }

// Where the tokens of many sources end at once, their probes come one after the other
// as far as the budget has no tokens. Once one was refused, a probe pays, and more each
// time.
func TestProbesOfManySources(t *testing.T) {
	const sources = 50
	inBubble(t, "all are taken", func(t *testing.T) {
		s := &endingTokens{good: 2}
		client := withTransport(t, jobboard.Config{}, s.answer)
		var of [sources]oauth2.TokenSource
		for i := range of {
			of[i] = s.source(false)
		}
		got := crowd(2*sources, func(i int) *jobboard.Applicant { return client.Applicant(of[i/2]) })
		if got["ok"] != 2*sources || s.had()["token2"] != 2*sources || s.asked != 2*sources {
			t.Errorf("%v, sent %v, %d fetches", got, s.had(), s.asked)
		}
	})
	inBubble(t, "none is taken", func(t *testing.T) {
		s := &endingTokens{good: -1}
		client := withTransport(t, jobboard.Config{}, s.answer)
		call := func() string {
			return fmt.Sprint(crowd(1, func(int) *jobboard.Applicant { return client.Applicant(s.source(false)) }))
		}
		free, paid, none := "map[401 final after 2:1]", "map[401 final after 2:1]", "map[401 budget after 1:1]"
		for i, want := range []string{free, paid, none, none} {
			if got := call(); got != want {
				t.Errorf("call %d ends with %v, want %v", i, got, want)
			}
		}
		time.Sleep(time.Second)
		if got := call(); got != free {
			t.Errorf("a second later it ends with %v", got)
		}
	})
	inBubble(t, "the observer of one that is not sent takes its time", func(t *testing.T) {
		s := &endingTokens{good: -1}
		var slow atomic.Bool
		client := withTransport(t, jobboard.Config{Observer: &jobboard.Observer{Attempt: func(ctx context.Context, _ jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
			return ctx, func(end jobboard.AttemptEnd) {
				if slow.Load() && !end.Repeat {
					time.Sleep(time.Hour)
				}
			}
		}}}, s.answer)
		for range 2 {
			crowd(1, func(int) *jobboard.Applicant { return client.Applicant(s.source(false)) })
		}
		slow.Store(true)
		source, began := s.source(false), time.Now()
		got := crowd(5, func(int) *jobboard.Applicant { return client.Applicant(source) })
		if took := time.Since(began); got["401 budget after 1"] != 5 || took > 2*time.Hour {
			t.Errorf("%v after %v", got, took)
		}
	})
}

// A token that was renewed ahead of time, and used by nobody yet, is tried by one
// caller, too.
func TestProbeOfATokenRenewedAhead(t *testing.T) {
	inBubble(t, "one", func(t *testing.T) {
		s := &endingTokens{good: 1}
		source := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
			s.asked++
			time.Sleep(time.Millisecond)
			return &oauth2.Token{AccessToken: fmt.Sprint("token", s.asked), Expiry: time.Now().Add(time.Hour)}, nil
		})
		client := withTransport(t, jobboard.Config{}, s.answer)
		applicant := func(int) *jobboard.Applicant { return client.Applicant(source) }
		succeeds(t, applicant(0))
		time.Sleep(50 * time.Minute)
		s.reset()
		s.end(tokenLatency / 2)
		s.asked = 1
		start := time.Now()
		if of := crowd(20, applicant); of["ok"] != 20 || s.asked != 2 {
			t.Errorf("the calls end with %v, %d fetches", of, s.asked)
		}
		if had, took := s.had(), time.Since(start); had["token1"] != 20 || had["token2"] != 20 || took != 3*tokenLatency {
			t.Errorf("sent %v in %v", had, took)
		}
	})
}
