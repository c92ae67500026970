package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// feed is an open feed that counts what was read of it.
type feed struct {
	io.ReadCloser
	edition string // changes when the feed does
	size    int64  // in bytes; below 0: not known
	read    atomic.Int64
}

func (f *feed) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	f.read.Add(int64(n))
	return n, err
}

// openFeed opens a file or what is at an address, which gets no credential.
// Where nothing says how old the feed is, there is one edition of it a day.
func openFeed(ctx context.Context, from string) (*feed, error) {
	if strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://") {
		return download(ctx, from)
	}
	f, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &feed{ReadCloser: f, edition: fmt.Sprintf("%s of %s", info.Name(), info.ModTime().UTC().Format(time.RFC3339Nano)), size: info.Size()}, nil
}

func download(ctx context.Context, from string) (*feed, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody)
	if err != nil {
		return nil, err
	}
	// The reader asks for no other compression than it undoes itself.
	client := &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableCompression: true, ResponseHeaderTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second,
	}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("the feed at %s: %s", req.URL.Host, resp.Status)
	}
	edition := resp.Header.Get("ETag")
	if edition == "" {
		edition = resp.Header.Get("Last-Modified")
	}
	if edition == "" {
		edition = time.Now().UTC().Format(time.DateOnly)
	}
	return &feed{ReadCloser: resp.Body, edition: req.URL.Host + req.URL.Path + " of " + edition, size: resp.ContentLength}, nil
}
