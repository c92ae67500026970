// Package stall cancels a request when its host falls silent. Unlike a deadline it lets a
// long answer take any time, as long as bytes keep coming.
package stall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Watch bounds the time during which a host sends nothing, from the request to the end of
// its answer. It times the wait for the answer from New on. After Answered it is the
// answer's body.
type Watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	silent *time.Timer
	most   time.Duration
	body   io.ReadCloser // nil until Answered
}

// New returns a watch for a request that is about to be sent. The watch cancels the request when
// the host is silent for longer than most. The caller must call Close.
func New(ctx context.Context, most time.Duration) *Watch {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Watch{ctx: ctx, cancel: cancel, most: most, silent: time.AfterFunc(most, func() { cancel(silence(most)) })}
}

// silence is the error of a request that was cancelled. It wraps
// context.DeadlineExceeded.
type silence time.Duration

func (s silence) Error() string { return fmt.Sprintf("it sent nothing for %s", time.Duration(s)) }
func (s silence) Unwrap() error { return context.DeadlineExceeded }

// Context returns the context for the request. It ends with New's ctx, on Close, and when the
// host is silent for too long.
func (w *Watch) Context() context.Context { return w.ctx }

// Cause returns the error with which the request ended: the cause of its context's
// end, or else err.
func (w *Watch) Cause(err error) error { return cmp.Or(context.Cause(w.ctx), err) }

// Redirected calls wait between a redirecting answer and the next request. The time of wait
// does not count as the host's silence.
func (w *Watch) Redirected(wait func() error) error {
	w.silent.Stop()
	defer w.silent.Reset(w.most)
	return wait()
}

// Answered sets the body that Read reads.
func (w *Watch) Answered(body io.ReadCloser) { w.body = body }

// Read reads the answer's body. The caller may take any time between two reads.
func (w *Watch) Read(p []byte) (int, error) {
	w.silent.Reset(w.most)
	n, err := w.body.Read(p)
	w.silent.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = w.Cause(err)
	}
	return n, err
}

// Close ends the request, and closes the answer's body if one was set.
func (w *Watch) Close() error {
	w.silent.Stop()
	w.cancel(context.Canceled)
	if w.body == nil {
		return nil
	}
	return w.body.Close()
}
