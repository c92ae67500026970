package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// What a handler answers, and whether the service has answered about the job,
// for every condition: bare, in an *Error, and joined with another.
func TestConditions(t *testing.T) {
	for _, c := range []struct {
		err     error
		class   error
		status  int
		settled bool
	}{
		{nil, nil, 200, true},
		{jobboard.ErrJobUnavailable, jobboard.ErrGone, 404, true},
		{jobboard.ErrPostingUnavailable, jobboard.ErrGone, 404, true},
		{jobboard.ErrPostingNotFound, jobboard.ErrGone, 404, true},
		{jobboard.ErrProjectNotAvailable, jobboard.ErrGone, 404, true},
		{jobboard.ErrJobInactive, jobboard.ErrClosed, 410, true},
		{jobboard.ErrPostingInactive, jobboard.ErrClosed, 410, true},
		{jobboard.ErrPostingNotAccessible, jobboard.ErrNotVisible, 404, true},
		{jobboard.ErrProjectNotAccessible, jobboard.ErrNotVisible, 404, true},
		{jobboard.ErrApplicationNotFound, nil, 404, true},
		{jobboard.ErrInvalidInput, nil, 400, false},
		{jobboard.ErrUnauthorized, nil, 401, false},
		{jobboard.ErrForbidden, nil, 403, false},
		{jobboard.ErrRateLimited, nil, 429, false},
		{context.Canceled, nil, 499, false},
		{jobboard.ErrServer, nil, 502, false},
		{jobboard.ErrDecode, nil, 502, false},
		{jobboard.ErrRedirect, nil, 502, false},
		{jobboard.ErrResponseTooLarge, nil, 502, false},
		{jobboard.ErrTransport, nil, 502, false},
		{jobboard.ErrToken, nil, 503, false},
		{jobboard.ErrTimeout, nil, 504, false},
	} {
		forms := []error{c.err}
		if c.err != nil {
			forms = append(forms, &jobboard.Error{Err: c.err}, fmt.Errorf("while showing: %w", c.err), errors.Join(io.EOF, c.err))
		}
		for _, err := range forms {
			if got := jobboard.HTTPStatus(err); got != c.status {
				t.Errorf("%v: status %d, want %d", err, got, c.status)
			}
			if got := jobboard.Settled(err); got != c.settled {
				t.Errorf("%v: settled %v", err, got)
			}
			for _, class := range []error{jobboard.ErrGone, jobboard.ErrClosed, jobboard.ErrNotVisible} {
				if errors.Is(err, class) != (class == c.class) {
					t.Errorf("%v is %v: %v", err, class, class != c.class)
				}
			}
		}
	}
	for err, want := range map[error]int{
		&jobboard.Error{StatusCode: 418}:  502, // an answer without a named condition
		io.ErrClosedPipe:                  500, // not of this package
		&jobboard.ConfigError{Field: "X"}: 400,
	} {
		if got := jobboard.HTTPStatus(err); got != want || jobboard.Settled(err) {
			t.Errorf("%v: status %d, want %d; settled %v", err, got, want, jobboard.Settled(err))
		}
	}
}

// The error of an unusable answer names its content type, also one whose
// parameters are wrong.
func TestContentTypeInErrors(t *testing.T) {
	for header, want := range map[string]string{
		"text/html; charset=utf-8":         `(text/html, begins "<html>")`,
		"text/html; charset":               `(text/html, begins "<html>")`,
		"":                                 `(no content type, begins "<html>")`,
		"text/html/x":                      `(no content type, begins "<html>")`,
		"text/" + strings.Repeat("x", 100): `xxx…, begins "<html>")`,
	} {
		_, err := withToken(answering(t, jobboard.Config{}, 200, "<html>", "Content-Type", header)).HasApplied(t.Context(), 1)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", header, err, want)
		}
	}
}
