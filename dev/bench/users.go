package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
)

// asking returns a bare GET and calls of HasApplied with each ordinary kind of
// token source.
func asking(address string, transport func() http.RoundTripper) ([]contender, error) {
	ctx := context.Background()
	client, err := newSDK(address, transport())
	if err != nil {
		return nil, err
	}
	fresh := func() *oauth2.Token { return &oauth2.Token{AccessToken: token, Expiry: time.Now().Add(time.Hour)} }
	stock := oauth2.ReuseTokenSource(fresh(), nil)
	with := func(name string, source oauth2.TokenSource) contender {
		applicant := client.Applicant(source)
		return contender{name: name, run: func() (any, error) { return applicant.HasApplied(ctx, job) }}
	}
	plain := &http.Client{Transport: transport()}
	url := address + "/api/rest/v3/frontend/jobs/" + strconv.Itoa(job) + "/applied"
	renewing := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) { return fresh(), nil })
	return []contender{
		{name: bare, run: func() (any, error) { return true, get(ctx, plain, url) }},
		with("StaticToken", jobboard.StaticToken(token)),
		with("RenewingToken", renewing),
		with("oauth2.ReuseTokenSource", stock),
		{name: "oauth2.ReuseTokenSource, an Applicant for each call", run: func() (any, error) {
			return client.Applicant(stock).HasApplied(ctx, job)
		}},
	}, nil
}

// measureSources compares token sources with a bare GET, over a transport in
// memory and over loopback.
func measureSources(r *report, e effort) error {
	s, err := startServer()
	if err != nil {
		return err
	}
	defer s.stop()
	stub := &inMemory{[]byte("true")}
	for _, where := range []struct {
		title, lead string
		address     string
		transport   func() http.RoundTripper
		rounds      int
	}{
		{"transport in memory", "", memoryAddress, func() http.RoundTripper { return stub }, e.rounds},
		{
			"loopback", " The server is a process of its own; CPU is the client's.", s.Plain,
			func() http.RoundTripper { return tuned() }, 2*e.rounds + 1,
		},
	} {
		contenders, err := asking(where.address, where.transport)
		if err != nil {
			return err
		}
		some := e
		some.rounds = where.rounds // system calls make the times noisy
		all, err := race(some, contenders...)
		if err != nil {
			return err
		}
		t := r.table("One call with ordinary token sources, "+where.title,
			"HasApplied; the token is valid for an hour."+where.lead,
			"", "CPU", "times the floor", "allocations", "more than the floor")
		for _, c := range all {
			t.add(c.name, duration(median(c.cost())), times(all[0].costTimes(c)), number(c.allocs),
				number(c.allocs-all[0].allocs))
		}
		for _, c := range all[1:] {
			if where.address == memoryAddress {
				r.ratio("cheapest source's CPU of "+c.name+"'s", c.costTimes(all[1]))
				continue
			}
			name := "HasApplied over loopback against a bare GET, " + c.name
			r.atMost(name+", CPU", all[0].costTimes(c), 1.2, "x")
			r.atMost(name+", allocations more", math.Round(c.allocs-all[0].allocs), 12, "")
			r.ratio("a bare GET's CPU over loopback of "+c.name+"'s", c.costTimes(all[0]))
		}
	}
	return nil
}

// measureGzip measures searches over loopback with compressed answers.
func measureGzip(r *report, e effort) error {
	s, err := startServer()
	if err != nil {
		return err
	}
	defer s.stop()
	const n = "1000"
	ctx := context.Background()
	address := s.Plain + "/gzip"
	url := address + searchHead + n + "/jobs"
	board, err := jobboard.NewClient(jobboard.Config{BaseURL: address, TokenSource: jobboard.StaticToken(token)})
	if err != nil {
		return err
	}
	client := &http.Client{Transport: tuned()}
	all, err := race(
		e,
		contender{name: "jobboard, compressed", run: func() (any, error) { return board.Search(ctx, n, jobboard.Query{}) }},
		contender{name: "encoding/json, compressed", run: func() (any, error) {
			v := new(plainPage)
			return v, getJSON(ctx, client, url, v)
		}},
		contender{name: "floor: bare GET, inflated and thrown away", run: func() (any, error) {
			return nil, get(ctx, client,
				url)
		}},
	)
	if err != nil {
		return err
	}
	t := r.table("A whole search of 1000 postings, answered with gzip",
		"Loopback; the server has the compressed page in memory.",
		"", "time", "CPU", "times ours")
	for _, c := range all {
		t.add(c.name, duration(c.time()), duration(median(c.cost())), times(all[0].costTimes(c)))
	}
	r.ratio("a compressed search against encoding/json", all[0].costTimes(all[1]))
	r.ratio("a compressed search against its bare GET", all[0].costTimes(all[2]))
	return nil
}

// measureFailures measures bulk lookups while one job in twenty always fails.
func measureFailures(r *report, e effort) error {
	s, err := startServer()
	if err != nil {
		return err
	}
	defer s.stop()
	// Enough calls to reach the steady state of waiting retries, well below the
	// bound on waiting retries.
	calls, rounds := 10*e.calls, min(e.rounds, 3)
	var calm, failing result
	for range rounds {
		for _, c := range []struct {
			path string
			r    *result
		}{{"", &calm}, {"/broken", &failing}} {
			client, err := newSDK(s.Plain+c.path, nil)
			if err != nil {
				return err
			}
			for _, n := range []int{2 * crowdSize, calls} { // connections first
				perGood, err := goodLookups(client, n)
				if err != nil {
					return err
				}
				if n == calls {
					c.r.wall = append(c.r.wall, perGood)
				}
			}
		}
	}
	share := 100 * failing.times(&calm)
	t := r.table("128 lookups at once, one job in twenty always answers 500", fmt.Sprintf(
		"%d calls, default retries; good results a second until the last good one.", calls), "", "good results/s", "of a calm run")
	t.add("every job answers", number(1e9/calm.time()), "100 %")
	t.add("one in twenty fails", number(1e9/failing.time()), fmt.Sprintf("%.0f %%", share))
	r.atLeast("good results a second under failure, of a calm run", share, 80, " %")
	r.ratio("good results a second under failure, of a calm run", share/100)
	return nil
}

// goodLookups returns the nanoseconds per good result, up to the last good
// result.
func goodLookups(client *jobboard.Client, n int) (float64, error) {
	jobs := func(yield func(jobboard.JobID, error) bool) {
		for i := 1; i <= n && yield(jobboard.JobID(i), nil); i++ {
		}
	}
	start := time.Now()
	good, last := 0, start
	for got := range client.BulkJobInformation(context.Background(), jobs, jobboard.BulkOptions{Concurrency: crowdSize}) {
		if got.Err == nil {
			good++
			last = time.Now()
		}
	}
	if good == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return float64(last.Sub(start)) / float64(good), nil
}
