package jobboard

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// Observer watches calls, for traces and metrics. A function that is nil is
// not called; without an Observer nothing is measured. The functions run in
// the goroutine of the call, for many calls at once, and must not block.
//
// Their arguments hold no credential, no query value and no identifier.
type Observer struct {
	// Call runs when a call starts. The call continues with the context that it
	// returns, or with its own if that is nil. The function that it returns, if
	// any, runs at the end of the call.
	Call func(ctx context.Context, call CallStart) (context.Context, func(CallEnd))
	// Attempt runs before each attempt of a call, with the call's context. The
	// attempt continues with the context that it returns, or with the call's if
	// that is nil. The function that it returns, if any, runs at the end of the
	// attempt. A redirect that is followed belongs to the attempt.
	Attempt func(ctx context.Context, attempt AttemptStart) (context.Context, func(AttemptEnd))
}

// CallStart describes a call before anything is sent.
type CallStart struct {
	Op     string // the method: "Search", "HasApplied", ...
	Method string // of HTTP
	Path   string // the template, without the base address's own path
	Scheme string // of the address; empty where there is none
	Host   string
	Port   string
}

// CallEnd describes the outcome of a call.
type CallEnd struct {
	Err        *Error // nil: success
	StatusCode int    // of the last request's answer, 0 where there was none
	Attempts   int    // how many there were; a redirect that was followed is none
	Duration   time.Duration
	Decode     time.Duration // the part of Duration spent on answers, not waiting for their bytes
	Budget     float64       // tokens left in the retry budget; 0 where there is none
}

// AttemptStart describes an attempt before its request is sent.
type AttemptStart struct {
	Number int         // of the attempt in its call, from 1
	Header http.Header // may be added to, such as traceparent; the library's own fields are set after
}

// AttemptEnd describes the outcome of an attempt.
type AttemptEnd struct {
	StatusCode int // 0: no answer
	Err        error
	Duration   time.Duration
	Repeat     bool          // another attempt follows
	Wait       time.Duration // before that attempt
}

// watch holds the state of an Observer for one call.
type watch struct {
	observer    *Observer
	callDone    func(CallEnd)
	attemptDone func(AttemptEnd)
	start       time.Time
	attempt     time.Time
	decode      time.Duration
	status      int
}

// startCall tells the observer that the call starts.
func (c *call) startCall() {
	o := c.slot.config.Observer
	if o == nil {
		return
	}
	c.watch = &watch{observer: o, start: time.Now()}
	if o.Call == nil {
		return
	}
	s := CallStart{Op: c.op.name, Method: c.op.method, Path: c.op.path}
	if c.slot.base != nil {
		s.Scheme, s.Host, s.Port = c.slot.origin.Scheme, c.slot.origin.Host, c.slot.origin.Port
	}
	var ctx context.Context
	if ctx, c.watch.callDone = o.Call(c.ctx, s); ctx != nil {
		c.ctx = ctx
	}
}

// endCall tells the observer that the call ended; err is nil for success.
func (c *call) endCall(err *Error) {
	w := c.watch
	if w == nil {
		return
	}
	c.endAttempt(AttemptEnd{})
	if w.callDone == nil {
		return
	}
	end := CallEnd{Err: err, StatusCode: w.status, Attempts: c.attempts, Duration: time.Since(w.start), Decode: w.decode}
	if c.slot.budget != nil {
		end.Budget, _ = c.slot.budget.State(time.Now())
	}
	w.callDone(end)
	w.callDone = nil
}

// startAttempt tells the observer of a request. It returns the request's context
// and the headers that the observer adds.
func (c *call) startAttempt() (context.Context, http.Header) {
	w := c.watch
	if w == nil {
		return c.ctx, nil
	}
	w.status = 0 // an attempt without an answer has none of the one before
	if w.observer.Attempt == nil {
		return c.ctx, nil
	}
	w.attempt = time.Now()
	header := http.Header{}
	ctx, done := w.observer.Attempt(c.ctx, AttemptStart{Number: c.attempts + 1, Header: header})
	w.attemptDone = done
	if ctx == nil {
		ctx = c.ctx
	}
	return ctx, header
}

func (c *call) endAttempt(end AttemptEnd) {
	w := c.watch
	if w == nil || w.attemptDone == nil {
		return
	}
	if end.StatusCode == 0 {
		end.StatusCode = w.status
	}
	end.Duration = time.Since(w.attempt)
	w.attemptDone(end)
	w.attemptDone = nil
}

// The records of Config.Logger. Their keys stay: op, path, attempt, attempts,
// status, code, condition, wait, stopped. None holds a body, an address or an
// identifier.

func (c *call) logRepeat(status int) {
	if l := c.slot.config.Logger; l != nil {
		l.LogAttrs(c.ctx, slog.LevelInfo, "jobboard: repeat", slog.String("op", c.op.name), slog.String("path", c.op.path),
			slog.Int("attempt", c.attempts), slog.Int("status", status), slog.Duration("wait", c.wait))
	}
}

func (c *call) logFailure(e *Error) {
	if l := c.slot.config.Logger; l != nil {
		condition := "unnamed"
		var f *failure
		switch {
		case errors.As(e.Err, &f):
			condition = f.kind.Error()
		case e.Err != nil:
			condition = clean(e.Err.Error(), maxErrorCause)
		}
		l.LogAttrs(c.ctx, slog.LevelDebug, "jobboard: failed", slog.String("op", e.Op), slog.String("path", e.Path),
			slog.Int("attempts", e.Attempts), slog.Int("status", e.StatusCode), slog.String("code", clean(e.Code, 60)),
			slog.String("condition", condition), slog.String("stopped", string(e.Stopped)))
	}
}
