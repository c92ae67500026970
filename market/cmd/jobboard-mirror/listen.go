package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// lastAnswers bounds the time for running answers when the program ends.
const lastAnswers = 5 * time.Second

// serveAt serves at an address until ctx ends, and notes the address on
// standard error.
func serveAt(ctx context.Context, c *term.Console, addr, what string, handler http.Handler) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return setup.Usage("%s: %w", what, err).Next("give host:port, such as 127.0.0.1:8080; port 0 takes a free one")
	}
	c.Note("%s at http://%s", what, listener.Addr())
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	shut := make(chan struct{})
	go func() {
		defer close(shut)
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAnswers)
		defer cancel()
		if server.Shutdown(last) != nil {
			_ = server.Close()
		}
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-shut
	return ctx.Err()
}

// monitor returns the handler for an orchestrator. Because anybody may call it, it shows the
// copy's health and the names of its sources, but no jobs.
func monitor(m *copied) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "live") })
	mux.HandleFunc("GET /ready", m.ServeReady)
	mux.Handle("GET /metrics", m.telemetry.metrics)
	return mux
}

// authorize returns a check of callers by the address of their connection; behind a proxy
// this is the proxy's address. Without networks it returns nil, and only callers on this
// machine are served.
func (l *listening) authorize() func(*http.Request) error {
	if len(l.allow) == 0 {
		return nil
	}
	return func(r *http.Request) error {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		caller := net.IP(from.Addr().AsSlice())
		if err == nil && slices.ContainsFunc(l.allow, func(n net.IPNet) bool { return n.Contains(caller) }) {
			return nil
		}
		return errors.New("callers of this network are not served")
	}
}
