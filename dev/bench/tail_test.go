package bench

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/hedge"
)

// BenchmarkTail has 32 callers of HasApplied at once, of a board that answers after 5 ms, but one time in 100 after 2 s.
// It shows how long the slowest calls take, and for how many requests. TestSlowTail holds both, in virtual time.
func BenchmarkTail(b *testing.B) {
	const callers = 32
	board := startBoard(b) + stalling
	for _, after := range []time.Duration{0, 40 * time.Millisecond} { // 0: never
		b.Run("hedge_after_"+after.String(), func(b *testing.B) {
			var requests atomic.Int64
			client, err := jobboard.NewClient(jobboard.Config{
				BaseURL: board, Middleware: hedge.After(after), HTTPClient: &http.Client{Transport: counted{socket(), &requests}},
			})
			if err != nil {
				b.Fatal(err)
			}
			applicant := client.Applicant(jobboard.StaticToken(token))
			var mu sync.Mutex
			var took []time.Duration
			cpu := processorTime(b, func() {
				crowd(b, callers, func(ctx context.Context, _ int64) error {
					begun := time.Now()
					_, err := applicant.HasApplied(ctx, job)
					mu.Lock()
					defer mu.Unlock()
					took = append(took, time.Since(begun))
					return err
				})
			})
			slices.Sort(took)
			of := func(share float64) float64 { return took[int(share*float64(len(took)))].Seconds() * 1000 }
			b.ReportMetric(of(0.5), "p50-ms")
			b.ReportMetric(of(0.99), "p99-ms")
			b.ReportMetric(of(0.999), "p99.9-ms")
			b.ReportMetric(float64(requests.Load())/float64(b.N), "requests/op")
			b.ReportMetric(float64(cpu)/float64(b.N), "cpu-ns/op")
		})
	}
}

// counted counts the requests that it sends.
type counted struct {
	http.RoundTripper
	requests *atomic.Int64
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return c.RoundTripper.RoundTrip(r)
}
