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

	"github.com/jobboard-sdk/jobboard-go/internal/address"
	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/redact"
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
	location   string                    // of a redirect that was not followed, see address.Location
	hint       string                    // what to try, see Error
	resent     bool                      // net/http has sent the request once more by itself
	stopped    StopReason                // why no attempt follows; empty: an attempt follows, or stop has not decided yet
	wait       time.Duration             // before the next attempt
	fresh      *credential.Authorization // the renewed token for the next attempt; nil: none
	answer     *passed                   // the answer to a request of Client.Transport; nil: none, or an operation's

	mayHaveExecuted bool // the service may have executed this attempt
}

// drop closes the answer, which nobody will read.
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
		Op: c.op.name, Method: c.op.method, Origin: c.endpoint.origin.Address(), Path: c.op.path,
		StatusCode: f.status, Attempts: c.attempts,
		RetryAfter: f.retryAfter, Stopped: cmp.Or(f.stopped, StopFinal), Err: f.err,
		Credential: c.credentialOf(f), Location: f.location, hint: f.hint,
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
		}, c.secrets.Head(header.Get(name), 1000))) // Hide once more: removing characters may have joined a secret's halves
		if id != "" {
			return id[:min(len(id), maxRequestID)]
		}
	}
	return ""
}

// ended returns the failed attempt of a call whose context ended with cause. mayHaveExecuted tells
// whether the service may have executed the call.
func ended(cause error, mayHaveExecuted bool) *failedAttempt {
	f := &failedAttempt{err: cause, stopped: StopCanceled, mayHaveExecuted: mayHaveExecuted}
	if errors.Is(cause, context.DeadlineExceeded) {
		f.err = &failure{kind: ErrTimeout, detail: cause.Error(), cause: cause}
	}
	return f
}

// endedBetween returns the failed attempt of a call whose context ended between two attempts. A
// call that changes something counts as maybe executed if any of its requests reached the service.
func (c *call) endedBetween(cause error) *failedAttempt {
	return ended(cause, c.reached && !c.op.safe())
}

// endedToo adds the end of the caller's context to the error of an attempt that failed before.
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

// limiterError marks an error of Config.Limiter, also before a redirect. A context error inside it
// comes from the limiter and does not mean that the caller's context ended.
type limiterError struct{ err error }

func (e *limiterError) Error() string { return "Config.Limiter: " + e.err.Error() }

// Is looks for target in the limiter's error, unless target is the end of a context.
func (e *limiterError) Is(target error) bool {
	return target != context.Canceled && target != context.DeadlineExceeded && errors.Is(e.err, target)
}

// As looks for target in the limiter's error.
func (e *limiterError) As(target any) bool { return errors.As(e.err, target) }

// notAllowed returns the failure of an attempt that Config.Limiter refused. If the call had an
// earlier attempt, the failure of that attempt is returned.
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

// lastAttempt returns the previous attempt as the last of the call, with the reason why no other
// attempt is made.
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

// credentialOf returns Error.Credential of a failed attempt.
func (c *call) credentialOf(f *failedAttempt) string {
	switch {
	case !errors.Is(f.err, ErrUnauthorized) && !errors.Is(f.err, ErrForbidden) && !errors.Is(f.err, ErrToken):
		return ""
	case c.given != nil && c.endpoint.credential.Header == nil && c.given.request.Header.Get("Authorization") != "":
		return "the Authorization header of the request"
	}
	return c.endpoint.place.sends
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
	if loss.Unsent { // the proxy may have refused, or may be what was not reached
		f.hint = c.throughProxy()
		if f.hint != "" && strings.HasPrefix(detail, http.StatusText(http.StatusProxyAuthRequired)) {
			f.hint += proxyAsks
		}
	}
	f.err = &failure{kind: kind, detail: detail, cause: transport.SafeCause(err)}
	return f
}

// cutShort returns the failed attempt for an answer whose end did not arrive. Its status
// did arrive.
func (c *call) cutShort(a *answer, err error) *failedAttempt {
	f := c.notAnswered(a.exchange, err)
	f.status, f.header, f.mayHaveExecuted = a.resp.StatusCode, a.resp.Header, !c.op.safe()
	return f
}

// unusable returns the failed attempt for an answer with a good status that accept refused or that
// did not arrive whole. The good status means that the service executed a call that changes
// something. If the answer's words name a condition, err is a *failedAttempt with words and
// condition.
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
		detail = known.detail // leaves out the condition's text
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
		if charset := transport.NotUTF8(a.resp.Header, a.Sample()); charset != "" && len(a.Sample()) > 0 {
			detail = "the answer is in " + charset + ", not in UTF-8"
		}
		f.err = &failure{kind: ErrDecode, detail: a.describe(detail)}
		if strings.HasPrefix(strings.TrimLeft(string(a.Sample()), markupSpace), "<") {
			f.hint = c.wrongAddress()
		}
	}
	return f
}

// markupSpace is what may stand before a page's first tag: white space and a byte order mark.
const markupSpace = " \t\r\n\ufeff"

// describe returns detail with the answer's content type and first bytes, so that a person can see
// which machine sent the answer.
func (a *answer) describe(detail string) string {
	media, _, _ := mime.ParseMediaType(a.resp.Header.Get("Content-Type")) // set even if a parameter is wrong
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

// refused returns the failed attempt for an answer whose status is no success; err says why its
// body cannot be read. If the body is truncated, refused uses the part that arrived when the status
// alone decides about a repeat.
func (c *call) refused(a *answer, err error) *failedAttempt {
	status, header := a.resp.StatusCode, a.resp.Header
	outcome := outcomeOf(status)
	f := &failedAttempt{status: status, header: header}
	if err == nil {
		f.body, err = io.ReadAll(io.LimitReader(a, maxErrorBody+1)) // the byte beyond the bound shows that the body is longer
		if len(f.body) > maxErrorBody {
			f.body, err = f.body[:maxErrorBody], nil
		}
	}
	if lost := a.Lost(); err != nil && lost != nil && outcome == final {
		return c.cutShort(a, lost)
	}
	c.judgeRefusal(f, header)
	c.explain(f, a)
	return f
}

// explain adds to a refused answer where it leads and what to try. Which answers are none of the
// interface: it has no 405, its 404 is JSON with a code or about the job, and it sends no page.
func (c *call) explain(f *failedAttempt, a *answer) {
	unnamed := f.err == nil && !f.words.Coded && f.words.Code == ""
	aboutChannel := len(f.body) == 0 || f.body[0] == '{' || strings.Contains(strings.ToLower(f.words.Message), "channel")
	switch status := f.status; {
	case errors.Is(f.err, ErrRedirect):
		c.explainRedirect(f, a)
	case status == http.StatusProxyAuthRequired:
		f.hint = cmp.Or(c.throughProxy(), "a proxy that this program does not know of") +
			proxyAsks
	case status == http.StatusNotFound && unnamed && c.op.isSearch() && aboutChannel:
		f.hint = "is the channel right? does Config." + c.endpoint.place.field + " lead to this interface?"
	case status == http.StatusNotFound && unnamed, status == http.StatusMethodNotAllowed, status < 500 && f.words.Markup:
		f.hint = c.wrongAddress()
	}
}

// explainRedirect says where a redirect leads that was not followed, and why it was not.
func (c *call) explainRedirect(f *failedAttempt, a *answer) {
	from := &c.url
	if a.resp.Request != nil && a.resp.Request.URL != nil { // after other redirects, which were followed
		from = a.resp.Request.URL
	}
	detail := "the answer has no address to go to"
	origin, rest := address.Location(from, f.header.Get("Location"))
	if origin != "" {
		f.location = c.originShown(origin, f.header.Get("Location")) + rest
	}
	target, err := from.Parse(f.header.Get("Location"))
	switch {
	case f.location == "":
	case err == nil && c.endpoint.origin.Is(target):
		detail = "to " + f.location
		if !c.op.safe() {
			detail += ", because the call changes something"
		} else if c.endpoint.origin.Redirect(from, a.resp) != nil {
			detail += ", after " + strconv.Itoa(maxRedirects) + " that were followed"
		}
	case rest == address.SamePath:
		detail, f.hint = "to "+f.location, "if the service has moved, set Config."+c.endpoint.place.field+" to its new address"
	default:
		detail, f.hint = "to "+f.location, "a sign-in page, a proxy? does Config."+c.endpoint.place.field+" lead to this interface?"
	}
	f.err = &failure{kind: ErrRedirect, detail: detail}
}

// originShown returns the origin of a redirect's Location without secrets. The host may be a part of one:
// a secret may hold the characters that end a host or stand before it.
func (c *call) originShown(origin, location string) string {
	before, _, found := strings.Cut(c.secrets.Hide(location[:min(len(location), 4<<10)]), redact.Hidden)
	prefix, authority, ok := strings.Cut(location, "//")
	if ok && !strings.ContainsAny(prefix, "/?#") { // else a path, and the host is the call's own
		if i := strings.IndexAny(authority, "/?#"); i >= 0 {
			authority = authority[:i]
		}
		if found && len(before) < len(prefix)+len("//")+len(authority) {
			scheme, _, _ := strings.Cut(origin, "://")
			return scheme + "://" + redact.Hidden
		}
	}
	return c.secrets.Head(origin, maxErrorLocation)
}

// wrongAddress returns the hint for an answer that is none of the interface.
func (c *call) wrongAddress() string {
	if c.given != nil {
		return "" // the caller's own path
	}
	field := "Config." + c.endpoint.place.field
	begins, _, _ := strings.Cut(c.op.path, "/{")
	for ; begins != ""; begins = begins[:strings.LastIndexByte(begins, '/')] {
		if strings.HasSuffix(c.endpoint.base.Path, begins) {
			return "no answer of this interface: " + field + " ends in " + begins + ", so that the path begins with it twice: try without"
		}
	}
	return "no answer of this interface: does " + field + " lead to it?"
}

// proxyAsks is what to try if a proxy wants to know who asks.
const proxyAsks = ": it asks for a user and a password, which belong into the proxy's address (HTTPS_PROXY or Transport.Proxy)"

// throughProxy returns a text that names the proxy of the call's requests; empty: there is none.
func (c *call) throughProxy() string {
	if c.endpoint.proxy == nil || c.sent.Request == nil {
		return ""
	}
	proxy, err := c.endpoint.proxy(c.sent.Request)
	if err != nil || proxy == nil {
		return ""
	}
	return c.secrets.Head("through the proxy "+proxy.Scheme+"://"+proxy.Host, maxErrorLocation)
}

// judgeRefusal sets the condition, the outcome and the Retry-After of f from its status, its body
// and header.
func (c *call) judgeRefusal(f *failedAttempt, header http.Header) {
	outcome := outcomeOf(f.status)
	f.words, f.err = classify(c.op, f.status, header, f.body, anyMember)
	f.retryAfter = refusal.RetryAfter(header, time.Now())
	if f.err == nil || errors.Is(f.err, ErrServer) || errors.Is(f.err, ErrRateLimited) { // any other condition is final
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
	ops    []*operation      // nil: every one
	from   int               // lowest status
	to     int               // highest status
	code   string            // the service's code
	denies *refusal.Sentence // the message must be this sentence; without code, the answer must have none
	result error
}

var (
	opsLookup      = []*operation{opJobInformation}
	opsApplicant   = []*operation{opHasApplied, opApplicationID}
	opsApplication = []*operation{opApplicationID}
)

// conditions lists the conditions of section 7 and those that HTTP adds. Status, form of the body
// and code decide first. Words decide only if status, form and code cannot, and only if the message is
// one of the interface's own sentences. Any other message says nothing about the job, so that a
// failure never reads as a job that is gone.
var conditions = []conditionRow{
	// 7.3: these codes count with any status.
	{ops: opsLookup, to: 999, code: refusal.JobInactive, result: ErrJobInactive},
	{ops: opsLookup, to: 999, code: refusal.JobUnavailable, result: ErrJobUnavailable},
	{ops: opsLookup, to: 999, code: refusal.PostingUnavailable, result: ErrPostingUnavailable},

	// 7.2: JSON with a code, then plain messages.
	{
		ops: opsApplicant, from: 402, to: 428, code: "get_project_error", denies: refusal.ProjectNotAccessible,
		result: ErrProjectNotAccessible,
	},
	{
		ops: opsApplicant, from: 402, to: 428, code: "get_project_error", denies: refusal.ProjectNotAvailable,
		result: ErrProjectNotAvailable,
	},
	{ops: opsApplication, from: 402, to: 428, code: "get_application_error", result: ErrApplicationNotFound},
	{ops: opsApplicant, from: 404, to: 404, denies: refusal.PostingNotFound, result: ErrPostingNotFound},
	{ops: opsApplicant, from: 403, to: 403, denies: refusal.PostingNotAccessible, result: ErrPostingNotAccessible},
	{ops: opsApplicant, from: 410, to: 410, denies: refusal.PostingInactive, result: ErrPostingInactive},

	// 7.1 and every operation.
	{from: 300, to: 399, result: ErrRedirect},
	{from: 401, to: 401, result: ErrUnauthorized},
	{from: 403, to: 403, result: ErrForbidden},
	{from: 429, to: 429, result: ErrRateLimited},
	{from: 500, to: 599, result: ErrServer},
}

// classify returns the words of an answer to op, and the condition that status and words mean; nil:
// the interface does not name it. The lookup's codes count at any depth below a member that codesIn
// accepts.
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

// anyMember accepts every member: in a refused answer a code counts anywhere.
func anyMember(string) bool { return true }

func (c conditionRow) matches(op *operation, status int, w *refusal.Words) bool {
	switch {
	case c.ops != nil && !slices.Contains(c.ops, op), status < c.from, status > c.to:
		return false
	case c.code != "":
		return c.code == w.Code && (c.denies == nil || w.Denies(c.denies))
	case c.denies != nil:
		// An answer with a code, an authorization error or a page is not about the posting, even if
		// it contains the sentence.
		return !w.Coded && w.Code == "" && w.AuthError == "" && !w.Markup && w.Denies(c.denies)
	}
	return true
}
