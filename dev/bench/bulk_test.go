package bench

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// BenchmarkBulk looks up jobs, 128 at once, of a board that answers after 5 ms and is a process of its own. An op is a
// lookup.
func BenchmarkBulk(b *testing.B) {
	const callers = 128
	board := startBoard(b)
	client, err := newClient(board, socket())
	if err != nil {
		b.Fatal(err)
	}
	own := func(b *testing.B) time.Duration {
		return processorTime(b, func() {
			options := jobboard.BulkOptions{Concurrency: callers}
			for r := range client.BulkJobInformation(context.Background(), upTo(b.N), options) {
				if r.Err != nil {
					b.Fatal(r.Err)
				}
			}
		})
	}
	b.Run(ours, func(b *testing.B) {
		b.ReportAllocs()
		b.ReportMetric(float64(own(b))/float64(b.N), "cpu-ns/op")
	})
	for _, k := range kinds[1:] {
		c, err := k.open(board, socket())
		if err != nil {
			b.Fatal(k.name, err)
		}
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			took := processorTime(b, func() { crowd(b, callers, c.lookup) })
			b.StopTimer()
			b.ReportMetric(float64(took)/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(took)/float64(own(b)), "times-ours")
		})
	}
}

// upTo returns the jobs 1 to n.
func upTo(n int) func(func(jobboard.JobID, error) bool) {
	return func(yield func(jobboard.JobID, error) bool) {
		for id := 1; id <= n && yield(jobboard.JobID(id), nil); id++ {
		}
	}
}

// crowd calls b.N times, in so many goroutines. A call is told its number, from 1 on.
func crowd(b *testing.B, callers int, call func(ctx context.Context, number int64) error) {
	var next atomic.Int64
	b.SetParallelism((callers + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := call(b.Context(), next.Add(1)); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
