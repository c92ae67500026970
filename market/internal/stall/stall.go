// Package stall gives up an answer whose host falls silent. A deadline would not do where an
// answer is as long as it is: what comes all the time may take any time.
package stall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Watch bounds the time for which a host sends nothing, from the request to the end of its
// answer. After New it waits for the answer; with that it is the answer's body.
type Watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	silent *time.Timer
	most   time.Duration
	body   io.ReadCloser // nil until there is an answer
}

// New returns a watch for a request that is about to be sent. The host may be silent for the time
// most. Close must be called.
func New(ctx context.Context, most time.Duration) *Watch {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Watch{ctx: ctx, cancel: cancel, most: most, silent: time.AfterFunc(most, func() { cancel(silence(most)) })}
}

// silence is the error of an answer that was given up. It is context.DeadlineExceeded.
type silence time.Duration

func (s silence) Error() string { return fmt.Sprintf("it sent nothing for %s", time.Duration(s)) }
func (s silence) Unwrap() error { return context.DeadlineExceeded }

// Context is that of the request. It ends with the context that New got, on Close, and when the
// host was silent for too long.
func (w *Watch) Context() context.Context { return w.ctx }

// Cause returns with what the request ended: err, unless its context ended before.
func (w *Watch) Cause(err error) error { return cmp.Or(context.Cause(w.ctx), err) }

// Redirected calls wait between an answer that redirects and the next request. The host is not
// silent meanwhile.
func (w *Watch) Redirected(wait func() error) error {
	w.silent.Stop()
	defer w.silent.Reset(w.most)
	return wait()
}

// Answered has the watch read the body of an answer.
func (w *Watch) Answered(body io.ReadCloser) { w.body = body }

// Read reads the answer. What its reader does between two calls may take any time.
func (w *Watch) Read(p []byte) (int, error) {
	w.silent.Reset(w.most)
	n, err := w.body.Read(p)
	w.silent.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = w.Cause(err)
	}
	return n, err
}

// Close ends the request and closes the answer, if there is one.
func (w *Watch) Close() error {
	w.silent.Stop()
	w.cancel(context.Canceled)
	if w.body == nil {
		return nil
	}
	return w.body.Close()
}
