package jobboard

import "github.com/jobboard-sdk/jobboard-go/internal/credential"

// renew asks the token source for a token in place of rejected, which an answer called expired. If
// the source gives a different token, the next attempt sends it, unless the service is likely to
// refuse that token too: a service that refuses every token should get hardly more than one request
// a call. The call then ends with its 401, and the next call's first attempt sends the new token.
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
	case fresh.Secret != rejected.Secret && !fresh.Withheld(c.endpoint.budget.CredentialsRefused()):
		c.secrets.Add(fresh.Secret)
		failed.fresh, failed.outcome = fresh, renewed
	}
	return failed
}

// judge notes what the status of an answer says about the token, for the source and for its origin.
func (c *call) judge(auth *credential.Authorization, status int) {
	switch auth.Answered(status) {
	case credential.Accepted:
		c.endpoint.budget.SetCredentialsRefused(false)
	case credential.Refused:
		c.endpoint.budget.SetCredentialsRefused(true)
	}
}
