package jobboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/refusal"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

// How a call fails: an attempt without a usable answer returns a failedAttempt,
// by which the loop decides about another attempt; call.fail makes the *Error of
// the last one. The table of conditions says what a refused answer means.

// failedAttempt describes an attempt without a usable answer, and what may
// follow it. An attempt hands it to the loop as its error.
type failedAttempt struct {
	call       *call
	err        error // the condition, with its cause; nil: an answer the interface does not name
	status     int
	words      refusal.Words
	body       []byte
	header     http.Header // of the answer; nil: there was none
	retryAfter time.Duration
	outcome    outcome
	resent     bool                      // net/http has sent the request once more by itself
	stopped    StopReason                // why there is no other attempt; empty: there is, or nobody has decided yet
	wait       time.Duration             // before the next attempt
	fresh      *credential.Authorization // the renewed token, with which the next attempt is sent; nil: there is none
	answer     *passed                   // of a caller's own request; nil: none, or of an operation

	mayHaveExecuted bool // this attempt, whatever the one before did
}

// drop gives up the answer that nobody reads any more.
func (f *failedAttempt) drop() {
	if f.answer != nil {
		f.answer.drop()
	}
}

// Error makes a failedAttempt an error for the loop. Nobody sees its text.
func (f *failedAttempt) Error() string { return "failed attempt" }

// fail returns the *Error of a call that ended with f.
func (c *call) fail(f *failedAttempt) *Error {
	e := c.describe(f)
	c.end(e)
	return e
}

// describe returns the *Error of a failed attempt, and logs it.
func (c *call) describe(f *failedAttempt) *Error {
	e := &Error{
		Op: c.op.name, Path: c.op.path, StatusCode: f.status, Attempts: c.attempts,
		RetryAfter: f.retryAfter, Stopped: cmp.Or(f.stopped, StopFinal), Err: f.err,
		Code:            c.secrets.Head(f.words.ErrorCode(), 100),
		Message:         c.secrets.Head(f.words.ErrorMessage(), maxErrorMessage),
		RequestID:       c.requestID(f.header),
		MayHaveExecuted: f.mayHaveExecuted || c.mayHaveExecuted,
	}
	if len(f.body) > 0 {
		e.Body = []byte(c.secrets.Hide(string(f.body)))
	}
	c.logFailure(e)
	return e
}

// requestID returns how an answer with these headers names its request, without
// secrets, or nothing.
func (c *call) requestID(header http.Header) string {
	for _, name := range [...]string{"X-Request-Id", "X-Correlation-Id", "Request-Id", "Traceparent"} {
		id := c.secrets.Hide(strings.Map(func(r rune) rune {
			if r <= ' ' || r > '~' {
				return -1
			}
			return r
		}, c.secrets.Head(header.Get(name), 1000))) // also a secret that what was taken out had cut in two
		if id != "" {
			return id[:min(len(id), maxRequestID)]
		}
	}
	return ""
}

// ended returns the failed attempt of a caller whose context has ended with
// cause, and whose call the service may have executed.
func ended(cause error, mayHaveExecuted bool) *failedAttempt {
	f := &failedAttempt{err: cause, stopped: StopCanceled, mayHaveExecuted: mayHaveExecuted}
	if errors.Is(cause, context.DeadlineExceeded) {
		f.err = &failure{kind: ErrTimeout, detail: cause.Error(), cause: cause}
	}
	return f
}

// endedBetween returns the failed attempt of a caller whose context ended between
// two attempts. A call that changes something then counts as maybe executed once a
// request has reached the service, whatever the answer was.
func (c *call) endedBetween(cause error) *failedAttempt {
	return ended(cause, c.reached && !c.op.safe())
}

// endedToo adds the end of the caller's context to an attempt that was answered
// before it.
func (f *failedAttempt) endedToo(cause error) {
	var known *failure
	switch {
	case errors.Is(f.err, cause):
	case f.err == nil:
		f.err = ended(cause, false).err
	case errors.As(f.err, &known):
		f.err = &failure{kind: known.kind, detail: known.detail, cause: errors.Join(cause, known.cause)}
	default:
		f.err = &failure{kind: f.err, detail: cause.Error(), cause: cause}
	}
}

// limiterError marks an error of Config.Limiter, also in the middle of an
// exchange. The end of a context in it is the limiter's own, and not the caller's.
type limiterError struct{ err error }

func (e *limiterError) Error() string { return "Config.Limiter: " + e.err.Error() }

// Is finds what the limiter's error holds, but for the ends of contexts.
func (e *limiterError) Is(target error) bool {
	return target != context.Canceled && target != context.DeadlineExceeded && errors.Is(e.err, target)
}

// As finds what the limiter's error holds.
func (e *limiterError) As(target any) bool { return errors.As(e.err, target) }

// notAllowed returns the failed attempt for one that Config.Limiter refused: the
// answer of the attempt before, if there was one.
func (c *call) notAllowed(err error) *failedAttempt {
	if cause := c.ctx.Err(); cause != nil {
		return c.endedBetween(cause)
	}
	if c.last != nil {
		return c.lastAttempt(StopDeadline)
	}
	if text := err.Error(); c.secrets.Hide(text) != text {
		return &failedAttempt{err: &failure{kind: ErrRateLimited, detail: c.secrets.Head(text, maxErrorCause)}}
	}
	return &failedAttempt{err: &failure{kind: ErrRateLimited, detail: clean(err.Error(), maxErrorCause), cause: err}}
}

// lastAttempt returns the attempt before as the last one, with the reason why the one
// that was to follow it is not made.
func (c *call) lastAttempt(stopped StopReason) *failedAttempt {
	f := *c.last
	f.stopped = stopped
	return &f
}

// noToken returns the failed attempt for a request that has no token to send.
func (c *call) noToken(err error) *failedAttempt {
	if cause := c.ctx.Err(); cause != nil {
		return ended(cause, false)
	}
	kind := ErrToken
	if !time.Now().Before(c.deadline) {
		kind = ErrTimeout
	}
	detail, cause := credential.Cause(err, maxErrorCause)
	return &failedAttempt{err: &failure{kind: kind, detail: c.secrets.Hide(detail), cause: cause}}
}

// notAnswered returns the failed attempt for a request without a whole answer.
func (c *call) notAnswered(x *transport.Exchange, err error) *failedAttempt {
	var denied *limiterError
	if errors.As(err, &denied) {
		return c.notAllowed(denied)
	}
	loss := x.Loss(err)
	f := &failedAttempt{mayHaveExecuted: !c.op.safe() && !loss.Unsent}
	if cause := c.ctx.Err(); cause != nil {
		return ended(cause, f.mayHaveExecuted && x.Phase() != transport.Dialing)
	}
	switch {
	case loss.Passing && loss.Unsent:
		f.outcome = unsent
	case loss.Passing:
		f.outcome, f.resent = lost, x.Resent()
		if c.op.safe() && !loss.Timeout && x.Phase() == transport.Sending {
			f.outcome = silent
		}
	}
	kind := ErrTransport
	if loss.Timeout {
		kind = ErrTimeout
	}
	detail := c.secrets.Head(transport.CauseText(err), maxErrorCause)
	f.err = &failure{kind: kind, detail: detail, cause: transport.SafeCause(err)}
	return f
}

// cutShort returns the failed attempt for an answer whose end did not arrive.
// Only its status did.
func (c *call) cutShort(a *answer, err error) *failedAttempt {
	f := c.notAnswered(a.exchange, err)
	f.status, f.header, f.mayHaveExecuted = a.resp.StatusCode, a.resp.Header, !c.op.safe()
	return f
}

// unusable returns the failed attempt for an answer with a good status that
// accept refused or that did not arrive whole. By its status, a call that
// changes something has been executed. If the answer has words that tell a
// condition, err is a *failedAttempt with both.
func (c *call) unusable(a *answer, err error) *failedAttempt {
	lost := a.Lost()
	if lost == nil && errors.Is(err, transport.ErrCut) {
		lost = err
	}
	if lost != nil {
		f := c.cutShort(a, lost)
		if f.outcome != final {
			f.outcome = cutOff
		}
		return f
	}
	f := &failedAttempt{status: a.resp.StatusCode, header: a.resp.Header, mayHaveExecuted: !c.op.safe(), body: a.kept()}
	detail := err.Error()
	var known *failure
	if errors.As(err, &known) {
		detail = known.detail // without the text of its condition
	}
	var told *failedAttempt
	var large transport.TooLargeError
	switch {
	case errors.As(err, &told):
		f.err, f.words = told.err, told.words
	case errors.As(err, &large):
		f.err = &failure{kind: ErrResponseTooLarge, detail: large.Error()}
	case errors.Is(err, ErrResponseTooLarge):
		f.err = &failure{kind: ErrResponseTooLarge, detail: c.secrets.Hide(detail)}
	default:
		f.err = &failure{kind: ErrDecode, detail: a.describe(detail)}
	}
	return f
}

// describe returns the detail of an unusable answer with its content type and
// its beginning, so that a person can tell who sent it.
func (a *answer) describe(detail string) string {
	media, _, _ := mime.ParseMediaType(a.resp.Header.Get("Content-Type")) // is there, too, if a parameter is wrong
	if media == "" {
		media = "no content type"
	}
	head := a.c.secrets.Head
	sample := head(string(a.Sample()), transport.SampleSize)
	return head(detail, 120) + " (" + head(media, 60) + ", begins " + strconv.Quote(sample) + ")"
}

// kept returns the part of the answer that an Error keeps.
func (a *answer) kept() []byte {
	if a.whole != nil {
		return bytes.Clone(a.whole[:min(len(a.whole), maxErrorBody)])
	}
	return bytes.Clone(a.Sample())
}

// refused returns the failed attempt for an answer whose status is no success;
// err says why its body cannot be read. Of a body that is cut off, refused
// accepts what there is if the status alone says enough.
func (c *call) refused(a *answer, err error) *failedAttempt {
	status, header := a.resp.StatusCode, a.resp.Header
	outcome := outcomeOf(status)
	f := &failedAttempt{status: status, header: header}
	if err == nil {
		f.body, err = io.ReadAll(io.LimitReader(a, maxErrorBody+1)) // one more, to see that nothing is cut off
		if len(f.body) > maxErrorBody {
			f.body, err = f.body[:maxErrorBody], nil
		}
	}
	if lost := a.Lost(); err != nil && lost != nil && outcome == final {
		return c.cutShort(a, lost)
	}
	c.judgeRefusal(f, header)
	return f
}

// judgeRefusal completes the failed attempt of a refused answer, whose status and
// body are known.
func (c *call) judgeRefusal(f *failedAttempt, header http.Header) {
	outcome := outcomeOf(f.status)
	f.words, f.err = classify(c.op, f.status, header, f.body, anyMember)
	f.retryAfter = refusal.RetryAfter(header, time.Now())
	if f.err == nil || errors.Is(f.err, ErrServer) || errors.Is(f.err, ErrRateLimited) { // any other is an answer
		f.outcome = outcome
		f.mayHaveExecuted = outcome == failing && !c.op.safe()
	}
	if f.status == http.StatusUnauthorized && c.endpoint.credential.Renew != nil && f.words.TokenExpired() {
		f.outcome = expired
	}
}

// conditionRow maps failed answers to a condition. A row matches an answer that
// meets all its fields; the first row that matches counts.
type conditionRow struct {
	ops    []*operation // nil: every one
	from   int          // lowest status
	to     int          // highest status
	code   string       // the service's code
	denies string       // what the message says that the project is not, and nothing else; see refusal.Words.Denies
	says   string       // terms one of which the message holds, separated by |; only where no code tells
	result error
}

var (
	opsLookup      = []*operation{opJobInformation}
	opsApplicant   = []*operation{opHasApplied, opApplicationID}
	opsApplication = []*operation{opApplicationID}
)

// thePosting lists the terms by which a plain message speaks of the job's posting,
// and not of the service, an address or a network.
const thePosting = "posting|jobposting|jobid|job id"

// conditions lists the conditions of section 7 and those that HTTP adds. Status,
// form of the body and code decide first. Words decide only if nothing else
// can, and then few of them, because the service's sentences vary: too few say
// nothing of the job, so that a failure never reads as a job that is gone.
var conditions = []conditionRow{
	// 7.3: these codes count with any status.
	{ops: opsLookup, to: 999, code: refusal.JobInactive, result: ErrJobInactive},
	{ops: opsLookup, to: 999, code: refusal.JobUnavailable, result: ErrJobUnavailable},
	{ops: opsLookup, to: 999, code: refusal.PostingUnavailable, result: ErrPostingUnavailable},

	// 7.2: JSON with a code, then plain messages.
	{
		ops: opsApplicant, from: 402, to: 428, code: "get_project_error", denies: "accessible",
		result: ErrProjectNotAccessible,
	},
	{
		ops: opsApplicant, from: 402, to: 428, code: "get_project_error", denies: "available",
		result: ErrProjectNotAvailable,
	},
	{ops: opsApplication, from: 402, to: 428, code: "get_application_error", result: ErrApplicationNotFound},
	{ops: opsApplicant, from: 404, to: 404, says: thePosting, result: ErrPostingNotFound},
	{ops: opsApplicant, from: 403, to: 403, says: thePosting, result: ErrPostingNotAccessible},
	{ops: opsApplicant, from: 410, to: 410, says: thePosting, result: ErrPostingInactive},

	// 7.1 and every operation.
	{from: 300, to: 399, result: ErrRedirect},
	{from: 401, to: 401, result: ErrUnauthorized},
	{from: 403, to: 403, result: ErrForbidden},
	{from: 429, to: 429, result: ErrRateLimited},
	{from: 500, to: 599, result: ErrServer},
}

// classify returns the words of an answer to op, and the condition that they and
// its status mean, nil if the interface has no name for it. The lookup's codes
// count wherever they stand below a member that codesIn accepts.
func classify(op *operation, status int, header http.Header, body []byte, codesIn func(member string) bool) (refusal.Words, error) {
	if op != opJobInformation {
		codesIn = nil
	}
	w := refusal.Read(header, body, codesIn)
	for _, row := range conditions {
		if row.matches(op, status, &w) {
			return w, row.result
		}
	}
	return w, nil
}

// anyMember returns true: in a refused answer a code counts below whatever member.
func anyMember(string) bool { return true }

func (c conditionRow) matches(op *operation, status int, w *refusal.Words) bool {
	switch {
	case c.ops != nil && !slices.Contains(c.ops, op), status < c.from, status > c.to:
		return false
	case c.code != "":
		return c.code == w.Code && (c.denies == "" || w.Denies(c.denies))
	case c.says != "":
		// A code, an authorization error or a page from elsewhere tells
		// another story, whatever words it uses.
		return !w.Coded && w.Code == "" && w.AuthError == "" && !w.Markup && w.Says(c.says)
	}
	return true
}
