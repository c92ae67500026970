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

// Answer holds an answer before it is sent. Its Header is set over that of the writer, and
// Content-Type is ContentType; empty: the answer has none.
type Answer struct {
	Status      int
	ContentType string
	Header      http.Header
	Body        []byte
	Parts       [][]byte // in the place of Body: pieces kept elsewhere, not to be changed
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

// Breakage says how an answer is broken. Its members are those of a fault.
type Breakage struct {
	Header    http.Header // set over the answer's; an empty list takes one away
	Size      int64       // the body grows to this many bytes; below 0: without end
	Break     string      // where the answer ends badly; empty: nowhere
	After     int64       // bytes of the body sent before that, all but one at most; 0: half of it
	DripBytes int         // the body is sent in pieces of this size; 0: 1 where DripEvery is set
	DripEvery time.Duration
	Encoding  string // of the body; empty: as it is
}

// Sender sends the answer to one request.
type Sender struct {
	Writer http.ResponseWriter
	Client context.Context // ends when the client leaves
	Ending context.Context // ends what would never end by itself
}

var writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 64<<10) }}

// Send sends an answer; b says how it is broken, nil: not at all. It panics with
// http.ErrAbortHandler where only that breaks the connection.
func (s Sender) Send(a Answer, b *Breakage) {
	h := s.Writer.Header()
	if a.ContentType != "" {
		h.Set("Content-Type", a.ContentType)
	} else {
		h["Content-Type"] = nil // no guessing
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
		w.Write(p) // an error sticks, and the client's leaving is its own affair
	}
	w.Flush()
	w.Reset(nil)
	writers.Put(w)
}

// sendBroken sends an answer's head, and its body as far as it comes.
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
		size = 1 // promised and never sent: an empty body has nothing that could be lost
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
			Reset(s.Writer) // a client must not take this for the end of the body
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
		after = min(after, size-1) // a whole body would be none that ends badly
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
		panic(http.ErrAbortHandler) // the client sees an end that comes too soon
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
// http.ErrAbortHandler where there is no connection to break.
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

// Pause waits for d. It reports false where the context ends first.
func Pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// Joined returns a context that ends when either of two does, and a function that
// lets go of them.
func Joined(a, b context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(a)
	stop := context.AfterFunc(b, cancel)
	return ctx, func() { stop(); cancel() }
}

// dripper writes in pieces with a wait before each, and stops when the context ends.
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
