package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
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

func TestConfigErrorNamesTheField(t *testing.T) {
	for field, cfg := range map[string]jobboard.Config{
		"BaseURL":              {BaseURL: "jobs.example"},
		"JobDBURL":             {JobDBURL: "https://user@jobs.example"},
		"ClientID":             {BaseURL: "https://jobs.example", ClientID: "10", TokenSource: jobboard.StaticToken("t")},
		"TokenSource":          {BaseURL: "https://jobs.example", TokenSource: jobboard.StaticToken("")},
		"UserAgent":            {BaseURL: "https://jobs.example", UserAgent: "a\nb"},
		"Language":             {BaseURL: "https://jobs.example", Language: "de_DE\r"},
		"SubscriptionPath":     {BaseURL: "https://jobs.example", SubscriptionPath: "/a/../b"},
		"MaxBodyBytes":         {BaseURL: "https://jobs.example", MaxBodyBytes: -1},
		"Retry.AttemptTimeout": {BaseURL: "https://jobs.example", Retry: jobboard.RetryPolicy{AttemptTimeout: -1}},
	} {
		_, err := jobboard.NewClient(cfg)
		var mistake *jobboard.ConfigError
		if !errors.As(err, &mistake) || mistake.Field != field || mistake.Reason == "" || !errors.Is(err, jobboard.ErrInvalidInput) {
			t.Errorf("%s: %v", field, err)
		}
	}
	c, err := jobboard.NewClient(jobboard.Config{JobDBURL: "https://jobs.example"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Search(t.Context(), "channel", jobboard.Query{})
	var mistake *jobboard.ConfigError
	if !errors.As(err, &mistake) || mistake.Field != "BaseURL" {
		t.Errorf("%v", err)
	}
}
