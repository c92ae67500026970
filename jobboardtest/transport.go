package jobboardtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
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
	w := &directWriter{
		outer: r.Context(), cancel: cancel, header: http.Header{},
		ready: make(chan struct{}), bodiless: r.Method == http.MethodHead,
	}
	w.body.changed.L = &w.body.mu
	left := context.AfterFunc(r.Context(), func() { w.end(r.Context().Err()) })
	closed := context.AfterFunc(t.s.ctx, func() { w.end(io.ErrUnexpectedEOF) })
	go func() {
		defer func() {
			in.Body.Close()
			closed()
			switch p := recover(); p {
			case nil:
				w.WriteHeader(http.StatusOK)
				w.end(io.EOF)
			case http.ErrAbortHandler:
				w.abort()
			default:
				panic(p)
			}
		}()
		t.s.serve(at, w, in)
	}()
	<-w.ready
	if w.status == 0 {
		left()
		return nil, w.readersOwn(w.err)
	}
	return w.response(r, &directBody{w, left}), nil
}

// directWriter is the http.ResponseWriter of directTransport.
type directWriter struct {
	outer    context.Context // the reader's
	cancel   context.CancelFunc
	header   http.Header
	body     bufferedPipe
	bodiless bool // the answer to a HEAD

	head   sync.Once     // decides between the head of an answer and err
	ready  chan struct{} // closed when that is decided
	status int           // 0: there is no answer, because of err
	sent   http.Header   // header as it was at WriteHeader
	err    error
}

func (w *directWriter) Header() http.Header { return w.header }

func (w *directWriter) WriteHeader(status int) {
	w.head.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		maps.DeleteFunc(w.sent, func(_ string, values []string) bool { return len(values) == 0 })
		close(w.ready)
	})
}

func (w *directWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.bodiless {
		return len(p), nil // as a connection's
	}
	return w.body.Write(p)
}

// Flush implements http.Flusher: nothing is held back here.
func (w *directWriter) Flush() { w.WriteHeader(http.StatusOK) }

// abort breaks the answer off: a reset before its head is known, else an end
// that comes too soon.
func (w *directWriter) abort() {
	w.fail(&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET})
	w.end(io.ErrUnexpectedEOF)
}

// end says what follows what was written so far, and lets the handler go. Only
// the first end counts.
func (w *directWriter) end(err error) {
	w.fail(err)
	w.body.end(err)
	w.cancel()
}

// fail gives the reader an error in place of an answer, if there is none so far.
func (w *directWriter) fail(err error) {
	w.head.Do(func() {
		w.err = err
		close(w.ready)
	})
}

// readersOwn returns why the reader has left where it has: that is then why the
// handler broke its answer off.
func (w *directWriter) readersOwn(err error) error {
	if left := w.outer.Err(); left != nil && err != nil && err != io.EOF {
		return left
	}
	return err
}

func (w *directWriter) response(r *http.Request, body io.ReadCloser) *http.Response {
	res := &http.Response{
		Status:     strings.TrimSpace(strconv.Itoa(w.status) + " " + http.StatusText(w.status)),
		StatusCode: w.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, ContentLength: -1, Request: r, Body: body,
	}
	if n, err := strconv.ParseInt(w.sent.Get("Content-Length"), 10, 64); err == nil {
		res.ContentLength = n
	}
	return res
}

// directBody is the body of an answer.
type directBody struct {
	w    *directWriter
	stop func() bool
}

// Read reads what is buffered, then the end, good or bad. Who has left has no more
// of it, not even what came already.
func (b *directBody) Read(p []byte) (int, error) {
	if err := b.w.outer.Err(); err != nil {
		return 0, err
	}
	n, err := b.w.body.Read(p)
	return n, b.w.readersOwn(err)
}

// Close lets the handler go.
func (b *directBody) Close() error {
	b.stop()
	b.w.body.close()
	b.w.cancel()
	return nil
}

var errBodyClosed = errors.New("http: read on closed response body")

// maxBuffered is how much of a body is kept before the reader has to take it.
const maxBuffered = 256 << 10

// bufferedPipe is an io.Pipe with room, so that a short answer is given without
// waiting for its reader.
type bufferedPipe struct {
	mu      sync.Mutex
	changed sync.Cond // its L is mu
	buf     bytes.Buffer
	err     error // what follows the buffer; io.EOF when all is well
}

func (b *bufferedPipe) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.err == nil && b.buf.Len() >= maxBuffered {
		b.changed.Wait()
	}
	if b.err != nil {
		return 0, b.err
	}
	b.changed.Broadcast()
	return b.buf.Write(p)
}

func (b *bufferedPipe) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.buf.Len() == 0 && b.err == nil {
		b.changed.Wait()
	}
	if b.buf.Len() == 0 && b.err != nil {
		return 0, b.err
	}
	b.changed.Broadcast()
	return b.buf.Read(p)
}

// end says what follows the buffer; only the first end counts.
func (b *bufferedPipe) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
	b.changed.Broadcast()
}

// close forgets what was not read, and how it ended.
func (b *bufferedPipe) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf.Reset()
	b.err = errBodyClosed
	b.changed.Broadcast()
}
