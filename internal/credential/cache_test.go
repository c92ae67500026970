package credential

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
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
		patience []time.Duration // how long each caller waits, in order
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
				k := NewCache(func(context.Context) (*oauth2.Token, error) {
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
		k := NewCache(func(context.Context) (*oauth2.Token, error) {
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

// funcSource is a source that is not ours, whose values can be compared.
type funcSource struct {
	fetch *func(context.Context) (*oauth2.Token, error)
}

func (s funcSource) Token() (*oauth2.Token, error) { return (*s.fetch)(context.Background()) }

var errNoToken = errors.New("no token today")

// ofAnHour returns a token that is valid for an hour.
func ofAnHour(text string) *oauth2.Token {
	return &oauth2.Token{AccessToken: text, Expiry: time.Now().Add(time.Hour)}
}

// succeeds asks for a token, which must come.
func succeeds(t *testing.T, c Credential) {
	t.Helper()
	if _, err := c.Header(contextWaiter{t.Context()}); err != nil {
		t.Error(err)
	}
}

// wait returns after a pause, or when its context ends.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// bubble runs f in virtual time; a goroutine left behind fails it.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// Tries to renew ahead of time that hang or fail cost a caller nothing, and are few.
func TestRenewalAhead(t *testing.T) {
	bubble(t, "two tries to renew ahead of time may hang", func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		var asked atomic.Int64
		k := NewCache(func(context.Context) (*oauth2.Token, error) {
			if asked.Add(1) == 1 {
				return ofAnHour("first"), nil
			}
			<-release // in spite of its context
			return nil, errNoToken
		})
		for range 59 {
			succeeds(t, k.Credential())
			time.Sleep(time.Minute)
		}
		if asked.Load() != 3 {
			t.Errorf("asked %d times", asked.Load())
		}
	})

	bubble(t, "a try to renew ahead of time that fails is repeated after 21 to 28 s", func(t *testing.T) {
		var asked []time.Time
		k := NewCache(func(context.Context) (*oauth2.Token, error) {
			if asked = append(asked, time.Now()); len(asked) == 1 {
				return ofAnHour("first"), nil
			}
			return nil, errNoToken
		})
		for range 55 * 60 {
			succeeds(t, k.Credential())
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if len(asked) < 10 {
			t.Fatalf("asked %d times", len(asked))
		}
		for i := 2; i < len(asked); i++ {
			// The next call after the pause begins it.
			if pause := asked[i].Sub(asked[i-1]); pause < 21*time.Second || pause > 29*time.Second {
				t.Errorf("it is asked again after %v", pause)
			}
		}
	})
}

// Ahead of its end only a token of ours is renewed: another's source is asked once it is over.
func TestAnothersTokenIsNotRenewedAhead(t *testing.T) {
	for kind, want := range map[string]int64{"ours": 2, "another's": 1} {
		bubble(t, kind, func(t *testing.T) {
			var asked atomic.Int64
			fetch := func(context.Context) (*oauth2.Token, error) {
				asked.Add(1)
				return ofAnHour("x"), nil
			}
			credential := NewCache(fetch).Credential()
			if kind != "ours" {
				credential = new(Foreign).Of(funcSource{&fetch})
			}
			for range 56 { // three quarters of the hour are over, and the margin before its end has not begun
				succeeds(t, credential)
				time.Sleep(time.Minute)
			}
			synctest.Wait()
			if asked.Load() != want {
				t.Errorf("it was asked %d times", asked.Load())
			}
		})
	}
}

// A token that is valid for years, or for centuries, is fetched once.
func TestTokenOfCenturies(t *testing.T) {
	for _, years := range []int{1, 96, 97, 98, 100, 194, 195, 292, 300} {
		bubble(t, fmt.Sprint(years, " years"), func(t *testing.T) {
			var asked atomic.Int64
			fetch := func(context.Context) (*oauth2.Token, error) {
				asked.Add(1)
				return &oauth2.Token{AccessToken: "x", Expiry: time.Now().AddDate(years, 0, 0)}, nil
			}
			for kind, credential := range map[string]Credential{
				"ours": NewCache(fetch).Credential(), "another's": new(Foreign).Of(funcSource{&fetch}),
			} {
				asked.Store(0)
				for range 100 {
					succeeds(t, credential)
					time.Sleep(24 * time.Hour)
				}
				if asked.Load() != 1 {
					t.Errorf("%s: asked %d times", kind, asked.Load())
				}
			}
		})
	}
}

// Whatever the life of its tokens, a source is asked at most once a second, and a token is used for
// at least three quarters of its life and, unless that is less than a second, not beyond its end.
func TestShortLivedTokens(t *testing.T) {
	const callers = 50
	for _, life := range []time.Duration{
		time.Millisecond, 300 * time.Millisecond, time.Second, 1200 * time.Millisecond, 2 * time.Second, 5 * time.Second,
		10 * time.Second, 11 * time.Second, 50 * time.Second, time.Minute, 10 * time.Minute,
	} {
		for _, ours := range []bool{true, false} {
			bubble(t, fmt.Sprint(life, ", ours: ", ours), func(t *testing.T) {
				var mu sync.Mutex
				var asked []time.Time
				fetch := func(context.Context) (*oauth2.Token, error) {
					mu.Lock()
					defer mu.Unlock()
					asked = append(asked, time.Now())
					return &oauth2.Token{AccessToken: fmt.Sprint("token", len(asked)), Expiry: time.Now().Add(life)}, nil
				}
				credential := NewCache(fetch).Credential()
				if !ours {
					credential = new(Foreign).Of(funcSource{&fetch})
				}
				start := time.Now()
				end := max(3*time.Second, 3*life)
				var all sync.WaitGroup
				for i := range callers {
					all.Go(func() {
						time.Sleep(end / 1000 * time.Duration(i) / callers)
						for time.Since(start) < end {
							auth, err := credential.Header(contextWaiter{t.Context()})
							if err != nil || life > time.Second && !auth.token.Expiry.After(time.Now()) {
								t.Errorf("after %v: %v, %v", time.Since(start), auth, err)
							}
							time.Sleep(end / 1000)
						}
					})
				}
				all.Wait()
				shortest, longest := max(time.Second, life/4*3), max(time.Second, life-min(10*time.Second, life/5))+end/1000
				for i := range asked[1:] {
					if kept := asked[i+1].Sub(asked[i]); kept < shortest || kept > longest {
						t.Errorf("a token was kept for %v, not %v to %v", kept, shortest, longest)
					}
				}
			})
		}
	}
}

// A client keeps a bounded number of the sources it has seen, and a new source displaces one
// other, not all.
func TestKeptTokens(t *testing.T) {
	c := new(Foreign)
	fetches := 0
	fetch := func(context.Context) (*oauth2.Token, error) {
		fetches++
		return ofAnHour(strings.Repeat("x", 1000)), nil
	}
	sources := func(n int) (all []funcSource) {
		for range n {
			f := fetch
			all = append(all, funcSource{&f})
			succeeds(t, c.Of(all[len(all)-1]))
		}
		return all
	}
	kept := sources(1024)
	sources(1)
	fetches = 0
	for _, source := range kept { // what is fetched again takes a place, too
		succeeds(t, c.Of(source))
	}
	if fetches > 200 {
		t.Errorf("%d of 1024 sources were asked again", fetches)
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	sources(10_000)
	if after := heap(); after > before+9<<20 {
		t.Errorf("%d MB are kept of 10 000 sources", (after-before)>>20)
	}
	runtime.KeepAlive(c)
}

// A renewal ahead of time that fails while callers wait for it is a failure like
// any other: the next callers get its error, and the source is left alone.
func TestRenewalAheadThatFailsForItsCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fetches atomic.Int64
		k := NewCache(func(ctx context.Context) (*oauth2.Token, error) {
			if fetches.Add(1) == 1 {
				return &oauth2.Token{AccessToken: "one", Expiry: time.Now().Add(time.Minute)}, nil
			}
			if err := wait(ctx, 5*time.Second); err != nil {
				return nil, err
			}
			return nil, io.ErrUnexpectedEOF
		})
		call := func() error { _, err := k.Token(t.Context(), ""); return err }
		for _, pause := range []time.Duration{49 * time.Second, 2 * time.Second} {
			// The second begins the renewal, a second before the token counts as ended.
			if err := call(); err != nil {
				t.Error(err)
			}
			time.Sleep(pause)
		}
		for range 2 { // the first waits for it, the second comes just after
			if err := call(); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(err)
			}
			if n := fetches.Load(); n != 2 {
				t.Errorf("%d fetches, want 2", n)
			}
		}
		time.Sleep(time.Second)
		if err := call(); !errors.Is(err, io.ErrUnexpectedEOF) || fetches.Load() != 3 {
			t.Errorf("%v, %d fetches; want another", err, fetches.Load())
		}
	})
}

// FuzzTokenSchedule: under any order of callers, clocks, failures and rejections,
// a Cache gives what is kept while it is good, nothing that has ended or was
// rejected, and an error only while the source fails or was asked a moment ago.
func FuzzTokenSchedule(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2, 3, 0, 4, 0, 5, 1})
	f.Add([]byte{3, 0, 0, 2, 2, 0, 3, 1, 2, 1})
	f.Add([]byte{6, 0, 2, 0, 2, 0, 7, 0})
	f.Add([]byte{7 + 8*3, 0, 2 + 8*9, 0, 2 + 8*2, 0, 1, 2 + 8*5, 1, 1, 2 + 8*10, 0})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 60 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			var (
				mu       sync.Mutex
				asked    []time.Time // when the source was
				failing  bool
				lifetime time.Duration // 0: no end
				kept     oauth2.Token  // the last that was fetched and not rejected
				fetched  time.Time     // when it was
			)
			k := NewCache(func(context.Context) (*oauth2.Token, error) {
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, time.Now())
				if failing {
					return nil, io.EOF
				}
				kept, fetched = oauth2.Token{AccessToken: fmt.Sprint("token-", len(asked))}, time.Now()
				if lifetime > 0 {
					kept.Expiry = fetched.Add(lifetime)
				}
				token := kept
				return &token, nil
			})
			ask := func(rejected string) (*oauth2.Token, error) {
				defer synctest.Wait() // for what is fetched ahead of time
				return k.Token(context.Background(), rejected)
			}
			ended := func(token *oauth2.Token) bool {
				margin := min(10*time.Second, token.Expiry.Sub(fetched)/5)
				return !token.Expiry.IsZero() && time.Until(token.Expiry) <= margin && time.Since(fetched) >= time.Second
			}
			for step, b := range script {
				switch b % 8 {
				case 0, 1: // ask, or say that what is kept was rejected
					rejected := ""
					if b%8 == 1 {
						rejected = kept.AccessToken
					}
					had, before := kept, len(asked)
					good := had.AccessToken != rejected && !ended(&had)
					young := had.Expiry.IsZero() || time.Since(fetched) < max(time.Second, had.Expiry.Sub(fetched)*3/4)
					quiet := before == 0 || time.Since(asked[before-1]) >= time.Second
					token, err := ask(rejected)
					switch asks := len(asked) - before; {
					case asks > 1 || good && young && asks > 0:
						t.Fatalf("step %d: %d fetches, %q is kept", step, asks, had.AccessToken)
					case good && (err != nil || token.AccessToken != had.AccessToken):
						t.Fatalf("step %d: %v, %v; want what is kept, %q", step, token, err, had.AccessToken)
					case err == nil && (rejected != "" && token.AccessToken == rejected || ended(token)):
						t.Fatalf("step %d: the token %v is of no use, %q was rejected", step, token, rejected)
					case !good && quiet && (asks != 1 || (err != nil) != failing):
						t.Fatalf("step %d: %v, %v, %d fetches; failing: %v", step, token, err, asks, failing)
					case asks > 0 && len(asked) > 4 && time.Since(asked[len(asked)-5]) < time.Second:
						t.Fatalf("step %d: five fetches in a second: %v", step, asked)
					case asks > 0 && kept.AccessToken == rejected:
						kept = oauth2.Token{}
					}
				case 2:
					time.Sleep(time.Duration(b/8) * 100 * time.Millisecond)
				case 3:
					failing = true
				case 4:
					failing = false
				case 5:
					time.Sleep(time.Duration(b/8) * time.Minute)
				case 6:
					lifetime = time.Duration(b/8+1) * 5 * time.Minute
				case 7:
					lifetime = time.Duration(b/8) * 400 * time.Millisecond
				}
			}
		})
	})
}
