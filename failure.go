package jobboard

import (
	"cmp"
	"context"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/internal/address"
	"github.com/jobboard-sdk/jobboard-go/internal/call"
	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/redact"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

// How a call fails: the engine returns a call.Failure, which says what happened; describe makes the
// *Error of it. happened names the condition, which Judge has found for a refused answer, and explain
// says what to try.

// fail returns the *Error of a call that ended with f.
func (c *invocation) fail(f *call.Failure) *Error {
	e := c.describe(f)
	c.end(e)
	return e
}

// describe returns the *Error of a call that ended with f, and logs it.
func (c *invocation) describe(f *call.Failure) *Error {
	err, words := c.condition(f), f.Words
	if said, ok := errors.AsType[*told](f.Err); ok {
		words = said.words
	}
	e := &Error{
		Op: c.op.name, Method: c.op.method, Origin: c.endpoint.Origin.Address(), Path: c.op.path,
		StatusCode: f.Status(), Attempts: c.Attempts(),
		RetryAfter: f.RetryAfter, Stopped: stopReasons[f.Stopped], Err: err,
		Credential:      c.credentialOf(err),
		Code:            c.Secrets.Head(words.ErrorCode(), 100),
		Message:         c.Secrets.Head(words.ErrorMessage(), maxErrorMessage),
		RequestID:       c.requestID(f.Header()),
		MayHaveExecuted: f.MayHaveExecuted || c.MayHaveExecuted(),
	}
	e.Location, e.hint = c.explain(f, err)
	if len(f.Body) > 0 {
		e.Body = []byte(c.Secrets.Hide(string(f.Body)))
	}
	c.logFailure(e)
	return e
}

// stopReasons names what the engine says in numbers.
var stopReasons = [...]StopReason{
	call.Going: StopFinal, call.Final: StopFinal, call.Attempts: StopAttempts, call.Budget: StopBudget, call.Deadline: StopDeadline,
	call.NotIdempotent: StopNotIdempotent, call.RetryAfter: StopRetryAfter, call.Canceled: StopCanceled,
}

// requestID returns how an answer with these headers names its request, without
// secrets, or nothing.
func (c *invocation) requestID(header http.Header) string {
	for _, name := range [...]string{"X-Request-Id", "X-Correlation-Id", "Request-Id", "Traceparent"} {
		id := c.Secrets.Hide(strings.Map(func(r rune) rune {
			if r <= ' ' || r > '~' {
				return -1
			}
			return r
		}, c.Secrets.Head(header.Get(name), 1000))) // Hide once more: removing characters may have joined a secret's halves
		if id != "" {
			return id[:min(len(id), maxRequestID)]
		}
	}
	return ""
}

// credentialOf returns Error.Credential of a call that failed with err.
func (c *invocation) credentialOf(err error) string {
	switch {
	case !errors.Is(err, ErrUnauthorized) && !errors.Is(err, ErrForbidden) && !errors.Is(err, ErrToken):
		return ""
	case c.Given() != nil && c.endpoint.Credential.Header == nil && c.Given().Request.Header.Get("Authorization") != "":
		return "the Authorization header of the request"
	}
	return c.endpoint.place.sends
}

// condition returns the condition of a failed attempt, with its cause; nil: an answer that the
// interface does not name.
func (c *invocation) condition(f *call.Failure) error {
	err := c.happened(f)
	if f.Also == nil || errors.Is(err, f.Also) {
		return err
	}
	var known *failure
	switch {
	case err == nil:
		return contextEnd(f.Also)
	case errors.As(err, &known):
		return &failure{kind: known.kind, detail: known.detail, cause: errors.Join(f.Also, known.cause)}
	}
	return &failure{kind: err, detail: f.Also.Error(), cause: f.Also}
}

// happened returns the condition of what happened in an attempt.
func (c *invocation) happened(f *call.Failure) error {
	switch f.Kind {
	case call.Refused:
		if errors.Is(f.Condition, ErrRedirect) {
			detail, _, _ := c.redirected(f)
			return &failure{kind: ErrRedirect, detail: detail}
		}
	case call.Unusable:
		return c.unusable(f)
	case call.Lost:
		return &failure{kind: late(f, ErrTransport), detail: c.lossText(f), cause: transport.SafeCause(f.Err)}
	case call.NoToken:
		detail, cause := credential.Cause(f.Err, maxErrorCause)
		return &failure{kind: late(f, ErrToken), detail: c.Secrets.Hide(detail), cause: cause}
	case call.NotRenewed:
		detail, cause := credential.Cause(f.Err, maxErrorCause)
		return &failure{kind: ErrUnauthorized, detail: c.Secrets.Hide("renewing the token failed: " + detail), cause: cause}
	case call.NotAllowed:
		if text := f.Err.Error(); c.Secrets.Hide(text) != text {
			return &failure{kind: ErrRateLimited, detail: c.Secrets.Head(text, maxErrorCause)}
		}
		return &failure{kind: ErrRateLimited, detail: clean(f.Err.Error(), maxErrorCause), cause: f.Err}
	case call.Ended:
		return contextEnd(f.Err)
	case call.Elsewhere:
		return invalid("the credential of %s goes to no other address", c.endpoint.Origin.Host)
	}
	return f.Condition
}

// late returns ErrTimeout if the time was over, else kind.
func late(f *call.Failure, kind error) error {
	if f.Late {
		return ErrTimeout
	}
	return kind
}

// contextEnd returns the condition of the end of the caller's context.
func contextEnd(cause error) error {
	if errors.Is(cause, context.DeadlineExceeded) {
		return &failure{kind: ErrTimeout, detail: cause.Error(), cause: cause}
	}
	return cause
}

// lossText says why no whole answer came.
func (c *invocation) lossText(f *call.Failure) string {
	return c.Secrets.Head(transport.CauseText(f.Err), maxErrorCause)
}

// unusable returns the condition of an answer with a good status that was refused. An answer whose
// words name a condition is of that condition.
func (c *invocation) unusable(f *call.Failure) error {
	detail := f.Err.Error()
	var known *failure
	if errors.As(f.Err, &known) {
		detail = known.detail // leaves out the condition's text
	}
	var said *told
	var large transport.TooLargeError
	switch {
	case errors.As(f.Err, &said):
		return said.condition
	case errors.As(f.Err, &large):
		return &failure{kind: ErrResponseTooLarge, detail: large.Error()}
	case errors.Is(f.Err, ErrResponseTooLarge):
		return &failure{kind: ErrResponseTooLarge, detail: c.Secrets.Hide(detail)}
	}
	if charset := transport.NotUTF8(f.Header(), f.Sample); charset != "" && len(f.Sample) > 0 {
		detail = "the answer is in " + charset + ", not in UTF-8"
	}
	return &failure{kind: ErrDecode, detail: c.unreadable(f, detail)}
}

// unreadable returns detail with the answer's content type and first bytes, so that a person can see
// which machine sent the answer.
func (c *invocation) unreadable(f *call.Failure, detail string) string {
	media, _, _ := mime.ParseMediaType(f.Header().Get("Content-Type")) // set even if a parameter is wrong
	if media == "" {
		media = "no content type"
	}
	head := c.Secrets.Head
	sample := head(string(f.Sample), transport.SampleSize)
	return head(detail, 120) + " (" + head(media, 60) + ", begins " + strconv.Quote(sample) + ")"
}

// markupSpace is what may stand before a page's first tag: white space and a byte order mark.
const markupSpace = " \t\r\n\ufeff"

// explain returns where a redirect leads, and what to try after a failure of the condition err.
func (c *invocation) explain(f *call.Failure, err error) (location, hint string) {
	switch {
	case f.Kind == call.Lost && f.Unsent: // the proxy may have refused, or may be what was not reached
		hint = c.throughProxy()
		if hint != "" && strings.HasPrefix(c.lossText(f), http.StatusText(http.StatusProxyAuthRequired)) {
			hint += proxyAsks
		}
	case f.Kind == call.Unusable && errors.Is(err, ErrDecode):
		if strings.HasPrefix(strings.TrimLeft(string(f.Sample), markupSpace), "<") {
			hint = c.wrongAddress()
		}
	case errors.Is(err, ErrRedirect):
		_, location, hint = c.redirected(f)
	case f.Kind == call.Refused || f.Kind == call.NotRenewed:
		hint = c.explainRefusal(f)
	}
	return location, hint
}

// explainRefusal says what to try after a refused answer. Which answers are none of the interface: it
// has no 405, its 404 is JSON with a code or about the job, and it sends no page.
func (c *invocation) explainRefusal(f *call.Failure) string {
	if c.Given() != nil {
		return "" // the caller's own path
	}
	unnamed := f.Condition == nil && !f.Words.Coded && f.Words.Code == ""
	aboutChannel := len(f.Body) == 0 || f.Body[0] == '{' || strings.Contains(strings.ToLower(f.Words.Message), "channel")
	switch status := f.Status(); {
	case status == http.StatusProxyAuthRequired:
		return cmp.Or(c.throughProxy(), "a proxy that this program does not know of") + proxyAsks
	case status == http.StatusNotFound && unnamed && c.op.isSearch() && aboutChannel:
		return "is the channel right? does Config." + c.endpoint.place.field + " lead to this interface?"
	case status == http.StatusNotFound && unnamed, status == http.StatusMethodNotAllowed, status < 500 && f.Words.Markup:
		return c.wrongAddress()
	}
	return ""
}

// redirected says where a redirect leads that was not followed, why it was not, and what to try.
func (c *invocation) redirected(f *call.Failure) (detail, location, hint string) {
	from := c.Sent().URL
	if f.Response.Request != nil && f.Response.Request.URL != nil { // after other redirects, which were followed
		from = f.Response.Request.URL
	}
	leads := f.Header().Get("Location")
	detail = "the answer has no address to go to"
	origin, rest := address.Location(from, leads)
	if origin == "" {
		return detail, "", ""
	}
	location = c.originShown(origin, leads) + rest
	target, err := from.Parse(leads)
	switch {
	case err == nil && c.endpoint.Origin.Is(target):
		detail = "to " + location
		if !c.op.safe() {
			detail += ", because the call changes something"
		} else if c.endpoint.Origin.Redirect(from, f.Response) != nil {
			detail += ", after " + strconv.Itoa(call.MaxRedirects) + " that were followed"
		}
	case rest == address.SamePath:
		detail, hint = "to "+location, "if the service has moved, set Config."+c.endpoint.place.field+" to its new address"
	default:
		detail, hint = "to "+location, "a sign-in page, a proxy? does Config."+c.endpoint.place.field+" lead to this interface?"
	}
	return detail, location, hint
}

// originShown returns the origin of a redirect's Location without secrets. The host may be a part of one:
// a secret may hold the characters that end a host or stand before it.
func (c *invocation) originShown(origin, location string) string {
	before, _, found := strings.Cut(c.Secrets.Hide(location[:min(len(location), 4<<10)]), redact.Hidden)
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
	return c.Secrets.Head(origin, maxErrorLocation)
}

// wrongAddress returns the hint for an answer that is none of the interface.
func (c *invocation) wrongAddress() string {
	if c.Given() != nil {
		return "" // the caller's own path
	}
	field := "Config." + c.endpoint.place.field
	begins, _, _ := strings.Cut(c.op.path, "/{")
	for ; begins != ""; begins = begins[:strings.LastIndexByte(begins, '/')] {
		if strings.HasSuffix(c.endpoint.Base.Path, begins) {
			return "no answer of this interface: " + field + " ends in " + begins + ", so that the path begins with it twice: try without"
		}
	}
	return "no answer of this interface: does " + field + " lead to it?"
}

// proxyAsks is what to try if a proxy wants to know who asks.
const proxyAsks = ": it asks for a user and a password, which belong into the proxy's address (HTTPS_PROXY or Transport.Proxy)"

// throughProxy returns a text that names the proxy of the call's requests; empty: there is none.
func (c *invocation) throughProxy() string {
	if c.endpoint.proxy == nil || c.Sent() == nil {
		return ""
	}
	proxy, err := c.endpoint.proxy(c.Sent())
	if err != nil || proxy == nil {
		return ""
	}
	return c.Secrets.Head("through the proxy "+proxy.Scheme+"://"+proxy.Host, maxErrorLocation)
}
