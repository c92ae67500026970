package setup

import (
	"net/netip"
	"net/url"
	"strings"
)

// IsConfidential reports whether requests to an address are protected on their way: the
// address is https, or its host is loopback. The client sends credentials by the same
// rule.
func IsConfidential(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if u.Scheme == "https" || host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
