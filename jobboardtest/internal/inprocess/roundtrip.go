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

// RoundTrip calls a handler with a request, and returns the answer as soon as the
// handler has written its head. If the handler panics with http.ErrAbortHandler,
// or the server ends, RoundTrip returns the error that a connection would.
func RoundTrip(server context.Context, handler http.HandlerFunc, r *http.Request) (*http.Response, error) {
	// The handler gets a copy of the request, as if it came over a connection.
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

// maxBuffered bounds the bytes written but not yet read: the handler of a short
// answer need not wait for the reader.
const maxBuffered = 256 << 10

// exchange is the http.ResponseWriter of RoundTrip. It buffers the handler's
// bytes until the client reads them.
type exchange struct {
	reader   context.Context // context of the client's request
	unwatch  func() bool     // stops watching the reader's context after Close
	cancel   context.CancelFunc
	header   http.Header
	bodiless bool // the answer to a HEAD

	mu      sync.Mutex
	changed sync.Cond   // its L is mu
	status  int         // 0: no head written yet
	sent    http.Header // header as it was at WriteHeader
	buf     bytes.Buffer
	err     error // the error after buf or instead of a head; io.EOF at a good end
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
		return len(p), nil // like a real connection
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

// Flush implements http.Flusher. Only the head may be unwritten.
func (x *exchange) Flush() { x.WriteHeader(http.StatusOK) }

// end sets the error after the written bytes, and wakes the waiting handler and
// reader. Only the first call counts.
func (x *exchange) end(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil {
		x.err = err
	}
	x.changed.Broadcast()
	x.cancel()
}

// abort breaks the answer off: by a connection reset before the head, or else
// by an unexpected EOF.
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

// readersOwn returns the error of the reader's context, if it has ended: then
// the handler broke off because the reader left.
func (x *exchange) readersOwn(err error) error {
	if left := x.reader.Err(); left != nil && err != io.EOF {
		return left
	}
	return err
}

// exchangeBody is the body of an answer.
type exchangeBody struct{ x *exchange }

// Read returns buffered bytes, and then the error at the end. After the reader's
// context ends it returns only the context's error, even if bytes are buffered.
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

// Close drops the unread bytes, and lets a waiting handler go on.
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
