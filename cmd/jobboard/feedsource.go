package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/term"
	"github.com/jobboard-sdk/jobboard-go/internal/stall"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// source is an open feed that counts what was read of it.
type source struct {
	io.Reader
	io.Closer
	size int64 // 0: not known
	read atomic.Int64
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.read.Add(int64(n))
	return n, err
}

func openFeed(ctx context.Context, c *term.Console, b *setup.Board, args []string) (*source, error) {
	switch {
	case len(args) == 0:
		body, err := demoFeed(b.Fake)
		return &source{Reader: bytes.NewReader(body), Closer: io.NopCloser(nil), size: int64(len(body))}, err
	case args[0] == "-":
		return &source{Reader: c.In, Closer: io.NopCloser(nil)}, nil
	}
	lower := strings.ToLower(args[0])
	if strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
		return downloadFeed(ctx, b, args[0])
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, setup.Usage("%w", err)
	}
	s := &source{Reader: f, Closer: f}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		s.size = info.Size()
	}
	return s, nil
}

// downloadFeed opens a feed at an address. A feed's address may hold a key, so
// no error shows more of it than the host.
func downloadFeed(ctx context.Context, b *setup.Board, address string) (*source, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, setup.Usage("the feed's address cannot be used")
	}
	next, err := b.FeedTransport()
	if err != nil {
		return nil, err
	}
	body := stall.New(ctx, feedStall)
	req, err := http.NewRequestWithContext(body.Context(), http.MethodGet, address, nil)
	if err != nil {
		_ = body.Close()
		return nil, setup.Usage("the feed's address cannot be used")
	}
	req.Header.Set("User-Agent", "jobboard")
	req.Header.Set("Accept-Encoding", "gzip")
	hc := &http.Client{Transport: next, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		req.Header.Del("Referer") // it would tell the feed's address, with a key that it may hold
		return body.Redirected(func() error {
			if len(via) >= 10 {
				return errors.New("too many redirects")
			}
			return nil
		})
	}}
	resp, err := hc.Do(req) //nolint:bodyclose // the watch closes it
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
	// jobfeed reads gzip by itself.
	return &source{Reader: body, Closer: body, size: max(resp.ContentLength, 0)}, nil
}

// feedStall bounds the time for which a feed's host sends nothing; then the feed is given up.
const feedStall = 30 * time.Second

// demoFeed writes the feed of the stand-in's jobs.
func demoFeed(srv *jobboardtest.Server) ([]byte, error) {
	var buf bytes.Buffer
	w := jobfeed.NewWriter(&buf, nil)
	for _, j := range srv.Snapshot().Jobs {
		if err := w.Write(&jobfeed.Entry{JobID: jobboard.JobID(j.ID), Title: j.Title, Language: j.Language}); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return buf.Bytes(), err
}
