package call

import (
	"context"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

// timeout bounds a call whose context has no deadline.
const timeout = 60 * time.Second

// The causes of a time-out that the caller's context did not set.
var (
	errAttemptTimeout error = transport.Timeout("no whole answer within the time of one attempt (Retry.AttemptTimeout or HTTPClient.Timeout)")
	errCallTimeout    error = transport.Timeout("no answer within 60 s, the limit of a call whose context has no deadline")
)

// clock knows when a call must end.
type clock struct {
	ctx    context.Context // the caller's
	end    time.Time       // of all attempts and waits
	own    bool            // ctx has a deadline, which is end
	ours   bool            // end is the end of timeout
	cancel context.CancelFunc
}

// newClock returns the clock of a call. The end of an endless call without a deadline is in 100
// years: the limits of reading bound it.
func newClock(ctx context.Context, endless bool, now time.Time) clock {
	if deadline, ok := ctx.Deadline(); ok {
		return clock{ctx: ctx, end: deadline, own: true}
	}
	if endless {
		return clock{ctx: ctx, end: now.AddDate(100, 0, 0)}
	}
	return clock{ctx: ctx, end: now.Add(timeout), ours: true}
}

// WaitContext returns the context for a wait before a request. It ends with the caller's context, or
// after timeout if the caller set no deadline. The next WaitContext, or stop, ends it.
func (k *clock) WaitContext() context.Context {
	if !k.ours {
		return k.ctx
	}
	k.stop()
	var ctx context.Context
	ctx, k.cancel = context.WithDeadlineCause(k.ctx, k.end, errCallTimeout)
	return ctx
}

// stop ends the context of WaitContext.
func (k *clock) stop() {
	if k.cancel != nil {
		k.cancel()
	}
}

// untimed calls wait and moves the end of the call by the time that wait took, unless the caller's
// context has a deadline.
func (k *clock) untimed(wait func(context.Context) error) error {
	began := time.Now()
	err := wait(k.ctx)
	if !k.own {
		k.end = k.end.Add(time.Since(began))
	}
	return err
}

// limits returns the time limits of an exchange: left from now on, or the rest of the call if less
// time remains.
func (k *clock) limits(left, stall time.Duration) transport.Limits {
	limits := transport.Limits{End: time.Now().Add(left), Cause: errAttemptTimeout, Stall: stall}
	if !k.own && k.end.Before(limits.End) { // ctx ends at the caller's deadline
		limits.End, limits.Cause = k.end, errCallTimeout
	}
	return limits
}
