package transport

import (
	"net"
	"net/http"
	"time"
)

// Standard returns net/http's transport with the limits of a client that talks to one or two hosts:
// connections stay for reuse, headers are bounded. It speaks HTTP/1.1, which carries many small
// answers at once faster than one HTTP/2 connection does. Set the returned Connections as
// [Exchange.Connections] of every exchange: they bound the transport's connections.
func Standard() (*http.Transport, *Connections) {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	connections := &Connections{Dial: dialer.DialContext}
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            connections.DialContext,
		Protocols:              protocols,
		MaxIdleConns:           1024,
		MaxIdleConnsPerHost:    512,
		IdleConnTimeout:        60 * time.Second,
		TLSHandshakeTimeout:    5 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		ReadBufferSize:         16 << 10, // a job information in one read
		DisableCompression:     true,     // Body decompresses, and bounds the compressed bytes
	}, connections
}
