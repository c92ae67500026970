package control

import (
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// admit refuses requests that come from pages of other sites, which could
// otherwise drive the mock server through the browser of somebody who runs it.
func (c *Control) admit(r *http.Request) error {
	if !c.knownHost(r.Host) {
		return refuse(http.StatusForbidden, "the host %s is a public name, and not one that the control interface was told "+
			"to answer to: use an address such as 127.0.0.1 (the program's flag -control-host adds a name)", quote(r.Host))
	}
	if err := c.cross.Check(r); err != nil {
		return refuse(http.StatusForbidden, "a page of another site may not change the mock server: %v", err)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.ContentLength != 0 {
		// A page of another site can send a form without asking the server
		// first, but not JSON.
		if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
			return refuse(http.StatusUnsupportedMediaType, "a body must come with Content-Type: application/json, not %s",
				quote(r.Header.Get("Content-Type")))
		}
	}
	return nil
}

// privateNames are the endings of host names that nobody can register.
var privateNames = []string{".localhost", ".internal", ".test"}

func (c *Control) knownHost(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(host, ".") {
		return true
	}
	if slices.ContainsFunc(c.hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	return slices.ContainsFunc(privateNames, func(end string) bool { return strings.HasSuffix(host, end) })
}
