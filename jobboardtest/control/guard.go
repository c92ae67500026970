package control

import (
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// admit keeps web pages of other sites out, who could otherwise drive the stand-in
// through the browser of somebody who has it running.
func (c *Control) admit(r *http.Request) error {
	if !c.knownHost(r.Host) {
		return refuse(http.StatusForbidden, "the host %s is a public name, and not one that the control interface was told "+
			"to answer to: use an address such as 127.0.0.1 (the program's flag -control-host adds a name)", quote(r.Host))
	}
	if err := c.cross.Check(r); err != nil {
		return refuse(http.StatusForbidden, "a page of another site may not change the stand-in: %v", err)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.ContentLength != 0 {
		// A form can be sent across sites without asking, JSON cannot.
		if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
			return refuse(http.StatusUnsupportedMediaType, "a body must come with Content-Type: application/json, not %s",
				quote(r.Header.Get("Content-Type")))
		}
	}
	return nil
}

// privateNames end the names that no registry gives away.
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
