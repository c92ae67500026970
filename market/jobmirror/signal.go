package jobmirror

import (
	"context"
	"time"
)

// signal wakes one goroutine; raised several times before that, it does so once.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) raise() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// wait returns when s or other was raised, after d, or when ctx ends. One that is
// nil is never raised.
func (s signal) wait(ctx context.Context, other signal, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-s:
	case <-other:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// rest returns after d, or when ctx ends.
func rest(ctx context.Context, d time.Duration) { signal(nil).wait(ctx, nil, d) }

// How long a process that is told to end lets what is under way come to its end:
// lookups are waited for, and then what is left is given back.
const (
	stopTime     = 800 * time.Millisecond
	giveBackTime = 600 * time.Millisecond
)

// outlast returns a context that ends some time after ctx does, or when cancel is called.
func outlast(ctx context.Context, d time.Duration) (longer context.Context, cancel context.CancelFunc) {
	longer, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		rest(longer, d)
		end()
	})
	return longer, func() {
		stop()
		end()
	}
}
