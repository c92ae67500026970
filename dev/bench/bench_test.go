package bench

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// The names under which the contenders stand in every benchmark. Ours is the first of each.
const (
	ours = "jobboard"
	std  = "encoding_json" // with net/http
	oapi = "oapi-codegen"
	ogen = "ogen"
)

// A contender is one way to do the work that a benchmark measures.
type contender struct {
	name string
	run  func() error
}

// compare measures contenders, each in a benchmark of its own. Beside its own costs each has times-ours, which tells how
// much more of a processor it takes than the first contender does right after it, in the same weather.
func compare(b *testing.B, bytes int, all []contender) {
	b.Helper()
	for _, c := range all {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(bytes))
			took := processorTime(b, func() {
				for b.Loop() {
					if err := c.run(); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.ReportMetric(float64(took)/float64(b.N), "cpu-ns/op")
			if c.name == ours {
				return
			}
			b.ReportMetric(float64(took)/float64(repeated(b, b.N, all[0])), "times-ours")
		})
	}
}

// repeated returns the processor time of n runs of a contender.
func repeated(tb testing.TB, n int, c contender) time.Duration {
	tb.Helper()
	return processorTime(tb, func() {
		for range n {
			if err := c.run(); err != nil {
				tb.Fatal(c.name, err)
			}
		}
	})
}

// processorTime returns the time that this process takes of all processors for f, the collector's for what f leaves
// included.
func processorTime(tb testing.TB, f func()) time.Duration {
	tb.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			tb.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	runtime.GC()
	before := used()
	f()
	return used() - before
}

// ratio returns how many times as much of a processor theirs takes as ours, by the best of several rounds in which they
// take turns: what else the machine does lengthens the others.
func ratio(tb testing.TB, rounds, runs int, ours, theirs contender) float64 {
	tb.Helper()
	best := [2]time.Duration{time.Hour, time.Hour}
	for range rounds {
		best[0] = min(best[0], repeated(tb, runs, ours))
		best[1] = min(best[1], repeated(tb, runs, theirs))
	}
	return float64(best[1]) / float64(best[0])
}

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		serve()
		return
	}
	os.Exit(m.Run())
}
