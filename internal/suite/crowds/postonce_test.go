// Package crowds_test has many callers, many clients, or both: nothing is mixed
// up, nothing is done twice, and an outage multiplies nothing.
package crowds_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// lostAnswers are the ways in which the answer to a request that arrived gets
// lost, or says that the service failed.
var lostAnswers = []func(x *rig.Exchange){
	raw(""), stall(""), stall("HTTP/1.1 20"), raw("HTTP/1.1 20"), raw("\x16\x03\x01 garbage\r\n\r\n"),
	func(x *rig.Exchange) { <-time.After(3 * time.Second); x.Raw() }, func(x *rig.Exchange) { x.Reset() },
	raw("HTTP/1.1 200 OK\r\nContent-Type: appl"), raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"),
	raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"a\""),
	raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a"),
	stall("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"a\""),
	raw("HTTP/1.1 103 Early Hints\r\n\r\n"), // informational, then closed
	raw("HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n"), raw("HTTP/1.1 502 x\r\nContent-Length: 0\r\n\r\n"),
	raw("HTTP/1.1 503 x\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n"),
	raw("HTTP/1.1 504 x\r\nContent-Length: 0\r\n\r\n"), raw("HTTP/1.1 501 x\r\nContent-Length: 0\r\n\r\n"),
	raw("HTTP/1.1 503 x\r\nContent-Length: 10\r\n\r\nxx"),
	raw("HTTP/1.1 408 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
	raw("HTTP/1.1 425 x\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n"),
	raw("HTTP/1.1 307 x\r\nContent-Length: 0\r\nLocation: /elsewhere\r\n\r\n"),
	raw("HTTP/1.1 308 x\r\nContent-Length: 0\r\nLocation: /jobabo\r\n\r\n"), // to itself
	raw("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"),
	raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope"),
	raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), // and then the connection goes
}

func raw(text string) func(*rig.Exchange) { return func(x *rig.Exchange) { x.Raw(text) } }

func stall(text string) func(*rig.Exchange) { return func(x *rig.Exchange) { x.Stall(text) } }

// A POST is sent once: of thousands whose answer is lost, ten thousand in the whole
// tests, the service sees each exactly once.
func TestPostIsSentOnce(t *testing.T) {
	callers, each := 20, 180
	if testenv.Whole() && !rig.Race {
		callers = 100
	}
	for _, holder := range []string{"Basic", "renewing"} {
		synctest.Test(t, func(t *testing.T) {
			cfg := jobboard.Config{ClientID: "10"}
			if holder == "renewing" {
				cfg = jobboard.Config{TokenSource: rig.Renewing("token")}
			}
			var mu sync.Mutex
			seen := map[string]int{}
			_, transport, stop := rig.Run(func(x *rig.Exchange) {
				body, err := io.ReadAll(x.Request.Body)
				var caller, call int
				if _, scan := fmt.Sscanf(string(body), "[%d,%d]", &caller, &call); err != nil || scan != nil {
					t.Errorf("body %q, %v", body, err)
				}
				mu.Lock()
				seen[string(body)]++
				n := seen[string(body)]
				mu.Unlock()
				switch {
				case n > 1: // a second one would even work
					x.Answer(200, "", "{}")
				case call%3 == 1: // some connections are used before they fail
					x.Answer(200, "", "null")
				default:
					lostAnswers[(caller+call)%len(lostAnswers)](x)
				}
			})
			transport.MaxIdleConnsPerHost = callers
			cfg.BaseURL, cfg.JobDBURL = "https://api.example", "https://jobs.example"
			cfg.HTTPClient = &http.Client{Transport: transport}
			cfg.Retry.Budget = -1 // no budget that could hide a repeat
			c := rig.Client(t, cfg)
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
						case !errors.As(err, &e) || e.Attempts != 1:
							t.Errorf("more attempts than one: %v", err)
						case e.MayHaveExecuted:
							unclear.Add(1)
							fallthrough
						default:
							lost.Add(1)
						}
					}
				})
			}
			calls.Wait()
			stop()
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
