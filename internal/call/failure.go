package call

import (
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/refusal"
)

// Kind names what happened in an attempt that failed.
type Kind int

// The kinds. Of each, Failure.Err is the error that it names, or nil.
const (
	Refused    Kind = iota // the answer's status is no success; Owner.Judge says what it means
	Unusable               // a good status, and the owner refused the answer: Accept's error, or that of decompressing
	Lost                   // no answer, or a part of one: the network's error
	NoToken                // the token source's error
	NotRenewed             // a 401 after which the token source failed: its error
	NotAllowed             // the Limiter's error
	Ended                  // the caller's context ended: its error
	Elsewhere              // the request would go to another origin than its credential's
)

// Stop names why no attempt follows.
type Stop int

// The reasons.
const (
	Going         Stop = iota // not decided yet, or an attempt follows
	Final                     // another attempt cannot help
	Attempts                  // Policy.MaxAttempts are used up
	Budget                    // the retry budget is empty
	Deadline                  // the next wait does not fit the time left
	NotIdempotent             // the service may have executed the request
	RetryAfter                // the service asks for a longer wait than Policy.MaxRetryAfter
	Canceled                  // the caller's context ended
)

// Failure describes an attempt without a usable answer. The attempt hands it to the loop as its
// error, because the loop knows errors only.
type Failure struct {
	Kind     Kind
	Err      error
	Also     error          // the end of the caller's context, which came after what happened; nil: it did not
	Response *http.Response // nil: there was none
	Body     []byte         // the beginning of the answer
	Sample   []byte         // the first bytes of an unusable answer
	Answer   *Answer        // the open answer to a given request, for the owner; nil: none

	Words      refusal.Words // of a refused answer; the owner sets both
	Condition  error
	RetryAfter time.Duration

	Late            bool // the time was over: of the attempt, the call or a read
	Unsent          bool // the request certainly did not reach the service
	MayHaveExecuted bool // the service may have executed the request
	Stopped         Stop

	call    *Call
	outcome outcome
	resent  bool // net/http has sent the request once more by itself
}

// Error makes a Failure an error for the loop. Nobody sees its text.
func (f *Failure) Error() string { return "failed attempt" }

// Status returns the status of the answer, 0 if there was none.
func (f *Failure) Status() int {
	if f.Response == nil {
		return 0
	}
	return f.Response.StatusCode
}

// Header returns the header of the answer, nil if there was none.
func (f *Failure) Header() http.Header {
	if f.Response == nil {
		return nil
	}
	return f.Response.Header
}

// again returns the failure as the last of the call, with the reason why no other attempt is made.
func (f *Failure) again(reason Stop) *Failure {
	last := *f
	last.Stopped = reason
	return &last
}

// ended returns the failure of a call whose context ended with cause.
func ended(cause error, mayHaveExecuted bool) *Failure {
	return &Failure{Kind: Ended, Err: cause, Stopped: Canceled, MayHaveExecuted: mayHaveExecuted}
}

// endedBetween returns the failure of a call whose context ended between two attempts. A call that
// changes something counts as maybe executed if any of its requests reached the service.
func (c *Call) endedBetween(cause error) *Failure {
	return ended(cause, c.history.reached && !c.request.safe())
}
