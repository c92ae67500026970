package call

import "errors"

// place waits until fewer jobs of the bulk call run than may.
func (c *Call) place() error {
	if c.request.Turn == nil {
		return nil
	}
	return c.clock.untimed(c.request.Turn.StepIn)
}

// limit asks the Limiter for one request. In a bulk call the time of this wait does not count
// towards the call's, because the Limiter may admit many other jobs first.
func (c *Call) limit() (err error) {
	limiter := c.endpoint.Limiter
	switch {
	case limiter == nil:
		return nil
	case c.request.Turn != nil:
		err = c.clock.untimed(limiter.Wait)
	default:
		err = limiter.Wait(c.clock.WaitContext())
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
	return !isContextEnd(target) && errors.Is(e.err, target)
}

// As looks for target in the limiter's error.
func (e *limiterError) As(target any) bool { return errors.As(e.err, target) }

// notAllowed returns the failure of an attempt that got no place or no permission. If the call had
// an earlier attempt, the failure of that attempt is returned.
func (c *Call) notAllowed(err error) *Failure {
	if cause := c.clock.ctx.Err(); cause != nil {
		return c.endedBetween(cause)
	}
	if c.last != nil {
		return c.last.again(Deadline)
	}
	return &Failure{Kind: NotAllowed, Err: err}
}
