package main

import (
	"context"
	stdjson "encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/jobboard-sdk/jobboard-go"
)

const bare = "floor: bare GET, body thrown away"

// get makes a bare GET: the cost of net/http alone.
func get(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	return check(resp.StatusCode == http.StatusOK)
}

// getAlike makes a bare GET with the headers and the deadline that every client
// needs.
func getAlike(ctx context.Context, client *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	req.Header = http.Header{
		"Accept": {"application/json"}, "Accept-Encoding": {"gzip"}, "Authorization": {"Bearer " + token},
		"User-Agent": {"bench"},
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	return check(resp.StatusCode == http.StatusOK)
}

// getJSON fetches and decodes a document as a program without a client library
// would.
func getJSON(ctx context.Context, client *http.Client, url string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := check(resp.StatusCode == http.StatusOK); err != nil {
		return err
	}
	return stdjson.NewDecoder(resp.Body).Decode(v)
}

// retrying returns go-retryablehttp as in its README, but silent. A nil
// transport means its default.
func retrying(transport http.RoundTripper) http.RoundTripper {
	client := retryablehttp.NewClient()
	client.Logger = nil
	if transport != nil {
		client.HTTPClient = &http.Client{Transport: transport}
	}
	return &retryablehttp.RoundTripper{Client: client}
}

// applied returns contenders that check once whether the applicant has applied,
// each over its own transport.
func applied(address string, transport func() http.RoundTripper) ([]contender, error) {
	ctx := context.Background()
	sdk, err := newSDK(address, transport())
	if err != nil {
		return nil, err
	}
	applicant := sdk.Applicant(jobboard.StaticToken(token))
	rivals, err := rivalCalls(address, transport)
	if err != nil {
		return nil, err
	}
	plain, alike, stack := &http.Client{Transport: transport()}, &http.Client{Transport: transport()},
		withToken(retrying(transport()))
	url := address + "/api/rest/v3/frontend/jobs/" + strconv.Itoa(job) + "/applied"
	return append([]contender{
		{name: bare, run: func() (any, error) { return true, get(ctx, plain, url) }},
		{name: ours, run: func() (any, error) { return applicant.HasApplied(ctx, job) }},
		{name: "go-retryablehttp, oauth2, encoding/json", run: func() (any, error) {
			var v bool
			err := getJSON(ctx, stack, url, &v)
			return v, err
		}},
		{name: "bare GET with our headers and a deadline", run: func() (any, error) {
			return true, getAlike(ctx, alike,
				url)
		}},
	}, rivals...), nil
}

// measureCall compares one call with a bare GET.
func measureCall(r *report, e effort) error {
	stub := &inMemory{[]byte("true")}
	contenders, err := applied(memoryAddress, func() http.RoundTripper { return stub })
	if err != nil {
		return err
	}
	results, err := race(e, contenders...)
	if err != nil {
		return err
	}
	t := r.table("One call, transport in memory", "HasApplied with a static token: what the client alone costs.", "", "time", "times the floor", "allocations", "bytes allocated")
	for _, c := range results {
		t.add(c.name, duration(c.time()), times(results[0].times(c)), number(c.allocs), size(c.bytes))
	}

	s, err := startServer()
	if err != nil {
		return err
	}
	defer s.stop()
	contenders, err = applied(s.Plain, func() http.RoundTripper { return tuned() })
	if err != nil {
		return err
	}
	own, err := newSDK(s.Plain, nil)
	if err != nil {
		return err
	}
	applicant := own.Applicant(jobboard.StaticToken(token))
	contenders[1].run = func() (any, error) { return applicant.HasApplied(context.Background(), job) }
	loop := e
	loop.rounds = e.rounds*2 + 1 // system calls make the times noisy
	if results, err = race(loop, contenders...); err != nil {
		return err
	}
	t = r.table("One call, loopback", "The same over a socket, one after the other; the server is a process of its own. CPU is the client's, of all processors.",
		"", "time", "times the floor", "CPU", "times the floor", "allocations", "bytes allocated")
	for _, c := range results {
		t.add(c.name, duration(c.time()), times(results[0].times(c)), duration(c.cpuTime()), times(results[0].cpuTimes(c)),
			number(c.allocs), size(c.bytes))
	}
	return nil
}

// searches returns contenders that make a whole search over loopback.
func searches(s *server, n int) ([]contender, error) {
	ctx := context.Background()
	channel := strconv.Itoa(n)
	url := s.Plain + "/api/rest/v2/frontend/jobboards/" + channel + "/jobs"
	sdk, err := newSDK(s.Plain, nil)
	if err != nil {
		return nil, err
	}
	rivals, err := rivalSearches(s.Plain, channel)
	if err != nil {
		return nil, err
	}
	plain, stack := &http.Client{Transport: tuned()}, withToken(tuned())
	return append([]contender{
		{name: "jobboard, Search", run: func() (any, error) {
			return sdk.Search(ctx, jobboard.ChannelID(channel),
				jobboard.Query{})
		}},
		{name: "jobboard, Postings without ad text", run: func() (any, error) {
			n := 0
			for _, err := range sdk.Postings(ctx, jobboard.ChannelID(channel), jobboard.Query{OmitConfig: []string{adTextKey}}) {
				if err != nil {
					return nil, err
				}
				n++
			}
			return n, nil
		}},
		{name: std, run: func() (any, error) {
			v := new(plainPage)
			return v, getJSON(ctx, stack, url, v)
		}},
		{name: bare, run: func() (any, error) { return nil, get(ctx, plain, url) }},
	}, rivals...), nil
}

// measureSearch compares whole searches over loopback.
func measureSearch(r *report, e effort) error {
	const n = 1000
	s, err := startServer()
	if err != nil {
		return err
	}
	defer s.stop()
	contenders, err := searches(s, n)
	if err != nil {
		return err
	}
	results, err := race(e, contenders...)
	if err != nil {
		return err
	}
	t := r.table(fmt.Sprintf("A whole search of %d postings, loopback", n), "Request, answer and decoding; the server is a process of its own and shares the processors.",
		"", "time", "times ours", "CPU", "times ours", "allocations", "bytes allocated")
	for _, c := range results {
		t.add(c.name, duration(c.time()), times(results[0].times(c)), duration(c.cpuTime()), times(results[0].cpuTimes(c)),
			number(c.allocs), size(c.bytes))
	}
	m := index(results)
	for _, name := range those(std, ogen, oapi) {
		r.ratio("Search over loopback against "+name, results[0].cpuTimes(m[name]))
	}
	if present(ogen) {
		r.atLeast("Search over loopback against ogen", results[0].times(m[ogen]), 3.2, "x")
	}
	if present(oapi) {
		r.atLeast("Search over loopback against oapi-codegen", results[0].times(m[oapi]), 5.6, "x")
	}
	r.panels = append(r.panels, panelOf("A whole search of 1000 postings, loopback", results, 1e6, "ms",
		"jobboard, Search", "jobboard, Postings without ad text", ogen, std, oapi, bare))
	return nil
}
