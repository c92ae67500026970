package outage

import "time"

// Case holds one trouble, and what a policy may cost or lose in it.
type Case struct {
	Name string // as in the documentation
	Plan Plan
	Aims []Aim
}

// Aim holds the figure that a policy should reach in a case.
type Aim struct {
	Unit  Unit
	Limit float64
	// Scatter bounds the distance of one run of 200 callers from the mean of many.
	Scatter float64
}

// Unit names what is measured of a case.
type Unit string

// The units.
const (
	PerCall  Unit = "requests a call"        // at most
	Renewals Unit = "fetches a second"       // at most, for each client, not counting its first fetch
	Share    Unit = "% of the calls succeed" // at least
)

// Meets reports whether a figure reaches the aim.
func (a Aim) Meets(figure float64) bool {
	if a.Unit == Share {
		return figure >= a.Limit
	}
	return figure <= a.Limit
}

// Cases returns the faults that clients meet which call often, seldom and once. The figures are
// ratios, so callers may be smaller than the 200 in the names.
func Cases(callers int) []Case {
	const (
		second = time.Second
		calm   = time.Minute
		short  = 5 * time.Second
		long   = 100 * time.Second
	)
	one := func(before, fault time.Duration, answer Answer) Plan {
		return Plan{
			Callers: callers, Before: before, Fault: fault, After: second, Attempt: second, Answer: answer,
		}
	}
	own := func(every, before, fault time.Duration, answer Answer) Plan {
		p := one(before, fault, answer)
		p.Own, p.Every = true, every
		return p
	}
	once := func(fault time.Duration, answer Answer) Plan {
		p := one(0, fault, answer)
		p.Once = true
		return p
	}
	over2 := func(p Plan) Plan {
		p.HTTP2 = true
		return p
	}
	atMost := func(limit float64) []Aim { return []Aim{{Unit: PerCall, Limit: limit, Scatter: 0.03}} }
	atLeast := func(limit, scatter float64) []Aim { return []Aim{{Unit: Share, Limit: limit, Scatter: scatter}} }
	renewal := Aim{Unit: Renewals, Limit: 1, Scatter: 0.001}
	refused := []Aim{{Unit: PerCall, Limit: 1.10, Scatter: 0.03}, renewal}
	sources := func(p Plan) Plan {
		p.Sources = true
		return p
	}
	return []Case{
		{"503 for 45 s: 200 callers of one client", one(calm, outage, Down(outage)), atMost(1.10)},
		{"503 for 45 s: 200 clients, 1 call a second each", own(second, calm, outage, Down(outage)), atMost(1.25)},
		{"503 for 45 s: 200 clients, 0.1 calls a second each", own(10*second, calm, outage, Down(outage)), atMost(3)},
		{"503 for 45 s: 200 clients, 0.02 calls a second each", own(50*second, calm, outage, Down(outage)), atMost(3)},
		{"503 for 45 s: processes of one call", once(outage, Down(outage)), atMost(3)},
		{"503 for 5 s: 200 clients, 1 call a second each", own(second, calm, short, Down(short)), atMost(3)},
		{"lost for 45 s: 200 callers of one client", one(calm, outage, Losing(outage)), atMost(1.10)},
		{"lost for 45 s: 200 clients, 1 call a second each", own(second, calm, outage, Losing(outage)), atMost(1.25)},
		{"lost for 45 s: 200 clients, 0.1 calls a second each", own(10*second, calm, outage, Losing(outage)), atMost(3)},
		{"lost for 45 s: 200 clients, 0.02 calls a second each", own(50*second, calm, outage, Losing(outage)), atMost(3)},
		{"lost for 45 s: processes of one call", once(outage, Losing(outage)), atMost(3)},
		{"lost for 45 s, HTTP/2: 200 callers of one client", over2(one(calm, outage, Losing(outage))), atMost(1.10)},
		{
			"lost for 45 s, HTTP/2: 200 clients, 1 call a second each",
			over2(own(second, calm, outage, Losing(outage))), atMost(1.25),
		},
		{"lost for 45 s, HTTP/2: processes of one call", over2(once(outage, Losing(outage))), atMost(3)},
		{"503 to 30 %: 1 call a second, after a calm minute", own(second, calm, long, After(Flaky(1))), atLeast(99.5, 0.3)},
		{"503 to 30 %: 1 call a second, in the first minute", own(second, 0, calm, Flaky(1)), atLeast(95.4, 0.8)},
		{"503 to 30 %: processes of one call", once(calm, Flaky(1)), atLeast(97, 0.1)},
		{"401 for 45 s: 200 callers of one client", one(0, outage, Refusing(outage)), refused},
		{"401 for 45 s: 200 clients, 1 call a second each", own(second, 0, outage, Refusing(outage)), refused},
		{"401 for 45 s: the same after a calm minute", own(second, calm, outage, Refusing(outage)), refused},
		{
			"401 for 45 s: 200 callers of one client, a source for each call",
			sources(one(0, outage, Refusing(outage))), atMost(1.10),
		},
		{
			"401 for 45 s: the same callers after a calm minute",
			sources(one(calm, outage, Refusing(outage))), atMost(1.10),
		},
		{
			"401 for 45 s: 200 clients, 1 call a second each, a source for each call",
			sources(own(second, 0, outage, Refusing(outage))), atMost(1.10),
		},
		{
			"401 for 45 s: the same clients after a calm minute",
			sources(own(second, calm, outage, Refusing(outage))), atMost(1.10),
		},
	}
}
