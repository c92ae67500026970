package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
)

// robots keeps search engines away from the ways to apply, and names the sitemap.
func (s *site) robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintf(w, "User-agent: *\nDisallow: /signin\nDisallow: /apply/\nSitemap: %s/sitemap.xml\n", s.URL)
}

// announcer serves the file with the key of announcements, and returns who tells search engines of
// pages that change.
func (s *site) announcer(cfg jobpublish.AnnouncerConfig) (*jobpublish.Announcer, error) {
	cfg.URL, cfg.Store, cfg.Logger = s.URL, s.Mirror.Announced(), slog.Default()
	announcer, err := jobpublish.NewAnnouncer(cfg)
	if err != nil {
		return nil, err
	}
	s.Mux.Handle("GET "+announcer.KeyPath(), announcer.KeyFile())
	return announcer, nil
}

// assistants lets assistants search the copy, without requests to the board.
func (s *site) assistants(channel jobboard.ChannelID) http.Handler {
	host := strings.TrimPrefix(strings.TrimPrefix(s.URL, "https://"), "http://")
	return jobmcp.NewServer(s.Site.Client(), jobmcp.Options{Channel: channel, Hosts: []string{host}}).Handler()
}
