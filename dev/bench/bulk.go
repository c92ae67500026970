package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// A crowd looks up n jobs with many callers at once. Each round opens a new
// one, without open connections.
type crowd struct {
	name string
	open func() (look func(callers, n int) error, done func(), err error)
}

// crowdResult holds a crowd's costs per call in each round.
type crowdResult struct {
	result
	connections []float64 // connections opened
	most        int       // most connections open at one time in any round
}

func (r *crowdResult) perSecond() float64 { return 1e9 / r.time() }

// ask runs call for n jobs in as many goroutines as callers.
func ask(callers, n int, call func(ctx context.Context, job int64) error) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for ctx.Err() == nil {
				i := next.Add(1)
				if i > int64(n) {
					return
				}
				if err := call(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// sdkCrowd returns a crowd that uses the client's bulk lookup. A nil transport
// means the client's default.
func sdkCrowd(name, address string, transport func() *http.Transport, failing bool) crowd {
	return crowd{name, func() (func(int, int) error, func(), error) {
		var over http.RoundTripper
		done := func() {}
		if transport != nil {
			t := transport()
			over, done = t, t.CloseIdleConnections
		}
		client, err := newSDK(address, over)
		return func(callers, n int) error {
			jobs := func(yield func(jobboard.JobID, error) bool) {
				for i := 1; i <= n && yield(jobboard.JobID(i), nil); i++ {
				}
			}
			got := 0
			for r := range client.BulkJobInformation(context.Background(), jobs, jobboard.BulkOptions{Concurrency: callers}) {
				if r.Err != nil && !failing {
					return r.Err
				}
				got++
			}
			return check(got == n)
		}, done, err
	}}
}

// clientCrowd returns a crowd whose callers share an http.Client.
func clientCrowd(name, address string, transport func() (http.RoundTripper, func()), keep bool) crowd {
	return crowd{name, func() (func(int, int) error, func(), error) {
		over, done := transport()
		client := &http.Client{Transport: over}
		return func(callers, n int) error {
			return ask(callers, n, func(ctx context.Context, job int64) error {
				url := address + lookupTail + "?jobid=" + strconv.FormatInt(job, 10)
				if !keep {
					return get(ctx, client, url)
				}
				return getJSON(ctx, client, url, new(plainInfo))
			})
		}, done, nil
	}}
}

func closing(t *http.Transport) (http.RoundTripper, func()) { return t, t.CloseIdleConnections }

func crowds(s *server) []crowd {
	overTLS := func(h2 bool) func() *http.Transport {
		return func() *http.Transport {
			t := tuned()
			t.TLSClientConfig = s.trust()
			t.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(0)
			t.Protocols = new(http.Protocols)
			t.Protocols.SetHTTP1(!h2)
			t.Protocols.SetHTTP2(h2)
			return t
		}
	}
	plain := func(transport func() *http.Transport) func() (http.RoundTripper, func()) {
		return func() (http.RoundTripper, func()) { return closing(transport()) }
	}
	plainTuned := plain(tuned)
	return append([]crowd{
		sdkCrowd(ours, s.Plain, nil, false),
		clientCrowd("floor: tuned, body thrown away", s.Plain, plainTuned, false),
		clientCrowd("tuned, encoding/json", s.Plain, plainTuned, true),
		clientCrowd("http.DefaultTransport, encoding/json", s.Plain, func() (http.RoundTripper, func()) {
			return closing(http.DefaultTransport.(*http.Transport).Clone()) //nolint:forcetypeassert // it is one
		}, true),
		clientCrowd("go-retryablehttp's own, encoding/json", s.Plain, func() (http.RoundTripper, func()) {
			t := retrying(nil)
			return t, (&http.Client{Transport: t}).CloseIdleConnections
		}, true),
		sdkCrowd("jobboard, TLS, HTTP/1.1", s.TLS1, overTLS(false), false),
		clientCrowd("floor, TLS, HTTP/1.1", s.TLS1, plain(overTLS(false)), false),
		sdkCrowd("jobboard, TLS, HTTP/2", s.TLS2, overTLS(true), false),
		clientCrowd("floor, TLS, HTTP/2", s.TLS2, plain(overTLS(true)), false),
	}, rivalCrowds(s.Plain)...)
}

// storm measures crowds in turns, for several rounds.
func storm(s *server, rounds, callers, n int, all ...crowd) ([]*crowdResult, error) {
	results := make([]*crowdResult, len(all))
	for round := range rounds {
		for k := range all {
			i := (k + round) % len(all)
			if results[i] == nil {
				results[i] = &crowdResult{result: result{name: all[i].name}}
			}
			if err := stormOne(s, all[i], results[i], callers, n); err != nil {
				return nil, fmt.Errorf("%s: %w", all[i].name, err)
			}
		}
	}
	return results, nil
}

func stormOne(s *server, c crowd, r *crowdResult, callers, n int) error {
	look, done, err := c.open()
	if err != nil {
		return err
	}
	if _, _, err := s.connections(); err != nil {
		return err
	}
	if err := look(callers, 2*callers); err != nil { // warm up connections and TLS
		return err
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := cpuTime(), time.Now()
	if err := look(callers, n); err != nil {
		return err
	}
	wall := time.Since(start)
	cpu = cpuTime() - cpu
	runtime.ReadMemStats(&after)
	opened, most, err := s.connections()
	if err != nil {
		return err
	}
	done()
	r.wall = append(r.wall, float64(wall)/float64(n))
	r.cpu = append(r.cpu, float64(cpu)/float64(n))
	r.allocs = float64(after.Mallocs-before.Mallocs) / float64(n)
	r.connections = append(r.connections, float64(opened))
	r.most = max(r.most, most)
	return nil
}

const crowdSize = 128

// measureBulk compares ways to make many lookups at once.
func measureBulk(r *report, e effort) error {
	s, err := startServer()
	if err != nil {
		return err
	}
	defer s.stop()
	all := crowds(s)
	rounds := min(e.rounds, 9)
	if e.quick {
		rounds = 1
	}
	results, err := storm(s, rounds, crowdSize, e.calls, all...)
	if err != nil {
		return err
	}
	// Failures must not slow other calls down, whether a failure is final or
	// repeated.
	tenth := sdkCrowd("jobboard, one answer in ten a failure", s.Plain+"/failing", nil, true)
	failing, err := storm(s, min(rounds, 3), crowdSize, e.calls/4, tenth)
	if err != nil {
		return err
	}
	t := r.table(fmt.Sprintf("%d lookups at once", crowdSize), fmt.Sprintf("The server answers after %v; it is a process of its own and shares the processors. "+
		"%d calls a round; connections are all that were opened for them and %d calls before, the most are those open at one time. CPU is the client's.", delay, e.calls, 2*crowdSize),
		"", "calls/s", "of the floor", "connections", "most", "CPU a call", "allocations a call")
	byName := make(map[string]*crowdResult)
	for _, c := range results {
		byName[c.name] = c
	}
	for i, c := range append(results, failing...) {
		floor := results[1]
		if _, protocol, ok := strings.Cut(c.name, ", TLS, "); ok {
			floor = byName["floor, TLS, "+protocol]
		}
		share := fmt.Sprintf("%.0f %%", 100*c.times(&floor.result))
		perSecond := number(c.perSecond())
		if i >= len(results) {
			share, perSecond = "", "" // its time is the repeats' waits
		}
		t.add(c.name, perSecond, share, number(median(c.connections)), strconv.Itoa(c.most), duration(c.cpuTime()),
			number(c.allocs))
	}
	r.atLeast("BulkJobInformation at 128, calls/s of body-thrown-away's", 100*results[0].times(&results[1].result), 95,
		" %")
	// Twice as many: net/http keeps what it dialed for a request that another connection then served.
	r.atMost("BulkJobInformation at 128, connections open at one time", float64(results[0].most), 2*crowdSize, "")
	r.atMost("BulkJobInformation at 128 with failures, connections open at one time", float64(failing[0].most), 2*crowdSize, "")
	p := panel{
		Title: "128 lookups at once, a server that answers after 5 ms",
		Note:  "calls/s, more is better; CPU of a call",
	}
	for _, name := range those("floor: tuned, body thrown away", ours, ogenCrowd, "tuned, encoding/json", oapiCrowd,
		"go-retryablehttp's own, encoding/json", "http.DefaultTransport, encoding/json") {
		c := byName[name]
		p.Bars = append(p.Bars, bar{
			Name: c.name, Value: c.perSecond(), Ours: isOurs(c.name),
			Label: fmt.Sprintf("%s, %s connections, %s CPU",
				number(c.perSecond()), number(median(c.connections)), duration(c.cpuTime())),
		})
	}
	r.panels = append(r.panels, p)
	return nil
}

// measureCallers measures calls per second by the number of callers.
func measureCallers(r *report, e effort) error {
	s, err := startServer()
	if err != nil {
		return err
	}
	defer s.stop()
	all := crowds(s)[:3]
	t := r.table("Growth with the callers", fmt.Sprintf("Lookups; the server answers after %v.", delay),
		"callers", "jobboard, calls/s", "CPU a call", "connections", "floor, calls/s", "CPU a call",
		"encoding/json, calls/s", "CPU a call")
	counts := []int{1, 8, 32, 128, 512}
	if e.quick {
		counts = []int{1, 16}
		e.rounds = 1
	}
	for _, callers := range counts {
		n := min(e.calls, max(50, callers*40))
		results, err := storm(s, min(e.rounds, 5), callers, n, all...)
		if err != nil {
			return err
		}
		row := []string{strconv.Itoa(callers)}
		for i, c := range results {
			row = append(row, number(c.perSecond()), duration(c.cpuTime()))
			if i == 0 {
				row = append(row, strconv.Itoa(c.most))
			}
		}
		t.add(row...)
	}
	return nil
}
