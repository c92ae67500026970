package jobboardtest_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// memory is a listener inside the process: a server that takes it for one of
// sockets can be tested in virtual time.
type memory chan net.Conn

func (m memory) Accept() (net.Conn, error) {
	if conn, ok := <-m; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (m memory) Close() error { close(m); return nil }

func (m memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2), Port: 9} }

func (m memory) dial() net.Conn {
	client, server := net.Pipe()
	m <- server
	return client
}

// What a client does not send is waited for 30 s in the head of a request, five
// minutes in what a mounted handler reads and between two requests.
func TestSlowConnections(t *testing.T) {
	const complete = "GET /board/nowhere HTTP/1.1\r\nHost: x\r\n\r\n"
	for sent, want := range map[string]time.Duration{
		"":            30 * time.Second,
		complete[:30]: 30 * time.Second,
		complete:      300 * time.Second,
		"POST /board/own HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab": 300 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			base, jobDB := make(memory), make(memory)
			srv := jobboardtest.NewServer(jobboardtest.WithListeners(base, jobDB))
			defer srv.Close()
			srv.Inside().Mount("/own", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, err := io.ReadAll(r.Body)
				fmt.Fprint(w, err)
			}))
			began := time.Now()
			conn := base.dial()
			defer conn.Close()
			go func() { _, _ = io.WriteString(conn, sent) }()
			_, _ = io.Copy(io.Discard, conn)
			// Go 1.27 waits half a second more before it hangs up on who still sends.
			if took := time.Since(began); took.Truncate(time.Second) != want {
				t.Errorf("after %q it hangs up in %v, want %v", sent, took, want)
			}
		})
	}
}

// When Close returns the addresses are free, also of a server that has just begun.
func TestCloseFreesItsAddresses(t *testing.T) {
	base, jobDB := make(memory), make(memory)
	jobboardtest.NewServer(jobboardtest.WithListeners(base, jobDB)).Close()
	for _, l := range []memory{base, jobDB} {
		select {
		case <-l:
		default:
			t.Error("a listener is open still")
		}
	}
}

// An answer may take as long as its fault says, whoever waits for it.
func TestLongDelays(t *testing.T) {
	for _, request := range []string{
		"GET /board/nowhere HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /board/nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab",
	} {
		synctest.Test(t, func(t *testing.T) {
			base, jobDB := make(memory), make(memory)
			srv := jobboardtest.NewServer(jobboardtest.WithListeners(base, jobDB))
			defer srv.Close()
			if want := "http://127.0.0.2:9/board"; srv.BaseURL != want {
				t.Errorf("it is at %s, want %s", srv.BaseURL, want)
			}
			srv.Fail(jobboardtest.Fault{Delay: time.Hour})
			conn := base.dial()
			defer conn.Close()
			go func() { _, _ = io.WriteString(conn, request) }()
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("%.4s: %v", request, err)
			}
			defer res.Body.Close()
			if body, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(body), "section 4") {
				t.Errorf("%.4s: %s, %v", request, body, err)
			}
		})
	}
}
