package address

import (
	"net"
	"net/http"
	"net/netip"
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
	return Origin{u.Scheme, strings.Map(lowerASCII, u.Hostname()), port}
}

// lowerASCII lowers A to Z only. Unicode lowers the Turkish dotted I to an ASCII i, which would
// turn one host into another.
func lowerASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// Is reports whether an address belongs to the origin.
func (o Origin) Is(u *url.URL) bool { return OriginOf(u) == o }

// IsConfidential reports whether nobody on the way to the origin can read a
// request: https, or a loopback host.
func (o Origin) IsConfidential() bool {
	if o.Scheme == "https" || o.Host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(o.Host)
	return err == nil && ip.Unmap().IsLoopback()
}

// String returns the origin as an address without a path.
func (o Origin) String() string { return o.Scheme + "://" + net.JoinHostPort(o.Host, o.Port) }

// Address returns the origin as people write it: without the port that its scheme implies.
func (o Origin) Address() string {
	switch host := o.Host; {
	case host == "":
		return ""
	case o.Scheme == "http" && o.Port == "80", o.Scheme == "https" && o.Port == "443", o.Port == "":
		if strings.Contains(host, ":") {
			host = "[" + host + "]" // an IPv6 address
		}
		return o.Scheme + "://" + host
	}
	return o.String()
}

// Location describes where a redirect in answer to a request for from leads: scheme and host, and what
// may be shown of the rest, SamePath if it differs from the request by scheme, host or a final slash
// alone, else OtherPath. It returns nothing if location is no address of the web.
func Location(from *url.URL, location string) (origin, rest string) {
	target, err := from.Parse(location)
	if location == "" || err != nil || wrongHost(target) != "" {
		return "", ""
	}
	origin = target.Scheme + "://" + target.Host
	slash := func(u *url.URL) string { return strings.TrimRight(u.EscapedPath(), "/") }
	if slash(target) == slash(from) && target.RawQuery == from.RawQuery {
		return origin, SamePath
	}
	return origin, OtherPath
}

// What Location shows of an address behind its host: a path may hold an identifier or a token.
const (
	SamePath  = ", the same path"
	OtherPath = "/..."
)

// Redirect returns the target of resp, a redirect in answer to a request for from. It returns nil
// if the client must not follow: Location is absent or broken, leads to another origin, or has a
// user part.
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
	if err != nil || target.User != nil || target.Opaque != "" || !o.Is(target) {
		return nil
	}
	// Keep the spelling of the host, so that no other name is looked up.
	target.Host = from.Host
	target.Fragment, target.RawFragment = "", ""
	return target
}
