package jobboard

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

type limiterFunc func(context.Context) error

func (f limiterFunc) Wait(ctx context.Context) error { return f(ctx) }

type sendFunc func(*http.Request) (*http.Response, error)

func (f sendFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A panic of the caller's code in the middle of an attempt ends the attempt as an
// error does: its requests end.
func TestPanicEndsTheAttempt(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/there") {
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, `{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x"}]}`)
	}))
	defer server.Close()
	asked, ended := 0, 0
	observer := &Observer{Call: func(ctx context.Context, _ CallStart) (context.Context, func(CallEnd)) {
		return ctx, func(CallEnd) { ended++ }
	}}
	panicsAtTheEnd := *observer
	panicsAtTheEnd.Attempt = func(ctx context.Context, _ AttemptStart) (context.Context, func(AttemptEnd)) {
		return ctx, func(AttemptEnd) { panic("mine") }
	}
	for name, cfg := range map[string]Config{
		"limiter at a redirect": {Observer: observer, Limiter: limiterFunc(func(context.Context) error {
			if asked++; asked > 1 {
				panic("mine")
			}
			return nil
		})},
		"observer at the end of an attempt": {Observer: &panicsAtTheEnd},
	} {
		ended = 0
		var sent []context.Context
		cfg.HTTPClient = &http.Client{Transport: sendFunc(func(req *http.Request) (*http.Response, error) {
			sent = append(sent, req.Context())
			return http.DefaultTransport.RoundTrip(req)
		})}
		cfg.BaseURL, cfg.ClientID = server.URL, "id"
		client, err := NewClient(cfg)
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if p := recover(); p != "mine" {
					t.Errorf("%s: panic %v", name, p)
				}
			}()
			for _, err := range client.Postings(t.Context(), "x", Query{}) {
				if err != nil {
					t.Errorf("%s: it yielded %v", name, err)
				}
			}
			t.Errorf("%s: no panic", name)
		}()
		for _, ctx := range sent {
			if ctx.Err() == nil {
				t.Errorf("%s: a request goes on", name)
			}
		}
		if len(sent) == 0 {
			t.Errorf("%s: nothing was sent", name)
		}
		if ended > 1 {
			t.Errorf("%s: the call ended %d times", name, ended)
		}
	}
}
