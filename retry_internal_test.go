package jobboard

import (
	"errors"
	"testing"
	"time"
)

// The defaults that RetryPolicy promises, and the edges of what it takes.
func TestRetryDefaults(t *testing.T) {
	want := RetryPolicy{
		MaxAttempts: 5, MinWait: 200 * time.Millisecond, MaxWait: 5 * time.Second, MaxRetryAfter: 30 * time.Second,
		AttemptTimeout: 15 * time.Second, StallTimeout: 10 * time.Second, Budget: 2,
	}
	if got, err := (RetryPolicy{}).withDefaults(); got != want || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	own := RetryPolicy{
		MaxAttempts: 1, MinWait: 1, MaxWait: 1, MaxRetryAfter: 1, AttemptTimeout: time.Millisecond, StallTimeout: time.Millisecond, Budget: -1,
	}
	if got, err := own.withDefaults(); got != own || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	own.MinWait = 2
	if _, err := own.withDefaults(); !errors.Is(err, ErrInvalidInput) {
		t.Errorf("MinWait above MaxWait: %v", err)
	}
}
