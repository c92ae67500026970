package main

import (
	"fmt"
	"log/slog"
	"net/http"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
)

// publish serves the sitemap, the feeds and the assistants' endpoint.
func (s *site) publish(mux *http.ServeMux, host string, channel jobboard.ChannelID) error {
	published, err := jobpublish.NewFeeds(jobpublish.Config{
		URL: s.origin + "/", Title: german.Title, Language: german.Lang, Jobs: s.jobs.Jobs,
	})
	if err != nil {
		return err
	}
	mux.Handle("GET /sitemap.xml", published.Sitemap("/sitemap.xml"))
	mux.Handle("GET /jobs.rss", published.RSS("/jobs.rss"))
	mux.Handle("GET /jobs.atom", published.Atom("/jobs.atom"))
	mux.Handle("GET /jobs.feed.json", published.DataFeed("/jobs.feed.json"))
	mux.Handle("/mcp", s.assistants(host, channel))
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintf(w, "User-agent: *\nDisallow: /signin\nDisallow: /apply/\nSitemap: %s/sitemap.xml\n", s.origin)
	})
	return nil
}

// announcer serves the file with the key of announcements, and returns who tells search engines of
// pages that change.
func (s *site) announcer(cfg jobpublish.AnnouncerConfig) (*jobpublish.Announcer, error) {
	cfg.URL, cfg.Store, cfg.Logger = s.origin, s.mirror.Announced(), slog.Default()
	announcer, err := jobpublish.NewAnnouncer(cfg)
	if err != nil {
		return nil, err
	}
	s.files.Handle("GET "+announcer.KeyPath(), announcer.KeyFile())
	return announcer, nil
}

// assistants lets assistants search the copy, without requests to the board.
func (s *site) assistants(host string, channel jobboard.ChannelID) http.Handler {
	return jobmcp.NewServer(s.jobs.Client(), jobmcp.Options{Channel: channel, Hosts: []string{host}}).Handler()
}
