// Package transport bounds one request and its answer. The caller sends the request itself, through
// any http.RoundTripper, with the context of an [Exchange], which ends the request at its time
// limits. A [Body] reads the answer up to a limit of bytes, and [Exchange.Loss] tells whether a
// lost request reached the service and whether another attempt may help. [Standard] makes the
// transport of a client whose configuration has none.
package transport

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/steady"
)

// Limits holds the time limits of one exchange.
type Limits struct {
	End   time.Time     // end of the exchange; for a stream, end of the wait for its headers
	Cause error         // error of the exchange after End
	Stall time.Duration // the longest wait for the next byte of a body; beyond it ErrStalled
}

// Phase names how far an exchange has come.
type Phase int32

// The phases. If a transport does not report to httptrace, such as a test's, the exchange stays
// Unknown.
const (
	Unknown  Phase = iota
	Dialing        // a connection was asked for; nothing was sent
	Sending        // the request was given a connection
	Answered       // the first byte of the answer is here
)

// Exchange tracks one request on the wire, from Begin to the end of its body.
// One timer enforces all its limits; a context deadline for each would cost
// more.
type Exchange struct {

	// Begin sets these.
	limits   Limits
	ctx      context.Context
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	trace    httptrace.ClientTrace
	standard bool // the transport is net/http's own
	readOnly bool // the requests change nothing at the service

	// How far the exchange is.
	state atomic.Int32
	phase atomic.Int32

	// The connection, which mu guards.
	mu        sync.Mutex
	hasConn   bool     // the request under way has a connection
	conn      net.Conn // the connection that the request got last
	connFresh bool     // conn carried no request before
	resent    bool     // net/http has sent the request once more, on conn

	// The body. Only its reader uses these.
	body      io.ReadCloser
	bodyEnded bool          // the whole body was read, so its connection can be reused
	bodyWait  time.Duration // how long reads waited for bytes
}

// The parts of an exchange. The timer bounds the current part.
const (
	toHeaders int32 = iota
	toEnd
	streaming
)

// Begin starts an exchange and its limits. If the transport certainly reports to httptrace
// (reports), the exchange begins in phase Dialing. For another transport fromDial asks httptrace
// for the beginning of the dial. Without both, only the type of an error shows that a failure came
// before the connection.
func (x *Exchange) Begin(ctx context.Context, limits Limits, reports, fromDial bool) {
	x.limits = limits
	x.ctx, x.cancel = context.WithCancelCause(ctx)
	x.timer = time.AfterFunc(time.Until(limits.End), x.expire)
	if x.standard, x.readOnly = reports, !fromDial; reports {
		x.phase.Store(int32(Dialing))
	}
	if fromDial {
		x.trace.GetConn = func(string) { x.phase.Store(int32(Dialing)) }
	}
	x.trace.GotConn = x.connected
	x.trace.GotFirstResponseByte = func() { x.phase.Store(int32(Answered)) }
	x.ctx = httptrace.WithClientTrace(x.ctx, &x.trace)
}

// connected notes the connection that a request gets. net/http resends a request by itself: once if
// an idle connection was closed, and over HTTP/2 each time the service turns the request away, such
// as with GOAWAY. Over HTTP/2 connected therefore ends the exchange at the second connection,
// before the request is sent there, so that the call makes the repeat and counts it as an attempt.
// A foreign transport may have sent the first request and may resend it for its own reasons, so its
// exchange is ended only if the request changes nothing.
func (x *Exchange) connected(info httptrace.GotConnInfo) {
	x.mu.Lock()
	fresh, again := x.connFresh, x.hasConn && x.Phase() != Answered
	x.hasConn, x.conn, x.connFresh, x.resent = true, info.Conn, !info.Reused, x.resent || again
	x.mu.Unlock()
	if again && (x.standard && fresh || x.Framed() && (x.standard || x.readOnly)) {
		x.cancel(errTurnedAway)
	}
	x.phase.Store(int32(Sending))
}

// Context returns the context of the exchange's requests.
func (x *Exchange) Context() context.Context { return x.ctx }

// Phase returns how far the exchange has come.
func (x *Exchange) Phase() Phase { return Phase(x.phase.Load()) }

// Resent reports whether net/http has sent the request once more by itself.
func (x *Exchange) Resent() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.resent
}

// Waited returns how long reads of the body have waited for bytes.
func (x *Exchange) Waited() time.Duration { return x.bodyWait }

// Pause runs wait between two requests of the exchange, and stops the exchange's time limits
// meanwhile. limits returns the limits of the second request, from the time that the first request
// left. Pause returns the error of wait, or Limits.Cause if the time was over already.
func (x *Exchange) Pause(wait func() error, limits func(left time.Duration) Limits) error {
	if !x.timer.Stop() {
		return x.limits.Cause
	}
	left := time.Until(x.limits.End)
	if err := wait(); err != nil {
		return err
	}
	x.mu.Lock()
	x.hasConn = false
	x.mu.Unlock()
	x.limits = limits(left)
	x.timer.Reset(time.Until(x.limits.End))
	return nil
}

// Cause returns the error that ended the exchange, or err if nothing ended it.
func (x *Exchange) Cause(err error) error {
	if cause := context.Cause(x.ctx); cause != nil {
		return cause
	}
	return err
}

// Receive takes over the body of an answer and applies the limits to its reads. The body of a
// stream has no time limit except Stall.
func (x *Exchange) Receive(resp *http.Response, stream bool) {
	x.timer.Stop()
	x.phase.Store(int32(Answered))
	x.body = resp.Body
	resp.Body = x
	if stream {
		x.state.Store(streaming)
	} else {
		x.state.Store(toEnd)
	}
}

// EndBy lets reads of the body last until end, in place of the limits of the exchange.
func (x *Exchange) EndBy(end time.Time) {
	x.limits.End = end
	x.state.Store(toEnd)
}

// GiveUp ends a Read in another goroutine.
func (x *Exchange) GiveUp() { x.cancel(context.Canceled) }

func (x *Exchange) expire() {
	switch state := x.state.Load(); {
	case state == toHeaders, state == toEnd && !time.Now().Before(x.limits.End):
		x.cancel(x.limits.Cause)
	default:
		x.cancel(ErrStalled)
	}
}

// Read reads from the body within the time that is left.
func (x *Exchange) Read(p []byte) (int, error) {
	start := time.Now()
	wait := x.limits.Stall
	if x.state.Load() != streaming {
		wait = max(min(wait, x.limits.End.Sub(start)), 0)
	}
	x.timer.Reset(wait)
	n, err := steady.Reader{Reader: x.body}.Read(p)
	x.timer.Stop()
	x.bodyWait += time.Since(start)
	switch err {
	case nil:
	case io.EOF:
		x.bodyEnded = true
	default:
		err = x.Cause(err)
	}
	return n, err
}

// Close ends the exchange. It first cancels the context if the body was not read to its end, or
// net/http would read the rest to reuse the connection.
func (x *Exchange) Close() error {
	x.timer.Stop()
	if !x.bodyEnded {
		x.cancel(context.Canceled)
	}
	var err error
	if x.body != nil {
		err = x.body.Close()
	}
	x.cancel(context.Canceled)
	return err
}
