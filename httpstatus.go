package jobboard

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/credential"
)

// statuses lists the statuses for a web handler. The first row counts of which the error, or an error
// joined in it, meets a condition.
var statuses = []struct {
	status     int
	conditions []func(error) bool
}{
	{http.StatusInternalServerError, []func(error) bool{ofConfig}},
	{http.StatusBadRequest, anyOf(ErrInvalidInput)},
	{http.StatusUnauthorized, ofApplicant(ErrUnauthorized, credential.ErrGrantRefused)},
	{http.StatusNotFound, anyOf(ErrNotFound, ErrNotVisible, ErrApplicationNotFound)},
	{http.StatusGone, anyOf(ErrInactive)},
	{http.StatusForbidden, ofApplicant(ErrForbidden)},
	{http.StatusServiceUnavailable, append(anyOf(ErrRateLimited, ErrToken, ErrPostingUnavailable), comesBack)},
	{http.StatusGatewayTimeout, anyOf(ErrTimeout)},
	{http.StatusBadGateway, anyOf(
		ErrUnauthorized, ErrForbidden, ErrServer, ErrDecode, ErrRedirect, ErrResponseTooLarge, ErrTransport)},
	{statusClientClosedRequest, anyOf(context.Canceled)},
	{http.StatusGatewayTimeout, anyOf(context.DeadlineExceeded)},
}

// anyOf returns the conditions that errors.Is finds the errors in an error.
func anyOf(targets ...error) []func(error) bool {
	var all []func(error) bool
	for _, target := range targets {
		all = append(all, func(err error) bool { return errors.Is(err, target) })
	}
	return all
}

// ofConfig reports whether a field of the site's own Config is wrong, or one that the call needs is not set: no visitor
// can mend that.
func ofConfig(err error) bool {
	var mistake *ConfigError
	return errors.As(err, &mistake)
}

// ofApplicant returns the conditions that an error holds the Error of a call in which the applicant's
// token met one of the targets.
func ofApplicant(targets ...error) []func(error) bool {
	return []func(error) bool{func(err error) bool {
		return anyError(err, func(e *Error) bool {
			return e.Credential == applicantsToken &&
				slices.ContainsFunc(targets, func(target error) bool { return errors.Is(e.Err, target) })
		})
	}}
}

// comesBack reports whether a service that failed said when to come again.
func comesBack(err error) bool {
	return anyError(err, func(e *Error) bool { return e.RetryAfter > 0 && errors.Is(e.Err, ErrServer) })
}

// anyError reports whether meets is true for an Error in the tree of err. errors.As finds the first
// alone.
func anyError(err error, meets func(*Error) bool) bool {
	if e, ok := err.(*Error); ok && meets(e) { //nolint:errorlint // this level only
		return true
	}
	switch e := err.(type) { //nolint:errorlint // each level is looked at by itself
	case interface{ Unwrap() error }:
		return anyError(e.Unwrap(), meets)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), func(part error) bool { return anyError(part, meets) })
	}
	return false
}

// statusClientClosedRequest stands in the logs of web servers for a visitor
// who left. net/http has no name for it.
const statusClientClosedRequest = 499

// HTTPStatus returns the status with which a web handler answers its own
// visitor after a call failed with err:
//
//	200  nil
//	400  ErrInvalidInput
//	401  ErrUnauthorized of the applicant's token, and ErrToken if the token endpoint refused the applicant's grant (invalid_grant)
//	403  ErrForbidden of the applicant's token
//	404  ErrNotFound, ErrNotVisible, ErrApplicationNotFound
//	410  ErrInactive
//	499  the caller canceled the call
//	502  ErrUnauthorized and ErrForbidden of the site's own credential, or where none was sent
//	502  ErrServer, ErrDecode, ErrRedirect, ErrResponseTooLarge, ErrTransport, and every answer without a named condition
//	503  ErrRateLimited, any other ErrToken, ErrPostingUnavailable, and ErrServer with a RetryAfter
//	504  ErrTimeout
//	500  ErrInvalidInput of the site's own Config (*ConfigError), and any other error
//
// Of joined errors the first counts in this order: 500 of a ConfigError, 400, 401, 404, 410, 403, 503, 504, 502, 499.
//
// Any other error may have a method HTTPStatus() int that returns its status, as jobmirror's errors
// do. HTTPStatus ignores a status outside 400 to 599.
//
// ErrNotFound gives 404 and not 410, because it does not say that the job ever existed.
// ErrPostingUnavailable gives 503: a search engine that is told 404 drops the page of a job that
// may well be open. A visitor gets 401 and 403 only for their own token, because only the site can
// correct the site's credential. Error.Credential has the difference, so an ErrUnauthorized that is in
// no Error counts as the site's.
func HTTPStatus(err error) int {
	if err == nil {
		return http.StatusOK
	}
	for _, row := range statuses {
		if slices.ContainsFunc(row.conditions, func(meets func(error) bool) bool { return meets(err) }) {
			return row.status
		}
	}
	var e *Error
	if errors.As(err, &e) {
		return http.StatusBadGateway
	}
	var own interface{ HTTPStatus() int }
	if errors.As(err, &own) {
		if status := own.HTTPStatus(); status >= 400 && status <= 599 {
			return status
		}
	}
	return http.StatusInternalServerError
}

// SetRetryAfter sets Retry-After in the header of a web handler's answer to a visitor, after a call
// failed with err: the service's own wait (Error.RetryAfter, of joined errors the longest), else the
// result of err's method RetryAfter() time.Duration, at most a day. If neither gives a wait, a 429 or
// 503 of [HTTPStatus] gets a minute, and any other status gets no Retry-After.
func SetRetryAfter(header http.Header, err error) {
	var wait time.Duration
	anyError(err, func(e *Error) bool {
		wait = max(wait, e.RetryAfter)
		return false // look at the others too
	})
	var own interface{ RetryAfter() time.Duration }
	switch status := HTTPStatus(err); {
	case wait > 0:
	case errors.As(err, &own) && own.RetryAfter() > 0:
		wait = own.RetryAfter()
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		wait = time.Minute
	default:
		return
	}
	seconds := (min(wait, 24*time.Hour) + time.Second - 1) / time.Second // rounded up: 0 would mean at once
	header.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
}
