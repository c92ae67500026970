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

// Transport returns the client's road to the base address for other paths than
// those of the interface: as the Transport of an [http.Client], for a client that was
// generated or written by hand. It does for a request what a call of the Client does:
// attempts, budget, Retry-After, Limiter, Observer and Logger, with its credential.
//
// It sends to the base address's scheme, host and port and nowhere else. ErrInvalidInput,
// before anything is sent, are: a URL with a user or an Opaque, a Host of another origin, a
// path that does not begin with a slash (unless it is "*", of OPTIONS), and in the query a
// space or a control character that is not escaped. The credential
// replaces the request's Authorization, which stays where there is no credential. The
// other headers stay, and compression is net/http's affair: undone, unless the request
// has an Accept-Encoding of its own.
//
// HEAD and OPTIONS are repeated as GET is, PATCH and methods without a rule as POST.
// A request with a body is repeated only if it has GetBody. A body without it is read ahead
// in a goroutine, so that RoundTrip returns at the end of its context also while the body's
// Read waits; the goroutine ends with that Read, and Close may come meanwhile. An answer comes
// back as it is, whatever its status, after the repeats that its status allows;
// redirects are for the http.Client to follow. RoundTrip returns an error
// only where there is no answer, always an *Error, with an empty Path.
//
// An attempt ends with the header of its answer. If that refuses the request, up to
// 64 KiB of the body are read first, for the words by which it is judged: for at most
// 1 s, or a tenth of the time left, of all attempts together. After that status and
// header decide. The caller gets all of the body. It is read under
// RetryPolicy.StallTimeout and Config.MaxBodyBytes, 64 MiB if that is 0, and the
// error of a Read is an *Error too; what is cut off is not repeated. The call ends for
// the Observer with the end of the body or its Close, with an Error for a
// status of 400 and more.
//
// Errors, log and Observer do not show the values of the URL's query, nor those of headers
// that the request has: of 8 bytes and more, and of Authorization and Cookie any. The headers
// Accept and its kind, Content-*, If-*, User-Agent, Range, Prefer, Cache-Control, Traceparent
// and X-Request-Id are shown where the service repeats them, and so is the URL's path: put
// no secret there. The *url.Error of http.Client, around the *Error, prints the whole URL.
func (c *Client) Transport() http.RoundTripper { return &roundTripper{c.base.made()} }

// JobDBTransport returns the road to Config.JobDBURL, by the rules of Transport and
// with the credential of Config.JobDBTokenSource, if there is one.
func (c *Client) JobDBTransport() http.RoundTripper { return &roundTripper{c.lookup.made()} }

// Transport returns the road to the base address by the rules of Client.Transport,
// with the applicant's token.
func (a *Applicant) Transport() http.RoundTripper { return &roundTripper{a.endpoint.made()} }

// throughBytes bounds an answer where Config.MaxBodyBytes is 0.
const throughBytes = 64 << 20

// roundTripper sends requests that it is given to its endpoint.
type roundTripper struct{ endpoint *endpoint }

// String returns a name, and nothing of what the endpoint holds.
func (t *roundTripper) String() string { return "jobboard.Transport" }

// through holds the request of a call that came through a roundTripper, and the
// answer that it gets.
type through struct {
	request *http.Request
	body    *givenBody // of the request, until it is sent; nil: none
	inflate bool       // the answer's gzip is for us to undo
	answer  *passed    // nil: none yet

	patience time.Duration // that the call has left for words of refused answers; 0: it had none yet
}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	e := t.endpoint
	// As net/http does, which our own transport is told to leave alone.
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
	c.hideGiven()
	c.sent.Request = req.WithContext(c.ctx) // the loop changes nothing of it
	c.sent.RequestURI = ""                  // a proxy's request has one
	c.sent.Body = nil

	passedOn := false
	defer func() {
		if !passedOn && g.answer != nil { // also where the caller's code panicked
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

// wrongTarget returns why a request cannot take this road, or nil.
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
	// A forward proxy gets scheme, host and target as one text, so that a target without
	// its slash would make another host: http://jobs.example@evil.example/x.
	target := u.RequestURI()
	switch {
	case target[0] != '/' && (target != "*" || req.Method != http.MethodOptions):
		return invalid("the path of the request's URL does not begin with a slash")
	case strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return invalid("the query of the request's URL holds a space or a control character that is not escaped")
	}
	return nil
}

// hideGiven makes the secrets of the caller's request those of the call.
func (c *call) hideGiven() {
	req := c.given.request
	for _, values := range req.URL.Query() {
		c.secrets.Add(values...)
	}
	for name, values := range req.Header {
		name = http.CanonicalHeaderKey(name)
		if isPublicHeader(name) {
			continue
		}
		shortest := 8 // what is shorter is no secret, and would ruin every text
		switch name {
		case "Authorization", "Proxy-Authorization", "Cookie":
			shortest = 1
		}
		for _, value := range values {
			_, behindScheme, _ := strings.Cut(value, " ")
			for _, secret := range [...]string{value, behindScheme} {
				if len(secret) >= shortest {
					c.secrets.Add(secret)
				}
			}
		}
	}
	for _, cookie := range req.Cookies() {
		if len(cookie.Value) >= 8 {
			c.secrets.Add(cookie.Value)
		}
	}
}

// isPublicHeader reports whether a header, by its canonical name, says what is wanted and
// not who wants it, so that its values may be shown.
func isPublicHeader(name string) bool {
	switch name {
	case "User-Agent", "Range", "Prefer", "Cache-Control", "Traceparent", "X-Request-Id":
		return true
	}
	return strings.HasPrefix(name, "Accept") || strings.HasPrefix(name, "Content-") || strings.HasPrefix(name, "If-")
}

// headerGiven returns the header of an attempt: the caller's, with what the observer
// adds, the credential, and what net/http would add.
func (c *call) headerGiven(observed http.Header, auth *credential.Authorization) http.Header {
	g, config := c.given, &c.endpoint.config
	h := maps.Clone(g.request.Header)
	if h == nil {
		h = http.Header{}
	}
	maps.Copy(h, observed)
	auth.Put(h)
	for name := range h { // net/http sends the URL's, and beside that a "host" in lower case
		if strings.EqualFold(name, "Host") {
			delete(h, name)
		}
	}
	if _, has := h["User-Agent"]; !has {
		h["User-Agent"] = []string{config.UserAgent}
	}
	if g.inflate {
		h["Accept-Encoding"] = []string{"gzip"}
		if config.DisableCompression {
			h["Accept-Encoding"] = []string{"identity"}
		}
	}
	return h
}

// bodyGiven gives an attempt a body of its own. One that can be had again is bytes at hand,
// whose Read waits for nobody.
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

// close closes the body of the request, if it was not sent.
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
