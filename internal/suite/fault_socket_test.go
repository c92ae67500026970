package suite_test

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// socketFaults are the rows that need the kernel's connections, TLS over
// them, HTTP/2, or the library's own transport. They run in real time, with
// short waits.
func socketFaults() []fault {
	reset := []faultVariant{
		{name: "reset", serve: func(x *faultExchange) { x.reset() }},
		{name: "end", serve: func(x *faultExchange) { x.raw() }},
	}
	over := func(configure func(*faultRig), variants ...faultVariant) (all []faultVariant) {
		for _, v := range variants {
			own := v.configure
			v.configure = func(r *faultRig) {
				configure(r)
				if own != nil {
					own(r)
				}
			}
			all = append(all, v)
		}
		return all
	}
	abort := func(parts ...string) func(*faultExchange) {
		return func(x *faultExchange) {
			for _, p := range parts {
				_, _ = io.WriteString(x, p)
				_ = http.NewResponseController(x.ResponseWriter).Flush()
			}
			panic(http.ErrAbortHandler)
		}
	}
	var garbage []faultVariant
	for _, f := range connectionFaults() {
		if f.row == "7" {
			garbage = f.variants
		}
	}
	return []fault{
		//                                                             S | A | P | J | + | C | D
		{row: "1", name: "name does not exist, says a name server", dials: true, cells: "1 transport | = | = | = | = | = | =", variants: []faultVariant{
			{name: "that answers", configure: deafNames},
		}},
		{row: "2", name: "connection refused", dials: true, cells: "R transport | = | = | = | R transport | = | =", variants: []faultVariant{
			{name: "by the kernel", configure: closedPorts},
		}},
		{row: "4", name: "a certificate nobody knows", dials: true, cells: "1 transport | = | = | = | = | = | =", variants: []faultVariant{
			{name: "unknown CA", configure: withCertificate(unknownCertificate)},
			{name: "expired", configure: withCertificate(expiredCertificate)},
			{name: "wrong host", configure: withCertificate(wrongHostCertificate)},
			{name: "TLS 1.1", configure: func(r *faultRig) {
				withCertificate(trustedCertificate)(r)
				r.tls.MinVersion, r.tls.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
			}},
			{name: "no TLS", configure: func(r *faultRig) {
				withCertificate(trustedCertificate)(r)
				r.tls = nil
			}},
		}},
		{row: "5", name: "reset before the first byte of the answer", cells: "R transport | = | = | = | 1 transport*, not idempotent | R transport* | =", variants: reset},
		{
			row: "5", name: "reset before the first byte of the answer, over TLS", cells: "R transport | = | = | = | 1 transport*, not idempotent | R transport* | =", variants: over(
				withCertificate(trustedCertificate), faultVariant{name: "end", serve: func(x *faultExchange) { x.raw() }}),
		},
		{
			row: "5", name: "stream reset before the answer, HTTP/2", oneConn: true, cells: "R transport | = | = | = | 1 transport*, not idempotent | R transport* | =", variants: over(
				overHTTP2, faultVariant{name: "of a stream", serve: abort()}),
		},
		{row: "7", name: "garbage, met by the library's own transport", cells: "1 transport | = | = | = | 1 transport* | = | =", variants: over(ownTransport, garbage...)},
		{row: "10", name: "reset in the middle of the body", cells: "R transport | = | = | = | 1 transport* | = | =", variants: []faultVariant{
			{name: "by the kernel", status: 200, serve: func(x *faultExchange) {
				x.reset("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", x.half(10))
			}},
		}},
		{
			row: "10", name: "stream reset in the middle of the body, HTTP/2", oneConn: true, cells: "R transport | = | = | = | 1 transport* | = | =", variants: over(
				overHTTP2, faultVariant{name: "of a stream", status: 200, serve: abort(" ", "\n ")}),
		},
		{
			row: "13", name: "401 that says the token expired, HTTP/2", oneConn: true, cells: "2 ok | = | = | = | = | = | =", variants: over(
				overHTTP2, faultVariant{name: "and the source renews", configure: renewingSource, serve: untilFresh("401_invalid_token.json")}),
		},
		{
			row: "23", name: "429, HTTP/2", oneConn: true, cells: "R ErrRateLimited | = | = | = | R ErrRateLimited | = | =", variants: over(
				overHTTP2, faultVariant{name: "429", status: 429, serve: answerWith(429, "text/plain", "slow down")}),
		},
		{
			row: "26", name: "503, HTTP/2", oneConn: true, cells: "R ErrServer | = | = | = | 1 ErrServer*, not idempotent | R ErrServer* | =", variants: over(
				overHTTP2, faultVariant{name: "503", status: 503, serve: answerWith(503, "text/html", "<html>down</html>")}),
		},
		{
			row: "31", name: "to the same origin, HTTP/2", many: true, oneConn: true, cells: "2 ok | = | = | = | 1 ErrRedirect | = | =", variants: over(
				overHTTP2, faultVariant{name: "307", status: 307, serve: func(x *faultExchange) {
					if x.n > 1 {
						x.good()
						return
					}
					x.Header().Set("Location", "https://"+x.r.Host+"/x")
					x.WriteHeader(307)
				}}),
		},
		{
			row: "32", name: "https to http", many: true, oneConn: true, cells: "1 ErrRedirect | = | = | = | 1 ErrRedirect | = | =", variants: over(
				withCertificate(trustedCertificate), faultVariant{name: "302", status: 302, serve: func(x *faultExchange) {
					x.Header().Set("Location", "http://"+x.r.Host+"/x")
					x.WriteHeader(302)
				}}),
		},
	}
}

// TestFaultMatrixSockets is the part of the table that virtual time has not.
func TestFaultMatrixSockets(t *testing.T) {
	start := time.Now()
	cells := 0
	for _, f := range socketFaults() {
		row, err := parseFaultRow(f.cells)
		if err != nil {
			t.Fatalf("row %s, %s: %v", f.row, f.name, err)
		}
		t.Run(f.row+" "+f.name, func(t *testing.T) {
			for i := range f.variants {
				v := &f.variants[i]
				for j, op := range faultOps {
					cell := op.cell(row)
					cells++
					for _, problem := range runSocketFault(&f, v, op, cell, i+j) {
						name := f.row + " " + f.name + "/" + v.name + "/" + op.label
						if reason, pending := pendingFault(name); pending {
							t.Logf("%s does not hold yet (%s): %s", name, reason, problem)
							continue
						}
						t.Errorf("%s, %s: %s", v.name, op.label, problem)
					}
				}
			}
		})
	}
	t.Logf("figure: fault matrix: %d cells by form of the fault and operation over sockets, in %v", cells, time.Since(start).Round(time.Millisecond))
}

func runSocketFault(f *fault, v *faultVariant, op *faultOp, cell faultCell, index int) (problems []string) {
	for _, faulty := range []int{-1, 1} {
		// A fault of the address or its certificate stays.
		if faulty > 0 && (!cell.repeated || v.serve == nil) {
			continue
		}
		r := newFaultRig(f, v, op, index)
		r.faulty = faulty
		r.runSockets(cell)
		problems = append(problems, r.problems...)
	}
	return problems
}

// runSockets is a cell over loopback. No goroutine may be left.
func (r *faultRig) runSockets(cell faultCell) {
	base := runtime.NumGoroutine()
	r.release = make(chan struct{})
	r.cfg.Retry.MinWait, r.cfg.Retry.MaxWait = time.Millisecond, 2*time.Millisecond
	listeners := make([]net.Listener, 2)
	for i := range listeners {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			r.problem("%v", err)
			return
		}
		listeners[i] = l
	}
	r.cfg.BaseURL = "http://" + listeners[0].Addr().String() + "/pre/fix"
	r.cfg.JobDBURL = "http://" + listeners[1].Addr().String() + "/db"
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	r.transport.DialContext = r.countDials(dialer.DialContext)
	if r.variant.configure != nil {
		r.variant.configure(r)
	}

	server := &http.Server{
		Handler: r, TLSConfig: r.tls, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, faultAddressKey{}, c.LocalAddr().String())
		},
	}
	var serving sync.WaitGroup
	for _, l := range listeners {
		serving.Go(func() {
			if r.tls != nil {
				_ = server.ServeTLS(l, "", "")
				return
			}
			_ = server.Serve(l)
		})
	}
	r.callOnce(context.Background(), cell)
	r.transport.CloseIdleConnections()
	close(r.release)
	_ = server.Close()
	for _, l := range listeners {
		_ = l.Close()
	}
	serving.Wait()
	// The library's own transport keeps idle connections; the server has
	// closed them.
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > base; {
		if time.Now().After(deadline) {
			buf := make([]byte, 64<<10)
			r.problem("%d goroutines were %d: %s", runtime.NumGoroutine(), base, buf[:runtime.Stack(buf, true)])
			return
		}
		runtime.Gosched()
	}
}

func (r *faultRig) countDials(dial func(ctx context.Context, network, address string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		r.net.mu.Lock()
		r.net.dials = append(r.net.dials, faultDial{address, time.Now()})
		r.net.mu.Unlock()
		return dial(ctx, network, address)
	}
}

// ownTransport is what a Client has if nothing is said.
func ownTransport(r *faultRig) { r.cfg.HTTPClient = nil }

func withCertificate(kind faultCertificate) func(*faultRig) {
	return func(r *faultRig) {
		r.cfg.BaseURL = strings.Replace(r.cfg.BaseURL, "http:", "https:", 1)
		r.cfg.JobDBURL = strings.Replace(r.cfg.JobDBURL, "http:", "https:", 1)
		r.transport.TLSClientConfig = &tls.Config{RootCAs: faultCA().pool}
		r.tls = &tls.Config{Certificates: []tls.Certificate{faultCA().certs[kind]}, NextProtos: []string{"http/1.1"}}
	}
}

func overHTTP2(r *faultRig) {
	withCertificate(trustedCertificate)(r)
	r.tls.NextProtos = []string{"h2"}
	r.transport.ForceAttemptHTTP2 = true
	r.http2 = true
}

// closedPorts are two that nobody listens on any more.
func closedPorts(r *faultRig) {
	for _, address := range []*string{&r.cfg.BaseURL, &r.cfg.JobDBURL} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			r.problem("%v", err)
			return
		}
		*address = "http://" + l.Addr().String()
		_ = l.Close()
	}
}

// deafNames asks a name server of its own, which knows no name.
func deafNames(r *faultRig) {
	r.cfg.BaseURL, r.cfg.JobDBURL = "https://jobs.invalid:443/pre/fix", "https://lookup.invalid:443/db"
	dialer := &net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go answerNoSuchName(server)
		return client, nil
	}}}
	r.transport.DialContext = r.countDials(dialer.DialContext)
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

// TestFaultSocketsAreRows: what runs over sockets is in the table as well.
func TestFaultSocketsAreRows(t *testing.T) {
	var rows []string
	for _, f := range faultTable() {
		rows = append(rows, f.row)
	}
	for _, f := range socketFaults() {
		if !slices.Contains(rows, f.row) {
			t.Errorf("row %s is not in the table", f.row)
		}
	}
}
