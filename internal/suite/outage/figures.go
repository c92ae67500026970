package outage

import (
	"fmt"
	"strings"
	"time"
)

// Figures holds the results of the experiments with a policy.
type Figures struct {
	Outage     float64       // requests a call while the server is down for 45 s, one client
	SecondHalf float64       // requests a call in the outage's second half
	Small      float64       // as Outage, but each caller has its own client
	Success    float64       // share of calls that succeed while 30 % of requests fail
	Added      time.Duration // latency that repeats add to those calls, 99th percentile
	Freeze     time.Duration // recovery time of a server at two thirds load after a standstill of 10 s
	Busy       time.Duration // as Freeze, at four fifths load
	Together   float64       // largest share of callers that repeat within 100 ms after all calls failed together
}

// Measure runs every experiment through run. There are 200 callers where their
// number matters, and scale callers where only ratios are measured.
func Measure(scale int, run func(Plan) *Record) Figures {
	var f Figures
	r := run(Outage(scale, false))
	f.Outage, f.SecondHalf = r.PerCall(0, outage), r.PerCall(outage/2, outage)
	f.Small = run(Outage(scale, true)).PerCall(0, outage)
	r = run(Failures(scale))
	f.Success, f.Added = r.Success(0, r.plan.Fault), r.Added(0.99)
	f.Freeze = run(Freeze(scale, 2.0/3)).Recovery()
	f.Busy = run(Freeze(scale, 0.8)).Recovery()
	f.Together = run(Together(200)).Busiest(100 * time.Millisecond)
	return f
}

const (
	outage = 45 * time.Second
	freeze = 10 * time.Second
)

// Outage returns a server that is down for 45 s.
func Outage(callers int, own bool) Plan {
	return Plan{
		Callers: callers, Own: own, Before: 10 * time.Second, Fault: outage, After: time.Second,
		Attempt: time.Second, Answer: Down(outage),
	}
}

// Failures returns a server that answers 503 to 30 % of the requests. Fewer than
// 10 000 calls would leave the 99th percentile to chance.
func Failures(callers int) Plan {
	fault := time.Duration(max(100, 10_000/callers)) * time.Second
	return Plan{Callers: callers, Fault: fault, Attempt: time.Second, Answer: Flaky(1)}
}

// Freeze returns a server at a share of its load that stops for 10 s.
func Freeze(callers int, load float64) Plan {
	return Plan{
		Callers: callers, Before: 10 * time.Second, Fault: freeze, After: 70 * time.Second,
		Attempt: time.Second, Answer: Queue(freeze, int(float64(callers)/load)),
	}
}

// Together returns a server that goes down the moment every caller has just sent a
// request, after a time in which all went well and a budget could fill.
func Together(callers int) Plan {
	const down = 5 * time.Second
	return Plan{
		Callers: callers, Before: 10 * time.Second, Fault: down, AtOnce: true,
		Attempt: time.Second, Answer: Down(down),
	}
}

// Table returns a line for each policy, in the order of names.
func Table(names []string, of map[string]Figures) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s %8s %8s %8s %9s %8s %9s %9s %9s\n",
		"", "outage", "2nd half", "small", "30% 503", "p99 +", "freeze", "80 %", "together")
	recovery := func(took time.Duration) string {
		if took == Never {
			return "never"
		}
		return took.String()
	}
	for _, name := range names {
		f := of[name]
		fmt.Fprintf(&b, "%-24s %8.3f %8.3f %8.3f %8.2f%% %7.2fs %9s %9s %8.1f%%\n", name, f.Outage, f.SecondHalf,
			f.Small, 100*f.Success, f.Added.Seconds(), recovery(f.Freeze), recovery(f.Busy), 100*f.Together)
	}
	return b.String()
}
