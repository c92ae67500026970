// Package feedaddress tells the address of a job feed from the path of a file, and keeps what a mistyped
// address may hold out of errors.
package feedaddress

import (
	"cmp"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// Parse parses an address of http or https with a host. It returns nil for any other text: a path, or an
// address with a typing error in it.
func Parse(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || mayEndInPassword(u) {
		return nil
	}
	if port, err := strconv.ParseUint(cmp.Or(u.Port(), "80"), 10, 16); err != nil || port == 0 {
		return nil
	}
	return u
}

// mayEndInPassword reports whether the host of an address may really be a user's name, followed
// by a password with an unescaped /, ? or #: an @ comes later.
func mayEndInPassword(u *url.URL) bool {
	if strings.Contains(u.EscapedPath(), "@") {
		return true
	}
	inRest := strings.Contains(u.RawQuery, "@") || strings.Contains(u.EscapedFragment(), "@")
	return inRest && (u.Path == "" || u.Port() != "" && u.User == nil)
}

// IsMistyped reports whether a text for which Parse returns nil may be a mistyped address, which might
// hold a password.
func IsMistyped(text string) bool {
	lower := strings.ToLower(text)
	return strings.ContainsAny(text, "@?") || strings.Contains(text, "://") ||
		strings.HasPrefix(lower, "http:") || strings.HasPrefix(lower, "https:") ||
		strings.ContainsFunc(text, unicode.IsControl)
}

// Public returns the address of a feed as it may be stored and shown: without user,
// password, query and fragment, and of a path the last element.
func Public(text string) string {
	u := Parse(text)
	if u == nil {
		return filepath.Base(text)
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}
