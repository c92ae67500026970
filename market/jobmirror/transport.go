package jobmirror

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
)

// Transport answers requests from the copy as Handler does, in the process and without a
// socket, whatever host they name; but a search (4.1) finds what Mirror.Search does without Query.All, in
// the order of Relevance. A client of the copy is one of the board whose
// Config.HTTPClient has this transport. Options.Authorize is not asked.
func (m *Mirror) Transport() http.RoundTripper { return transport{m.routes(false), m.logger()} }

type transport struct {
	handler http.Handler
	log     *slog.Logger
}

// RoundTrip returns an answer once it begins. Its body ends with an error where the
// handler gives up in the middle.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	// The handler ends with the request, and when its answer is not read on.
	ctx, cancel := context.WithCancel(r.Context())
	inner := r.Clone(ctx)
	inner.RequestURI, inner.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:0"
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	read, write := io.Pipe()
	stop := context.AfterFunc(ctx, func() { write.CloseWithError(context.Cause(ctx)) })
	w := &pipedAnswer{header: http.Header{}, body: write, begun: make(chan *http.Response, 1)}
	go func() {
		defer inner.Body.Close()
		defer stop()
		var broken error
		defer func() {
			if cause := recover(); cause != nil { // as net/http's server does
				broken = io.ErrUnexpectedEOF
				if cause != http.ErrAbortHandler {
					t.log.ErrorContext(ctx, "jobmirror: panic in "+r.URL.Path, "panic", cause)
				}
			}
			if broken == nil {
				w.WriteHeader(http.StatusOK)
			} else {
				w.once.Do(func() { close(w.begun) })
			}
			// A handler that ended because the request did has not written all.
			write.CloseWithError(cmp.Or(broken, context.Cause(ctx)))
		}()
		t.handler.ServeHTTP(w, inner)
	}()
	select {
	case answer, ok := <-w.begun:
		if !ok {
			cancel()
			return nil, fmt.Errorf("jobmirror: no answer: %w", io.ErrUnexpectedEOF)
		}
		answer.Request, answer.Body = r, &pipedBody{read, cancel}
		return answer, nil
	case <-ctx.Done():
		cancel()
		return nil, context.Cause(ctx)
	}
}

// pipedAnswer is a handler's way to its client.
type pipedAnswer struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	begun  chan *http.Response // closed where there is no answer
}

func (w *pipedAnswer) Header() http.Header { return w.header }

func (w *pipedAnswer) WriteHeader(status int) {
	w.once.Do(func() {
		w.begun <- &http.Response{
			Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header.Clone(), ContentLength: -1,
		}
	})
}

func (w *pipedAnswer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush does nothing: a written answer has already reached the client.
func (w *pipedAnswer) Flush() {}

// pipedBody is the body of an answer. Its end, and its Close, end the handler.
type pipedBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (b *pipedBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}
