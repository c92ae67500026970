package jobboard

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/redact"
)

// The conditions of section 7, one value each, and conditions that the interface does not name.
// errors.Is finds them in the error of a failed call; errors.As finds the *Error, which has status,
// code and the service's words.
var (
	// ErrPostingNotFound reports that the job has no posting (7.2, 404).
	ErrPostingNotFound error = &condition{"posting not found", ErrNotFound}
	// ErrPostingNotAccessible reports that the applicant may not see the
	// posting, such as an internal one (7.2, 403).
	ErrPostingNotAccessible error = &condition{"posting not accessible", ErrNotVisible}
	// ErrPostingInactive reports that the posting is deactivated (7.2, 410).
	ErrPostingInactive error = &condition{"posting inactive", ErrInactive}
	// ErrProjectNotAvailable reports that no job exists for the identifier
	// (7.2, 404, get_project_error).
	ErrProjectNotAvailable error = &condition{"project not available", ErrNotFound}
	// ErrProjectNotAccessible reports that the job exists and the applicant
	// may not see it, such as a job of another company (7.2, 404,
	// get_project_error).
	ErrProjectNotAccessible error = &condition{"project not accessible", ErrNotVisible}
	// ErrApplicationNotFound reports that this applicant has no application
	// for the job (7.2, 404, get_application_error).
	ErrApplicationNotFound = errors.New("application not found")
	// ErrJobInactive reports that the job is deactivated (7.3,
	// ERROR_JOB_INACTIVE).
	ErrJobInactive error = &condition{"job inactive", ErrInactive}
	// ErrJobUnavailable reports that the job is deleted or no longer available
	// (7.3, ERROR_JOB_UNAVAILABLE).
	ErrJobUnavailable error = &condition{"job unavailable", ErrNotFound}
	// ErrPostingUnavailable reports that the service cannot find the job's posting, by a technical
	// error or because its data are inconsistent (7.3, ERROR_POSTING_UNAVAILABLE). The job need not
	// be gone: keep what you know about the job, and look it up again later.
	ErrPostingUnavailable = errors.New("posting unavailable")
	// ErrUnauthorized reports that the credential is missing, expired, invalid
	// or of the wrong kind (7.1 and 7.2, 401).
	ErrUnauthorized = errors.New("unauthorized")
	// ErrForbidden reports that the credential is valid but does not permit
	// the call (7.1 and 7.2, 403).
	ErrForbidden = errors.New("forbidden")
	// ErrServer reports that the service failed while processing (7.1, 500 and
	// every other 5xx).
	ErrServer = errors.New("server error")

	// ErrNotFound reports that the service knows no job or no posting for the
	// identifier. errors.Is finds it in every ErrJobUnavailable,
	// ErrPostingNotFound and ErrProjectNotAvailable.
	ErrNotFound = errors.New("not found")
	// ErrInactive reports that the job exists and takes no applications.
	// errors.Is finds it in every ErrJobInactive and ErrPostingInactive.
	ErrInactive = errors.New("inactive")
	// ErrNotVisible reports that the job exists and this applicant may not see
	// it. errors.Is finds it in every ErrPostingNotAccessible and
	// ErrProjectNotAccessible.
	ErrNotVisible = errors.New("not visible")

	// ErrRateLimited reports that the service still answered 429 after every
	// allowed repeat, or that Config.Limiter refused the request.
	ErrRateLimited = errors.New("rate limited")
	// ErrRedirect reports that a redirect was not followed, because it leaves
	// the origin, loops, is broken, or answers a call that changes something.
	ErrRedirect = errors.New("redirect not followed")
	// ErrResponseTooLarge reports that the answer is larger than its bound;
	// see Config.MaxBodyBytes.
	ErrResponseTooLarge = errors.New("response too large")
	// ErrDecode reports that the answer is complete but does not have the form
	// that the interface promises.
	ErrDecode = errors.New("unusable response")
	// ErrTransport reports that the network delivered no answer, or only a
	// part of one.
	ErrTransport = errors.New("transport failed")
	// ErrTimeout reports that no answer, or only a part of one, came in time.
	ErrTimeout = errors.New("timed out")
	// ErrToken reports that the token source gave no token that can be sent.
	ErrToken = errors.New("no usable token")
	// ErrInvalidInput reports that the caller's input cannot be sent. Nothing
	// was sent.
	ErrInvalidInput = errors.New("invalid input")
)

// condition is a condition of section 7, with its text and its class: ErrNotFound, ErrInactive or
// ErrNotVisible.
type condition struct {
	text  string
	class error
}

func (c *condition) Error() string { return c.text }

// Is reports whether target is the class of the condition.
func (c *condition) Is(target error) bool { return target == c.class }

// Settled reports whether the service has answered about the job: err is nil, or it is ErrNotFound,
// ErrInactive, ErrNotVisible or ErrApplicationNotFound. Any other error, such as ErrServer,
// ErrPostingUnavailable, ErrUnauthorized or the end of the context, says nothing about the job, and
// a later call may get an answer. Bound a loop that waits for an answer, because the service may
// answer ErrPostingUnavailable for ever.
func Settled(err error) bool {
	return err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, ErrInactive) ||
		errors.Is(err, ErrNotVisible) || errors.Is(err, ErrApplicationNotFound)
}

// StopReason names why a failed call was not repeated again.
type StopReason string

// The reasons. Every *Error of a call has one.
const (
	StopFinal         StopReason = "final"          // another attempt cannot help
	StopAttempts      StopReason = "attempts"       // RetryPolicy.MaxAttempts are used up
	StopBudget        StopReason = "budget"         // the client's retry budget is empty
	StopDeadline      StopReason = "deadline"       // the next wait does not fit the time left
	StopNotIdempotent StopReason = "not idempotent" // the service may have executed the call
	StopRetryAfter    StopReason = "Retry-After"    // the service asks for a longer wait than RetryPolicy.MaxRetryAfter
	StopCanceled      StopReason = "canceled"       // the caller's context ended
)

// Bounds of what an Error keeps and prints.
const (
	maxErrorBody    = 64 << 10
	maxErrorMessage = 300
	maxErrorCause   = 300
	maxRequestID    = 100

	maxErrorLocation = 150
)

// Error describes a failed call. Every call that fails returns one: errors.As finds it,
// and errors.Is finds its condition, one of the Err values of this package. An answer
// that the interface does not name has no condition.
//
// It holds no credential and nothing that was searched for, and its text is bounded. The text is for logs: it
// names hosts of your network. Show a visitor the status of [HTTPStatus] and your own words. Message
// and Body come from the service and are untrusted; Message has no control characters.
type Error struct {
	Op              string        // the method: "Search", "HasApplied", ...
	Method          string        // of HTTP: "GET"
	Origin          string        // of the address, with a port that is not its scheme's own: "https://jobs.example"; empty: no address
	Path            string        // the template, without the base address's own path: "/api/rest/v3/frontend/jobs/{jobDbId}/applied"; empty for Transport
	StatusCode      int           // 0 where there was no answer
	Code            string        // the service's code, if it sent one: "get_project_error", "invalid_token"
	Message         string        // the service's words, at most 300 bytes
	RequestID       string        // of the answer's X-Request-Id, X-Correlation-Id, Request-Id or traceparent
	Body            []byte        // the answer's first 64 KiB, or 120 bytes of a search with a good status; nil: none
	Attempts        int           // renewed tokens count, followed redirects do not; 0: nothing was sent
	RetryAfter      time.Duration // from the Retry-After header; 0: none
	Stopped         StopReason    // why there was no further attempt
	MayHaveExecuted bool          // the call changes something, and no clear answer says whether it did
	Err             error         // the condition, with its cause; nil for an answer without a named condition

	// Credential names what a 401 or 403 refused, or what ErrToken could not get: "the identifier in
	// Config.ClientID", "the token of Config.TokenSource", "the token of Config.JobDBTokenSource" or
	// "the applicant's token". If the call sent no credential, it is "none" and the fields that would send
	// one. It is empty for any other failure.
	Credential string
	// Location is where an ErrRedirect leads: scheme and host, and "/...", or ", the same path" if path
	// and query are those of the request. It is empty if the answer names no address.
	Location string

	hint string // what to try; empty: nothing better than the rest of the text
}

// Error returns one line of at most a few hundred bytes.
func (e *Error) Error() string {
	parts := []string{"jobboard", e.Op}
	if e.Origin != "" {
		parts = append(parts, strings.TrimSpace(e.Method+" "+e.Origin+cmp.Or(e.Path, "/...")))
	}
	status := http.StatusText(e.StatusCode)
	if e.StatusCode != 0 {
		parts = append(parts, strings.TrimSpace(strconv.Itoa(e.StatusCode)+" "+status))
	}
	if e.Err != nil {
		if cause := e.cause(); !strings.EqualFold(cause, status) { // not "401 Unauthorized: unauthorized"
			parts = append(parts, clean(cause, maxErrorCause))
		}
	}
	if e.Code != "" {
		parts = append(parts, clean(e.Code, 60))
	}
	if e.Message != "" {
		parts = append(parts, strconv.Quote(clean(e.Message, maxErrorMessage)))
	}
	text := strings.Join(parts, ": ")
	if errors.Is(e.Err, ErrToken) && e.Credential != "" {
		text += " (" + e.Credential + ")"
	}
	if e.hint != "" {
		text += " (" + e.hint + ")"
	}
	return text + e.outcome()
}

// cause returns the text of Err. Of a 401 or 403 it says which credential was refused.
func (e *Error) cause() string {
	text := e.Err.Error()
	for _, refused := range [...]error{ErrUnauthorized, ErrForbidden} {
		if detail, ok := strings.CutPrefix(text, refused.Error()); ok && e.Credential != "" {
			return e.refusedCredential() + detail
		}
	}
	return text
}

// refusedCredential returns what a 401 or 403 says of the credential.
func (e *Error) refusedCredential() string {
	if fields, ok := strings.CutPrefix(e.Credential, noCredential); ok {
		return "no credential was sent" + fields
	}
	return e.Credential + " was refused"
}

// noCredential begins the Credential of a call that sent none.
const noCredential = "none"

// outcome returns what Error says about the attempts and the request, in
// parentheses.
func (e *Error) outcome() (text string) {
	stopped := string(e.Stopped)
	if e.Stopped == StopRetryAfter {
		stopped += " " + e.RetryAfter.String()
	}
	switch {
	case e.Attempts > 1:
		text = fmt.Sprintf(" (%d attempts, stopped: %s)", e.Attempts, stopped)
	case e.Attempts == 1 && (e.Stopped == StopBudget || e.Stopped == StopDeadline || e.Stopped == StopRetryAfter):
		text = " (stopped: " + stopped + ")" // else a reader would think that repeats are off
	}
	if e.MayHaveExecuted {
		text += " (may have been executed)"
	}
	if e.RequestID != "" {
		text += " (request " + clean(e.RequestID, maxRequestID) + ")"
	}
	return text
}

// Unwrap returns the condition and its cause.
func (e *Error) Unwrap() error { return e.Err }

// failure holds a condition and its cause. errors.Is finds both.
type failure struct {
	kind   error  // one of the Err values
	detail string // clean, bounded, may be empty
	cause  error  // nil, or safe to hand out: see transport.SafeCause
}

func (f *failure) Error() string {
	if f.detail == "" {
		return f.kind.Error()
	}
	return f.kind.Error() + ": " + f.detail
}

func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.kind}
	}
	return []error{f.kind, f.cause}
}

// invalid returns an ErrInvalidInput whose text names the mistake.
func invalid(format string, args ...any) error {
	return &failure{kind: ErrInvalidInput, detail: clean(fmt.Sprintf(format, args...), maxErrorCause)}
}

// ConfigError reports a mistake in a Config. NewClient returns it; a call
// returns it if the Config lacks a field that the call needs. errors.Is finds
// ErrInvalidInput in it.
type ConfigError struct {
	Field  string // of Config, such as "BaseURL" or "Retry.MinWait"
	Reason string // such as "is empty"; does not show the field's value
}

// Error returns the field and the reason.
func (e *ConfigError) Error() string {
	return ErrInvalidInput.Error() + ": Config." + e.Field + " " + e.Reason
}

// Unwrap returns ErrInvalidInput.
func (e *ConfigError) Unwrap() error { return ErrInvalidInput }

// clean makes a text of the service fit for a log line, cut to limit bytes.
func clean(s string, limit int) string { return redact.Clean(s, limit) }

func errUndecodable(detail string) error {
	return &failure{kind: ErrDecode, detail: clean(detail, maxErrorCause)}
}
