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

	"github.com/jobboard-sdk/jobboard-go"
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

func (a *app) openFeed(ctx context.Context, args []string) (*source, error) {
	switch {
	case len(args) == 0:
		body, err := a.demoFeed()
		return &source{Reader: bytes.NewReader(body), Closer: io.NopCloser(nil), size: int64(len(body))}, err
	case args[0] == "-":
		return &source{Reader: a.stdin, Closer: io.NopCloser(nil)}, nil
	}
	lower := strings.ToLower(args[0])
	if strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
		return a.downloadFeed(ctx, args[0])
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, usage("%w", err)
	}
	s := &source{Reader: f, Closer: f}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		s.size = info.Size()
	}
	return s, nil
}

// downloadFeed opens a feed at an address. A feed's address may hold a key, so
// no error shows more of it than the host.
func (a *app) downloadFeed(ctx context.Context, address string) (*source, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, usage("the feed's address cannot be used")
	}
	next, err := a.roundTripper()
	if err != nil {
		return nil, err
	}
	if next == nil || a.fake != nil && a.transport == nil { // the feed is not the fake's
		next = http.DefaultTransport
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, usage("the feed's address cannot be used")
	}
	req.Header.Set("User-Agent", "jobboard")
	req.Header.Set("Accept-Encoding", "gzip")
	hc := &http.Client{Transport: next, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		req.Header.Del("Referer") // it would tell the feed's address, with a key that it may hold
		if len(via) >= 10 {
			return errors.New("too many redirects")
		}
		return nil
	}}
	resp, err := hc.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, &exitError{code: exitNetwork, err: fmt.Errorf("the feed at %s: %w", u.Host, err)}
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		code := exitService
		if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
			code = exitCredential
		}
		return nil, &exitError{code: code, err: fmt.Errorf("the feed at %s: %s", u.Host, statusText(resp.StatusCode))}
	}
	// jobfeed reads gzip by itself.
	return &source{Reader: resp.Body, Closer: resp.Body, size: max(resp.ContentLength, 0)}, nil
}

// demoFeed writes the feed of the fake's jobs.
func (a *app) demoFeed() ([]byte, error) {
	var buf bytes.Buffer
	w := jobfeed.NewWriter(&buf, nil)
	for _, j := range a.fake.Snapshot().Jobs {
		if err := w.Write(&jobfeed.Entry{JobID: jobboard.JobID(j.ID), Title: j.Title, Language: j.Language}); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return buf.Bytes(), err
}
