// Package transport keeps one request and its answer within bounds. The caller
// sends the request itself, through any http.RoundTripper, with the context of
// an [Exchange], which ends it at its limits of time. A [Body] reads the answer
// up to a limit of bytes, an [Origin] tells which redirects may be followed, and
// [Exchange.Loss] tells whether a lost request reached the service and whether
// another attempt may help. [Standard] makes the transport of a client that was
// given none; its [Connections] keep it from dialing more than it needs.
package transport

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Origin holds the scheme, host and port to which a credential is bound.
type Origin struct{ Scheme, Host, Port string }

// OriginOf returns the origin of an address, with the port that its scheme
// implies.
func OriginOf(u *url.URL) Origin {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "http":
		port = "80"
	case u.Scheme == "https":
		port = "443"
	}
	return Origin{u.Scheme, strings.ToLower(u.Hostname()), port}
}

// Is reports whether an address belongs to the origin.
func (o Origin) Is(u *url.URL) bool { return OriginOf(u) == o }

func (o Origin) String() string { return o.Scheme + "://" + net.JoinHostPort(o.Host, o.Port) }

// Redirect returns the target of a redirect that answers a request for from, or
// nil if it must not be followed: Location is absent or broken, leads to another
// origin, or has a user part.
func (o Origin) Redirect(from *url.URL, resp *http.Response) *url.URL {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
	default:
		return nil
	}
	location := resp.Header.Get("Location")
	if location == "" {
		return nil
	}
	target, err := from.Parse(location)
	if err != nil || target.User != nil || target.Opaque != "" || !IsASCII(target.Host) || !o.Is(target) {
		return nil
	}
	// The same origin in our spelling: no other name is looked up for it.
	target.Host = from.Host
	target.Fragment, target.RawFragment = "", ""
	return target
}

// IsASCII reports whether s has no letter beyond ASCII. Some of those become
// ASCII letters when they are lowered, and are other hosts all the same.
func IsASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}
