package call

import (
	"context"
	"errors"

	"github.com/jobboard-sdk/jobboard-go/internal/gate"
)

// place waits until fewer jobs of the bulk call run than may. turn is nil for a single call.
func place(turn *gate.Turn, k *clock) error {
	if turn == nil {
		return nil
	}
	return k.untimed(turn.StepIn)
}

// limit asks the Limiter, which may be nil, for one request. In a bulk call the time of this wait does
// not count towards the call's, because the Limiter may admit many other jobs first.
func limit(limiter Limiter, inBulk bool, k *clock) (err error) {
	switch {
	case limiter == nil:
		return nil
	case inBulk:
		err = k.untimed(limiter.Wait)
	default:
		err = limiter.Wait(k.WaitContext())
	}
	if err != nil {
		return &limiterError{err}
	}
	return nil
}

// limiterError marks an error of the Limiter, also before a redirect. A context error inside it
// comes from the limiter and does not mean that the caller's context ended.
type limiterError struct{ err error }

func (e *limiterError) Error() string { return "Config.Limiter: " + e.err.Error() }

// Is looks for target in the limiter's error, unless target is the end of a context.
func (e *limiterError) Is(target error) bool {
	return target != context.Canceled && target != context.DeadlineExceeded && errors.Is(e.err, target)
}

// As looks for target in the limiter's error.
func (e *limiterError) As(target any) bool { return errors.As(e.err, target) }
