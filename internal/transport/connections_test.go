package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// With n requests at once there are never many more than n connections, also
// while dialing is slow, fails at times, and the server closes connections.
func TestConnectionsAreBounded(t *testing.T) {
	const callers, requests = 64, 20
	var open, most, served atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if served.Add(1)%50 == 0 {
			w.Header().Set("Connection", "close")
		}
		_, _ = io.WriteString(w, "answer")
	}))
	server.Start()
	defer server.Close()

	transport, connections := Standard()
	defer transport.CloseIdleConnections()
	dial := connections.Dial
	var dialed atomic.Int64
	connections.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dialed.Add(1)%10 == 0 {
			return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
		}
		pause := time.NewTimer(5 * time.Millisecond)
		defer pause.Stop()
		<-pause.C
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if now := open.Add(1); now > most.Load() {
			most.Store(now)
		}
		return &closeTold{Conn: conn, open: &open}, nil
	}

	var callersDone sync.WaitGroup
	var failed atomic.Int64
	for range callers {
		callersDone.Go(func() {
			for range requests {
				if err := get(transport, connections, server.URL); err != nil {
					failed.Add(1)
				}
			}
		})
	}
	callersDone.Wait()
	if failed.Load() > callers*requests/10 {
		t.Errorf("%d of %d requests failed", failed.Load(), callers*requests)
	}
	if most.Load() > callers+2 {
		t.Errorf("%d connections at one time for %d callers", most.Load(), callers)
	}
	// Dials that nobody needs any more end within holdDial.
	tick := time.NewTicker(holdDial / 4)
	defer tick.Stop()
	for range 100 {
		connections.mu.Lock()
		wanted, held := connections.wanted, len(connections.held)
		connections.mu.Unlock()
		if wanted == 0 && held == 0 {
			return
		}
		<-tick.C
	}
	t.Error("exchanges or dials are left")
}

type closeTold struct {
	net.Conn
	once sync.Once
	open *atomic.Int64
}

func (c *closeTold) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

func get(transport http.RoundTripper, connections *Connections, url string) error {
	x := Exchange{Connections: connections}
	x.Begin(context.Background(), Limits{End: time.Now().Add(30 * time.Second), Cause: errors.New("time-out"), Stall: 30 * time.Second}, true, false)
	defer func() { _ = x.Close() }()
	req, err := http.NewRequestWithContext(x.Context(), http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return err
	}
	x.Receive(resp, false)
	_, err = io.ReadAll(resp.Body)
	return err
}

// A request without a connection does not wait for ever for those that are
// open, not at all through a proxy, and a dial that nobody needs any more ends.
func TestHeldDials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		connections := &Connections{Dial: func(context.Context, string, string) (net.Conn, error) {
			conn, _ := net.Pipe()
			return conn, nil
		}}
		dial := func(what string, x *Exchange, want time.Duration, wantErr error) {
			t.Helper()
			start := time.Now()
			if _, err := connections.DialContext(x.Context(), "tcp", "host:443"); !errors.Is(err, wantErr) || time.Since(start) != want {
				t.Errorf("%s: %v after %v", what, err, time.Since(start))
			}
		}
		x := Exchange{Connections: connections}
		x.Begin(t.Context(), Limits{End: time.Now().Add(time.Minute), Cause: errors.New("time-out"), Stall: time.Minute}, true, false)
		defer func() { _ = x.Close() }()
		dial("the first", &x, 0, nil)
		dial("one more than there are exchanges", &x, holdDial, nil)
		x.proxied.Store(true)
		dial("through a proxy", &x, 0, nil)
		x.proxied.Store(false)
		x.connected(httptrace.GotConnInfo{})
		dial("of a request that is served", &x, holdDial, errUnneeded)
		err := x.Pause(func() error { return nil }, func(left time.Duration) Limits { return Limits{End: time.Now().Add(left)} })
		if err != nil {
			t.Fatal(err)
		}
		dial("of the request after a redirect", &x, holdDial, nil)
	})
}

// An exchange that begins lets one dial begin to each address, not to one alone.
func TestHeldDialsOfTwoAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Connections{Dial: func(context.Context, string, string) (net.Conn, error) { return new(net.TCPConn), nil }}
		first, second := Exchange{Connections: &c}, Exchange{Connections: &c}
		limits := Limits{End: time.Now().Add(time.Minute)}
		first.Begin(t.Context(), limits, false, false)
		defer func() { _ = first.Close() }()
		var dialing sync.WaitGroup
		start := time.Now()
		for range 2 { // the second of each is held
			for _, address := range []string{"one.example:443", "two.example:443"} {
				dialing.Go(func() { _, _ = c.DialContext(first.Context(), "tcp", address) })
			}
			synctest.Wait()
		}
		second.Begin(t.Context(), limits, false, false)
		defer func() { _ = second.Close() }()
		dialing.Wait()
		if took := time.Since(start); took != 0 {
			t.Errorf("a dial was held for %v", took)
		}
		for address, open := range c.open {
			if open != 2 {
				t.Errorf("%d connections to %s count", open, address)
			}
		}
	})
}

// A dial that failed does not count, even while its exchange, whose request was given
// another connection, goes on.
func TestFailedDialCountsNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("connection refused")
		connections := &Connections{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, refused }}
		limits := Limits{End: time.Now().Add(time.Minute)}
		first, second := Exchange{Connections: connections}, Exchange{Connections: connections}
		first.Begin(t.Context(), limits, true, false)
		defer func() { _ = first.Close() }()
		if _, err := connections.DialContext(first.Context(), "tcp", "host:443"); !errors.Is(err, refused) {
			t.Fatal(err)
		}
		first.connected(httptrace.GotConnInfo{}) // one that had become idle
		first.phase.Store(int32(Answered))
		second.Begin(t.Context(), limits, true, false)
		defer func() { _ = second.Close() }()
		for range 2 { // as many as there are exchanges
			start := time.Now()
			if _, err := connections.DialContext(second.Context(), "tcp", "host:443"); !errors.Is(err, refused) || time.Since(start) != 0 {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		}
	})
}

// An exchange is told that its request goes through a proxy. net/http reads the
// environment once, so the test has a process of its own.
func TestProxied(t *testing.T) {
	if os.Getenv("TEST_PROXIED") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxied$")
		cmd.Env = append(os.Environ(), "TEST_PROXIED=1", "HTTP_PROXY=http://proxy.example:3128", "NO_PROXY=direct.example")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for address, want := range map[string]bool{"http://jobs.example": true, "http://direct.example": false} {
		var x Exchange
		x.Begin(t.Context(), Limits{End: time.Now().Add(time.Minute), Cause: errors.New("time-out"), Stall: time.Minute}, true, false)
		req, err := http.NewRequestWithContext(x.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := proxy(req); err != nil || x.proxied.Load() != want {
			t.Errorf("%s: through a proxy: %v, %v", address, x.proxied.Load(), err)
		}
		_ = x.Close()
	}
}

// A connection that came too late for its request does not count, until another
// request is given it.
func TestLateConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		connections := &Connections{Dial: func(context.Context, string, string) (net.Conn, error) {
			conn, _ := net.Pipe()
			return conn, nil
		}}
		limits := Limits{End: time.Now().Add(time.Minute)}
		first, second := Exchange{Connections: connections}, Exchange{Connections: connections}
		first.Begin(t.Context(), limits, false, false)
		late, err := connections.DialContext(first.Context(), "tcp", "host:443")
		if err != nil {
			t.Fatal(err)
		}
		_ = first.Close()
		second.Begin(t.Context(), limits, false, false)
		defer func() { _ = second.Close() }()
		for _, want := range []int{0, 1} {
			if open := connections.open["host:443"]; open != want {
				t.Errorf("%d connections count, want %d", open, want)
			}
			second.connected(httptrace.GotConnInfo{Conn: tls.Client(late, &tls.Config{ServerName: "host"})})
		}
		_ = late.Close()
		if open := connections.open["host:443"]; open != 0 {
			t.Errorf("%d connections count after the last has ended", open)
		}
		if _, err := connections.DialContext(first.Context(), "tcp", "host:443"); !errors.Is(err, errUnneeded) {
			t.Errorf("an exchange that has ended dials: %v", err)
		}
	})
}
