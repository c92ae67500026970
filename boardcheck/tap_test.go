package boardcheck_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/boardcheck"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// watched counts requests and copies the bodies that come from below.
type watched struct {
	next http.RoundTripper

	mu     sync.Mutex
	bodies []*bytes.Buffer
}

func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	copied := &bytes.Buffer{}
	w.mu.Lock()
	w.bodies = append(w.bodies, copied)
	w.mu.Unlock()
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(resp.Body, copied), resp.Body}
	return resp, nil
}

func (w *watched) texts() (all []string) {
	for _, b := range w.bodies {
		all = append(all, b.String())
	}
	return all
}

// The tap is nearest to the network, below the caller's middleware, and hands bodies on untouched: the middleware reads what
// the network sent, compressed as it was. Counted are all requests that the network saw, and the caller's limiter is asked for each.
func TestTapHandsOnWhatCame(t *testing.T) {
	for name, v := range map[string]jobboardtest.Variants{"plain": {}, "gzip": {Compress: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := steady(t, jobboardtest.WithVariants(v))
				b := boardOf(srv)
				below := &watched{next: b.Config.HTTPClient.Transport}
				above := &watched{}
				waits := 0
				b.Config.HTTPClient = &http.Client{Transport: below}
				b.Config.Middleware = func(next http.RoundTripper) http.RoundTripper {
					above.next = next
					return transport(func(r *http.Request) (*http.Response, error) {
						if strings.Contains(r.URL.Path, "999999983_") { // never comes to the network, nor to the tap
							return reply(http.StatusNotFound, nil, strings.NewReader("")), nil
						}
						return above.RoundTrip(r)
					})
				}
				b.Config.Limiter = limiter(func(context.Context) error { waits++; return nil })
				b.FeedURL = "" // it does not pass the caller's middleware
				r := check(t, b)
				if len(r.Unjudged) > 0 || !slices.Equal(above.texts(), below.texts()) {
					t.Errorf("other bodies above than below; %s", lines(r.Unjudged))
				}
				if v.Compress && !strings.HasPrefix(below.texts()[0], "\x1f\x8b") {
					t.Error("nothing was compressed")
				}
				if n := len(below.bodies); n != r.Requests || n != srv.Count() || n+1 != waits {
					t.Errorf("%d requests, %d counted, %d came, the limiter was asked %d times", n, r.Requests, srv.Count(), waits)
				}
				known := &boardcheck.Profile{}
				r.Since(known)
				if text := written(t, known); !strings.Contains(text, `"results[].title": {"in":29,"of":29`) {
					t.Errorf("the members were not counted: %s", text)
				}
			})
		})
	}
}

type limiter func(context.Context) error

func (l limiter) Wait(ctx context.Context) error { return l(ctx) }

// A check sends at most MaxRequests, repeats and redirects included, and five a second. Its profile then stays as it was for
// what was not asked.
func TestRequestsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := steady(t)
		known := calm(t)
		b := boardOf(srv)
		next := b.Config.HTTPClient.Transport
		var times []time.Time
		seen := map[string]bool{}
		b = through(b, transport(func(r *http.Request) (*http.Response, error) {
			times = append(times, time.Now())
			key := r.URL.String() + r.Header.Get("Accept-Language")
			if !seen[key] && !strings.Contains(key, "feed") { // each call but that of the feed is redirected once, to itself
				seen[key] = true
				return &http.Response{
					StatusCode: 307, Header: http.Header{"Location": {r.URL.String()}}, Body: http.NoBody, Request: r,
				}, nil
			}
			return next.RoundTrip(r)
		}))
		r := check(t, b)
		if len(times) != boardcheck.MaxRequests || r.Requests != len(times) {
			t.Errorf("%d requests, and it says %d", len(times), r.Requests)
		}
		for i := 5; i < len(times); i++ {
			if d := times[i].Sub(times[i-5]); d < time.Second {
				t.Fatalf("six requests within %v", d)
			}
		}
		r.Since(known)
		if !strings.Contains(lines(r.Unjudged), "application identifier: the 150 requests were used up") {
			t.Errorf("no judgement: %s", lines(r.Unjudged))
		}
		if !strings.Contains(lines(r.Changes), "applied check: false came with 200 application/json, redirect to http://") {
			t.Errorf("told: %s", lines(r.Changes))
		}
	})
}

// Where a redirect leads is kept as scheme, host and the words of its path.
func TestRedirectTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, known := told(t, edit{raw: redirect("/applied", "https://login.example:8443/sign_in/27828_extern/4711/jana.doe/v2?token=s3cret#x")}, nil)
		text := written(t, known)
		if !strings.Contains(text, `"302 application/json, redirect to https://login.example:8443/sign_in/{channel}/*/*/v2"`) {
			t.Errorf("the profile: %s", text)
		}
	})
}

// The plan lists what is sent, and is sent to nobody; a Board that cannot be asked is refused by both.
func TestPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := steady(t)
		b := boardOf(srv)
		steps, err := b.Plan()
		if err != nil || srv.Count() > 0 {
			t.Fatal(err, srv.Count())
		}
		plan := map[string]int{}
		for _, s := range steps {
			plan[s.Request] += s.AtMost
		}
		r := check(t, b)
		sent, all := map[string]int{"GET {feed_url}": 1}, 1
		for _, q := range srv.Requests() {
			line := q.Method + " {" + q.Address + "}" + q.Template
			if q.Address == "jobdb_url" {
				line += "?jobid"
			}
			sent[line]++
			all++
		}
		for line, n := range sent {
			if n > plan[line] || n == 0 {
				t.Errorf("%d of %s, and %d are planned", n, line, plan[line])
			}
		}
		if len(sent) != len(plan) || all != r.Requests {
			t.Errorf("sent %v, planned %v; %d requests, and it says %d", sent, plan, all, r.Requests)
		}
	})
	good := jobboard.Config{BaseURL: "https://jobs.example", JobDBURL: "https://jobdb.example"}
	for want, b := range map[string]boardcheck.Board{
		"BaseURL":                  {},
		"nothing to ask":           {Config: jobboard.Config{BaseURL: "https://jobs.example"}},
		"FeedURL":                  {Config: good, FeedURL: "feed.xml"},
		"without a user part":      {Config: good, FeedURL: "https://u:p@x.example/feed"},
		"need Config.BaseURL":      {Config: jobboard.Config{JobDBURL: "https://jobdb.example"}, Channels: []jobboard.ChannelID{"a"}},
		"25 channels in 2 languag": {Config: good, Channels: make([]jobboard.ChannelID, 25), Languages: []string{"en", "de"}},
		"colon":                    {Config: jobboard.Config{BaseURL: "https://jobs.example", ClientID: "a:b"}},
	} {
		if _, err := b.Plan(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if _, err := boardcheck.Check(t.Context(), b); err == nil {
			t.Errorf("%s: no error", want)
		}
	}
	b := boardcheck.Board{Config: good, Channels: []jobboard.ChannelID{""}}
	if _, err := boardcheck.Check(t.Context(), b); err == nil || !strings.Contains(err.Error(), "invalid input") {
		t.Errorf("an empty channel: %v", err)
	}
}
