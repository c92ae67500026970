package jobboard

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// attempt is one request on the wire and its limits of time: to the end of a
// bounded body, or to the headers of a streamed one, and between two reads.
// One timer serves them all; a context deadline each would cost more.
type attempt struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	stall  time.Duration
	limit  time.Time // the end of the attempt
	cause  error     // of a time-out at limit
	phase  atomic.Int32
	body   io.ReadCloser
	watch  *watch
}

const (
	toHeaders int32 = iota
	toEnd
	streaming
)

const maxRedirects = 3

// send is one request with its time limits, and the redirects that stay.
func (t *slotTransport) send(c *call, req *http.Request, authorization []string) (*http.Response, error) {
	now := time.Now()
	a := &attempt{stall: c.policy.StallTimeout, limit: now.Add(c.policy.AttemptTimeout), cause: errAttemptTimeout, watch: c.watch}
	if _, own := c.Deadline(); !own && c.deadline.Before(a.limit) { // the caller's context ends by itself
		a.limit, a.cause = c.deadline, errCallTimeout
	}
	watched, header := c.startAttempt()
	a.ctx, a.cancel = context.WithCancelCause(watched)
	a.timer = time.AfterFunc(a.limit.Sub(now), a.expire)
	ctx := a.ctx
	if !c.op.safe() {
		ctx = c.conn.watch(ctx)
	}

	sent := req.WithContext(ctx)
	sent.Header = make(http.Header, len(c.header)+1+len(header))
	maps.Copy(sent.Header, header)
	maps.Copy(sent.Header, c.header)
	delete(sent.Header, "Authorization")
	if authorization != nil {
		sent.Header["Authorization"] = authorization
	}
	c.attempts++
	resp, err := t.follow(c, sent)
	if err != nil {
		a.timer.Stop()
		if cause := context.Cause(a.ctx); cause != nil {
			err = cause
		}
		a.cancel(nil)
		return nil, err
	}
	a.body = resp.Body
	resp.Body = a
	a.timer.Stop()
	if c.op.stream && resp.StatusCode == http.StatusOK {
		a.phase.Store(streaming)
	} else {
		a.phase.Store(toEnd)
	}
	return resp, nil
}

// follow follows at most three redirects of a GET to the same origin. Any
// other redirect loses its Location: http.Client would parse it, and print it
// in an error.
func (t *slotTransport) follow(c *call, req *http.Request) (*http.Response, error) {
	for hops := 0; ; hops++ {
		resp, err := t.next(req)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode < 300 || resp.StatusCode > 399 {
			return resp, nil
		}
		target := t.origin.redirect(req.URL, resp)
		if target == nil || hops == maxRedirects || !c.op.safe() {
			resp.Header.Del("Location")
			return resp, nil
		}
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // for the connection's sake
		_ = resp.Body.Close()
		next := *req
		next.URL = target
		req = &next
	}
}

func (a *attempt) expire() {
	switch phase := a.phase.Load(); {
	case phase == toHeaders, phase == toEnd && !time.Now().Before(a.limit):
		a.cancel(a.cause)
	default:
		a.cancel(errStalled)
	}
}

// Read is a read of the body within the time that is left.
func (a *attempt) Read(p []byte) (int, error) {
	wait := a.stall
	if a.phase.Load() != streaming {
		wait = max(min(wait, time.Until(a.limit)), 0)
	}
	var start time.Time
	if a.watch != nil {
		start = time.Now()
	}
	a.timer.Reset(wait)
	n, err := a.body.Read(p)
	a.timer.Stop()
	if a.watch != nil {
		a.watch.reading += time.Since(start)
	}
	if err != nil && err != io.EOF {
		if cause := context.Cause(a.ctx); cause != nil {
			err = cause
		}
	}
	return n, err
}

func (a *attempt) Close() error {
	a.timer.Stop()
	err := a.body.Close()
	a.cancel(nil)
	return err
}

// connTrace knows whether a request was given a connection at all. Only calls
// that change something pay for it.
type connTrace struct{ asked, got atomic.Bool }

func (t *connTrace) watch(ctx context.Context) context.Context {
	t.asked.Store(false)
	t.got.Store(false)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { t.asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { t.got.Store(true) },
	})
}

// known is false where the transport does not say, such as one made for tests.
func (t *connTrace) known() bool { return t.asked.Load() }
func (t *connTrace) sent() bool  { return t.got.Load() }

// origin is a scheme, a host and a port: what a credential is bound to.
type origin struct{ scheme, host, port string }

func originOf(u *url.URL) origin {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "http":
		port = "80"
	case u.Scheme == "https":
		port = "443"
	}
	return origin{u.Scheme, strings.ToLower(u.Hostname()), port}
}

// isASCII: other letters have capitals and lower case in ASCII, and are other
// hosts all the same.
func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

func (o origin) is(u *url.URL) bool { return originOf(u) == o }

// redirect is where a redirect leads, or nil where it is none to follow: no or
// a broken Location, another origin, a user part.
func (o origin) redirect(from *url.URL, resp *http.Response) *url.URL {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	location := resp.Header.Get("Location")
	if location == "" {
		return nil
	}
	target, err := from.Parse(location)
	if err != nil || target.User != nil || target.Opaque != "" || !isASCII(target.Host) || !o.is(target) {
		return nil
	}
	// The same origin in our spelling: no other name is looked up for it.
	target.Host = from.Host
	target.Fragment, target.RawFragment = "", ""
	return target
}
