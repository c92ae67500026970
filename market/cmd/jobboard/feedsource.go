package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/internal/feedaddress"
	"github.com/jobboard-sdk/jobboard-go/market/internal/stall"
)

// source is an open feed that counts the bytes read.
type source struct {
	io.Reader
	io.Closer
	size int64 // in bytes; 0: unknown
	read atomic.Int64
}

func (s *source) Read(p []byte) (int, error) {
	// Little at a time: what lies in a buffer of the feed's reader counts as read.
	n, err := s.Reader.Read(p[:min(len(p), 4<<10)])
	s.read.Add(int64(n))
	return n, err
}

func openFeed(ctx context.Context, c *term.Console, b *setup.Board, args []string) (*source, error) {
	switch {
	case len(args) == 0: // the mock server's own feed
		return downloadFeed(ctx, b.Fake.Client().Transport, feedaddress.Parse(b.Fake.FeedURL))
	case args[0] == "-":
		return &source{Reader: c.In, Closer: io.NopCloser(nil)}, nil
	}
	if u := feedaddress.Parse(args[0]); u != nil {
		next, err := b.FeedTransport()
		if err != nil {
			return nil, err
		}
		return downloadFeed(ctx, next, u)
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, noFeed(args[0], err)
	}
	s := &source{Reader: f, Closer: f}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		s.size = info.Size()
	}
	return s, nil
}

// noFeed returns the error for a feed's file that cannot be opened. It names only the last
// element of the path, and shows nothing of a text that may be a mistyped address with a
// password.
func noFeed(path string, err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err // drop the path
	}
	if feedaddress.IsMistyped(path) {
		return setup.Usage("the feed's address cannot be used: it is neither http or https with a host, nor the path of a file").
			Next("in a user, a password and a path write an @ as %40, and a / of a password as %2F")
	}
	return setup.Usage("the feed %s: %w", feedaddress.Public(path), err)
}

// downloadFeed opens a feed at an address. Its errors show only the host,
// because the rest of the address may contain a key.
func downloadFeed(ctx context.Context, next http.RoundTripper, u *url.URL) (*source, error) {
	body := stall.New(ctx, feedStall)
	req, err := http.NewRequestWithContext(body.Context(), http.MethodGet, u.String(), nil)
	if err != nil {
		_ = body.Close()
		return nil, setup.Usage("the feed's address cannot be used")
	}
	req.Header.Set("User-Agent", "jobboard")
	req.Header.Set("Accept-Encoding", "gzip")
	hc := &http.Client{Transport: next, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		req.Header.Del("Referer") // Referer would reveal the feed's address, and a key in it
		return body.Redirected(func() error {
			if len(via) >= 10 {
				return errors.New("too many redirects")
			}
			return nil
		})
	}}
	resp, err := hc.Do(req) //nolint:bodyclose // stall.Watch closes the body
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		err = body.Cause(err)
		_ = body.Close()
		return nil, &setup.Error{Code: setup.ExitNetwork, Err: fmt.Errorf("the feed at %s: %w", u.Host, err)}
	}
	body.Answered(resp.Body)
	if resp.StatusCode != http.StatusOK {
		_ = body.Close()
		code := setup.ExitService
		if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
			code = setup.ExitCredential
		}
		return nil, &setup.Error{Code: code, Err: fmt.Errorf("the feed at %s: %s", u.Host, statusText(resp.StatusCode))}
	}
	// jobfeed decompresses gzip itself.
	return &source{Reader: body, Closer: body, size: max(resp.ContentLength, 0)}, nil
}

// feedStall is the time after which the download of a feed is cancelled if the host sends
// nothing.
const feedStall = 30 * time.Second
