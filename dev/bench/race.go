package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// A contender is one way to do the measured work.
type contender struct {
	name string
	// run does the work once and returns the result, which tests compare.
	run func() (any, error)
	// per is the number of things that one run does; 0 means 1.
	per int
}

// effort says how long to measure.
type effort struct {
	rounds int           // rounds in which the contenders take turns
	window time.Duration // shortest time per contender and round
	calls  int           // network calls per contender and round
	quick  bool
}

var (
	fullEffort  = effort{rounds: 15, window: 60 * time.Millisecond, calls: 4000}
	quickEffort = effort{rounds: 3, window: time.Millisecond, calls: 100, quick: true}
)

// A result holds the costs of a contender in each round, per unit of work.
type result struct {
	name   string
	wall   []float64 // nanoseconds
	cpu    []float64 // nanoseconds of the process; empty if unknown
	allocs float64
	bytes  float64 // allocated
}

func (r *result) time() float64    { return median(r.wall) }
func (r *result) cpuTime() float64 { return median(r.cpu) }

// times returns other's time divided by r's: the median of the ratios of each
// round, because both contenders have the same load within a round.
func (r *result) times(other *result) float64    { return ratio(other.wall, r.wall) }
func (r *result) cpuTimes(other *result) float64 { return ratio(other.cpu, r.cpu) }

// cost returns the CPU times, or without them the times. It serves for
// comparisons of work that does not wait.
func (r *result) cost() []float64 {
	if r.cpu != nil {
		return r.cpu
	}
	return r.wall
}

func (r *result) costTimes(other *result) float64 { return ratio(other.cost(), r.cost()) }

// oneCore runs race on one processor.
func oneCore(e effort, all ...contender) ([]*result, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	e.rounds = (e.rounds + 1) / 2
	return race(e, all...)
}

// less returns the costs of r minus the costs of other.
func (r *result) less(other *result, name string) *result {
	d := &result{name: name, allocs: r.allocs - other.allocs, bytes: r.bytes - other.bytes}
	for i := range r.wall {
		d.wall = append(d.wall, r.wall[i]-other.wall[i])
	}
	for i := range min(len(r.cpu), len(other.cpu)) {
		d.cpu = append(d.cpu, r.cpu[i]-other.cpu[i])
	}
	return d
}

func ratio(a, b []float64) float64 {
	all := make([]float64, min(len(a), len(b)))
	for i := range all {
		all[i] = a[i] / b[i]
	}
	return median(all)
}

func median(all []float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	all = slices.Sorted(slices.Values(all))
	if n := len(all); n%2 == 0 {
		return (all[n/2-1] + all[n/2]) / 2
	}
	return all[len(all)/2]
}

// race measures contenders in turns, for several rounds. Each turn begins with
// a garbage collection and some unmeasured runs, so that no contender pays for
// another's garbage.
func race(e effort, all ...contender) ([]*result, error) {
	results := make([]*result, len(all))
	counts := make([]int, len(all))
	for i, c := range all {
		results[i] = &result{name: c.name}
		if err := c.times(1); err != nil { // also a warm-up
			return nil, err
		}
		start := time.Now()
		if err := c.times(1); err != nil {
			return nil, err
		}
		counts[i] = max(1, int(e.window/max(time.Since(start), 1)))
	}
	for round := range e.rounds {
		for k := range all {
			i := (k + round) % len(all)
			if err := results[i].measure(all[i], counts[i]); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range results {
		if len(r.cpu) < len(r.wall) {
			r.cpu = nil // the clock is too coarse for so short a round
		}
	}
	return results, nil
}

// times runs the contender n times.
func (c contender) times(n int) error {
	for range n {
		if _, err := c.run(); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// measure adds a round of n runs of the contender.
func (r *result) measure(c contender, n int) error {
	runtime.GC()
	if err := c.times(n/4 + 1); err != nil {
		return err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := cpuTime(), time.Now()
	if err := c.times(n); err != nil {
		return err
	}
	wall := time.Since(start)
	cpu = cpuTime() - cpu
	runtime.ReadMemStats(&after)
	per := float64(n * max(c.per, 1))
	r.wall = append(r.wall, float64(wall)/per)
	if cpu > 0 {
		r.cpu = append(r.cpu, float64(cpu)/per)
	}
	r.allocs = float64(after.Mallocs-before.Mallocs) / per
	r.bytes = float64(after.TotalAlloc-before.TotalAlloc) / per
	return nil
}
