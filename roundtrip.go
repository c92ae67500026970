package jobboard

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/internal/call"
)

// Transport returns a transport for paths of the base address that the interface does not name. Set
// it as the Transport of an [http.Client], for example of a generated client. It sends a request as
// the Client's own calls are sent: with the client's credential, attempts, retry budget,
// Retry-After, Limiter, Observer and Logger.
//
// It sends only to the base address's scheme, host and port. Before it sends anything it refuses
// with ErrInvalidInput: a URL with a user or an Opaque, a Host of another origin, a path without a
// leading slash (except "*" with OPTIONS), and a query with an unescaped space or control
// character. The client's credential replaces the request's Authorization; a client without a
// credential leaves it. All other headers stay. A gzip answer is decompressed, as by net/http,
// unless the request sets Accept-Encoding.
//
// HEAD and OPTIONS are repeated like GET, PATCH and unknown methods like POST. A request with a
// body needs GetBody to be repeated. Without GetBody a goroutine reads the body ahead, so that
// RoundTrip returns when its context ends, even if the body's Read still waits; the goroutine ends
// when Read returns, and Close may be called during that Read. RoundTrip returns the last answer
// unchanged, whatever its status, after the repeats that the status allows; the http.Client follows
// redirects. Without an answer RoundTrip returns an *Error, with an empty Path.
//
// An attempt ends with the header of its answer: status and header alone decide about a repeat, and
// the body is the caller's. A 401 is repeated once with a renewed token if its WWW-Authenticate says
// that the token is invalid or expired. A 401 without the reason in its header may mean that too, so
// it is repeated like that for GET, HEAD, OPTIONS, PUT and DELETE. If the Limiter refuses a repeat,
// RoundTrip returns an *Error with the status of the answer before.
//
// RetryPolicy.StallTimeout and Config.MaxBodyBytes (0 means 64 MiB) bound reading the body. An error
// of its Read is an *Error too; a truncated body does not repeat the request. For the Observer the
// call ends when the body is read or closed, with an Error if the status is 400 or more, which holds
// nothing of the body.
//
// Errors, log and Observer hide the values of the URL's query, values of 8 bytes or more in the
// request's headers, and every value of Authorization and Cookie. They may show the URL's path and
// the headers Accept*, Content-*, If-*, User-Agent, Range, Prefer, Cache-Control, Traceparent and
// X-Request-Id if the service repeats them: put no secret there. The *url.Error of http.Client,
// around the *Error, prints the whole URL.
func (c *Client) Transport() http.RoundTripper { return &roundTripper{c.base.made()} }

// Transport returns a transport for the base address, by the rules of Client.Transport, which sends
// the applicant's token.
func (a *Applicant) Transport() http.RoundTripper { return &roundTripper{a.endpoint.made()} }

// throughBytes bounds an answer where Config.MaxBodyBytes is 0.
const throughBytes = 64 << 20

// roundTripper sends a user's requests to its endpoint.
type roundTripper struct{ endpoint *endpoint }

// String returns a name, and nothing of what the endpoint holds.
func (t *roundTripper) String() string { return "jobboard.Transport" }

// RoundTrip sends the request, and returns the answer as Client.Transport promises it.
func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	e := t.endpoint
	given := call.NewGiven(req)
	defer given.Close()
	op := &operation{name: "Transport", method: cmp.Or(req.Method, http.MethodGet), limit: throughBytes, stream: true}
	if err := cmp.Or(e.mistake, e.wrongTarget(req)); err != nil {
		return nil, e.refuse(req.Context(), op, err)
	}
	c := e.start(req.Context(), op)
	c.hideGiven(req)
	p := &passed{call: c}
	c.accept = p.take
	failed := c.run(call.Request{Method: op.method, Stream: true, Given: given})
	switch {
	case failed == nil:
	case failed.Answer == nil:
		return nil, c.fail(failed)
	default:
		_ = p.take(answer{failed.Answer, c})
		p.err = c.describe(failed)
	}
	return p.response(), nil
}

// wrongTarget returns why the endpoint cannot send a request, or nil.
func (e *endpoint) wrongTarget(req *http.Request) error {
	u := req.URL
	switch {
	case u == nil:
		return invalid("the request has no URL")
	case u.User != nil:
		return invalid("the request's URL has a user")
	case u.Opaque != "", !e.Origin.Is(u):
		return invalid("this transport sends to %s and nowhere else", e.Origin.Host)
	case req.Host != "" && !e.Origin.Is(&url.URL{Scheme: u.Scheme, Host: req.Host}):
		return invalid("the request's Host is not that of its URL")
	}
	// A forward proxy gets scheme, host and target as one text. Without its slash a target changes
	// the host: http://jobs.example@evil.example/x.
	target := u.RequestURI()
	switch {
	case target[0] != '/' && (target != "*" || req.Method != http.MethodOptions):
		return invalid("the path of the request's URL does not begin with a slash")
	case strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return invalid("the query of the request's URL holds a space or a control character that is not escaped")
	}
	return nil
}

// hideGiven adds the secrets in the caller's request to the texts that no error of the call shows.
func (c *invocation) hideGiven(req *http.Request) {
	for _, values := range req.URL.Query() {
		c.Secrets.Add(values...)
	}
	c.Secrets.Add(headerSecrets(req.Header)...)
	for _, cookie := range req.Cookies() {
		if len(cookie.Value) >= 8 {
			c.Secrets.Add(cookie.Value)
		}
	}
}

// headerSecrets returns the values of h that no error may show.
func headerSecrets(h http.Header) (texts []string) {
	for name, values := range h {
		name = http.CanonicalHeaderKey(name)
		if isPublicHeader(name) {
			continue
		}
		shortest := 8 // to hide shorter values would ruin every text
		switch name {
		case "Authorization", "Proxy-Authorization", "Cookie":
			shortest = 1
		}
		for _, value := range values {
			_, behindScheme, _ := strings.Cut(value, " ")
			for _, secret := range [...]string{value, behindScheme} {
				if len(secret) >= shortest {
					texts = append(texts, secret)
				}
			}
		}
	}
	return texts
}

// isPublicHeader reports whether the values of a header may be shown, because they describe the
// request and not the user. name is canonical.
func isPublicHeader(name string) bool {
	switch name {
	case "User-Agent", "Range", "Prefer", "Cache-Control", "Traceparent", "X-Request-Id":
		return true
	}
	return strings.HasPrefix(name, "Accept") || strings.HasPrefix(name, "Content-") || strings.HasPrefix(name, "If-")
}
