package suite_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// faultNet is a network in memory that can fail like one of wires: every
// address exists unless dial says otherwise, a peer can end or reset a
// connection, and a connection can be dead without anybody having been told.
type faultNet struct {
	dial   func(ctx context.Context, n int, address string) (net.Conn, error) // nil, or nil and nil: connects
	secure map[string]*tls.Config                                             // addresses that speak TLS

	accept chan net.Conn
	closed chan struct{}

	mu      sync.Mutex
	dials   []faultDial
	conns   []*faultConn
	open    int
	maxOpen int
}

type faultDial struct {
	address string
	at      time.Time
}

var (
	errFaultReset   = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	errFaultPipe    = &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
	errFaultRefused = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
)

// start makes the net usable in the bubble that calls it.
func (n *faultNet) start() { n.accept, n.closed = make(chan net.Conn), make(chan struct{}) }

// DialContext is a transport's.
func (n *faultNet) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	n.dials = append(n.dials, faultDial{address, time.Now()})
	number := len(n.dials)
	n.mu.Unlock()
	if n.dial != nil {
		if c, err := n.dial(ctx, number, address); c != nil || err != nil {
			return c, err
		}
	}
	client, server := n.connect(address)
	var accepted net.Conn = server
	if config := n.secure[address]; config != nil {
		accepted = tls.Server(server, config)
	}
	select {
	case n.accept <- accepted:
		return client, nil
	case <-n.closed:
		_ = client.Close()
		return nil, errFaultRefused
	}
}

// connect makes a connection that no server knows of yet.
func (n *faultNet) connect(address string) (client, server *faultConn) {
	up, down := newFaultPipe(), newFaultPipe()
	client = &faultConn{net: n, address: address, in: down, out: up}
	server = &faultConn{address: address, in: up, out: down}
	client.peer, server.peer = server, client
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = append(n.conns, client)
	n.open++
	n.maxOpen = max(n.maxOpen, n.open)
	return client, server
}

// hangUp ends every open connection from the other side.
func (n *faultNet) hangUp() {
	for _, c := range n.clients() {
		_ = c.peer.Close()
	}
}

// forget lets every open connection die in such a way that its client learns
// of it only from what it writes next.
func (n *faultNet) forget() {
	for _, c := range n.clients() {
		c.out.swallow(func() { c.in.end(errFaultReset) })
	}
}

func (n *faultNet) clients() []*faultConn {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]*faultConn(nil), n.conns...)
}

// bytesRead is what all clients have read.
func (n *faultNet) bytesRead() (sum int64) {
	for _, c := range n.clients() {
		sum += c.read.Load()
	}
	return sum
}

func (n *faultNet) state() (dials []faultDial, open, maxOpen int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]faultDial(nil), n.dials...), n.open, n.maxOpen
}

// Accept, Close and Addr make it the listener of an http.Server.
func (n *faultNet) Accept() (net.Conn, error) {
	select {
	case c := <-n.accept:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *faultNet) Close() error {
	select {
	case <-n.closed:
	default:
		close(n.closed)
	}
	return nil
}

func (n *faultNet) Addr() net.Addr { return faultAddr("memory") }

type faultAddr string

func (faultAddr) Network() string  { return "memory" }
func (a faultAddr) String() string { return string(a) }

// faultConn is one end of a connection.
type faultConn struct {
	net     *faultNet // nil at the server's end
	address string
	peer    *faultConn
	in, out *faultPipe
	once    sync.Once
	read    atomic.Int64
}

func (c *faultConn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	c.read.Add(int64(n))
	return n, err
}

func (c *faultConn) Write(p []byte) (int, error) { return c.out.write(p) }

func (c *faultConn) Close() error { return c.close(io.EOF) }

// Reset closes with a reset.
func (c *faultConn) Reset() error { return c.close(errFaultReset) }

func (c *faultConn) close(told error) error {
	c.once.Do(func() {
		c.out.end(told)
		c.in.leave()
		if c.net != nil {
			c.net.mu.Lock()
			c.net.open--
			c.net.mu.Unlock()
		}
	})
	return nil
}

func (c *faultConn) LocalAddr() net.Addr  { return faultAddr("client") }
func (c *faultConn) RemoteAddr() net.Addr { return faultAddr(c.address) }

func (c *faultConn) SetDeadline(t time.Time) error {
	c.in.limitRead(t)
	c.out.limitWrite(t)
	return nil
}

func (c *faultConn) SetReadDeadline(t time.Time) error {
	c.in.limitRead(t)
	return nil
}

func (c *faultConn) SetWriteDeadline(t time.Time) error {
	c.out.limitWrite(t)
	return nil
}

// faultConnOf finds the connection under TLS, too.
func faultConnOf(c net.Conn) *faultConn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	f, _ := c.(*faultConn)
	return f
}

// faultPipe is one direction, with a buffer as the kernel has one: who writes
// and who reads need not meet.
type faultPipe struct {
	mu         sync.Mutex
	changed    *sync.Cond
	buffer     []byte
	head       int    // where the unread part of buffer begins
	ended      error  // what the reader is told after the buffer; nil: still open
	left       bool   // the reader is gone
	swallowed  func() // what happens at the next write, which goes nowhere
	readLimit  faultLimit
	writeLimit faultLimit
}

type faultLimit struct {
	at    time.Time
	timer *time.Timer
}

func (l *faultLimit) over() bool { return !l.at.IsZero() && !time.Now().Before(l.at) }

const faultPipeSize = 64 << 10

func newFaultPipe() *faultPipe {
	p := &faultPipe{buffer: make([]byte, 0, 4<<10)}
	p.changed = sync.NewCond(&p.mu)
	return p
}

func (p *faultPipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.left:
			return 0, net.ErrClosed
		case p.readLimit.over():
			return 0, os.ErrDeadlineExceeded
		case len(p.buffer) > p.head:
			n := copy(b, p.buffer[p.head:])
			if p.head += n; p.head == len(p.buffer) {
				p.buffer, p.head = p.buffer[:0], 0
			}
			p.changed.Broadcast()
			return n, nil
		case p.ended != nil:
			return 0, p.ended
		}
		p.changed.Wait()
	}
}

func (p *faultPipe) write(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(b) > 0 {
		switch {
		case p.swallowed != nil:
			go p.swallowed()
			return n + len(b), nil
		case p.ended != nil:
			return n, net.ErrClosed
		case p.left:
			return n, errFaultPipe
		case p.writeLimit.over():
			return n, os.ErrDeadlineExceeded
		case len(p.buffer) == faultPipeSize: // until all of it is read
			p.changed.Wait()
			continue
		}
		part := b[:min(len(b), faultPipeSize-len(p.buffer))]
		p.buffer = append(p.buffer, part...)
		b = b[len(part):]
		n += len(part)
		p.changed.Broadcast()
	}
	return n, nil
}

// end is the writer's.
func (p *faultPipe) end(told error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended == nil {
		p.ended = told
	}
	p.changed.Broadcast()
}

// leave is the reader's.
func (p *faultPipe) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = true
	p.changed.Broadcast()
}

func (p *faultPipe) swallow(next func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.swallowed = sync.OnceFunc(next)
}

func (p *faultPipe) limitRead(t time.Time)  { p.limit(&p.readLimit, t) }
func (p *faultPipe) limitWrite(t time.Time) { p.limit(&p.writeLimit, t) }

func (p *faultPipe) limit(l *faultLimit, t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	l.at = t
	if !t.IsZero() {
		l.timer = time.AfterFunc(time.Until(t), func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.changed.Broadcast()
		})
	}
	p.changed.Broadcast()
}
