package transport

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Connections keeps the connections of a transport from becoming more than the
// exchanges that need one. net/http dials as soon as no connection is idle, and
// keeps the new one even where the request has got another in the meantime, so
// that many callers end with a quarter more connections than there are callers.
// The zero value is ready.
type Connections struct {
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu     sync.Mutex
	wanted int            // exchanges under way
	open   map[string]int // connections by address, those that are dialed included
	held   []heldDial
}

// heldDial is a dial that waits for a connection to end, or to become idle for
// the request.
type heldDial struct {
	address string
	begin   chan struct{}
}

// holdDial is how long a request waits for a connection that is open and not in
// use, which is about to become idle. Beyond it something is wrong with them,
// and the request dials.
const holdDial = time.Second

var errServed = errors.New("the request has got another connection")

// DialContext dials as soon as there are fewer connections than exchanges.
func (c *Connections) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if err := c.reserve(ctx, address); err != nil {
		return nil, err
	}
	conn, err := c.Dial(ctx, network, address)
	if err != nil {
		c.release(address)
		return nil, err
	}
	return &countedConn{Conn: conn, connections: c, address: address}, nil
}

// proxy tells the exchange of a request whether it goes through a proxy. There
// an open connection may be a tunnel to another host, and is not waited for.
func proxy(req *http.Request) (*url.URL, error) {
	address, err := http.ProxyFromEnvironment(req)
	if x, ok := req.Context().Value(exchangeKey{}).(*Exchange); ok && address != nil {
		x.proxied.Store(true)
	}
	return address, err
}

func (c *Connections) reserve(ctx context.Context, address string) error {
	x, _ := ctx.Value(exchangeKey{}).(*Exchange)
	c.mu.Lock()
	if x == nil || x.proxied.Load() || c.open[address] < c.wanted {
		c.count(address)
		c.mu.Unlock()
		return nil
	}
	held := heldDial{address, make(chan struct{})}
	c.held = append(c.held, held)
	c.mu.Unlock()
	timer := time.NewTimer(holdDial)
	defer timer.Stop()
	select {
	case <-held.begin: // counted by whoever let it begin
		return nil
	case <-timer.C:
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.held, held)
	if i < 0 {
		return nil // it was let begin at the same moment
	}
	c.held = slices.Delete(c.held, i, i+1)
	if x.served.Load() || ctx.Err() != nil {
		return &net.OpError{Op: "dial", Net: "tcp", Err: errServed}
	}
	c.count(address)
	return nil
}

func (c *Connections) count(address string) {
	if c.open == nil {
		c.open = map[string]int{}
	}
	c.open[address]++
}

// begin counts an exchange that needs a connection, and end one that does not
// any more.
func (c *Connections) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted++
	c.letBegin()
}

func (c *Connections) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted--
}

func (c *Connections) release(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[address]--
	c.letBegin()
}

// letBegin lets the dials begin for which there is room now.
func (c *Connections) letBegin() {
	c.held = slices.DeleteFunc(c.held, func(held heldDial) bool {
		if c.open[held.address] >= c.wanted {
			return false
		}
		c.count(held.address)
		close(held.begin)
		return true
	})
}

// countedConn is a connection that counts until it is closed.
type countedConn struct {
	net.Conn
	connections *Connections
	address     string
	once        sync.Once
}

func (c *countedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { c.connections.release(c.address) })
	return err
}
