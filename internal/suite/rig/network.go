package rig

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Net is a network in memory that can fail like one of wires. Every address exists unless Dial says
// otherwise, a peer can end or reset a connection, and a connection can be dead without anybody
// having been told. Every byte that arrives somewhere is kept. Net is the net.Listener of one
// server, which gets the connections to all addresses.
//
// For a test in a synctest bubble, call NewNet inside the bubble.
type Net struct {
	// Dial decides about the n-th connection, from 1; nil, or nil and nil: it is made.
	Dial func(ctx context.Context, n int, address string) (net.Conn, error)
	// Secure are the addresses that speak TLS.
	Secure map[string]*tls.Config

	accept chan net.Conn

	mu      sync.Mutex
	closed  chan struct{} // nobody listens
	dials   []Dialed
	conns   []*Conn
	open    int
	maxOpen int
}

// Dialed is one connection that somebody wanted.
type Dialed struct {
	Address string
	At      time.Time
}

// The kernel's errors for a connection that is reset or refused.
var (
	ErrReset   = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	ErrRefused = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	errPipe    = &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
)

// NewNet returns a network without connections.
func NewNet() *Net { return &Net{accept: make(chan net.Conn), closed: make(chan struct{})} }

// Transport returns net/http's own transport, dialing into the network. Its
// addresses are "http://host:port" and "https://host:port"; the latter are
// plain too, because who may see a request is decided before TLS.
func (n *Net) Transport() *http.Transport {
	dial := func(scheme string) func(context.Context, string, string) (net.Conn, error) {
		return func(ctx context.Context, network, address string) (net.Conn, error) {
			return n.DialContext(ctx, network, scheme+"://"+strings.Map(lowerASCII, address))
		}
	}
	return &http.Transport{DialContext: dial("http"), DialTLSContext: dial("https"), DisableCompression: true}
}

// lowerASCII lowers no other letter: those make another host.
func lowerASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// DialContext implements http.Transport's function of that name.
func (n *Net) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	number := n.NoteDial(address)
	if n.Dial != nil {
		if c, err := n.Dial(ctx, number, address); c != nil || err != nil {
			return c, err
		}
	}
	client, server := n.Connect(address)
	var accepted net.Conn = server
	if config := n.Secure[address]; config != nil {
		accepted = tls.Server(server, config)
	}
	select {
	case n.accept <- accepted:
		return client, nil
	case <-n.listening():
		_ = client.Close()
		return nil, ErrRefused
	}
}

func (n *Net) listening() chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.closed
}

// NoteDial counts a connection that is made elsewhere and returns its number.
func (n *Net) NoteDial(address string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dials = append(n.dials, Dialed{address, time.Now()})
	return len(n.dials)
}

// Connect makes a connection that no server knows of yet.
func (n *Net) Connect(address string) (client, server *Conn) {
	up, down := newPipe(), newPipe()
	client = &Conn{net: n, address: address, in: down, out: up}
	server = &Conn{address: address, in: up, out: down, keep: true}
	client.peer, server.peer = server, client
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = append(n.conns, client)
	n.open++
	n.maxOpen = max(n.maxOpen, n.open)
	return client, server
}

// HangUp ends every open connection from the other side.
func (n *Net) HangUp() {
	for _, c := range n.clients() {
		_ = c.peer.Close()
	}
}

// ResetAll resets every open connection from the other side.
func (n *Net) ResetAll() {
	for _, c := range n.clients() {
		_ = c.peer.Reset()
	}
}

// Forget lets every open connection die in such a way that its client learns
// of it only from what it writes next.
func (n *Net) Forget() {
	for _, c := range n.clients() {
		c.out.swallow(func() { c.in.end(ErrReset) })
	}
}

func (n *Net) clients() []*Conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]*Conn(nil), n.conns...)
}

// BytesRead returns what all clients have read.
func (n *Net) BytesRead() (sum int64) {
	for _, c := range n.clients() {
		sum += c.read.Load()
	}
	return sum
}

// State returns the connections that were wanted, how many are open, and how
// many were at most.
func (n *Net) State() (dials []Dialed, open, maxOpen int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]Dialed(nil), n.dials...), n.open, n.maxOpen
}

// Elsewhere returns how often anything but home was dialed, and what arrived there.
func (n *Net) Elsewhere(home string) (dials int, received []byte) {
	for _, c := range n.clients() {
		if c.address != home {
			dials++
			received = append(append(received, c.address+"\n"...), c.peer.arrived()...)
		}
	}
	return dials, received
}

// Accept implements net.Listener.
func (n *Net) Accept() (net.Conn, error) {
	select {
	case c := <-n.accept:
		return c, nil
	case <-n.listening():
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener: whoever dials from now on is refused.
func (n *Net) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case <-n.closed:
	default:
		close(n.closed)
	}
	return nil
}

// Reopen lets another server listen where one has closed.
func (n *Net) Reopen() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = make(chan struct{})
}

// Addr implements net.Listener.
func (n *Net) Addr() net.Addr { return addr("memory") }

type addr string

func (addr) Network() string  { return "memory" }
func (a addr) String() string { return string(a) }

// Conn is one end of a connection.
type Conn struct {
	net     *Net // nil at the server's end
	address string
	peer    *Conn
	in, out *pipe
	once    sync.Once
	read    atomic.Int64

	keep     bool // what is read
	mu       sync.Mutex
	received bytes.Buffer
}

// Address returns what was dialed.
func (c *Conn) Address() string { return c.address }

func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	c.read.Add(int64(n))
	if c.keep {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.received.Write(p[:n])
	}
	return n, err
}

func (c *Conn) arrived() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.received.Bytes())
}

func (c *Conn) Write(p []byte) (int, error) { return c.out.write(p) }

// Close ends the connection: its peer reads io.EOF.
func (c *Conn) Close() error { return c.close(io.EOF) }

// Reset ends the connection: its peer reads ErrReset.
func (c *Conn) Reset() error { return c.close(ErrReset) }

func (c *Conn) close(told error) error {
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

// LocalAddr returns no address of use.
func (c *Conn) LocalAddr() net.Addr { return addr("client") }

// RemoteAddr returns what was dialed.
func (c *Conn) RemoteAddr() net.Addr { return addr(c.address) }

// SetDeadline bounds reading and writing.
func (c *Conn) SetDeadline(t time.Time) error {
	c.in.limit(&c.in.readLimit, t)
	c.out.limit(&c.out.writeLimit, t)
	return nil
}

// SetReadDeadline bounds reading.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.in.limit(&c.in.readLimit, t)
	return nil
}

// SetWriteDeadline bounds writing.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.out.limit(&c.out.writeLimit, t)
	return nil
}

// connOf finds the connection under TLS, too.
func connOf(c net.Conn) *Conn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	own, _ := c.(*Conn)
	return own
}

// pipe is one direction of a connection, with a buffer like a kernel's, so that writes do not wait
// for reads.
type pipe struct {
	mu         sync.Mutex
	changed    *sync.Cond
	buffer     []byte
	head       int    // where the unread part of buffer begins
	ended      error  // error of Read after the buffer; nil: still open
	left       bool   // the reader has closed its end
	reset      bool   // left, and the writer gets a reset
	swallowed  func() // called at the next write, whose bytes are dropped
	readLimit  limit
	writeLimit limit
}

type limit struct {
	at    time.Time
	timer *time.Timer
}

func (l *limit) over() bool { return !l.at.IsZero() && !time.Now().Before(l.at) }

const pipeSize = 64 << 10

func newPipe() *pipe {
	p := &pipe{buffer: make([]byte, 0, 4<<10)}
	p.changed = sync.NewCond(&p.mu)
	return p
}

func (p *pipe) read(b []byte) (int, error) {
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

func (p *pipe) write(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(b) > 0 {
		switch {
		case p.swallowed != nil:
			go p.swallowed()
			return n + len(b), nil
		case p.ended != nil:
			return n, net.ErrClosed
		case p.left && p.reset:
			return n, errPipe
		case p.left: // the kernel takes what is written until the peer's reset comes
			p.reset = true
			return n + len(b), nil
		case p.writeLimit.over():
			return n, os.ErrDeadlineExceeded
		case len(p.buffer) == pipeSize: // until all of it is read
			p.changed.Wait()
			continue
		}
		part := b[:min(len(b), pipeSize-len(p.buffer))]
		p.buffer = append(p.buffer, part...)
		b = b[len(part):]
		n += len(part)
		p.changed.Broadcast()
	}
	return n, nil
}

// end closes the writer's side.
func (p *pipe) end(told error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended == nil {
		p.ended = told
	}
	p.changed.Broadcast()
}

// leave closes the reader's side.
func (p *pipe) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = true
	p.changed.Broadcast()
}

func (p *pipe) swallow(next func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.swallowed = sync.OnceFunc(next)
}

func (p *pipe) limit(l *limit, t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	l.at = t
	// A deadline that has passed needs no timer: the broadcast below wakes who
	// waits. net/http sets such deadlines, far in the past, to break off a read.
	if in := time.Until(t); !t.IsZero() && in > 0 {
		l.timer = time.AfterFunc(in, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.changed.Broadcast()
		})
	}
	p.changed.Broadcast()
}
