package jobsite

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
)

// Page adds a page at a pattern of [http.ServeMux], such as "GET /{$}". It is inside Middleware,
// and [Site.Handle] answers its errors.
func (m *Marketplace) Page(pattern string, page func(http.ResponseWriter, *http.Request) error) {
	m.pages.HandleFunc(pattern, m.Site.Handle(page))
}

// Handler returns the handler of the whole site, for a server of one's own: Mux, the pages, and
//
//	/sitemap.xml                               for search engines
//	/jobs.rss, /jobs.atom                      the feeds
//	/jobs.feed.json                            410: a feed that there was
//	/robots.txt                                names the sitemap
//	/live, /ready                              for a monitor: 503 with Retry-After where the site cannot answer searches
//
// A page or a pattern of Mux at one of these paths replaces it. Handler answers with the
// page of Config.Failed where nothing has the path, 404, or no such method, 405.
func (m *Marketplace) Handler() http.Handler {
	pages := m.Site.Pages(m.pages)
	if m.Middleware != nil {
		pages = m.Middleware(pages)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case has(m.Mux, r):
			m.Mux.ServeHTTP(w, r)
		case has(m.built, r) && !has(m.pages, r):
			m.built.ServeHTTP(w, r)
		default:
			pages.ServeHTTP(w, r)
		}
	})
}

// has reports whether a mux has a pattern for a request.
func has(mux *http.ServeMux, r *http.Request) bool {
	_, pattern := mux.Handler(r)
	return pattern != ""
}

// Pages returns a handler that serves mux, and that answers by Config.Failed where mux has no
// page of the request's path, with 404, or none of its method, with 405 and the header Allow.
func (s *Site) Pages(mux *http.ServeMux) http.Handler {
	s.mustBeMade()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, pattern := mux.Handler(r); pattern == "" {
			refusal := &refusal{header: http.Header{}}
			h.ServeHTTP(refusal, r)
			if refusal.status == http.StatusNotFound || refusal.status == http.StatusMethodNotAllowed {
				if allow := refusal.header["Allow"]; allow != nil {
					w.Header()["Allow"] = allow
				}
				setPageHeader(w.Header())
				s.cfg.Failed(w, r, refusal.status)
				return
			}
		}
		mux.ServeHTTP(w, r)
	})
}

// refusal records the status and the header with which a mux refuses a request.
type refusal struct {
	header http.Header
	status int
}

func (r *refusal) Header() http.Header { return r.header }

func (r *refusal) Write(p []byte) (int, error) { return len(p), nil }

func (r *refusal) WriteHeader(status int) { r.status = status }

// ready answers 200 while the site can answer searches. It does not say why not, because
// the reason names channels; [jobmirror.Mirror.Status] has it for the operator.
func (m *Marketplace) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	w.Header().Set("Cache-Control", "no-store")
	if m.ending.Load() || m.Mirror.Ready(ctx) != nil {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, "ready\n")
}

// lastAnswers bounds the time for running answers when Run ends.
const lastAnswers = 10 * time.Second

// Run keeps the copy up to date and serves the site on Settings.Addr, until ctx ends. Then it
// answers the requests under way, for ten seconds at most, closes the site as Close does, and
// returns nil. It returns an error if serving or refreshing fails, which ends both. Without
// Settings.Addr it only refreshes, and with ReadOnly in the options of the mirror it only serves.
func (m *Marketplace) Run(ctx context.Context) error {
	all, working := errgroup.WithContext(ctx)
	if !m.readOnly {
		all.Go(func() error {
			err := m.Mirror.Run(working)
			if working.Err() != nil && errors.Is(err, working.Err()) {
				return nil
			}
			return err
		})
	}
	if m.listener != nil {
		if m.Server.Handler == nil {
			m.Server.Handler = m.Handler()
		}
		all.Go(func() error {
			if err := m.Server.Serve(m.listener); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
		m.logger.InfoContext(ctx, "jobsite: serving", "url", m.URL)
	}
	all.Go(func() error {
		<-working.Done()
		m.drain(ctx)
		return nil
	})
	return errors.Join(all.Wait(), m.Close())
}

// drain ends the server when its answers are sent, or after lastAnswers.
func (m *Marketplace) drain(ctx context.Context) {
	m.ending.Store(true)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAnswers)
	defer cancel()
	if err := m.Server.Shutdown(grace); err != nil {
		m.logger.WarnContext(ctx, "jobsite: some answers were cut off", "error", err)
		_ = m.Server.Close()
	}
}

// Close closes the copy and the listener, and removes a temporary database. Run closes the site
// itself. Further calls of Close return the result of the first.
func (m *Marketplace) Close() error {
	m.closing.Do(func() {
		m.ending.Store(true)
		_ = m.Server.Close()
		if m.listener != nil {
			_ = m.listener.Close() // Server has closed it already, if it served
		}
		if m.Mirror != nil {
			m.closed = m.Mirror.Close()
		}
		if m.temporary != "" {
			m.closed = errors.Join(m.closed, os.RemoveAll(m.temporary))
		}
	})
	return m.closed
}
