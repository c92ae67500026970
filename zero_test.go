package jobboard_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

// What nobody made with NewClient says so, in an *Error, and sends nothing.
func TestZeroValues(t *testing.T) {
	ctx := t.Context()
	var c jobboard.Client
	var a jobboard.Applicant
	all := func(s *jobboard.PostingStream) (err error) {
		for _, err = range s.All() { // the last error is the one
		}
		return err
	}
	through := func(road http.RoundTripper) error {
		resp, err := road.RoundTrip(httptest.NewRequest(http.MethodGet, "https://jobs.example/x", http.NoBody))
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	}
	calls := map[string]func() error{
		"Search":              func() error { _, err := c.Search(ctx, "channel", jobboard.Query{}); return err },
		"PostingStream":       func() error { return all(c.PostingStream(ctx, "channel", jobboard.Query{})) },
		"a zero stream":       func() error { return all(new(jobboard.PostingStream)) },
		"Snapshot":            func() error { _, err := snapshot.Take(ctx, &c, "channel", jobboard.Query{}); return err },
		"JobInformation":      func() error { _, err := c.JobInformation(ctx, 1); return err },
		"a job that is none":  func() error { _, err := c.JobInformation(ctx, 0); return err },
		"Subscribe":           func() error { _, err := c.Subscribe(ctx, jobboard.SubscriptionRequest{}); return err },
		"Confirm":             func() error { _, err := c.ConfirmSubscription(ctx, "1", nil); return err },
		"Unsubscribe":         func() error { _, err := c.Unsubscribe(ctx, "1"); return err },
		"Transport":           func() error { return through(c.Transport()) },
		"its Applicant":       func() error { _, err := c.Applicant(jobboard.StaticToken("t")).HasApplied(ctx, 1); return err },
		"HasApplied":          func() error { _, err := a.HasApplied(ctx, 1); return err },
		"ApplicationID":       func() error { _, err := a.ApplicationID(ctx, 1); return err },
		"Precheck":            func() error { _, err := a.Precheck(ctx, 1); return err },
		"Applicant.Search":    func() error { _, err := a.Search(ctx, "channel", jobboard.Query{}); return err },
		"Applicant.Snapshot":  func() error { _, err := snapshot.Take(ctx, &a, "channel", jobboard.Query{}); return err },
		"Applicant.Stream":    func() error { return all(a.PostingStream(ctx, "channel", jobboard.Query{})) },
		"Applicant.Transport": func() error { return through(a.Transport()) },
		"bulk": func() (err error) {
			for r := range c.BulkJobInformation(ctx, jobboard.Jobs(1), jobboard.BulkOptions{}) {
				err = r.Err
			}
			return err
		},
		"bulk of an applicant": func() (err error) {
			for r := range a.BulkHasApplied(ctx, jobboard.Jobs(1), jobboard.BulkOptions{}) {
				err = r.Err
			}
			return err
		},
	}
	for name, call := range calls {
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s panics: %v", name, p)
				}
			}()
			err := call()
			var e *jobboard.Error
			if !errors.As(err, &e) || !errors.Is(err, jobboard.ErrInvalidInput) || e.Attempts != 0 || errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
			if name != "a job that is none" && !strings.Contains(err.Error(), "use NewClient") {
				t.Errorf("%s: %v", name, err)
			}
		}()
	}
}
