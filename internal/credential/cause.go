package credential

import (
	"errors"
	"net/url"

	"github.com/jobboard-sdk/jobboard-go/internal/redact"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
	"golang.org/x/oauth2"
)

// ErrGrantRefused is the cause of a token endpoint's answer that the grant is over: the applicant's
// sign-in, and nothing of the site's own.
var ErrGrantRefused = errors.New("the token endpoint refused the grant")

// Cause returns the text, of at most limit bytes, and the cause of a token source's error that are
// safe to show. An OAuth2 client's error holds the whole answer of the token endpoint, and a URL's
// error may hold the secret in the URL.
func Cause(err error, limit int) (detail string, cause error) {
	var retrieve *oauth2.RetrieveError
	if errors.As(err, &retrieve) {
		if retrieve.ErrorCode == "invalid_grant" {
			cause = ErrGrantRefused
		}
		return redact.Clean("the token endpoint refused"+refusalOf(retrieve), limit), cause
	}
	var unusable *unusableAnswer
	if errors.As(err, &unusable) {
		return redact.Clean(unusable.Error(), limit), nil
	}
	var u *url.Error
	if errors.As(err, &u) {
		detail = "the token endpoint was not reached: " + redact.Clean(transport.CauseText(err), limit)
		return detail, transport.SafeCause(err)
	}
	return redact.Clean(err.Error(), limit), err
}

// refusalOf returns what a refusal of a token endpoint says: its code, or the status and the beginning
// of an answer that has no code.
func refusalOf(refused *oauth2.RetrieveError) string {
	switch {
	case refused.ErrorCode != "":
		return ": " + redact.Clean(refused.ErrorCode, 60)
	case refused.Response == nil:
		return ""
	}
	return " with status " + describe(refused.Response, refused.Body)
}
