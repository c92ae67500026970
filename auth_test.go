package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"golang.org/x/oauth2"
)

// answer is one of a service in memory.
func answer(r *http.Request, status int, body string, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}
}

func bearerOf(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// tokenClient answers true to every call, and counts the requests.
func tokenClient(t *testing.T, requests *atomic.Int64) *jobboard.Client {
	return served(t, jobboard.Config{}, func(r *http.Request) *http.Response {
		requests.Add(1)
		return answer(r, 200, "true")
	})
}

// numbered is a source of the package whose tokens are token1, token2 and so on,
// and have no end that is known.
func numbered(fetches *int) oauth2.TokenSource {
	return jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
		*fetches++
		return &oauth2.Token{AccessToken: fmt.Sprint("token", *fetches)}, nil
	})
}

// ofAnHour is a token that is valid for an hour.
func ofAnHour(text string) *oauth2.Token {
	return &oauth2.Token{AccessToken: text, Expiry: time.Now().Add(time.Hour)}
}

// inBubble runs f in virtual time; a goroutine left behind fails it.
func inBubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

func TestRenewingToken(t *testing.T) {
	token := func(s string) *oauth2.Token { return &oauth2.Token{AccessToken: s} }

	inBubble(t, "each waiter leaves with its own context, the fetch ends with the last", func(t *testing.T) {
		var requests atomic.Int64
		var ended time.Duration
		start := time.Now()
		source := jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
			<-ctx.Done()
			ended = time.Since(start)
			return nil, ctx.Err()
		})
		a := tokenClient(t, &requests).Applicant(source)
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				patience := time.Duration(i+1) * time.Second
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				_, err := a.HasApplied(ctx, 1)
				if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, jobboard.ErrTimeout) || time.Since(start) != patience {
					t.Errorf("caller %d left after %v with %v", i, time.Since(start), err)
				}
			})
		}
		wg.Wait()
		synctest.Wait()
		if ended != 10*time.Second {
			t.Errorf("the fetch ended after %v, want 10s", ended)
		}
		if requests.Load() != 0 {
			t.Errorf("%d requests", requests.Load())
		}
	})

	inBubble(t, "who stays gets a token though the first caller left", func(t *testing.T) {
		var fetches, requests atomic.Int64
		source := jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
			fetches.Add(1)
			return token("x"), wait(ctx, 5*time.Second)
		})
		a := tokenClient(t, &requests).Applicant(source)
		first, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := a.HasApplied(first, 1); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			succeeds(t, a)
		})
		wg.Wait()
		if fetches.Load() != 1 {
			t.Errorf("%d fetches", fetches.Load())
		}
	})

	inBubble(t, "who comes just after all have left is not punished for it", func(t *testing.T) {
		var requests atomic.Int64
		source := jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
			if err := wait(ctx, 2*time.Second); err != nil {
				time.Sleep(time.Second) // slow to notice
				return nil, err
			}
			return token("x"), nil
		})
		a := tokenClient(t, &requests).Applicant(source)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := a.HasApplied(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		succeeds(t, a)
	})

	inBubble(t, "a failure is remembered for a moment, not for good", func(t *testing.T) {
		for kind, source := range failingSources() {
			var requests atomic.Int64
			a := tokenClient(t, &requests).Applicant(source.TokenSource)
			ask := func() error { return errOf(a.HasApplied(t.Context(), 1)) }
			start := time.Now()
			var e *jobboard.Error
			if err := ask(); !errors.Is(err, jobboard.ErrToken) || !errors.Is(err, errNoToken) || !errors.As(err, &e) || e.Attempts != 0 {
				t.Fatalf("%s: %v", kind, err)
			}
			source.heal()
			for ask() != nil {
				time.Sleep(10 * time.Millisecond)
			}
			if took := time.Since(start); took < 400*time.Millisecond || took > 1300*time.Millisecond {
				t.Errorf("%s: works again after %v, want half a second to a second", kind, took)
			}
			if n := source.asked(); n > 3 || requests.Load() != 1 {
				t.Errorf("%s: asked %d times, %d requests", kind, n, requests.Load())
			}
		}
	})

	inBubble(t, "a panic of the runtime, a Goexit is the failure of those who wait", func(t *testing.T) {
		for name, fetch := range map[string]func(context.Context) (*oauth2.Token, error){
			"panic of the runtime": func(context.Context) (*oauth2.Token, error) { var none []int; _ = none[len(none)]; return nil, nil },
			"Goexit":               func(context.Context) (*oauth2.Token, error) { runtime.Goexit(); return nil, nil },
			"no fetch":             nil,
		} {
			for kind, source := range map[string]oauth2.TokenSource{
				"renewing": jobboard.RenewingToken(fetch),
				"foreign":  funcSource{&fetch},
			} {
				var requests atomic.Int64
				start := time.Now()
				_, err := tokenClient(t, &requests).Applicant(source).HasApplied(t.Context(), 1)
				if !errors.Is(err, jobboard.ErrToken) || requests.Load() != 0 {
					t.Errorf("%s, %s: %v, %d requests", name, kind, err, requests.Load())
				}
				if waited := time.Since(start); waited > time.Second {
					t.Errorf("%s, %s: took %v", name, kind, waited)
				}
			}
		}
	})

	inBubble(t, "Renew returns at once when another has renewed already", func(t *testing.T) {
		var fetches atomic.Int64
		source := jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
			return token(fmt.Sprint("token-", fetches.Add(1))), wait(ctx, time.Second)
		})
		renewer, ok := source.(jobboard.Renewer)
		if !ok {
			t.Fatal("no Renewer")
		}
		old, err := source.Token()
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 100 { // together: one fetch
			wg.Go(func() {
				got, err := renewer.Renew(t.Context(), old.AccessToken)
				if err != nil || got.AccessToken != "token-2" {
					t.Error(got, err)
				}
			})
		}
		wg.Wait()
		start := time.Now()
		for range 100 { // afterwards: none
			got, err := renewer.Renew(t.Context(), old.AccessToken)
			if err != nil || got.AccessToken != "token-2" {
				t.Error(got, err)
			}
		}
		if fetches.Load() != 2 || time.Since(start) != 0 {
			t.Errorf("%d fetches, %v", fetches.Load(), time.Since(start))
		}
	})

	inBubble(t, "a caller cannot change the token that is kept", func(t *testing.T) {
		source := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) { return token("good"), nil })
		for range 3 {
			got, err := source.Token()
			if err != nil || got.AccessToken != "good" {
				t.Error(got, err)
			}
			got.AccessToken = "changed"
		}
	})
}

// succeeds makes a call that must succeed.
func succeeds(t *testing.T, a *jobboard.Applicant) {
	t.Helper()
	if _, err := a.HasApplied(t.Context(), 1); err != nil {
		t.Error(err)
	}
}

// wait is a pause that ends with its context.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errNoToken = errors.New("no token today")

// A failingSource fails until it is healed.
type failingSource struct {
	oauth2.TokenSource
	asked func() int64
	heal  func()
}

func failingSources() map[string]failingSource {
	all := map[string]failingSource{}
	for _, kind := range []string{"renewing", "foreign", "foreign, slow", "renewing, slow"} {
		var asked atomic.Int64
		var healthy atomic.Bool
		fetch := func(ctx context.Context) (*oauth2.Token, error) {
			asked.Add(1)
			if strings.Contains(kind, "slow") {
				if err := wait(ctx, 100*time.Millisecond); err != nil {
					return nil, err
				}
			}
			if healthy.Load() {
				return &oauth2.Token{AccessToken: "x"}, nil
			}
			return nil, errNoToken
		}
		s := failingSource{asked: asked.Load, heal: func() { healthy.Store(true) }}
		if strings.HasPrefix(kind, "renewing") {
			s.TokenSource = jobboard.RenewingToken(fetch)
		} else {
			s.TokenSource = funcSource{&fetch}
		}
		all[kind] = s
	}
	return all
}

// funcSource is a foreign source whose values can be compared.
type funcSource struct {
	fetch *func(context.Context) (*oauth2.Token, error)
}

func (s funcSource) Token() (*oauth2.Token, error) { return (*s.fetch)(context.Background()) }

// sliceSource is one whose values cannot.
type sliceSource []func() (*oauth2.Token, error)

func (s sliceSource) Token() (*oauth2.Token, error) { return s[0]() }

// goroutines counts the goroutines of one moment. runtime.NumGoroutine does not
// stop the others, and is off by some dozens at times.
func goroutines() int {
	stacks := make([]byte, 4<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "\ngoroutine ")
}

// A foreign source that hangs costs a caller no more than its own time, and
// the program one goroutine.
func TestHangingSource(t *testing.T) {
	inBubble(t, "comparable", func(t *testing.T) {
		release := make(chan struct{})
		var hanging, requests atomic.Int64
		fetch := func(context.Context) (*oauth2.Token, error) {
			hanging.Add(1)
			<-release
			hanging.Add(-1)
			return &oauth2.Token{AccessToken: "late"}, nil
		}
		c := tokenClient(t, &requests)
		before := goroutines()
		var wg sync.WaitGroup
		for i := range 200 { // over many applicants of one source
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				_, err := c.Applicant(funcSource{&fetch}).HasApplied(ctx, jobboard.JobID(i+1))
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
					t.Errorf("%v after %v", err, time.Since(start))
				}
			})
		}
		wg.Wait()
		for range 5 { // and again, while it still hangs
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := c.Applicant(funcSource{&fetch}).HasApplied(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			cancel()
		}
		synctest.Wait()
		if more := goroutines() - before; hanging.Load() != 1 || more > 1 {
			t.Errorf("%d calls of the source hang, %d goroutines more than before", hanging.Load(), more)
		}
		close(release)
		synctest.Wait()
		succeeds(t, c.Applicant(funcSource{&fetch}))
	})

	inBubble(t, "nobody waits longer than 15 s, and two calls of the source may hang", func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		var asked, requests atomic.Int64
		fetch := func(context.Context) (*oauth2.Token, error) { asked.Add(1); <-release; return nil, errNoToken }
		a := tokenClient(t, &requests).Applicant(funcSource{&fetch})
		for _, patience := range []time.Duration{15 * time.Second, 15 * time.Second, 0, 0} {
			start := time.Now()
			if _, err := a.HasApplied(t.Context(), 1); !errors.Is(err, jobboard.ErrToken) || time.Since(start) != patience {
				t.Errorf("%v after %v, want %v", err, time.Since(start), patience)
			}
		}
		if asked.Load() != 2 || requests.Load() != 0 {
			t.Errorf("asked %d times, %d requests", asked.Load(), requests.Load())
		}
	})

	inBubble(t, "not comparable", func(t *testing.T) {
		release := make(chan struct{})
		var hanging, requests atomic.Int64
		source := sliceSource{func() (*oauth2.Token, error) {
			hanging.Add(1)
			<-release
			return &oauth2.Token{AccessToken: "late"}, nil
		}}
		// Its values cannot be told apart, so it is one source for each
		// Applicant.
		a := tokenClient(t, &requests).Applicant(source)
		for range 12 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := a.HasApplied(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			cancel()
		}
		if hanging.Load() != 1 {
			t.Errorf("%d calls of the source hang", hanging.Load())
		}
		close(release)
	})
}

// A scriptedSource gives its tokens in their order; Renewers among them only when asked to
// renew.
type scriptedSource struct {
	mu      sync.Mutex
	tokens  []string
	asked   int
	renewed []string
	hook    func() // runs in Token and Renew
}

func (s *scriptedSource) Token() (*oauth2.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.hook != nil {
		s.hook()
	}
	return &oauth2.Token{AccessToken: s.tokens[min(s.asked, len(s.tokens))-1]}, nil
}

type scriptedRenewer struct {
	scriptedSource
	current int
	fail    error
}

func (s *scriptedRenewer) Token() (*oauth2.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return &oauth2.Token{AccessToken: s.tokens[s.current]}, nil
}

func (s *scriptedRenewer) Renew(_ context.Context, rejected string) (*oauth2.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewed = append(s.renewed, rejected)
	if s.hook != nil {
		s.hook()
	}
	if s.fail != nil {
		return nil, s.fail
	}
	s.current = min(s.current+1, len(s.tokens)-1)
	return &oauth2.Token{AccessToken: s.tokens[s.current]}, nil
}

// expired is a 401 that says that another token may help.
func expired(r *http.Request) *http.Response {
	return answer(r, 401, "", "WWW-Authenticate", `Bearer error="invalid_token", error_description="token expired or otherwise invalid"`)
}

// A Renewer is asked once for a token in place of the refused one, and a source that gives the refused
// token again has no other: nothing is repeated. Other sources are in the table of faults.
func TestRenewalAfter401(t *testing.T) {
	wrongKind := func(r *http.Request) *http.Response {
		return answer(r, 401, `{"error_description":"user token required, but client token sent"}`, "WWW-Authenticate", `Bearer error="invalid_token"`)
	}
	for name, test := range map[string]struct {
		fail   error    // of Renew
		tokens []string // of the source, in their order
		says   func(*http.Request) *http.Response
		sent   string
		asked  string // how often for a token, and for which token another
		works  bool
	}{
		"it has another":           {nil, []string{"a", "good", "c"}, expired, "[a good]", "1 [a]", true},
		"it fails":                 {errNoToken, []string{"a"}, expired, "[a]", "1 [a]", false},
		"it gives the same":        {nil, []string{"a"}, expired, "[a]", "1 [a]", false},
		"a token of another kind":  {nil, []string{"a", "good"}, wrongKind, "[a]", "1 []", false},
		"the new one is no better": {nil, []string{"a", "b", "good"}, expired, "[a b]", "1 [a]", false},
	} {
		inBubble(t, name, func(t *testing.T) {
			var sent []string
			c := served(t, jobboard.Config{}, func(r *http.Request) *http.Response {
				if sent = append(sent, bearerOf(r)); bearerOf(r) == "good" {
					return answer(r, 200, "true")
				}
				return test.says(r)
			})
			s := &scriptedRenewer{scriptedSource: scriptedSource{tokens: test.tokens}, fail: test.fail}
			_, err := c.Applicant(s).HasApplied(t.Context(), 1)
			if (err == nil) != test.works || err != nil && !errors.Is(err, jobboard.ErrUnauthorized) {
				t.Errorf("the call ends with %v", err)
			}
			if asked := fmt.Sprint(s.asked, s.renewed); fmt.Sprint(sent) != test.sent || asked != test.asked {
				t.Errorf("sent %v, asked %s; want %s, %s", sent, asked, test.sent, test.asked)
			}
		})
	}
}

// The renewal is outside the policy: it works where nothing is repeated, also
// for a call that must be sent once.
func TestRenewalIsOutsideThePolicy(t *testing.T) {
	inBubble(t, "POST with MaxAttempts 1", func(t *testing.T) {
		fetches := 0
		var sent []string
		cfg := jobboard.Config{Retry: jobboard.RetryPolicy{MaxAttempts: 1}, TokenSource: numbered(&fetches)}
		c := served(t, cfg, func(r *http.Request) *http.Response {
			body, _ := io.ReadAll(r.Body)
			sent = append(sent, bearerOf(r)+string(body))
			if len(sent) == 1 {
				return expired(r)
			}
			return answer(r, 200, "{}")
		})
		start := time.Now()
		_, err := c.Subscribe(t.Context(), jobboard.SubscriptionRequest{Body: 7})
		if err != nil || fmt.Sprint(sent) != "[token17 token27]" || time.Since(start) != 0 {
			t.Error(sent, err, time.Since(start))
		}
	})
	inBubble(t, "with an empty budget", func(t *testing.T) {
		fetches, status := 0, 503
		cfg := jobboard.Config{Retry: jobboard.RetryPolicy{Budget: 1}, TokenSource: numbered(&fetches)}
		budget := rig.WatchBudget(&cfg)
		c := served(t, cfg, func(r *http.Request) *http.Response {
			switch {
			case status == 503:
				return answer(r, 503, "")
			case bearerOf(r) == "token1":
				return expired(r)
			}
			return answer(r, 200, noJobs)
		})
		_, err := c.Search(t.Context(), "ch", jobboard.Query{})
		var e *jobboard.Error
		if !errors.As(err, &e) || e.Attempts != 2 || e.Stopped != jobboard.StopBudget {
			t.Errorf("%v, want an empty budget", err)
		}
		status = 200
		if _, err := c.Search(t.Context(), "ch", jobboard.Query{}); err != nil {
			t.Error(err)
		}
		if fetches != 2 || budget() != 0.3 {
			t.Errorf("%d fetches, %v tokens", fetches, budget())
		}
	})
}

// closeCounter is a body that is watched.
type closeCounter struct {
	io.Reader
	closed *int
}

func (c closeCounter) Close() error { *c.closed++; return nil }

// A caller that leaves during a renewal leaves nothing open behind it.
func TestLeavingDuringRenewal(t *testing.T) {
	for _, kind := range []string{"ours", "renewer", "plain"} {
		inBubble(t, kind, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			opened, closed, fetches := 0, 0, 0
			var source oauth2.TokenSource
			switch kind {
			case "ours":
				source = jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
					if fetches++; fetches == 1 {
						return &oauth2.Token{AccessToken: "first"}, nil
					}
					<-ctx.Done()
					return nil, ctx.Err()
				})
			case "renewer":
				source = &scriptedRenewer{scriptedSource: scriptedSource{tokens: []string{"a", "b"}, hook: func() { time.Sleep(time.Minute) }}}
			case "plain":
				plain := &scriptedSource{tokens: []string{"a", "b"}}
				plain.hook = func() {
					if plain.asked == 2 {
						time.Sleep(time.Minute)
					}
				}
				source = plain
			}
			c := served(t, jobboard.Config{}, func(r *http.Request) *http.Response {
				resp := expired(r)
				opened++
				resp.Body = closeCounter{resp.Body, &closed}
				return resp
			})
			time.AfterFunc(time.Second, cancel)
			start := time.Now()
			_, err := c.Applicant(source).HasApplied(ctx, 1)
			if !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
				t.Errorf("%v after %v", err, time.Since(start))
			}
			if opened != 1 || closed < 1 {
				t.Errorf("%d bodies opened, %d closed", opened, closed)
			}
			time.Sleep(time.Minute) // the foreign sources' own
		})
	}
}

// While a token is known to be valid, a call asks nobody and starts no
// goroutine, also where each request makes its own Applicant.
func TestValidTokenIsNotAskedFor(t *testing.T) {
	inBubble(t, "kept", func(t *testing.T) {
		var asked, requests atomic.Int64
		fetch := func(context.Context) (*oauth2.Token, error) {
			asked.Add(1)
			return ofAnHour("x"), nil
		}
		c := tokenClient(t, &requests)
		for _, source := range []oauth2.TokenSource{funcSource{&fetch}, jobboard.RenewingToken(fetch)} {
			asked.Store(0)
			for range 100 {
				succeeds(t, c.Applicant(source))
				time.Sleep(10 * time.Second)
			}
			if asked.Load() != 1 {
				t.Errorf("%T: asked %d times", source, asked.Load())
			}
		}
		// What has no end is asked for once a second.
		forever := func(context.Context) (*oauth2.Token, error) {
			asked.Add(1)
			return &oauth2.Token{AccessToken: "x"}, nil
		}
		asked.Store(0)
		for range 100 {
			succeeds(t, c.Applicant(funcSource{&forever}))
			time.Sleep(100 * time.Millisecond)
		}
		if asked.Load() != 10 {
			t.Errorf("a source of tokens without an end was asked %d times in 10 s", asked.Load())
		}
	})
}

// A source that gives the rejected token over and over is asked once a second,
// and one whose new tokens are all rejected, too.
func TestRejectedOverAndOver(t *testing.T) {
	for _, kind := range []string{"renewing, the same", "renewing, others", "foreign, the same"} {
		inBubble(t, kind, func(t *testing.T) {
			var asked atomic.Int64
			fetch := func(context.Context) (*oauth2.Token, error) {
				n := asked.Add(1)
				if kind != "renewing, others" {
					n = 0
				}
				return &oauth2.Token{AccessToken: fmt.Sprint("token-", n)}, nil
			}
			var source oauth2.TokenSource = funcSource{&fetch}
			if strings.HasPrefix(kind, "renewing") {
				source = jobboard.RenewingToken(fetch)
			}
			a := served(t, jobboard.Config{}, expired).Applicant(source)
			for range 400 {
				if _, err := a.HasApplied(t.Context(), 1); !errors.Is(err, jobboard.ErrUnauthorized) {
					t.Fatal(err)
				}
				time.Sleep(50 * time.Millisecond)
			}
			if n := asked.Load(); n < 15 || n > 23 {
				t.Errorf("asked %d times in 20 s", n)
			}
		})
	}
}

// A rejected token is not given again, even if no other token can be fetched.
func TestRejectedTokenIsGone(t *testing.T) {
	tokens := []*oauth2.Token{{AccessToken: "rejected", Expiry: time.Now().Add(time.Hour)}}
	source := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
		if len(tokens) == 0 {
			return nil, errNoToken
		}
		token := tokens[0]
		tokens = nil
		return token, nil
	})
	if _, err := source.Token(); err != nil {
		t.Fatal(err)
	}
	if _, err := source.(jobboard.Renewer).Renew(t.Context(), "rejected"); !errors.Is(err, errNoToken) {
		t.Error(err)
	}
	if token, err := source.Token(); !errors.Is(err, errNoToken) {
		t.Errorf("%v, %v", token, err)
	}
}

// A call whose fetch hangs begins a second fetch and uses its token, even if the call's context
// has no deadline.
func TestCallOutlivesAFetchThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fetches atomic.Int64
		source := jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
			if fetches.Add(1) == 1 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return &oauth2.Token{AccessToken: "token"}, wait(ctx, time.Second)
		})
		var requests atomic.Int64
		start := time.Now()
		succeeds(t, tokenClient(t, &requests).Applicant(source))
		if fetches.Load() != 2 || time.Since(start) != 16*time.Second {
			t.Errorf("%d fetches after %v", fetches.Load(), time.Since(start))
		}
	})
}

// The text of a failed token source names what is known of it, bounded and without
// what it holds of the token endpoint.
func TestTokenSourceErrors(t *testing.T) {
	long := strings.Repeat("x", 400)
	notTime := new(jobboard.Timestamp).UnmarshalJSON([]byte(`"tomorrow"`))
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, test := range []struct {
		err  error
		want string
	}{
		{errNoToken, "no token today"},
		{errors.New(long), long[:280] + "…"},
		{notTime, notTime.Error()}, // of a source that reads an answer with this library's types
		{
			fmt.Errorf("x: %w", &oauth2.RetrieveError{ErrorCode: "invalid_client", Response: &http.Response{StatusCode: 401}, Body: []byte("secret")}),
			"the token endpoint refused: invalid_client",
		},
		{&oauth2.RetrieveError{ErrorCode: long}, "the token endpoint refused: " + long[:57] + "…"},
		{&oauth2.RetrieveError{Response: &http.Response{StatusCode: 503}, Body: []byte("secret")}, "the token endpoint refused with status 503 Service Unavailable (no content type)"},
		{&oauth2.RetrieveError{Body: []byte("secret")}, "the token endpoint refused"},
		{
			&url.Error{Op: "Post", URL: "https://x/?secret", Err: refused},
			"the token endpoint was not reached: dial tcp: connect: connection refused",
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var requests atomic.Int64
			source := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) { return nil, test.err })
			_, err := tokenClient(t, &requests).Applicant(source).HasApplied(t.Context(), 1)
			if !errors.Is(err, jobboard.ErrToken) || err.Error() != appliedAt+"no usable token: "+test.want+" (the applicant's token)" {
				t.Errorf("%v, want %s", err, test.want)
			}
			if known := errors.Is(test.err, errNoToken) || errors.Is(test.err, refused); known && !errors.Is(err, errNoToken) && !errors.Is(err, refused) {
				t.Errorf("%v does not have its cause", err)
			}
		})
	}
}

// A call without a deadline waits a minute for its token, and not longer.
func TestTokenThatNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		source := jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		start := time.Now()
		_, err := tokenClient(t, &requests).Applicant(source).HasApplied(t.Context(), 1)
		var e *jobboard.Error
		if !errors.Is(err, jobboard.ErrTimeout) || !errors.As(err, &e) || e.Attempts != 0 || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// The token of a renewal is what the repeat is sent with, however long a limiter
// holds that back and however short the token lives.
func TestRenewedTokenIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &scriptedSource{tokens: []string{"a", "b", "c"}}
		var sent []string
		c := served(t, jobboard.Config{Limiter: &countingLimiter{pause: 10 * time.Second}}, func(r *http.Request) *http.Response {
			if sent = append(sent, bearerOf(r)); bearerOf(r) == "b" {
				return answer(r, 200, "true")
			}
			return expired(r)
		})
		if ok, err := c.Applicant(source).HasApplied(t.Context(), 1); !ok || err != nil || fmt.Sprint(sent) != "[a b]" || source.asked != 2 {
			t.Errorf("%v, sent %v, asked %d times", err, sent, source.asked)
		}
	})
}
