package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

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
		{jobboard.ErrJobUnavailable, jobboard.ErrNotFound, 404, true},
		{jobboard.ErrPostingUnavailable, nil, 503, false},
		{jobboard.ErrPostingNotFound, jobboard.ErrNotFound, 404, true},
		{jobboard.ErrProjectNotAvailable, jobboard.ErrNotFound, 404, true},
		{jobboard.ErrJobInactive, jobboard.ErrInactive, 410, true},
		{jobboard.ErrPostingInactive, jobboard.ErrInactive, 410, true},
		{jobboard.ErrPostingNotAccessible, jobboard.ErrNotVisible, 404, true},
		{jobboard.ErrProjectNotAccessible, jobboard.ErrNotVisible, 404, true},
		{jobboard.ErrApplicationNotFound, nil, 404, true},
		{jobboard.ErrInvalidInput, nil, 400, false},
		{jobboard.ErrUnauthorized, nil, 502, false},
		{jobboard.ErrForbidden, nil, 502, false},
		{jobboard.ErrRateLimited, nil, 503, false},
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
			for _, class := range []error{jobboard.ErrNotFound, jobboard.ErrInactive, jobboard.ErrNotVisible} {
				if errors.Is(err, class) != (class == c.class) {
					t.Errorf("%v is %v: %v", err, class, class != c.class)
				}
			}
		}
	}
	for err, want := range map[error]int{
		&jobboard.Error{StatusCode: 418}:  502, // an answer without a named condition
		io.ErrClosedPipe:                  500, // not of this package
		&jobboard.ConfigError{Field: "X"}: 500, // no visitor's mistake
	} {
		if got := jobboard.HTTPStatus(err); got != want || jobboard.Settled(err) {
			t.Errorf("%v: status %d, want %d; settled %v", err, got, want, jobboard.Settled(err))
		}
	}
}

// pageError is an error of another package, with a status and a wait of its own.
type pageError struct {
	status int
	wait   time.Duration
}

func (e pageError) Error() string             { return "page" }
func (e pageError) HTTPStatus() int           { return e.status }
func (e pageError) RetryAfter() time.Duration { return e.wait }

func TestStatusOfOtherPackages(t *testing.T) {
	called := &jobboard.Error{RetryAfter: 1500 * time.Millisecond, Err: jobboard.ErrRateLimited}
	for _, c := range []struct {
		err    error
		status int
		wait   string // Retry-After
	}{
		{pageError{status: 404}, 404, ""},
		{fmt.Errorf("while showing: %w", pageError{status: 503}), 503, "60"},
		{pageError{status: 503, wait: 5 * time.Second}, 503, "5"},
		{pageError{status: 500, wait: 1}, 500, "1"},
		{pageError{status: 400}, 400, ""},
		{pageError{status: 599}, 599, ""},
		{pageError{status: 399}, 500, ""},
		{pageError{status: 600}, 500, ""},
		{pageError{status: 200}, 500, ""},
		{pageError{status: 503, wait: -time.Second}, 503, "60"},
		{errors.Join(io.EOF, pageError{status: 404}), 404, ""},

		// What this package knows comes first, and so does what the service asked for.
		{errors.Join(pageError{status: 418}, jobboard.ErrJobInactive), 410, ""},
		{errors.Join(pageError{status: 418}, &jobboard.Error{StatusCode: 404}), 502, ""},
		{errors.Join(pageError{status: 404, wait: time.Hour}, called), 503, "2"},

		{pageError{status: 429}, 429, "60"},
		{called, 503, "2"},
		{errors.Join(jobboard.ErrRateLimited, called), 503, "2"},
		{errors.Join(&jobboard.Error{Err: jobboard.ErrDecode}, called), 503, "2"},
		{jobboard.ErrRateLimited, 503, "60"},
		{jobboard.ErrToken, 503, "60"},
		{jobboard.ErrPostingUnavailable, 503, "60"},
		{&jobboard.Error{Err: jobboard.ErrPostingUnavailable, StatusCode: 404}, 503, "60"},
		{&jobboard.Error{Err: jobboard.ErrPostingUnavailable, RetryAfter: 5 * time.Second}, 503, "5"},
		{&jobboard.Error{Err: jobboard.ErrServer, RetryAfter: 90 * time.Second}, 503, "90"},
		{&jobboard.Error{Err: jobboard.ErrServer, RetryAfter: 100 * 365 * 24 * time.Hour}, 503, "86400"},
		{jobboard.ErrServer, 502, ""},
		{jobboard.ErrJobInactive, 410, ""},
		{nil, 200, ""},
	} {
		header := http.Header{}
		jobboard.SetRetryAfter(header, c.err)
		if got := jobboard.HTTPStatus(c.err); got != c.status || header.Get("Retry-After") != c.wait {
			t.Errorf("%+v: status %d, Retry-After %q; want %d, %q", c.err, got, header.Get("Retry-After"), c.status, c.wait)
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
