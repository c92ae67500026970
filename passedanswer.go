package jobboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/gate"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

// How Client.Transport (roundtrip.go) passes an answer on to the caller. Of an answer that refuses
// the request, it first reads the first bytes, whose words decide about a repeat.

// passed is the Body that the caller of Client.Transport reads.
type passed struct {
	a       *answer
	inflate bool   // passed decompresses the body for the caller
	opened  bool   // decompression has started
	prefix  []byte // bytes that readWords read before the caller did
	words   *words // the goroutine that still reads on after prefix; nil: none runs
	err     *Error // what the observer gets at the end; nil: success

	mu     sync.Mutex // held during a Read; Close may run meanwhile
	ended  error      // the error of every later Read; nil: more follows
	closed atomic.Bool
	over   bool // the exchange is closed
}

// maxPatience bounds the time that all attempts of a call together spend reading the words of
// refused answers. A call with less than ten times maxPatience left spends a tenth of its time.
const maxPatience = time.Second

// words are the first bytes of a refused answer. A goroutine reads them, because the call does not
// wait for slow ones. The goroutine ends with the exchange at the latest.
type words struct {
	crew gate.Crew     // carries panics of the body's Read to the caller
	done chan struct{} // closed when the goroutine has ended

	mu       sync.Mutex
	text     []byte
	err      error // of the last Read
	unwanted bool  // the call has stopped waiting: the goroutine ends after its current Read
}

// read reads until it has maxErrorBody bytes, or until take was called.
func (w *words) read(read func([]byte) (int, error)) {
	defer close(w.done)
	buf := make([]byte, 4<<10)
	for rest, more := maxErrorBody, true; more; {
		n, err := read(buf[:min(len(buf), rest)])
		rest -= n
		w.mu.Lock()
		w.text, w.err = append(w.text, buf[:n]...), err
		more = err == nil && rest > 0 && !w.unwanted
		w.mu.Unlock()
	}
}

// take returns the bytes read so far, and makes the goroutine end after its current Read.
func (w *words) take() (text []byte, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, w.text, w.unwanted = w.text, nil, true
	return text, w.err
}

// readWords reads the beginning of a refused answer into prefix. It reports false if the time that
// the call has for words ended first.
func (p *passed) readWords() bool {
	g := p.a.c.given
	if g.patience == 0 {
		g.patience = max(min(maxPatience, time.Until(p.a.c.deadline)/10), 1)
	}
	w := &words{done: make(chan struct{})}
	w.crew.Cancel = p.a.exchange.GiveUp
	p.words = w
	w.crew.Start(func() { w.read(p.read) })
	began, timer := time.Now(), time.NewTimer(g.patience)
	defer timer.Stop()
	select {
	case <-w.done:
		p.endWords()
	case <-timer.C:
		p.prefix, _ = w.take()
	}
	g.patience = max(g.patience-time.Since(began), 1)
	return p.words == nil
}

// endWords waits for the goroutine that reads words, and sets prefix to the bytes that it read
// since.
func (p *passed) endWords() {
	w := p.words
	<-w.done
	p.words = nil
	p.prefix, p.ended = w.take()
	w.crew.Wait()
}

// pass takes over the answer of an attempt. If the status refuses the request, pass reads the words
// at the beginning of the body. If they do not come in time, status and header decide about a
// repeat.
func (c *call) pass(a *answer) *failedAttempt {
	resp := a.resp
	p := &passed{a: a}
	encoding := resp.Header.Get("Content-Encoding")
	p.inflate = c.given.inflate && resp.ContentLength != 0 && strings.EqualFold(encoding, "gzip")
	c.given.answer = p
	// Open gets no header, so that it neither decompresses nor reads.
	_ = a.Open(a.exchange.Context(), &http.Response{Body: resp.Body}, cmp.Or(c.endpoint.config.MaxBodyBytes, c.op.limit))
	if resp.StatusCode < 400 {
		return nil
	}
	f := &failedAttempt{status: resp.StatusCode, header: resp.Header, answer: p}
	whole := p.readWords()
	body := p.prefix
	if !p.inflate {
		body = inflated(c.ctx, p.prefix, resp.Header)
	}
	if whole {
		f.body = body
	}
	c.judgeRefusal(f, resp.Header)
	f.body = body
	return f
}

// passedAnswer is what the loop gets in place of the answer for the caller, so that the loop and
// its http.Client neither repeat nor redirect because of the answer.
var passedAnswer = &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}

// inflated returns the beginning of a body, decompressed if it is gzip, to look for words. The
// caller gets the compressed body and decompresses it.
func inflated(ctx context.Context, prefix []byte, header http.Header) []byte {
	if header.Get("Content-Encoding") == "" {
		return prefix
	}
	var b transport.Body
	resp := &http.Response{Header: header, Body: io.NopCloser(bytes.NewReader(prefix))}
	if b.Open(ctx, resp, maxErrorBody) != nil {
		return prefix
	}
	defer b.Close()
	text, _ := io.ReadAll(io.LimitReader(&b, maxErrorBody)) // prefix may end in the middle of gzip
	return text
}

// response returns the answer as the caller gets it.
func (p *passed) response() *http.Response {
	resp := p.a.resp
	resp.Request = p.a.c.given.request
	resp.Body = p
	if p.inflate {
		resp.Header = resp.Header.Clone()
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	if len(p.prefix) == 0 && p.ended == io.EOF {
		p.finish(nil)
	}
	return resp
}

// gone reports whether the exchange ended before the body did, so that the caller cannot get the
// answer.
func (p *passed) gone() bool { return p.over && p.ended != io.EOF }

// drop closes the exchange of the answer, for example before the request is repeated.
func (p *passed) drop() {
	if p.over {
		return
	}
	p.over = true
	defer p.a.Close()
	if p.words != nil {
		p.a.exchange.GiveUp()
		p.endWords()
	}
}

// read reads from the body of the exchange.
func (p *passed) read(b []byte) (int, error) {
	if p.inflate && !p.opened {
		p.opened = true
		compressed := &http.Response{Body: p.a.exchange, Header: http.Header{"Content-Encoding": {"gzip"}}}
		if err := p.a.Open(p.a.exchange.Context(), compressed, p.a.Limit()); err != nil {
			return 0, err
		}
	}
	return p.a.Read(b)
}

// Read reads the answer. Its error, other than io.EOF, is an *Error.
func (p *passed) Read(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	if p.words != nil && len(p.prefix) == 0 && len(b) > 0 {
		p.endWords()
	}
	switch {
	case len(p.prefix) > 0:
		n = copy(b, p.prefix)
		p.prefix = p.prefix[n:]
		return n, nil
	case p.ended == nil && len(b) == 0:
		return 0, nil
	case p.ended == nil:
		if n, p.ended = p.read(b); p.ended == nil {
			return n, nil
		}
	}
	if p.closed.Load() {
		return n, http.ErrBodyReadAfterClose
	}
	p.finish(p.ended)
	return n, p.ended
}

// finish ends the exchange, and the call for the observer, once. err is the error of
// the last Read; finish makes an *Error of it.
func (p *passed) finish(err error) {
	c := p.a.c
	if err != nil && err != io.EOF {
		var known *Error
		if !errors.As(err, &known) {
			failed := c.unusable(p.a, err)
			failed.call, failed.outcome, failed.body = c, final, nil
			p.err = c.describe(failed)
			p.ended = p.err
		}
	}
	p.drop()
	c.end(p.err)
}

// Close ends the exchange. It may run during a Read of another goroutine, which then ends.
func (p *passed) Close() error {
	if p.closed.Swap(true) {
		return nil
	}
	if !p.mu.TryLock() {
		p.a.exchange.GiveUp()
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	p.finish(nil)
	return nil
}
