package main

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp"
)

// robots keeps search engines away from the sign-in, and names the sitemap.
func (s *site) robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintf(w, "User-agent: *\nDisallow: /signin\nSitemap: %s/sitemap.xml\n", s.URL)
}

// assistants lets assistants search the copy, without requests to the board.
func (s *site) assistants(channel jobboard.ChannelID) http.Handler {
	host := strings.TrimPrefix(strings.TrimPrefix(s.URL, "https://"), "http://")
	return jobmcp.NewServer(s.Site.Client(), jobmcp.Options{
		Channel: channel, Hosts: []string{host},
		JobURL: func(job jobboard.JobID, title string) string { return s.URL + s.Site.Path(job, title) },
	}).Handler()
}
