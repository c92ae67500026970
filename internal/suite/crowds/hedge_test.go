package crowds_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	trouble "github.com/jobboard-sdk/jobboard-go/internal/suite/outage"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// Where one of 100 answers stalls, a hedge cuts the tail off for hardly more
// requests.
func TestSlowTail(t *testing.T) {
	for hedge, want := range map[time.Duration]struct{ p99, p999 time.Duration }{
		0:                     {2 * time.Second, 2 * time.Second},
		40 * time.Millisecond: {45 * time.Millisecond, 60 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			const callers, each = 32, 500
			var requests atomic.Int64
			_, network, stop := rig.Run(func(x *rig.Exchange) {
				takes := 5 * time.Millisecond
				if requests.Add(1)%100 == 50 {
					takes = 2 * time.Second
				}
				after(takes, good)(x)
			})
			network.MaxIdleConnsPerHost = callers
			c := rig.Client(t, jobboard.Config{
				BaseURL: "http://127.0.0.1", HTTPClient: &http.Client{Transport: network},
				Retry: jobboard.RetryPolicy{Hedge: hedge},
			})
			user := c.Applicant(jobboard.StaticToken("token"))
			var mu sync.Mutex
			var took []time.Duration
			var all sync.WaitGroup
			start := time.Now()
			for range callers {
				all.Go(func() {
					for range each {
						begin := time.Now()
						if _, err := user.HasApplied(t.Context(), 1); err != nil {
							t.Error(err)
						}
						mu.Lock()
						took = append(took, time.Since(begin))
						mu.Unlock()
					}
				})
			}
			all.Wait()
			rate := float64(len(took)) / time.Since(start).Seconds()
			stop()
			slices.Sort(took)
			p99, p999 := took[len(took)*99/100], took[len(took)*999/1000]
			perCall := float64(requests.Load()) / float64(len(took))
			t.Logf("figure: slow tail, hedge after %v: p99 %v, p99.9 %v, %.0f calls a second, %.3f requests a call",
				hedge, p99, p999, rate, perCall)
			if p99 > want.p99 || p999 > want.p999 || perCall > 1.015 {
				t.Errorf("p99 %v, p99.9 %v, %.3f requests a call", p99, p999, perCall)
			}
			// A hedge may be the one that stalls, which takes 2 s off the rate of the whole.
			if hedge == 0 && perCall != 1 || hedge > 0 && rate < 2000 {
				t.Errorf("%.3f requests a call, %.0f calls a second", perCall, rate)
			}
		})
	}
}

// Hedges multiply no load: an outage costs what it costs without them, a server that
// stood still comes back, and random failures cost no more calls.
func TestHedgedOutage(t *testing.T) {
	const early = 2 * time.Millisecond // before any answer: the worst choice
	for _, c := range trouble.Cases(callers(20)) {
		holdCase(t, c, early, byMethod)
	}
	for _, load := range []float64{2.0 / 3, 0.8} {
		holdFreeze(t, load, 50*time.Millisecond, byMethod)
	}
}

// Requests of the caller's own multiply no more load than the client's calls, without
// and with hedges.
func TestTransportInOutage(t *testing.T) {
	for _, c := range trouble.Cases(callers(20)) {
		frequent := strings.Contains(c.Name, "200 callers") || strings.Contains(c.Name, "1 call a second")
		if !testenv.Night() && (!frequent || c.Plan.HTTP2) {
			continue // the night has them
		}
		for _, hedge := range []time.Duration{0, 2 * time.Millisecond} {
			holdCase(t, c, hedge, byTransport)
		}
	}
	for _, load := range []float64{2.0 / 3, 0.8} {
		for _, hedge := range []time.Duration{0, 50 * time.Millisecond} {
			holdFreeze(t, load, hedge, byTransport)
		}
	}
}

// holdCase holds a case of trouble in which tokens are good against its aims.
func holdCase(t *testing.T, c trouble.Case, hedge time.Duration, ask asks) {
	t.Helper()
	if strings.HasPrefix(c.Name, "401") {
		return
	}
	measured := measure(t, c.Plan, hedge, ask)
	for _, aim := range c.Aims {
		got := measured[aim.Unit]
		t.Logf("figure: hedge after %v, %s: %.3f %s", hedge, c.Name, got, aim.Unit)
		if aim.Unit == trouble.Share {
			got += 4 * aim.Scatter // of few callers
		}
		if !aim.Meets(got) {
			t.Errorf("hedge after %v, %s: %.3f %s", hedge, c.Name, got, aim.Unit)
		}
	}
}

// holdFreeze holds that a server at a share of its load, which stands still for
// 10 s, is itself again within a minute.
func holdFreeze(t *testing.T, load float64, hedge time.Duration, ask asks) {
	t.Helper()
	plan := trouble.Freeze(callers(50), load)
	synctest.Test(t, func(t *testing.T) {
		r := plan.Run(func(next http.RoundTripper, attempt time.Duration) trouble.Client {
			policy := jobboard.RetryPolicy{AttemptTimeout: attempt, Hedge: hedge}
			return renewingClient(t, next, policy, new(int), false, ask)
		})
		t.Logf("figure: hedge after %v, a freeze of 10 s at %.0f %% load: back after %v", hedge, 100*load, r.Recovery())
		if r.Recovery() > time.Minute {
			t.Errorf("hedge after %v, at %.0f %% load back after %v", hedge, 100*load, r.Recovery())
		}
	})
}

// hedging is a client that hedges after 40 ms, and may, beside a service.
type hedging struct {
	t      *testing.T
	net    *rig.Net
	config jobboard.Config
	client *jobboard.Client
	user   *jobboard.Applicant

	mu      sync.Mutex
	times   []time.Duration                   // of requests, since ready
	answers []func(*rig.Exchange)             // to them; the last one stays
	log     []string                          // of the observer
	started map[int]int                       // attempts without an end
	refuses func(ctx context.Context) error   // the Limiter; nil: it does not
	watch   func(start jobboard.AttemptStart) // nil: nothing more is done
	ready   time.Time
}

// startHedging returns a client that has earned some hedges.
func startHedging(t *testing.T, change func(*http.Transport, *rig.Server)) *hedging {
	h := &hedging{t: t, net: rig.NewNet(), started: map[int]int{}}
	server := rig.NewServer(h.serve)
	network := &http.Transport{DialContext: h.net.DialContext, MaxIdleConnsPerHost: 10}
	base := "http://127.0.0.1:1"
	if change != nil {
		change(network, server)
		h.net.Secure = map[string]*tls.Config{"127.0.0.1:1": server.TLSConfig}
		base = "https://127.0.0.1:1"
	}
	go func() { _ = server.Serve(h.net) }()
	t.Cleanup(func() {
		network.CloseIdleConnections()
		_ = server.Close()
	})
	h.config = jobboard.Config{
		BaseURL: base, ClientID: "10", HTTPClient: &http.Client{Transport: network}, Limiter: h,
		Observer: &jobboard.Observer{Attempt: h.attempt},
		Retry:    jobboard.RetryPolicy{Hedge: 40 * time.Millisecond, AttemptTimeout: 5 * time.Second},
	}
	h.client = rig.Client(t, h.config)
	h.user = h.client.Applicant(jobboard.StaticToken("token"))
	h.answers = []func(*rig.Exchange){good}
	for range 60 {
		if _, err := h.user.HasApplied(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	h.times, h.log, h.ready = nil, nil, time.Now()
	return h
}

func (h *hedging) serve(x *rig.Exchange) {
	h.mu.Lock()
	h.times = append(h.times, time.Since(h.ready))
	answer := h.answers[0]
	if len(h.answers) > 1 {
		h.answers = h.answers[1:]
	}
	h.mu.Unlock()
	answer(x)
}

// Wait makes it a Limiter.
func (h *hedging) Wait(ctx context.Context) error {
	h.mu.Lock()
	refuses := h.refuses
	h.mu.Unlock()
	if refuses == nil {
		return nil
	}
	return refuses(ctx)
}

func (h *hedging) attempt(_ context.Context, start jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
	h.mu.Lock()
	h.started[start.Number]++
	watch := h.watch
	h.mu.Unlock()
	if watch != nil {
		watch(start)
	}
	return nil, func(end jobboard.AttemptEnd) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.started[start.Number]--; h.started[start.Number] == 0 {
			delete(h.started, start.Number)
		}
		result := fmt.Sprint(end.StatusCode)
		switch {
		case end.Beaten && end.Err == nil:
			result += " beaten"
		case end.Err != nil && end.StatusCode != 410: // that is what the caller gets
			result += " failed"
		}
		h.log = append(h.log, fmt.Sprintf("%d %v %s", start.Number, start.Hedge, result))
	}
}

func good(x *rig.Exchange) { x.Answer(200, "", "true") }

// after answers late, or not at all if the client leaves.
func after(d time.Duration, answer func(*rig.Exchange)) func(*rig.Exchange) {
	return func(x *rig.Exchange) {
		select {
		case <-time.After(d):
			answer(x)
		case <-x.Request.Context().Done():
		}
	}
}

func status(code int, header ...string) func(*rig.Exchange) {
	return func(x *rig.Exchange) { x.Answer(code, "", "", header...) }
}

// Of the two requests the first good answer counts, whichever has it; the other is
// ended, told to the observer, and counted.
func TestHedge(t *testing.T) {
	const ms = time.Millisecond
	slow := after(2*time.Second, good)
	expired := status(401, "WWW-Authenticate", `Bearer error="invalid_token"`)
	for name, test := range map[string]struct {
		answers []func(*rig.Exchange)
		took    time.Duration // without the wait before a repeat
		at      []time.Duration
		log     []string
		err     error
	}{
		"the first answers in time": {
			[]func(*rig.Exchange){after(39*ms, good)}, 39 * ms, []time.Duration{0}, []string{"1 false 200"}, nil,
		},
		"the second wins": {
			[]func(*rig.Exchange){slow, after(9*ms, good)},
			49 * ms,
			[]time.Duration{0, 40 * ms},
			[]string{"1 false 0 beaten", "2 true 200"},
			nil,
		},
		"the first wins": {
			[]func(*rig.Exchange){after(50*ms, good), slow},
			50 * ms,
			[]time.Duration{0, 40 * ms},
			[]string{"2 true 0 beaten", "1 false 200"},
			nil,
		},
		"the second fails": {
			[]func(*rig.Exchange){after(90*ms, good), status(503)},
			90 * ms,
			[]time.Duration{0, 40 * ms},
			[]string{"2 true 503 failed", "1 false 200"},
			nil,
		},
		"the second is lost": {
			[]func(*rig.Exchange){after(90*ms, good), raw("")},
			90 * ms,
			[]time.Duration{0, 40 * ms},
			[]string{"2 true 0 failed", "1 false 200"},
			nil,
		},
		"the first fails, and the second is waited for": {
			[]func(*rig.Exchange){after(50*ms, status(503)), after(90*ms, good)},
			130 * ms,
			[]time.Duration{0, 40 * ms},
			[]string{"1 false 503 failed", "2 true 200"},
			nil,
		},
		"a condition is a good answer": {
			[]func(*rig.Exchange){slow, status(410)},
			40 * ms,
			[]time.Duration{0, 40 * ms},
			[]string{"1 false 0 beaten", "2 true 410"},
			&jobboard.Error{},
		},
		"a 401 ends the other, and the token is renewed": {
			[]func(*rig.Exchange){after(50*ms, expired), slow, good},
			50 * ms,
			[]time.Duration{0, 40 * ms, 50 * ms},
			[]string{"2 true 0 beaten", "1 false 401 failed", "3 false 200"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := startHedging(t, nil)
				if strings.Contains(name, "401") {
					n := 0
					h.user = h.client.Applicant(jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
						n++
						return &oauth2.Token{AccessToken: fmt.Sprint("token", n)}, nil
					}))
				}
				h.answers = test.answers
				_, err := h.user.HasApplied(t.Context(), 1)
				took := time.Since(h.ready)
				if (err != nil) != (test.err != nil) || took != test.took {
					t.Errorf("%v after %v, want %v", err, took, test.took)
				}
				if e, ok := errors.AsType[*jobboard.Error](err); ok && e.Attempts != len(test.at) {
					t.Errorf("%d attempts, want %d", e.Attempts, len(test.at))
				}
				synctest.Wait()
				if !slices.Equal(h.times, test.at) || !slices.Equal(h.log, test.log) || len(h.started) > 0 {
					t.Errorf("requests at %v, attempts %q, without an end %v; want %v, %q", h.times, h.log, h.started, test.at, test.log)
				}
				// A connection is used again only after a whole answer.
				want := 1
				if strings.Contains(name, "fails") {
					want = 2
				}
				if _, open, _ := h.net.State(); open != want {
					t.Errorf("%d connections are left, want %d", open, want)
				}
			})
		})
	}
}

// Nothing is sent twice that must not be, or that nobody has permitted.
func TestNoHedge(t *testing.T) {
	slow := after(200*time.Millisecond, good)
	applied := func(h *hedging) error {
		_, err := h.user.HasApplied(h.t.Context(), 1)
		return err
	}
	certificate := httptest.NewTLSServer(nil)
	certificate.Close()
	for name, test := range map[string]struct {
		change   func(*http.Transport, *rig.Server)
		before   func(*hedging)
		call     func(*hedging) error
		requests int // one if 0
	}{
		"a POST": {call: func(h *hedging) error {
			_, err := h.client.Subscribe(h.t.Context(), jobboard.SubscriptionRequest{})
			return err
		}},
		"a PUT": {call: func(h *hedging) error {
			_, err := h.client.ConfirmSubscription(h.t.Context(), "1", nil)
			return err
		}},
		"OPTIONS on the client's road": {call: func(h *hedging) error {
			req, err := http.NewRequestWithContext(h.t.Context(), http.MethodOptions, h.config.BaseURL, http.NoBody)
			if err != nil {
				return err
			}
			resp, err := h.client.Transport().RoundTrip(req)
			if err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			return err
		}},
		"a bulk call": {call: func(h *hedging) error {
			one := func(yield func(jobboard.JobID, error) bool) { yield(1, nil) }
			for result := range h.user.BulkHasApplied(h.t.Context(), one, jobboard.BulkOptions{}) {
				return result.Err
			}
			return nil
		}},
		"the Limiter refuses": {call: applied, before: func(h *hedging) {
			asked := 0
			h.refuses = func(context.Context) error {
				if asked++; asked > 1 {
					return errors.New("no")
				}
				return nil
			}
		}},
		"the first answer comes while the Limiter is waited for": {call: applied, before: func(h *hedging) {
			asked := 0
			h.refuses = func(ctx context.Context) error {
				if asked++; asked > 1 {
					<-ctx.Done()
				}
				return nil // even so
			}
		}},
		"a client that has earned none": {call: applied, before: func(h *hedging) {
			h.client = rig.Client(h.t, h.config)
			h.user = h.client.Applicant(jobboard.StaticToken("token"))
		}},
		"one that has earned one": {call: func(h *hedging) error {
			return errors.Join(applied(h), applied(h))
		}, requests: 3, before: func(h *hedging) {
			h.client = rig.Client(h.t, h.config)
			h.user = h.client.Applicant(jobboard.StaticToken("token"))
			h.answers = []func(*rig.Exchange){good}
			for range 20 {
				if err := applied(h); err != nil {
					h.t.Error(err)
				}
			}
			h.answers, h.times, h.log = []func(*rig.Exchange){slow}, nil, nil
		}},
		"a budget without a token": {call: applied, before: func(h *hedging) {
			h.answers = []func(*rig.Exchange){status(503)}
			for range 10 {
				_ = applied(h)
			}
			h.answers, h.times, h.log = []func(*rig.Exchange){slow}, nil, nil
		}},
		"HTTP/2": {call: applied, change: func(network *http.Transport, server *rig.Server) {
			network.ForceAttemptHTTP2 = true
			network.TLSClientConfig = certificate.Client().Transport.(*http.Transport).TLSClientConfig
			server.TLSConfig = &tls.Config{Certificates: certificate.TLS.Certificates, NextProtos: []string{"h2"}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := startHedging(t, test.change)
				h.answers = []func(*rig.Exchange){slow}
				if test.before != nil {
					test.before(h)
				}
				if err := test.call(h); err != nil && !errors.Is(err, jobboard.ErrDecode) {
					t.Error(err)
				}
				if want := max(test.requests, 1); len(h.times) != want || len(h.log) != want {
					t.Errorf("%d requests, want %d; attempts %q", len(h.times), want, h.log)
				}
			})
		})
	}
}

// An attempt that comes to no end, because the Limiter panics before a redirect, ends its
// hedge at once.
func TestPanicEndsTheHedge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startHedging(t, nil)
		redirect := status(302, "Location", "/elsewhere")
		h.answers = []func(*rig.Exchange){after(time.Second, redirect), after(time.Minute, good)}
		asked := 0
		h.refuses = func(context.Context) error {
			if asked++; asked == 3 { // for the request, its hedge, and the redirect
				panic("Limiter")
			}
			return nil
		}
		defer func() {
			if p := recover(); p != "Limiter" {
				t.Errorf("the caller gets %v", p)
			}
			if took := time.Since(h.ready); took != time.Second || asked != 3 || len(h.times) != 2 {
				t.Errorf("after %v; the Limiter was asked %d times, %d requests", took, asked, len(h.times))
			}
		}()
		_, err := h.user.HasApplied(t.Context(), 1)
		t.Errorf("the call returns %v", err)
	})
}

// A panic of the caller's code in a hedge reaches the caller, whichever request wins.
func TestHedgePanics(t *testing.T) {
	for _, first := range []time.Duration{time.Second, time.Minute} {
		for _, where := range []string{"Limiter", "Observer"} {
			synctest.Test(t, func(t *testing.T) {
				h := startHedging(t, nil)
				h.answers = []func(*rig.Exchange){after(first, good)}
				asked := 0
				if where == "Limiter" {
					h.refuses = func(context.Context) error {
						if asked++; asked > 1 {
							panic(where)
						}
						return nil
					}
				} else {
					h.watch = func(start jobboard.AttemptStart) {
						if start.Hedge {
							panic(where)
						}
					}
				}
				defer func() {
					if p := recover(); p != where {
						t.Errorf("%s panics, the caller gets %v", where, p)
					}
				}()
				_, err := h.user.HasApplied(t.Context(), 1)
				t.Errorf("the call returns %v", err)
			})
		}
	}
}
