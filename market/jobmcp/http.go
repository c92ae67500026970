package jobmcp

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jobboard-sdk/jobboard-go/market/internal/hostname"
)

// Bounds of Handler beside those of the tools.
const (
	maxRequests = 64               // at the same time: those that wait for a tool's turn, but not those being read
	maxSeen     = 8 * maxMessage   // bytes of a message that is too long, to find its identifier
	maxReaders  = 256              // messages that are read at the same time
	maxReading  = 5 * time.Second  // of a message
	maxSending  = 30 * time.Second // of the answer, after the longest call
)

// Handler returns a handler that answers assistants by the streamable HTTP transport, each
// request by itself: there are no sessions, so the tool what_changed, which remembers, is not
// there. It may stand at any path.
//
// It answers 403 to a Host that Options.Hosts does not name and to an Origin that
// Options.Origins does not name, and 503 while more than 64 requests are under way. A
// message, of 1 MiB at most, is read before that, within 5 s. At most 256 are read at the same
// time: one more ends the one that has been read for longest, with 503. Handler does not find
// out who asks: wrap it in a handler that does. The bounds of calls and their rate are those
// of all callers together.
//
// A call whose caller has left ends at once if it was made by protocol 2026-07-28 or a later
// one. By an earlier protocol it ends if it still waits for its place among the calls; one that
// began goes on, and keeps its place until it is done, for 60 s at most.
func (s *Server) Handler() http.Handler {
	protocol := s.protocol(false)
	next := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return protocol }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: s.o.Logger, MaxRequestBodyBytes: maxMessage,
		DisableLocalhostProtection:   true, // permitted knows which hosts there are
		PropagateRequestCancellation: true,
	})
	places := make(chan struct{}, maxRequests)
	messages := &readers{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := s.forbids(r); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		boundSending(w, r)
		r = r.Clone(context.WithValue(r.Context(), callerKey{}, r.Context()))
		if r.Method == http.MethodPost {
			body, ok := messages.read(w, r)
			if !ok {
				return
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		default:
			busy(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// callerKey is the key of the context of a request over HTTP, which ends when its caller
// leaves. The protocol's library takes that away from the calls of earlier protocols.
type callerKey struct{}

// callerLeft returns a channel that is closed when the caller of a call over HTTP leaves, nil
// for another call.
func callerLeft(ctx context.Context) <-chan struct{} {
	if caller, ok := ctx.Value(callerKey{}).(context.Context); ok {
		return caller.Done()
	}
	return nil
}

// boundSending ends an answer that its caller does not read, which would keep its place for
// ever, unless the server bounds it.
func boundSending(w http.ResponseWriter, r *http.Request) {
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.WriteTimeout > 0 {
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxReading + maxCallTime + maxSending))
}

// forbids says why a request is not answered, "" for one that is.
func (s *Server) forbids(r *http.Request) string {
	if !s.permitsHost(r.Host) {
		return "this host is not served"
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		// No page of another origin could read the answer, and a message is a POST, with which
		// every browser sends Origin.
		return ""
	}
	u, err := url.Parse(origin)
	own := err == nil && len(s.o.Origins) == 0 && u.Host != "" && strings.EqualFold(u.Host, r.Host)
	if !own && !slices.ContainsFunc(s.o.Origins, func(o string) bool { return isOrigin(origin, o) }) {
		return "pages of this origin may not ask"
	}
	return ""
}

// isOrigin reports whether the origin of a request is the permitted one.
func isOrigin(origin, permitted string) bool {
	if scheme, host, ok := strings.Cut(permitted, "://"); ok {
		permitted = scheme + "://" + hostname.ASCII(host)
	}
	return strings.EqualFold(origin, permitted)
}

// permitsHost reports whether a Host is one of Options.Hosts or, where there are none, this
// machine by a loopback address or as localhost.
func (s *Server) permitsHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if len(s.o.Hosts) > 0 {
		return slices.ContainsFunc(s.o.Hosts, func(h string) bool {
			h = hostname.ASCII(h)
			return strings.EqualFold(h, host) || strings.EqualFold(h, name)
		})
	}
	ip, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && ip.IsLoopback()
}
