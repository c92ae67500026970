package jobmirror_test

import (
	"net"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy stands between processes and their server. It passes bytes on until it
// is told to refuse or to cut connections, or to hold bytes back.
type proxy struct {
	listener net.Listener
	target   string
	begin    sync.Once // serves
	accepted atomic.Int64
	refusing atomic.Bool
	// sees, if not nil, is called for each direction of a connection. The function that it returns
	// gets all bytes before they are passed on, unless it is nil.
	sees func(toServer bool) func(bytes []byte)

	mu    sync.Mutex
	conns map[net.Conn]bool
	held  chan struct{} // closed: bytes pass
}

// newProxy stands before what listens at a port of this machine.
func newProxy(t *testing.T, port int) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target := "127.0.0.1:" + strconv.Itoa(port)
	p := &proxy{listener: listener, target: target, conns: map[net.Conn]bool{}, held: make(chan struct{})}
	close(p.held)
	t.Cleanup(func() {
		listener.Close()
		p.cut()
	})
	return p
}

// address is a database's address through the proxy, which serves from now on.
func (p *proxy) address(t *testing.T, database string) string {
	t.Helper()
	p.begin.Do(func() { go p.serve() })
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = p.listener.Addr().String()
	return u.String()
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.accepted.Add(1)
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			client.Close()
			continue
		}
		if p.refusing.Load() {
			client.Close()
			server.Close()
			continue
		}
		p.mu.Lock()
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		go p.pass(server, client, true)
		go p.pass(client, server, false)
	}
}

func (p *proxy) pass(to, from net.Conn, toServer bool) {
	buffer := make([]byte, 32<<10)
	var see func([]byte)
	if p.sees != nil {
		see = p.sees(toServer)
	}
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		held := p.held
		p.mu.Unlock()
		<-held
		if n > 0 && see != nil {
			see(buffer[:n])
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	p.mu.Lock()
	delete(p.conns, to)
	delete(p.conns, from)
	p.mu.Unlock()
	to.Close()
	from.Close()
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		conn.Close()
	}
}

// refuse cuts all connections, and lets no others begin until mend is called.
func (p *proxy) refuse() (mend func()) {
	p.refusing.Store(true)
	p.cut()
	return func() { p.refusing.Store(false) }
}

// stall holds all bytes back, of new connections too, until the returned
// function is called.
func (p *proxy) stall() (resume func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := make(chan struct{})
	p.held = held
	return func() { close(held) }
}

// open returns the number of connections, of clients and to the server.
func (p *proxy) open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}
