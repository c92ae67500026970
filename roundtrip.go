package jobboard

import (
	"cmp"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
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
// An attempt ends with the header of its answer. Of an answer with a status of 400 or more,
// RoundTrip first reads up to 64 KiB of the body, whose words help to decide about a repeat. All
// attempts together spend at most 1 s on this, or a tenth of the time left; then status and header
// decide. The caller still gets the whole body. RetryPolicy.StallTimeout and Config.MaxBodyBytes (0
// means 64 MiB) bound reading it. An error of its Read is an *Error too; a truncated body does not
// repeat the request. For the Observer the call ends when the body is read or closed, with an Error
// if the status is 400 or more.
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

// through holds a user's request, given to a roundTripper, and the answer to it.
type through struct {
	request *http.Request
	body    *givenBody // of the request, until it is sent; nil: none
	inflate bool       // we asked for gzip, so we decompress the answer
	answer  *passed    // nil: none yet

	patience time.Duration // time left to read the words of refused answers; 0: not set yet
}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	e := t.endpoint
	// net/http decides so too, but the client's own transport leaves compression alone.
	plain := req.Header.Get("Accept-Encoding") == "" && req.Header.Get("Range") == ""
	g := &through{request: req, inflate: plain && req.Method != http.MethodHead}
	if g.hasBody() {
		g.body = &givenBody{ReadCloser: req.Body}
		defer g.close()
	}
	op := &operation{name: "Transport", method: cmp.Or(req.Method, http.MethodGet), limit: throughBytes, stream: true}
	if err := cmp.Or(e.mistake, e.wrongTarget(req)); err != nil {
		return nil, e.refuse(req.Context(), op, err)
	}
	c := e.startCall(req.Context(), op)
	if err := c.ctx.Err(); err != nil {
		return nil, c.fail(ended(err, false))
	}
	c.given, c.deadline = g, c.lastMoment(time.Now())
	c.secrets.Add(e.hide()...)
	c.hideGiven()
	c.sent.Request = req.WithContext(c.ctx) // the loop changes nothing of it
	c.sent.RequestURI = ""                  // a proxy's request has one
	c.sent.Body = nil

	passedOn := false
	defer func() {
		if !passedOn && g.answer != nil { // also if the caller's code panicked
			g.answer.drop()
		}
	}()
	if failed := c.loop(); failed != nil {
		if failed.answer == nil || failed.answer.gone() {
			return nil, c.fail(failed)
		}
		g.answer = failed.answer
		g.answer.err = c.describe(failed)
	}
	passedOn = true
	return g.answer.response(), nil
}

// wrongTarget returns why the endpoint cannot send a request, or nil.
func (e *endpoint) wrongTarget(req *http.Request) error {
	u := req.URL
	switch {
	case u == nil:
		return invalid("the request has no URL")
	case u.User != nil:
		return invalid("the request's URL has a user")
	case u.Opaque != "", !e.origin.Is(u):
		return invalid("this transport sends to %s and nowhere else", e.origin.Host)
	case req.Host != "" && !e.origin.Is(&url.URL{Scheme: u.Scheme, Host: req.Host}):
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
func (c *call) hideGiven() {
	req := c.given.request
	for _, values := range req.URL.Query() {
		c.secrets.Add(values...)
	}
	c.secrets.Add(headerSecrets(req.Header)...)
	for _, cookie := range req.Cookies() {
		if len(cookie.Value) >= 8 {
			c.secrets.Add(cookie.Value)
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

// headerGiven returns the header of an attempt: the caller's header, the observer's fields, the
// credential, and the fields that net/http would add.
func (c *call) headerGiven(observed http.Header, auth *credential.Authorization) http.Header {
	g, config := c.given, &c.endpoint.config
	added := c.endpoint.added()
	h := make(http.Header, len(g.request.Header)+len(added)+len(observed)+3)
	maps.Copy(h, added)
	for name, values := range g.request.Header {
		delete(h, http.CanonicalHeaderKey(name))
		h[name] = values
	}
	maps.Copy(h, observed)
	auth.Put(h)
	for name := range h { // net/http sends the URL's host, and a "host" in lower case beside it
		if strings.EqualFold(name, "Host") {
			delete(h, name)
		}
	}
	if _, has := h["User-Agent"]; !has {
		h["User-Agent"] = []string{config.UserAgent}
	}
	if g.inflate {
		h["Accept-Encoding"] = []string{"gzip"}
	}
	return h
}

// bodyGiven sets the body of an attempt's request. A body from GetBody is bytes in memory, whose
// Read never blocks, so it needs no goroutine.
func (g *through) bodyGiven(x *transport.Exchange, sent *http.Request) error {
	switch {
	case !g.hasBody():
		sent.Body = g.request.Body
	case g.body != nil:
		sent.Body = g.body
		if g.request.GetBody == nil {
			sent.Body = x.NewUpload(g.body, g.request.ContentLength)
		}
		g.body = nil // the transport closes it
	default:
		body, err := g.request.GetBody()
		if err != nil {
			return err
		}
		sent.Body = body
	}
	return nil
}

func (g *through) hasBody() bool { return g.request.Body != nil && g.request.Body != http.NoBody }

// canRepeat reports whether the request can be sent again.
func (g *through) canRepeat() bool { return !g.hasBody() || g.request.GetBody != nil }

// close closes the body of a request that was never sent.
func (g *through) close() {
	if g.body != nil {
		_ = g.body.Close()
	}
}

// givenBody is the body of a caller's request. It is closed once.
type givenBody struct {
	io.ReadCloser
	once sync.Once
}

func (b *givenBody) Close() (err error) {
	b.once.Do(func() { err = b.ReadCloser.Close() })
	return err
}
