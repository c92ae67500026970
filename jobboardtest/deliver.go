package jobboardtest

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

var writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 64<<10) }}

// deliver sends an answer, the way a fault wants it; f may be nil.
func (c *call) deliver(w http.ResponseWriter, a answer, f *Fault) {
	h := w.Header()
	now := c.s.Now()
	if f != nil {
		now = now.Add(f.Skew)
	}
	h.Set("Date", now.UTC().Format(http.TimeFormat))
	if a.contentType != "" {
		h.Set("Content-Type", a.contentType)
	} else {
		h["Content-Type"] = nil // no guessing
	}
	for k, v := range a.header {
		h[k] = v
	}
	switch {
	case f == nil:
		send(w, a)
	case f.Break == ResetBefore:
		reset(w)
	case f.Break == StallBefore:
		c.stall()
		reset(w)
	default:
		c.sendBadly(w, a, f)
	}
}

// send sends a whole answer.
func send(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Length", strconv.FormatInt(a.size(), 10))
	w.WriteHeader(a.status)
	if a.parts == nil {
		w.Write(a.body)
		return
	}
	b := writers.Get().(*bufio.Writer)
	b.Reset(w)
	for _, p := range a.parts {
		b.Write(p) // an error sticks, and the client's leaving is its own affair
	}
	b.Flush()
	b.Reset(nil)
	writers.Put(b)
}

// sendBadly sends an answer's head, and its body as a fault wants it.
func (c *call) sendBadly(w http.ResponseWriter, a answer, f *Fault) {
	h := w.Header()
	body, size := c.faultyBody(a, f)
	for k, v := range f.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	switch f.Encoding {
	case Gzip, DoubleGzip, BrokenGzip:
		h.Set("Content-Encoding", "gzip")
	case FalseBr:
		h.Set("Content-Encoding", "br")
	}
	noBody := bodiless(a.status)
	if size == 0 && f.Break != "" {
		size = 1 // promised and never sent: an empty body has nothing that could be lost
	}
	if size >= 0 && !noBody {
		h.Set("Content-Length", strconv.FormatInt(size, 10))
	}
	w.WriteHeader(a.status)
	if !noBody {
		c.sendBody(w, body, size, f)
	}
}

func (c *call) sendBody(w http.ResponseWriter, body io.Reader, size int64, f *Fault) {
	flush := http.NewResponseController(w).Flush
	ctx := c.r.Context()
	endless := size < 0
	if endless {
		var stop func()
		ctx, stop = joined(ctx, c.s.ending)
		defer stop()
	}
	out := &dripper{ctx: ctx, w: w, flush: flush, every: f.DripEvery, piece: f.DripBytes}
	if f.Break == "" {
		_, _ = io.Copy(out, body)
		if endless {
			reset(w) // a client must not take this for the end of the body
		}
		return
	}
	after := f.After
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
	switch f.Break {
	case ResetBody:
		reset(w)
	case StallBody:
		c.stall()
		reset(w)
	case CutBody:
		panic(http.ErrAbortHandler) // the client sees an end that comes too soon
	}
}

// stall waits until the client leaves or the server ends.
func (c *call) stall() {
	select {
	case <-c.r.Context().Done():
	case <-c.s.ending.Done():
	}
}

// reset breaks the connection without another byte.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil { // Transport, HTTP/2, or an embedder's writer
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // close with RST
	}
	conn.Close()
}

// faultyBody returns the body as a fault wants it, and its size, which is below 0
// for a body without a known end.
func (c *call) faultyBody(a answer, f *Fault) (io.Reader, int64) {
	body, size := whole(a.flat())
	if f.Size != 0 {
		body, size = grow(a.flat(), f.Size)
		body = wanted{body, c.r.Context()}
	}
	switch f.Encoding {
	case Gzip:
		if size < 0 {
			member := packed(bytes.NewReader(filler))
			return &cycle{unit: member, left: math.MaxInt64}, -1 // members may follow each other
		}
		return whole(packed(body))
	case DoubleGzip:
		return whole(packed(bytes.NewReader(packed(body))))
	case BrokenGzip:
		b := packed(body)
		for i := range 8 { // gzip makes 23 bytes of nothing
			b[len(b)/2+i] ^= 0x5a
		}
		return whole(b)
	}
	return body, size
}

// wanted ends with the request, so that nobody packs a bomb of hours for a
// client that has left.
type wanted struct {
	io.Reader
	ctx context.Context
}

func (w wanted) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Reader.Read(p)
}

// packed compresses all of a body. What comes out of a bomb is small; what goes
// in is made as it is read. The level shrinks spaces a thousandfold in every
// release of Go; the default level of 1.27 reaches half of that.
func packed(r io.Reader) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, 5) // there is such a level
	_, _ = io.Copy(z, r)
	z.Close()
	return b.Bytes()
}

func whole(b []byte) (io.Reader, int64) { return bytes.NewReader(b), int64(len(b)) }

var filler = bytes.Repeat([]byte(" "), 64<<10)

// grow makes a body of size bytes out of one, or one without end. A search
// repeats its postings, so that it is well-formed up to where it stops; any
// other body gets white space before its last brackets.
func grow(body []byte, size int64) (io.Reader, int64) {
	head, unit := bytes.TrimRight(body, "}]"), filler
	if items := postingsOf(body); len(items) > 0 {
		head, unit = bytes.TrimSuffix(body, pageEnd), slices.Concat(comma, items)
	}
	tail := body[len(head):]
	if size < 0 {
		return io.MultiReader(bytes.NewReader(head), &cycle{unit: unit, left: math.MaxInt64}), -1
	}
	size = max(size, int64(len(body)))
	room := size - int64(len(body))
	units := room / int64(len(unit)) * int64(len(unit))
	return io.MultiReader(
		bytes.NewReader(head),
		&cycle{unit: unit, left: units},
		&cycle{unit: filler, left: room - units},
		bytes.NewReader(tail),
	), size
}

// postingsOf returns the bytes between the brackets of a search's results.
func postingsOf(body []byte) []byte {
	_, results, _ := bytes.Cut(body, resultsKey)
	items, whole := bytes.CutSuffix(results, pageEnd)
	if !whole {
		return nil
	}
	return items
}

var resultsKey = []byte(`"results":[`)

// cycle repeats a unit.
type cycle struct {
	unit []byte
	off  int
	left int64
}

func (c *cycle) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), c.left)], c.unit[c.off:])
	c.off = (c.off + n) % len(c.unit)
	c.left -= int64(n)
	return n, nil
}

// dripper writes in pieces with a wait before each, and stops when the request
// or the server ends.
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
		if !pause(d.ctx, d.every) {
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
