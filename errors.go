package jobboard

import "errors"

// The conditions of section 7, one value each, and the ones beyond it. They
// are found with errors.Is in the error of a failed call; the *Error around
// them, found with errors.As, has status, code and the service's own words.
var (
	// ErrPostingNotFound: there is no posting for the job (7.2, 404).
	ErrPostingNotFound = errors.New("posting not found")
	// ErrPostingNotAccessible: the applicant may not see the posting, such as
	// an internal one (7.2, 403).
	ErrPostingNotAccessible = errors.New("posting not accessible")
	// ErrPostingInactive: the posting is deactivated (7.2, 410).
	ErrPostingInactive = errors.New("posting inactive")
	// ErrProjectNotAvailable: no job exists for the identifier (7.2, 404,
	// get_project_error).
	ErrProjectNotAvailable = errors.New("project not available")
	// ErrProjectNotAccessible: the job exists and the applicant may not see
	// it, such as a job of another company (7.2, 404, get_project_error).
	ErrProjectNotAccessible = errors.New("project not accessible")
	// ErrApplicationNotFound: this applicant has no application for the job
	// (7.2, 404, get_application_error).
	ErrApplicationNotFound = errors.New("application not found")
	// ErrJobInactive: the job is deactivated (7.3, ERROR_JOB_INACTIVE).
	ErrJobInactive = errors.New("job inactive")
	// ErrJobUnavailable: the job is deleted or no longer available (7.3,
	// ERROR_JOB_UNAVAILABLE).
	ErrJobUnavailable = errors.New("job unavailable")
	// ErrPostingUnavailable: the job's posting cannot be found (7.3,
	// ERROR_POSTING_UNAVAILABLE).
	ErrPostingUnavailable = errors.New("posting unavailable")
	// ErrUnauthorized: the credential is missing, expired, invalid or of the
	// wrong kind (7.1 and 7.2, 401).
	ErrUnauthorized = errors.New("unauthorized")
	// ErrForbidden: the credential is good and not enough (7.1 and 7.2, 403).
	ErrForbidden = errors.New("forbidden")
	// ErrServer: the service failed while processing (7.1, 500 and every
	// other 5xx).
	ErrServer = errors.New("server error")

	// ErrRateLimited: 429, after every allowed repeat.
	ErrRateLimited = errors.New("rate limited")
	// ErrRedirect: a redirect that is not followed, because it leaves the
	// origin, loops, is broken, or answers a call that changes something.
	ErrRedirect = errors.New("redirect not followed")
	// ErrResponseTooLarge: the answer is over its bound; see
	// Config.MaxBodyBytes.
	ErrResponseTooLarge = errors.New("response too large")
	// ErrDecode: the answer is complete and not what the interface promises.
	ErrDecode = errors.New("unusable response")
	// ErrTransport: no answer, or not all of it, because of the network.
	ErrTransport = errors.New("transport failed")
	// ErrTimeout: no answer, or not all of it, in time.
	ErrTimeout = errors.New("timed out")
	// ErrToken: the token source gave no token that can be sent.
	ErrToken = errors.New("no usable token")
	// ErrInvalidInput: the caller's input cannot be sent; nothing was.
	ErrInvalidInput = errors.New("invalid input")
)
