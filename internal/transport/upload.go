package transport

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// Upload is the body of a request whose Read may wait for others, such as that of an
// io.Pipe. net/http does not return from a request while it is in such a Read, whatever
// becomes of the request's context. So a goroutine reads the body ahead, into a buffer of
// its own, and Read waits for that until the context ends. The goroutine ends with the
// context too, unless it is in the body's Read then: it ends when that returns.
type Upload struct {
	ctx  context.Context // of the exchange
	body io.ReadCloser
	size int // of the first buffer

	// What Read uses.
	begun bool
	rest  []byte // of the part that was read last
	err   error  // behind rest

	parts chan part     // from the goroutine
	next  chan struct{} // to it: the last part is used up
	done  chan struct{} // closed by Close

	mu      sync.Mutex
	reading bool // the goroutine is in the body's Read
	closed  bool
}

// part is what one Read of the body has given.
type part struct {
	bytes []byte
	err   error
}

// uploadBuffer is as large as the one of io.Copy, with which net/http sends a body. A body
// of a length that is not known begins with a smaller one.
const (
	uploadBuffer = 32 << 10
	firstBuffer  = 4 << 10
)

// NewUpload returns the body of a request of the exchange. length is that of the request,
// 0 or negative if it is not known. It starts no goroutine before the first Read.
func (x *Exchange) NewUpload(body io.ReadCloser, length int64) *Upload {
	size := firstBuffer
	if length > 0 {
		size = int(min(length, uploadBuffer-1)) + 1 // so that it does not fill the buffer
	}
	return &Upload{
		ctx: x.ctx, body: body, size: size,
		parts: make(chan part, 1), next: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// Read returns what the body gives, or why the context ended. Then it gives nothing more,
// even if there are bytes at hand.
func (u *Upload) Read(p []byte) (n int, err error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	if len(u.rest) == 0 && u.err == nil {
		if !u.begun {
			u.begun = true
			go u.readAhead()
		}
		select {
		case got := <-u.parts:
			u.rest, u.err = got.bytes, got.err
		case <-u.ctx.Done():
			return 0, context.Cause(u.ctx)
		case <-u.done:
			return 0, http.ErrBodyReadAfterClose
		}
	}
	n = copy(p, u.rest)
	u.rest = u.rest[n:]
	switch {
	case len(u.rest) > 0:
		return n, nil
	case u.err == nil:
		u.next <- struct{}{}
	}
	return n, u.err
}

// readAhead reads one part after the other, each as soon as the one before is used up.
func (u *Upload) readAhead() {
	buffer := make([]byte, u.size)
	for u.enter() {
		n, err := u.body.Read(buffer)
		u.leave()
		u.parts <- part{buffer[:n], err}
		if err != nil {
			return
		}
		select {
		case <-u.next:
		case <-u.done:
			return
		case <-u.ctx.Done():
			return
		}
		if n == len(buffer) && n < uploadBuffer {
			buffer = make([]byte, uploadBuffer)
		}
	}
}

// enter reports whether the body may be read.
func (u *Upload) enter() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.reading = !u.closed
	return u.reading
}

func (u *Upload) leave() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.reading = false
}

// Close closes the body. If that is being read, Close does not wait for it, because a body
// may not be closed before its Read has returned.
func (u *Upload) Close() error {
	u.mu.Lock()
	first, reading := !u.closed, u.reading
	u.closed = true
	u.mu.Unlock()
	if !first {
		return nil
	}
	close(u.done)
	if reading {
		go func() { _ = u.body.Close() }()
		return nil
	}
	return u.body.Close()
}
