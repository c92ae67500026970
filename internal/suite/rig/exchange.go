package rig

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

type connKey struct{}

// Server is a server whose Close waits for its connections.
type Server struct {
	http.Server

	served sync.WaitGroup // connections that no handler took over
}

// Close closes the server and returns when it serves no connection any more. In a bubble
// time stands still once the test returns, and net/http keeps a connection half a second
// longer whose request it has not read to the end: that one would never end.
func (s *Server) Close() error {
	err := s.Server.Close()
	s.served.Wait()
	return err
}

func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.served.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.served.Done()
	}
}

// Serve serves l with handle until the server is closed.
func Serve(l net.Listener, handle func(*Exchange)) *Server {
	server := NewServer(handle)
	go func() { _ = server.Serve(l) }()
	return server
}

// NewServer returns a server that says nothing and never loses patience.
func NewServer(handle func(*Exchange)) *Server {
	s := &Server{Server: http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, _ := r.Context().Value(connKey{}).(net.Conn)
			address := conn.LocalAddr().String()
			own := connOf(conn)
			if own != nil {
				address = own.address
			}
			handle(&Exchange{w, r, address, own})
		}),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		ReadHeaderTimeout: time.Hour,
	}}
	s.ConnState = s.count
	return s
}

// Exchange is a request that waits for its answer.
type Exchange struct {
	http.ResponseWriter

	Request *http.Request
	Address string // that was dialed
	conn    *Conn  // nil: none of a Net
}

// Answer sends a whole answer. An empty kind is no Content-Type; header holds
// names and values in turn.
func (x *Exchange) Answer(status int, kind, body string, header ...string) {
	for i := 0; i+1 < len(header); i += 2 {
		x.Header().Set(header[i], header[i+1])
	}
	if kind != "" {
		x.Header().Set("Content-Type", kind)
	}
	x.WriteHeader(status)
	_, _ = io.WriteString(x, body)
}

// Hijack takes the connection over.
func (x *Exchange) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return x.ResponseWriter.(http.Hijacker).Hijack()
}

// take takes the connection over and writes to it.
func (x *Exchange) take(parts []string) net.Conn {
	c, _, err := x.Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(c, strings.Join(parts, ""))
	return c
}

// Raw answers with bytes, and ends the connection.
func (x *Exchange) Raw(parts ...string) { _ = x.take(parts).Close() }

// Reset answers with bytes, and resets the connection.
func (x *Exchange) Reset(parts ...string) {
	switch c := x.take(parts).(type) {
	case *Conn:
		_ = c.Reset()
	case *net.TCPConn:
		_ = c.SetLinger(0) // a reset, not an end
		_ = c.Close()
	default:
		panic(fmt.Sprintf("a %T cannot be reset", c))
	}
}

// End closes the connection, which over HTTP/2 ends all its requests.
func (x *Exchange) End() { _ = x.conn.Close() }

// Break resets the connection, or over HTTP/2 this request alone.
func (x *Exchange) Break() {
	if x.Request.ProtoMajor == 2 {
		panic(http.ErrAbortHandler)
	}
	_ = x.conn.Reset()
}

// Stall answers with bytes, and then with nothing more until the client leaves.
func (x *Exchange) Stall(parts ...string) {
	c := x.take(parts)
	_, _ = io.Copy(io.Discard, c)
	_ = c.Close()
}

// Endless repeats a part until the client leaves.
func (x *Exchange) Endless(first, part string) {
	c := x.take([]string{first})
	defer c.Close()
	var err error
	for b := []byte(part); err == nil; {
		_, err = c.Write(b)
	}
}

// Drip sends a part every so often until the client leaves.
func (x *Exchange) Drip(first, part string, every time.Duration) {
	c := x.take([]string{first})
	defer c.Close()
	var err error
	for err == nil {
		_ = c.SetReadDeadline(time.Now().Add(every))
		if _, left := c.Read(make([]byte, 1)); !errors.Is(left, os.ErrDeadlineExceeded) {
			return
		}
		_, err = io.WriteString(c, part)
	}
}

// Run serves a new network of its own until stop is called. The transport
// dials into it as Net.Transport does.
func Run(handle func(*Exchange)) (n *Net, transport *http.Transport, stop func()) {
	n = NewNet()
	server, transport := Serve(n, handle), n.Transport()
	return n, transport, func() {
		transport.CloseIdleConnections()
		_ = server.Close()
	}
}
