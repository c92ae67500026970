package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptrace"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"
)

func op(name string, err error) error { return &net.OpError{Op: name, Net: "tcp", Err: err} }

// What a failure means depends on the phase it came in, and on its type.
func TestLoss(t *testing.T) {
	reset := op("read", os.NewSyscallError("read", syscall.ECONNRESET))
	garbage := errors.New(`malformed HTTP response "SSH-2.0"`)
	for _, test := range []struct {
		name  string
		err   error
		phase Phase
		want  Loss
	}{
		{"refused", op("dial", syscall.ECONNREFUSED), Unknown, Loss{Passing: true, Unsent: true}},
		{"a proxy that is refused", op("proxyconnect", op("dial", syscall.ECONNREFUSED)), Dialing, Loss{Passing: true, Unsent: true}},
		{"refused for a redirect's target", op("dial", syscall.ECONNREFUSED), Answered, Loss{Passing: true}},
		{"no such name", op("dial", &net.DNSError{IsNotFound: true}), Dialing, Loss{Unsent: true}},
		{"a slow name server", op("dial", &net.DNSError{IsTimeout: true}), Unknown, Loss{Passing: true, Unsent: true}},
		{"a dial that takes too long", op("dial", os.ErrDeadlineExceeded), Unknown, Loss{Passing: true, Unsent: true, Timeout: true}},
		{"a handshake cut off", io.EOF, Dialing, Loss{Passing: true, Unsent: true}},
		{"a handshake reset", reset, Dialing, Loss{Passing: true, Unsent: true}},
		{"a handshake that takes too long", context.DeadlineExceeded, Dialing, Loss{Passing: true, Unsent: true, Timeout: true}},
		{"an unknown CA", x509.UnknownAuthorityError{}, Dialing, Loss{Unsent: true}},
		{"a transport that tells nothing", reset, Unknown, Loss{Passing: true}},
		{"a transport that tells nothing", garbage, Unknown, Loss{}},
		{"anything before the answer", garbage, Sending, Loss{Passing: true}},
		{"no certificate of the client", op("remote error", tls.AlertError(116)), Sending, Loss{Unsent: true}},
		{"another alert", op("remote error", tls.AlertError(80)), Sending, Loss{Passing: true}},
		{"an alert of our own", op("local error", tls.AlertError(116)), Sending, Loss{Passing: true}},
		{"garbage in the answer", garbage, Answered, Loss{}},
		{"a reset in the answer", reset, Answered, Loss{Passing: true}},
		{"a broken pipe", op("write", syscall.EPIPE), Answered, Loss{Passing: true}},
		{"aborted", op("read", syscall.ECONNABORTED), Answered, Loss{Passing: true}},
		{"the end in the answer", io.ErrUnexpectedEOF, Answered, Loss{Passing: true}},
		{"a pipe's end", io.ErrClosedPipe, Answered, Loss{Passing: true}},
		{"an answer without a length", ErrCut, Answered, Loss{Passing: true}},
		{"a body that stalls", ErrStalled, Answered, Loss{Passing: true, Timeout: true}},
	} {
		var x Exchange
		x.phase.Store(int32(test.phase))
		for _, err := range []error{test.err, &url.Error{Op: "Get", URL: "https://x/?secret", Err: test.err}} {
			if got := x.Loss(err); got != test.want {
				t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
			}
		}
	}
	var x Exchange
	x.connected(httptrace.GotConnInfo{Conn: framedConn{}})
	x.phase.Store(int32(Answered))
	if got := x.Loss(garbage); got != (Loss{Passing: true}) {
		t.Errorf("garbage in an answer over HTTP/2: %+v", got)
	}
}

type framedConn struct{ net.Conn }

func (framedConn) ConnectionState() tls.ConnectionState {
	return tls.ConnectionState{NegotiatedProtocol: "h2"}
}

// A cause is handed out without foreign text, and still answers errors.Is and
// errors.As.
func TestSafeCause(t *testing.T) {
	refused := op("dial", os.NewSyscallError("connect", syscall.ECONNREFUSED))
	slow := &net.DNSError{Err: "i/o timeout", Name: "x", IsTimeout: true, UnwrapErr: context.DeadlineExceeded}
	plain := *slow
	plain.UnwrapErr = nil
	wrong := &tls.CertificateVerificationError{Err: x509.HostnameError{Host: "x", Certificate: &x509.Certificate{}}}
	foreign := func(err error) error { return fmt.Errorf("reading %q: %w", "a page", err) }
	for name, test := range map[string]struct{ err, want error }{
		"nothing known":           {errors.New("a page"), nil},
		"a plain end":             {io.EOF, io.EOF},
		"a plain early end":       {io.ErrUnexpectedEOF, io.ErrUnexpectedEOF},
		"a closed pipe":           {io.ErrClosedPipe, io.ErrClosedPipe},
		"a foreign closed pipe":   {foreign(io.ErrClosedPipe), nil},
		"canceled":                {context.Canceled, context.Canceled},
		"canceled elsewhere":      {foreign(context.Canceled), nil},
		"stalled":                 {ErrStalled, ErrStalled},
		"cut":                     {ErrCut, ErrCut},
		"plain":                   {refused, refused},
		"plain, with an address":  {&url.Error{Op: "Get", URL: "https://x/?secret", Err: refused}, refused},
		"an end":                  {foreign(io.EOF), io.EOF},
		"an early end":            {foreign(io.ErrUnexpectedEOF), io.ErrUnexpectedEOF},
		"a system's":              {foreign(refused), refused},
		"a number":                {foreign(syscall.EMFILE), syscall.EMFILE},
		"a certificate":           {foreign(wrong), wrong},
		"a name server":           {op("dial", &plain), op("dial", &plain)},
		"a name server's timeout": {op("dial", slow), &plain},
		"a foreign operation":     {op("read", foreign(syscall.EMFILE)), syscall.EMFILE},
	} {
		got := SafeCause(test.err)
		if fmt.Sprintf("%T %[1]v", got) != fmt.Sprintf("%T %[1]v", test.want) || errors.Is(got, context.DeadlineExceeded) {
			t.Errorf("%s: %T %[2]v, want %T %[3]v", name, got, test.want)
		}
	}
	if got := CauseText(&url.Error{Err: errors.New(`malformed HTTP response: "SSH-2.0"`)}); got != "malformed HTTP response" {
		t.Errorf("%q quotes the other side", got)
	}
	if got := SafeCause(context.DeadlineExceeded); got != context.DeadlineExceeded {
		t.Errorf("%v", got)
	}
	if got := CauseText(op("dial", &plain)); got != "dial tcp: lookup x: i/o timeout" {
		t.Errorf("%q", got)
	}
}

// A second connection over HTTP/2 ends an exchange, and so does one after a fresh
// one where net/http's own transport gives it; nothing else does.
func TestTurnedAway(t *testing.T) {
	framed, plain := httptrace.GotConnInfo{Conn: framedConn{}}, httptrace.GotConnInfo{}
	reused := httptrace.GotConnInfo{Reused: true}
	for _, test := range []struct {
		name          string
		own, safe     bool
		first, second httptrace.GotConnInfo
		want          Loss
	}{
		{"HTTP/2", true, false, framed, framed, Loss{Passing: true, Unsent: true}},
		{"HTTP/2 without TLS", true, false, plain, plain, Loss{Passing: true, Unsent: true}},
		{"an idle connection that was closed", true, false, reused, plain, Loss{}},
		{"a GET of a transport that may repeat by itself, HTTP/2", false, true, framed, framed, Loss{Passing: true}},
		{"its POST", false, false, framed, framed, Loss{}},
		{"its GET over HTTP/1.1", false, true, plain, plain, Loss{}},
	} {
		var x Exchange
		x.Begin(t.Context(), Limits{End: time.Now().Add(time.Minute)}, test.own, !test.safe)
		x.connected(test.first)
		x.connected(test.second)
		var got Loss
		if err := x.Cause(nil); err != nil {
			got = x.Loss(err)
		}
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
		_ = x.Close()
	}
	// A redirect's second request may be given another connection.
	x := Exchange{}
	x.Begin(t.Context(), Limits{End: time.Now().Add(time.Minute)}, true, false)
	defer func() { _ = x.Close() }()
	x.connected(framed)
	err := x.Pause(func() error { return nil }, func(left time.Duration) Limits { return Limits{End: time.Now().Add(left)} })
	x.connected(framed)
	if err != nil || x.Cause(nil) != nil {
		t.Errorf("a redirect's second request: %v, %v", err, x.Cause(nil))
	}
}
