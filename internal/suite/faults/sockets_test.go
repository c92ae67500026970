package faults_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// socketFaults are the rows that need the kernel's connections, TLS over
// them, HTTP/2, or the library's own transport. They run in real time, with
// short waits.
func socketFaults() []fault {
	end := form{name: "end", serve: raw("")}
	redirect := every(requests(2)).but(changing, final(jobboard.ErrRedirect))
	all := []fault{
		{
			name: "name does not exist, says a name server", dials: true, cells: every(final(jobboard.ErrTransport)),
			forms: []form{{name: "that answers", configure: deafNames}},
		},
		{name: "connection refused", dials: true, unsent: true, cells: every(repeated(jobboard.ErrTransport)), forms: []form{
			{name: "by the kernel", configure: closedPorts},
		}},
		{
			name: "a certificate nobody knows", dials: true, cells: every(final(jobboard.ErrTransport)),
			forms: untrusted(),
		},
		{name: "reset before the first byte of the answer", cells: lost, forms: []form{
			end, {name: "reset", serve: func(x *exchange) { x.Reset() }},
		}},
		{
			name: "reset before the first byte of the answer, over TLS", cells: lost,
			forms: []form{{name: "end", configure: overTLS(trustedCertificate), serve: end.serve}},
		},
		{name: "garbage where an answer belongs, met by the library's own transport", cells: garbled, forms: garbage()},
		{name: "reset in the middle of the body", status: 200, cells: cutOff, forms: []form{
			{name: "by the kernel", serve: func(x *exchange) { x.Reset(ofLength(1000), x.half(10)) }},
		}},
		{
			name: "a redirect from https to http", status: 302, many: true, oneConn: true,
			cells: every(final(jobboard.ErrRedirect)),
			forms: []form{
				{
					name: "302", configure: overTLS(trustedCertificate),
					serve: to(-1, func(x *exchange) string { return "http://" + x.Request.Host + "/x" }),
				},
			},
		},
	}
	for i := range all[5].forms {
		all[5].forms[i].configure = func(t *trial) { t.cfg.HTTPClient = nil } // what a Client has if nothing is said
	}
	http2 := []fault{
		{name: "stream reset before the answer", cells: lost, forms: []form{{serve: abort()}}},
		{
			name: "stream reset in the middle of the body", status: 200, cells: cutOff,
			forms: []form{{serve: abort(" ", "\n ")}},
		},
		{name: "401 that says the token expired", cells: every(requests(2)), forms: []form{
			{configure: renewingSource, serve: untilFresh("401_invalid_token.json")},
		}},
		{
			name: "429", status: 429, cells: every(repeated(jobboard.ErrRateLimited)),
			forms: bodies(text, "slow down"),
		},
		{name: "503", status: 503, cells: down, forms: bodies(page, "<html>down</html>")},
		{name: "a redirect to the same origin", status: 307, many: true, cells: redirect, forms: []form{
			{serve: to(1, func(x *exchange) string { return "https://" + x.Request.Host + "/x" })},
		}},
	}
	for _, f := range http2 {
		f.name += ", HTTP/2"
		f.oneConn = true
		own := f.forms[0].configure
		f.forms[0].configure = func(t *trial) {
			overHTTP2(t)
			if own != nil {
				own(t)
			}
		}
		all = append(all, f)
	}
	return all
}

// abort ends a stream after parts of the body.
func abort(parts ...string) func(*exchange) {
	return func(x *exchange) {
		for _, p := range parts {
			_, _ = io.WriteString(x, p)
			_ = http.NewResponseController(x.ResponseWriter).Flush()
		}
		panic(http.ErrAbortHandler)
	}
}

// TestFaultMatrixSockets is the part of the table that virtual time has not.
func TestFaultMatrixSockets(t *testing.T) {
	start := time.Now()
	runs := int64(0)
	for _, f := range socketFaults() {
		t.Run(f.name, func(t *testing.T) {
			for i := range f.forms {
				for j, op := range rig.Operations {
					runs += trials(t, &f, &f.forms[i], op, i+j, (*trial).runSockets)
				}
			}
		})
	}
	t.Logf("figure: fault matrix: %d runs over sockets, in %v", runs, time.Since(start).Round(time.Millisecond))
}

// runSockets is a cell over loopback. No goroutine may be left.
func (t *trial) runSockets(c cell) []string {
	base := runtime.NumGoroutine()
	t.cfg.Retry.MinWait, t.cfg.Retry.MaxWait = time.Millisecond, 2*time.Millisecond
	listeners := []net.Listener{rig.Must(net.Listen("tcp", "127.0.0.1:0")), rig.Must(net.Listen("tcp", "127.0.0.1:0"))}
	t.cfg.BaseURL = "http://" + listeners[0].Addr().String() + "/pre/fix"
	t.cfg.JobDBURL = "http://" + listeners[1].Addr().String() + "/db"
	t.dialWith(&net.Dialer{Timeout: 5 * time.Second})
	if t.form.configure != nil {
		t.form.configure(t)
	}
	server := rig.NewServer(t.serve)
	server.TLSConfig = t.tls
	var serving sync.WaitGroup
	for _, l := range listeners {
		serving.Go(func() {
			if t.tls != nil {
				_ = server.ServeTLS(l, "", "")
				return
			}
			_ = server.Serve(l)
		})
	}
	t.once(context.Background(), c)
	t.transport.CloseIdleConnections()
	close(t.release)
	_ = server.Close()
	for _, l := range listeners {
		_ = l.Close()
	}
	serving.Wait()
	// The library's own transport keeps idle connections; the server has
	// closed them.
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > base; runtime.Gosched() {
		if time.Now().After(deadline) {
			buf := make([]byte, 64<<10)
			t.problem("%d goroutines were %d: %s", runtime.NumGoroutine(), base, buf[:runtime.Stack(buf, true)])
			break
		}
	}
	return t.problems
}

func (t *trial) dialWith(d *net.Dialer) {
	t.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		t.net.NoteDial(address)
		return d.DialContext(ctx, network, address)
	}
}

func overHTTP2(t *trial) {
	overTLS(trustedCertificate)(t)
	t.tls.NextProtos = []string{"h2"}
	t.transport.ForceAttemptHTTP2 = true
	t.http2 = true
}

// closedPorts are two that nobody listens on any more.
func closedPorts(t *trial) {
	for _, address := range []*string{&t.cfg.BaseURL, &t.cfg.JobDBURL} {
		l := rig.Must(net.Listen("tcp", "127.0.0.1:0"))
		*address = "http://" + l.Addr().String()
		_ = l.Close()
	}
}

// deafNames asks a name server of its own, which knows no name.
func deafNames(t *trial) {
	t.cfg.BaseURL, t.cfg.JobDBURL = "https://jobs.invalid:443/pre/fix", "https://lookup.invalid:443/db"
	t.dialWith(
		&net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go answerNoSuchName(server)
			return client, nil
		}}},
	)
}

// answerNoSuchName is a name server over a stream: each message has its
// length in front.
func answerNoSuchName(c net.Conn) {
	defer c.Close()
	for {
		var length [2]byte
		if _, err := io.ReadFull(c, length[:]); err != nil {
			return
		}
		message := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(c, message); err != nil || len(message) < 12 {
			return
		}
		// The question alone, as an answer that says NXDOMAIN.
		end := 12
		for end < len(message) && message[end] != 0 {
			end += int(message[end]) + 1
		}
		end = min(end+5, len(message))
		reply := append([]byte(nil), message[:end]...)
		copy(reply[2:], []byte{0x81, 0x83, 0, 1, 0, 0, 0, 0, 0, 0})
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...)); err != nil {
			return
		}
	}
}
