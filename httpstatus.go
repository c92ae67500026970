package jobboard

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// statuses lists the statuses for a web handler. The first row counts that has a condition which
// errors.Is finds.
var statuses = []struct {
	status     int
	conditions []error
}{
	{http.StatusBadRequest, []error{ErrInvalidInput}},
	{http.StatusUnauthorized, []error{ErrUnauthorized}},
	{http.StatusNotFound, []error{ErrGone, ErrNotVisible, ErrApplicationNotFound}},
	{http.StatusGone, []error{ErrClosed}},
	{http.StatusForbidden, []error{ErrForbidden}},
	{http.StatusTooManyRequests, []error{ErrRateLimited}},
	{http.StatusServiceUnavailable, []error{ErrToken, ErrPostingUnavailable}},
	{http.StatusGatewayTimeout, []error{ErrTimeout}},
	{http.StatusBadGateway, []error{ErrServer, ErrDecode, ErrRedirect, ErrResponseTooLarge, ErrTransport}},
	{statusClientClosedRequest, []error{context.Canceled}},
	{http.StatusGatewayTimeout, []error{context.DeadlineExceeded}},
}

// statusClientClosedRequest stands in the logs of web servers for a visitor
// who left. net/http has no name for it.
const statusClientClosedRequest = 499

// HTTPStatus returns the status with which a web handler answers its own
// visitor after a call failed with err:
//
//	200  nil
//	400  ErrInvalidInput
//	401  ErrUnauthorized
//	403  ErrForbidden
//	404  ErrGone, ErrNotVisible, ErrApplicationNotFound
//	410  ErrClosed
//	429  ErrRateLimited
//	499  the caller canceled the call
//	502  ErrServer, ErrDecode, ErrRedirect, ErrResponseTooLarge, ErrTransport, and every answer without a named condition
//	503  ErrToken, ErrPostingUnavailable
//	504  ErrTimeout
//	500  any other error
//
// Any other error may have a method HTTPStatus() int that returns its status, as jobmirror's errors
// do. HTTPStatus ignores a status outside 400 to 599.
//
// ErrGone gives 404 and not 410, because it does not say that the job ever existed.
// ErrPostingUnavailable gives 503: a search engine that is told 404 drops the page of a job that
// may well be open. ErrUnauthorized and ErrForbidden are about the credential that the call sent:
// after a Client.Search the rejected credential is the site's own, which no visitor can mend, so a
// handler should answer 502 instead.
func HTTPStatus(err error) int {
	if err == nil {
		return http.StatusOK
	}
	for _, row := range statuses {
		if slices.ContainsFunc(row.conditions, func(condition error) bool { return errors.Is(err, condition) }) {
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
// failed with err: the service's own wait (Error.RetryAfter), else the result of err's method
// RetryAfter() time.Duration, at most a day. If neither gives a wait, a 429 or 503 of [HTTPStatus]
// gets a minute, and any other status gets no Retry-After.
func SetRetryAfter(header http.Header, err error) {
	var wait time.Duration
	var e *Error
	var own interface{ RetryAfter() time.Duration }
	switch status := HTTPStatus(err); {
	case errors.As(err, &e) && e.RetryAfter > 0:
		wait = e.RetryAfter
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
