package suite_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// vnet is a network inside the process: whatever address a transport dials
// exists, and every byte that arrives there is kept. Addresses are
// "https://host:port" or "http://host:port"; https ones are plain pipes too,
// because who may see a request is decided before TLS.
type vnet struct {
	handle func(address string, w http.ResponseWriter, r *http.Request)

	mu       sync.Mutex
	received map[string]*bytes.Buffer
	dials    map[string]int
	conns    chan net.Conn
	done     chan struct{}
	server   *http.Server
}

// newVnet serves every address with handle until the test ends.
func newVnet(tb testing.TB, handle func(address string, w http.ResponseWriter, r *http.Request)) *vnet {
	n := &vnet{
		handle: handle, received: map[string]*bytes.Buffer{}, dials: map[string]int{},
		conns: make(chan net.Conn), done: make(chan struct{}),
	}
	n.server = &http.Server{
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, vnetKey{}, c.(*vnetConn).address)
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n.handle(r.Context().Value(vnetKey{}).(string), w, r)
		}),
		ReadHeaderTimeout: time.Hour,
	}
	go func() { _ = n.server.Serve(vnetListener{n}) }()
	tb.Cleanup(n.close)
	return n
}

type vnetKey struct{}

func (n *vnet) close() {
	select {
	case <-n.done:
	default:
		close(n.done)
	}
	_ = n.server.Close()
}

// transport is net/http's own, dialing into the network.
func (n *vnet) transport(tb testing.TB) *http.Transport {
	t := &http.Transport{
		DialContext:        func(_ context.Context, _, addr string) (net.Conn, error) { return n.dial("http://" + addr) },
		DialTLSContext:     func(_ context.Context, _, addr string) (net.Conn, error) { return n.dial("https://" + addr) },
		DisableCompression: true,
	}
	tb.Cleanup(t.CloseIdleConnections)
	return t
}

func (n *vnet) dial(address string) (net.Conn, error) {
	address = strings.Map(func(r rune) rune { // ASCII only: other letters make another host
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, address)
	client, server := net.Pipe()
	n.mu.Lock()
	n.dials[address]++
	if n.received[address] == nil {
		n.received[address] = new(bytes.Buffer)
	}
	n.mu.Unlock()
	select {
	case n.conns <- &vnetConn{Conn: server, net: n, address: address}:
		return client, nil
	case <-n.done:
		return nil, errors.New("the network is closed")
	}
}

// others gives what arrived anywhere but at home, and how often it was dialed.
func (n *vnet) others(home string) (dials int, received []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for address, count := range n.dials {
		if address != home {
			dials += count
			received = append(received, address+"\n"...)
			received = append(received, n.received[address].Bytes()...)
		}
	}
	return dials, received
}

// vnetConn is the server's end.
type vnetConn struct {
	net.Conn
	net     *vnet
	address string
}

func (c *vnetConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.net.mu.Lock()
	c.net.received[c.address].Write(p[:n])
	c.net.mu.Unlock()
	return n, err
}

type vnetListener struct{ n *vnet }

func (l vnetListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.n.conns:
		return c, nil
	case <-l.n.done:
		return nil, net.ErrClosed
	}
}

func (l vnetListener) Close() error { return nil }
func (vnetListener) Addr() net.Addr { return &net.UnixAddr{Name: "vnet"} }

// mustClient is NewClient for a configuration that is right.
func mustClient(tb testing.TB, cfg jobboard.Config) *jobboard.Client {
	tb.Helper()
	c, err := jobboard.NewClient(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}
