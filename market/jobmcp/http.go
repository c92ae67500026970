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
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jobboard-sdk/jobboard-go/market/internal/hostname"
)

// Bounds of Handler, besides the bounds of the tools.
const (
	maxRequests = 64               // requests at once, with waiting calls, without messages being read
	maxReaders  = 256              // messages being read at the same time
	maxReading  = 5 * time.Second  // time to read a message
	maxSending  = 30 * time.Second // time to send an answer, after the longest call
)

// Handler returns a handler that answers assistants by the streamable HTTP transport, without
// sessions: the tool what_changed, which needs a session's memory, is missing. Handler can be
// mounted at any path.
//
// It answers 403 to a Host that Options.Hosts does not name and to pages of another
// origin, and 503 while more than 64 requests are under way. A message
// may have 1 MiB and take 5 s to arrive; messages being read do not count as requests under
// way. If 256 messages are being read, a new one cancels the oldest, which gets 503. Where the
// ResponseWriter has no deadlines, as in middleware without Unwrap, the server's ReadTimeout bounds the
// time, and the new message gets 503. A batch of messages gets 400. Handler does not authenticate callers: wrap it in a handler
// that does. All callers share the limits on calls and their rate.
//
// A call whose caller has left ends at once if it was made by protocol 2026-07-28 or a later
// one. With an earlier protocol only a waiting call ends; a running call goes on, and keeps its
// place for up to 60 s.
func (s *Server) Handler() http.Handler {
	protocol := s.protocol(false)
	next := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return protocol }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: s.o.Logger, MaxRequestBodyBytes: maxMessage,
		DisableLocalhostProtection:   true, // forbids checks the hosts
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
		if r.Method == http.MethodPost && !messages.read(w, r) {
			return
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

// readers bounds the messages that Handler reads at the same time, so that slow callers
// cannot block others.
type readers struct {
	mu  sync.Mutex
	all []*http.ResponseController // oldest first
}

// read replaces a request's body by what it reads of it within maxReading. It returns false if that is not one
// message, and then has answered the request. The library refuses a message that is too long or damaged.
func (all *readers) read(w http.ResponseWriter, r *http.Request) bool {
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(maxReading)) // where there are none, the server bounds the time
	if !all.begin(conn) {
		w.Header().Set("Connection", "close") // leave the message unread
		busy(w)
		return false
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxMessage+1))
	switch kept := all.end(conn); {
	case err != nil && !kept:
		busy(w)
		return false
	case err != nil:
		http.Error(w, "the message was cut off", http.StatusBadRequest)
		return false
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")): // in one place there would be any number of calls
		http.Error(w, "this is not one JSON-RPC message; batches are not read", http.StatusBadRequest)
		return false
	case len(body) <= maxMessage:
		_ = conn.SetReadDeadline(time.Time{}) // a passed deadline would end the request's context
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return true
}

// begin adds a message. If maxReaders are being read, it ends the oldest, and returns false if that cannot be ended.
func (all *readers) begin(conn *http.ResponseController) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.all) == maxReaders {
		if all.all[0].SetReadDeadline(time.Now()) != nil {
			return false
		}
		all.all = slices.Delete(all.all, 0, 1)
	}
	all.all = append(all.all, conn)
	return true
}

// end removes a message, and reports whether begin has not ended it.
func (all *readers) end(conn *http.ResponseController) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	i := slices.Index(all.all, conn)
	if i >= 0 {
		all.all = slices.Delete(all.all, i, i+1)
	}
	return i >= 0
}

// busy answers a request with 503 when Handler is full.
func busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, "too many requests are under way", http.StatusServiceUnavailable)
}

// callerKey is the key of a value that holds the HTTP request's context, which ends when
// the caller leaves. The MCP library detaches calls of earlier protocols from this
// context.
type callerKey struct{}

// callerLeft returns a channel that is closed when the caller of an HTTP call leaves, or nil
// for other calls.
func callerLeft(ctx context.Context) <-chan struct{} {
	if caller, ok := ctx.Value(callerKey{}).(context.Context); ok {
		return caller.Done()
	}
	return nil
}

// boundSending sets a write deadline, unless the server has one: an answer that the caller
// does not read would occupy its place for ever.
func boundSending(w http.ResponseWriter, r *http.Request) {
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.WriteTimeout > 0 {
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxReading + maxCallTime + maxSending))
}

// forbids returns the reason to refuse a request by its Host or Origin, or "".
func (s *Server) forbids(r *http.Request) string {
	if !s.permitsHost(r.Host) {
		return "this host is not served"
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		// Browsers send Origin with every POST, as messages are. To other requests a page of
		// another origin could not read the answer.
		return ""
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
		return "pages of this origin may not ask"
	}
	return ""
}

// permitsHost reports whether a Host is in Options.Hosts. If Hosts is empty, it permits
// localhost and loopback addresses.
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
