package jobboard

import (
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/credential"
)

// After a 401 that calls the token expired, call.renew gets another token, and
// call.permitted waits until the request may be repeated with it. Where many calls
// were sent with the ended token, one of them repeats its request first, as the
// probe: a service that rejects the new token as well then gets one more request,
// and not one for each of them.

// renew replaces the token that an answer called expired. If the source has
// another, the next attempt may send it.
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

// permitted waits until the call may repeat its request with the new token. It
// returns why it may not, or nothing. The call is then the probe, or the service
// has taken the token, and the repeat is free. If the time of the call ends first,
// permitted puts that into f. The call holds no place among others meanwhile.
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
		// The others wait for the probe, and the observer, which is told next, may take its time.
		c.endProbe(false)
	}
	return why
}

// payProbe gets the permission of the budget for the probe that the call is.
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

// outOfTime makes f the failed attempt of a call whose time ended in a wait.
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

// judge tells the cache of a token what an answer says of it.
func (c *call) judge(auth *credential.Authorization, status int) {
	auth.Answered(status)
	c.endProbe(status == http.StatusUnauthorized)
}

// endProbe ends the probe, if the call is one.
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
