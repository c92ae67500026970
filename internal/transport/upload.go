package transport

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// Upload is the body of a request whose Read may block, such as an io.Pipe. While it blocks,
// net/http does not return from the request, even if the request's context ends. So a goroutine
// reads the body ahead into a buffer, and Read waits for the goroutine until the context ends. The
// goroutine ends with the context, or when the body's Read returns.
type Upload struct {
	ctx  context.Context // of the exchange
	body io.ReadCloser
	size int // of the first buffer

	// What Read uses.
	begun bool
	rest  []byte // unread bytes of the last part
	err   error  // error after rest

	parts chan part     // parts read by the goroutine
	next  chan struct{} // asks the goroutine for the next part
	done  chan struct{} // closed by Close

	mu      sync.Mutex
	reading bool // the goroutine is in the body's Read
	closed  bool
}

// part is the result of one Read of the body.
type part struct {
	bytes []byte
	err   error
}

// uploadBuffer is as large as the buffer of io.Copy, with which net/http sends a body. A body of
// unknown length begins with firstBuffer.
const (
	uploadBuffer = 32 << 10
	firstBuffer  = 4 << 10
)

// NewUpload returns the body of a request of the exchange. length is the request's ContentLength, 0
// or negative if unknown. NewUpload starts no goroutine; the first Read does.
func (x *Exchange) NewUpload(body io.ReadCloser, length int64) *Upload {
	size := firstBuffer
	if length > 0 {
		size = int(min(length, uploadBuffer-1)) + 1 // so that the body does not fill the buffer
	}
	return &Upload{
		ctx: x.ctx, body: body, size: size,
		parts: make(chan part, 1), next: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// Read returns bytes of the body, or why the context ended. After that it returns no bytes, even if
// some are buffered.
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

// readAhead reads the body in parts. It reads each part as soon as Read has used up the previous
// part.
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

// Close closes the body. During a Read of the body, Close returns at once and leaves closing to the
// goroutine, because a body must not be closed before its Read has returned.
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
