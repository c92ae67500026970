package credential

import (
	"errors"
	"net/url"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go/internal/redact"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
	"golang.org/x/oauth2"
)

// Cause returns the text, of at most limit bytes, and the cause of a token source's error that are
// safe to show. An OAuth2 client's error holds the whole answer of the token endpoint, and a URL's
// error may hold the secret in the URL.
func Cause(err error, limit int) (detail string, cause error) {
	var retrieve *oauth2.RetrieveError
	if errors.As(err, &retrieve) {
		detail = "the token endpoint refused"
		if retrieve.ErrorCode != "" {
			detail += ": " + redact.Clean(retrieve.ErrorCode, 60)
		} else if retrieve.Response != nil {
			detail += " with status " + strconv.Itoa(retrieve.Response.StatusCode)
		}
		return detail, nil
	}
	var u *url.Error
	if errors.As(err, &u) {
		detail = "the token endpoint was not reached: " + redact.Clean(transport.CauseText(err), limit)
		return detail, transport.SafeCause(err)
	}
	return redact.Clean(err.Error(), limit), err
}
