package inprocess

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// RoundTrip calls a handler with a request, and returns its answer as soon as its
// head is there. Where the handler breaks off with http.ErrAbortHandler, or the
// server ends, it gives the errors that a connection would give.
func RoundTrip(server context.Context, handler http.HandlerFunc, r *http.Request) (*http.Response, error) {
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
	x := &exchange{reader: r.Context(), cancel: cancel, header: http.Header{}, bodiless: r.Method == http.MethodHead}
	x.changed.L = &x.mu
	x.unwatch = context.AfterFunc(r.Context(), func() { x.end(r.Context().Err()) })
	closed := context.AfterFunc(server, func() { x.end(io.ErrUnexpectedEOF) })
	go func() {
		defer func() {
			in.Body.Close()
			closed()
			switch p := recover(); p {
			case nil:
				x.WriteHeader(http.StatusOK)
				x.end(io.EOF)
			case http.ErrAbortHandler:
				x.abort()
			default:
				panic(p)
			}
		}()
		handler(x, in)
	}()
	return x.response(r)
}

// maxBuffered bounds the bytes that are kept until the reader takes them: a
// short answer is given without waiting for its reader.
const maxBuffered = 256 << 10

// exchange is the http.ResponseWriter of RoundTrip. It keeps what the handler
// has written until the client reads it.
type exchange struct {
	reader   context.Context // the client's
	unwatch  func() bool     // the reader's context, once the body is closed
	cancel   context.CancelFunc
	header   http.Header
	bodiless bool // the answer to a HEAD

	mu      sync.Mutex
	changed sync.Cond   // its L is mu
	status  int         // 0: there is no head so far
	sent    http.Header // header as it was at WriteHeader
	buf     bytes.Buffer
	err     error // what follows buf, or comes in place of a head; io.EOF when all is well
}

func (x *exchange) Header() http.Header { return x.header }

func (x *exchange) WriteHeader(status int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.status != 0 || x.err != nil {
		return
	}
	x.status, x.sent = status, x.header.Clone()
	maps.DeleteFunc(x.sent, func(_ string, values []string) bool { return len(values) == 0 })
	x.changed.Broadcast()
}

func (x *exchange) Write(p []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	if x.bodiless {
		return len(p), nil // as a connection's
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for n < len(p) {
		for x.err == nil && x.buf.Len() >= maxBuffered {
			x.changed.Wait()
		}
		if x.err != nil {
			return n, x.err
		}
		k, _ := x.buf.Write(p[n:min(n+maxBuffered, len(p))])
		n += k
		x.changed.Broadcast()
	}
	return n, nil
}

// Flush implements http.Flusher: nothing is held back here.
func (x *exchange) Flush() { x.WriteHeader(http.StatusOK) }

// end says what follows what was written so far, and lets the handler go. Only
// the first end counts.
func (x *exchange) end(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil {
		x.err = err
	}
	x.changed.Broadcast()
	x.cancel()
}

// abort breaks the answer off: a reset before its head is known, else an end
// that comes too soon.
func (x *exchange) abort() {
	x.mu.Lock()
	headless := x.status == 0
	x.mu.Unlock()
	if headless {
		x.end(&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET})
		return
	}
	x.end(io.ErrUnexpectedEOF)
}

// response waits for the head of the answer.
func (x *exchange) response(r *http.Request) (*http.Response, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.status == 0 && x.err == nil {
		x.changed.Wait()
	}
	if x.status == 0 {
		x.unwatch()
		return nil, x.readersOwn(x.err)
	}
	length, err := strconv.ParseInt(x.sent.Get("Content-Length"), 10, 64)
	if err != nil {
		length = -1
	}
	return &http.Response{
		Status:     strings.TrimSpace(strconv.Itoa(x.status) + " " + http.StatusText(x.status)),
		StatusCode: x.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: x.sent, ContentLength: length, Request: r, Body: exchangeBody{x},
	}, nil
}

// readersOwn returns why the reader has left where it has: that is then why the
// handler broke its answer off.
func (x *exchange) readersOwn(err error) error {
	if left := x.reader.Err(); left != nil && err != io.EOF {
		return left
	}
	return err
}

// exchangeBody is the body of an answer.
type exchangeBody struct{ x *exchange }

// Read reads what is buffered, then the end, good or bad. Who has left has no more
// of it, not even what came already.
func (b exchangeBody) Read(p []byte) (int, error) {
	x := b.x
	if err := x.reader.Err(); err != nil {
		return 0, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.buf.Len() == 0 && x.err == nil && len(p) > 0 {
		x.changed.Wait()
	}
	if x.buf.Len() == 0 && x.err != nil {
		return 0, x.readersOwn(x.err)
	}
	x.changed.Broadcast()
	return x.buf.Read(p)
}

var errBodyClosed = errors.New("http: read on closed response body")

// Close forgets what was not read, and lets the handler go.
func (b exchangeBody) Close() error {
	x := b.x
	x.unwatch()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.buf.Reset()
	x.err = errBodyClosed
	x.changed.Broadcast()
	x.cancel()
	return nil
}
