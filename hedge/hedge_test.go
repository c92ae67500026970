package hedge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/hedge"
)

const ms = time.Millisecond

// reply says how a request of a service is answered.
type reply struct {
	after  time.Duration
	status int // 0: an error
	panics any
}

// service answers one request after the other with its replies; the last one stays.
type service struct {
	mu       sync.Mutex
	began    time.Time
	replies  []reply
	times    []time.Duration // of requests
	canceled int
	open     int // bodies that nobody has closed
	requests []*http.Request
}

func (s *service) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.times = append(s.times, time.Since(s.began))
	s.requests = append(s.requests, req)
	next := s.replies[0]
	if len(s.replies) > 1 {
		s.replies = s.replies[1:]
	}
	number := len(s.times)
	s.mu.Unlock()
	select {
	case <-time.After(next.after):
	case <-req.Context().Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		s.canceled++
		return nil, context.Cause(req.Context())
	}
	switch {
	case next.panics != nil:
		panic(next.panics)
	case next.status == 0:
		return nil, errors.New("lost")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	text := strings.NewReader(fmt.Sprint(number))
	return &http.Response{StatusCode: next.status, Header: http.Header{}, Body: &tracked{Reader: text, s: s, ctx: req.Context()}, Request: req}, nil
}

type tracked struct {
	io.Reader
	s    *service
	ctx  context.Context
	once sync.Once
}

func (b *tracked) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.Reader.Read(p)
}

func (b *tracked) Close() error {
	b.once.Do(func() {
		b.s.mu.Lock()
		defer b.s.mu.Unlock()
		b.s.open--
	})
	return nil
}

// hedged returns a middleware that hedges after 40 ms above a service, and has earned some hedges.
func hedged(t *testing.T, s *service) http.RoundTripper {
	t.Helper()
	rt := hedge.After(40 * ms)(s)
	s.replies = []reply{{status: 200}}
	for range 60 {
		if got, err := get(t.Context(), rt, http.MethodGet); err != nil || got == "" {
			t.Fatal(got, err)
		}
	}
	s.times, s.requests, s.began = nil, nil, time.Now()
	return rt
}

// get sends a request and returns the whole answer: its status, and which request it answers.
func get(ctx context.Context, rt http.RoundTripper, method string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://service.example/", http.NoBody)
	if err != nil {
		return "", err
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.Request != req {
		return "", errors.New("the answer is to another request")
	}
	text, err := io.ReadAll(resp.Body)
	return fmt.Sprint(resp.StatusCode, " to ", string(text)), err
}

// Of the two requests the first good answer counts, whichever has it. The other one is canceled, and its
// answer closed.
func TestFirstGoodAnswerCounts(t *testing.T) {
	for name, test := range map[string]struct {
		replies  []reply
		took     time.Duration
		sent     []time.Duration
		got      string
		canceled int
	}{
		"in time":                    {[]reply{{39 * ms, 200, nil}}, 39 * ms, []time.Duration{0}, "200 to 1", 0},
		"the second wins":            {[]reply{{2000 * ms, 200, nil}, {9 * ms, 200, nil}}, 49 * ms, []time.Duration{0, 40 * ms}, "200 to 2", 1},
		"the first wins":             {[]reply{{50 * ms, 200, nil}, {2000 * ms, 200, nil}}, 50 * ms, []time.Duration{0, 40 * ms}, "200 to 1", 1},
		"the second fails":           {[]reply{{90 * ms, 200, nil}, {0, 503, nil}}, 90 * ms, []time.Duration{0, 40 * ms}, "200 to 1", 0},
		"the second is limited":      {[]reply{{90 * ms, 200, nil}, {0, 429, nil}}, 90 * ms, []time.Duration{0, 40 * ms}, "200 to 1", 0},
		"the second is lost":         {[]reply{{90 * ms, 200, nil}, {0, 0, nil}}, 90 * ms, []time.Duration{0, 40 * ms}, "200 to 1", 0},
		"the first fails later":      {[]reply{{50 * ms, 503, nil}, {90 * ms, 200, nil}}, 130 * ms, []time.Duration{0, 40 * ms}, "200 to 2", 0},
		"the first is lost later":    {[]reply{{50 * ms, 0, nil}, {90 * ms, 404, nil}}, 130 * ms, []time.Duration{0, 40 * ms}, "404 to 2", 0},
		"both fail":                  {[]reply{{50 * ms, 503, nil}, {90 * ms, 500, nil}}, 130 * ms, []time.Duration{0, 40 * ms}, "503 to 1", 0},
		"fails before it is slow":    {[]reply{{30 * ms, 503, nil}}, 30 * ms, []time.Duration{0}, "503 to 1", 0},
		"lost before it is slow":     {[]reply{{30 * ms, 0, nil}}, 30 * ms, []time.Duration{0}, "lost", 0},
		"a refusal is a good answer": {[]reply{{2000 * ms, 200, nil}, {0, 410, nil}}, 40 * ms, []time.Duration{0, 40 * ms}, "410 to 2", 1},
		"a redirect, too":            {[]reply{{2000 * ms, 200, nil}, {0, 302, nil}}, 40 * ms, []time.Duration{0, 40 * ms}, "302 to 2", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := new(service)
				rt := hedged(t, s)
				s.replies = test.replies
				got, err := get(t.Context(), rt, http.MethodGet)
				if err != nil {
					got = err.Error()
				}
				if got != test.got || time.Since(s.began) != test.took || !slices.Equal(s.times, test.sent) {
					t.Errorf("%s after %v, requests at %v; want %s after %v, %v", got, time.Since(s.began), s.times, test.got, test.took, test.sent)
				}
				if s.canceled != test.canceled || s.open != 0 {
					t.Errorf("%d requests canceled, want %d; %d answers are left open", s.canceled, test.canceled, s.open)
				}
			})
		})
	}
}

// What may not be sent twice is not, and nothing is that nobody has earned.
func TestNotHedged(t *testing.T) {
	slow := reply{after: 200 * ms, status: 200}
	send := func(method, body string) func(context.Context, http.RoundTripper) error {
		return func(ctx context.Context, rt http.RoundTripper) error {
			req, err := http.NewRequestWithContext(ctx, method, "http://service.example/", strings.NewReader(body))
			if err != nil {
				return err
			}
			if body == "" {
				req.Body = nil
			}
			resp, err := rt.RoundTrip(req)
			if err == nil {
				_ = resp.Body.Close()
			}
			return err
		}
	}
	for name, test := range map[string]struct {
		send     func(context.Context, http.RoundTripper) error
		before   []reply // answers to the requests before, after 60 good ones
		good     int     // how many good ones in place of 60
		off      bool
		requests int
	}{
		"GET":                         {requests: 2},
		"HEAD":                        {send: send(http.MethodHead, ""), requests: 2},
		"POST":                        {send: send(http.MethodPost, ""), requests: 1},
		"PUT":                         {send: send(http.MethodPut, ""), requests: 1},
		"DELETE":                      {send: send(http.MethodDelete, ""), requests: 1},
		"OPTIONS":                     {send: send(http.MethodOptions, ""), requests: 1},
		"GET with a body":             {send: send(http.MethodGet, "x"), requests: 1},
		"no wait":                     {off: true, requests: 1},
		"19 answers":                  {good: 19, requests: 1},
		"20 answers":                  {good: 20, requests: 2},
		"after a failure":             {before: []reply{{0, 503, nil}}, requests: 1},
		"after a 429":                 {before: []reply{{0, 429, nil}}, requests: 1},
		"after a lost one":            {before: []reply{{0, 0, nil}}, requests: 1},
		"after a refusal":             {before: []reply{{0, 404, nil}}, requests: 2},
		"after six hedges, of five":   {before: slices.Repeat([]reply{slow, {0, 200, nil}}, 6), good: 200, requests: 1},
		"after two hedges, of five":   {before: slices.Repeat([]reply{slow, {0, 200, nil}}, 2), good: 200, requests: 2},
		"no more than five are saved": {before: slices.Repeat([]reply{slow, {0, 200, nil}}, 5), good: 1000, requests: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &service{replies: []reply{{status: 200}}}
				wait := 40 * ms
				if test.off {
					wait = 0
				}
				rt := hedge.After(wait)(s)
				good := test.good
				if good == 0 {
					good = 60
				}
				for range good {
					_, _ = get(t.Context(), rt, http.MethodGet)
				}
				for len(test.before) > 0 {
					n := len(s.times)
					s.replies = test.before
					_, _ = get(t.Context(), rt, http.MethodGet)
					test.before = test.before[min(len(s.times)-n, len(test.before)):]
				}
				s.times, s.replies = nil, []reply{slow}
				if test.send == nil {
					test.send = send(http.MethodGet, "")
				}
				if err := test.send(t.Context(), rt); err != nil {
					t.Error(err)
				}
				if len(s.times) != test.requests || s.open != 0 {
					t.Errorf("%d requests, want %d; %d answers are left open", len(s.times), test.requests, s.open)
				}
			})
		})
	}
}

// Both requests end with the caller's context, and a canceled call does not take the savings away.
func TestCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(service)
		rt := hedged(t, s)
		s.replies = []reply{{after: time.Hour, status: 200}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if got, err := get(ctx, rt, http.MethodGet); !errors.Is(err, context.Canceled) || time.Since(s.began) != time.Second || s.canceled != 2 {
			t.Errorf("%q, %v after %v; %d canceled", got, err, time.Since(s.began), s.canceled)
		}
		if _, err := get(t.Context(), hedgedOnce(s, rt), http.MethodGet); err != nil || len(s.times) != 4 {
			t.Errorf("%v; requests at %v", err, s.times)
		}
		// A time-out of the caller is a failure of the service.
		s.replies = []reply{{after: time.Hour, status: 200}}
		ctx, cancel = context.WithTimeout(t.Context(), 10*ms)
		defer cancel()
		if _, err := get(ctx, rt, http.MethodGet); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if _, err := get(t.Context(), hedgedOnce(s, rt), http.MethodGet); err != nil || len(s.times) != 6 {
			t.Errorf("%v; requests at %v", err, s.times)
		}
	})
}

// hedgedOnce makes the next request slow, so that it is hedged if that is allowed.
func hedgedOnce(s *service, rt http.RoundTripper) http.RoundTripper {
	s.replies = []reply{{after: 200 * ms, status: 200}}
	return rt
}

// The winner's context lasts until its body is closed, and ends then. The second request reports to none of the
// first one's traces, and has the other values of its context.
func TestContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(service)
		rt := hedged(t, s)
		for _, replies := range [][]reply{{{after: 2 * time.Second, status: 200}, {after: ms, status: 200}}, {{after: 50 * ms, status: 200}, {after: time.Second, status: 200}}} {
			s.replies, s.requests = replies, nil
			type key struct{}
			traced := httptrace.WithClientTrace(context.WithValue(t.Context(), key{}, "value"), &httptrace.ClientTrace{
				GetConn: func(string) {}, DNSStart: func(httptrace.DNSStartInfo) {},
			})
			req, err := http.NewRequestWithContext(traced, http.MethodGet, "http://service.example/", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := rt.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			first, second := s.requests[0].Context(), s.requests[1].Context()
			if httptrace.ContextClientTrace(first) == nil || httptrace.ContextClientTrace(second) != nil || second.Value(key{}) != "value" {
				t.Error("traces or values of the contexts are not right")
			}
			winner := first
			if replies[0].after > replies[1].after {
				winner = second
			}
			if winner.Err() != nil {
				t.Error("the winner's context ended before its body was read")
			}
			if text, err := io.ReadAll(resp.Body); err != nil || len(text) == 0 {
				t.Errorf("%q, %v", text, err)
			}
			_ = resp.Body.Close()
			if first.Err() == nil || second.Err() == nil {
				t.Error("a context is left after the end")
			}
		}
	})
}

// A panic of a transport below reaches the caller, whichever request it was, and nothing stays behind.
func TestPanics(t *testing.T) {
	for name, replies := range map[string][]reply{
		"first":             {{after: 10 * ms, panics: "below"}},
		"first, hedged":     {{after: 50 * ms, panics: "below"}, {after: time.Hour, status: 200}},
		"second":            {{after: time.Second, status: 200}, {panics: "below"}},
		"second, the other": {{after: time.Second}, {panics: "below"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := new(service)
			rt := hedged(t, s)
			s.replies = replies
			defer func() {
				if p := recover(); p != "below" || s.open != 0 {
					t.Errorf("%s: the caller gets %v; %d answers are left open", name, p, s.open)
				}
			}()
			got, err := get(t.Context(), rt, http.MethodGet)
			t.Errorf("%s: %q, %v", name, got, err)
		})
	}
}
