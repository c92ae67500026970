package jobboardtest

import (
	"fmt"
	"net/http"
)

// refuseCredential returns the answer that refuses a request's credential, and notes the
// reason for the journal.
func (c *call) refuseCredential(why string, a answer) (answer, bool) {
	c.note = "refused: " + why
	return a, false
}

// needAny lets a client token, a user token or a public client through.
func (c *call) needAny() (answer, bool) {
	switch c.cred.kind {
	case credNone:
		return c.refuseCredential("no credential came", c.v.authAnswer(http.StatusUnauthorized, "", ""))
	case credBadBasic:
		return c.refuseCredential(c.cred.note, c.v.authAnswer(http.StatusUnauthorized, "", ""))
	case credUnknown:
		return c.refuseCredential("nobody issued this token", c.v.badToken())
	case lookupToken:
		return c.refuseCredential("a lookup token is for {jobdb_url}", c.v.badToken())
	}
	return c.needAlive()
}

// needUser lets a user token through.
func (c *call) needUser() (answer, bool) {
	switch {
	case c.cred.kind == credBasic:
		return c.refuseCredential("a user token is needed, and Basic came", c.v.authAnswer(http.StatusUnauthorized, "", ""))
	case c.cred.kind == clientToken && !c.cred.expired:
		return c.refuseCredential("a user token is needed, and a client token came",
			c.v.authAnswer(http.StatusUnauthorized, "invalid_token", "user token required, but client token sent"))
	}
	return c.needAny()
}

func (c *call) needAlive() (answer, bool) {
	switch {
	case c.cred.expired:
		return c.refuseCredential("the token has expired", c.v.badToken())
	case c.cred.narrow:
		return c.refuseCredential("the scope of the token is not enough",
			c.v.authAnswer(http.StatusForbidden, "insufficient_scope", "valid token with insufficient scope"))
	}
	return answer{}, true
}

func (v Variants) badToken() answer {
	return v.authAnswer(http.StatusUnauthorized, "invalid_token", "token expired or otherwise invalid")
}

// authAnswer returns a 401 or 403 with its two fields where the switch wants them.
func (v Variants) authAnswer(status int, code, description string) answer {
	if v.InvalidTokenSpace && code == "invalid_token" {
		code = "invalid token"
	}
	a := answer{Status: status, Header: http.Header{}}
	if v.AuthErrors != AuthInBody {
		h := "Bearer"
		if code != "" {
			h += fmt.Sprintf(` error=%q, error_description=%q`, code, description)
		}
		a.Header.Set("WWW-Authenticate", h)
	}
	if status == http.StatusForbidden {
		a.ContentType = typeText // api/openapi.yaml promises a text with a 403 about a job; this one is empty
	}
	if v.AuthErrors != "" && code != "" {
		a.ContentType, a.Body = typeJSON, marshal(wireAuthError{code, description})
	}
	return a
}
