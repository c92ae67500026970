// Package address reads base addresses, which people write, and links, which a service sends. It
// says in words what is wrong with an address and never repeats it, because it may hold a secret. A
// credential is bound to an [Origin].
package address

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Base reads a base address and removes trailing slashes and suffix, because people paste an
// address with and without them. suffix may be empty. In the path it escapes what is not escaped and
// must be, and leaves the rest as it is written. Base returns the address, or what is wrong with s.
func Base(s, suffix string) (u *url.URL, wrong string) {
	if strings.TrimSpace(s) != s {
		return nil, "begins or ends with white space"
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, "is not an address" // the parser's error would print it
	}
	if wrong := wrongBase(u); wrong != "" {
		return nil, wrong
	}
	// EscapedPath ignores a RawPath that is not wholly escaped, and its %2F with it.
	u.RawPath = escapeRest(u.RawPath)
	escaped := strings.TrimRight(u.EscapedPath(), "/")
	for suffix != "" && strings.HasSuffix(escaped, suffix) {
		escaped = strings.TrimRight(strings.TrimSuffix(escaped, suffix), "/")
	}
	u.Path, _ = url.PathUnescape(escaped) // cannot fail: EscapedPath wrote escaped
	u.RawPath = ""
	if u.Path != escaped {
		u.RawPath = escaped
	}
	return u, ""
}

// escapeRest escapes the bytes of a path that no path may hold. It leaves what is escaped already.
func escapeRest(path string) string {
	const marks = "-._~!$&'()*+,;=:@/%[]" // net/http sends brackets too
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || strings.IndexByte(marks, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// Path reads the path of an endpoint below a base address. It returns the path with a leading slash
// and no trailing slash, or what is wrong with s.
func Path(s string) (path, wrong string) {
	path = strings.TrimRight("/"+strings.TrimLeft(s, "/"), "/")
	u, err := url.Parse(path)
	if err != nil || path == "" || u.EscapedPath() != path ||
		strings.Contains(path, "/.") || strings.ContainsAny(path, "{}%") {
		return "", `is not a plain path, such as "/jobabo"`
	}
	return path, ""
}

// wrongBase returns what keeps u from being a base address; empty: nothing.
func wrongBase(u *url.URL) string {
	if wrong := wrongHost(u); wrong != "" {
		return wrong
	}
	switch {
	case !isASCII(u.Host):
		return "has a host with letters beyond ASCII: write it in its xn-- form"
	case u.User != nil:
		return "has a user part: set the credential in its own field"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "has a query or a fragment: leave it off"
	}
	parts := strings.Split(u.Path, "/")
	if slices.Contains(parts, ".") || slices.Contains(parts, "..") {
		return "has . or .. in its path"
	}
	for _, operation := range []struct{ begins, leave string }{
		{"/api/rest/v", "/api/rest"}, {"/jobdb/public/apply", "/jobdb"},
	} {
		if strings.Contains(u.Path, operation.begins) {
			return "holds the path of a call, which the client adds itself: leave off " + operation.leave + " and all that follows"
		}
	}
	return ""
}

// Link reads a link that is safe to show: absolute, http or https, with a host
// and without a user. It returns the address, or what is wrong with s.
func Link(s string) (u *url.URL, wrong string) {
	if s == "" {
		return nil, "is empty"
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, "is not an address"
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7F || r == '\\' }) {
		return nil, "has a character that no address has"
	}
	if wrong := wrongHost(u); wrong != "" {
		return nil, wrong
	}
	if u.User != nil {
		return nil, "has a user part"
	}
	return u, ""
}

// wrongHost returns what keeps u from naming a host on the web; empty: nothing.
func wrongHost(u *url.URL) string {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return `is not an absolute http or https address, such as "https://board.example"`
	case u.Opaque != "" || u.Hostname() == "":
		return "has no host"
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "has no usable port"
		}
	}
	return ""
}

// isASCII reports whether s has no letter beyond ASCII.
func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
