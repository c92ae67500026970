package crowds_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/jobboard-sdk/jobboard-go"
	trouble "github.com/jobboard-sdk/jobboard-go/internal/suite/outage"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// callers returns the number of them where only ratios are measured: few, or the 200
// of the documentation at night.
func callers(few int) int {
	if testenv.Night() && !rig.Race {
		return 200
	}
	return few
}

// The default policy must neither multiply the load of a service that is down
// nor give up on one that stumbles.
func TestOutageExperiment(t *testing.T) {
	f := trouble.Measure(callers(50), func(p trouble.Plan) (r *trouble.Record) {
		synctest.Test(t, func(t *testing.T) { // where time takes none
			r = p.Run(func(next http.RoundTripper, attempt time.Duration) trouble.Client {
				return renewingClient(t, next, jobboard.RetryPolicy{AttemptTimeout: attempt}, new(int), false, byMethod)
			})
		})
		return r
	})
	for line := range strings.Lines(trouble.Table([]string{"default policy"},
		map[string]trouble.Figures{"default policy": f})) {
		t.Logf("figure: %s", strings.TrimRight(line, "\n"))
	}

	for _, target := range []struct {
		what      string
		got, most float64
	}{
		{"requests a call in an outage", f.Outage, 1.10},
		{"requests a call in its second half", f.SecondHalf, 1.005},
		{"requests a call in an outage, a client for each caller", f.Small, 1.30},
		{"share of calls lost where 30 % of the requests fail", 1 - f.Success, 0.005},
		{"seconds added at the 99th percentile there, 1.24 on average", f.Added.Seconds(), 1.4},
		{"seconds to recover from a freeze", f.Freeze.Seconds(), 25},
		{"seconds to recover from a freeze at 80 % load", f.Busy.Seconds(), 60},
		{"share of callers that repeat within 100 ms", f.Together, 0.25},
	} {
		if target.got > target.most {
			t.Errorf("%s: %.4f, want at most %.4f", target.what, target.got, target.most)
		}
	}
	// A policy without repeats would pass some of these tests, and a budget that counts nothing
	// would pass all.
	if f.Outage <= 1 || f.Small <= 1 || f.Added <= 0 || f.Together <= 0 {
		t.Errorf("nothing was repeated: %+v", f)
	}
	if f.SecondHalf < 0.995 {
		t.Errorf("requests a call in the second half: %.4f: not every call was sent", f.SecondHalf)
	}
}

// What the client does not take of go-retryablehttp, and why: by its own policy the library multiplies the load of an
// outage, and all repeat at once. docs/decisions/retryablehttp.md has the figures, beside those of no repeat.
func TestPoliciesInTrouble(t *testing.T) {
	figures := map[string]trouble.Figures{}
	names := []string{"no repeat", "go-retryablehttp"}
	for _, name := range names {
		figures[name] = trouble.Measure(callers(10), func(p trouble.Plan) (r *trouble.Record) {
			synctest.Test(t, func(*testing.T) {
				r = p.Run(func(next http.RoundTripper, attempt time.Duration) trouble.Client {
					client := retryablehttp.NewClient()
					client.Logger = nil
					client.HTTPClient = &http.Client{Transport: next, Timeout: attempt}
					if name == "no repeat" {
						client.RetryMax = 0
					}
					return func(ctx context.Context, number int) error {
						return byHand(ctx, client.StandardClient(), jobboard.JobID(number))
					}
				})
			})
			return r
		})
	}
	for line := range strings.Lines(trouble.Table(names, figures)) {
		t.Logf("figure: %s", strings.TrimRight(line, "\n"))
	}
	if f := figures["no repeat"]; f.Outage != 1 || f.Small != 1 || f.Together != 0 || f.Success < 0.65 || f.Success > 0.75 {
		t.Errorf("no repeat: %+v", f)
	}
	f := figures["go-retryablehttp"]
	if f.Outage < 4 || f.Small < 4 || f.Success < 0.99 || f.Freeze != trouble.Never || f.Together < 0.99 {
		t.Errorf("go-retryablehttp: %+v", f)
	}
}
