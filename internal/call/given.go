package call

import (
	"context"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

// Given is a request that the caller made, for a path that the interface does not name. Its answer
// is for the caller, unread.
type Given struct {
	Request *http.Request
	Zipped  bool // the library asks for gzip, so it decompresses the answer

	body *givenBody // of the request, until it is sent; nil: none
}

// NewGiven takes over a request and its body, which Close closes if it was never sent.
func NewGiven(req *http.Request) *Given {
	// net/http decides so too, but the client's own transport leaves compression alone.
	plain := req.Header.Get("Accept-Encoding") == "" && req.Header.Get("Range") == ""
	g := &Given{Request: req, Zipped: plain && req.Method != http.MethodHead}
	if g.hasBody() {
		g.body = &givenBody{ReadCloser: req.Body}
	}
	return g
}

// Close closes the body of a request that was never sent.
func (g *Given) Close() {
	if g.body != nil {
		_ = g.body.Close()
	}
}

// forLoop returns the request for the loop, which changes nothing of it.
func (g *Given) forLoop(ctx context.Context) *http.Request {
	req := g.Request.WithContext(ctx)
	req.RequestURI = "" // a proxy's request has one
	req.Body = nil
	return req
}

// header returns the header of an attempt: the caller's header, the fields that the owner and the
// client add, the credential, and the fields that net/http would add.
func (g *Given) header(added, observed http.Header, auth *credential.Authorization, userAgent string) http.Header {
	h := make(http.Header, len(g.Request.Header)+len(added)+len(observed)+3)
	maps.Copy(h, added)
	for name, values := range g.Request.Header {
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
		h["User-Agent"] = []string{userAgent}
	}
	if g.Zipped {
		h["Accept-Encoding"] = []string{"gzip"}
	}
	return h
}

// setBody sets the body of an attempt's request. A body from GetBody is bytes in memory, whose Read
// never blocks, so it needs no goroutine.
func (g *Given) setBody(x *transport.Exchange, sent *http.Request) error {
	switch {
	case !g.hasBody():
		sent.Body = g.Request.Body
	case g.body != nil:
		sent.Body = g.body
		if g.Request.GetBody == nil {
			sent.Body = x.NewUpload(g.body, g.Request.ContentLength)
		}
		g.body = nil // the transport closes it
	default:
		body, err := g.Request.GetBody()
		if err != nil {
			return err
		}
		sent.Body = body
	}
	return nil
}

func (g *Given) hasBody() bool { return g.Request.Body != nil && g.Request.Body != http.NoBody }

// canRepeat reports whether the request can be sent again.
func (g *Given) canRepeat() bool { return !g.hasBody() || g.Request.GetBody != nil }

// givenBody is the body of a caller's request. It is closed once.
type givenBody struct {
	io.ReadCloser
	once sync.Once
}

func (b *givenBody) Close() (err error) {
	b.once.Do(func() { err = b.ReadCloser.Close() })
	return err
}
