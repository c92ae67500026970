package jobboard_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
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
	return mustClient(t, jobboard.Config{BaseURL: "https://api.example", HTTPClient: &http.Client{
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			requests.Add(1)
			return answer(r, 200, "true"), nil
		}),
	}})
}

// inBubble runs f in virtual time; a goroutine left behind fails it.
func inBubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

func TestRenewingToken(t *testing.T) {
	token := func(s string) *oauth2.Token { return &oauth2.Token{AccessToken: s} }

	inBubble(t, "100 callers share one fetch", func(t *testing.T) {
		var fetches, requests atomic.Int64
		source := jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
			fetches.Add(1)
			return token("one"), wait(ctx, time.Second)
		})
		a := tokenClient(t, &requests).Applicant(source)
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if ok, err := a.HasApplied(t.Context(), 1); !ok || err != nil {
					t.Error(ok, err)
				}
			})
		}
		wg.Wait()
		if fetches.Load() != 1 || requests.Load() != 100 {
			t.Errorf("%d fetches, %d requests", fetches.Load(), requests.Load())
		}
	})

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
			if _, err := a.HasApplied(t.Context(), 1); err != nil {
				t.Error(err)
			}
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
		if _, err := a.HasApplied(t.Context(), 1); err != nil {
			t.Error(err)
		}
	})

	inBubble(t, "a failing source is asked at most 3 times by 100 callers", func(t *testing.T) {
		for kind, source := range failingSources() {
			var requests atomic.Int64
			a := tokenClient(t, &requests).Applicant(source.TokenSource)
			var wg sync.WaitGroup
			for i := range 100 {
				wg.Go(func() {
					time.Sleep(time.Duration(i) * 4 * time.Millisecond)
					_, err := a.HasApplied(t.Context(), 1)
					var e *jobboard.Error
					if !errors.Is(err, jobboard.ErrToken) || !errors.Is(err, errNoToken) || !errors.As(err, &e) || e.Attempts != 0 {
						t.Errorf("%s: %v", kind, err)
					}
				})
			}
			wg.Wait()
			if n := source.asked(); n > 3 {
				t.Errorf("%s: asked %d times", kind, n)
			}
			if requests.Load() != 0 {
				t.Errorf("%s: %d requests", kind, requests.Load())
			}
		}
	})

	inBubble(t, "a failure is remembered for a moment, not for good", func(t *testing.T) {
		for kind, source := range failingSources() {
			var requests atomic.Int64
			a := tokenClient(t, &requests).Applicant(source.TokenSource)
			ask := func() error { _, err := a.HasApplied(t.Context(), 1); return err }
			start := time.Now()
			if ask() == nil {
				t.Fatal("no error")
			}
			source.heal()
			for ask() != nil {
				time.Sleep(10 * time.Millisecond)
			}
			if took := time.Since(start); took < 400*time.Millisecond || took > 1300*time.Millisecond {
				t.Errorf("%s: works again after %v, want half a second to a second", kind, took)
			}
		}
	})

	inBubble(t, "a panic, a nil token, a Goexit is the failure of those who wait", func(t *testing.T) {
		for name, fetch := range map[string]func(context.Context) (*oauth2.Token, error){
			"panic":                func(context.Context) (*oauth2.Token, error) { panic("canary-panic-text") },
			"panic of the runtime": func(context.Context) (*oauth2.Token, error) { var none []int; _ = none[len(none)]; return nil, nil },
			"nil":                  func(context.Context) (*oauth2.Token, error) { return nil, nil },
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
				if !errors.Is(err, jobboard.ErrToken) || strings.Contains(err.Error(), "canary") || requests.Load() != 0 {
					t.Errorf("%s, %s: %v, %d requests", name, kind, err, requests.Load())
				}
				if waited := time.Since(start); waited > time.Second {
					t.Errorf("%s, %s: took %v", name, kind, waited)
				}
			}
		}
	})

	inBubble(t, "a token that cannot be sent is not sent", func(t *testing.T) {
		for name, bad := range map[string]*oauth2.Token{
			"empty":      {},
			"expired":    {AccessToken: "x", Expiry: time.Now().Add(-time.Second)},
			"CR LF":      {AccessToken: "x\r\nX-Injected: y"},
			"LF":         {AccessToken: "x\n"},
			"NUL":        {AccessToken: "x\x00"},
			"space":      {AccessToken: "x y"},
			"letters":    {AccessToken: "tökén"},
			"DEL":        {AccessToken: "x\x7f"},
			"other type": nil,
		} {
			give := func(context.Context) (*oauth2.Token, error) { return bad, nil }
			sources := map[string]oauth2.TokenSource{"renewing": jobboard.RenewingToken(give), "foreign": funcSource{&give}}
			if bad != nil && bad.Expiry.IsZero() {
				sources["static"] = jobboard.StaticToken(bad.AccessToken)
			}
			for kind, source := range sources {
				var requests atomic.Int64
				c := tokenClient(t, &requests)
				_, err := c.Applicant(source).HasApplied(t.Context(), 1)
				if !errors.Is(err, jobboard.ErrToken) || requests.Load() != 0 {
					t.Errorf("%s, %s: %v, %d requests", name, kind, err, requests.Load())
				}
				cfg := jobboard.Config{BaseURL: "https://api.example", TokenSource: source}
				if _, err := jobboard.NewClient(cfg); kind == "static" && !errors.Is(err, jobboard.ErrInvalidInput) {
					t.Errorf("%s: NewClient: %v", name, err)
				}
			}
		}
	})

	inBubble(t, "the clock and the service both end a token", func(t *testing.T) {
		// A token of a sliding hour: each use puts the end off, on both
		// sides; the local clock does not know, and must not matter.
		n := 0
		lastUse := time.Now()
		c := mustClient(t, jobboard.Config{BaseURL: "https://api.example", HTTPClient: &http.Client{
			Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				if bearerOf(r) != fmt.Sprint("token-", n) || time.Since(lastUse) > time.Hour {
					return answer(r, 401, "", "WWW-Authenticate", `Bearer error="invalid_token", error_description="token expired or otherwise invalid"`), nil
				}
				lastUse = time.Now()
				return answer(r, 200, "true"), nil
			}),
		}})
		a := c.Applicant(jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
			n++
			lastUse = time.Now()
			return token(fmt.Sprint("token-", n)), nil // no expiry: the service alone knows
		}))
		for _, pause := range []time.Duration{0, 50 * time.Minute, 50 * time.Minute, 59 * time.Minute, 61 * time.Minute, time.Minute, 5 * time.Hour, 0} {
			time.Sleep(pause)
			if _, err := a.HasApplied(t.Context(), 1); err != nil {
				t.Errorf("after a pause of %v: %v", pause, err)
			}
		}
		if n != 3 {
			t.Errorf("%d tokens were fetched, want 3: the first and one after each of two long pauses", n)
		}
	})

	inBubble(t, "a token that expires by the clock is fetched before it is sent", func(t *testing.T) {
		n := 0
		source := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
			n++
			return &oauth2.Token{AccessToken: fmt.Sprint("token-", n), Expiry: time.Now().Add(time.Hour)}, nil
		})
		var requests atomic.Int64
		a := tokenClient(t, &requests).Applicant(source)
		for range 4 {
			if _, err := a.HasApplied(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			time.Sleep(40 * time.Minute)
		}
		if n != 2 || requests.Load() != 4 {
			t.Errorf("%d fetches, %d requests, want 2 and 4", n, requests.Load())
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
		if _, err := c.Applicant(funcSource{&fetch}).HasApplied(t.Context(), 1); err != nil {
			t.Error(err)
		}
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

// A scriptedSource gives its tokens one after the other; Renewers among them
// only when asked to renew.
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

// expired401 are the ways to say that another token may help, and other401
// those to say that it cannot.
var expired401 = map[string]func(*http.Request) *http.Response{
	"header": func(r *http.Request) *http.Response {
		return answer(r, 401, "", "WWW-Authenticate", `Bearer realm="x", error="invalid_token", error_description="token expired or otherwise invalid"`)
	},
	"header, bare word": func(r *http.Request) *http.Response {
		return answer(r, 401, "", "WWW-Authenticate", `Bearer error=invalid_token`)
	},
	"body": func(r *http.Request) *http.Response {
		return answer(r, 401, `{"error":"invalid_token","error_description":"token expired or otherwise invalid"}`, "Content-Type", "application/json")
	},
	"body with a space": func(r *http.Request) *http.Response {
		return answer(r, 401, `{"error":"invalid token","error_description":"token expired or otherwise invalid"}`)
	},
	"header with a space": func(r *http.Request) *http.Response {
		return answer(r, 401, "", "WWW-Authenticate", `Bearer error="invalid token"`)
	},
	"body labelled as text": func(r *http.Request) *http.Response {
		return answer(r, 401, "\n{\"error\": \"invalid_token\"}\n", "Content-Type", "text/plain")
	},
	"header with a comma in its realm": func(r *http.Request) *http.Response {
		return answer(r, 401, "", "WWW-Authenticate", `Bearer realm="a,error=x", error="invalid_token"`)
	},
	"header in capitals": func(r *http.Request) *http.Response {
		return answer(r, 401, "", "WWW-Authenticate", `BEARER ERROR="invalid_token"`)
	},
	"compressed body, by its old name": func(r *http.Request) *http.Response {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, `{"error":"invalid_token"}`)
		_ = z.Close()
		return answer(r, 401, b.String(), "Content-Encoding", "x-gzip")
	},
	"compressed body": func(r *http.Request) *http.Response {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, `{"error":"invalid_token"}`)
		_ = z.Close()
		return answer(r, 401, b.String(), "Content-Encoding", "gzip")
	},
}

var other401 = map[string]func(*http.Request) *http.Response{
	"nothing": func(r *http.Request) *http.Response { return answer(r, 401, "") },
	"user token, header": func(r *http.Request) *http.Response {
		return answer(r, 401, "", "WWW-Authenticate", `Bearer error="invalid_token", error_description="user token required, but client token sent"`)
	},
	"user token, body": func(r *http.Request) *http.Response {
		return answer(r, 401, `{"error":"invalid_token","error_description":"user token required, but client token sent"}`)
	},
	"user token, with a space": func(r *http.Request) *http.Response {
		return answer(r, 401, `{"error":"invalid token","error_description":"User token required, but client token sent"}`)
	},
	"user token, header and body": func(r *http.Request) *http.Response {
		return answer(r, 401, `{"error_description":"user token required, but client token sent"}`, "WWW-Authenticate", `Bearer error="invalid_token"`)
	},
	"another error": func(r *http.Request) *http.Response {
		return answer(r, 401, `{"error":"invalid_client"}`)
	},
	"page": func(r *http.Request) *http.Response {
		return answer(r, 401, `<html>invalid_token</html>`, "Content-Type", "text/html")
	},
}

// A 401 that says the token expired costs exactly one renewal and one repeat;
// one that says anything else costs neither.
func TestRenewalAfter401(t *testing.T) {
	run := func(t *testing.T, source oauth2.TokenSource, says func(*http.Request) *http.Response, goodToken string) (sent []string, err error) {
		c := mustClient(t, jobboard.Config{BaseURL: "https://api.example", HTTPClient: &http.Client{
			Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				sent = append(sent, bearerOf(r))
				if bearerOf(r) == goodToken {
					return answer(r, 200, "true"), nil
				}
				return says(r), nil
			}),
		}})
		_, err = c.Applicant(source).HasApplied(t.Context(), 1)
		var e *jobboard.Error
		if errors.As(err, &e) && e.Attempts != len(sent) {
			t.Errorf("Attempts is %d, %d were sent", e.Attempts, len(sent))
		}
		return sent, err
	}
	ours := func(fetches *int) oauth2.TokenSource {
		return jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
			*fetches++
			return &oauth2.Token{AccessToken: fmt.Sprint("token", *fetches)}, nil
		})
	}
	for how, says := range expired401 {
		inBubble(t, "ours, "+how, func(t *testing.T) {
			fetches := 0
			sent, err := run(t, ours(&fetches), says, "token2")
			if err != nil || fmt.Sprint(sent) != "[token1 token2]" || fetches != 2 {
				t.Errorf("sent %v, fetched %d, %v", sent, fetches, err)
			}
		})
		inBubble(t, "ours, and the new one is no better, "+how, func(t *testing.T) {
			fetches := 0
			sent, err := run(t, ours(&fetches), says, "none")
			if !errors.Is(err, jobboard.ErrUnauthorized) || fmt.Sprint(sent) != "[token1 token2]" || fetches != 2 {
				t.Errorf("sent %v, fetched %d, %v", sent, fetches, err)
			}
		})
		inBubble(t, "ours, and the new one is the old one, "+how, func(t *testing.T) {
			fetches := 0
			source := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
				fetches++
				return &oauth2.Token{AccessToken: "same"}, nil
			})
			sent, err := run(t, source, says, "none")
			if !errors.Is(err, jobboard.ErrUnauthorized) || fmt.Sprint(sent) != "[same]" || fetches != 2 {
				t.Errorf("sent %v, fetched %d, %v", sent, fetches, err)
			}
		})
		inBubble(t, "ours, and renewing fails, "+how, func(t *testing.T) {
			fetches := 0
			source := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
				if fetches++; fetches > 1 {
					return nil, errNoToken
				}
				return &oauth2.Token{AccessToken: "first"}, nil
			})
			sent, err := run(t, source, says, "none")
			if !errors.Is(err, jobboard.ErrUnauthorized) || fmt.Sprint(sent) != "[first]" || fetches != 2 {
				t.Errorf("sent %v, fetched %d, %v", sent, fetches, err)
			}
		})
		inBubble(t, "a foreign Renewer, "+how, func(t *testing.T) {
			source := &scriptedRenewer{scriptedSource: scriptedSource{tokens: []string{"a", "b", "c"}}}
			sent, err := run(t, source, says, "b")
			if err != nil || fmt.Sprint(sent) != "[a b]" || fmt.Sprint(source.renewed) != "[a]" {
				t.Errorf("sent %v, renewed %v, %v", sent, source.renewed, err)
			}
		})
		inBubble(t, "a foreign Renewer that fails, "+how, func(t *testing.T) {
			source := &scriptedRenewer{scriptedSource: scriptedSource{tokens: []string{"a"}}, fail: errNoToken}
			sent, err := run(t, source, says, "b")
			if !errors.Is(err, jobboard.ErrUnauthorized) || fmt.Sprint(sent) != "[a]" || fmt.Sprint(source.renewed) != "[a]" {
				t.Errorf("sent %v, renewed %v, %v", sent, source.renewed, err)
			}
		})
		inBubble(t, "a plain source with another, "+how, func(t *testing.T) {
			source := &scriptedSource{tokens: []string{"a", "b", "c"}}
			sent, err := run(t, source, says, "b")
			if err != nil || fmt.Sprint(sent) != "[a b]" || source.asked != 2 {
				t.Errorf("sent %v, asked %d, %v", sent, source.asked, err)
			}
		})
		inBubble(t, "a plain source without, "+how, func(t *testing.T) {
			source := &scriptedSource{tokens: []string{"a"}}
			sent, err := run(t, source, says, "b")
			if !errors.Is(err, jobboard.ErrUnauthorized) || fmt.Sprint(sent) != "[a]" || source.asked != 2 {
				t.Errorf("sent %v, asked %d, %v", sent, source.asked, err)
			}
		})
		inBubble(t, "a static token, "+how, func(t *testing.T) {
			sent, err := run(t, jobboard.StaticToken("a"), says, "b")
			if !errors.Is(err, jobboard.ErrUnauthorized) || fmt.Sprint(sent) != "[a]" {
				t.Errorf("sent %v, %v", sent, err)
			}
		})
	}
	for how, says := range other401 {
		inBubble(t, "no renewal: "+how, func(t *testing.T) {
			fetches := 0
			sent, err := run(t, ours(&fetches), says, "token2")
			if !errors.Is(err, jobboard.ErrUnauthorized) || len(sent) != 1 || fetches != 1 {
				t.Errorf("ours: sent %v, fetched %d, %v", sent, fetches, err)
			}
			renewer := &scriptedRenewer{scriptedSource: scriptedSource{tokens: []string{"a", "b", "c"}}}
			sent, err = run(t, renewer, says, "b")
			if !errors.Is(err, jobboard.ErrUnauthorized) || len(sent) != 1 || len(renewer.renewed) != 0 || renewer.asked != 1 {
				t.Errorf("Renewer: sent %v, renewed %v, %v", sent, renewer.renewed, err)
			}
			plain := &scriptedSource{tokens: []string{"a", "b", "c"}}
			sent, err = run(t, plain, says, "b")
			if !errors.Is(err, jobboard.ErrUnauthorized) || len(sent) != 1 || plain.asked != 1 {
				t.Errorf("plain: sent %v, asked %d, %v", sent, plain.asked, err)
			}
		})
	}
}

// The renewal is outside the policy: it works where nothing is repeated, also
// for a call that must be sent once, and happens once a call.
func TestRenewalIsOutsideThePolicy(t *testing.T) {
	inBubble(t, "POST with MaxAttempts 1", func(t *testing.T) {
		fetches := 0
		var sent []string
		c := mustClient(t, jobboard.Config{
			BaseURL: "https://api.example", Retry: jobboard.RetryPolicy{MaxAttempts: 1},
			TokenSource: jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
				fetches++
				return &oauth2.Token{AccessToken: fmt.Sprint("token", fetches)}, nil
			}),
			HTTPClient: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				body, _ := io.ReadAll(r.Body)
				sent = append(sent, bearerOf(r)+string(body))
				if len(sent) == 1 {
					return expired401["body"](r), nil
				}
				return answer(r, 200, "{}"), nil
			})},
		})
		start := time.Now()
		_, err := c.Subscribe(t.Context(), jobboard.SubscriptionRequest{Body: 7})
		if err != nil || fmt.Sprint(sent) != "[token17 token27]" || time.Since(start) != 0 {
			t.Error(sent, err, time.Since(start))
		}
	})
	inBubble(t, "with an empty budget the next call has the other token", func(t *testing.T) {
		fetches, status := 0, 503
		c := mustClient(t, jobboard.Config{
			BaseURL: "https://api.example", Retry: jobboard.RetryPolicy{Budget: 1},
			TokenSource: jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
				fetches++
				return &oauth2.Token{AccessToken: fmt.Sprint("token", fetches)}, nil
			}),
			HTTPClient: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				switch {
				case status == 503:
					return answer(r, 503, ""), nil
				case bearerOf(r) == "token1":
					return expired401["header"](r), nil
				}
				return answer(r, 200, `{"totalNumberOfJobs":0,"results":[]}`), nil
			})},
		})
		for i, want := range []struct {
			err      error
			attempts int
			stopped  jobboard.StopReason
		}{{jobboard.ErrServer, 2, jobboard.StopBudget}, {jobboard.ErrUnauthorized, 1, jobboard.StopBudget}, {}} {
			_, err := c.Search(t.Context(), "ch", jobboard.Query{})
			var e *jobboard.Error
			if !errors.Is(err, want.err) || errors.As(err, &e) && (e.Attempts != want.attempts || e.Stopped != want.stopped) {
				t.Errorf("call %d: %v, want %v", i, err, want)
			}
			status = 200
		}
		if b := c.RetryBudgets()[0]; fetches != 2 || b.Tokens > 0.31 {
			t.Errorf("%d fetches, %v tokens", fetches, b.Tokens)
		}
	})
	inBubble(t, "once a call, also if the service takes the token in between", func(t *testing.T) {
		fetches, n := 0, 0
		script := []int{401, 503, 401, 200}
		var c *jobboard.Client
		c = mustClient(t, jobboard.Config{
			BaseURL: "https://api.example",
			TokenSource: jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
				fetches++
				return &oauth2.Token{AccessToken: fmt.Sprint("token", fetches)}, nil
			}),
			HTTPClient: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				if strings.Contains(r.URL.Path, "/other/") {
					return answer(r, 200, `{"totalNumberOfJobs":0,"results":[]}`), nil
				}
				n++
				if n == 2 {
					time.Sleep(2 * time.Second) // another could be fetched now
					if _, err := c.Search(t.Context(), "other", jobboard.Query{}); err != nil {
						t.Error(err)
					}
				}
				if script[n-1] == 401 {
					return expired401["header"](r), nil
				}
				return answer(r, script[n-1], ""), nil
			})},
		})
		_, err := c.Search(t.Context(), "ch", jobboard.Query{})
		var e *jobboard.Error
		if !errors.Is(err, jobboard.ErrUnauthorized) || !errors.As(err, &e) || n != 3 || e.Attempts != 3 || fetches != 2 {
			t.Errorf("%d requests, %d fetches, %v", n, fetches, err)
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
			c := mustClient(t, jobboard.Config{BaseURL: "https://api.example", HTTPClient: &http.Client{
				Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
					resp := expired401["header"](r)
					opened++
					resp.Body = closeCounter{resp.Body, &closed}
					return resp, nil
				}),
			}})
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

// callHourly calls once a second for an hour and returns how many calls
// succeeded; a call has 10 s.
func callHourly(t *testing.T, a *jobboard.Applicant) (good int64) {
	var ok atomic.Int64
	var wg sync.WaitGroup
	for range 3600 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if applied, err := a.HasApplied(ctx, 1); applied && err == nil {
				ok.Add(1)
			}
		})
		time.Sleep(time.Second)
	}
	wg.Wait()
	return ok.Load()
}

// One fetch that hangs for ever does not stop an hour of traffic, whether it
// minds its context or not, and whoever the source belongs to.
func TestOneHangingFetch(t *testing.T) {
	for _, kind := range []string{"renewing", "renewing, deaf", "foreign", "a stock source's mutex"} {
		inBubble(t, kind, func(t *testing.T) {
			release := make(chan struct{})
			defer close(release)
			var fetches, requests atomic.Int64
			fetch := func(ctx context.Context) (*oauth2.Token, error) {
				if fetches.Add(1) == 1 {
					if kind == "renewing" {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					select {
					case <-release:
					case <-time.After(map[bool]time.Duration{true: 12 * time.Second, false: 24 * time.Hour}[kind == "a stock source's mutex"]):
					}
				}
				return &oauth2.Token{AccessToken: "x", Expiry: time.Now().Add(time.Hour)}, nil
			}
			var source oauth2.TokenSource = funcSource{&fetch}
			switch kind {
			case "renewing", "renewing, deaf":
				source = jobboard.RenewingToken(fetch)
			case "a stock source's mutex":
				source = oauth2.ReuseTokenSource(nil, source)
			}
			good := callHourly(t, tokenClient(t, &requests).Applicant(source))
			t.Logf("figure: %d of 3600 calls succeed, %d fetches", good, fetches.Load())
			if good < 3582 {
				t.Errorf("%d of 3600 calls succeed", good)
			}
		})
	}
}

// A token endpoint that is down for ten minutes is not noticed: the token is
// renewed ahead of its end.
func TestTokenEndpointIsDown(t *testing.T) {
	for _, from := range []time.Duration{40 * time.Minute, 46 * time.Minute, 49 * time.Minute} {
		inBubble(t, from.String(), func(t *testing.T) {
			start, requests := time.Now(), atomic.Int64{}
			var tries []time.Duration
			var mu sync.Mutex
			source := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
				mu.Lock()
				defer mu.Unlock()
				at := time.Since(start)
				tries = append(tries, at)
				if at >= from && at < from+10*time.Minute {
					return nil, errNoToken
				}
				return &oauth2.Token{AccessToken: fmt.Sprint("token-", len(tries)), Expiry: time.Now().Add(time.Hour)}, nil
			})
			a := tokenClient(t, &requests).Applicant(source)
			if good := callHourly(t, a) + callHourly(t, a); good != 7200 {
				t.Errorf("%d of 7200 calls succeed", good)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(tries) < 2 || tries[1] < 45*time.Minute || tries[1] > 48*time.Minute+time.Second {
				t.Fatalf("fetched at %v, want one between 75 and 80 %% of an hour", tries)
			}
			for i := 2; i < len(tries) && tries[i] < from+10*time.Minute; i++ {
				if tries[i]-tries[i-1] > 30*time.Second {
					t.Errorf("no try between %v and %v", tries[i-1], tries[i])
				}
			}
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
			return &oauth2.Token{AccessToken: "x", Expiry: time.Now().Add(time.Hour)}, nil
		}
		c := tokenClient(t, &requests)
		for _, source := range []oauth2.TokenSource{funcSource{&fetch}, jobboard.RenewingToken(fetch)} {
			asked.Store(0)
			for range 100 {
				if _, err := c.Applicant(source).HasApplied(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Second)
			}
			if asked.Load() != 1 {
				t.Errorf("%T: asked %d times", source, asked.Load())
			}
		}
		// What has no end is asked for each time.
		forever := func(context.Context) (*oauth2.Token, error) {
			asked.Add(1)
			return &oauth2.Token{AccessToken: "x"}, nil
		}
		asked.Store(0)
		for range 10 {
			if _, err := c.Applicant(funcSource{&forever}).HasApplied(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		if asked.Load() != 10 {
			t.Errorf("a source of tokens without an end was asked %d times", asked.Load())
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
			c := mustClient(t, jobboard.Config{BaseURL: "https://api.example", HTTPClient: &http.Client{
				Transport: roundTripper(func(r *http.Request) (*http.Response, error) { return expired401["body"](r), nil }),
			}})
			a := c.Applicant(source)
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

// What a client keeps of the sources it has seen is bounded.
func TestKeptTokensAreBounded(t *testing.T) {
	var requests atomic.Int64
	c := tokenClient(t, &requests)
	fetch := func(context.Context) (*oauth2.Token, error) {
		return &oauth2.Token{AccessToken: strings.Repeat("x", 1000), Expiry: time.Now().Add(time.Hour)}, nil
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range 10_000 {
		f := fetch
		if _, err := c.Applicant(funcSource{&f}).HasApplied(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	if after := heap(); after > before+10<<20 {
		t.Errorf("%d MB are kept of 10 000 sources", (after-before)>>20)
	}
	runtime.KeepAlive(c)
}

// A service that rejects every token in turn gets one repeat of a client, and
// one fetch a second; the first token it takes again is used and renewed as ever.
func TestEveryTokenIsRejected(t *testing.T) {
	for name, c := range map[string]struct {
		between int  // the status of an answer in the middle of it
		resets  bool // it says that the service took the token
	}{"all the time": {401, false}, "and limits": {429, false}, "and is down": {503, false}, "and knows no job": {404, true}} {
		inBubble(t, name, func(t *testing.T) {
			requests, fetches, all, status := 0, 0, 0, 200
			client := mustClient(t, jobboard.Config{
				BaseURL: "https://api.example", Retry: jobboard.RetryPolicy{Budget: 100, MaxAttempts: 1},
				HTTPClient: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
					requests++
					if status == 401 {
						return answer(r, 401, "", "WWW-Authenticate", `Bearer error="invalid_token"`), nil
					}
					return answer(r, status, "true"), nil
				})},
			})
			a := client.Applicant(jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
				fetches++
				all++
				return &oauth2.Token{AccessToken: fmt.Sprint("token-", all)}, nil
			}))
			// calls makes n calls, one every two seconds, and holds them against the
			// requests and fetches they should cost.
			calls := func(what string, answered, n, wantRequests, wantFetches int) {
				t.Helper()
				requests, fetches, status = 0, 0, answered
				for range n {
					_, err := a.HasApplied(t.Context(), 1)
					if (err == nil) != (answered == 200) {
						t.Errorf("%s: %v", what, err)
					}
					time.Sleep(2 * time.Second)
				}
				if requests != wantRequests || fetches != wantFetches {
					t.Errorf("%s: %d requests and %d fetches, want %d and %d", what, requests, fetches, wantRequests, wantFetches)
				}
			}
			calls("calm", 200, 3, 3, 1)
			calls("rejected", 401, 10, 11, 10)
			if c.between != 401 {
				calls("in between", c.between, 1, 1, 0)
			}
			repeats := 0
			if c.resets {
				repeats = 1
			}
			calls("rejected again", 401, 10, 10+repeats, 10)
			calls("calm again", 200, 3, 3, 0)
			calls("rejected once more", 401, 3, 4, 3)
		})
	}
}

// A source too many takes the place of one other, and not of all.
func TestKeptTokensMakeRoom(t *testing.T) {
	var requests atomic.Int64
	c := tokenClient(t, &requests)
	fetches := 0
	fetch := func(context.Context) (*oauth2.Token, error) {
		fetches++
		return &oauth2.Token{AccessToken: "token", Expiry: time.Now().Add(time.Hour)}, nil
	}
	var kept []funcSource
	call := func(source funcSource) {
		if _, err := c.Applicant(source).HasApplied(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	for range 1024 {
		f := fetch
		kept = append(kept, funcSource{&f})
		call(kept[len(kept)-1])
	}
	f := fetch
	call(funcSource{&f})
	for _, source := range kept { // what is fetched again takes a place, too
		call(source)
	}
	if again := fetches - 1025; again > 200 {
		t.Errorf("%d of 1024 sources were asked again", again)
	}
}
