package crowds_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/hedge"
	trouble "github.com/jobboard-sdk/jobboard-go/internal/suite/outage"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// Where one of 100 answers stalls, a hedge cuts the tail off for hardly more
// requests.
func TestSlowTail(t *testing.T) {
	for wait, want := range map[time.Duration]struct{ p99, p999 time.Duration }{
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
				BaseURL: "http://127.0.0.1", HTTPClient: &http.Client{Transport: network}, Middleware: hedge.After(wait),
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
				wait, p99, p999, rate, perCall)
			if p99 > want.p99 || p999 > want.p999 || perCall > 1.015 {
				t.Errorf("p99 %v, p99.9 %v, %.3f requests a call", p99, p999, perCall)
			}
			// A hedge may be the one that stalls, which takes 2 s off the rate of the whole.
			if wait == 0 && perCall != 1 || wait > 0 && rate < 2000 {
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
		for _, wait := range []time.Duration{0, 2 * time.Millisecond} {
			holdCase(t, c, wait, byTransport)
		}
	}
	for _, load := range []float64{2.0 / 3, 0.8} {
		for _, wait := range []time.Duration{0, 50 * time.Millisecond} {
			holdFreeze(t, load, wait, byTransport)
		}
	}
}

// holdCase holds a case of trouble in which tokens are good against its aims.
func holdCase(t *testing.T, c trouble.Case, wait time.Duration, ask asks) {
	t.Helper()
	if strings.HasPrefix(c.Name, "401") {
		return
	}
	measured := measure(t, c.Plan, wait, ask)
	for _, aim := range c.Aims {
		got := measured[aim.Unit]
		t.Logf("figure: hedge after %v, %s: %.3f %s", wait, c.Name, got, aim.Unit)
		if aim.Unit == trouble.Share {
			got += 4 * aim.Scatter // of few callers
		}
		if !aim.Meets(got) {
			t.Errorf("hedge after %v, %s: %.3f %s", wait, c.Name, got, aim.Unit)
		}
	}
}

// holdFreeze holds that a server at a share of its load, which stands still for
// 10 s, is itself again within a minute.
func holdFreeze(t *testing.T, load float64, wait time.Duration, ask asks) {
	t.Helper()
	plan := trouble.Freeze(callers(50), load)
	synctest.Test(t, func(t *testing.T) {
		r := plan.Run(func(next http.RoundTripper, attempt time.Duration) trouble.Client {
			return renewingClient(t, hedge.After(wait)(next), jobboard.RetryPolicy{AttemptTimeout: attempt}, new(int), false, ask)
		})
		t.Logf("figure: hedge after %v, a freeze of 10 s at %.0f %% load: back after %v", wait, 100*load, r.Recovery())
		if r.Recovery() > time.Minute {
			t.Errorf("hedge after %v, at %.0f %% load back after %v", wait, 100*load, r.Recovery())
		}
	})
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
