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

// Connections keeps the number of a transport's connections at or below the number of exchanges.
// net/http dials as soon as no connection is idle, and keeps the new connection even if the request
// has meanwhile got another. With many callers a quarter of the connections would be superfluous.
// The zero value is ready.
type Connections struct {
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu     sync.Mutex
	wanted int            // exchanges under way
	open   map[string]int // connections by address, including unfinished dials
	held   []*dial        // dials that wait for room
}

// dial follows a connection from DialContext to Close. It counts as open all this time, with one
// exception. If its exchange ends without a connection, such as at a caller's deadline, the dial
// stops counting, because a hanging dial or handshake would keep other exchanges from dialing. It
// counts again when a request gets the connection.
type dial struct {
	address string
	begin   chan struct{} // closed when the dial may begin or is not needed
	counts  bool
	given   bool // a request has been given the connection
	closed  bool
}

// If as many connections are open as exchanges run, a connection is about to become idle, and a
// request waits for it instead of dialing: at most holdDial, and at most an eighth of its
// exchange's time. After that the open connections seem broken, and the request dials.
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

// proxy tells the exchange of a request whether it goes through a proxy. An open connection to a
// proxy may be a tunnel to another host, so the exchange does not wait for it.
func proxy(req *http.Request) (*url.URL, error) {
	address, err := http.ProxyFromEnvironment(req)
	if x, ok := req.Context().Value(exchangeKey{}).(*Exchange); ok && address != nil {
		x.proxied.Store(true)
	}
	return address, err
}

// reserve waits until d may begin, and counts d. It returns false if the exchange needs no
// connection any more.
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
			return true // letBegin has counted d
		}
		if x.hasConn.Load() || x.dialsEnded || ctx.Err() != nil {
			return false
		}
	}
	c.count(d)
	return true
}

// hold waits until d.begin is closed, and no longer than longest. It unlocks c.mu meanwhile.
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

// end reports that an exchange needs no connection any more.
func (c *Connections) end(x *Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted--
	x.dialsEnded = true
	for _, d := range x.dials {
		if !x.hasConn.Load() && !d.given { // the connection of a served exchange will soon be idle
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

// given reports that a request has got a connection.
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

// closed reports that a connection has ended or a dial has failed.
func (c *Connections) closed(d *dial) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d.closed = true
	c.discount(d)
	c.letBegin()
}

// letBegin starts waiting dials, as long as connections are fewer than exchanges.
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

// countedConn is a connection that tells Connections when it is closed.
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
