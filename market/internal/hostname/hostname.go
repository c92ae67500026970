// Package hostname writes the names of hosts as they stand in requests.
package hostname

import (
	"net"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// profile maps names as browsers do, which also look up names with an underscore, or with
// hyphens where the rules for new names have none.
var profile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false), idna.CheckHyphens(false))

// ASCII returns a host, with or without a port, as browsers and other programs send it: the
// name jobs.bücher.example as jobs.xn--bcher-kva.example. A host of ASCII characters alone,
// and what no name can be made of, is returned as it is.
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
	// The profile lets spaces and the marks of an address through, which no host has.
	if err != nil || strings.ContainsAny(sent, " #%/:<>?@[\\]^|") {
		return host
	}
	if port == "" {
		return sent
	}
	return net.JoinHostPort(sent, port)
}
