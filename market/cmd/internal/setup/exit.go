package setup

import (
	"context"
	"errors"
	"fmt"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/shown"
)

// The exit codes of the programs, which must not change. ExitHelp explains them.
const (
	ExitOK          = 0
	ExitUnexpected  = 1
	ExitUsage       = 2
	ExitCredential  = 3
	ExitNo          = 4
	ExitService     = 5
	ExitNetwork     = 6
	ExitIncomplete  = 7
	ExitChanged     = 8
	ExitInterrupted = 130
	ExitTerminated  = 143
)

// ExitHelp explains the codes, in the help and in README.md.
const ExitHelp = `Exit codes:
  0    done
  1    unexpected, such as a file that cannot be written
  2    the command line, a setting or an input is wrong; nothing was sent
  3    the service refuses the credential, or there is no token
  4    the service's answer is no: closed, gone, not visible, applied already
  5    the service answers with an error, a redirect or something unusable
  6    no answer, or not in time
  7    done, with something wrong on the way: entries of a feed, doctor's checks
  8    done, and the board has changed: check
  130  interrupted (SIGINT)
  143  terminated (SIGTERM)`

// ErrTerminated is the cause of a context that SIGTERM ended. With any other cause the
// run counts as interrupted.
var ErrTerminated = errors.New("terminated")

// Interruption returns the exit code of a run whose context ended, and a word for
// it.
func Interruption(ctx context.Context) (code int, word string) {
	if errors.Is(context.Cause(ctx), ErrTerminated) {
		return ExitTerminated, "terminated"
	}
	return ExitInterrupted, "interrupted"
}

// Error is a failure with its exit code and the next step.
type Error struct {
	Code int
	Err  error // nil: print no error
	Hint string

	Settings bool // the settings are incomplete or wrong: with other settings the command may work
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Usage returns the failure for a wrong command line, setting or input.
func Usage(format string, args ...any) *Error {
	return &Error{Code: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// Lacks returns the failure for settings that are missing or wrong.
func Lacks(format string, args ...any) *Error {
	e := Usage(format, args...)
	e.Settings = true
	return e
}

// Next sets the hint for the next step, and returns e.
func (e *Error) Next(step string) *Error {
	e.Hint = step
	return e
}

// Plain wraps an error of the library for people: its text has no prefix.
type Plain struct{ Cause error }

func (e Plain) Error() string { return shown.Error(e.Cause) }

// Unwrap returns the library's error.
func (e Plain) Unwrap() error { return e.Cause }

// exitRule maps errors of package jobboard to an exit code and a hint.
type exitRule struct {
	conditions []error
	code       int
	hint       string
}

var exitRules = []exitRule{
	{[]error{context.Canceled}, ExitInterrupted, ""},
	{[]error{jobboard.ErrInvalidInput}, ExitUsage, ""},
	{
		[]error{jobboard.ErrUnauthorized, jobboard.ErrForbidden, jobboard.ErrToken},
		ExitCredential, "jobboard doctor says what is wrong with the credential",
	},
	{[]error{jobboard.ErrNotFound, jobboard.ErrInactive, jobboard.ErrNotVisible, jobboard.ErrApplicationNotFound}, ExitNo, ""},
	{
		[]error{jobboard.ErrPostingUnavailable},
		ExitService, "a technical error of the service, which says nothing of the job: try again later",
	},
	{[]error{jobboard.ErrRateLimited}, ExitService, "try again later, or slower"},
	{[]error{jobboard.ErrServer}, ExitService, "try again later"},
	{
		[]error{jobboard.ErrRedirect, jobboard.ErrDecode, jobboard.ErrResponseTooLarge},
		ExitService, "jobboard doctor says whether the address is right",
	},
	{
		[]error{jobboard.ErrTransport, jobboard.ErrTimeout, context.DeadlineExceeded},
		ExitNetwork, "jobboard doctor says whether the address, the name and the certificate are right",
	},
}

// ExitOf returns the code of a failure and the next step, which may be empty.
func ExitOf(err error) (code int, hint string) {
	if err == nil {
		return ExitOK, ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code, e.Hint
	}
	for _, rule := range exitRules {
		for _, condition := range rule.conditions {
			if errors.Is(err, condition) {
				return rule.code, rule.hint
			}
		}
	}
	var failed *jobboard.Error
	if errors.As(err, &failed) {
		// The interface names no such answer: perhaps another server sent a
		// 404.
		return ExitService, "jobboard doctor says whether the address is right"
	}
	return ExitUnexpected, ""
}
