// Package jobsitetest opens a whole site over a mock server for tests of its pages, and signs
// applicants in:
//
//	site := jobsitetest.Open(t, nil)
//	addPages(site.Marketplace) // as the program does
//	applicant := jobsitetest.Applicant(t, site, site.Board.Demo.Applicant)
//	resp, err := applicant.Get(site.URL + "/")
package jobsitetest

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"strings"
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
		AuthURL: board.AuthURL, TokenURL: board.TokenURL, Feeds: []string{board.FeedURL},
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
	if _, err := site.Mirror.Refresh(t.Context()); err != nil {
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

// Visitor returns a client with the cookies of a visitor who has not signed in.
func Visitor(t testing.TB) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, Timeout: time.Minute}
}

// Applicant returns a client with the cookies of an applicant who has signed in, such as
// Site.Board.Demo.Applicant.
func Applicant(t testing.TB, site *Site, applicant int64) *http.Client {
	t.Helper()
	client := Visitor(t)
	_, page := send(t, client, http.MethodGet, site.URL+"/signin?next=/live", nil)
	// The board's page has a form with the applicants, which is sent to the page's own address.
	chosen := url.Values{"applicant": {strconv.FormatInt(applicant, 10)}}
	status, at := send(t, client, http.MethodPost, page.String(), chosen)
	if status != http.StatusOK || at.Path != "/live" {
		t.Fatalf("signing in ends at %s with %d", at.Path, status)
	}
	return client
}

// send sends a request with a form, and returns the answer without its body.
func send(t testing.TB, client *http.Client, method, address string, form url.Values) (status int, at *url.URL) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Request.URL
}
