package jobboard

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/call"
	"github.com/jobboard-sdk/jobboard-go/internal/redact"
)

// Observer watches calls, for traces and metrics. A function that is nil is not called; without an
// Observer nothing is measured. The functions run in the goroutine of the call, for many calls at
// once, and must not block.
//
// Their arguments hold no credential, no query value and no identifier.
type Observer struct {
	// Call runs when a call starts. It returns the context for the rest of the call (nil: the call
	// keeps ctx), and a function that runs when the call ends; nil: none.
	Call func(ctx context.Context, call CallStart) (context.Context, func(CallEnd))
	// Attempt runs before each attempt of a call, with the call's context. It returns the context
	// for the rest of the attempt (nil: the attempt keeps ctx), and a function that runs when the
	// attempt ends; nil: none. A followed redirect belongs to the attempt.
	Attempt func(ctx context.Context, attempt AttemptStart) (context.Context, func(AttemptEnd))
}

// CallStart describes a call before anything is sent.
type CallStart struct {
	Op     string // the method: "Search", "HasApplied", ...
	Method string // of HTTP
	Path   string // the template, without the base address's own path; empty for Transport
	Scheme string // of the address; empty where there is none
	Host   string
	Port   string
}

// CallEnd describes the outcome of a call.
type CallEnd struct {
	Err        *Error // nil: success
	StatusCode int    // status of the last request's answer; 0: no answer
	Attempts   int    // requests sent; followed redirects do not count
	Duration   time.Duration
	Decode     time.Duration // time to decode answers, without waits for bytes; a stream's first posting only
	Budget     float64       // tokens left in the retry budget; 0 also without a budget
}

// AttemptStart describes an attempt before its request is sent.
type AttemptStart struct {
	Number int         // 1 for the first attempt of the call
	Header http.Header // the observer may add fields such as traceparent; the library then sets its own
}

// AttemptEnd describes the outcome of an attempt.
type AttemptEnd struct {
	StatusCode int // 0: no answer
	// Header holds the answer's headers, without Set-Cookie and secrets, and at
	// most 16 KiB of them; nil: no answer. It may be changed.
	Header   http.Header
	Err      error
	Received time.Time // when the answer's header came; zero: no answer
	Duration time.Duration
	Repeat   bool          // another attempt follows
	Wait     time.Duration // the wait before it
}

// watch tells an Observer of one call. A nil watch tells nobody.
type watch struct {
	observer    *Observer
	callDone    func(CallEnd)
	attemptDone func(AttemptEnd)
	start       time.Time
	attempt     time.Time
	decode      time.Duration
	status      int // of the last request's answer
	header      http.Header
	received    time.Time
}

// startCall tells the observer, which may be nil, that a call starts. It returns
// the call's context.
func (o *Observer) startCall(ctx context.Context, start CallStart) (*watch, context.Context) {
	if o == nil {
		return nil, ctx
	}
	w := &watch{observer: o, start: time.Now()}
	if o.Call == nil {
		return w, ctx
	}
	given, done := o.Call(ctx, start)
	w.callDone = done
	if given != nil {
		ctx = given
	}
	return w, ctx
}

// endCall tells the observer that the call ended, once.
func (w *watch) endCall(end CallEnd) {
	if w == nil || w.callDone == nil {
		return
	}
	end.StatusCode, end.Duration, end.Decode = w.status, time.Since(w.start), w.decode
	done := w.callDone
	w.callDone = nil // reset before the call: if done panics, endCall runs again and must not repeat it
	done(end)
}

// startAttempt tells the observer of a request. It returns the request's context
// and the headers that the observer adds.
func (w *watch) startAttempt(ctx context.Context, start AttemptStart) (context.Context, http.Header) {
	if w == nil {
		return ctx, nil
	}
	w.status, w.header, w.received = 0, nil, time.Time{} // forget the previous attempt's answer
	if w.observer.Attempt == nil {
		return ctx, nil
	}
	w.attempt = time.Now()
	start.Header = http.Header{}
	given, done := w.observer.Attempt(ctx, start)
	w.attemptDone = done
	if given != nil {
		ctx = given
	}
	return ctx, start.Header
}

// endAttempt tells the observer that the attempt ended, if one is under way.
func (w *watch) endAttempt(end AttemptEnd) {
	if w == nil || w.attemptDone == nil {
		return
	}
	end.StatusCode, end.Header, end.Received, end.Duration = w.status, w.header, w.received, time.Since(w.attempt)
	done := w.attemptDone
	w.attemptDone = nil // as in endCall
	done(end)
}

// answered keeps status and header of an answer for endAttempt and endCall.
func (w *watch) answered(a *call.Answer, secrets *redact.Secrets) {
	if w == nil {
		return
	}
	w.status, w.received = a.Response.StatusCode, a.At
	if w.attemptDone == nil {
		return
	}
	room := 16 << 10
	w.header = make(http.Header, len(a.Response.Header))
	for _, name := range slices.Sorted(maps.Keys(a.Response.Header)) {
		if name == "Set-Cookie" || name == "Set-Cookie2" {
			continue
		}
		for _, value := range a.Response.Header[name] {
			if room -= len(name) + len(value); room >= 0 {
				w.header[name] = append(w.header[name], secrets.Hide(value))
			}
		}
	}
}

// Begin reports a request to the Observer and the Logger. It returns the request's context and the
// headers that the observer adds.
func (c *invocation) Begin(ctx context.Context, number int) (context.Context, http.Header) {
	ctx, added := c.watch.startAttempt(ctx, AttemptStart{Number: number})
	c.began = c.logRequest(number)
	return ctx, added
}

// End reports to the Observer and the Logger that an attempt ended, and to the Logger an answer that was
// read to its end or dropped.
func (c *invocation) End(end call.End) {
	if end.Answer != nil {
		c.watch.answered(end.Answer, &c.Secrets)
		c.logAnswer(end.Answer)
	}
	if end.Repeat {
		c.logRepeat(end)
	}
	if c.watch == nil {
		return
	}
	var err error
	if end.Failure != nil {
		err = c.condition(end.Failure)
	}
	c.watch.endAttempt(AttemptEnd{Err: err, Repeat: end.Repeat, Wait: end.Wait})
}

// The records of Config.Logger. Their keys stay: op, method, host, path, channel, attempt, attempts,
// status, duration, bytes, code, condition, wait, stopped, request. None holds a body, a query, a
// credential or the identifier of a job, a posting or an applicant.

// logRequest logs that a request is sent and returns the time. If the Logger does not want the
// records of requests and answers, it returns the zero time.
func (c *invocation) logRequest(number int) time.Time {
	l := c.endpoint.config.Logger
	if l == nil || !l.Enabled(c.Context(), slog.LevelDebug) {
		return time.Time{}
	}
	attrs := []slog.Attr{
		slog.String("op", c.op.name), slog.String("method", c.op.method), slog.String("host", c.endpoint.Origin.Host),
		slog.String("path", c.op.path), slog.Int("attempt", number),
	}
	if c.channel != "" {
		attrs = append(attrs, slog.String("channel", string(c.channel)))
	}
	l.LogAttrs(c.Context(), slog.LevelDebug, "jobboard: request", attrs...)
	return time.Now()
}

// logAnswer logs an answer, once, if it is closed.
func (c *invocation) logAnswer(a *call.Answer) {
	closed, ok := a.Closed()
	if c.began.IsZero() || !ok {
		return
	}
	took := closed.Sub(c.began)
	c.began = time.Time{}
	c.endpoint.config.Logger.LogAttrs(c.Context(), slog.LevelDebug, "jobboard: answer",
		slog.String("op", c.op.name), slog.String("path", c.op.path), slog.Int("attempt", c.Attempts()),
		slog.Int("status", a.Response.StatusCode), slog.Duration("duration", took), slog.Int64("bytes", a.Received()))
}

func (c *invocation) logRepeat(end call.End) {
	if l := c.endpoint.config.Logger; l != nil {
		l.LogAttrs(c.Context(), slog.LevelInfo, "jobboard: repeat", slog.String("op", c.op.name), slog.String("path", c.op.path),
			slog.Int("attempt", c.Attempts()), slog.Int("status", end.Failure.Status()), slog.Duration("wait", end.Wait))
	}
}

func (c *invocation) logFailure(e *Error) {
	l := c.endpoint.config.Logger
	if l == nil {
		return
	}
	condition := "unnamed"
	var f *failure
	switch {
	case errors.As(e.Err, &f):
		condition = f.kind.Error()
	case e.Err != nil:
		condition = clean(e.Err.Error(), maxErrorCause)
	}
	attrs := []slog.Attr{
		slog.String("op", e.Op), slog.String("path", e.Path),
		slog.Int("attempts", e.Attempts), slog.Int("status", e.StatusCode),
		slog.String("code", clean(e.Code, 60)), slog.String("condition", condition),
		slog.String("stopped", string(e.Stopped)),
	}
	if e.RequestID != "" {
		attrs = append(attrs, slog.String("request", e.RequestID))
	}
	l.LogAttrs(c.Context(), slog.LevelDebug, "jobboard: failed", attrs...)
}
