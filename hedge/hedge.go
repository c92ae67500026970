// Package hedge sends a slow request once more and takes the answer that comes first. It shortens
// the slowest calls of a service of which one answer in a hundred is slow, for one request in a
// hundred more. Where all answers are slow it changes nothing.
package hedge

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"sync"
	"time"
)

// After returns a middleware, for the field Middleware of a client's Config. If a GET or HEAD
// without a body has no header of an answer after wait, the middleware sends the request a second
// time, usually on another connection. The first answer with a status under 500, other than 429,
// is returned, and the other request is canceled; an answer that stalls after its header is not
// hedged. Choose the time in which 95 of 100 answers come. With a wait of 0 or less nothing is
// hedged.
//
// Hedges do not multiply the load: 20 answered requests allow one, at most 5 are saved up, none are
// there at the start (so a test of one request shows none), and a
// request without an answer, a 429 or a status of 500 and more takes the savings away.
//
// The client does not know of the second request: its Limiter is not asked, its Observer sees one
// attempt, and Error.Attempts counts one. Over HTTP/2 both requests may share the slow connection.
// The transport below must end a request when its context ends, as net/http's does.
func After(wait time.Duration) func(next http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		if wait <= 0 {
			return next
		}
		return &transport{next: next, wait: wait}
	}
}

const (
	perHedge = 20           // answered requests that allow one hedge
	most     = 5 * perHedge // answered requests that are saved up
)

type transport struct {
	next http.RoundTripper
	wait time.Duration

	mu       sync.Mutex
	answered int // requests that were answered and not yet spent on a hedge
}

// take reports whether a hedge may be sent, and spends the answered requests that allow it.
func (t *transport) take() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.answered < perHedge {
		return false
	}
	t.answered -= perHedge
	return true
}

// note counts an answered request, or forgets all after a failed one. A request that its caller canceled
// says nothing about the service.
func (t *transport) note(ctx context.Context, resp *http.Response, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case isGood(resp, err):
		t.answered = min(t.answered+1, most)
	case !errors.Is(context.Cause(ctx), context.Canceled):
		t.answered = 0
	}
}

// isGood reports whether an answer ends the race: the service works.
func isGood(resp *http.Response, err error) bool {
	return err == nil && resp != nil && resp.StatusCode < http.StatusInternalServerError && resp.StatusCode != http.StatusTooManyRequests
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead || req.Body != nil && req.Body != http.NoBody {
		return t.next.RoundTrip(req)
	}
	ctx, cancel := context.WithCancel(req.Context())
	s := &second{t: t, req: req, cancelFirst: cancel, done: make(chan struct{})}
	timer := time.AfterFunc(t.wait, s.send)
	finished := false
	defer func() {
		if !finished { // the transport panicked
			cancel()
			s.stop(timer)
		}
	}()
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	finished = true
	switch good := isGood(resp, err); {
	case good && s.win():
		s.stop(timer)
	case !good && timer.Stop(): // the second request was never sent
	default:
		<-s.done
	}
	if s.panicked != nil {
		drop(resp)
		cancel()
		panic(s.panicked)
	}
	if s.resp != nil {
		drop(resp)
		cancel()
		resp, err, cancel = s.resp, nil, s.cancel
	}
	t.note(req.Context(), resp, err)
	if err != nil || resp == nil {
		cancel()
		return resp, err
	}
	resp.Request = req
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	resp.Body = &body{resp.Body, cancel}
	return resp, nil
}

// second is the second request of a race. Its send runs in a goroutine of its own.
type second struct {
	t           *transport
	req         *http.Request
	cancelFirst context.CancelFunc
	done        chan struct{} // closed when send has returned; nobody closes it if send never ran

	mu     sync.Mutex
	won    bool               // one of the two requests has the answer that counts
	cancel context.CancelFunc // nil: not sent

	// What the caller reads after done.
	resp     *http.Response // the good answer, if this request won
	panicked any
}

// send sends the request, unless the race is over or no hedge is allowed.
func (s *second) send() {
	defer close(s.done)
	s.mu.Lock()
	if s.won || !s.t.take() {
		s.mu.Unlock()
		return
	}
	ctx, cancel := context.WithCancel(untraced{s.req.Context()})
	s.cancel = cancel
	s.mu.Unlock()

	defer func() {
		if s.resp == nil {
			cancel()
		}
		s.panicked = recover() // RoundTrip panics with it in the caller's goroutine
	}()
	resp, err := s.t.next.RoundTrip(s.req.Clone(ctx))
	if isGood(resp, err) && s.win() {
		s.resp = resp
		s.cancelFirst()
		return
	}
	drop(resp)
}

// win claims the race for a good answer, and reports whether it was the first.
func (s *second) win() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.won
	s.won = true
	return first
}

// stop prevents the second request, or cancels it and waits for its end.
func (s *second) stop(timer *time.Timer) {
	if timer.Stop() {
		return
	}
	s.mu.Lock()
	s.won = true
	if s.cancel != nil {
		s.cancel()
	}
	s.mu.Unlock()
	<-s.done
}

func drop(resp *http.Response) {
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
}

// body ends the context of its request when it is closed.
type body struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *body) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// untraced is a context without net/http's traces: the caller of the first request learns by them which
// connection that request was given, and the second must not report to them.
type untraced struct{ context.Context }

func (c untraced) Value(key any) any {
	switch reflect.TypeOf(key).PkgPath() {
	case "net/http/httptrace", "internal/nettrace":
		return nil
	}
	return c.Context.Value(key)
}
