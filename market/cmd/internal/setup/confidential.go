package setup

import (
	"net/netip"
	"net/url"
	"strings"
)

// IsConfidential reports whether nobody on the way to the host of an address can read a
// request: the address is https, or its host is loopback. The client has the same rule for
// its credentials.
func IsConfidential(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if u.Scheme == "https" || host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
