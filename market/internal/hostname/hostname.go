// Package hostname converts host names to the ASCII form of requests.
package hostname

import (
	"net"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// profile converts names like browsers: these also look up names with underscores, or
// with hyphens where registries no longer allow them.
var profile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false), idna.CheckHyphens(false))

// ASCII converts a host, with or without a port, to the form that browsers send:
// jobs.bücher.example becomes jobs.xn--bcher-kva.example. It returns pure ASCII and invalid
// names unchanged.
func ASCII(host string) string {
	ascii := !strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf })
	if ascii || !utf8.ValidString(host) {
		return host
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	sent, err := profile.ToASCII(name)
	// The profile accepts spaces and delimiters of addresses, which no host name
	// contains.
	if err != nil || strings.ContainsAny(sent, " #%/:<>?@[\\]^|") {
		return host
	}
	if port == "" {
		return sent
	}
	return net.JoinHostPort(sent, port)
}
