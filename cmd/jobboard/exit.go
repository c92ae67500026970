package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
)

// The exit codes stay as they are. exitHelp says what each means.
const (
	exitOK          = 0
	exitUnexpected  = 1
	exitUsage       = 2
	exitCredential  = 3
	exitNo          = 4
	exitService     = 5
	exitNetwork     = 6
	exitIncomplete  = 7
	exitInterrupted = 130
	exitTerminated  = 143
)

// exitHelp is what the help says of the codes, and README.md too.
const exitHelp = `Exit codes:
  0    done
  1    unexpected, such as a file that cannot be written
  2    the command line, a setting or an input is wrong; nothing was sent
  3    the service refuses the credential, or there is no token
  4    the service's answer is no: closed, gone, not visible, applied already
  5    the service answers with an error, a redirect or something unusable
  6    no answer, or not in time
  7    done, with something wrong on the way: entries of a feed, doctor's checks
  130  interrupted (SIGINT)
  143  terminated (SIGTERM)`

// errTerminated is the cause of a context that SIGTERM ends. One that ends for another
// cause was interrupted.
var errTerminated = errors.New("terminated")

// interruption returns the code of a run whose context ended, and the word for it.
func interruption(ctx context.Context) (code int, word string) {
	if errors.Is(context.Cause(ctx), errTerminated) {
		return exitTerminated, "terminated"
	}
	return exitInterrupted, "interrupted"
}

// exitError is a failure that knows its code.
type exitError struct {
	code int
	err  error // nil: nothing more is to be said
	hint string

	settings bool // lack something or have it wrong: with others the same may work
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage returns the failure for a wrong command line, setting or input.
func usage(format string, args ...any) *exitError {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// lacks returns the failure for what the settings lack or have wrong.
func lacks(format string, args ...any) *exitError {
	e := usage(format, args...)
	e.settings = true
	return e
}

// next adds what to do about it.
func (e *exitError) next(step string) *exitError {
	e.hint = step
	return e
}

// plain is an error of the library as a person reads it: without its prefix.
type plain struct{ error }

func (e plain) Error() string { return strings.TrimPrefix(e.error.Error(), "jobboard: ") }
func (e plain) Unwrap() error { return e.error }

// exitRule says what a condition of the library means here.
type exitRule struct {
	conditions []error
	code       int
	hint       string
}

var exitRules = []exitRule{
	{[]error{context.Canceled}, exitInterrupted, ""},
	{[]error{jobboard.ErrInvalidInput}, exitUsage, ""},
	{
		[]error{jobboard.ErrUnauthorized, jobboard.ErrForbidden, jobboard.ErrToken},
		exitCredential, "jobboard doctor says what is wrong with the credential",
	},
	{[]error{jobboard.ErrGone, jobboard.ErrClosed, jobboard.ErrNotVisible, jobboard.ErrApplicationNotFound}, exitNo, ""},
	{[]error{jobboard.ErrRateLimited}, exitService, "try again later, or slower"},
	{[]error{jobboard.ErrServer}, exitService, "try again later"},
	{
		[]error{jobboard.ErrRedirect, jobboard.ErrDecode, jobboard.ErrResponseTooLarge},
		exitService, "jobboard doctor says whether the address is right",
	},
	{
		[]error{jobboard.ErrTransport, jobboard.ErrTimeout, context.DeadlineExceeded},
		exitNetwork, "jobboard doctor says whether the address, the name and the certificate are right",
	},
}

// exitOf returns the code of a failure and the next step, which may be empty.
func exitOf(err error) (code int, hint string) {
	if err == nil {
		return exitOK, ""
	}
	var e *exitError
	if errors.As(err, &e) {
		return e.code, e.hint
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
		// An answer without a name in the interface, such as a 404 of some
		// other server.
		return exitService, "jobboard doctor says whether the address is right"
	}
	return exitUnexpected, ""
}
