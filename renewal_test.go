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

// A refused call repeats its request once with the new token, and what becomes of that repeat is
// its own matter: no other call waits for it.
func TestRepeatWithTheNewToken(t *testing.T) {
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
	lost := func(*http.Request) (*http.Response, error) { return nil, io.EOF }
	hangs := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, context.Cause(r.Context())
	}
	refuses := func(r *http.Request) (*http.Response, error) {
		if err := wait(r.Context(), tokenLatency); err != nil {
			return nil, err
		}
		return expired(r), nil
	}
	mute := func(r *http.Request) (*http.Response, error) {
		resp, err := refuses(r)
		if err != nil {
			return nil, err
		}
		return answer(resp.Request, 401, ""), nil
	}
	one := jobboard.RetryPolicy{MaxAttempts: 1}
	for _, c := range []struct {
		name    string
		policy  jobboard.RetryPolicy
		instead func(r *http.Request) (*http.Response, error)
		want    map[string]int
		sent    int            // requests with the new token
		next    map[string]int // what becomes of the same calls after a second
	}{
		{"lost twice, and repeated", jobboard.RetryPolicy{}, times(2, lost), map[string]int{"ok": 20}, 22, map[string]int{"ok": 20}},
		{"lost 15 times", one, times(15, lost), map[string]int{"ok": 5, "0 attempts after 2": 15}, 20, map[string]int{"ok": 20}},
		{"503", one, times(3, status(503)), map[string]int{"ok": 17, "503 attempts after 2": 3}, 20, map[string]int{"ok": 20}},
		{"429", one, times(3, status(429)), map[string]int{"ok": 17, "429 attempts after 2": 3}, 20, map[string]int{"ok": 20}},
		{"another refusal", one, times(1, status(404)), map[string]int{"ok": 19, "404 final after 2": 1}, 20, map[string]int{"ok": 20}},
		{
			"a time-out",
			jobboard.RetryPolicy{MaxAttempts: 1, AttemptTimeout: time.Second},
			times(2, hangs),
			map[string]int{"ok": 18, "0 attempts after 2": 2},
			20,
			map[string]int{"ok": 20},
		},
		{
			"refused",
			jobboard.RetryPolicy{},
			times(100, refuses),
			map[string]int{"401 final after 2": 20},
			20,
			map[string]int{"401 final after 1": 20},
		},
		{
			"refused without a word",
			jobboard.RetryPolicy{},
			times(100, mute),
			map[string]int{"401 final after 2": 20},
			20,
			map[string]int{"401 final after 1": 20},
		},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			s := &endingTokens{good: 2, instead: c.instead}
			client := withTransport(t, jobboard.Config{Retry: c.policy}, s.answer)
			source := s.source(false)
			applicant := func(int) *jobboard.Applicant { return client.Applicant(source) }
			if of := crowd(callers, applicant); !maps.Equal(of, c.want) {
				t.Errorf("the calls end with %v, want %v", of, c.want)
			}
			if had := s.had(); had["token1"] != callers || had["token2"] != c.sent || s.asked != 2 {
				t.Errorf("sent %v, want %d of the new one; %d fetches", had, c.sent, s.asked)
			}
			time.Sleep(time.Second)
			if of := crowd(callers, applicant); !maps.Equal(of, c.next) {
				t.Errorf("the next calls end with %v, want %v", of, c.next)
			}
		})
	}
}

// While the service refuses every token, a call sends one request and renews the token at most
// once a second. The first token that the service accepts goes out with a first attempt, and ends
// that, whatever 2xx or 4xx accepted it.
func TestRefusedTokens(t *testing.T) {
	for _, accepts := range []int{200, 404, 403} {
		inBubble(t, fmt.Sprint("until a ", accepts), func(t *testing.T) {
			s := &endingTokens{good: -1}
			s.instead = func(r *http.Request) (*http.Response, error) {
				if s.good > 0 && accepts != 200 && bearerOf(r) == fmt.Sprint("token", s.good) {
					return answer(r, accepts, ""), nil
				}
				return nil, nil //nolint:nilnil // answered as ever
			}
			client := withTransport(t, jobboard.Config{}, s.answer)
			source := s.source(false)
			call := func() string {
				return fmt.Sprint(crowd(1, func(int) *jobboard.Applicant { return client.Applicant(source) }))
			}
			if got := call(); got != "map[401 final after 2:1]" {
				t.Errorf("the first ends with %v", got)
			}
			start := time.Now()
			for range 100 {
				if got := call(); got != "map[401 final after 1:1]" {
					t.Errorf("after %v a call ends with %v", time.Since(start), got)
				}
			}
			if want := 2 + int(time.Since(start)/time.Second); s.asked > want {
				t.Errorf("%d fetches in %v", s.asked, time.Since(start))
			}
			time.Sleep(time.Second)
			call() // renews the token
			s.good = s.asked
			want := "map[ok:1]"
			if accepts != 200 {
				want = fmt.Sprintf("map[%d final after 1:1]", accepts)
			}
			if got := call(); got != want {
				t.Errorf("with the good token a call ends with %v, want %v", got, want)
			}
			accepts = 200
			time.Sleep(time.Second)
			s.good++
			if got := call(); got != "map[ok:1]" {
				t.Errorf("at the end of that token a call ends with %v", got)
			}
		})
	}
}

// A caller whose repeat cannot be sent costs the others nothing.
func TestRepeatThatIsNotSent(t *testing.T) {
	inBubble(t, "panic", func(t *testing.T) {
		s := &endingTokens{good: 2}
		var panicked atomic.Bool
		cfg := jobboard.Config{Observer: &jobboard.Observer{Attempt: func(ctx context.Context, a jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
			if a.Number == 2 && !panicked.Swap(true) {
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
		if had := s.had(); !panicked.Load() || had["token2"] != 4 {
			t.Errorf("panicked: %v, sent %v", panicked.Load(), had)
		}
	})
	inBubble(t, "limiter", func(t *testing.T) {
		s := &endingTokens{good: 2}
		var mu sync.Mutex
		asked := 0
		a := withTransport(t, jobboard.Config{Limiter: limiterFunc(func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			if asked++; asked == 6 {
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

// At the end of the token of a bulk call each job is repeated, and the limiter is asked for each
// request, also while as many jobs wait for their repeats as may.
func TestRenewalInABulkCall(t *testing.T) {
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
}

// Where the tokens of many sources end at once, each is renewed and nobody fails. Where the service
// refuses the renewed tokens, later sources of the same origin are not repeated, however long that
// lasts, until it accepts a token.
func TestManySources(t *testing.T) {
	const sources = 50
	inBubble(t, "all are taken", func(t *testing.T) {
		s := &endingTokens{good: 2}
		client := withTransport(t, jobboard.Config{}, s.answer)
		var of [sources]oauth2.TokenSource
		for i := range of {
			of[i] = s.source(false)
		}
		start := time.Now()
		got := crowd(2*sources, func(i int) *jobboard.Applicant { return client.Applicant(of[i/2]) })
		if took := time.Since(start); took != 2*tokenLatency {
			t.Errorf("it took %v", took)
		}
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
		withheld := "map[401 final after 1:1]"
		for i, want := range []string{"map[401 final after 2:1]", withheld, withheld} {
			if got := call(); got != want {
				t.Errorf("call %d ends with %v, want %v", i, got, want)
			}
		}
		time.Sleep(time.Hour)
		if got := call(); got != withheld {
			t.Errorf("an hour later it ends with %v", got)
		}
		s.good = 1
		if got := call(); got != "map[ok:1]" {
			t.Errorf("once tokens are good it ends with %v", got)
		}
		s.good = 2
		if got := call(); got != "map[ok:1]" {
			t.Errorf("then a source whose first token has ended ends with %v", got)
		}
	})
}

// One applicant whose every token the service refuses, for example because the account was closed,
// signs out nobody else: the tokens of 100 others end while that one goes on calling, and each of
// them is repeated.
func TestOneDeadApplicantSignsOutNobodyElse(t *testing.T) {
	const others = 100
	inBubble(t, "one", func(t *testing.T) {
		s := &endingTokens{good: 1}
		client := withTransport(t, jobboard.Config{}, s.answer)
		deadTokens := 0
		dead := client.Applicant(jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
			deadTokens++
			return &oauth2.Token{AccessToken: fmt.Sprint("dead", deadTokens)}, nil
		}))
		var of [others]*jobboard.Applicant
		for i := range of {
			of[i] = client.Applicant(s.source(false))
			succeeds(t, of[i])
		}
		kill := func() { crowd(3, func(int) *jobboard.Applicant { return dead }) }
		kill()
		s.end(0)
		for i := range of { // one by one, and the dead one calls before each
			kill()
			if _, err := of[i].HasApplied(t.Context(), 1); err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
		s.end(0)
		time.Sleep(time.Second) // a source replaces a token once a second
		kill()
		if got := crowd(others, func(i int) *jobboard.Applicant { return of[i] }); got["ok"] != others {
			t.Errorf("all at once: %v", got)
		}
	})
}

// A token that was renewed ahead of time, and used by nobody yet, is each call's repeat, too.
func TestRepeatWithATokenRenewedAhead(t *testing.T) {
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
		if had, took := s.had(), time.Since(start); had["token1"] != 20 || had["token2"] != 20 || took != 2*tokenLatency {
			t.Errorf("sent %v in %v", had, took)
		}
	})
}

// Where the service refuses every token of a source whose tokens live a second, or have no end, a
// call sends hardly more than one request and the source is asked at most once a second, also if
// the service takes longer than that to refuse one.
func TestRefusedTokensOfASecond(t *testing.T) {
	for name, c := range map[string]struct {
		callers        int
		latency, pause time.Duration
		life           time.Duration // 0: no end
	}{
		"many callers, slow answers":  {20, 2500 * time.Millisecond, 0, 0},
		"many callers":                {20, tokenLatency, 0, time.Second},
		"a call just after the other": {1, tokenLatency, 1050 * time.Millisecond, 0},
		"the same, with an end":       {1, tokenLatency, 1050 * time.Millisecond, time.Second},
	} {
		for _, foreign := range []bool{true, false} {
			if c.life == 0 && !foreign {
				continue // stays until it is refused
			}
			inBubble(t, fmt.Sprint(name, ", foreign: ", foreign), func(t *testing.T) {
				var mu sync.Mutex
				requests, calls, fetched := 0, 0, 0
				client := withTransport(t, jobboard.Config{}, func(r *http.Request) (*http.Response, error) {
					mu.Lock()
					requests++
					mu.Unlock()
					if err := wait(r.Context(), c.latency); err != nil {
						return nil, err
					}
					return expired(r), nil
				})
				fetch := func(context.Context) (*oauth2.Token, error) {
					mu.Lock()
					defer mu.Unlock()
					fetched++
					token := &oauth2.Token{AccessToken: fmt.Sprint("token", fetched)}
					if c.life > 0 {
						token.Expiry = time.Now().Add(c.life)
					}
					return token, nil
				}
				var source oauth2.TokenSource = funcSource{&fetch}
				if !foreign {
					source = jobboard.RenewingToken(fetch)
				}
				start := time.Now()
				var all sync.WaitGroup
				for i := range c.callers {
					all.Go(func() {
						time.Sleep(time.Duration(i) * c.latency / time.Duration(c.callers))
						for time.Since(start) < time.Minute {
							_, _ = client.Applicant(source).HasApplied(t.Context(), 1)
							mu.Lock()
							calls++
							mu.Unlock()
							time.Sleep(c.pause)
						}
					})
				}
				all.Wait()
				if most := calls + 2*c.callers; requests > most {
					t.Errorf("%d requests of %d calls", requests, calls)
				}
				if most := 2 + int(time.Since(start)/time.Second); fetched > most {
					t.Errorf("%d fetches in %v", fetched, time.Since(start))
				}
			})
		}
	}
}
