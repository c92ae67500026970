package jobboard

import (
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/credential"
)

// After a 401 that calls the token expired, call.renew gets another token, and call.permitted waits
// until the request may be repeated with it. If many calls were sent with the expired token, one of
// them, the probe, repeats its request first. So a service that rejects the new token too gets one
// more request, and not one for each call.

// renew asks the token source for a token in place of rejected, which an answer called expired. If
// the source gives a different token, failed keeps it for the next attempt.
func (c *call) renew(rejected *credential.Authorization, failed *failedAttempt) *failedAttempt {
	c.renewedOnce = true
	fresh, err := c.endpoint.credential.Renew(c, rejected.Secret)
	switch {
	case c.ctx.Err() != nil:
		failed.drop()
		return ended(c.ctx.Err(), !c.op.safe())
	case err != nil:
		detail, cause := credential.Cause(err, maxErrorCause)
		failed.err = &failure{
			kind: ErrUnauthorized, detail: c.secrets.Hide("renewing the token failed: " + detail), cause: cause,
		}
	case fresh.Secret != rejected.Secret:
		failed.fresh, failed.outcome = fresh, renewed
	}
	return failed
}

// permitted waits until the call may repeat its request with the new token. It returns "" if the
// call is the probe or the service has accepted the token, and otherwise why the call ends. If the
// call's time ends first, permitted changes f to say so. A bulk call runs another job during the
// wait.
func (c *call) permitted(f *failedAttempt) StopReason {
	if c.request.turn != nil {
		c.request.turn.StepAside()
	}
	fresh, state, err := f.fresh.Await(c)
	switch {
	case err != nil:
		return c.outOfTime(f)
	case state == credential.Open:
		return StopFinal
	}
	c.secrets.Add(fresh.Secret)
	f.fresh = fresh
	if state == credential.Closed {
		return ""
	}
	c.probe = fresh
	why := c.payProbe(f)
	if why != "" {
		// Other calls wait for the probe: they should not wait for the Observer's functions too,
		// which run next.
		c.endProbe(false)
	}
	return why
}

// payProbe waits until the retry budget permits this call's probe, and returns why it does not, or
// "".
func (c *call) payProbe(f *failedAttempt) StopReason {
	for c.cost.Budget != nil {
		allowed, ended := c.cost.BeginProbe(time.Now())
		switch {
		case allowed:
			c.probePermitted = true
			return ""
		case ended == nil:
			return StopBudget
		}
		wait := c.WaitContext()
		select {
		case <-ended:
		case <-wait.Done():
			return c.outOfTime(f)
		}
	}
	return ""
}

// outOfTime overwrites f with the failure of a call whose time ended during a wait.
func (c *call) outOfTime(f *failedAttempt) StopReason {
	late := &failedAttempt{
		err:     &failure{kind: ErrTimeout, detail: errCallTimeout.Error(), cause: errCallTimeout},
		stopped: StopDeadline, mayHaveExecuted: c.reached && !c.op.safe(),
	}
	if cause := c.ctx.Err(); cause != nil {
		late = c.endedBetween(cause)
	}
	late.call = c
	f.drop()
	*f = *late
	return f.stopped
}

// judge tells the token cache whether the service accepted or rejected the token.
func (c *call) judge(auth *credential.Authorization, status int) {
	auth.Answered(status)
	c.endProbe(status == http.StatusUnauthorized)
}

// endProbe reports the result of the probe, if this call is the probe.
func (c *call) endProbe(refused bool) {
	if c.probe == nil {
		return
	}
	c.probe.EndProbe(refused)
	c.probe = nil
	if c.probePermitted {
		c.endpoint.budget.EndProbe(time.Now(), refused)
		c.probePermitted = false
	}
}
