// Package inprocess carries HTTP inside the process: over connections in memory, or
// by calling a handler as a connection would.
package inprocess

import (
	"context"
	"net"
	"slices"
	"sync"
	"syscall"
)

// Network holds the only listeners that its Dial reaches.
type Network []*Listener

// Dial connects to the listener of an address. It refuses any other address, and
// never leaves the process.
func (n Network) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	refused := &net.OpError{Op: "dial", Net: network, Addr: Addr(addr), Err: syscall.ECONNREFUSED}
	i := slices.IndexFunc(n, func(l *Listener) bool { return l.addr == Addr(addr) })
	if i < 0 {
		return nil, refused
	}
	l := n[i]
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, refused
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: network, Addr: Addr(addr), Err: ctx.Err()}
	}
}

// Listener accepts the connections of one address.
type Listener struct {
	addr  Addr
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

// Listen returns the listener for an address such as "127.0.0.1:1".
func Listen(addr string) *Listener {
	return &Listener{addr: Addr(addr), conns: make(chan net.Conn), done: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr implements net.Listener.
func (l *Listener) Addr() net.Addr { return l.addr }

// Addr is an address inside the process.
type Addr string

// Network implements net.Addr.
func (Addr) Network() string { return "tcp" }

// String implements net.Addr.
func (a Addr) String() string { return string(a) }
