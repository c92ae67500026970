package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/hedge"
)

const (
	tailCallers = 32
	tailStall   = 2 * time.Second
	tailHedge   = 40 * time.Millisecond
)

// measureTail measures the effect of package hedge when one answer in 100
// stalls.
func measureTail(r *report, e effort) error {
	t := r.table("The slow tail", fmt.Sprintf("%d callers of HasApplied; the server is in this process and answers after %v, but one time in 100 after %v.",
		tailCallers, delay, tailStall),
		"", "p50", "p99", "p99.9", "calls/s", "requests a call")
	calls := 2 * e.calls
	for _, wait := range []time.Duration{0, tailHedge} {
		name := "jobboard"
		if wait > 0 {
			name = "jobboard, hedge.After(40 ms)"
		}
		took, perSecond, perCall, err := callStalling(wait, calls)
		if err != nil {
			return err
		}
		at := func(share float64) time.Duration { return took[int(share*float64(len(took)))] }
		t.add(name, duration(float64(at(0.5))), duration(float64(at(0.99))), duration(float64(at(0.999))),
			number(perSecond), fmt.Sprintf("%.3f", perCall))
		if wait > 0 {
			r.atMost("p99.9 with a hedge after 40 ms, where one of 100 answers stalls", at(0.999).Seconds()*1000, 60, " ms")
			r.atMost("requests a call with it", perCall, 1.015, "")
		}
	}
	return nil
}

// callStalling makes calls to a stalling server, and returns their durations,
// sorted.
func callStalling(wait time.Duration, calls int) (took []time.Duration, perSecond, perCall float64, err error) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		takes := delay
		if requests.Add(1)%100 == 50 {
			takes = tailStall
		}
		select {
		case <-time.After(takes):
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "true")
	}))
	defer server.Close()
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: server.URL, Middleware: hedge.After(wait)})
	if err != nil {
		return nil, 0, 0, err
	}
	applicant := client.Applicant(jobboard.StaticToken(token))
	for range tailCallers { // open connections, and earn the first hedges
		if _, err := applicant.HasApplied(context.Background(), job); err != nil {
			return nil, 0, 0, err
		}
	}
	requests.Store(0)
	var mu sync.Mutex
	start := time.Now()
	err = ask(tailCallers, calls, func(ctx context.Context, _ int64) error {
		begin := time.Now()
		_, err := applicant.HasApplied(ctx, job)
		mu.Lock()
		defer mu.Unlock()
		took = append(took, time.Since(begin))
		return err
	})
	perSecond = float64(calls) / time.Since(start).Seconds()
	slices.Sort(took)
	return took, perSecond, float64(requests.Load()) / float64(calls), err
}
