package jobboardtest

import (
	"context"
	"net"
	"slices"
	"sync"
	"syscall"
)

// pipes are the listeners inside the process that a client reaches.
type pipes []*pipeListener

// dial refuses what is not an address of this server, and never leaves the
// process.
func (p pipes) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	refused := &net.OpError{Op: "dial", Net: network, Addr: pipeAddr(addr), Err: syscall.ECONNREFUSED}
	i := slices.IndexFunc(p, func(l *pipeListener) bool { return l.addr == pipeAddr(addr) })
	if i < 0 {
		return nil, refused
	}
	l := p[i]
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, refused
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: network, Addr: pipeAddr(addr), Err: ctx.Err()}
	}
}

type pipeListener struct {
	addr  pipeAddr
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipeListener(addr pipeAddr) *pipeListener {
	return &pipeListener{addr: addr, conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return l.addr }

type pipeAddr string

func (pipeAddr) Network() string  { return "tcp" }
func (a pipeAddr) String() string { return string(a) }
