package jobboard

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// passed is the Body that the caller of Client.Transport reads.
type passed struct {
	call   *invocation
	answer answer
	zipped bool   // the next Read begins to decompress the body for the caller
	err    *Error // what the observer gets at the end; nil: success

	mu     sync.Mutex // held during a Read; Close may run meanwhile
	ended  error      // the error of every later Read; nil: more follows
	closed atomic.Bool
}

// take takes over the answer of an attempt, unread.
func (p *passed) take(a answer) error {
	p.answer = a
	encoding := a.Response.Header.Get("Content-Encoding")
	p.zipped = p.call.Given().Zipped && a.Response.ContentLength != 0 && strings.EqualFold(encoding, "gzip")
	return nil
}

// response returns the answer as the caller gets it.
func (p *passed) response() *http.Response {
	resp := p.answer.Response
	resp.Request = p.call.Given().Request
	resp.Body = p
	if p.zipped {
		resp.Header = resp.Header.Clone()
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	return resp
}

// read reads from the answer.
func (p *passed) read(b []byte) (int, error) {
	if p.zipped {
		p.zipped = false
		if err := p.answer.Unzip(); err != nil {
			return 0, err
		}
	}
	return p.answer.Read(b)
}

// Read reads the answer. Its error, other than io.EOF, is an *Error.
func (p *passed) Read(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	switch {
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
	c := p.call
	if _, known := errors.AsType[*Error](err); err != nil && err != io.EOF && !known {
		failed := p.answer.Broken(err)
		failed.Body = nil
		p.err = c.describe(failed)
		p.ended = p.err
	}
	p.answer.Close()
	c.logAnswer(p.answer.Answer)
	c.end(p.err)
}

// Close ends the exchange. It may run during a Read of another goroutine, which then ends.
func (p *passed) Close() error {
	if p.closed.Swap(true) {
		return nil
	}
	if !p.mu.TryLock() {
		p.answer.Interrupt()
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	p.finish(nil)
	return nil
}
