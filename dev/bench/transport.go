package main

import (
	"bytes"
	"net"
	"net/http"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
)

const (
	token   = "a-static-token"
	channel = "27828_extern"
	job     = 2797227
)

// inMemory is a transport that answers at once, so that measurements show the
// client's cost alone.
type inMemory struct{ body []byte }

var jsonHeader = http.Header{"Content-Type": {"application/json"}}

func (m *inMemory) RoundTrip(req *http.Request) (*http.Response, error) {
	resp := m.response()
	resp.Request = req
	return resp, nil
}

func (m *inMemory) response() *http.Response {
	b := new(memoryBody)
	b.Reset(m.body)
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: jsonHeader, Body: b, ContentLength: int64(len(m.body)),
	}
}

type memoryBody struct{ bytes.Reader }

func (*memoryBody) Close() error { return nil }

// tuned returns the transport for contenders whose transport is not compared:
// net/http's with compression, and with an idle connection for every caller.
func tuned() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		MaxIdleConns:        1024,
		MaxIdleConnsPerHost: 1024,
	}
}

// newSDK and newObservedSDK make our client as documented. A nil transport
// means the client's default.

func newSDK(address string, transport http.RoundTripper) (*jobboard.Client, error) {
	return newObservedSDK(address, transport, nil)
}

func newObservedSDK(address string, transport http.RoundTripper, o *jobboard.Observer) (*jobboard.Client, error) {
	cfg := jobboard.Config{BaseURL: address, JobDBURL: address, TokenSource: jobboard.StaticToken(token), Observer: o}
	if transport != nil {
		cfg.HTTPClient = &http.Client{Transport: transport}
	}
	return jobboard.NewClient(cfg)
}

// withToken returns the HTTP client of a program without a client library:
// oauth2.Transport around a transport.
func withToken(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: &oauth2.Transport{
		Source: oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token}), Base: transport,
	}}
}
