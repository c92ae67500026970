package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// toServer returns the limits of [Standard] with a server behind pipes in the
// place of the network.
func toServer(settings *tls.Config, serve func(net.Conn)) *http.Transport {
	transport := Standard(settings)
	transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go serve(server)
		return client, nil
	}
	return transport
}

func fetch(t *testing.T, transport *http.Transport, url string) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := transport.RoundTrip(req)
	if err == nil {
		rs.Body.Close()
	}
	return err
}

// A server that says nothing while the connection is encrypted is given up after
// five seconds.
func TestHandshakeTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := toServer(nil, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
		start := time.Now()
		err := fetch(t, transport, "https://jobs.example/")
		if took := time.Since(start); err == nil || took != 5*time.Second {
			t.Errorf("%v after %v, want an error after 5 s", err, took)
		}
	})
}

// HTTP/2 is not offered to a server, whatever the settings of TLS.
func TestOffersNoHTTP2(t *testing.T) {
	for _, settings := range []*tls.Config{nil, {}, {NextProtos: []string{"http/1.1"}}} {
		offered := make(chan []string, 1)
		transport := toServer(settings, func(conn net.Conn) {
			_ = tls.Server(conn, &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
				offered <- hello.SupportedProtos
				return nil, errors.New("that is all")
			}}).Handshake()
			conn.Close()
		})
		if err := fetch(t, transport, "https://jobs.example/"); err == nil {
			t.Error("no error")
		}
		if got := <-offered; slices.Contains(got, "h2") {
			t.Errorf("it offers %q", got)
		}
	}
}

// A connection that nobody uses is closed after a minute.
func TestIdleTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Time, 1)
		transport := toServer(nil, func(conn net.Conn) {
			buf := make([]byte, 4<<10)
			_, _ = conn.Read(buf)
			_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
			_, _ = conn.Read(buf)
			ended <- time.Now()
		})
		start := time.Now()
		if err := fetch(t, transport, "http://jobs.example/"); err != nil {
			t.Fatal(err)
		}
		if took := (<-ended).Sub(start); took != time.Minute {
			t.Errorf("it is closed after %v, want 1 min", took)
		}
	})
}

// The header of an answer may take 256 KiB and not more.
func TestHeaderLimit(t *testing.T) {
	const limit = 256 << 10
	for size, want := range map[int]bool{limit: true, limit + 1: false} {
		synctest.Test(t, func(t *testing.T) {
			transport := toServer(nil, func(conn net.Conn) {
				_, _ = conn.Read(make([]byte, 4<<10))
				const begin, end = "HTTP/1.1 204 No Content\r\nConnection: close\r\nX: ", "\r\n\r\n"
				_, _ = io.WriteString(conn, begin+strings.Repeat("x", size-len(begin+end))+end)
				conn.Close()
			})
			if err := fetch(t, transport, "http://jobs.example/"); (err == nil) != want {
				t.Errorf("%d bytes: %.200v", size, err)
			}
		})
	}
}
