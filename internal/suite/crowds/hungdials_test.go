package crowds_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

// hang is a dial that nobody answers until the dialer loses its patience.
func hang(ctx context.Context, _ *rig.Net, _ string) (net.Conn, error) {
	select {
	case <-time.After(5 * time.Second):
	case <-ctx.Done():
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded}
}

// hangHandshake connects to somebody who listens and says nothing.
func hangHandshake(_ context.Context, n *rig.Net, address string) (net.Conn, error) {
	client, server := n.Connect(address)
	go func() {
		_, _ = io.Copy(io.Discard, server)
		_ = server.Close()
	}()
	return client, nil
}

// hungDials describes callers with deadlines of 250 ms, some of whose dials hang.
type hungDials struct {
	callers int
	hangs   func(n int) bool // the n-th dial, from 1
	hang    func(context.Context, *rig.Net, string) (net.Conn, error)
	takes   time.Duration // an answer
	closes  int           // each such answer closes its connection; 0: none
}

// outcome tells what became of the calls.
type outcome struct {
	calls, failed int
	first         time.Duration // until the first success; the longest of some rounds
}

func (o *outcome) add(round outcome) {
	o.calls += round.calls
	o.failed += round.failed
	o.first = max(o.first, round.first)
}

// A dial or a handshake that hangs costs the call that waits for it, and no
// other: as many calls fail as with net/http alone, and none succeeds later.
func TestHungDials(t *testing.T) {
	certificate := httptest.NewTLSServer(nil)
	certificate.Close()
	first := func(most int) func(int) bool { return func(n int) bool { return n <= most } }
	each := func(other int) func(int) bool { return func(n int) bool { return n%other == 0 } }
	const brief = 20 * time.Millisecond
	for name, test := range map[string]struct {
		hungDials
		rounds int     // more than one where the order of the goroutines decides how many calls fail
		more   float64 // share of the calls that may fail beyond those of net/http, for the same reason
	}{
		"the first dial":                   {hungDials{1, first(1), hang, brief, 0}, 1, 0},
		"three dials":                      {hungDials{1, first(3), hang, brief, 0}, 1, 0},
		"the first handshake":              {hungDials{1, first(1), hangHandshake, brief, 0}, 1, 0},
		"three handshakes":                 {hungDials{1, first(3), hangHandshake, brief, 0}, 1, 0},
		"three dials of two callers":       {hungDials{2, first(3), hang, brief, 0}, 1, 0},
		"eight dials of eight callers":     {hungDials{8, first(8), hang, brief, 0}, 1, 0},
		"each other dial of two callers":   {hungDials{2, each(2), hang, brief, 5}, 1, 0.05},
		"each other dial of eight callers": {hungDials{8, each(2), hang, 5 * brief, 5}, 1, 0.05},
		"each third handshake of eight":    {hungDials{8, each(3), hangHandshake, 9 * brief, 5}, 5, 0.05},
	} {
		t.Run(name, func(t *testing.T) {
			var own, plain outcome
			for range test.rounds {
				synctest.Test(t, func(t *testing.T) { own.add(test.run(t, certificate, true)) })
				synctest.Test(t, func(t *testing.T) { plain.add(test.run(t, certificate, false)) })
			}
			t.Logf("figure: hung dials: %+v, with net/http alone %+v", own, plain)
			more := int(test.more * float64(own.calls))
			if own.failed > plain.failed+more || own.first > plain.first {
				t.Errorf("%+v, with net/http alone %+v", own, plain)
			}
		})
	}
}

// run makes the calls with the standard transport, whose dials are bounded or not.
func (h hungDials) run(t *testing.T, certificate *httptest.Server, bounded bool) (o outcome) {
	const address = "127.0.0.1:1"
	n := rig.NewNet()
	n.Secure = map[string]*tls.Config{address: {Certificates: certificate.TLS.Certificates}}
	n.Dial = func(ctx context.Context, number int, address string) (net.Conn, error) {
		if h.hangs(number) {
			return h.hang(ctx, n, address)
		}
		return nil, nil //nolint:nilnil // connects
	}
	var mu sync.Mutex
	answers := 0
	server := rig.Serve(n, func(x *rig.Exchange) {
		<-time.After(h.takes)
		mu.Lock()
		answers++
		last := h.closes > 0 && answers%h.closes == 0
		mu.Unlock()
		if last {
			x.Header().Set("Connection", "close")
		}
		x.Answer(200, "", "answer")
	})
	standard, connections := transport.Standard()
	standard.TLSClientConfig = certificate.Client().Transport.(*http.Transport).TLSClientConfig
	connections.Dial = n.DialContext
	if !bounded {
		standard.DialContext, connections = n.DialContext, nil
	}
	start := time.Now()
	var callers sync.WaitGroup
	for range h.callers {
		callers.Go(func() {
			for range 12 {
				err := exchange(standard, connections, "https://"+address+"/", 250*time.Millisecond)
				mu.Lock()
				o.calls++
				switch {
				case err != nil:
					o.failed++
				case o.first == 0:
					o.first = time.Since(start)
				}
				mu.Unlock()
			}
		})
	}
	callers.Wait()
	<-time.After(10 * time.Second)
	standard.CloseIdleConnections()
	_ = server.Close()
	return o
}

// exchange makes one request and reads its answer.
func exchange(next http.RoundTripper, connections *transport.Connections, url string, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	x := transport.Exchange{Connections: connections}
	x.Begin(ctx, transport.Limits{
		End: time.Now().Add(time.Minute), Cause: errors.New("time-out"), Stall: time.Minute,
	}, true, false)
	defer func() { _ = x.Close() }()
	req, err := http.NewRequestWithContext(x.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		return err
	}
	x.Receive(resp, false)
	_, err = io.ReadAll(resp.Body)
	return err
}
