// Package delivery sends answers over HTTP, whole or broken on purpose.
package delivery

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Answer holds an answer before it is sent. Its Header replaces fields of the writer's
// header. An empty ContentType sends no Content-Type.
type Answer struct {
	Status      int
	ContentType string
	Header      http.Header
	Body        []byte
	Parts       [][]byte // replaces Body: pieces shared with caches, which must not be changed
}

// Size returns the number of bytes of the body.
func (a *Answer) Size() int64 {
	n := int64(len(a.Body))
	for _, p := range a.Parts {
		n += int64(len(p))
	}
	return n
}

// Beginning returns the first n bytes of the body, or all of it.
func (a *Answer) Beginning(n int) []byte {
	begin := append([]byte(nil), a.Body[:min(n, len(a.Body))]...)
	for _, p := range a.Parts {
		begin = append(begin, p[:min(n-len(begin), len(p))]...)
	}
	return begin
}

func (a *Answer) flat() []byte {
	if a.Parts == nil {
		return a.Body
	}
	return slices.Concat(a.Parts...)
}

// HasNoBody reports whether answers with a status have no body.
func HasNoBody(status int) bool {
	return status == http.StatusNoContent || status == http.StatusNotModified
}

// The ways in which an answer breaks.
const (
	resetBefore = "reset-before"
	resetBody   = "reset-body"
	cutBody     = "cut-body"
	stallBefore = "stall-before"
	stallBody   = "stall-body"
)

// Breakage describes how an answer is broken. Its fields come from a
// jobboardtest.Fault.
type Breakage struct {
	Header    http.Header // replaces fields of the answer's header; an empty list removes a field
	Size      int64       // the body grows to this many bytes; below 0: without end
	Break     string      // how the answer breaks; empty: not at all
	After     int64       // number of body bytes sent before the break; the last byte is never sent; 0: half the body
	DripBytes int         // sends the body in pieces of this size; 0: 1 when DripEvery is set
	DripEvery time.Duration
	Encoding  string // encoding of the body; empty: none
}

// Sender sends the answer to one request.
type Sender struct {
	Writer http.ResponseWriter
	Client context.Context // ends when the client leaves
	Ending context.Context // ends stalled and endless answers
}

var writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 64<<10) }}

// Send sends an answer, broken as b says if b is not nil. It panics with
// http.ErrAbortHandler if it cannot break the connection otherwise.
func (s Sender) Send(a Answer, b *Breakage) {
	h := s.Writer.Header()
	if a.ContentType != "" {
		h.Set("Content-Type", a.ContentType)
	} else {
		h["Content-Type"] = nil // net/http must not guess one
	}
	for k, v := range a.Header {
		h[k] = v
	}
	switch {
	case b == nil:
		s.sendWhole(a)
	case b.Break == resetBefore:
		Reset(s.Writer)
	case b.Break == stallBefore:
		s.stall()
		Reset(s.Writer)
	default:
		s.sendBroken(a, b)
	}
}

func (s Sender) sendWhole(a Answer) {
	s.Writer.Header().Set("Content-Length", strconv.FormatInt(a.Size(), 10))
	s.Writer.WriteHeader(a.Status)
	if a.Parts == nil {
		s.Writer.Write(a.Body)
		return
	}
	w := writers.Get().(*bufio.Writer)
	w.Reset(s.Writer)
	for _, p := range a.Parts {
		w.Write(p) // an error sticks in w; it only means that the client left
	}
	w.Flush()
	w.Reset(nil)
	writers.Put(w)
}

// sendBroken sends an answer's head, and its body up to the break.
func (s Sender) sendBroken(a Answer, b *Breakage) {
	h := s.Writer.Header()
	body, size := s.body(a, b)
	for k, v := range b.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	if label := contentEncoding(b.Encoding); label != "" {
		h.Set("Content-Encoding", label)
	}
	noBody := HasNoBody(a.Status)
	if size == 0 && b.Break != "" {
		size = 1 // announce one byte and never send it: a break must lose something
	}
	if size >= 0 && !noBody {
		h.Set("Content-Length", strconv.FormatInt(size, 10))
	}
	s.Writer.WriteHeader(a.Status)
	if !noBody {
		s.sendBody(body, size, b)
	}
}

func (s Sender) sendBody(body io.Reader, size int64, b *Breakage) {
	flush := http.NewResponseController(s.Writer).Flush
	ctx := s.Client
	endless := size < 0
	if endless {
		var stop func()
		ctx, stop = Joined(ctx, s.Ending)
		defer stop()
	}
	out := &dripper{ctx: ctx, w: s.Writer, flush: flush, every: b.DripEvery, piece: b.DripBytes}
	if b.Break == "" {
		_, _ = io.Copy(out, body)
		if endless {
			Reset(s.Writer) // the client must not take the cut for the end of the body
		}
		return
	}
	after := b.After
	switch {
	case endless:
		after = cmp.Or(after, 64<<10)
	case after == 0:
		after = size / 2
	default:
		after = min(after, size-1) // keep one byte back, or the body would be complete
	}
	_, _ = io.CopyN(out, body, after)
	_ = flush()
	switch b.Break {
	case resetBody:
		Reset(s.Writer)
	case stallBody:
		s.stall()
		Reset(s.Writer)
	case cutBody:
		panic(http.ErrAbortHandler) // the client sees an unexpected EOF
	}
}

// stall waits until the client leaves or the server ends.
func (s Sender) stall() {
	select {
	case <-s.Client.Done():
	case <-s.Ending.Done():
	}
}

// Reset breaks the connection without another byte. It panics with
// http.ErrAbortHandler if it cannot reach the connection.
func Reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil { // Transport, HTTP/2, or an embedder's writer
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // close with RST
	}
	conn.Close()
}

// Pause waits for d. It reports false if the context ends first.
func Pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// Joined returns a context that ends when a or b ends, and a function that
// releases its resources.
func Joined(a, b context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(a)
	stop := context.AfterFunc(b, cancel)
	return ctx, func() { stop(); cancel() }
}

// dripper writes in pieces, waits before each piece, and stops when the context
// ends.
type dripper struct {
	ctx   context.Context
	w     io.Writer
	flush func() error
	every time.Duration
	piece int
}

func (d *dripper) Write(p []byte) (int, error) {
	piece := len(p)
	switch {
	case d.piece > 0:
		piece = d.piece
	case d.every > 0:
		piece = 1
	}
	done := 0
	for done < len(p) {
		if !Pause(d.ctx, d.every) {
			return done, context.Cause(d.ctx)
		}
		n, err := d.w.Write(p[done:min(done+piece, len(p))])
		done += n
		if err != nil {
			return done, err
		}
		if d.piece > 0 || d.every > 0 {
			_ = d.flush()
		}
	}
	return done, nil
}
