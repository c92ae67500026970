package transport

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// Standard returns net/http's transport with the limits of a client that talks to one or two hosts:
// connections stay for reuse, headers are bounded. It speaks HTTP/1.1, which carries many small
// answers at once faster than one HTTP/2 connection does, and of which a silent connection costs
// one call. Standard clones settings; nil: the defaults of package tls.
func Standard(settings *tls.Config) *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		Protocols:              protocols,
		MaxIdleConns:           1024,
		MaxIdleConnsPerHost:    512,
		IdleConnTimeout:        60 * time.Second,
		TLSClientConfig:        settings.Clone(),
		TLSHandshakeTimeout:    5 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		ReadBufferSize:         16 << 10, // a job information in one read
		DisableCompression:     true,     // Body decompresses, and bounds the compressed bytes
	}
}
