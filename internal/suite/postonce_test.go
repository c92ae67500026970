package suite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// lostAnswers are the ways in which the answer to a request that arrived gets
// lost, or says that the service failed.
var lostAnswers = []struct {
	name string
	lose func(conn net.Conn, done <-chan struct{})
}{
	{"closed at once", func(net.Conn, <-chan struct{}) {}},
	{"closed after a while", func(_ net.Conn, done <-chan struct{}) { pause(done, 3*time.Second) }},
	{"silence", func(_ net.Conn, done <-chan struct{}) { pause(done, time.Hour) }},
	{"half a status line", say("HTTP/1.1 20")},
	{"garbage", say("\x16\x03\x01 garbage\r\n\r\n")},
	{"half the headers", say("HTTP/1.1 200 OK\r\nContent-Type: appl")},
	{"no body", say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")},
	{"half a body", say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"a\"")},
	{"half a chunk", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a")},
	{"a body that stalls", func(conn net.Conn, done <-chan struct{}) {
		say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"a\"")(conn, done)
		pause(done, time.Hour)
	}},
	{"informational, then closed", say("HTTP/1.1 103 Early Hints\r\n\r\n")},
	{"500", say("HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n")},
	{"502", say("HTTP/1.1 502 x\r\nContent-Length: 0\r\n\r\n")},
	{"503", say("HTTP/1.1 503 x\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n")},
	{"504", say("HTTP/1.1 504 x\r\nContent-Length: 0\r\n\r\n")},
	{"501", say("HTTP/1.1 501 x\r\nContent-Length: 0\r\n\r\n")},
	{"half a 503", say("HTTP/1.1 503 x\r\nContent-Length: 10\r\n\r\nxx")},
	{"408", say("HTTP/1.1 408 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")},
	{"425", say("HTTP/1.1 425 x\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n")},
	{"307", say("HTTP/1.1 307 x\r\nContent-Length: 0\r\nLocation: /elsewhere\r\n\r\n")},
	{"308 to itself", say("HTTP/1.1 308 x\r\nContent-Length: 0\r\nLocation: /jobabo\r\n\r\n")},
	{"a page", say("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>")},
	{"broken gzip", say("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope")},
	{"an answer, and then the connection goes", say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")},
}

func say(text string) func(net.Conn, <-chan struct{}) {
	return func(conn net.Conn, _ <-chan struct{}) { _, _ = io.WriteString(conn, text) }
}

func pause(done <-chan struct{}, d time.Duration) {
	select {
	case <-done:
	case <-time.After(d):
	}
}

// A POST is sent once: of 10 000 whose answer is lost, the service sees each
// exactly once.
func TestPostIsSentOnce(t *testing.T) {
	callers, each := 100, 180
	if raceDetector || testing.Short() {
		callers = 20
	}
	for _, holder := range []string{"Basic", "renewing"} {
		synctest.Test(t, func(t *testing.T) {
			done := make(chan struct{})
			var mu sync.Mutex
			seen := map[string]int{}
			var wg sync.WaitGroup
			serve := func(conn net.Conn) {
				defer conn.Close()
				r := bufio.NewReader(conn)
				for {
					req, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					body, err := io.ReadAll(req.Body)
					if err != nil {
						return
					}
					mu.Lock()
					seen[string(body)]++
					n := seen[string(body)]
					mu.Unlock()
					var caller, call int
					if _, err := fmt.Sscanf(string(body), "[%d,%d]", &caller, &call); err != nil {
						t.Errorf("body %q", body)
						return
					}
					if n > 1 { // a second one would even work
						say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")(conn, done)
						continue
					}
					if call%3 == 1 { // some connections are used before they fail
						say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnull")(conn, done)
						continue
					}
					lostAnswers[(caller+call)%len(lostAnswers)].lose(conn, done)
					return
				}
			}
			transport := &http.Transport{
				DisableCompression: true, MaxIdleConnsPerHost: callers,
				DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
					client, server := net.Pipe()
					wg.Go(func() { serve(server) })
					wg.Go(func() {
						<-done
						_ = server.Close()
					})
					return client, nil
				},
			}
			cfg := secretConfigs()[holder]
			cfg.BaseURL, cfg.JobDBURL = "https://api.example", "https://jobs.example"
			cfg.HTTPClient = &http.Client{Transport: transport}
			cfg.Retry.Budget = -1 // no budget that could hide a repeat
			c := mustClient(t, cfg)
			var ok, lost, unclear atomic.Int64
			var calls sync.WaitGroup
			for caller := range callers {
				calls.Go(func() {
					for call := range each {
						_, err := c.Subscribe(t.Context(), jobboard.SubscriptionRequest{Body: []int{caller, call}})
						var e *jobboard.Error
						switch {
						case err == nil:
							ok.Add(1)
						case !errors.As(err, &e):
							t.Error(err)
						default:
							lost.Add(1)
							if e.MayHaveExecuted {
								unclear.Add(1)
							}
							if e.Attempts != 1 {
								t.Errorf("%d attempts: %v", e.Attempts, err)
							}
						}
					}
				})
			}
			calls.Wait()
			close(done)
			transport.CloseIdleConnections()
			wg.Wait()
			twice, never := 0, 0
			for caller := range callers {
				for call := range each {
					switch n := seen[fmt.Sprintf("[%d,%d]", caller, call)]; {
					case n > 1:
						twice++
					case n == 0:
						never++
					}
				}
			}
			t.Logf("figure: POST once, %s: %d calls, %d answered, %d lost (%d unclear): %d seen twice, %d never",
				holder, callers*each, ok.Load(), lost.Load(), unclear.Load(), twice, never)
			if twice != 0 {
				t.Errorf("%d calls were seen more than once", twice)
			}
			// A connection that the service closed while it was idle may cost
			// a call that never arrives; no more than that.
			if never > callers*each/10 {
				t.Errorf("%d calls never arrived", never)
			}
			if lost.Load() < int64(callers*each)/2 || unclear.Load() == 0 {
				t.Errorf("only %d answers were lost, %d unclear: the test proves little", lost.Load(), unclear.Load())
			}
		})
	}
}
