// Package jobsitetest opens a whole site over a mock server for tests of its pages:
//
//	site := jobsitetest.Open(t, nil)
//	addPages(site.Marketplace) // as the program does
//	resp, err := jobsitetest.Visitor(t).Get(site.URL + "/")
package jobsitetest

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// Site is a site that Open has opened, and the mock server with its jobs.
type Site struct {
	*jobsite.Marketplace
	Board *jobboardtest.Server
}

// Open opens a site over a mock server with the demo, on a port of this machine, copies all its
// jobs, and serves it until the test ends. It logs to the test. edit may change the settings first;
// nil changes nothing. Pages may be added while the site serves.
func Open(t testing.TB, edit func(*jobsite.Settings)) *Site {
	t.Helper()
	board := jobboardtest.NewServer(jobboardtest.WithDemo())
	t.Cleanup(board.Close)
	settings := jobsite.Settings{
		Board: jobboard.Config{
			BaseURL: board.BaseURL, JobDBURL: board.JobDBURL, ClientID: board.Demo.ClientID,
			Retry: jobboard.RetryPolicy{MaxAttempts: 1, AttemptTimeout: time.Second},
		},
		Feeds:      []string{board.FeedURL},
		Channels:   []jobboard.ChannelID{jobboard.ChannelID(board.Demo.Channel)},
		EditMirror: func(opts *jobmirror.Options) { opts.Limit = -1 },
		Addr:       "127.0.0.1:0",
		Logger:     slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	if edit != nil {
		edit(&settings)
	}
	opened, err := jobsite.Open(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	site := &Site{opened, board}
	if err := site.Mirror.Refresh(t.Context()); err != nil {
		t.Error(err, site.Close())
		t.FailNow()
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- site.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error("the site ended:", err)
		}
	})
	return site
}

// Visitor returns a client that keeps the cookies of one visitor, such as that of the language.
func Visitor(t testing.TB) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, Timeout: time.Minute}
}
