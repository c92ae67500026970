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
	held   []*dial        // wait for a connection to end, or to become idle for the request
}

// dial follows a connection from the request for it to its end. It counts as
// open in between, except after its exchange ended without a connection, such as
// at a caller's deadline: a dial or a handshake that hangs would keep all others
// from dialing. It counts again once a request is given the connection.
type dial struct {
	address string
	begin   chan struct{} // closed when it need not be held any more
	counts  bool
	given   bool // a request has been given the connection
	closed  bool
}

// A request waits for a connection that is open and not in use, which is about to
// become idle, for at most holdDial, and at most an eighth of the time of its
// exchange. Beyond it something is wrong with them, and the request dials.
const holdDial = time.Second

var errUnneeded = errors.New("the request needs no other connection")

// DialContext dials as soon as there are fewer connections than exchanges.
func (c *Connections) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	d := &dial{address: address, begin: make(chan struct{})}
	if !c.reserve(ctx, d) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errUnneeded}
	}
	conn, err := c.Dial(ctx, network, address)
	if err != nil {
		c.closed(d)
		return nil, err
	}
	return &countedConn{Conn: conn, connections: c, dial: d}, nil
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

// reserve waits until d may begin, and counts it. It returns false if nobody
// needs d any more.
func (c *Connections) reserve(ctx context.Context, d *dial) bool {
	x, _ := ctx.Value(exchangeKey{}).(*Exchange)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case x == nil:
	case x.dialsEnded:
		return false
	default:
		x.dials = append(x.dials, d)
		if x.proxied.Load() || c.open[d.address] < c.wanted {
			break
		}
		c.hold(ctx, d, x.dialHold)
		if d.counts {
			return true // there was room
		}
		if x.hasConn.Load() || x.dialsEnded || ctx.Err() != nil {
			return false
		}
	}
	c.count(d)
	return true
}

// hold waits until d need not be held any more, and no longer than the given
// time. Meanwhile it unlocks c.mu.
func (c *Connections) hold(ctx context.Context, d *dial, longest time.Duration) {
	c.held = append(c.held, d)
	c.mu.Unlock()
	timer := time.NewTimer(longest)
	defer timer.Stop()
	select {
	case <-d.begin:
	case <-timer.C:
	case <-ctx.Done():
	}
	c.mu.Lock()
	c.held = slices.DeleteFunc(c.held, func(held *dial) bool { return held == d })
}

func (c *Connections) count(d *dial) {
	if c.open == nil {
		c.open = map[string]int{}
	}
	c.open[d.address]++
	d.counts = true
}

func (c *Connections) discount(d *dial) {
	if d.counts {
		c.open[d.address]--
		d.counts = false
	}
}

// begin counts an exchange that needs a connection.
func (c *Connections) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted++
	c.letBegin()
}

// end tells that an exchange needs no connection any more.
func (c *Connections) end(x *Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted--
	x.dialsEnded = true
	for _, d := range x.dials {
		if !x.hasConn.Load() && !d.given { // the connection of a served one is soon idle
			c.discount(d)
		}
		if i := slices.Index(c.held, d); i >= 0 {
			c.held = slices.Delete(c.held, i, i+1)
			close(d.begin)
		}
	}
	x.dials = nil
	c.letBegin()
}

// given tells that a request has been given a connection.
func (c *Connections) given(conn net.Conn) {
	for {
		switch layer := conn.(type) {
		case *countedConn:
			c.mu.Lock()
			defer c.mu.Unlock()
			if d := layer.dial; !d.given && !d.closed {
				d.given = true
				if !d.counts {
					c.count(d)
				}
			}
			return
		case interface{ NetConn() net.Conn }: // TLS
			conn = layer.NetConn()
		default:
			return
		}
	}
}

// closed tells that a connection has ended, or that none could be made.
func (c *Connections) closed(d *dial) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d.closed = true
	c.discount(d)
	c.letBegin()
}

// letBegin lets the dials begin for which there is room now.
func (c *Connections) letBegin() {
	c.held = slices.DeleteFunc(c.held, func(d *dial) bool {
		if c.open[d.address] >= c.wanted {
			return false
		}
		c.count(d)
		close(d.begin)
		return true
	})
}

// countedConn is a connection that counts until it is closed.
type countedConn struct {
	net.Conn
	connections *Connections
	dial        *dial
}

func (c *countedConn) Close() error {
	err := c.Conn.Close()
	c.connections.closed(c.dial)
	return err
}
