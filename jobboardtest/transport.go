package jobboardtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Transport returns an http.RoundTripper that calls the server's handler
// directly, with no connection between. Requests to another host than those of
// BaseURL and JobDBURL are refused. Faults that break connections show as the
// errors a connection would give.
func (s *Server) Transport() http.RoundTripper { return directTransport{s} }

type directTransport struct{ s *Server }

// RoundTrip implements http.RoundTripper.
func (t directTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	fail := func(err error) (*http.Response, error) {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	var at address
	switch r.URL.Host {
	case t.s.base.host:
		at = baseAddress
	case t.s.jobDB.host:
		at = jobDBAddress
	default:
		refused := fmt.Errorf("%w: the fake is not at this host", syscall.ECONNREFUSED)
		return fail(&net.OpError{Op: "dial", Net: "tcp", Err: refused})
	}
	if r.URL.Scheme != "http" {
		return fail(fmt.Errorf("jobboardtest: the fake speaks http, not %s", r.URL.Scheme))
	}
	if err := r.Context().Err(); err != nil {
		return fail(err)
	}
	if t.s.ctx.Err() != nil {
		return fail(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED})
	}

	// The handler sees a request of its own, as it would on a connection.
	ctx, cancel := context.WithCancel(r.Context())
	in := r.Clone(ctx)
	in.RequestURI = r.URL.RequestURI()
	in.RemoteAddr = "in-process"
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	w := &directWriter{outer: r.Context(), header: http.Header{}, ready: make(chan struct{}), cancel: cancel}
	w.bodiless = r.Method == http.MethodHead
	stop := context.AfterFunc(t.s.ctx, w.shut)
	go func() {
		defer func() {
			stop()
			if p := recover(); p != nil {
				if p != http.ErrAbortHandler {
					panic(p)
				}
				w.abort()
			}
			in.Body.Close()
			w.finish()
		}()
		t.s.serve(at, w, in)
	}()
	select {
	case <-w.ready:
	case <-r.Context().Done():
		w.leave(r.Context().Err())
		return nil, r.Context().Err()
	}
	return w.response(r)
}

// maxBuffered is how much of a body is kept before the reader has to take it.
const maxBuffered = 256 << 10

// directWriter is the http.ResponseWriter of directTransport and the body of
// its response: one buffer between the handler and the reader.
type directWriter struct {
	outer  context.Context // the reader's
	header http.Header
	ready  chan struct{} // closed when the head of the answer is known
	cancel context.CancelFunc

	bodiless bool // the answer to a HEAD

	mu      sync.Mutex
	sent    http.Header // header as it was at WriteHeader
	status  int
	buf     bytes.Buffer
	err     error // what a reader gets after the buffer; io.EOF when all is well
	left    error // why the reader takes no more
	closed  bool  // the server waits for nobody to read
	changed chan struct{}
}

func (w *directWriter) Header() http.Header { return w.header }

func (w *directWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(status)
}

func (w *directWriter) writeHeader(status int) {
	if w.status != 0 || w.err != nil {
		return
	}
	w.status = status
	w.sent = w.header.Clone()
	for k, v := range w.sent {
		if len(v) == 0 {
			delete(w.sent, k)
		}
	}
	close(w.ready)
}

func (w *directWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	w.writeHeader(http.StatusOK)
	if w.bodiless {
		w.mu.Unlock()
		return 0, http.ErrBodyNotAllowed
	}
	for w.left == nil && w.err == nil && w.buf.Len() >= maxBuffered && !w.closed {
		w.wait()
	}
	defer w.mu.Unlock()
	if w.err == nil && w.buf.Len() >= maxBuffered {
		w.err = io.ErrUnexpectedEOF
		w.signal()
	}
	switch {
	case w.left != nil:
		return 0, w.left
	case w.err != nil:
		return 0, w.err
	}
	w.signal()
	return w.buf.Write(p)
}

// Flush implements http.Flusher: nothing is held back here.
func (w *directWriter) Flush() { w.WriteHeader(http.StatusOK) }

// wait lets the other side work; w.mu is held before and after.
func (w *directWriter) wait() {
	if w.changed == nil {
		w.changed = make(chan struct{})
	}
	ch := w.changed
	w.mu.Unlock()
	<-ch
	w.mu.Lock()
}

func (w *directWriter) signal() {
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

// abort breaks the answer off: a reset before its head is known, else an end
// that comes too soon.
func (w *directWriter) abort() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	if w.status == 0 {
		w.err = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
		close(w.ready)
	} else if w.err = w.outer.Err(); w.err == nil { // a reader who has left broke it off
		w.err = io.ErrUnexpectedEOF
	}
	w.signal()
}

// finish is called when the handler has returned.
func (w *directWriter) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(http.StatusOK)
	if w.err == nil {
		w.err = io.EOF
	}
	w.signal()
	w.cancel() // the handler has returned: nobody listens to its context any more
}

// shut is called when the server closes: a handler that is not done yet can end,
// and no longer waits for a reader.
func (w *directWriter) shut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.signal()
	w.cancel()
}

// leave is called when the reader has gone.
func (w *directWriter) leave(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left == nil {
		w.left = err
	}
	w.buf.Reset()
	w.signal()
	w.cancel()
}

func (w *directWriter) response(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status == 0 {
		return nil, w.err
	}
	res := &http.Response{
		Status:     strings.TrimSpace(strconv.Itoa(w.status) + " " + http.StatusText(w.status)),
		StatusCode: w.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, ContentLength: -1, Request: r,
	}
	if n, err := strconv.ParseInt(w.sent.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
		res.ContentLength = n
	}
	stop := context.AfterFunc(r.Context(), func() { w.leave(r.Context().Err()) })
	res.Body = &directBody{w: w, stop: stop}
	return res, nil
}

type directBody struct {
	w    *directWriter
	stop func() bool
}

var errBodyClosed = errors.New("http: read on closed response body")

// Read reads what is buffered, then the end, good or bad.
func (b *directBody) Read(p []byte) (int, error) {
	w := b.w
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		switch {
		case w.left != nil:
			return 0, w.left
		case w.buf.Len() > 0:
			n, _ := w.buf.Read(p)
			w.signal()
			return n, nil
		case w.err != nil:
			return 0, w.err
		case len(p) == 0:
			return 0, nil
		}
		w.wait()
	}
}

// Close lets the handler go.
func (b *directBody) Close() error {
	b.stop()
	b.w.leave(errBodyClosed)
	return nil
}
