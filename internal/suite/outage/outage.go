// Package outage takes a retry policy through an outage, an overload and
// random failures, and measures what the server and the callers see of it.
//
// It runs a real http.Server and whatever client it is given over pipes in
// memory. Run inside a testing/synctest bubble: minutes then take a second.
package outage

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// Plan describes one experiment: callers that call at a steady rate, evenly
// spread, whatever becomes of their calls.
type Plan struct {
	Callers int
	Every   time.Duration // between two calls of one caller; 0 means a second
	Own     bool          // each caller has its own client; else all share a client
	HTTP2   bool          // instead of HTTP/1.1
	Once    bool          // each call makes a new client, as a short-lived process does
	Sources bool          // each call has its own token source, as visitors of a site do

	// Calls start during the three phases; the fault lasts for the second.
	Before, Fault, After time.Duration
	// AtOnce makes every caller call at the first moment of the fault, all of
	// them together, and not again.
	AtOnce bool

	Attempt time.Duration // bound of one attempt
	Answer  Answer
}

// Answer plays the server: it returns how long a request waits for its answer, and the status, or
// lost or reset. Calls of it do not overlap. at is the time since the start of the fault; attempt
// counts from 1.
type Answer func(at time.Duration, attempt int) (after time.Duration, status int)

// Instead of a status.
const (
	lost  = -1 // the end of the connection
	reset = -2
)

// Client makes one call; number tells the server which.
type Client func(ctx context.Context, number int) error

// Open makes a client that sends through next and bounds each attempt.
type Open func(next http.RoundTripper, attempt time.Duration) Client

const (
	// Base is the address of the server.
	Base = "http://127.0.0.1"

	latency = 5 * time.Millisecond // of a server that works
)

// numberOf returns the number of a request's call, which the request has as its job:
// .../jobs/{number}/applied.
func numberOf(u *url.URL) int {
	number, _ := strconv.Atoi(path.Base(path.Dir(u.Path)))
	return number
}

// Record holds what happened. Times count from the start of the fault.
type Record struct {
	plan     Plan
	calls    []call
	requests []request
}

type call struct {
	start, end time.Duration
	failed     bool
}

type request struct {
	at              time.Duration
	number, attempt int
}

// Run makes the experiment. It returns when every call has ended and nothing is
// left running.
func (p Plan) Run(open Open) *Record {
	r := &Record{plan: p}
	zero := time.Now().Add(p.Before)
	var mu sync.Mutex
	attempts := map[int]int{}
	var working, calling sync.WaitGroup
	network := rig.NewNet()
	server := rig.NewServer(func(x *rig.Exchange) {
		working.Add(1)
		defer working.Done()
		number := numberOf(x.Request.URL)
		at := time.Since(zero)
		mu.Lock()
		attempts[number]++
		attempt := attempts[number]
		r.requests = append(r.requests, request{at, number, attempt})
		after, status := p.Answer(at, attempt)
		mu.Unlock()
		<-time.After(after) // also where the client has gone
		switch status {
		case lost:
			x.End()
		case reset:
			x.Break()
		case http.StatusOK:
			x.Answer(status, "", "true")
		case http.StatusUnauthorized:
			x.Answer(status, "", "", "WWW-Authenticate", `Bearer error="invalid_token"`)
		default:
			x.Answer(status, "", "")
		}
	})

	server.Protocols = p.protocols()
	go func() { _ = server.Serve(network) }()

	starts := p.starts()
	clients := make([]Client, 1)
	switch {
	case p.Once:
		clients = make([]Client, len(starts))
	case p.Own:
		clients = make([]Client, p.Callers)
	}
	transports := make([]*http.Transport, len(clients))
	for i := range clients {
		transports[i] = &http.Transport{
			DialContext: network.DialContext, MaxIdleConnsPerHost: p.Callers, DisableCompression: true,
			Protocols: p.protocols(),
		}
		clients[i] = open(transports[i], p.Attempt)
	}
	r.calls = make([]call, len(starts))
	for i, start := range starts {
		<-time.After(time.Until(zero.Add(start)))
		calling.Go(func() {
			err := clients[i%len(clients)](context.Background(), i+1)
			r.calls[i] = call{start, time.Since(zero), err != nil}
		})
	}
	calling.Wait()
	// A bubble's time stops when its test returns: before that the server must finish all requests,
	// even abandoned requests.
	<-time.After(time.Second)
	working.Wait()
	for _, t := range transports {
		t.CloseIdleConnections()
	}
	_ = server.Close()
	return r
}

// protocols returns the one that is spoken, without TLS.
func (p Plan) protocols() *http.Protocols {
	spoken := new(http.Protocols)
	spoken.SetHTTP1(!p.HTTP2)
	spoken.SetUnencryptedHTTP2(p.HTTP2)
	return spoken
}

func (p Plan) starts() []time.Duration {
	every := p.Every
	if every == 0 {
		every = time.Second
	}
	gap := every / time.Duration(p.Callers)
	end := p.Fault + p.After
	if p.AtOnce {
		end = 0
	}
	var all []time.Duration
	for at := -p.Before; at < end; at += gap {
		all = append(all, at)
	}
	if p.AtOnce {
		for range p.Callers {
			all = append(all, 0)
		}
	}
	return all
}

// PerCall returns the requests that the server got within a time, for each call
// that started within it.
func (r *Record) PerCall(from, to time.Duration) float64 {
	calls, requests := 0, 0
	for _, c := range r.calls {
		if c.start >= from && c.start < to {
			calls++
		}
	}
	for _, q := range r.requests {
		if q.at >= from && q.at < to {
			requests++
		}
	}
	return float64(requests) / float64(calls)
}

// Success returns the share of the calls started in a time that succeeded.
func (r *Record) Success(from, to time.Duration) float64 {
	calls, good := 0, 0
	for _, c := range r.calls {
		if c.start >= from && c.start < to {
			calls++
			if !c.failed {
				good++
			}
		}
	}
	return float64(good) / float64(calls)
}

// Latency returns the quantile q of how long the calls of a time took, whatever
// became of them.
func (r *Record) Latency(from, to time.Duration, q float64) time.Duration {
	var all []time.Duration
	for _, c := range r.calls {
		if c.start >= from && c.start < to {
			all = append(all, c.end-c.start)
		}
	}
	slices.Sort(all)
	return all[min(int(q*float64(len(all))), len(all)-1)]
}

// Added returns the quantile q of what the policy added to the latency of a call.
func (r *Record) Added(q float64) time.Duration {
	return r.Latency(0, r.plan.Fault, q) - latency
}

// Never stands for a recovery that did not come before the end; Recovery returns it.
const Never = time.Duration(1<<63 - 1)

// Recovery returns how long after the fault the last second ended that was not as
// good as those before it: fewer than 99 of 100 calls succeeded, or the median
// took more than a quarter of a second longer.
func (r *Record) Recovery() time.Duration {
	normal := r.Latency(-r.plan.Before, 0, 0.5) + 250*time.Millisecond
	bad := r.plan.Fault
	for s := r.plan.Fault; s < r.plan.Fault+r.plan.After; s += time.Second {
		if r.Success(s, s+time.Second) < 0.99 || r.Latency(s, s+time.Second, 0.5) > normal {
			bad = s + time.Second
		}
	}
	if bad >= r.plan.Fault+r.plan.After {
		return Never
	}
	return bad - r.plan.Fault
}

// Busiest returns the largest share of the callers that repeated within one window,
// wherever it begins.
func (r *Record) Busiest(window time.Duration) float64 {
	var repeats []request
	for _, q := range r.requests {
		if q.at >= 0 && q.attempt > 1 {
			repeats = append(repeats, q)
		}
	}
	most := 0
	for i := range repeats {
		callers := map[int]bool{}
		for _, q := range repeats[i:] {
			if q.at >= repeats[i].at+window {
				break
			}
			callers[q.number%r.plan.Callers] = true
		}
		most = max(most, len(callers))
	}
	return float64(most) / float64(r.plan.Callers)
}
