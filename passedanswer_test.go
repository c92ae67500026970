package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// A refused answer whose body stalls comes back at once, and its stall is told by the body's Read. If
// the request is repeated, the body is waited for 50 ms, for the sake of the connection, out of the wait.
func TestTransportOfAStalledRefusal(t *testing.T) {
	const stalls, part = "\r\nContent-Length: 1000000\r\n\r\n", "the first words"
	for name, c := range map[string]struct {
		answers  []string      // the last answer serves all further requests
		deadline time.Duration // of the caller; 0: none
		requests int
		status   int
		within   time.Duration // without waits
		body     string
		err      error
	}{
		"404":                 {[]string{"404 Not Found" + stalls + part}, 0, 1, 404, 0, part, jobboard.ErrTimeout},
		"404, without a word": {[]string{"404 Not Found" + stalls}, 0, 1, 404, 0, "", jobboard.ErrTimeout},
		"404, and 5 s left":   {[]string{"404 Not Found" + stalls + part}, 5 * time.Second, 1, 404, 0, part, context.DeadlineExceeded},
		"500, each attempt":   {[]string{"500 Oh" + stalls + part}, 0, 5, 500, 200 * time.Millisecond, part, jobboard.ErrTimeout},
		"500, then good": {
			[]string{"500 Oh" + stalls + part, "200 OK\r\nContent-Length: 4\r\n\r\ngood"}, 0, 2, 200, 50 * time.Millisecond, "good", nil,
		},
		"401, told by the header": {
			[]string{"401 No\r\nWWW-Authenticate: Bearer error=\"invalid_token\"" + stalls + part, "200 OK\r\nContent-Length: 4\r\n\r\ngood"},
			0, 2, 200, 50 * time.Millisecond, "good", nil,
		},
		"500, quick": {[]string{"500 Oh\r\nContent-Length: 5\r\n\r\nwords"}, 0, 5, 500, 0, "words", nil},
	} {
		inBubble(t, name, func(t *testing.T) {
			var ended []*jobboard.Error
			sent, fetches := 0, 0
			network, transport, stop := rig.Run(func(x *rig.Exchange) {
				answer := c.answers[min(sent, len(c.answers)-1)]
				sent++
				if !strings.Contains(answer, stalls) {
					x.Raw("HTTP/1.1 " + answer)
					return
				}
				x.Stall("HTTP/1.1 " + answer)
			})
			defer stop()
			client := rig.Client(t, jobboard.Config{
				BaseURL: "http://127.0.0.1", TokenSource: numbered(&fetches), HTTPClient: &http.Client{Transport: transport},
				Retry: jobboard.RetryPolicy{MinWait: time.Nanosecond, MaxWait: time.Nanosecond, Budget: 10},
				Observer: &jobboard.Observer{Call: func(context.Context, jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
					return nil, func(e jobboard.CallEnd) { ended = append(ended, e.Err) }
				}},
			})
			ctx, cancel := context.WithCancel(t.Context())
			if c.deadline > 0 {
				ctx, cancel = context.WithTimeout(t.Context(), c.deadline)
			}
			defer cancel()
			start := time.Now()
			resp, err := client.Transport().RoundTrip(rig.Must(http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/x", http.NoBody)))
			if err != nil {
				t.Fatal(err)
			}
			// Five waits, and what the callers that failed together are spread by, take less than 50 ms.
			if took := time.Since(start); took < c.within || took > c.within+50*time.Millisecond || sent != c.requests || resp.StatusCode != c.status {
				t.Errorf("%d after %v and %d requests, want %v", resp.StatusCode, took, sent, c.within)
			}
			body, err := io.ReadAll(resp.Body)
			if string(body) != c.body || !errors.Is(err, c.err) {
				t.Errorf("%q, %v", body, err)
			}
			if took := time.Since(start); c.err == jobboard.ErrTimeout && took > 12*time.Second {
				t.Errorf("the body ended after %v", took)
			}
			_ = resp.Body.Close()
			if len(ended) != 1 || (ended[0] != nil) != (c.status >= 400) || ended[0] != nil && ended[0].StatusCode != c.status {
				t.Errorf("the observer is told %v", ended)
			}
			synctest.Wait()
			transport.CloseIdleConnections()
			synctest.Wait()
			if _, open, _ := network.State(); open != 0 {
				t.Errorf("%d connections are open", open)
			}
		})
	}
}

// A panic of the body's Read reaches the caller also if the library reads, before a repeat.
func TestTransportOfARefusalThatPanics(t *testing.T) {
	for _, status := range []int{404, 503} {
		inBubble(t, fmt.Sprint(status), func(t *testing.T) {
			closed := 0
			client := served(t, jobboard.Config{TokenSource: jobboard.StaticToken("t")}, func(r *http.Request) *http.Response {
				return &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: -1, Request: r, Body: closeCounter{bodyFunc(func([]byte) (int, error) {
					panic("body")
				}), &closed}}
			})
			var p any
			func() {
				defer func() { p = recover() }()
				resp, err := client.Transport().RoundTrip(rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/x", http.NoBody)))
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				_, _ = io.ReadAll(resp.Body)
			}()
			if p != "body" || closed != 1 {
				t.Errorf("the caller gets %v, the body is closed %d times", p, closed)
			}
		})
	}
}
