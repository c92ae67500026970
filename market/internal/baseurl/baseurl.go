// Package baseurl reads the base address of a board as people write it.
package baseurl

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Parse reads a base address by the rules of jobboard.NewClient: Config.BaseURL with the suffix
// "/api/rest", Config.JobDBURL with the suffix "". It removes slashes and the suffix from the end,
// because people paste an address with and without them. It reports false for an address that
// NewClient refuses, and says nothing of it: NewClient does.
func Parse(text, suffix string) (*url.URL, bool) {
	u, err := url.Parse(text)
	if err != nil || !isBase(u) {
		return nil, false
	}
	// EscapedPath ignores a RawPath that is not wholly escaped, and its %2F with it.
	u.RawPath = escapeRest(u.RawPath)
	path := strings.TrimRight(u.EscapedPath(), "/")
	for suffix != "" && strings.HasSuffix(path, suffix) {
		path = strings.TrimRight(strings.TrimSuffix(path, suffix), "/")
	}
	u.Path, _ = url.PathUnescape(path) // cannot fail: EscapedPath wrote path
	u.RawPath = path
	return u, true
}

func isBase(u *url.URL) bool {
	if u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" || u.Hostname() == "" {
		return false
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	}
	segments := strings.Split(u.Path, "/")
	return u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" &&
		!strings.ContainsFunc(u.Host, func(r rune) bool { return r >= utf8.RuneSelf }) &&
		!slices.Contains(segments, ".") && !slices.Contains(segments, "..") &&
		// The path of a call, which the client adds itself.
		!strings.Contains(u.Path, "/api/rest/v") && !strings.Contains(u.Path, "/jobdb/public/apply")
}

// escapeRest escapes the bytes of a path that no path may hold. It leaves what is escaped already.
func escapeRest(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || strings.IndexByte("-._~!$&'()*+,;=:@/%[]", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
